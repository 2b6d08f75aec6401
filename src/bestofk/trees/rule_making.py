"""Conversion of the leaves of a tree to ordered rules with a default, step by step."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.utils import check_random_state

from bestofk.array_types import Bools, Floats, Positions
from bestofk.randomness import derive_rng
from bestofk.trees.rule import Rule, first_met, rows_met
from bestofk.trees.rule_pruning import ErrorBound, rules_of_leaves, rules_of_rows
from bestofk.trees.rule_selection import (
    default_class,
    order_by_accuracy,
    order_by_class,
    rule_bits,
    select_for_class,
    without_harmful,
)
from bestofk.trees.tree import Tree

# Rules, class of rows that meet none, weight of each class that each rule (last: none) decides.
MadeRules = tuple[list[Rule], int, Floats]


def rules_as_grown(tree: Tree, bound: ErrorBound, *, order: str) -> MadeRules:
    """Return the rules of the leaves, of which no two hold for the same row.

    Parameters
    ----------
    tree : Tree
        Any tree without oblique tests.
    bound : callable
        As `error_bound` returns it.
    order : {"class", "accuracy"}
        As for `RuleSet.from_tree`.

    Returns
    -------
    tuple of list of Rule, int, and ndarray of shape (n_rules + 1, n_classes)
    """
    rules, counts = rules_of_leaves(tree, bound)
    indices = order_by_accuracy(rules)
    if order == "class":
        alarms = np.zeros(tree.n_classes)
        for rule in rules:
            alarms[rule.class_number] += rule.errors
        named = [rule.class_number for rule in rules]
        indices.sort(key=lambda r: (alarms[named[r]], named[r]))
    left = np.maximum(tree.class_weights[0] - counts.sum(axis=0), 0.0)
    decided = np.vstack([counts[indices], left])
    return [rules[r] for r in indices], int(tree.majority[0]), decided


def rules_of_training(
    tree: Tree,
    matrix: Floats,
    y: Positions,
    weight: Floats,
    bound: ErrorBound,
    *,
    prunes: bool,
    order: str,
    selects: bool,
    fisher_alpha: float | None,
    random_state: Any,
) -> MadeRules:
    """Return the rules after pruning, selection, ordering and a last look at the list.

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
    prunes, order, selects, fisher_alpha, random_state
        As for `RuleSet.from_tree`.

    Returns
    -------
    tuple of list of Rule, int, and ndarray of shape (n_rules + 1, n_classes)
    """
    rules = rules_of_rows(tree, matrix, y, weight, bound, prunes=prunes, fisher_alpha=fisher_alpha)
    holds = rows_met(rules, matrix)
    if selects:
        bits = rule_bits(rules, tree.attributes, matrix, weight)
        kept = _selected(rules, holds, y, weight, bits, random_state)
        rules, holds = [rules[r] for r in kept], holds[kept]
    if order == "class":
        indices = order_by_class(rules, holds, y, weight, tree.n_classes)
    else:
        indices = order_by_accuracy(rules)
    rules, holds = [rules[r] for r in indices], holds[indices]
    default = default_class(holds, y, weight, tree.n_classes)
    if selects:
        kept = without_harmful(holds, _classes_of(rules), y, weight, default)
        rules, holds = [rules[r] for r in kept], holds[kept]
    decided = np.zeros((len(rules) + 1, tree.n_classes))
    np.add.at(decided, (first_met(holds), y), weight)
    return rules, default, decided


def _classes_of(rules: list[Rule]) -> Positions:
    return np.array([rule.class_number for rule in rules], dtype=np.intp)


def _selected(
    rules: list[Rule], holds: Bools, y: Positions, weight: Floats, bits: Floats, random_state: Any
) -> list[int]:
    """Return the rules that describe their classes in the fewest bits."""
    of_class = _classes_of(rules)
    kept: list[int] = []
    for c in np.unique(of_class).tolist():
        indices = np.flatnonzero(of_class == c)
        rng: Any = (
            derive_rng(int(random_state), "rule selection", c)
            if isinstance(random_state, int | np.integer)
            else check_random_state(random_state)
        )
        chosen = select_for_class(holds[indices], y == c, weight, bits[indices], rng)
        kept += indices[chosen].tolist()
    return sorted(kept)
