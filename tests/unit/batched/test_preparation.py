"""Preparations that batched forms support, and those left to plain fits."""

from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.compose import ColumnTransformer, make_column_transformer
from sklearn.decomposition import PCA
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import FunctionTransformer, MinMaxScaler, OneHotEncoder, StandardScaler

from bestofk.batched.preparation import ColumnSteps, read_preparation, split_pipeline
from bestofk.learners import learner_catalogue
from bestofk.learners.preparation import TablePreparer

NUMBERS = np.arange(12.0).reshape(6, 2)
GAPPED = np.where(NUMBERS == 4, np.nan, NUMBERS)
TEXTS = pd.DataFrame({"x": range(6), "t": list("aabbcc"), "u": ["a", None, "b", "a", "b", "a"]})
LEVELS = OneHotEncoder(handle_unknown="ignore", sparse_output=False)


class OwnScaler(StandardScaler):
    """Scaler with unknown behavior."""


def test_a_pipeline_is_split_before_its_learner_and_steps_that_do_nothing_are_left_out():
    learner, scaler = LogisticRegression(), StandardScaler()
    steps = [("a", "passthrough"), ("b", scaler), ("c", None), ("d", learner)]
    assert split_pipeline(Pipeline(steps)) == ([scaler], learner)
    assert split_pipeline(learner) == ([], learner)
    front, last = split_pipeline(learner_catalogue()["logistic"].make())
    assert [type(step) for step in front] == [TablePreparer]
    assert type(last) is LogisticRegression


def test_columns_with_the_same_steps_are_named_together():
    preparation = read_preparation([TablePreparer(standardize=True)], TEXTS)
    assert preparation == (
        ColumnSteps((0,), fill="mean", scale="standard"),
        ColumnSteps((1, 2), is_nominal=True, fill="most_frequent"),
    )
    assert read_preparation([SimpleImputer(strategy="median"), MinMaxScaler()], GAPPED) == (
        ColumnSteps((0,), fill="median", scale="range"),
        ColumnSteps((1,), scale="range"),
    )


@pytest.mark.parametrize(
    ("settings", "scale"),
    [
        ({}, "standard"),
        ({"with_std": False}, "center"),
        ({"with_mean": False}, "deviation"),
        ({"with_mean": False, "with_std": False}, None),
    ],
)
def test_what_a_standard_scaler_does_is_named(settings, scale):
    assert read_preparation([StandardScaler(**settings)], NUMBERS) == (
        ColumnSteps((0, 1), scale=scale),
    )


def test_columns_come_in_the_order_of_the_transformers_with_the_rest_last():
    front = make_column_transformer((LEVELS, ["t"]), (MinMaxScaler(), []), remainder="passthrough")
    preparation = read_preparation([front], TEXTS[["x", "t"]])
    assert preparation == (ColumnSteps((1,), is_nominal=True), ColumnSteps((0,)))


def test_a_frame_of_polars_is_read_where_the_preparer_reads_it():
    frame = pl.DataFrame({"x": [1.0, 2], "t": ["a", "b"]})
    assert [item.is_nominal for item in read_preparation([TablePreparer()], frame)] == [False, True]
    assert read_preparation([LEVELS], frame[["t"]]) is None


@pytest.mark.parametrize(
    ("step", "features"),
    [
        (PCA(), NUMBERS),
        (FunctionTransformer(), NUMBERS),
        (OwnScaler(), NUMBERS),
        (MinMaxScaler(feature_range=(-1, 1)), NUMBERS),
        (MinMaxScaler(clip=True), NUMBERS),
        (StandardScaler().set_output(transform="pandas"), NUMBERS),
        (make_pipeline(StandardScaler(), StandardScaler()), NUMBERS),
        (make_pipeline(StandardScaler(), TablePreparer()), NUMBERS),
        (SimpleImputer(add_indicator=True), GAPPED),
        (SimpleImputer(missing_values=0), GAPPED),
        (SimpleImputer(strategy="constant", fill_value=np.inf), GAPPED),
        (SimpleImputer(strategy=np.ptp), GAPPED),
        (make_pipeline(StandardScaler(), SimpleImputer()), GAPPED),
        (LEVELS, GAPPED),
        (make_pipeline(SimpleImputer(), LEVELS), GAPPED),
        (OneHotEncoder(sparse_output=False), NUMBERS),
        (OneHotEncoder(handle_unknown="ignore"), NUMBERS),
        (OneHotEncoder(handle_unknown="ignore", sparse_output=False, drop="first"), NUMBERS),
        (OneHotEncoder(handle_unknown="ignore", sparse_output=False, min_frequency=2), NUMBERS),
        (OneHotEncoder(handle_unknown="ignore", sparse_output=False, dtype=np.float32), NUMBERS),
        (make_column_transformer((LEVELS, ["t"]), remainder="passthrough"), TEXTS),
        (make_column_transformer((LEVELS, ["t", "u"])), TEXTS),
        (make_column_transformer((StandardScaler(), lambda frame: ["x"])), TEXTS),
        (make_column_transformer((StandardScaler(), "x")), TEXTS),
        (make_column_transformer((StandardScaler(), ["missing name"])), TEXTS),
        (make_column_transformer((LEVELS, ["x"]), (StandardScaler(), ["x"])), TEXTS),
        (ColumnTransformer([("a", "passthrough", ["x"])], transformer_weights={"a": 2}), TEXTS),
        (make_column_transformer(("drop", ["x", "t", "u"])), TEXTS),
    ],
)
def test_what_would_not_be_reproduced_is_left_to_the_plain_way(step, features):
    front = [item for _, item in step.steps] if isinstance(step, Pipeline) else [step]
    assert read_preparation(front, features) is None


@pytest.mark.parametrize(
    ("step", "features"),
    [
        (StandardScaler(), GAPPED),  # the learner would meet what is missing
        (StandardScaler(), NUMBERS.astype(np.float32)),  # computed in floats of four bytes
        (StandardScaler(), TEXTS),
        (SimpleImputer(), NUMBERS > 3),  # refused by scikit-learn
        (SimpleImputer(), TEXTS),
        (SimpleImputer(strategy="most_frequent"), TEXTS),
        (TablePreparer(), np.array([["a", 1j]], dtype=object)),
        (LEVELS, np.array([["a"], [3]], dtype=object)),
        (LEVELS, pd.DataFrame({"x": pd.array([1, 2, None], dtype="Int64")})),
        # of the many missing values a part may have nothing else
        (SimpleImputer(), np.array([[1.0, np.nan], [2, np.nan], [3, 1]])),
        (TablePreparer(), np.array([["a", "b"], ["b", None], ["c", None]], dtype=object)),
    ],
)
def test_a_table_that_the_steps_do_not_turn_into_numbers_is_left_to_the_plain_way(step, features):
    assert read_preparation([step], features) is None


def test_levels_are_shared_where_the_column_transformer_puts_out_a_dense_matrix():
    def read(threshold: float) -> Any:
        encoder = OneHotEncoder(handle_unknown="ignore")
        front = make_column_transformer((encoder, ["t"]), sparse_threshold=threshold)
        return read_preparation([front], TEXTS)

    # a third of the cells is 1
    assert read(1 / 3) == (ColumnSteps((1,), is_nominal=True),)
    assert read(0.34) is None


def test_missing_texts_must_be_what_the_imputer_takes_for_missing():
    frame = TEXTS[["u"]].astype(object)
    imputer = SimpleImputer(strategy="most_frequent", missing_values=None)
    nans = frame.where(frame.notna(), np.nan)
    nones = frame.where(frame.notna(), None)
    assert read_preparation([imputer, LEVELS], nans) is None
    assert read_preparation([imputer, LEVELS], nones) == (
        ColumnSteps((0,), is_nominal=True, fill="most_frequent"),
    )
