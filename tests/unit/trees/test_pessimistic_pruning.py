"""Half an error more for each leaf."""

import pytest
from tests.unit.trees.made_trees import grown_tree, random_table, written_tree

from bestofk.trees.pruning_methods import prune_pessimistically


def test_a_split_that_saves_more_than_half_an_error_stays():
    tree = written_tree((0, 5.0, [5, 1], [1, 5]))
    assert prune_pessimistically(tree).n_leaves == 2


def test_a_split_that_saves_just_half_an_error_falls():
    tree = written_tree((0, 5.0, [5, 0], [0, 0.5]))
    assert prune_pessimistically(tree).n_leaves == 1


@pytest.mark.parametrize("seed", range(5))
def test_pruned_trees_are_smaller_and_no_cheaper_subtree_is_left(seed):
    tree = grown_tree(*random_table(seed))
    pruned = prune_pessimistically(tree)
    below = pruned.sum_over_leaves(pruned.leaf_errors + 0.5)
    inner = ~pruned.is_leaf
    assert pruned.n_nodes < tree.n_nodes
    assert (pruned.leaf_errors[inner] + 0.5 > below[inner]).all()
