"""Pruning of the conditions of a rule as long as its error bound does not rise."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import cache
from typing import Final

import numpy as np

from bestofk.array_types import Bools, Floats, Positions
from bestofk.trees._pruning import added_errors
from bestofk.trees.error_based_pruning import bound_parts
from bestofk.trees.rule import Condition, Rule, leaf_paths
from bestofk.trees.text_form import leaf_class
from bestofk.trees.tree import Tree

# A rule that is expected to err more often is never used (Release 8).
_LARGEST_ERROR: Final = 0.7

ErrorBound = Callable[[float, float], float]


def rules_of_leaves(tree: Tree, bound: ErrorBound) -> tuple[list[Rule], Floats]:
    """Return one rule for each leaf with training rows, as the tree counted them.

    Parameters
    ----------
    tree : Tree
        Any tree without oblique tests.
    bound : callable
        As `error_bound` returns it.

    Returns
    -------
    rules : list of Rule
        None for a tree without tests.
    counts : ndarray of shape (n_rules, n_classes), float64
        Training weight of each class.
    """
    rules, leaves = [], []
    for leaf, conditions in leaf_paths(tree):
        weight = float(tree.weight[leaf])
        if conditions and weight > 0:
            c = leaf_class(tree, leaf)
            errors = weight - float(tree.class_weights[leaf, c])
            label, error = tree.classes[c], bound(weight, errors)
            rules.append(Rule(_by_column(conditions), c, label, weight, errors, error))
            leaves.append(leaf)
    return rules, tree.class_weights[leaves]


def rules_of_rows(
    tree: Tree,
    matrix: Floats,
    y: Positions,
    weight: Floats,
    bound: ErrorBound,
    *,
    prunes: bool,
    fisher_alpha: float | None,
) -> list[Rule]:
    """Return the rules of the leaves, counted on whole rows and pruned one by one.

    Parameters
    ----------
    tree : Tree
        Any tree without oblique tests.
    matrix : ndarray of shape (n_rows, n_attributes), float64
        The training rows.
    y : ndarray of shape (n_rows,), intp
        Their classes.
    weight : ndarray of shape (n_rows,), float64
        What they count, above 0.
    bound : callable
        As `error_bound` returns it.
    prunes : bool
        Whether conditions are dropped, and then rules that are no better than their class's
        share of the rows promises.
    fisher_alpha : float or None
        A condition must also be significant at this level by Fisher's exact test.

    Returns
    -------
    list of Rule
        In the order of the leaves, each once.
    """
    results: dict[tuple[frozenset[Condition], int], Rule] = {}
    total = float(weight.sum())
    holds_of = cache(lambda condition: condition.holds(matrix))
    for leaf, conditions in leaf_paths(tree):
        # Release 8 makes no rule of less than a row; 1e-6 is for sums of parts.
        if not conditions or tree.weight[leaf] <= (1 - 1e-6 if prunes else 0):
            continue
        c = leaf_class(tree, leaf)
        is_wrong = y != c
        target = float(weight[~is_wrong].sum())
        worst = 1.0 - (target + 1.0) / (total + 2.0)
        counts = _Counts(
            np.array([~holds_of(condition) for condition in conditions]),
            weight,
            np.where(is_wrong, weight, 0.0),
        )
        if prunes:
            _drop_conditions(counts, bound, worst, fisher_alpha)
        coverage, errors = counts.now()
        if not counts.kept or coverage <= 0:
            continue
        error = bound(coverage, errors)
        if prunes and (error >= worst or error > _LARGEST_ERROR):
            continue
        kept = _by_column(conditions[k] for k in counts.kept)
        rule = Rule(kept, c, tree.classes[c], coverage, errors, error)
        results.setdefault((frozenset(kept), c), rule)
    return list(results.values())


def error_bound(confidence: float, flavor: str) -> ErrorBound:
    """Return the function from weight and errors to the upper bound of the share of errors.

    Parameters
    ----------
    confidence : float
        As for `added_errors`.
    flavor : {"j48", "r8"}
        As for `added_errors`.

    Returns
    -------
    callable
    """
    limits = bound_parts(confidence, flavor)

    @cache
    def bound(weight: float, errors: float) -> float:
        return float((errors + added_errors(weight, errors, limits)) / weight)

    return bound


def _by_column(conditions: Iterable[Condition]) -> tuple[Condition, ...]:
    """Return conditions with those on the same column side by side, for the reader."""
    return tuple(sorted(conditions, key=lambda c: (c.column, c.threshold or 0.0)))


class _Counts:
    """Numbers of rows that meet all conditions kept, or all but one of them."""

    def __init__(self, fails: Bools, weight: Floats, wrong: Floats) -> None:
        self.fails = fails
        self.weight = weight
        self.wrong = wrong
        self.kept = list(range(len(fails)))
        self.n_failed = fails.sum(axis=0, dtype=np.int32)

    def now(self) -> tuple[float, float]:
        """Return weight and errors of the rule as it stands."""
        rows = np.flatnonzero(self.n_failed == 0)
        return float(self.weight[rows].sum()), float(self.wrong[rows].sum())

    def without_each(self) -> tuple[Floats, Floats]:
        """Return weight and errors that each condition kept holds off."""
        rows = np.flatnonzero(self.n_failed == 1)
        fails = self.fails[np.ix_(np.asarray(self.kept), rows)]
        return fails @ self.weight[rows], fails @ self.wrong[rows]

    def drop(self, index: int) -> None:
        """Drop one of the conditions kept."""
        self.n_failed -= self.fails[self.kept.pop(index)]


def _drop_conditions(
    counts: _Counts, bound: ErrorBound, worst: float, fisher_alpha: float | None
) -> None:
    """Drop conditions as long as one of them does not make the rule better."""
    while counts.kept:
        coverage, errors = counts.now()
        more, more_errors = counts.without_each()
        weights, wrong = coverage + more, errors + more_errors
        bounds = np.array(
            [bound(n, e) if n > 0 else worst for n, e in zip(weights, wrong, strict=True)]
        )
        here = bound(coverage, errors) if coverage > 0 else worst
        shares = np.divide(wrong, weights, out=np.zeros_like(wrong), where=weights > 0)
        is_idle = (bounds <= here) | (shares <= (errors / coverage if coverage > 0 else 0.0))
        if fisher_alpha is not None:
            is_idle |= _chance_of_as_few(errors, wrong, coverage, weights) > fisher_alpha
        if not is_idle.any():
            return
        # Any of them sets off the dropping; what is dropped is the last of the lowest bound.
        counts.drop(len(bounds) - 1 - int(bounds[::-1].argmin()))


def _chance_of_as_few(errors: float, wrong: Floats, coverage: float, weights: Floats) -> Floats:
    """Return the chance of so few errors, were the rows met drawn at random (Fisher)."""
    from scipy.stats import hypergeom

    n, e = np.rint(weights), np.rint(wrong)
    return np.asarray(hypergeom.cdf(round(errors), n, e, round(coverage)))
