"""Trees of many parts of one table, grown together for each kind of pruning."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, TypeGuard

import numpy as np
from numpy.typing import NDArray

from bestofk.array_types import Floats, Positions
from bestofk.trees.base import TreeClassifier
from bestofk.trees.cost_complexity import (
    _dealt_folds,
    choose_alpha,
    prune_path,
    prune_to_alpha,
)
from bestofk.trees.growing import grow_together
from bestofk.trees.growth_rules import GrowthRules
from bestofk.trees.pruning import PrunedTreeClassifier
from bestofk.trees.reduced_error_pruning import (
    prune_by_reduced_error,
    split_by_folds,
    split_by_fraction,
)
from bestofk.trees.sorting import Columns
from bestofk.trees.tree import Tree
from bestofk.trees.tree_structure import THRESHOLD

Split = tuple[Positions, Positions]


@dataclass(frozen=True, eq=False)
class SharedRows:
    """The table that parts are taken from.

    Attributes
    ----------
    columns : Columns
        Sorted.
    matrix : ndarray of shape (n_samples, n_attributes), float64
        As a tree reads it.
    y : ndarray of shape (n_samples,), int16
        Classes.
    rules : GrowthRules
        How trees grow.
    """

    columns: Columns
    matrix: Floats
    y: NDArray[np.int16]
    rules: GrowthRules

    @cached_property
    def order(self) -> Positions:
        """Rows by the values of each attribute, missing ones last: (n_attributes, n_samples)."""
        return np.argsort(self.matrix.T, axis=1, kind="stable")


def may_grow_together(learner: TreeClassifier, shared: SharedRows, n_rows: int) -> bool:
    """Return whether `grow_parts` gives the trees of `fit`, for parts with all classes and levels.

    Parameters
    ----------
    learner : TreeClassifier
        Any but Weka's SimpleCart.
    shared : SharedRows
        The table.
    n_rows : int
        Training rows of the part.
    """
    if not _keeps_rows(learner):
        return True
    if shared.rules.in_32_bits:
        return False
    # `fit` judges by all rows of a part which columns have many levels; here those that grow do.
    if learner.pruning_fraction is None:
        n_growing = n_rows - n_rows // learner.pruning_folds
    else:
        n_growing = n_rows - int(np.ceil(learner.pruning_fraction * n_rows))
    n_levels = shared.columns.n_levels[shared.columns.is_nominal]
    is_many = [n_levels >= 0.3 * n - 1e-6 for n in (n_rows, n_growing)]
    return 0 < n_growing < n_rows and bool((is_many[0] == is_many[1]).all())


def _keeps_rows(learner: TreeClassifier) -> TypeGuard[PrunedTreeClassifier]:
    """Return whether a learner keeps rows away from growing."""
    return isinstance(learner, PrunedTreeClassifier) and learner.pruning == "reduced-error"


def trees_per_part(learner: TreeClassifier) -> int:
    """Return how many trees are grown for one fit."""
    chooses = isinstance(learner, PrunedTreeClassifier) and learner._chooses_alpha()
    return 1 + int(learner.cv) if chooses else 1


def grow_parts(
    learners: Sequence[TreeClassifier], shared: SharedRows, parts: Sequence[Positions]
) -> list[Tree]:
    """Grow and prune the trees of some parts.

    Parameters
    ----------
    learners : sequence of TreeClassifier
        One for each part: alike but for the random state.
    shared : SharedRows
        The table; every part has all its classes and levels.
    parts : sequence of ndarray of int
        Training rows in ascending order.

    Returns
    -------
    list of Tree
        Those of `fit`.
    """
    first = learners[0]
    if _keeps_rows(first):
        return _reduced(learners, shared, parts)
    if isinstance(first, PrunedTreeClassifier) and first.pruning == "cost-complexity":
        return _cost_complexity(learners, shared, parts)
    trees, tables, codes = _grown(first, shared, shared.rules, parts)
    pairs = zip(learners, trees, tables, codes, strict=True)
    return [learner.pruned_tree(tree, table, y, None) for learner, tree, table, y in pairs]


def _grown(
    learner: TreeClassifier, shared: SharedRows, rules: GrowthRules, parts: Sequence[Positions]
) -> tuple[list[Tree], list[Columns], list[NDArray[np.int16]]]:
    tables = [shared.columns.take(rows) for rows in parts]
    codes = [shared.y[rows] for rows in parts]
    trees = grow_together(shared.columns, parts, shared.y, learner.classes_, rules)
    return trees, tables, codes


def _cost_complexity(
    learners: Sequence[Any], shared: SharedRows, parts: Sequence[Positions]
) -> list[Tree]:
    """Grow the trees of the inner cross-validations along with those that they prune."""
    splits: list[list[Split]] = []
    grown: list[Positions] = []
    for learner, rows in zip(learners, parts, strict=True):
        inner: list[Split] = []
        if learner._chooses_alpha():
            n_folds = min(int(learner.cv), len(rows))
            inner = _dealt_folds(shared.y[rows], n_folds, learner.random_state)
        splits.append(inner)
        grown += [rows, *(rows[growing] for growing, _ in inner)]
    trees = iter(_grown(learners[0], shared, shared.rules, grown)[0])
    return [
        _chosen(learner, shared, rows, inner, trees)
        for learner, rows, inner in zip(learners, parts, splits, strict=True)
    ]


def _chosen(
    learner: Any, shared: SharedRows, rows: Positions, inner: list[Split], trees: Iterator[Tree]
) -> Tree:
    """Prune the next tree, by those after it where alpha is to be chosen."""
    if not inner:
        return prune_to_alpha(next(trees), float(learner.ccp_alpha))
    path = prune_path(next(trees))
    choice = choose_alpha(
        path,
        lambda _: next(trees),
        shared.matrix[rows],
        shared.y[rows],
        one_standard_error=learner.one_standard_error,
        splits=inner,
    )
    return path.tree_at(choice.alpha)


def _reduced(learners: Sequence[Any], shared: SharedRows, parts: Sequence[Positions]) -> list[Tree]:
    """Grow on a share of each part, and prune by the rest of it."""
    splits = []
    for learner, rows in zip(learners, parts, strict=True):
        y = shared.y[rows]
        if learner.pruning_fraction is None:
            split = split_by_folds(y, learner.pruning_folds)
        else:
            split = split_by_fraction(y, learner.pruning_fraction, learner.random_state)
        splits.append((rows[split[0]], rows[split[1]]))
    takes_values = shared.rules.threshold == "value"
    rules = replace(shared.rules, threshold="midpoint") if takes_values else shared.rules
    trees, _, _ = _grown(learners[0], shared, rules, [growing for growing, _ in splits])
    results = []
    for tree, rows, (_, held) in zip(trees, parts, splits, strict=True):
        grown = _with_values(tree, shared, rows) if takes_values else tree
        results.append(prune_by_reduced_error(grown, shared.matrix[held], shared.y[held]))
    return results


def _with_values(tree: Tree, shared: SharedRows, rows: Positions) -> Tree:
    """Return a tree whose thresholds are the largest values of some rows not above its own."""
    threshold = tree.threshold.copy()
    is_meant = np.zeros(len(shared.y), dtype=bool)
    is_meant[rows] = True
    is_cut = tree.kind == THRESHOLD
    for a in np.unique(tree.attribute[is_cut]).tolist():
        here = np.flatnonzero(is_cut & (tree.attribute == a))
        ordered = shared.order[a]
        known = shared.matrix[ordered[is_meant[ordered]], a]
        threshold[here] = known[np.searchsorted(known, threshold[here], side="right") - 1]
    return replace(tree, threshold=threshold)
