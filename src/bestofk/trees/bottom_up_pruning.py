"""Bottom-up pruning: subtrees that cost no less than a leaf are replaced in one pass."""

from __future__ import annotations

import numpy as np

from bestofk.array_types import Floats
from bestofk.trees._pruning import prune_costly
from bestofk.trees.tree import Tree


def prune_bottom_up(tree: Tree, leaf_costs: Floats, test_costs: Floats | None = None) -> Tree:
    """Return the cheapest tree that pruning can make, the smallest of equals.

    Parameters
    ----------
    tree : Tree
        The tree.
    leaf_costs : ndarray of shape (n_nodes,), float64
        What each node costs as a leaf.
    test_costs : ndarray of shape (n_nodes,), float64, or None, default=None
        Cost of each node as a test, in addition to its branches; None for nothing.

    Returns
    -------
    Tree
    """
    below = np.zeros(tree.n_nodes) if test_costs is None else test_costs.copy()
    is_pruned = np.empty(tree.n_nodes, np.uint8)
    prune_costly(tree.first_child, tree.n_children, leaf_costs, below, is_pruned)
    return tree.pruned(is_pruned.view(np.bool_))
