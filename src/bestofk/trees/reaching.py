"""Weight of each class that reaches each node of a tree, for any rows."""

from __future__ import annotations

import numpy as np

from bestofk.array_types import Codes, Floats, Ints, Positions
from bestofk.trees.prediction import with_directions
from bestofk.trees.tree import Tree
from bestofk.trees.tree_structure import MULTIWAY, THRESHOLD


def reaching_weights(tree: Tree, matrix: Floats, y: Codes, weight: Floats | None = None) -> Floats:
    """Return the weight of each class that reaches each node.

    Parameters
    ----------
    tree : Tree
        The tree.
    matrix : ndarray of shape (n_rows, n_attributes), float64
        Rows as `encode_table` gives them.
    y : ndarray of shape (n_rows,), integer
        Their classes, 0..n_classes-1.
    weight : ndarray of shape (n_rows,) or None, default=None
        Their weights; None if each counts one.

    Returns
    -------
    ndarray of shape (n_nodes, n_classes), float64
        A row whose branch is unknown goes to all branches that have training rows, in parts
        by their training weight.
    """
    matrix = with_directions(tree, matrix)
    rows = np.arange(len(y))
    nodes = np.zeros(len(y), np.int64)
    parts = np.ones(len(y)) if weight is None else weight
    result = np.zeros(tree.n_nodes * tree.n_classes)
    while rows.size:
        result += np.bincount(nodes * tree.n_classes + y[rows], parts, minlength=len(result))
        is_inner = ~tree.is_leaf[nodes]
        rows, nodes, parts = rows[is_inner], nodes[is_inner], parts[is_inner]
        branch = branches_taken(tree, nodes, matrix[rows, tree.attribute[nodes]])
        is_known = branch >= 0
        below = tree.first_child[nodes] + branch
        if is_known.all():
            nodes = below
            continue
        spread = _spread(tree, rows[~is_known], nodes[~is_known], parts[~is_known])
        rows = np.concatenate([rows[is_known], spread[0]])
        nodes = np.concatenate([below[is_known], spread[1]])
        parts = np.concatenate([parts[is_known], spread[2]])
    return result.reshape(tree.n_nodes, tree.n_classes)


def branches_taken(tree: Tree, nodes: Ints, values: Floats) -> Ints:
    """Return the branch of each value at its node, -1 for all branches.

    Parameters
    ----------
    tree : Tree
        The tree.
    nodes : ndarray of shape (n_values,), int
        Inner nodes.
    values : ndarray of shape (n_values,), float64
        What they test, nan where missing.

    Returns
    -------
    ndarray of shape (n_values,), int64
    """
    kind = tree.kind[nodes]
    is_known = np.where(kind == THRESHOLD, ~np.isnan(values), values >= 0)
    codes = np.where(is_known & (kind != THRESHOLD), values, 0).astype(np.int64)
    branch = np.where(kind == THRESHOLD, values > tree.threshold[nodes], codes).astype(np.int64)
    is_lookup = (kind != THRESHOLD) & (kind != MULTIWAY)
    at = tree.lookup_start[nodes[is_lookup]] + codes[is_lookup]
    branch[is_lookup] = tree.lookup[at]
    branch[~is_known] = -1
    return np.where(branch < 0, tree.default_branch[nodes], branch)


def _spread(
    tree: Tree, rows: Positions, nodes: Ints, parts: Floats
) -> tuple[Positions, Ints, Floats]:
    """Send rows to all branches of their nodes."""
    counts = tree.n_children[nodes]
    first = np.repeat(np.cumsum(counts) - counts, counts)
    children = np.repeat(tree.first_child[nodes], counts) + np.arange(counts.sum()) - first
    below = np.bincount(np.maximum(tree.parent, 0)[1:], tree.weight[1:], minlength=tree.n_nodes)
    share = tree.weight[children] / np.repeat(below[nodes], counts)
    has_rows = share > 0
    return (
        np.repeat(rows, counts)[has_rows],
        children[has_rows].astype(np.int64),
        (np.repeat(parts, counts) * share)[has_rows],
    )
