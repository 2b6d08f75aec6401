"""Pruning by rows that were kept away from growing, and which rows these are."""

import numpy as np
import pytest
from tests.unit.trees.made_trees import (
    grown_tree,
    random_table,
    shares_of_row,
    written_tree,
)

from bestofk.errors import InvalidArgumentError
from bestofk.trees.pruning_methods import (
    prune_by_reduced_error,
    split_by_folds,
    split_by_fraction,
)

COLORS = (2, None, [3, 0], [0, 0], [1, 3])


def rows(*colors):
    return np.array([[0.0, 0.0, color] for color in colors], dtype=np.float64)


def test_a_split_that_saves_errors_on_the_pruning_rows_stays():
    assert prune_by_reduced_error(written_tree(COLORS), rows(0, 2), np.array([0, 1])).n_leaves == 3


def test_a_split_that_saves_none_falls():
    assert prune_by_reduced_error(written_tree(COLORS), rows(0, 2), np.array([0, 0])).n_leaves == 1


def test_a_subtree_that_no_pruning_row_reaches_falls():
    tree = written_tree((0, 5.0, (1, 0.0, [4, 0], [0, 4]), [0, 9]))
    pruned = prune_by_reduced_error(tree, np.array([[6.0, 0, 0], [1.0, 0, 0]]), np.array([1, 0]))
    assert pruned.n_leaves == 2
    pruned = prune_by_reduced_error(tree, np.array([[6.0, 0, 0]]), np.array([1]))
    assert pruned.n_nodes == 1


def test_an_empty_branch_answers_with_the_majority_of_its_parent():
    # Both classes have four rows at the root: the first is its majority.
    tree = written_tree((2, None, [4, 0], [0, 0], [0, 4]))
    pruned = prune_by_reduced_error(tree, rows(1, 1, 2), np.array([0, 0, 1]))
    assert pruned.n_leaves == 3
    pruned = prune_by_reduced_error(tree, rows(1, 1, 0), np.array([1, 1, 0]))
    assert pruned.n_leaves == 1


def test_weights_of_pruning_rows_count():
    tree, given = written_tree(COLORS), rows(0, 2, 2)
    y = np.array([0, 1, 0])
    assert prune_by_reduced_error(tree, given, y, np.array([1.0, 2.0, 1.0])).n_leaves == 3
    assert prune_by_reduced_error(tree, given, y, np.array([1.0, 1.0, 2.0])).n_leaves == 1


@pytest.mark.parametrize("seed", range(6))
def test_pruning_is_that_of_the_naive_recursion(seed):
    tree = grown_tree(*random_table(seed))
    matrix, y = random_table(100 + seed, missing=0.2)
    errors = np.zeros(tree.n_nodes)
    for row, label in zip(matrix, y, strict=True):
        for node, share in shares_of_row(tree, row).items():
            errors[node] += share * (tree.majority[node] != label)

    def pruned_leaves(node):
        """Return errors and leaves of the pruned subtree."""
        if tree.is_leaf[node]:
            return errors[node], 1
        parts = [pruned_leaves(child) for child in tree.children(node)]
        below, n_leaves = np.sum(parts, axis=0)
        return (errors[node], 1) if errors[node] <= below + 1e-6 else (below, n_leaves)

    result = prune_by_reduced_error(tree, matrix, y)
    assert result.n_leaves == pruned_leaves(0)[1]
    assert result.n_leaves < tree.n_leaves


def dealt_slowly(y, n_folds):
    """Return the pruning rows of the reference, by its own loops."""
    order, i = list(range(len(y))), 1
    while i < len(y):
        label = y[order[i - 1]]
        for j in range(i, len(y)):
            if y[order[j]] == label:
                order[i], order[j] = order[j], order[i]
                i += 1
        i += 1
    dealt = [row for start in range(n_folds) for row in order[start::n_folds]]
    return sorted(dealt[len(y) - len(y) // n_folds :])


@pytest.mark.parametrize("n_folds", [2, 3, 7])
@pytest.mark.parametrize("seed", range(4))
def test_the_folds_are_those_of_the_reference(seed, n_folds):
    y = np.random.default_rng(seed).integers(0, 4, 53).astype(np.int16)
    growing, pruning = split_by_folds(y, n_folds)
    assert pruning.tolist() == dealt_slowly(y, n_folds)
    assert sorted([*growing, *pruning]) == list(range(53))


def test_folds_are_stratified():
    y = np.repeat([0, 1, 2], [30, 60, 9]).astype(np.int16)
    _, pruning = split_by_folds(y, 3)
    np.testing.assert_array_equal(np.bincount(y[pruning]), [10, 20, 3])


def test_more_folds_than_rows_are_refused():
    with pytest.raises(InvalidArgumentError, match=r"^pruning_folds must be .* \(4\); got 5\. Use"):
        split_by_folds(np.array([0, 1, 0, 1], np.int16), 5)


def test_a_fraction_is_drawn_in_each_class():
    y = np.repeat([0, 1], [80, 20]).astype(np.int16)
    growing, pruning = split_by_fraction(y, 0.2, 0)
    np.testing.assert_array_equal(np.bincount(y[pruning]), [16, 4])
    assert sorted([*growing, *pruning]) == list(range(100))
    assert split_by_fraction(y, 0.2, 0)[1].tolist() == pruning.tolist()
    assert split_by_fraction(y, 0.2, 1)[1].tolist() != pruning.tolist()


def test_a_class_of_one_row_does_not_hinder_the_draw():
    growing, pruning = split_by_fraction(np.array([0] * 9 + [1], np.int16), 0.2, 0)
    assert (len(growing), len(pruning)) == (8, 2)


def test_a_fraction_that_leaves_no_row_to_grow_is_refused():
    with pytest.raises(InvalidArgumentError, match=r"^pruning_fraction must be .* got 0\.9\. Use"):
        split_by_fraction(np.array([0, 1], np.int16), 0.9, 0)
