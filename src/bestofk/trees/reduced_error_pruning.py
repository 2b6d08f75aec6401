"""Reduced-error pruning: subtrees no better than a leaf on held-out rows are replaced."""

from __future__ import annotations

from typing import Any

import numpy as np

from bestofk.array_types import Codes, Floats, Positions
from bestofk.errors import InvalidArgumentError
from bestofk.trees.bottom_up_pruning import prune_bottom_up
from bestofk.trees.reaching import reaching_weights
from bestofk.trees.tree import Tree


def prune_by_reduced_error(
    tree: Tree, matrix: Floats, y: Codes, weight: Floats | None = None
) -> Tree:
    """Return the pruned tree with the fewest errors on pruning rows, the smallest of equals.

    Parameters
    ----------
    tree : Tree
        Grown on other rows.
    matrix : ndarray of shape (n_rows, n_attributes), float64
        The pruning rows, as `encode_table` gives them.
    y : ndarray of shape (n_rows,), int16
        Their classes, 0..n_classes-1.
    weight : ndarray of shape (n_rows,) or None, default=None
        Their weights; None if each counts one.

    Returns
    -------
    Tree
        With the class weights of growing: nothing is counted anew. A node that no pruning row
        reaches becomes a leaf.

    Notes
    -----
    Leaves answer with the majority of their growing rows, empty ones with that of their
    parent. Rows with a missing value count in parts where their parts end.
    The greedy form, which removes the most harmful subtree first (Mitchell 1997, section
    3.7.1.1), ends with as few errors; this one needs a single pass.

    References
    ----------
    .. [1] Quinlan (1987), Simplifying decision trees, International Journal of Man-Machine
       Studies 27.
    """
    reached = reaching_weights(tree, matrix, y, weight)
    right = reached[np.arange(tree.n_nodes), tree.majority]
    return prune_bottom_up(tree, reached.sum(axis=1) - right)


def split_by_folds(y: Codes, n_folds: int) -> tuple[Positions, Positions]:
    """Split rows into all stratified folds but the last, and the last: nothing is drawn.

    Parameters
    ----------
    y : ndarray of shape (n_rows,), int16
        Classes.
    n_folds : int
        How many folds, at least 2.

    Returns
    -------
    growing_rows, pruning_rows : ndarray of int
        Sorted. The parts are those that Weka's J48 (3.6) makes.

    Raises
    ------
    InvalidArgumentError
        If there are fewer rows than folds.
    """
    n_rows = len(y)
    if n_rows < n_folds:
        raise InvalidArgumentError(
            f"pruning_folds must be an integer up to the number of rows ({n_rows}); got "
            f"{n_folds}. Use fewer folds, or another pruning."
        )
    order = list(range(n_rows))
    start = 1
    while start < n_rows:
        label = y[order[start - 1]]
        # Rows of this class come forward; those in their way take the places that fall free.
        for index in (start + np.flatnonzero(y[order[start:]] == label)).tolist():
            order[start], order[index] = order[index], order[start]
            start += 1
        start += 1
    dealt = np.concatenate([order[fold::n_folds] for fold in range(n_folds)])
    n_growing = n_rows - n_rows // n_folds
    return np.sort(dealt[:n_growing]), np.sort(dealt[n_growing:])


def split_by_fraction(y: Codes, fraction: float, random_state: Any) -> tuple[Positions, Positions]:
    """Split rows at random, in each class by the same proportion where that can be.

    Parameters
    ----------
    y : ndarray of shape (n_rows,), int16
        Classes.
    fraction : float
        Share of the pruning rows, above 0 and below 1.
    random_state : int, RandomState or None
        Seed of the draw.

    Returns
    -------
    growing_rows, pruning_rows : ndarray of int
        Sorted.

    Raises
    ------
    InvalidArgumentError
        If one of the parts would be empty.
    """
    from sklearn.model_selection import ShuffleSplit, StratifiedShuffleSplit

    n_pruning = int(np.ceil(fraction * len(y)))
    if not 0 < n_pruning < len(y):
        raise InvalidArgumentError(
            f"pruning_fraction must be such that both parts of the {len(y)} rows have some; got "
            f"{fraction:g}. Use a smaller fraction, or another pruning."
        )
    sizes = np.bincount(y)
    n_present = np.count_nonzero(sizes)
    can_stratify = sizes[sizes > 0].min() > 1 and n_present <= min(n_pruning, len(y) - n_pruning)
    n_growing = len(y) - n_pruning
    splitter = (StratifiedShuffleSplit if can_stratify else ShuffleSplit)(
        1, test_size=n_pruning, train_size=n_growing, random_state=random_state
    )
    growing, pruning = next(splitter.split(np.empty((len(y), 0)), y))
    return np.sort(growing), np.sort(pruning)
