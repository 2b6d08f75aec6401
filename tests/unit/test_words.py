import ast
from pathlib import Path

import numpy as np
import pytest

import bestofk
from bestofk.words import joined_lines, number, percent, printable, seconds


@pytest.mark.parametrize(
    ("value", "said"),
    [
        (0.0, "0.0000"),
        (-1.2e-17, "-1.20e-17"),
        (12.346, "12.35"),
        (123_456_789.4, "123,456,789"),
        (1.47453e20, "1.475e+20"),
        (62.0, "62.00"),
        (np.inf, "inf"),
        (-np.inf, "-inf"),
    ],
)
def test_numbers_keep_four_digits(value, said):
    assert number(value) == said


def test_numbers_of_one_column_keep_their_last_zeros():
    assert [number(value, 3) for value in (62.0, 47.4, 193.9)] == ["62.0", "47.4", "194"]


@pytest.mark.parametrize(
    ("share", "said"), [(0.00001, "0.001"), (0.0312, "3.1"), (0.005, "0.50"), (0.99996, ">99.9")]
)
def test_shares_are_said_in_percent(share, said):
    assert percent(share) == said


@pytest.mark.parametrize(
    ("value", "said"),
    [(0.0, "0.0 µs"), (0.0009999, "1.0 ms"), (0.9999, "1.0 s"), (99.0, "99 s"), (7300, "2.0 h")],
)
def test_seconds_change_unit_before_they_round_to_a_thousand(value, said):
    assert seconds(value) == said


# Files that join lines themselves: what they join is printable already, or is not shown as a text.
_JOIN_LINES = {
    "words.py", "options.py", "audits/printed_grid.py",
    "calibration/printed.py", "calibration/rates.py", "cli/entries.py", "cli/tree_command.py",
    "data/arff_file.py", "data/text_values.py", "score_tables/score_formats/write_score_table.py",
    "report/formats/latex.py", "report/formats/text.py", "report/html/views.py",
    "report/plots/matrices.py",
    "report/plots/drawing.py", "report/plots/orders.py", "report/plots/over_data_sets.py",
    "report/progress/shown.py", "report/sections.py", "report/sentences/methods.py",
    "trees/text_form.py", "trees/parameters.py", "trees/rules.py",
}  # fmt: skip


def test_lines_are_joined_where_each_of_them_is_made_printable():
    root = Path(bestofk.__file__).parent
    found = {
        path.relative_to(root).as_posix()
        for path in root.rglob("*.py") if "n\".join(" in path.read_text(encoding="utf-8")
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Attribute) and node.attr == "join"
        and isinstance(node.value, ast.Constant) and "\n" in str(node.value.value)
    }  # fmt: skip
    assert found <= _JOIN_LINES


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("a\nb", r"a\nb"), ("\x1b[0m", r"\u001b[0m"), ("\x7f\x9b", r"\u007f\u009b"),
        ("\u202eb\u2069", r"\u202eb\u2069"), ("\u061c\u200e", r"\u061c\u200e"),
        ("\u2028\u2029\x85", r"\u2028\u2029\u0085"), ("\udcff", r"\udcff"),
        ("Größe 5 µs, 学习", "Größe 5 µs, 学习"), (r"C:\new", r"C:\new"),
    ],
)  # fmt: skip
def test_controls_are_spelled_and_letters_stay(text, shown):
    assert printable(text) == printable(printable(text)) == shown
    assert joined_lines([text, text]) == f"{shown}\n{shown}"
