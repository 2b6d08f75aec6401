"""Table read once for all learners, compared with the table that each would read."""

from typing import Any

import numpy as np
import pandas as pd
import pytest

from bestofk.batched.preparation import ColumnSteps, read_preparation
from bestofk.batched.shared_table import SharedTable
from bestofk.learners.preparation import TablePreparer


def table_of(features: Any, *steps: ColumnSteps) -> SharedTable:
    y = np.arange(len(features)) % 2
    return SharedTable(features, y, y, np.arange(2), steps or None)


def test_levels_become_columns_in_alphabetical_order():
    frame = pd.DataFrame({"n": [1.0, 2, 4], "t": ["b", None, "a"]})
    frame["c"] = pd.Categorical([10, 9, 10], [10, 8, 9])
    table = table_of(frame, *(read_preparation([TablePreparer()], frame) or ()))
    encoded = table.encoded
    assert encoded.matrix.tolist() == [[1, 0, 1, 1, 0], [2, 0, 0, 0, 1], [4, 1, 0, 1, 0]]
    assert encoded.attribute.tolist() == [0, 1, 1, 2, 2]
    assert encoded.is_missing.sum(axis=0).tolist() == [0, 1, 1, 0, 0]
    assert encoded.level_totals.tolist() == [-1, 1, 1, 2, 1]
    assert np.isnan(encoded.by_columns[1:3, 1]).all()
    assert (table.n_columns, table.has_missing, table.is_faithful) == (5, True, True)


def test_numbers_that_are_encoded_keep_their_order():
    features = np.array([[10], [9], [2]])
    encoded = table_of(features, ColumnSteps((0,), is_nominal=True)).encoded
    assert encoded.matrix.tolist() == [[0, 0, 1], [0, 1, 0], [1, 0, 0]]


def test_a_constant_fill_counts_as_a_level_or_a_number_of_the_table():
    features = np.array([["b"], [None], ["a"]], dtype=object)
    step = ColumnSteps((0,), is_nominal=True, fill="constant", fill_value="ab")
    encoded = table_of(features, step).encoded
    assert encoded.matrix.tolist() == [[0, 0, 1], [0, 1, 0], [1, 0, 0]]
    assert encoded.is_missing is None
    numbers = table_of(np.array([[1.0], [np.nan]]), ColumnSteps((0,), fill="constant"))
    assert numbers.encoded.matrix.tolist() == [[1], [0]]


def test_scaled_numbers_are_standardized_over_all_known_rows():
    features = np.array([[1.0, 7], [np.nan, 7], [5.0, 7]])
    encoded = table_of(features, ColumnSteps((0, 1), fill="mean", scale="standard")).encoded
    assert encoded.matrix.tolist() == [[-1, 0], [0, 0], [1, 0]]
    assert (encoded.center.tolist(), encoded.spread.tolist()) == ([3, 7], [2, 1])


@pytest.mark.parametrize(
    ("features", "is_numeric"),
    [
        (np.array([[1, 2]]), True),
        (np.array([[True]]), True),
        (np.array([[1.0, np.nan]]), False),
        (np.array([[1.0]], dtype=np.float32), False),
        (np.array([1.0]), False),
        (np.array([["1"]], dtype=object), False),
        (pd.DataFrame({"x": [1], "y": [2.5]}), True),
        (pd.DataFrame({"x": [1], "y": ["a"]}), False),
        (pd.DataFrame({"x": pd.array([1], dtype="Int64")}), True),
        (pd.DataFrame(index=[0]), False),
    ],
)
def test_a_table_is_numeric_where_learners_compute_with_it_as_it_is(features, is_numeric):
    assert table_of(features).is_numeric == is_numeric


def test_a_table_of_texts_cannot_be_encoded_without_preparation():
    with pytest.raises(ValueError, match="features must be numbers if there is no preparation"):
        _ = table_of(np.array([["a"]], dtype=object)).encoded


@pytest.mark.parametrize(
    ("column", "is_faithful"),
    [
        ([1.0, 2, 3, 4], True),
        ([5.0, 5, 5, 5], True),
        ([0.0, 0, 0, 1], True),
        ([1e9, 1e9 + 1, 1e9, 1e9 + 2], False),
        ([1.0, 2, 3, 1e30], False),
        ([1.0, 2, 3, np.inf], False),
        ([1e-300, 2e-300, 0, 0], False),
        ([1e308, -1e308, 1e308, 0], False),
    ],
)
def test_a_column_whose_scaling_loses_digits_is_not_shared(column, is_faithful):
    features = np.array([column, [1.0, 2, 4, 8]]).T
    assert table_of(features, ColumnSteps((0, 1), scale="standard")).is_faithful == is_faithful


def test_a_table_that_may_have_no_columns_in_a_part_is_not_shared():
    rare = pd.DataFrame({"t": pd.Categorical(["a", None, None, "b"])})
    steps = ColumnSteps((0,), is_nominal=True, fill="most_frequent")
    assert not table_of(rare, steps).is_faithful
    assert table_of(rare[:1], steps).is_faithful
    with_number = rare.assign(n=1.0)
    assert table_of(with_number, steps, ColumnSteps((1,))).is_faithful
