"""Lists of near rows, by products and by a tree, compared with all pairs in exact order."""

from typing import Any

import numpy as np
import pytest

from bestofk.learners import nearest_neighbors_classifier as near_rows
from bestofk.learners._neighbors import NeighborVotes
from bestofk.learners.nearest_neighbors_classifier import Asks, NearLists, NearRows, count_votes

UNWEIGHTED = np.zeros(1, np.uint8)


@pytest.fixture(params=["products", "tree"])
def search_of(request: Any, monkeypatch: pytest.MonkeyPatch) -> Any:
    """Return what makes a search by products or by a tree."""
    monkeypatch.setattr(near_rows, "_FEWEST_TREE_ROWS", 1 if request.param == "tree" else 10**9)
    monkeypatch.setattr(near_rows, "_TREE_COST", 0.0)
    monkeypatch.setattr(near_rows, "_TILE", 16)

    def make(X: Any, scale: Any = None) -> NearRows:
        search = NearRows(X, scale)
        assert (search._tree is not None) == (request.param == "tree")
        return search

    return make


@pytest.mark.parametrize("scale", [None, np.array([1.0, 2.0, 0.5, 0.0])])
def test_lists_hold_the_nearest_rows_and_how_far_the_others_are(search_of, scale):
    rng = np.random.default_rng(0)
    X, asked = rng.normal(size=(40, 4)) + 3, rng.normal(size=(50, 4)) + 3
    lists = search_of(X, scale).lists(asked, 7)
    squares = (((asked[:, None] - X) * (1.0 if scale is None else scale)) ** 2).sum(axis=2)
    order = np.argsort(squares, axis=1)[:, :8]
    np.testing.assert_array_equal(lists.near, order[:, :7])
    nearest = np.take_along_axis(squares, order, axis=1)
    assert (lists.floors <= nearest * (1 + 1e-12)).all()
    np.testing.assert_allclose(lists.floors, nearest, rtol=1e-9)


@pytest.mark.parametrize("length", [5, 6, 90])
def test_nothing_is_nearer_than_a_list_of_all_rows(search_of, length):
    X = np.array([[0.0], [4.0], [1.0], [9.0], [1.0]])
    lists = search_of(X).lists(np.array([[1.0]]), length)
    np.testing.assert_array_equal(np.sort(lists.near), [np.arange(5)])
    np.testing.assert_allclose(lists.floors, [[0, 0, 1, 9, 64, np.inf]], atol=1e-12)


def test_a_tree_is_taken_where_it_reads_few_rows():
    rng = np.random.default_rng(0)
    assert NearRows(rng.normal(size=(5000, 2)))._tree is not None
    assert NearRows(rng.normal(size=(5000, 15)))._tree is None
    line = rng.normal(size=(5000, 1)) * np.ones(15)
    assert NearRows(line)._tree is not None
    assert NearRows(line[:500])._tree is None


def test_numbers_too_large_to_square_have_no_lists():
    X = np.array([[1.0], [2.0]])
    assert NearRows(X * 1e200).lists(X, 1) is None
    assert NearRows(X).lists(X * 1e200, 1) is None


def naive_votes(X, code, row, k, is_all, n_shares):
    squares = ((X - row) ** 2).sum(axis=1)
    order = np.argsort(squares, kind="stable")
    members = order[:k]
    if is_all:
        members = np.flatnonzero(squares <= squares[order[k - 1]])
    return np.bincount(code[members], minlength=n_shares) / len(members)


@pytest.mark.parametrize("is_all", [True, False])
@pytest.mark.parametrize("length", [1, 2, 5, None])
def test_votes_are_those_of_all_pairs_however_short_the_lists(search_of, is_all, length):
    rng = np.random.default_rng(1)
    X, asked = rng.integers(0, 3, (60, 3)) * 1.0, rng.integers(0, 3, (30, 3)) * 1.0
    code, search = rng.integers(0, 3, 60), search_of(X)
    for k in (1, 4, 60):
        votes = NeighborVotes(X, code, np.ones(60), np.array([k]), is_all, UNWEIGHTED)
        lists = None if length is None else search.lists(asked, length)
        shares = count_votes(votes, asked, Asks.of_one_part(asked, 60), search, lists, 3)[:, 0]
        expected = [naive_votes(X, code, row, k, is_all, 3) for row in asked]
        np.testing.assert_array_equal(shares, expected)


def test_only_rows_that_train_vote_at_the_distances_of_their_part():
    X = np.array([[0.0, 0.0], [3.0, 0.0], [0.0, 2.0], [9.0, 9.0]])
    votes = NeighborVotes(X, np.arange(4), np.ones(4), np.array([1]), True, UNWEIGHTED)
    is_train = np.array([[False, True, True, True], [False, True, True, True], [False] * 4])
    weights = np.array([[1.0, 1.0], [1.0, 9.0], [1.0, 1.0]])
    asks = Asks(np.zeros(3, np.intp), np.arange(3), np.tile([0.0, 0.0], (3, 1)), is_train, weights)
    shares = count_votes(votes, X, asks, NearRows(X), NearRows(X).lists(X, 2), 4)[:, 0]
    np.testing.assert_array_equal(shares[:2], [[0, 0, 1, 0], [0, 1, 0, 0]])
    assert np.isnan(shares[2]).any()  # no row trains


def test_a_proof_counts_what_columns_add_to_all_distances():
    X = np.array([[0.0], [1.0], [5.0]])
    votes = NeighborVotes(X, np.arange(3), np.ones(3), np.array([1]), True, UNWEIGHTED)
    near, floors = np.array([[1]]), np.array([[1.0, 0.9]])
    rest = np.ones((1, 3), np.uint8), np.ones((1, 1)), np.zeros((1, 3), np.intp)
    for more, is_proven in ((0.0, False), (0.2, True)):
        shares = np.empty((1, 1, 3))
        votes.count(X, near, floors, *rest, np.array([[1.0, more]]), shares)
        assert np.isnan(shares[0, 0, 0]) != is_proven
    assert NearLists.of_all(3).floors.tolist() == [[0, 0, 0, np.inf]]
