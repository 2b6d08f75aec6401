"""Leaves that rows reach, and what is answered where a value is missing."""

from dataclasses import replace

import numpy as np
import pytest
from tests.unit.trees.made_trees import grown_tree, random_table, shares_of_row, written_tree

from bestofk.trees._leaves import add_up, find_forest_leaves
from bestofk.trees.prediction import leaves, main_leaves, probabilities


def reached(tree, row):
    """Return the leaves that a row reaches, with its shares."""
    return {node: part for node, part in shares_of_row(tree, row).items() if tree.is_leaf[node]}


def main_leaf(tree, row):
    """Return the leaf of a row by recursion, the heaviest branch where its own is unknown."""
    node = 0
    while not tree.is_leaf[node]:
        below = [child for child in tree.children(node) if child in shares_of_row(tree, row, node)]
        node = max(below, key=lambda child: tree.weight[child])
    return node


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("nominal", ["multiway", "binary"])
def test_leaves_and_answers_are_those_of_the_recursion(seed, nominal):
    tree = grown_tree(*random_table(seed), nominal_splits=nominal)
    matrix, _ = random_table(seed + 100, n_rows=203, missing=0.2)
    matrix[:5, 2] = -1.0  # a level that was not there in training
    shares = [reached(tree, row) for row in matrix]
    alone = [next(iter(item)) if len(item) == 1 else -1 for item in shares]
    result = leaves(tree, matrix)
    # A row without a value may end in one leaf, if the other branches are empty.
    assert all(leaf in (-1, other) for leaf, other in zip(result.tolist(), alone, strict=True))
    assert (result[~np.isnan(matrix).any(axis=1)][5:] >= 0).all()
    assert -1 in result
    answers = tree.probabilities(laplace=False)
    expected = [sum(part * answers[leaf] for leaf, part in item.items()) for item in shares]
    np.testing.assert_allclose(probabilities(tree, matrix, answers), expected, rtol=1e-12)
    assert main_leaves(tree, matrix).tolist() == [main_leaf(tree, row) for row in matrix]
    assert leaves(tree, np.asfortranarray(matrix)).tolist() == result.tolist()
    assert leaves(tree, matrix[:0]).tolist() == []


def test_a_tree_of_one_leaf_tests_nothing():
    tree = written_tree([2, 1])
    assert leaves(tree, np.full((3, 3), np.nan)).tolist() == [0, 0, 0]
    assert main_leaves(tree, np.full((1, 3), np.nan)).tolist() == [0]


def test_a_value_at_the_threshold_and_infinite_ones_go_to_their_sides():
    tree = written_tree((0, 1.0, [1, 0], [0, 1]))
    matrix = np.zeros((4, 3))
    matrix[:, 0] = [1.0, np.nextafter(1.0, 2.0), -np.inf, np.inf]
    assert leaves(tree, matrix).tolist() == [1, 2, 1, 2]


def test_of_branches_of_equal_weight_the_first_is_the_main_one():
    tree = written_tree((2, None, [1, 0], [2, 1], [0, 3]))
    assert main_leaves(tree, np.full((1, 3), np.nan)).tolist() == [2]


def test_sums_of_children_go_up_to_the_root():
    tree = written_tree((0, 1.0, (1, 0.0, [1, 0], [2, 0]), (2, None, [3, 0], [4, 0], [5, 0])))
    values = np.where(tree.is_leaf, tree.class_weights[:, 0], 9.0)
    add_up(tree.first_child, tree.n_children, values)
    assert values.tolist() == [15, 3, 12, 1, 2, 3, 4, 5]


def test_rows_are_sent_down_the_tree_of_their_part():
    # Two trees in one: node 0 sends values above 1 to node 3, others to node 2; node 1 is a leaf.
    tree = written_tree((0, 1.0, [1, 0], [0, 1])).taken(np.array([0, 1, 1, 2]))
    forest = replace(tree, first_child=np.array([2, -1, -1, -1], np.int32))
    X, leaf = np.array([[0.5], [1.5]]), np.empty(3, np.int32)
    find_forest_leaves(forest.tests, X, np.array([1, 0, 1]), np.array([0, 2, 3]), leaf)
    assert leaf.tolist() == [3, 2, 1]
