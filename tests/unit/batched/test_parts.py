"""Prepared parts, compared with the output of a pipeline fitted to each of them."""

import warnings
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.base import clone
from sklearn.compose import ColumnTransformer, make_column_selector, make_column_transformer
from sklearn.impute import SimpleImputer
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import MinMaxScaler, OneHotEncoder, StandardScaler
from tests.given import data_folder
from tests.unit.batched.made_subsets import drawn_folds as folds_of

from bestofk.batched.parts import Parts
from bestofk.batched.preparation import read_preparation
from bestofk.batched.shared_table import SharedTable
from bestofk.data import load_data
from bestofk.learners.preparation import TablePreparer

N_ROWS = 41
LEVELS = OneHotEncoder(handle_unknown="ignore", sparse_output=False)


def table_of(front: Any, features: Any) -> SharedTable | None:
    steps = [step for _, step in front.steps] if isinstance(front, Pipeline) else [front]
    preparation = read_preparation(steps, features)
    if preparation is None:
        return None
    y = np.arange(len(features)) % 2
    return SharedTable(features, y, y, np.arange(2), preparation)


def rows_of(features: Any, rows: Any) -> Any:
    return features.iloc[rows] if hasattr(features, "iloc") else features[rows]


def largest_difference(front: Any, features: Any, n_folds: int = 4, seed: int = 0) -> float:
    """Return how far parts are off, in units of each column's largest value."""
    table = table_of(front, features)
    assert table is not None
    assert table.is_faithful
    folds = folds_of(len(features), 2, n_folds, seed)
    parts = table.parts(folds, n_folds)
    worst = 0.0
    for repeat, fold in np.ndindex(2, n_folds):
        rows = np.flatnonzero(folds[repeat] != fold)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            fitted = clone(front).fit(rows_of(features, rows))
            expected = np.asarray(fitted.transform(features), dtype=float)
        result = parts.matrix(repeat, fold)
        assert result.shape == expected.shape
        unit = np.maximum(1.0, np.abs(expected).max(axis=0, initial=0.0))
        worst = max(worst, float((np.abs(result - expected) / unit).max(initial=0.0)))
    return worst


def numbers() -> Any:
    rng = np.random.default_rng(1)
    matrix = rng.normal(size=(N_ROWS, 7)) * [1, 1e-9, 1e6, 1, 1, 1, 1] + [0, 0, 5, 100, 0, 0, 0]
    matrix[:, 4] = 0.1  # constant
    matrix[:, 5] = 0.0
    matrix[3, 5] = 7.0  # constant in the parts without row 3
    matrix[:, 6] = np.round(matrix[:, 6])
    return matrix


def gapped() -> Any:
    matrix = numbers()
    matrix[np.random.default_rng(2).random(matrix.shape) < 0.2] = np.nan
    return matrix


def mixed() -> pd.DataFrame:
    rng = np.random.default_rng(3)
    frame = pd.DataFrame(numbers(), columns=list("abcdefg"))
    frame["color"] = rng.choice(["red", "blue", "green"], N_ROWS)
    frame.loc[5, "color"] = "violet"  # in one fold alone
    frame["size"] = pd.Categorical(rng.choice(["s", "m", "l"], N_ROWS), ["unused", "s", "m", "l"])
    frame["count"] = rng.integers(0, 4, N_ROWS)
    return frame


def mixed_gapped() -> pd.DataFrame:
    frame = mixed()
    rng = np.random.default_rng(4)
    for name in ["a", "d", "color", "size"]:
        frame[name] = frame[name].mask(rng.random(N_ROWS) < 0.25)
    return frame


SCALERS = [
    StandardScaler(),
    StandardScaler(with_mean=False),
    StandardScaler(with_std=False),
    StandardScaler(with_mean=False, with_std=False),
    MinMaxScaler(),
]
IMPUTERS = [
    SimpleImputer(),
    SimpleImputer(strategy="median"),
    SimpleImputer(strategy="most_frequent"),
    SimpleImputer(strategy="constant", fill_value=-3.5),
    SimpleImputer(strategy="constant"),
]


@pytest.mark.parametrize("scaler", SCALERS, ids=str)
@pytest.mark.parametrize("features", [numbers(), pd.DataFrame(numbers())], ids=["array", "frame"])
def test_parts_are_scaled_as_scaler_scales_them(scaler, features):
    assert largest_difference(scaler, features) < 1e-12


@pytest.mark.parametrize("imputer", IMPUTERS, ids=str)
@pytest.mark.parametrize("scaler", ["passthrough", *SCALERS], ids=str)
def test_parts_are_filled_as_the_imputer_fills_them(imputer, scaler):
    features = np.delete(gapped(), 1, axis=1)  # a constant fill would drown its values
    assert largest_difference(make_pipeline(imputer, scaler), features) < 1e-12


@pytest.mark.parametrize("standardize", [False, True])
@pytest.mark.parametrize("scaler", [None, StandardScaler(), MinMaxScaler()], ids=str)
@pytest.mark.parametrize("features", [mixed(), mixed_gapped(), numbers(), gapped()])
def test_parts_of_tables_are_as_the_preparer_makes_them(standardize, scaler, features):
    if standardize and scaler is not None:
        scaler = None
    front = make_pipeline(TablePreparer(standardize=standardize), scaler)
    assert largest_difference(front, features) < 1e-12


@pytest.mark.parametrize(
    "front",
    [
        make_column_transformer(
            (StandardScaler(), make_column_selector(dtype_include="number")),
            (LEVELS, ["color", "size"]),
        ),
        make_column_transformer(
            (OneHotEncoder(handle_unknown="ignore"), ["size", "color", "count"]),
            remainder="passthrough",
        ),
        make_pipeline(
            make_column_transformer((LEVELS, [-3, 8]), remainder="passthrough"), StandardScaler()
        ),
        ColumnTransformer(
            [
                ("numbers", make_pipeline(SimpleImputer(), StandardScaler()), ["a", "b"]),
                ("kept", "passthrough", slice(2, 4)),
                ("left", "drop", ["e"]),
                ("none", StandardScaler(), []),
                ("texts", make_pipeline(SimpleImputer(strategy="most_frequent"), LEVELS), ["size"]),
            ]
        ),
    ],
    ids=["selector", "sparse made dense", "scaled levels", "pipelines"],
)
def test_parts_are_as_the_column_transformer_makes_them(front):
    assert largest_difference(front, mixed()) < 1e-12


@pytest.mark.parametrize("strategy", ["most_frequent", "constant"])
def test_missing_texts_are_filled_as_the_imputer_fills_them(strategy):
    texts = make_pipeline(SimpleImputer(strategy=strategy), LEVELS, StandardScaler())
    front = make_column_transformer(
        (make_pipeline(SimpleImputer(strategy="median"), MinMaxScaler()), ["a", "d"]),
        (texts, ["color", "size"]),
    )
    assert largest_difference(front, mixed_gapped()) < 1e-12


def test_levels_that_tie_for_the_most_frequent_are_filled_by_the_first_of_the_alphabet():
    features = np.array([["b"], ["a"], [None], ["a"], ["b"], [None]], dtype=object)
    table = table_of(TablePreparer(), features)
    folds = np.array([[0, 0, 0, 1, 1, 1]], dtype=np.int32)
    assert table.parts(folds, 2).fill.tolist() == [[[[1, 0]] * 2][0]]


def test_a_column_without_values_in_a_part_becomes_zero():
    features = np.array([[10.0, 1], [12, 2], [np.nan, 3], [np.nan, 5]])
    folds = np.array([[0, 0, 1, 1]], dtype=np.int32)
    for standardize in [False, True]:
        parts = table_of(TablePreparer(standardize=standardize), features).parts(folds, 2)
        np.testing.assert_allclose(parts.matrix(0, 0)[:, 0], [10, 12, 0, 0], rtol=1e-15)


def test_nothing_is_missing_scaled_or_left_out_of_plain_numbers():
    parts = table_of(TablePreparer(), numbers()).parts(folds_of(N_ROWS, 1, 3), 3)
    assert parts.fill is parts.scaling is parts.is_active is None


def test_counts_of_rows_and_classes_leave_the_fold_out():
    table = table_of(TablePreparer(), np.arange(5.0)[:, None])
    parts = table.parts(np.array([[0, 1, 1, 0, 1], [2, 0, 1, 1, 1]], dtype=np.int32), 3)
    assert parts.n_train.tolist() == [[3, 2, 5], [4, 2, 4]]
    assert parts.class_counts.tolist() == [[[2, 1], [1, 1], [3, 2]], [[3, 1], [1, 1], [2, 2]]]


@pytest.mark.parametrize(
    ("front", "features"),
    [
        (TablePreparer(standardize=True), mixed_gapped()),
        (make_pipeline(SimpleImputer(strategy="median"), MinMaxScaler()), gapped()),
    ],
)
def test_a_repeat_has_the_same_bits_whatever_block_it_is_in(front, features):
    table, folds = table_of(front, features), folds_of(N_ROWS, 3, 5)
    together = table.parts(folds, 5)
    for repeat in range(3):
        alone = table.parts(folds[[repeat]], 5)
        for name in ["fill", "n_train", "class_counts"]:
            assert np.array_equal(getattr(together, name)[repeat], getattr(alone, name)[0]), name
        for several, one in zip(together.scaling, alone.scaling, strict=True):
            assert np.array_equal(several[repeat], one[0])
        for fold in range(5):
            assert np.array_equal(together.matrix(repeat, fold), alone.matrix(0, fold))


@pytest.mark.parametrize("outlier", [1e4, 1e8])
def test_a_part_without_the_outlier_of_a_column_keeps_its_digits(outlier):
    features = np.random.default_rng(5).normal(size=(N_ROWS, 2)) + 3
    features[7, 0] = outlier
    table = table_of(StandardScaler(), features)
    assert table.is_faithful == (outlier < 1e6)
    if table.is_faithful:
        assert largest_difference(StandardScaler(), features) < 1e-10


@pytest.mark.parametrize("size", [2, 3])
def test_parts_of_one_and_two_rows_are_scaled(size):
    features = np.array([[0.5, 1e-3], [0.25, 1e-3], [0.125, 5.0]])[:size]
    assert largest_difference(StandardScaler(), features, n_folds=size) < 1e-14


CELLS = st.one_of(
    st.sampled_from([0.0, 1.0, -1.0, 0.1, np.nan, 1e3]),
    st.floats(-1e3, 1e3, allow_subnormal=False).map(lambda value: round(value, 3)),
)


@settings(deadline=None, max_examples=25)
@given(
    cells=st.lists(st.lists(CELLS, min_size=3, max_size=3), min_size=6, max_size=20),
    strategy=st.sampled_from(["mean", "median", "most_frequent"]),
    scaler=st.sampled_from(SCALERS),
    seed=st.integers(0, 5),
)
def test_parts_of_any_numbers_are_those_of_the_pipeline(cells, strategy, scaler, seed):
    imputer = SimpleImputer(strategy=strategy, keep_empty_features=True)
    features, front = np.array(cells), make_pipeline(imputer, scaler)
    if table_of(front, features).is_faithful:
        assert largest_difference(front, features, 3, seed) < 1e-10


@pytest.mark.parametrize("name", ["horse-colic", "labor", "zoo", "credit-a", "glass", "ionosphere"])
@pytest.mark.parametrize("standardize", [False, True])
def test_parts_of_real_tables_are_those_of_the_pipeline(name, standardize):
    data = load_data(data_folder() / "uci" / f"{name}.arff")
    assert largest_difference(TablePreparer(standardize=standardize), data.features) < 1e-12


def test_parts_are_computed_when_asked_for():
    parts = table_of(TablePreparer(standardize=True), gapped()).parts(folds_of(N_ROWS, 1, 2), 2)
    assert isinstance(parts, Parts)
    assert not {"fill", "is_active", "class_counts", "n_train"} & set(vars(parts))


@pytest.mark.parametrize(
    "scaler", [StandardScaler(), StandardScaler(with_std=False), MinMaxScaler()], ids=str
)
def test_columns_are_constant_in_parts_where_all_their_values_are_the_same(scaler):
    # whole numbers, so that deviations are 1 in some parts: columns keep their unit there too
    matrix = np.random.default_rng(0).integers(0, 3, (9, 6)).astype(float)
    matrix[:, 0], matrix[1:, 1] = 2.0, 1.0
    matrix[:, 2] = np.tile([0.0, 2.0, 1.0], 3)
    table, folds = table_of(scaler, matrix), folds_of(9, 8, 3)
    assert table is not None
    parts = table.parts(folds, 3)
    assert parts.scaling is not None
    for repeat, fold in np.ndindex(8, 3):
        expected = np.ptp(matrix[folds[repeat] != fold], axis=0) == 0
        np.testing.assert_array_equal(parts.scaling.is_constant[repeat, fold], expected)
    assert table_of(LEVELS, matrix).parts(folds, 3).scaling is None
