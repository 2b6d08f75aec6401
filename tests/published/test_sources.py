"""Every line of the list of sources is computed, run again, shown, or told as a gap."""

import ast
import re
from typing import Any

import pytest
from tests.given import ROOT
from tests.published.source_lines import LINES
from tests.published.sources import (
    GAPS,
    REPLICATED,
    SHOWN,
    TITLES,
    agrees,
    cells_of,
    counts_of_cells,
    counts_of_lines,
    expected,
    read_lines,
    source_of,
    tokens,
    written,
)

LIST = read_lines()
WAYS = (LINES, REPLICATED, SHOWN, GAPS)


def test_every_line_is_checked_shown_or_a_gap_and_only_one_of_them() -> None:
    named = [name for way in WAYS for name in way]
    assert sorted(named) == sorted(LIST.index)


def test_the_list_knows_its_words() -> None:
    assert set(LIST["source"]) == set(TITLES)
    kinds = {"example", "figure", "table", "exercise", "algorithm", "number"}
    assert set(LIST["kind"]) == kinds
    texts = {"whole", "cut off", "from rounded", "misprint", "lost", "no number"}
    assert set(LIST["text"]) == texts
    assert (LIST["what"] != "").all()
    # what holds in place of a number is told, and why
    in_place = ["misprint", "lost", "no number"]
    assert (LIST.loc[LIST["holds"] != "", "text"].isin(in_place)).all()
    assert (LIST.loc[LIST["text"] == "misprint", "note"] != "").all()


def run_as_the_page_has_it(name: str) -> list[Any]:
    """Run the text of a line, which needs no more than the names of its file."""
    names = {key: item for key, item in LINES[name].__globals__.items() if key[0] != "_"}
    *before, last = ast.parse(source_of(name)).body
    assert isinstance(last, ast.Expr)
    exec(compile(ast.Module(before, []), name, "exec"), names)
    return tokens(eval(compile(ast.Expression(last.value), name, "eval"), names))


@pytest.mark.parametrize("name", LINES)
def test_a_line_gives_the_number_that_is_printed_or_that_holds(name: str) -> None:
    line = LIST.loc[name]
    here = run_as_the_page_has_it(name)
    assert expected(line)
    assert len(here) == len(expected(line))
    wrong = [
        (printed, value)
        for printed, value in zip(expected(line), here, strict=True)
        if not agrees(printed, value, line["text"])
    ]
    assert wrong == []


@pytest.mark.parametrize(
    "name", [name for name in LINES if LIST.loc[name, "printed"] and LIST.loc[name, "holds"]]
)
def test_what_is_printed_in_place_of_what_holds_does_not_come_out(name: str) -> None:
    line = LIST.loc[name]
    printed, here = line["printed"].split(), tokens(LINES[name]())
    comes_out = len(printed) == len(here) and all(
        agrees(number, value, line["text"]) for number, value in zip(printed, here, strict=True)
    )
    assert comes_out == (line["text"] != "misprint" and len(printed) == len(here))


@pytest.mark.parametrize("name", REPLICATED)
def test_a_table_that_is_run_again_has_its_printed_numbers(name: str) -> None:
    cells = cells_of(name)
    assert 0 < len(cells) <= int(LIST.loc[name, "printed"])
    assert (cells.loc[~cells["is_inside"], "cause"] != "").all()


@pytest.mark.parametrize("name", SHOWN)
def test_what_shows_a_line_is_there(name: str) -> None:
    command, reference = SHOWN[name]
    path, _, test = reference.partition("::")
    assert (ROOT / path).is_file()
    if test:
        assert f"def {test}(" in (ROOT / path).read_text(encoding="utf-8")
    # an expression would be computed
    program = re.match(r"python (examples/\S+|-m replications)", command)
    assert (ROOT / program[1].removeprefix("-m ")).exists()


@pytest.mark.parametrize(
    ("printed", "here", "text", "outcome"),
    [
        ("0.65", 0.6549, "whole", True),
        ("0.65", 0.6551, "whole", False),
        ("0.45", 0.4591, "cut off", True),
        ("0.45", 0.4601, "cut off", False),
        ("3910", 3910.4, "whole", False),
        ("3.67/6.67", 0.55, "whole", True),
        ("3/9", 0.3334, "whole", False),
        ("none", None, "whole", True),
        ("no", False, "whole", True),
        ("no", True, "whole", False),
        ("1", True, "whole", False),
        ("city", 3.0, "whole", False),
    ],
)
def test_digits_decide_what_agrees(printed: str, here: Any, text: str, outcome: bool) -> None:
    assert agrees(printed, here, text) == outcome


def test_the_page_on_checks_has_the_counts_of_today() -> None:
    text = (ROOT / "docs" / "papers" / "how-it-was-checked.md").read_text(encoding="utf-8")
    assert counts_of_lines() in text
    assert counts_of_cells() in text
    computed = LIST.loc[list(LINES)]
    is_misprint = (computed["text"] == "misprint") & (computed["holds"] != "")
    is_without = computed["text"].isin(["lost", "no number"])
    n_printed = (~is_misprint & ~is_without).sum()
    assert f"{n_printed} of the {len(LINES)} computed lines give the printed number" in text
    assert f"{is_misprint.sum()} correct a misprint" in text
    assert f"{is_without.sum()} have no complete number to compare with" in text


def test_the_list_on_the_site_has_every_line() -> None:
    rows = [row for row in written().splitlines() if row.startswith("| ")]
    heads = ("| where |", "| source |")
    assert sum(not row.startswith(heads) for row in rows) == len(LIST)
