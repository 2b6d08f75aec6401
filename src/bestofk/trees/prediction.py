"""Predictions of a tree: the leaves that rows reach, and their class probabilities."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from bestofk.array_types import Floats
from bestofk.trees._leaves import answer_in_parts, find_heaviest_branches, find_leaves
from bestofk.trees.tree import Tree


def with_directions(tree: Tree, matrix: Floats) -> Floats:
    """Return the matrix with one more column for each oblique direction of the tree."""
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
        What stands for missing values.

    Returns
    -------
    ndarray of shape (n_rows,), float64
        The same bits for a row whatever its neighbors are.
    """
    total = np.zeros(len(matrix))
    for a in np.flatnonzero(direction):
        column = matrix[:, a]
        total += direction[a] * np.where(np.isnan(column), means[a], column)
    return total


def leaves(tree: Tree, matrix: Floats) -> NDArray[np.int32]:
    """Return the leaf in which each row ends.

    Parameters
    ----------
    tree : Tree
        The tree.
    matrix : ndarray of shape (n_rows, n_attributes), float64
        Rows as `encode_table` gives them.

    Returns
    -------
    ndarray of shape (n_rows,), int32
        Numbers of leaves; -1 for rows that end in several, in parts, as they lack a value.
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
        Rows as `encode_table` gives them.
    answers : ndarray of shape (n_nodes, n_classes), float64
        What each leaf answers.

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
    """Return one leaf for each row: where a value is missing, the branch of the most weight."""
    result = leaves(tree, matrix)
    in_parts = np.flatnonzero(result < 0)
    if in_parts.size:
        heaviest = np.empty(tree.n_nodes, np.int32)
        find_heaviest_branches(tree.tests, heaviest)
        default = np.where(tree.default_branch >= 0, tree.default_branch, heaviest)
        result[in_parts] = leaves(replace(tree, default_branch=default), matrix[in_parts])
    return result
