"""Reading of tables, labels, weights and column names."""

from __future__ import annotations

import numpy as np
import pytest

from bestofk.errors import InvalidArgumentError
from bestofk.trees.attributes import Attribute
from bestofk.trees.reading import (
    checked_weights,
    chosen_columns,
    coded_labels,
    column_number,
    ordinal_columns,
    raw_column,
)

NAMES = ["size", "color", "wind"]


def test_columns_are_chosen_by_name_number_or_mask():
    assert chosen_columns("from_dtype", NAMES, "x") is None
    assert chosen_columns(None, NAMES, "x") == [False, False, False]
    assert chosen_columns([], NAMES, "x") == [False, False, False]
    assert chosen_columns(["wind", 0], NAMES, "x") == [True, False, True]
    assert chosen_columns(np.array([False, True, True]), NAMES, "x") == [False, True, True]


def test_columns_that_do_not_exist_are_refused():
    with pytest.raises(
        InvalidArgumentError, match=r"x must name columns of X; got 'winds'\. .*wind"
    ):
        column_number("winds", NAMES, "x")
    with pytest.raises(InvalidArgumentError, match="x must name columns of X; got -1"):
        column_number(-1, NAMES, "x")
    with pytest.raises(InvalidArgumentError, match="one entry for each of 3 columns; got 2"):
        chosen_columns([True, False], NAMES, "x")


def test_ordinal_columns_bring_their_levels_where_given():
    assert ordinal_columns(None, NAMES) == {}
    assert ordinal_columns(["wind"], NAMES) == {2: None}
    assert ordinal_columns({"wind": ["weak", "strong"]}, NAMES) == {2: ["weak", "strong"]}
    with pytest.raises(InvalidArgumentError, match="ordinal_features must name columns of X"):
        ordinal_columns(["rain"], NAMES)


def test_labels_are_sorted_or_in_the_declared_order():
    labels = np.array(["no", "yes", "no"])
    result, codes = coded_labels(labels, None)
    assert (result.tolist(), codes.tolist()) == (["no", "yes"], [0, 1, 0])
    result, codes = coded_labels(labels, ["yes", "maybe", "no"])
    assert (result.tolist(), codes.tolist()) == (["yes", "maybe", "no"], [2, 0, 2])
    assert codes.dtype == np.int16


def test_too_many_classes_are_refused():
    with pytest.raises(ValueError, match="y must have at most 32767 classes; got 32768"):
        coded_labels(np.arange(32_768), None)


def test_weights_are_floats_none_of_them_negative():
    X = np.zeros((3, 1))
    weight = checked_weights([0, 1, 2], X)
    assert (weight.dtype, weight.tolist()) == (np.float64, [0.0, 1.0, 2.0])
    with pytest.raises(ValueError, match="sample_weight must be 0 or more for every row; got -1"):
        checked_weights([0, 1, -1], X)
    with pytest.raises(ValueError, match="sample_weight must be above zero for some row"):
        checked_weights([0, 0, 0], X)


def test_levels_are_whole_numbers_with_minus_one_for_missing():
    attribute = Attribute("wind", "nominal", ("strong", "weak"))
    column = np.array(["weak", None, "strong", "weak"], dtype=object)
    codes = raw_column(column, attribute)
    assert (codes.dtype, codes.tolist()) == (np.int32, [1, -1, 0, 1])
    numbers = raw_column(np.array([1.5, np.nan]), Attribute("size", "numeric"))
    np.testing.assert_array_equal(numbers, [1.5, np.nan])
