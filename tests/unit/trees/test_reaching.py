"""Rows on their way down a tree: whole where their branch is known, else in parts."""

import numpy as np
import pytest
from tests.unit.trees.made_trees import (
    grown_tree,
    random_table,
    shares_of_row,
    written_tree,
)

from bestofk.trees.prediction import reaching_weights


def test_a_row_with_all_values_reaches_one_leaf():
    tree = written_tree((0, 5.0, [4, 1], (1, 0.0, [1, 2], [0, 3])))
    result = reaching_weights(tree, np.array([[6.0, 0.0, 0.0]]), np.array([1]))
    np.testing.assert_array_equal(result[:, 1], [1, 0, 1, 1, 0])
    np.testing.assert_array_equal(result[:, 0], np.zeros(5))


def test_a_row_without_a_value_goes_to_all_branches_by_their_weight():
    tree = written_tree((2, None, [3, 0], [0, 0], [0, 6]))
    result = reaching_weights(tree, np.array([[0.0, 0.0, np.nan]]), np.array([0]), np.array([2.0]))
    np.testing.assert_allclose(result[:, 0], [2, 2 / 3, 0, 4 / 3], rtol=1e-12)


def test_a_level_without_a_branch_is_as_good_as_missing():
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
