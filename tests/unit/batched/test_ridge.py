from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.datasets import load_breast_cancer, load_diabetes, load_iris, load_wine
from sklearn.linear_model import Ridge, RidgeClassifier
from tests.unit.batched.made_subsets import agreement_of as agreement
from tests.unit.batched.made_subsets import form_of_folds as class_form

from bestofk.batched import BatchedForm, batched_form


def regression_form(estimator: Any, X: Any, y: Any, n_folds: int = 2) -> BatchedForm | None:
    values = np.asarray(y, dtype=float)
    return batched_form(estimator, X, values, values, np.empty(0), n_folds, even_if_slower=True)


def mixed_table() -> tuple[pd.DataFrame, np.ndarray]:
    X, y = load_diabetes(return_X_y=True)
    rng = np.random.default_rng(0)
    table = pd.DataFrame(100 * X + 5, columns=[f"c{i}" for i in range(X.shape[1])])
    table.loc[rng.random(len(y)) < 0.1, "c3"] = np.nan
    table["level"] = rng.choice(["a", "b", "c", None], len(y))
    table["rare"] = np.where(np.arange(len(y)) == 5, "x", "y")
    return table, y


def test_one_column_by_hand():
    # trained on (0, 1), (2, 5): slope 4 / (2 + alpha) around the mean (1, 3)
    X, y = np.array([[0.0], [2.0], [4.0], [7.0]]), np.array([1.0, 5.0, 0.0, 2.0])
    form = regression_form(Ridge(alpha=2.0), X, y)
    result = form.predict(np.array([[1, 1, 0, 0]], dtype=np.int32))
    assert result.labels[0, 2:] == pytest.approx([3 + 3 * 1.0, 3 + 6 * 1.0], rel=1e-12)
    assert result.is_done.all()


@pytest.mark.parametrize("load", [load_iris, load_wine, load_breast_cancer])
def test_decisions_of_the_classifier_are_those_of_scikit_learn(load: Any):
    result = agreement(RidgeClassifier(), *load(return_X_y=True))
    assert result.n_left == 0
    assert result.largest_difference < 1e-10


def test_parts_of_two_of_three_classes_are_left_to_the_plain_learner():
    X, y = load_iris(return_X_y=True)
    folds = (y == 2).astype(np.int32)[None]
    result = class_form(RidgeClassifier(), X, y).predict(folds)
    assert result.is_done.tolist() == [[False, False]]


def test_parts_that_rounding_would_decide_are_left_to_the_plain_learner():
    X, y = load_diabetes(return_X_y=True)
    X = np.column_stack([X, X[:, 0]])
    folds = (np.arange(len(y)) % 2).astype(np.int32)[None]
    assert not regression_form(Ridge(alpha=1e-14), X, y).predict(folds).is_done.any()
    assert regression_form(Ridge(alpha=1e-3), X, y).predict(folds).is_done.all()


@pytest.mark.parametrize(
    "other",
    [
        Ridge(fit_intercept=False),
        Ridge(alpha=0.0),
        Ridge(positive=True, solver="lbfgs"),
        Ridge(solver="svd"),
        Ridge(alpha=[1.0]),
    ],
)
def test_other_settings_go_the_plain_way(other: Any):
    assert regression_form(other, *load_diabetes(return_X_y=True)) is None


def test_weights_of_classes_and_single_precision_go_the_plain_way():
    X, y = load_iris(return_X_y=True)
    assert class_form(RidgeClassifier(class_weight="balanced"), X, y) is None
    assert class_form(RidgeClassifier(), X.astype(np.float32), y) is None
    assert class_form(RidgeClassifier(), X, y) is not None


def test_texts_without_preparation_go_the_plain_way():
    table, y = mixed_table()
    assert regression_form(Ridge(), table, y) is None


@settings(max_examples=25, deadline=None)
@given(seed=st.integers(0, 10_000), n_columns=st.integers(1, 8), exponent=st.integers(-3, 3))
def test_any_table_agrees(seed: int, n_columns: int, exponent: int):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(40, n_columns)) * 10.0 ** rng.integers(-2, 3, n_columns) + 3
    y = X @ rng.normal(size=n_columns) + rng.normal(size=40)
    result = agreement(Ridge(alpha=10.0**exponent), X, y, "1x3")
    assert result.n_runs == 0 or result.largest_difference < 1e-8 * np.abs(y).max()
