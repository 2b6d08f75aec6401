"""The trees of many parts of one table as one: grown, pruned and asked together."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from bestofk.array_types import Codes, Floats, Positions
from bestofk.trees._leaves import find_forest_leaves
from bestofk.trees._pruning import Pruning
from bestofk.trees.attributes import NUMERIC
from bestofk.trees.base import TreeClassifier
from bestofk.trees.c45 import C45Classifier
from bestofk.trees.cart import CARTClassifier
from bestofk.trees.error_based_pruning import (
    bound_parts,
    collapsing,
    pruning_numbers,
    with_numbers,
)
from bestofk.trees.growing import grow_forest
from bestofk.trees.growth_rules import GrowthRules
from bestofk.trees.hellinger import HellingerTreeClassifier
from bestofk.trees.sorting import Columns
from bestofk.trees.tree import Tree


def is_forest_learner(learner: TreeClassifier, columns: Columns) -> bool:
    """Return whether `forest_answers` gives what the learner's own trees answer.

    Parameters
    ----------
    learner : TreeClassifier
        Its class and the way of pruning must be known here.
    columns : Columns
        Numbers alone, none missing.
    """
    if columns.has_missing or any(attribute.kind != NUMERIC for attribute in columns.attributes):
        return False
    if type(learner) is C45Classifier:
        return learner.pruning == "error-based" or not learner.is_pruned
    if type(learner) is CARTClassifier:
        return not learner.is_pruned and learner._grows_once()
    return type(learner) is HellingerTreeClassifier and not learner.is_pruned


def forest_answers(
    learner: TreeClassifier,
    columns: Columns,
    matrix: Floats,
    y: Codes,
    rules: GrowthRules,
    train: Sequence[Positions],
    asked: Sequence[Positions],
) -> list[Floats] | None:
    """Grow a tree on each part of a table, and return what it answers some rows.

    Parameters
    ----------
    learner : TreeClassifier
        One that `is_forest_learner` knows, with its classes.
    columns : Columns
        All rows, sorted.
    matrix : ndarray of shape (n_samples, n_attributes), float64
        All rows, as a tree reads them.
    y : ndarray of shape (n_samples,), int16
        Classes.
    rules : GrowthRules
        How trees grow.
    train, asked : sequence of ndarray of int
        Rows of each part, ascending, and the rows to answer.

    Returns
    -------
    list of ndarray of shape (n_asked, n_classes), or None
        Probabilities of the classes, part by part; None where trees must grow one by one.
    """
    result = grow_forest(columns, train, y, learner.classes_, rules)
    if result is None:
        return None
    forest = result[0]
    if isinstance(learner, C45Classifier):
        forest = _pruned(forest, learner, matrix, y, train)
    ends = np.cumsum([0, *(len(rows) for rows in asked)])
    rows, leaf = np.concatenate(asked), np.empty(ends[-1], np.int32)
    find_forest_leaves(forest.tests, np.ascontiguousarray(matrix), rows, ends, leaf)
    answers = forest.probabilities(laplace=bool(getattr(learner, "laplace", False)))
    return np.split(answers.take(leaf, axis=0), ends[1:-1])


def _pruned(
    forest: Tree, learner: C45Classifier, matrix: Floats, y: Codes, train: Sequence[Positions]
) -> Tree:
    """Return the forest as `C45Classifier` prunes each of its trees."""
    if learner.collapse:
        forest = forest.pruned(collapsing(forest), n_roots=len(train))
    if not learner.is_pruned:
        return forest
    bound = bound_parts(learner.confidence, learner.flavor)
    numbers, cut, counts = pruning_numbers(forest)
    form = (numbers, cut, forest.lookup, matrix, y, bound)
    pruning = Pruning(form, counts, np.zeros(forest.n_nodes))
    for root, rows in enumerate(train):
        pruning.prune(root, rows.astype(np.int32), np.ones(len(rows)), learner.subtree_raising)
    return with_numbers(forest, numbers, cut, counts).compact(n_roots=len(train))
