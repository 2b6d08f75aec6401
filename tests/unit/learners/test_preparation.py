import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy import sparse
from sklearn import config_context
from sklearn.datasets import load_breast_cancer
from sklearn.exceptions import NotFittedError
from sklearn.impute import SimpleImputer
from sklearn.preprocessing import OneHotEncoder, StandardScaler

from bestofk.learners import TablePreparer

TABLE = pd.DataFrame(
    {
        "size": [1.0, np.nan, 3.0, 8.0],
        "color": ["red", "blue", None, "red"],
        "flag": [True, False, True, True],
        "shape": pd.Categorical([None, "round", "flat", "flat"], ["round", "flat", "oval"]),
    }
)
# size (missing: mean 4), flag, color_blue, color_red (missing: red), shape_flat (missing: flat),
# shape_round (and none of oval, which does not occur)
PREPARED = [
    [1, 1, 0, 1, 1, 0],
    [4, 0, 1, 0, 0, 1],
    [3, 1, 0, 1, 1, 0],
    [8, 1, 0, 1, 1, 0],
]
NAMES = ["size", "flag", "color_blue", "color_red", "shape_flat", "shape_round"]


def test_numbers_come_first_then_levels_in_alphabetical_order():
    preparer = TablePreparer()
    prepared = preparer.fit_transform(TABLE)
    assert prepared.dtype == np.float64
    np.testing.assert_array_equal(prepared, PREPARED)
    assert list(preparer.get_feature_names_out()) == NAMES
    assert preparer.roles_ == ("numeric", "nominal", "numeric", "nominal")


def test_fit_and_transform_give_what_fit_transform_gives():
    np.testing.assert_array_equal(TablePreparer().fit(TABLE).transform(TABLE), PREPARED)


def test_object_array_and_polars_give_the_same_as_pandas():
    array = TABLE.astype(object).to_numpy()
    columns = {"size": [1.0, None, 3.0, 8.0], "color": ["red", "blue", None, "red"]}
    columns |= {"flag": TABLE["flag"].tolist(), "shape": [None, "round", "flat", "flat"]}
    frame = pl.DataFrame(columns, schema_overrides={"shape": pl.Categorical})
    np.testing.assert_array_equal(TablePreparer().fit_transform(array), PREPARED)
    np.testing.assert_array_equal(TablePreparer().fit_transform(array.tolist()), PREPARED)
    np.testing.assert_array_equal(TablePreparer().fit_transform(frame), PREPARED)


def test_prepared_from_frame_and_array_have_the_same_bits():
    X = load_breast_cancer().data
    arrays = [
        TablePreparer(standardize=True).fit_transform(x)
        for x in (X, np.asfortranarray(X), pd.DataFrame(X), pl.DataFrame(X))
    ]
    for other in arrays[1:]:
        np.testing.assert_array_equal(arrays[0], other)


def test_numbers_are_filled_by_the_mean_and_then_standardized():
    train, later = np.array([[1.0], [np.nan], [4.0], [7.0]]), np.array([[np.nan], [7.0]])
    np.testing.assert_array_equal(TablePreparer().fit(train).transform(later), [[4], [7]])
    # 1, 4, 4, 7 have mean 4 and standard deviation sqrt(18 / 4)
    standardized = TablePreparer(standardize=True).fit(train).transform(later)
    np.testing.assert_allclose(standardized, [[0], [np.sqrt(2)]])


def test_missing_values_that_come_first_after_training_are_filled():
    preparer = TablePreparer().fit(pd.DataFrame({"a": [1.0, 3.0], "b": ["y", "x"]}))
    later = pd.DataFrame({"a": [np.nan], "b": pd.Series([None], dtype="string")})
    np.testing.assert_array_equal(preparer.transform(later), [[2, 1, 0]])


def test_parts_are_those_of_scikit_learn_for_the_roles_that_occur():
    parts = TablePreparer(standardize=True).fit(TABLE).parts_
    kinds = {role: [type(step) for step in steps] for role, steps in parts.items()}
    assert kinds == {
        "numeric": [SimpleImputer, StandardScaler],
        "nominal": [SimpleImputer, OneHotEncoder],
    }
    np.testing.assert_array_equal(parts["numeric"][0].statistics_, [4, 0.75])
    assert list(TablePreparer().fit(TABLE[["size"]]).parts_) == ["numeric"]
    assert list(TablePreparer().fit(TABLE[["color"]]).parts_) == ["nominal"]


def test_global_output_of_frames_does_not_reach_the_parts():
    with config_context(transform_output="pandas"):
        frame = TablePreparer().fit_transform(TABLE)
    assert list(frame.columns) == NAMES
    np.testing.assert_array_equal(frame, PREPARED)


def test_only_numeric_columns_are_standardized():
    prepared = TablePreparer(standardize=True).fit_transform(TABLE)
    np.testing.assert_array_equal(prepared[:, 2:], np.array(PREPARED)[:, 2:])
    np.testing.assert_allclose(prepared[:, 1], np.array([1, -3, 1, 1]) / np.sqrt(3))


@pytest.mark.parametrize("value", [0.0, 0.1, -1e9, 1e-300])
def test_constant_column_is_centered_only(value):
    preparer = TablePreparer(standardize=True).fit(np.full((7, 1), value))
    prepared = preparer.transform([[value], [value + 5], [np.nan]])
    np.testing.assert_allclose(prepared, [[0], [5], [0]], atol=1e-15)


def test_column_without_any_number_becomes_zero():
    X = np.array([[np.nan, 1.0], [np.nan, 3.0]])
    np.testing.assert_array_equal(TablePreparer().fit_transform(X), [[0, 1], [0, 3]])
    standardized = TablePreparer(standardize=True).fit_transform(X)
    np.testing.assert_array_equal(standardized, [[0, -1], [0, 1]])


def test_column_without_any_level_gets_no_output_column():
    table = pd.DataFrame({"a": [1.0, 2.0], "b": pd.Series([None, None], dtype="string")})
    preparer = TablePreparer().fit(table)
    np.testing.assert_array_equal(preparer.transform(table), [[1], [2]])
    later = pd.DataFrame({"a": [3.0], "b": pd.Series(["x"], dtype="string")})
    np.testing.assert_array_equal(preparer.transform(later), [[3]])
    assert preparer.roles_ == ("numeric", "empty")
    assert list(preparer.get_feature_names_out()) == ["a"]
    assert TablePreparer().fit_transform(table[["b"]]).shape == (2, 0)


def test_level_never_seen_is_zero_everywhere():
    preparer = TablePreparer().fit(pd.DataFrame({"c": ["a", "b"]}))
    later = pd.DataFrame({"c": ["z", "b", None]})
    np.testing.assert_array_equal(preparer.transform(later), [[0, 0], [0, 1], [1, 0]])


def test_most_frequent_level_replaces_missing_ones_and_ties_go_by_alphabet():
    frequent = TablePreparer().fit_transform(pd.DataFrame({"c": ["b", "b", "a", None]}))
    tied = TablePreparer().fit_transform(pd.DataFrame({"c": ["b", "a", None]}))
    np.testing.assert_array_equal(frequent[-1], [0, 1])
    np.testing.assert_array_equal(tied[-1], [1, 0])


def test_roles_hold_later_even_where_values_look_otherwise():
    table = np.array([[1, "a"], [2, "b"]], dtype=object)
    preparer = TablePreparer().fit(table)
    missing = np.array([[None, None]], dtype=object)
    np.testing.assert_array_equal(preparer.transform(missing), [[1.5, 1, 0]])
    np.testing.assert_array_equal(preparer.transform([[3.0, 7.0]]), [[3, 0, 0]])


def test_numbers_as_objects_are_numbers():
    X = np.array([[1, 2.5], [None, True]], dtype=object)
    np.testing.assert_array_equal(TablePreparer().fit_transform(X), [[1, 2.5], [1, 1]])


@pytest.mark.parametrize("standardize", [False, True])
def test_input_is_neither_changed_nor_handed_back(standardize):
    X = np.array([[1.0, 2.0], [3.0, np.nan]])
    before = X.copy()
    prepared = TablePreparer(standardize=standardize).fit_transform(X)
    prepared[:] = 9
    np.testing.assert_array_equal(X, before)
    complete = before[:1].copy()
    TablePreparer(standardize=standardize).fit(complete).transform(complete)[:] = 9
    np.testing.assert_array_equal(complete, before[:1])


def test_names_of_output_columns_without_names_of_input_columns():
    preparer = TablePreparer().fit(np.array([[1, "a"]], dtype=object))
    assert list(preparer.get_feature_names_out()) == ["x0", "x1_a"]
    assert list(preparer.get_feature_names_out(["u", "v"])) == ["u", "v_a"]


def test_frames_can_come_out_by_set_output():
    frame = TablePreparer().set_output(transform="pandas").fit_transform(TABLE)
    assert list(frame.columns) == NAMES


@pytest.mark.parametrize(
    ("X", "message"),
    [
        (np.ones(3), "Expected 2D array, got 1D array"),
        (np.ones((3, 1)) * 1j, "Complex data not supported"),
        (np.array([[np.inf], [1.0]]), "infinity"),
        (pd.DataFrame({"a": [np.inf, 1.0], "b": ["x", "y"]}), "infinity"),
        (np.ones((0, 2)), "minimum of 1 is required"),
        (pd.DataFrame({"a": []}), r"at least 1 row and 1 column; got shape \(0, 1\)"),
        (pd.DataFrame(index=[1, 2]), r"at least 1 row and 1 column; got shape \(2, 0\)"),
    ],
)
def test_bad_table_is_refused(X, message):
    with pytest.raises(ValueError, match=message):
        TablePreparer().fit(X)


def test_sparse_table_is_refused():
    with pytest.raises(TypeError, match=r"[Ss]parse data was passed"):
        TablePreparer().fit(sparse.eye(3, format="csr"))


def test_table_with_other_columns_is_refused_later():
    with pytest.raises(ValueError, match="X has 1 features, but TablePreparer is expecting 4"):
        TablePreparer().fit(TABLE.to_numpy()).transform(np.ones((2, 1)))
    with pytest.raises(ValueError, match="feature names should match"):
        TablePreparer().fit(TABLE).transform(TABLE[["color", "size", "flag", "shape"]])


def test_nothing_is_transformed_before_fit():
    with pytest.raises(NotFittedError, match="not fitted yet"):
        TablePreparer().transform(TABLE)
