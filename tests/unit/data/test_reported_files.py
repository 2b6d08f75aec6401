"""Small files of kinds that people reported, each with its right answer."""

import numpy as np
import pytest
from tests.given import reported_file

from bestofk.data import load_data
from bestofk.errors import InvalidArgumentError

TICKS = {"admitted": ["blank"] * 52 + ["x"] * 28}

# File, kind, options, columns with their roles, and what the target holds, sorted and without
# repetition; for TICKS each value.
FILES = [
    ("total.csv", "a category named total", {}, "surgery nominal, age numeric", ["n", "y"]),
    ("pipes_text.csv", "bars in texts", {}, "a numeric, b nominal", ["p", "q"]),
    ("sep_in_text.csv", "semicolons in quotes", {}, "a numeric, b nominal", ["p", "q"]),
    ("coord.csv", "commas in quoted places", {}, "loc drop, v numeric", ["p", "q"]),
    ("numheader.csv", "names that count", {}, "0 numeric, 3 numeric", ["a", "b"]),
    ("numheader_all.csv", "names that count, all", {}, "0 numeric, 3 numeric", [0, 1]),
    ("real-numeric-header.csv", "names 0 to 9", {}, "0 numeric, 9 numeric", ["one"]),
    ("none.csv", "a class none", {}, "x numeric", ["mild", "none", "severe"]),
    ("pmtarget.csv", "classes + and -", {}, "a numeric, b numeric", ["+", "-"]),
    ("number-of.csv", "a number of things", {}, "Number-transactions numeric", None),
    ("lakehuron.csv", "time that counts on", {}, "time numeric, rownames drop", None),
    ("mdyy.csv", "month, day, two digits", {}, "when date, x numeric", [0, 1]),
    ("time.csv", "times of day", {}, "when date, x numeric", [0, 1]),
    ("a2.arff", "a comment behind values", {}, "x numeric", [-1, 1]),
    ("a8.arff", "weights of rows", {}, "x numeric", ["p", "q"]),
    ("blank-separated.arff", "blanks between values", {}, "RollRate numeric", None),
    ("trailing-comma.arff", "commas and blanks", {}, "a1cx numeric, mxql numeric", None),
    ("rheader.csv", "row names without a title", {}, "a numeric, b numeric", ["p", "q"]),
    (
        "r-write-table.txt",
        "row names of write.table",
        {},
        "displ numeric, year numeric, trans nominal",
        ["2seater", "compact", "midsize", "suv"],
    ),
    ("nfd.csv", "a name in NFD", {"target": "Gr\u00f6\u00dfe"}, "a numeric", ["p", "q"]),
    ("u32.csv", "UTF-32 with its mark", {}, "a numeric, b numeric", ["p", "q"]),
    ("bsq.csv", "quotes behind backslashes", {}, "a numeric, b nominal", ["p", "q"]),
    ("cp1251.csv", "Cyrillic", {"encoding": "cp1251"}, "a numeric, b nominal", ["p", "q"]),
    (
        "floattarget3.csv",
        "classes with fractions",
        {"task": "classification"},
        "a numeric, b numeric",
        [1.5, 2.5],
    ),
    ("ticks_u8.csv", "ticks in UTF-8", {}, "cough boolean, rash boolean", TICKS),
    ("ticks_cp.csv", "ticks in cp1252", {}, "cough boolean, rash boolean", TICKS),
    ("ticks_nl.csv", "ticks, a line break in a title", {}, "cough boolean, rash boolean", TICKS),
    ("units.csv", "a row of units", {}, "temp numeric, len numeric", ["p", "q"]),
    (
        "bigtarget.csv",
        "long whole numbers to predict",
        {"task": "classification"},
        "a numeric",
        [10**17, 10**17 + 1],
    ),
    ("uint64.csv", "whole numbers beyond 64 bits", {}, "a nominal, b numeric", ["p", "q"]),
]  # fmt: skip
ROWS = {
    "total.csv": 40, "pipes_text.csv": 40, "sep_in_text.csv": 40, "numheader.csv": 30,
    "numheader_all.csv": 30, "ticks_u8.csv": 80, "ticks_cp.csv": 80, "ticks_nl.csv": 80,
    "units.csv": 60, "lakehuron.csv": 98, "a2.arff": 12, "a8.arff": 12, "time.csv": 60,
    "blank-separated.arff": 19, "trailing-comma.arff": 41,
}  # fmt: skip


@pytest.mark.parametrize(
    ("file", "options", "roles", "target"),
    [(file, *rest) for file, _, *rest in FILES],
    ids=[f"{kind} ({file})" for file, kind, *_ in FILES],
)
def test_a_reported_file_is_read_right(file, options, roles, target):
    data = load_data(reported_file(file), **options)
    wanted = dict(item.rsplit(" ", 1) for item in roles.split(", "))
    assert {column: data.roles[column] for column in wanted} == wanted
    assert data.n_samples == ROWS.get(file, data.n_samples)
    if target is TICKS:
        assert sorted(data.target) == TICKS["admitted"]
    elif target is None:
        assert data.target.dtype.kind in "if"
    else:
        assert data.classes.tolist() == target


def test_long_whole_numbers_stay_apart():
    assert load_data(reported_file("uint64.csv")).features["a"].nunique() == 25


def test_levels_named_as_totals_stay():
    levels = load_data(reported_file("total.csv")).features["surgery"].cat.categories
    assert levels.tolist() == ["partial", "total"]


def test_a_number_in_braces_is_the_weight_of_its_row():
    data = load_data(reported_file("a8.arff"))
    assert 5 in np.asarray(data.sample_weight)


def test_another_encoding_is_named_where_letters_look_odd():
    warnings = load_data(reported_file("cp1251.csv")).warnings
    assert any("--encoding cp1251" in warning for warning in warnings)


def test_one_of_two_columns_of_one_name_is_asked_for():
    with pytest.raises(InvalidArgumentError, match=r"'y', the name of 2\. They are called 'y_1'"):
        load_data(reported_file("dupnames3.csv"), target="y")
