"""Nearest neighbors in any subsets: an oracle in exact numbers, ties, what is left to others."""

from collections import Counter
from fractions import Fraction
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.datasets import load_iris
from sklearn.neighbors import KNeighborsClassifier, KNeighborsRegressor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from tests.unit.batched.made_subsets import drawn_subsets, form_of, made_subsets

from bestofk.batched import BatchedPredictions
from bestofk.learners.nearest_neighbors_classifier import NearestNeighborsClassifier
from bestofk.learners.pipeline import learner_pipeline
from bestofk.testing import check_batched_form

SEEDS = st.integers(0, 2**32 - 1)
OWN, OTHER, VALUES = NearestNeighborsClassifier, KNeighborsClassifier, KNeighborsRegressor


def neighbors(squares: dict[int, int], k: int, *, is_all: bool) -> list[int]:
    """Return the rows that count: all tied with the k-th, or of these the first in the table."""
    order = sorted(squares, key=lambda row: (squares[row], row))
    kth = squares[order[k - 1]]
    return [row for row in order if squares[row] <= kth] if is_all else order[:k]


def agrees(
    found: BatchedPredictions, squares: list[list[dict[int, int]]], y: Any, k: int, learner: Any
) -> bool:
    """Return whether all predictions are those of the exact distances, to the last bit."""
    at = 0
    for of_subset in squares:
        for of_row in of_subset:
            rows = neighbors(of_row, k, is_all=learner is OWN)
            if learner is VALUES:
                if found.labels[at] != float(Fraction(int(sum(y[rows])), k)):
                    return False
            else:
                votes = Counter(y[rows].tolist())
                shares = [float(Fraction(votes[c], len(rows))) for c in range(int(max(y)) + 1)]
                best = max(votes, key=lambda c: (votes[c], -c))
                if found.probabilities[at].tolist() != shares or found.labels[at] != best:
                    return False
            at += 1
    return at == len(found.labels)


def numbered(rng: np.random.Generator, n_samples: int) -> Any:
    """Return classes 0, 1, .. that all occur."""
    y = rng.integers(0, 3, n_samples)
    return np.unique(y, return_inverse=True)[1]


@pytest.mark.parametrize("learner", [OWN, OTHER, VALUES])
@settings(max_examples=40)
@given(SEEDS)
def test_votes_and_means_are_those_of_exact_distances(learner, seed):
    rng = np.random.default_rng(seed)
    n_samples, k = int(rng.integers(4, 13)), int(rng.integers(1, 5))
    X = rng.integers(0, rng.integers(2, 5), size=(n_samples, rng.integers(1, 4))).astype(float)
    y = numbered(rng, n_samples)
    task = "regression" if learner is VALUES else "classification"
    form = form_of(learner(k), X, y.astype(float) if learner is VALUES else y, task)
    train, asked = drawn_subsets(rng, n_samples, int(rng.integers(k, n_samples + 1)), 3)
    result = form.predict_subsets(made_subsets(train, asked))
    squares = [
        [{j: int(((X[i] - X[j]) ** 2).sum()) for j in rows.tolist()} for i in here]
        for rows, here in zip(train, asked, strict=True)
    ]
    assert result.is_done is None or result.is_done.all()
    assert agrees(result, squares, y, k, learner)


@pytest.mark.parametrize("learner", [OWN, OTHER, VALUES])
@settings(max_examples=30)
@given(SEEDS)
def test_levels_count_as_columns_of_the_levels_that_a_subset_has(learner, seed):
    rng = np.random.default_rng(seed)
    n_samples, k = int(rng.integers(4, 13)), int(rng.integers(1, 4))
    X = rng.choice(list("abcd"), size=(n_samples, rng.integers(1, 4)))
    y = numbered(rng, n_samples)
    task = "regression" if learner is VALUES else "classification"
    target = y.astype(float) if learner is VALUES else y
    form = form_of(learner_pipeline(learner(k), standardize=True), pd.DataFrame(X), target, task)
    train, asked = drawn_subsets(rng, n_samples, int(rng.integers(k, n_samples + 1)), 3)

    def square(i: int, j: int, rows: Any) -> int:
        is_known = [X[i, q] in X[rows, q] for q in range(X.shape[1])]
        return sum((2 if known else 1) for q, known in enumerate(is_known) if X[i, q] != X[j, q])

    squares = [
        [{j: square(i, j, rows) for j in rows.tolist()} for i in here]
        for rows, here in zip(train, asked, strict=True)
    ]
    assert agrees(form.predict_subsets(made_subsets(train, asked)), squares, y, k, learner)


@pytest.mark.parametrize(
    ("learner", "shares"), [(OWN, [2 / 3, 1 / 3]), (OTHER, [1.0, 0.0])], ids=["all", "first"]
)
def test_of_rows_equally_far_all_vote_or_the_first_in_the_table(learner, shares):
    X = np.array([[0.0], [2.0], [2.0], [0.0], [1.0]])
    form = form_of(learner(1), X, np.array([0, 1, 0, 1, 0]))
    result = form.predict_subsets(made_subsets([[0, 1, 2]], [[4]]))
    assert result.probabilities.tolist() == [shares]


@pytest.mark.parametrize("scaler", [StandardScaler(with_std=False), StandardScaler()], ids=str)
@pytest.mark.parametrize("k", [1, 5])
def test_columns_that_are_moved_alone_keep_their_scale(scaler, k):
    X, y = load_iris(return_X_y=True)
    X = X * [1, 10, 100, 1]  # far from what they would be if they were scaled
    learner = make_pipeline(scaler, OWN(k))
    agreement = check_batched_form(learner, X, y, train_sizes=[5, 20], cv="1x3")
    assert (agreement.n_left, agreement.n_tied, agreement.largest_difference) == (0, 0, 0.0)


@pytest.mark.parametrize("learner", [OWN, OTHER, VALUES])
def test_subsets_with_fewer_rows_than_neighbors_are_left_to_the_plain_way(learner):
    X, y = load_iris(return_X_y=True)
    task = "regression" if learner is VALUES else "classification"
    form = form_of(learner(3), X, y.astype(float) if learner is VALUES else y, task)
    for n_train in (1, 2, 3):
        train = [np.arange(n_train), np.arange(60, 60 + n_train)]
        result = form.predict_subsets(made_subsets(train, [[0, 1], [2]]))
        assert result.is_done.tolist() == [n_train == 3] * 2


def test_a_subset_in_which_no_column_is_left_is_left_to_the_plain_way():
    table = pd.DataFrame({"level": ["a", None, None, "b", "a", "b", "a"]})
    form = form_of(learner_pipeline(OWN(1), standardize=True), table, np.arange(7) % 2)
    result = form.predict_subsets(made_subsets([[1, 2], [1, 3]], [[0, 3], [0, 3]]))
    assert result.is_done.tolist() == [False, True]


@pytest.mark.parametrize("make", [KNeighborsClassifier, NearestNeighborsClassifier])
def test_neighbors_may_vote_by_the_inverse_of_their_distance(make):
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(150, 3)), rng.integers(0, 3, 150)
    estimator = make(4, weights="distance")
    train, asked = np.arange(0, 150, 2), np.arange(150)
    result = form_of(estimator, X, y).predict_subsets(made_subsets([train], [asked]))
    expected = estimator.fit(X[train], y[train]).predict_proba(X)
    np.testing.assert_allclose(result.probabilities, expected, rtol=1e-12, atol=1e-15)


@pytest.mark.parametrize(
    "estimator",
    [
        KNeighborsClassifier(3, metric="manhattan"),
        KNeighborsClassifier(3, p=1),
        NearestNeighborsClassifier(65),
        NearestNeighborsClassifier(True),
    ],
    ids=str,
)
def test_other_distances_and_votes_go_the_plain_way(estimator):
    assert form_of(estimator, *load_iris(return_X_y=True)) is None


def test_large_tables_go_the_plain_way():
    X, y = np.zeros((3001, 1)), np.arange(3001) % 2
    assert form_of(OWN(1), X, y) is None
    assert form_of(OWN(1), X[:300], y[:300]) is not None


@pytest.mark.parametrize("learner", [OWN, OTHER])
@pytest.mark.parametrize("tile", [1, 7])
def test_blocks_of_rows_change_nothing(learner, tile, monkeypatch):
    X, y = load_iris(return_X_y=True)
    form = form_of(learner(4), X.round(), y)
    subsets = made_subsets([np.arange(0, 150, 2)], [np.arange(150)])
    expected = form.predict_subsets(subsets)
    monkeypatch.setattr("bestofk.learners.nearest_neighbors_classifier._TILE", tile)
    form = form_of(learner(4), X.round(), y)
    result = form.predict_subsets(subsets)
    np.testing.assert_array_equal(result.probabilities, expected.probabilities)
