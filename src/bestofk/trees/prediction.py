"""Rows sent down a tree: their leaves, class probabilities, and weights at every node."""

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from bestofk.array_types import Codes, Floats, Ints, Positions
from bestofk.trees._leaves import answer_in_parts, find_heaviest_branches, find_leaves
from bestofk.trees.tree import Tree
from bestofk.trees.tree_structure import MULTIWAY, THRESHOLD


def with_directions(tree: Tree, matrix: Floats) -> Floats:
    """Return the matrix with a further column for each oblique direction of the tree."""
    if not len(tree.directions):
        return matrix
    pairs = zip(tree.directions, tree.direction_means, strict=True)
    return np.column_stack([matrix, *(projected(matrix, *pair) for pair in pairs)])


def projected(matrix: Floats, direction: Floats, means: Floats) -> Floats:
    """Return the weighted sums of some columns of each row.

    Parameters
    ----------
    matrix : ndarray of shape (n_rows, n_attributes), float64
        Rows.
    direction : ndarray of shape (n_attributes,), float64
        Factors; columns with a factor of 0 may hold anything.
    means : ndarray of shape (n_attributes,), float64
        Replacements of missing values.

    Returns
    -------
    ndarray of shape (n_rows,), float64
        Sums that do not depend on neighboring rows, to the bit.
    """
    total = np.zeros(len(matrix))
    for a in np.flatnonzero(direction):
        column = matrix[:, a]
        total += direction[a] * np.where(np.isnan(column), means[a], column)
    return total


def leaves(tree: Tree, matrix: Floats) -> NDArray[np.int32]:
    """Return the leaf of each row.

    Parameters
    ----------
    tree : Tree
        The tree.
    matrix : ndarray of shape (n_rows, n_attributes), float64
        Rows from `encode_table`.

    Returns
    -------
    ndarray of shape (n_rows,), int32
        Numbers of leaves; -1 for rows with a missing value that are split over several.
    """
    result = np.empty(len(matrix), np.int32)
    find_leaves(tree.tests, np.ascontiguousarray(with_directions(tree, matrix)), result)
    return result


def probabilities(tree: Tree, matrix: Floats, answers: Floats) -> Floats:
    """Return the probabilities of the classes.

    Parameters
    ----------
    tree : Tree
        The tree.
    matrix : ndarray of shape (n_rows, n_attributes), float64
        Rows from `encode_table`.
    answers : ndarray of shape (n_nodes, n_classes), float64
        Probabilities of each leaf.

    Returns
    -------
    ndarray of shape (n_rows, n_classes), float64
        A row whose branch is unknown gets the average over the branches, by training weight.
    """
    result = leaves(tree, matrix)
    in_parts = np.flatnonzero(result < 0)
    if not in_parts.size:
        return np.asarray(answers.take(result, axis=0))
    out = answers[np.maximum(result, 0)]
    rows = np.ascontiguousarray(with_directions(tree, matrix[in_parts]))
    averaged = np.empty((len(rows), tree.n_classes))
    answer_in_parts(tree.tests, rows, answers, averaged)
    out[in_parts] = averaged
    return out


def main_leaves(tree: Tree, matrix: Floats) -> NDArray[np.int32]:
    """Return one leaf for each row, following the heaviest branch if a value is missing."""
    result = leaves(tree, matrix)
    in_parts = np.flatnonzero(result < 0)
    if in_parts.size:
        heaviest = np.empty(tree.n_nodes, np.int32)
        find_heaviest_branches(tree.tests, heaviest)
        default = np.where(tree.default_branch >= 0, tree.default_branch, heaviest)
        result[in_parts] = leaves(replace(tree, default_branch=default), matrix[in_parts])
    return result


def reaching_weights(tree: Tree, matrix: Floats, y: Codes, weight: Floats | None = None) -> Floats:
    """Return the weight of each class that reaches each node.

    Parameters
    ----------
    tree : Tree
        The tree.
    matrix : ndarray of shape (n_rows, n_attributes), float64
        Rows from `encode_table`.
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
        Values of the tested attributes, nan where missing.

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
