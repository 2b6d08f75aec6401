"""Bottom-up pruning: subtrees that cost no less than a leaf are replaced in one pass."""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray

from bestofk.trees.tree import Tree

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
        Cost of each node as a test, in addition to its branches; None for nothing.

    Returns
    -------
    Tree
    """
    costs = leaf_costs.copy()
    is_pruned = np.zeros(tree.n_nodes, np.bool_)
    below = np.zeros(tree.n_nodes) if test_costs is None else test_costs.copy()
    by_depth = np.argsort(tree.node_depth, kind="stable")
    starts = np.searchsorted(tree.node_depth[by_depth], np.arange(tree.depth + 2))
    for depth in range(tree.depth - 1, -1, -1):
        nodes = by_depth[starts[depth] : starts[depth + 1]]
        nodes = nodes[~tree.is_leaf[nodes]]
        children = by_depth[starts[depth + 1] : starts[depth + 2]]
        np.add.at(below, tree.parent[children], costs[children])
        is_pruned[nodes] = leaf_costs[nodes] <= below[nodes] + _TOLERANCE
        costs[nodes] = np.minimum(leaf_costs[nodes], below[nodes])
    return tree.pruned(is_pruned)
