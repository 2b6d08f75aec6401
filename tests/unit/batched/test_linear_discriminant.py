from itertools import product
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.datasets import load_iris, load_wine
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from tests.unit.batched.made_subsets import agreement_of as agreement
from tests.unit.batched.made_subsets import check_blocks, drawn_folds
from tests.unit.batched.made_subsets import form_of_folds as form_of

from bestofk.batched import batched_form, scatter
from bestofk.batched.linear_discriminant import lost_degrees
from bestofk.learners import learner_catalogue
from bestofk.testing import check_batched_form

PLAIN = LinearDiscriminantAnalysis()


def blobs(n_samples: int, n_columns: int, n_classes: int, seed: int = 0) -> Any:
    rng = np.random.default_rng(seed)
    y = np.arange(n_samples) % n_classes
    X = rng.normal(size=(n_samples, n_columns)) @ rng.normal(size=(n_columns, n_columns))
    return X + rng.normal(size=(n_classes, n_columns))[y], y


def test_two_normal_classes_by_hand():
    # trained on 0, 2 and 10, 12: means 1 and 11, variance 1 (or 2, if divided by n - 2)
    X = np.array([[0.0], [2.0], [10.0], [12.0], [5.9], [6.5]])
    y = np.array([0, 0, 1, 1, 0, 1])
    form = form_of(PLAIN, X, y)
    result = form.predict(np.array([[1, 1, 1, 1, 0, 0]], dtype=np.int32))
    odds = np.exp(10 * 0.5 / (1 + lost_degrees()))
    assert result.labels[0, 4:].tolist() == [0, 1]
    expected = [1 / (1 + odds), odds / (1 + odds)]
    assert result.probabilities[0, 5] == pytest.approx(expected, rel=1e-12)
    assert result.is_done.tolist() == [[True, False]]  # as many rows as classes: it raises


def test_columns_that_repeat_others_and_constants_are_dropped_as_in_the_plain_learner():
    X, y = blobs(90, 4, 3)
    X = np.column_stack([X, X[:, 0] - X[:, 1], X[:, 2], np.full(90, 3.0), y == 2])
    result = agreement(PLAIN, X, y)
    assert result.n_left == 0
    assert result.largest_difference < 1e-9


def test_more_classes_than_columns_and_means_on_one_line():
    X, y = blobs(200, 2, 5)
    assert agreement(PLAIN, X, y).largest_difference < 1e-10
    rng = np.random.default_rng(1)
    line = np.column_stack([4.0 * y, rng.normal(size=200)]) + rng.normal(size=(200, 2)) * 0.1
    assert agreement(PLAIN, line, y).largest_difference < 1e-9


def test_a_discriminant_along_which_means_hardly_differ_is_dropped():
    # the second discriminant is 1e-5 of the first: below the threshold of 1e-4 of scikit-learn
    grid = np.array(list(product([-1.0, 1.0], repeat=2)))
    means = np.array([[-1e5, 0.0], [0.0, 1.5], [1e5, 0.0]])
    X = np.repeat(means, 40, axis=0) + np.tile(grid, (30, 1))
    y = np.repeat([0, 1, 2], 40)
    result = agreement(PLAIN, X, y)
    assert result.n_left == 0
    assert result.largest_difference < 1e-9


def test_nearly_dependent_columns_are_done_by_singular_values():
    X, y = blobs(120, 3, 2)
    rng = np.random.default_rng(2)
    X = np.column_stack([X, X[:, 0] + 3e-4 * rng.normal(size=120)])
    X = np.column_stack([X, X[:, 1] + 1e-6 * rng.normal(size=120)])
    result = agreement(PLAIN, X, y)
    assert result.n_left == 0
    assert result.largest_difference < 1e-9


def test_parts_of_one_class_are_left_to_the_plain_learner():
    X, y = blobs(20, 2, 2)
    result = form_of(PLAIN, X, y).predict(y[None].astype(np.int32))
    assert result.is_done.tolist() == [[False, False]]
    assert np.isfinite(result.probabilities).all()


def test_columns_constant_within_classes_are_never_divided_by_rounding():
    X, y = blobs(80, 2, 2)
    X = np.column_stack([X, 0.1 + 0.2 * y])
    result = agreement(PLAIN, X, y)
    assert result.n_runs == 0


def test_a_repeat_is_predicted_alike_in_whatever_block(monkeypatch: pytest.MonkeyPatch):
    X, y = load_wine(return_X_y=True)
    table = pd.DataFrame(X).astype(object)
    table[3] = np.where(np.arange(len(y)) % 7 == 0, None, table[3])
    table.columns = [f"c{i}" for i in range(X.shape[1])]
    table["level"] = np.where(np.arange(len(y)) % 3, "a", "b")
    form = form_of(learner_catalogue()["lda"].make(), table, y, 5)
    folds = drawn_folds(len(y), 3, 5)
    whole = check_blocks(form, folds)
    # parts one by one
    monkeypatch.setattr(scatter, "_CACHED", 0)
    again = form.predict(folds)
    assert np.array_equal(again.probabilities, whole.probabilities)
    assert np.array_equal(again.is_done, whole.is_done)


@pytest.mark.parametrize(
    "other",
    [
        LinearDiscriminantAnalysis(solver="lsqr"),
        LinearDiscriminantAnalysis(solver="eigen", shrinkage=0.1),
        LinearDiscriminantAnalysis(priors=[0.2, 0.3, 0.5]),
        LinearDiscriminantAnalysis(n_components=1),
    ],
)
def test_other_settings_go_the_plain_way(other: Any):
    assert form_of(other, *load_iris(return_X_y=True)) is None


def test_single_precision_goes_the_plain_way():
    X, y = load_iris(return_X_y=True)
    assert form_of(PLAIN, X.astype(np.float32), y) is None
    assert form_of(make_pipeline(StandardScaler(), PLAIN), X.astype(np.float32), y) is None


def test_other_thresholds_are_honored():
    X, y = load_wine(return_X_y=True)
    check_batched_form(LinearDiscriminantAnalysis(tol=0.2), X, y, cv="2x2")
    assert form_of(LinearDiscriminantAnalysis(tol=0.0), X, y) is None


def test_wide_tables_are_not_faster():
    rng = np.random.default_rng(0)
    target = np.arange(20) % 2
    X = rng.normal(size=(20, 30))
    assert batched_form(PLAIN, X, target, target, np.array([0, 1]), 2) is None


@settings(max_examples=25, deadline=None)
@given(
    seed=st.integers(0, 10_000),
    n_columns=st.integers(1, 6),
    n_classes=st.integers(2, 4),
    n_copies=st.integers(0, 2),
)
def test_any_table_agrees(seed: int, n_columns: int, n_classes: int, n_copies: int):
    X, y = blobs(60, n_columns, n_classes, seed)
    X = np.column_stack([X, *[X[:, :1] * (i + 2) for i in range(n_copies)]])
    result = agreement(PLAIN, X, y, cv="1x3")
    assert result.n_runs == 0 or result.largest_difference < 1e-9
