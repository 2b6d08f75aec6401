"""Which subtrees cost no less than a leaf in their place: one pass from the bottom."""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray

from bestofk.learners.trees.tree import Tree

_TOLERANCE: Final = 1e-6  # costs are sums of fractional weights


def prune_bottom_up(
    tree: Tree,
    leaf_costs: NDArray[np.float64],
    test_costs: NDArray[np.float64] | None = None,
) -> Tree:
    """Return the cheapest tree that pruning can make, the smallest of equals.

    Parameters
    ----------
    tree : Tree
        The tree.
    leaf_costs : ndarray of shape (n_nodes,), float64
        What each node costs as a leaf.
    test_costs : ndarray of shape (n_nodes,), float64, or None, default=None
        What each node costs as a test, besides its branches; None for nothing.

    Returns
    -------
    Tree
    """
    costs = leaf_costs.copy()
    is_pruned = np.zeros(tree.n_nodes, np.bool_)
    for depth in range(tree.depth - 1, -1, -1):
        nodes = np.flatnonzero((tree.node_depth == depth) & ~tree.is_leaf)
        children = np.flatnonzero(tree.node_depth == depth + 1)
        below = np.zeros(tree.n_nodes) if test_costs is None else test_costs.copy()
        np.add.at(below, tree.parent[children], costs[children])
        below = below[nodes]
        is_pruned[nodes] = leaf_costs[nodes] <= below + _TOLERANCE
        costs[nodes] = np.minimum(leaf_costs[nodes], below)
    return tree.pruned(is_pruned)
