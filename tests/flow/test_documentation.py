"""Agreement of the documentation and the gallery with the program."""

import ast
import re
import runpy
import sys
import tomllib
from pathlib import Path
from typing import Any

import matplotlib.pyplot as plt
import numpy as np
import pytest
import yaml
from sklearn.datasets import load_iris
from tests.printed_output import (
    CUT,
    folder_of_shell_lines,
    run_command,
    shell_commands,
    without_numbers,
    without_seconds,
)

import bestofk
from bestofk import calibration, compare, curves, inference, trees
from bestofk.cli import main
from bestofk.data import twonorm
from bestofk.data.roles import ROLES
from bestofk.data.text_values import MISSING_MARKS, MISSING_WORDS
from bestofk.learners import learner_catalogue
from bestofk.measures import measure_names
from bestofk.recommendation import AverageRanking, History, leave_one_out
from bestofk.report import plots

ROOT = Path(__file__).resolve().parent.parent.parent
DOCS, EXAMPLES, BENCHMARKS = ROOT / "docs", ROOT / "examples", ROOT / "benchmarks"
PAGES = sorted(DOCS.rglob("*.md"))
PICTURE_BYTES = 150_000


def _name(path: Path) -> str:
    return str(path.relative_to(ROOT))


@pytest.mark.slow
@pytest.mark.parametrize(
    "page", [page for page in PAGES if shell_commands(page.read_text("utf-8"))], ids=_name
)
def test_shell_lines_of_a_page_end_as_it_says(page: Path) -> None:
    with folder_of_shell_lines():
        for command in shell_commands(page.read_text(encoding="utf-8")):
            code, output = run_command(command)
            assert code == command.exit_code, f"{command.line}\n{output}"
            printed = without_numbers(output)
            for text in command.quoted:
                is_head = text.lstrip().startswith("learner ")  # wraps by the width of the times
                is_kept = text == CUT or is_head or without_numbers(text) in printed
                assert is_kept, f"{command.line}\nno longer says: {text}"


@pytest.mark.slow
@pytest.mark.parametrize("script", sorted(EXAMPLES.glob("*.py")), ids=_name)
def test_an_example_runs_and_writes_a_picture_of_the_pages(script, tmp_path, monkeypatch):
    monkeypatch.setattr(sys, "argv", [str(script), str(tmp_path)])
    plt.switch_backend("Agg")
    with plt.rc_context():
        runpy.run_path(str(script), run_name="__main__")
    plt.close("all")
    pictures = [path.name for path in tmp_path.glob("*.png")]
    assert len(pictures) == 1
    kept = DOCS / "images" / pictures[0]
    assert kept.is_file()
    assert kept.stat().st_size < PICTURE_BYTES


def test_every_display_is_drawn_in_the_gallery() -> None:
    scripts = "".join(path.read_text(encoding="utf-8") for path in EXAMPLES.glob("*.py"))
    assert [name for name in plots.__all__ if name != "Display" and name not in scripts] == []


@pytest.mark.slow
def test_the_line_of_every_display_makes_it() -> None:
    """Of the table on the page, with the results that the page says stand in its lines."""
    page = (DOCS / "displays.md").read_text(encoding="utf-8")
    lines = dict(re.findall(r"^\| .* \| `(\w+)` \| `(.+)` \|$", page, re.MULTILINE))
    of_trees = {name for name in trees.__all__ if name.endswith("Display")}
    assert set(lines) == (set(plots.__all__) | of_trees) - {"Display"}
    assert [line for line in lines.values() if "Display" in line] == []
    a, b = [0.16, 0.18, 0.20, 0.18], [0.20, 0.21, 0.25, 0.18]
    history = History.from_arrays(
        [[0.90, 0.85, 0.70], [0.80, 0.82, 0.60], [0.75, 0.70, 0.65]],
        [[200, 10, 1], [500, 40, 2], [2000, 80, 1]],
    )
    X, y = load_iris(return_X_y=True)
    results = {
        "result": compare("majority,lda,1nn", "breast_cancer", cv="3x2"),
        "regression": compare("mean,ridge", "diabetes", cv="1x3"),
        "forward": compare("mean,ridge", "diabetes", cv="forward:8"),
        "tuned": compare("tuned(knn),lda", "iris", cv="1x3"),
        "across": compare("majority,lda", {"iris": "iris", "wine": "wine"}, cv="1x3"),
        "losses": np.column_stack([a, b]),
        "a": a,
        "b": b,
        "five_by_two": np.arange(10).reshape(5, 2) / 10,
        "other": np.arange(10).reshape(5, 2)[::-1] / 20,
        "population": twonorm(20_000),
        "history": history,
        "lost": leave_one_out(history, [AverageRanking(0)]),
        "tree": trees.C45Classifier(pruning=None).fit(X[::2], y[::2]),
        **{"X": X[::2], "y": y[::2], "X_test": X[1::2], "y_test": y[1::2]},
    }
    modules = (plots, inference, curves, calibration)
    names = {name: getattr(module, name) for module in modules for name in module.__all__}
    for display, line in lines.items():
        assert type(eval(line, names | results)).__name__ == display, line
        plt.close("all")


def test_there_is_no_picture_without_its_script() -> None:
    files = [*EXAMPLES.glob("*.py"), *BENCHMARKS.glob("*.py")]
    scripts = "".join(path.read_text(encoding="utf-8") for path in files)
    for picture in (DOCS / "images").iterdir():
        assert f'"{picture.name}"' in scripts


def test_the_table_of_patients_is_the_one_that_the_example_makes(tmp_path: Path) -> None:
    made = tmp_path / "patients.csv"
    runpy.run_path(str(EXAMPLES / "csv_with_everything.py"))["write_csv"](made)
    assert made.read_text() == (DOCS / "patients.csv").read_text()


def test_the_table_of_shops_is_the_one_that_the_example_makes() -> None:
    made = runpy.run_path(str(EXAMPLES / "rows_in_time.py"))["weekly_sales"]()
    assert made.to_csv(index=False) == (DOCS / "shops.csv").read_text()


@pytest.mark.parametrize("page", PAGES, ids=_name)
def test_links_of_a_page_lead_somewhere(page: Path) -> None:
    links = re.findall(r"\]\(([^)#:]+)\)", page.read_text(encoding="utf-8"))
    assert [link for link in links if not (page.parent / link).exists()] == []


def test_every_page_has_a_row_on_the_map_of_the_site() -> None:
    site = ast.parse((DOCS / "conf.py").read_text(encoding="utf-8"))
    maps, row = (_constant(site, name) for name in ("MAPS", "_CHILD"))
    listed = {DOCS / "index.md"}
    for page in maps:
        text = (DOCS / f"{page}.md").read_text(encoding="utf-8")
        rows = re.findall(row, text, re.MULTILINE)
        listed |= {(DOCS / page).parent / link for _, link in rows}
    assert [_name(page) for page in PAGES if page not in listed] == []


def _constant(module: ast.Module, name: str) -> Any:
    """Give the text or texts that a module sets a name to, alone or as first argument."""
    (value,) = (
        node.value
        for node in module.body
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == name
    )
    return ast.literal_eval(value.args[0] if isinstance(value, ast.Call) else value)


@pytest.mark.parametrize(
    ("page", "names"),
    [
        ("catalogue.md", list(learner_catalogue())),
        ("measures.md", [*measure_names("classification"), *measure_names("regression")]),
        ("data-rules.md", ROLES),
    ],
)
def test_a_table_names_all_there_is(page: str, names: list[str]) -> None:
    text = (DOCS / page).read_text(encoding="utf-8")
    assert [name for name in names if f"`{name}`" not in text] == []


def test_the_citation_says_of_the_package_what_the_package_says() -> None:
    cited = yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert cited["version"] == bestofk.__version__
    assert cited["license"] == project["license"]
    assert cited["authors"] == project["authors"]


def test_the_page_of_data_names_all_missing_marks() -> None:
    text = (DOCS / "data-rules.md").read_text(encoding="utf-8").casefold()
    marks = MISSING_MARKS | MISSING_WORDS
    assert [mark for mark in marks if mark and f"`{mark}`" not in text] == []


def test_the_verdict_that_the_readme_quotes_is_the_one_its_first_line_gives(capsys, monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    command = next(line for line in readme.splitlines() if "&& bestofk" in line)
    arguments = command.partition("&& bestofk ")[2].split()
    quoted = readme.partition("```text\n")[2].partition("```")[0]
    assert main(arguments) == 0
    assert without_seconds(quoted) == without_seconds(capsys.readouterr().out)
