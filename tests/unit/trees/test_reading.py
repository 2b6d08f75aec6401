"""Reading of tables, labels, weights and column names."""

import numpy as np
import pandas as pd
import pytest
from sklearn.tree import DecisionTreeClassifier
from sklearn.utils import check_array

from bestofk.errors import InvalidArgumentError
from bestofk.trees import C45Classifier
from bestofk.trees.attributes import Attribute, encode_column, encode_table
from bestofk.trees.reading import (
    checked_table,
    checked_weights,
    chosen_columns,
    coded_labels,
    column_number,
    ordinal_columns,
    raw_column,
)

NAMES = ["size", "color", "wind"]


def test_columns_are_chosen_by_name_number_or_mask_and_must_exist():
    assert chosen_columns("from_dtype", NAMES, "x") is None
    assert chosen_columns(None, NAMES, "x") == [False, False, False]
    assert chosen_columns([], NAMES, "x") == [False, False, False]
    assert chosen_columns(["wind", 0], NAMES, "x") == [True, False, True]
    assert chosen_columns(np.array([False, True, True]), NAMES, "x") == [False, True, True]
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


def test_labels_are_sorted_or_in_the_declared_order_and_not_too_many():
    labels = np.array(["no", "yes", "no"])
    result, codes = coded_labels(labels, None)
    assert (result.tolist(), codes.tolist()) == (["no", "yes"], [0, 1, 0])
    result, codes = coded_labels(labels, ["yes", "maybe", "no"])
    assert (result.tolist(), codes.tolist()) == (["yes", "maybe", "no"], [2, 0, 2])
    assert codes.dtype == np.int16
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


@pytest.mark.parametrize("categories", [["b", "a", "unused"], [3, 1, 2], [1, "1", "a"]])
@pytest.mark.parametrize("kind", ["nominal", "ordinal"])
def test_declared_categories_have_the_codes_of_their_texts(categories, kind):
    column = pd.Series(pd.Categorical.from_codes([1, -1, 0, 1], categories))
    attribute = Attribute("wind", kind, tuple(map(str, categories)))
    codes = raw_column(column, attribute, is_declared=True)
    assert codes.dtype == np.int32
    assert codes.tolist() == raw_column(column, attribute).tolist()


@pytest.mark.parametrize("dtype", [np.float64, np.float32, np.float16, np.int8, np.bool_])
@pytest.mark.parametrize("order", ["C", "F"])
def test_numbers_are_read_as_scikit_learn_reads_them(dtype, order):
    X = np.array([[0.0, 1.0], [2.0, 0.0], [1.0, 3.0]]).astype(dtype, order=order)
    learner = C45Classifier()
    result = checked_table(learner, X, reset=True)
    expected = check_array(X, dtype=np.float64, ensure_all_finite="allow-nan")
    assert result.dtype == expected.dtype
    np.testing.assert_array_equal(result, expected)
    assert learner.n_features_in_ == 2
    assert not hasattr(learner, "feature_names_in_")


def test_sums_beyond_all_numbers_are_no_infinite_values():
    X = np.full((3, 2), np.finfo(np.float64).max)
    assert checked_table(C45Classifier(), X, reset=True) is X
    X[1] = np.nan
    assert checked_table(C45Classifier(), X, reset=True) is X


@pytest.mark.parametrize("infinite", [[np.inf, 0.0], [np.nan, -np.inf]])
def test_infinite_numbers_are_refused_in_training_and_later(infinite):
    X, y = np.arange(8.0).reshape(4, 2), [0, 0, 1, 1]
    learner = C45Classifier().fit(X, y)
    X[2] = infinite
    with pytest.raises(ValueError, match="Input X contains infinity"):
        learner.predict(X)
    with pytest.raises(ValueError, match="Input X contains infinity"):
        C45Classifier().fit(X, y)


def test_names_of_columns_are_held_and_forgotten():
    X, y = np.arange(8.0).reshape(4, 2), [0, 0, 1, 1]
    learner = C45Classifier().fit(pd.DataFrame(X, columns=["a", "b"]), y)
    with pytest.warns(UserWarning, match="X does not have valid feature names"):
        learner.predict(X)
    learner.fit(X, y)
    assert not hasattr(learner, "feature_names_in_")
    assert learner.predict(X).tolist() == y
    with pytest.raises(ValueError, match="X has 1 features, but C45Classifier is expecting 2"):
        learner.predict(X[:, :1])


@pytest.mark.parametrize("last", [np.array([1.5, np.nan, -2.0]), pd.array([1, None, 3], "Int64")])
def test_a_frame_of_numbers_is_read_as_its_columns_are(last):
    frame = pd.DataFrame(
        {
            "whole": np.array([1, 2, 2**60 + 1]),
            "single": np.array([0.1, np.nan, 3.0], np.float32),
            "flag": [True, False, True],
            "last": last,
        }
    )
    attributes = tuple(Attribute(name, "numeric") for name in frame)
    expected = [encode_column(frame[x.name], x) for x in attributes]
    result = encode_table(frame, attributes)
    assert result.dtype == np.float64
    np.testing.assert_array_equal(result, np.column_stack(expected))


def test_names_of_a_frame_are_kept_and_checked_as_scikit_learn_does():
    X, y = pd.DataFrame({"a": [1.0, 3.0], "b": [2.0, 4.0]}), [0, 1]
    learners = C45Classifier().fit(X, y), DecisionTreeClassifier().fit(X, y)
    for learner in learners:
        assert learner.n_features_in_ == 2
        assert learner.feature_names_in_.dtype == object
        assert learner.feature_names_in_.tolist() == ["a", "b"]
        for others in (["b", "a"], ["a", "c"]):
            with pytest.raises(ValueError, match="feature names should match"):
                learner.predict(X.set_axis(others, axis=1))
        with pytest.raises(ValueError, match="feature names should match"):
            learner.predict(X[["a"]])
        with pytest.warns(UserWarning, match="does not have valid feature names"):
            learner.predict(X.to_numpy())
        with pytest.raises(TypeError, match="only supported if all input features have string"):
            learner.fit(X.set_axis(["a", 0], axis=1), y)
        learner.fit(X.set_axis([0, 1], axis=1), y)
        assert not hasattr(learner, "feature_names_in_")
