"""One pass from the bottom finds the cheapest of all prunings."""

import numpy as np
import pytest
from tests.unit.trees.made_trees import all_prunings, written_tree

from bestofk.trees.pruning_methods import prune_bottom_up

NESTED = (0, 5.0, (1, 0.0, [4, 1], (2, None, [1, 0], [2, 2], [0, 3])), (1, 1.0, [1, 2], [0, 3]))


@pytest.mark.parametrize("seed", range(20))
def test_the_pruned_tree_is_the_cheapest_of_all(seed):
    rng = np.random.default_rng(seed)
    tree = written_tree(NESTED)
    leaf_costs, test_costs = rng.random(tree.n_nodes), 0.3 * rng.random(tree.n_nodes)
    test_costs[tree.is_leaf] = 0.0

    def cost(leaves):
        above = {parent for leaf in leaves for parent in _path(tree, leaf) if parent not in leaves}
        return sum(leaf_costs[node] for node in leaves) + sum(test_costs[node] for node in above)

    best = min(all_prunings(tree), key=cost)
    result = prune_bottom_up(tree, leaf_costs, test_costs)
    assert result.n_leaves == len(best)
    wanted = sorted(tree.class_weights[list(best)].tolist())
    assert sorted(result.class_weights[result.is_leaf].tolist()) == wanted


def test_of_equally_cheap_trees_the_smallest_is_made():
    tree = written_tree(NESTED)
    assert prune_bottom_up(tree, tree.sum_over_leaves(np.ones(tree.n_nodes))).n_nodes == 1


def test_a_leaf_stays_a_leaf():
    tree = written_tree([2, 1])
    assert prune_bottom_up(tree, np.zeros(1)) is tree


def _path(tree, node):
    while node >= 0:
        yield node
        node = tree.parent[node]
