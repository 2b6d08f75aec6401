import numpy as np
import pandas as pd
import polars as pl
import pytest

from bestofk.data import DataSet, check_comparable, from_arrays, load_data
from bestofk.errors import InvalidArgumentError

X = np.arange(8.0).reshape(4, 2)


def test_ordinary_data_pass():
    check_comparable(load_data("play-tennis"), n_folds=14)
    check_comparable(load_data("diabetes"), n_folds=10)


@pytest.mark.parametrize(
    ("features", "name"),
    [
        (pd.DataFrame({"a": [1, 2], "gone": [None, None]}), "gone"),
        (pd.DataFrame({"a": [1, 2], "gone": [np.nan, np.nan]}), "gone"),
        (pd.DataFrame({"a": [1, 2], "gone": pd.Categorical([None, None], ["u"])}), "gone"),
        (pl.DataFrame({"a": [1, 2], "gone": [None, float("nan")]}), "gone"),
        (pl.DataFrame({"a": [1, 2], "gone": [None, None]}), "gone"),
        (np.array([[1, np.nan], [2, np.nan]]), "x1"),
        (np.array([[1, None], ["u", None]], object), "x1"),
    ],
)
def test_a_column_without_any_value_is_named(features, name):
    data = from_arrays(features, [1.5, 2.5])
    with pytest.raises(InvalidArgumentError, match=rf"got none in '{name}'\. Leave it out of the"):
        check_comparable(data)


@pytest.mark.parametrize(
    ("data", "n_folds", "message"),
    [
        (DataSet("d", X[:0], np.array([]), "regression"), None, "d must have rows; got none"),
        (from_arrays(X[:, :0], list("abab")), None, "at least one input column .*; got none"),
        (from_arrays(X, list("abab")), 5, r"as many rows as folds \(5\); got 4. Use fewer folds"),
        (from_arrays(X, list("aaaa")), None, "at least two classes; got only 'a'"),
        (from_arrays(X, list("aaab")), None, "at least two rows, .*; got one row of class 'b'"),
        (from_arrays(X, list("aacb")), None, "got one row of class 'b', 'c'. Drop such rows"),
    ],
)
def test_data_on_which_nothing_can_be_compared_get_one_sentence(data, n_folds, message):
    with pytest.raises(InvalidArgumentError, match=message):
        check_comparable(data, n_folds=n_folds)


def test_a_target_that_hardly_comes_again_is_refused_without_its_classes():
    y = [f"t{k // 2 if k < 4 else k}" for k in range(30)]
    with pytest.raises(InvalidArgumentError, match="got 28 classes in 30 rows, 26 of them"):
        check_comparable(from_arrays(np.zeros((30, 1)), y))


def test_a_file_of_one_column_is_refused_with_the_option_of_its_separator(write):
    path = write("a:b:y\n" + "1:2:p\n3:4:q\n" * 9)
    with pytest.raises(InvalidArgumentError, match=r"Name the separator of its columns \(--sep"):
        check_comparable(load_data(path))
    check_comparable(load_data(path, separator=":"))
