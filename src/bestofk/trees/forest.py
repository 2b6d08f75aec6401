"""Trees of many parts of one table, fitted one by one or grown as one forest."""

from collections.abc import Iterator, Sequence
from copy import copy
from typing import Any, Final

import numpy as np
from sklearn.base import clone

from bestofk.array_types import Codes, Floats, Positions
from bestofk.errors import InvalidArgumentError
from bestofk.trees._leaves import find_forest_leaves
from bestofk.trees.attributes import NUMERIC
from bestofk.trees.base import TreeClassifier
from bestofk.trees.c45 import C45Classifier
from bestofk.trees.cart import CARTClassifier
from bestofk.trees.growing import grow_forest, grow_together
from bestofk.trees.growth_rules import GrowthRules
from bestofk.trees.hellinger import HellingerTreeClassifier
from bestofk.trees.pruning_methods import collapsed, prune_by_estimated_errors
from bestofk.trees.sorting import Columns
from bestofk.trees.tree import Tree

# Tables of up to this many cells are grown together; larger ones do not fit the cache.
_CELLS_TOGETHER: Final = 2_000_000


def fit_batched(
    classifier: TreeClassifier, X: Any, y: Any, parts: Sequence[Positions]
) -> Iterator[TreeClassifier]:
    """Fit a tree to each of several parts of a table.

    Parameters
    ----------
    classifier : TreeClassifier
        The learner, which is not fitted itself.
    X : ndarray or DataFrame of shape (n_samples, n_features)
        The whole table.
    y : array-like of shape (n_samples,)
        Labels.
    parts : sequence of ndarray of int
        Training rows of each part, each row at most once.

    Yields
    ------
    TreeClassifier
        One for each part, in order: the tree that `fit` would grow on those rows, with the levels
        and classes of the whole table.

    Raises
    ------
    ValueError
        As for `fit`; or if numeric columns are discretized, which would differ by part.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.model_selection import KFold
    >>> from bestofk.trees import C45Classifier
    >>> X, y = load_iris(return_X_y=True)
    >>> parts = [train for train, _ in KFold(5, shuffle=True, random_state=0).split(X)]
    >>> [tree.get_n_leaves() for tree in fit_batched(C45Classifier(), X, y, parts)]
    [3, 4, 5, 5, 4]
    """
    whole = clone(classifier)
    if whole.discretization is not None:
        raise InvalidArgumentError(
            f"discretization of {type(whole).__name__} must be None to fit parts in a batch; got "
            f"{whole.discretization!r}: intervals of the whole table would use the rows left out. "
            "Fit each part separately."
        )
    rules = whole.growth_rules()
    read, codes, _ = whole._read_training(X, y, None)
    rules = whole.completed_rules(rules)
    columns = whole._sort(read, codes, rules, may_list=True)
    together = 1
    if whole._grows_once():
        together = max(_CELLS_TOGETHER // (len(codes) * len(columns.attributes)), 1)
    for start in range(0, len(parts), together):
        rows = [np.sort(np.asarray(part)) for part in parts[start : start + together]]
        grown = grow_together(columns, rows, codes, whole.classes_, rules) if together > 1 else []
        for number, part in enumerate(rows):
            fitted, table, y_part = copy(whole), columns.take(part), codes[part]
            if grown:
                fitted.tree_ = fitted.pruned_tree(grown[number], table, y_part, None)
            else:
                fitted.tree_ = fitted._grow_and_prune(table, y_part, rules, None)
            yield fitted


def is_forest_learner(learner: TreeClassifier, columns: Columns) -> bool:
    """Return whether `forest_answers` gives the predictions of the learner's own trees.

    Parameters
    ----------
    learner : TreeClassifier
        The learner; its class and pruning must be supported.
    columns : Columns
        Columns, supported if they are numbers and none is missing.
    """
    if columns.has_missing or any(attribute.kind != NUMERIC for attribute in columns.attributes):
        return False
    if type(learner) is C45Classifier and learner.pruning == "error-based":
        return True
    kinds = (C45Classifier, CARTClassifier, HellingerTreeClassifier)
    return type(learner) in kinds and not learner.is_pruned and learner._grows_once()


def forest_answers(
    learner: TreeClassifier,
    columns: Columns,
    matrix: Floats,
    y: Codes,
    rules: GrowthRules,
    train: Sequence[Positions],
    asked: Sequence[Positions],
) -> list[Floats] | None:
    """Grow a tree on each part of a table, and return its probabilities for some rows.

    Parameters
    ----------
    learner : TreeClassifier
        A learner accepted by `is_forest_learner`, with its classes.
    columns : Columns
        All rows, sorted.
    matrix : ndarray of shape (n_samples, n_attributes), float64
        All rows, as a tree reads them.
    y : ndarray of shape (n_samples,), int16
        Classes.
    rules : GrowthRules
        How trees grow.
    train, asked : sequence of ndarray of int
        Rows of each part, ascending, and the rows to predict.

    Returns
    -------
    list of ndarray of shape (n_asked, n_classes), or None
        Probabilities of the classes, part by part; None if trees must grow one by one.
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
    answers = forest.probabilities(laplace=bool(learner.laplace))
    return np.split(answers.take(leaf, axis=0), ends[1:-1])


def _pruned(
    forest: Tree, learner: C45Classifier, matrix: Floats, y: Codes, train: Sequence[Positions]
) -> Tree:
    """Return the forest as `C45Classifier` prunes each of its trees."""
    if learner.collapse:
        forest = collapsed(forest, n_roots=len(train))
    if not learner.is_pruned:
        return forest
    raises, bound = learner.subtree_raising, learner.error_bound
    return prune_by_estimated_errors(
        forest, matrix, y, None, bound=bound, raises=raises, parts=train
    )
