"""Error-based pruning of C4.5: subtrees replaced by a leaf or by one of their branches."""

from __future__ import annotations

import functools
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final

import numpy as np
from numpy.typing import NDArray
from scipy.stats import norm

from bestofk.trees.prediction import with_directions
from bestofk.trees.tree import Tree

if TYPE_CHECKING:
    import numpy as np

# Normal deviates by confidence as the original program has them, linear between.
_TABLE_CONFIDENCE: Final = (0.0, 0.001, 0.005, 0.01, 0.05, 0.10, 0.20, 0.40, 1.00)
_TABLE_DEVIATE: Final = (4.0, 3.09, 2.58, 2.33, 1.65, 1.28, 0.84, 0.25, 0.00)

# By how much the bound may rise where a tree gets smaller; comparisons blur by 1e-6.
SLACK: Final = 0.1 + 1e-6


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
    from bestofk.trees._pruning_kernels import _added_errors

    return float(_added_errors(float(weight), float(errors), bound_parts(confidence, flavor)))


def prune_by_estimated_errors(
    tree: Tree,
    matrix: NDArray[np.float64],
    y: NDArray[np.int16],
    sample_weight: NDArray[np.float64] | None,
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
    matrix = np.ascontiguousarray(with_directions(tree, matrix))
    bound = bound_parts(confidence, flavor)
    form = (numbers, cut, tree.lookup, matrix, y, bound)
    rows = np.arange(len(y), dtype=np.int32)
    prune_rows(form, counts, np.zeros(tree.n_nodes), 0, rows, weight, raises=raises)
    return with_numbers(tree, numbers, cut, counts).compact()


def pruning_numbers(
    tree: Tree,
) -> tuple[NDArray[np.int32], NDArray[np.float64], NDArray[np.float64]]:
    """Return numbers, cuts and class weights of the nodes, for `prune_rows` to change."""
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


def with_numbers(
    tree: Tree,
    numbers: NDArray[np.int32],
    cut: NDArray[np.float64],
    counts: NDArray[np.float64],
) -> Tree:
    """Return the tree that `prune_rows` has left, nodes that nothing leads to included."""
    is_leaf = numbers[:, 0] == 0
    return replace(
        tree,
        kind=numbers[:, 0].astype(np.int8),
        attribute=numbers[:, 1].copy(),
        threshold=cut,
        first_child=np.where(is_leaf, -1, numbers[:, 2]).astype(np.int32),
        n_children=np.where(is_leaf, 0, numbers[:, 3]).astype(np.int32),
        lookup_start=numbers[:, 4].copy(),
        default_branch=numbers[:, 5].copy(),
        class_weights=counts,
    )


def prune_rows(
    form: tuple[Any, ...],
    counts: NDArray[np.float64],
    estimates: NDArray[np.float64],
    root: int,
    rows: NDArray[np.int32],
    weight: NDArray[np.float64],
    *,
    raises: bool,
) -> None:
    """Prune a subtree in place, from the bottom.

    Parameters
    ----------
    form : tuple
        Numbers, cuts and lookup of the tree, training table, classes and bound, as
        `_pruning_kernels` takes them; numbers and cuts are changed.
    counts : ndarray of shape (n_nodes, n_classes), float64
        Class weights of the nodes; changed where a branch is raised.
    estimates : ndarray of shape (n_nodes,), float64
        Set to the estimated errors of the nodes of the subtree.
    root : int
        Its highest node.
    rows : ndarray of shape (r,), int32
        Training rows that reach it.
    weight : ndarray of shape (r,), float64
        Their weights.
    raises : bool
        Whether branches may take the place of their parents.
    """
    from bestofk.trees._pruning_kernels import LEAF, _divided, _estimate, _reach

    numbers, cut, lookup, matrix, y, bound = form
    own, none = np.zeros(counts.shape[1]), np.empty((0, counts.shape[1]))
    pending = [(root, rows, weight, False)]
    while pending:
        node, rows, weight, is_pruned_below = pending.pop()
        if numbers[node, 0] == LEAF:
            estimates[node] = _estimate(counts[node], bound)
            continue
        first, n_branches = int(numbers[node, 2]), int(numbers[node, 3])
        inner = [v for v in range(n_branches) if numbers[first + v, 0] != LEAF]
        if not is_pruned_below and inner:
            pending.append((node, rows, weight, True))
            spans, below, parts = np.zeros(n_branches + 1, np.int64), rows, weight
            if raises:
                below, parts = _divided(node, rows, weight, numbers, cut, lookup, matrix, spans)
            ends = spans.tolist()
            pending.extend(
                (first + v, below[ends[v] : ends[v + 1]], parts[ends[v] : ends[v + 1]], False)
                for v in inner
            )
            continue
        for child in range(first, first + n_branches):
            if numbers[child, 0] == LEAF:
                estimates[child] = _estimate(counts[child], bound)
        of_tree = sum(estimates[first : first + n_branches].tolist())
        of_leaf, of_branch = _estimate(counts[node], bound), np.inf
        if raises:
            largest = first + largest_branch(counts[first : first + n_branches].sum(axis=1))
            of_branch = of_leaf  # all rows in one leaf
        if raises and numbers[largest, 0] != LEAF:
            limit = of_tree + SLACK
            if of_leaf <= limit:
                limit = max(limit, of_leaf - SLACK)
            of_branch = _reach(
                largest, rows, weight, numbers, cut, lookup, matrix, y, bound, limit, own, none
            )
        estimates[node] = of_tree
        if of_leaf <= of_tree + SLACK and of_leaf <= of_branch + SLACK:
            numbers[node, 0] = LEAF
            estimates[node] = of_leaf
        elif of_branch <= of_tree + SLACK:
            numbers[node], cut[node] = numbers[largest], cut[largest]
            _reach(node, rows, weight, numbers, cut, lookup, matrix, y, bound, np.inf, own, counts)
            pending.append((node, rows, weight, False))


def largest_branch(weight: NDArray[np.float64]) -> int:
    """Return the branch of the most weight, the last of equals; weight has shape (branches,)."""
    largest, highest = 0, -1.0
    for branch, here in enumerate(weight.tolist()):
        if here >= highest - 1e-6:
            largest, highest = branch, here
    return largest


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


def collapsing(tree: Tree) -> NDArray[np.bool_]:
    """Return which nodes `collapsed` makes leaves, shape (n_nodes,)."""
    below = tree.sum_over_leaves(tree.leaf_errors)
    return np.asarray(below >= tree.leaf_errors - 1e-3)


@functools.lru_cache
def bound_parts(confidence: float, flavor: str) -> tuple[float, float, bool]:
    """Return confidence, normal deviate and flavor, as `_pruning_kernels` takes them."""
    if flavor == "r8":
        z = float(np.interp(confidence, _TABLE_CONFIDENCE, _TABLE_DEVIATE))
    else:
        z = float(norm.isf(confidence)) if confidence > 0 else np.inf
    return float(confidence), z, flavor == "r8"
