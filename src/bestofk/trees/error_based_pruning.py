"""Error-based pruning of C4.5: subtrees replaced by a leaf or by one of their branches."""

from __future__ import annotations

import functools
from dataclasses import replace
from typing import Final

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtri

from bestofk.array_types import Bools, Codes, Floats
from bestofk.trees import _pruning
from bestofk.trees.prediction import with_directions
from bestofk.trees.tree import Tree

# Normal deviates by confidence as the original program has them, linear between.
_TABLE_CONFIDENCE: Final = (0.0, 0.001, 0.005, 0.01, 0.05, 0.10, 0.20, 0.40, 1.00)
_TABLE_DEVIATE: Final = (4.0, 3.09, 2.58, 2.33, 1.65, 1.28, 0.84, 0.25, 0.00)


def added_errors(
    weight: float, errors: float, confidence: float = 0.25, *, flavor: str = "j48"
) -> float:
    """Return what the upper confidence bound of an error rate adds to the errors seen.

    Parameters
    ----------
    weight : float
        Training weight at a leaf, above 0.
    errors : float
        Weight that is not of its majority.
    confidence : float, default=0.25
        Probability of more errors than the bound; smaller prunes more.
    flavor : {"j48", "r8"}, default="j48"
        Exact normal quantile, or the table of Release 8.

    Returns
    -------
    float
        Added errors.

    References
    ----------
    .. [1] Quinlan (1993), C4.5: Programs for Machine Learning, section 4.2.

    Examples
    --------
    >>> round(added_errors(16, 1), 5), round(added_errors(16, 1, flavor="r8"), 5)
    (1.47571, 1.50689)
    """
    return float(_pruning.added_errors(weight, errors, bound_parts(confidence, flavor)))


def prune_by_estimated_errors(
    tree: Tree,
    matrix: Floats,
    y: Codes,
    sample_weight: Floats | None,
    *,
    confidence: float,
    raises: bool,
    flavor: str,
) -> Tree:
    """Prune a tree bottom up where the bound of the error does not rise by more than 0.1.

    Parameters
    ----------
    tree : Tree
        As it has grown.
    matrix : ndarray of shape (n_rows, n_attributes), float64
        The training rows, as `encode_table` gives them.
    y : ndarray of shape (n_rows,), int16
        Their classes.
    sample_weight : ndarray of shape (n_rows,) or None
        Their weights.
    confidence : float
        As for `added_errors`.
    raises : bool
        Whether the largest branch, the last of equals, may take the place of its parent, all
        rows sent into it.
    flavor : {"j48", "r8"}
        As for `added_errors`.

    Returns
    -------
    Tree
    """
    if tree.n_nodes == 1:
        return tree
    numbers, cut, counts = pruning_numbers(tree)
    weight = np.ones(len(y)) if sample_weight is None else sample_weight
    bound = bound_parts(confidence, flavor)
    form = (numbers, cut, tree.lookup, with_directions(tree, matrix), y, bound)
    pruning = _pruning.Pruning(form, counts, np.zeros(tree.n_nodes))
    pruning.prune(0, np.arange(len(y), dtype=np.int32), weight, raises)
    return with_numbers(tree, numbers, cut, counts).compact()


def pruning_numbers(tree: Tree) -> tuple[NDArray[np.int32], Floats, Floats]:
    """Return numbers, cuts and class weights of the nodes, for `Pruning` to change."""
    columns: tuple[np.ndarray, ...] = (
        tree.kind,
        tree.attribute,
        tree.first_child,
        tree.n_children,
        tree.lookup_start,
        tree.default_branch,
    )
    numbers = np.empty((tree.n_nodes, len(columns)), np.int32)
    for index, column in enumerate(columns):
        numbers[:, index] = column
    return numbers, tree.threshold.copy(), tree.class_weights.copy()


def with_numbers(tree: Tree, numbers: NDArray[np.int32], cut: Floats, counts: Floats) -> Tree:
    """Return the tree that `Pruning` has left, nodes that nothing leads to included."""
    is_leaf = numbers[:, 0] == 0
    return replace(
        tree,
        kind=numbers[:, 0].astype(np.int8),
        attribute=np.where(is_leaf, -1, numbers[:, 1]).astype(np.int32),
        threshold=cut,
        first_child=np.where(is_leaf, -1, numbers[:, 2]).astype(np.int32),
        n_children=np.where(is_leaf, 0, numbers[:, 3]).astype(np.int32),
        lookup_start=numbers[:, 4].copy(),
        default_branch=numbers[:, 5].copy(),
        class_weights=counts,
    )


def collapsed(tree: Tree) -> Tree:
    """Return the tree in which no subtree makes as many training errors as a leaf would.

    Parameters
    ----------
    tree : Tree
        As it has grown.

    Returns
    -------
    Tree
    """
    return tree.pruned(collapsing(tree))


def collapsing(tree: Tree) -> Bools:
    """Return which nodes `collapsed` makes leaves, shape (n_nodes,)."""
    below = tree.sum_over_leaves(tree.leaf_errors)
    return np.asarray(below >= tree.leaf_errors - 1e-3)


@functools.lru_cache
def bound_parts(confidence: float, flavor: str) -> tuple[float, float, bool]:
    """Return confidence, normal deviate and flavor, as `_pruning` takes them."""
    if flavor == "r8":
        z = float(np.interp(confidence, _TABLE_CONFIDENCE, _TABLE_DEVIATE))
    else:
        z = -float(ndtri(confidence)) if confidence > 0 else np.inf
    return float(confidence), z, flavor == "r8"
