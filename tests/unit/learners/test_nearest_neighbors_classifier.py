import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.datasets import load_digits, load_iris, load_wine
from sklearn.neighbors import KNeighborsClassifier

from bestofk.errors import InvalidArgumentError
from bestofk.learners.nearest_neighbors_classifier import NearestNeighborsClassifier


def naive_shares(X, y, tested, k):
    classes = np.unique(y)
    shares = []
    for row in tested:
        squares = ((X - row) ** 2).sum(axis=1)
        is_near = squares <= np.sort(squares)[k - 1] * (1 + 1e-10)
        votes = np.array([(y[is_near] == label).sum() for label in classes])
        shares.append(votes / votes.sum())
    return np.array(shares)


def grid_in(n_columns):
    rng = np.random.default_rng(n_columns)
    return rng.integers(0, 3, (70, n_columns)).astype(float), rng.integers(0, 3, 70)


def test_all_rows_as_far_as_the_kth_have_a_vote():
    # from 1: distances 1, 1, 1, 8; the second nearest is tied with two others
    learner = NearestNeighborsClassifier(2).fit([[0], [2], [2], [9]], ["a", "b", "b", "a"])
    np.testing.assert_allclose(learner.predict_proba([[1]]), [[1 / 3, 2 / 3]], rtol=1e-15)
    assert learner.predict([[1]]) == ["b"]


def test_tie_of_votes_goes_to_the_class_that_comes_first():
    learner = NearestNeighborsClassifier(1).fit([[0], [2]], ["b", "a"])
    assert learner.predict([[1]]) == ["a"]


def test_distances_that_differ_by_rounding_alone_are_equal():
    X = np.array([[0.1 + 0.2], [0.3], [-0.3]])
    learner = NearestNeighborsClassifier(1).fit(np.hstack([X, X]), [0, 1, 2])
    np.testing.assert_allclose(learner.predict_proba([[0.0, 0.0]]), [[1 / 3] * 3])
    # duplicates but for rounding, seen from one of them
    np.testing.assert_allclose(learner.predict_proba([[0.3, 0.3]]), [[0.5, 0.5, 0.0]])


@pytest.mark.parametrize("load", [load_iris, load_wine, load_digits])
@pytest.mark.parametrize("k", [1, 5])
def test_votes_are_those_of_all_pairs_of_rows(load, k):
    X, y = load(return_X_y=True)
    X = X[::3] + 1e-3 * np.random.default_rng(0).normal(size=X[::3].shape)
    learner = NearestNeighborsClassifier(k).fit(X[::2], y[::3][::2])
    expected = naive_shares(X[::2], y[::3][::2], X[1::2], k)
    np.testing.assert_allclose(learner.predict_proba(X[1::2]), expected, rtol=1e-14)
    theirs = KNeighborsClassifier(k).fit(X[::2], y[::3][::2])
    np.testing.assert_allclose(learner.predict_proba(X[1::2]), theirs.predict_proba(X[1::2]))


@pytest.mark.parametrize("n_columns", [2, 4, 15, 16, 20])
@pytest.mark.parametrize("scale", [1.0, 0.1])
def test_ties_are_found_in_few_and_in_many_columns(n_columns, scale):
    X, y = grid_in(n_columns)
    X = X * scale
    learner = NearestNeighborsClassifier(5).fit(X[:50], y[:50])
    expected = naive_shares(X[:50], y[:50], X[50:], 5)
    np.testing.assert_allclose(learner.predict_proba(X[50:]), expected, rtol=1e-14)


@pytest.mark.parametrize("n_columns", [3, 18])
def test_order_of_rows_does_not_matter(n_columns):
    X, y = grid_in(n_columns)
    order = np.random.default_rng(0).permutation(len(X))
    first = NearestNeighborsClassifier(5).fit(X, y).predict_proba(X)
    other = NearestNeighborsClassifier(5).fit(X[order], y[order]).predict_proba(X)
    np.testing.assert_array_equal(first, other)


@settings(max_examples=30, deadline=None)
@given(st.integers(0, 10**6), st.integers(1, 12), st.sampled_from([1, 3, 17]))
def test_shares_are_of_at_least_k_votes(seed, k, n_columns):
    rng = np.random.default_rng(seed)
    X, y = rng.integers(0, 2, (30, n_columns)) * 0.7, rng.integers(0, 2, 30)
    y[:2] = 0, 1
    shares = NearestNeighborsClassifier(k).fit(X[:20], y[:20]).predict_proba(X[20:])
    np.testing.assert_allclose(shares, naive_shares(X[:20], y[:20], X[20:], k), rtol=1e-14)


def test_many_rows_are_predicted_block_by_block_as_one_by_one():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(1500, 16)), rng.integers(0, 2, 1500)
    learner = NearestNeighborsClassifier(3).fit(X[:700], y[:700])
    alone = np.vstack([learner.predict_proba(row[None]) for row in X[1300:]])
    np.testing.assert_array_equal(learner.predict_proba(X[700:])[600:], alone)


def test_large_numbers_and_one_class_raise_no_warning():
    X = np.full((8, 16), 1e150) * np.arange(1, 9)[:, None]
    learner = NearestNeighborsClassifier(2).fit(np.round(X), ["a"] * 8)
    np.testing.assert_array_equal(learner.predict_proba(X[:1]), [[1.0]])


def test_too_few_rows_and_bad_numbers_of_neighbors_are_refused():
    with pytest.raises(InvalidArgumentError, match=r"number of training rows \(2\); got 5"):
        NearestNeighborsClassifier().fit([[0], [1]], [0, 1]).predict([[0]])
    for bad in (0, 2.5, "3"):
        with pytest.raises(InvalidArgumentError, match="must be a whole number from 1 up; got"):
            NearestNeighborsClassifier(bad).fit([[0], [1]], [0, 1])
    with pytest.raises(ValueError, match="contains NaN"):
        NearestNeighborsClassifier().fit([[np.nan], [1.0]], [0, 1])
