"""Rows on their way down a tree, whole or in parts, and the leaves they reach."""

from dataclasses import replace

import numpy as np
import pytest
from tests.unit.trees.made_trees import grown_tree, random_table, shares_of_row, written_tree

from bestofk.trees._leaves import add_up, find_forest_leaves
from bestofk.trees.prediction import leaves, main_leaves, probabilities, reaching_weights


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


def test_a_tree_of_one_leaf_tests_nothing_and_equal_branches_go_to_the_first():
    tree = written_tree([2, 1])
    assert leaves(tree, np.full((3, 3), np.nan)).tolist() == [0, 0, 0]
    assert main_leaves(tree, np.full((1, 3), np.nan)).tolist() == [0]
    tree = written_tree((2, None, [1, 0], [2, 1], [0, 3]))
    assert main_leaves(tree, np.full((1, 3), np.nan)).tolist() == [2]
    tree = written_tree((0, 1.0, [1, 0], [0, 1]))
    matrix = np.zeros((4, 3))
    matrix[:, 0] = [1.0, np.nextafter(1.0, 2.0), -np.inf, np.inf]
    assert leaves(tree, matrix).tolist() == [1, 2, 1, 2]


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


def test_rows_reach_one_leaf_or_all_branches_by_their_weight():
    tree = written_tree((0, 5.0, [4, 1], (1, 0.0, [1, 2], [0, 3])))
    result = reaching_weights(tree, np.array([[6.0, 0.0, 0.0]]), np.array([1]))
    np.testing.assert_array_equal(result[:, 1], [1, 0, 1, 1, 0])
    np.testing.assert_array_equal(result[:, 0], np.zeros(5))
    tree = written_tree((2, None, [3, 0], [0, 0], [0, 6]))
    result = reaching_weights(tree, np.array([[0.0, 0.0, np.nan]]), np.array([0]), np.array([2.0]))
    np.testing.assert_allclose(result[:, 0], [2, 2 / 3, 0, 4 / 3], rtol=1e-12)
    tree = written_tree((2, [0, 1, -1], [1, 1], [3, 3]))
    result = reaching_weights(tree, np.array([[0.0, 0.0, 2.0]]), np.array([0]))
    np.testing.assert_allclose(result[:, 0], [1, 0.25, 0.75], rtol=1e-12)


@pytest.mark.parametrize("seed", range(6))
def test_weights_are_those_of_row_by_row_recursion(seed):
    tree = grown_tree(*random_table(seed), nominal_splits=["multiway", "binary"][seed % 2])
    matrix, y = random_table(100 + seed, missing=0.2)
    weight = np.random.default_rng(seed).random(len(y))
    wanted = np.zeros((tree.n_nodes, 3))
    for row, label, part in zip(matrix, y, weight, strict=True):
        for node, share in shares_of_row(tree, row).items():
            wanted[node, label] += part * share
    np.testing.assert_allclose(reaching_weights(tree, matrix, y, weight), wanted, atol=1e-9)
