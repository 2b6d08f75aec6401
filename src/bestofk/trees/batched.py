"""Trees grown on many parts of one table, with its columns sorted once."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from copy import copy
from typing import Any, Final

import numpy as np
from sklearn.base import clone

from bestofk.array_types import Positions
from bestofk.errors import InvalidArgumentError
from bestofk.trees.base import TreeClassifier
from bestofk.trees.growing import grow_together
from bestofk.trees.tree import Tree

# Tables of this many cells are grown together: more do not stay near the processor.
_CELLS_TOGETHER: Final = 2_000_000


def fit_batched(
    classifier: TreeClassifier, X: Any, y: Any, parts: Sequence[Positions]
) -> Iterator[TreeClassifier]:
    """Fit a tree to each of several parts of a table.

    Parameters
    ----------
    classifier : TreeClassifier
        The learner; it stays unfitted.
    X : ndarray or DataFrame of shape (n_samples, n_features)
        The whole table.
    y : array-like of shape (n_samples,)
        Labels.
    parts : sequence of ndarray of int
        Training rows of each part, each row at most once.

    Yields
    ------
    TreeClassifier
        One for each part, in order: the tree that `fit` would grow on those rows, levels and
        classes being declared as those of the whole table.

    Raises
    ------
    ValueError
        As `fit`; or if numeric columns are divided into intervals, which belong to one part.

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
            f"{whole.discretization!r}: intervals of the whole table would know the rows left "
            "out. Fit each part by itself."
        )
    rules = whole.growth_rules()
    X, codes, _ = whole._read_training(X, y, None)
    rules = whole.completed_rules(rules)
    columns = whole._sort(X, codes, rules, may_list=True)
    together = 1
    if whole._grows_once():
        together = max(_CELLS_TOGETHER // (len(codes) * len(columns.attributes)), 1)
    for start in range(0, len(parts), together):
        rows = [np.sort(np.asarray(part)) for part in parts[start : start + together]]
        tables, labels = [columns.take(part) for part in rows], [codes[part] for part in rows]
        trees: list[Tree | None] = [None] * len(rows)
        if together > 1:
            trees[:] = grow_together(columns, rows, codes, whole.classes_, rules)
        for table, y_part, tree in zip(tables, labels, trees, strict=True):
            fitted = copy(whole)
            if tree is None:
                fitted.tree_ = fitted._grow_and_prune(table, y_part, rules, None)
            else:
                fitted.tree_ = fitted.pruned_tree(tree, table, y_part, None)
            yield fitted
