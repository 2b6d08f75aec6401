"""The kinds of pruning that all trees share, and the parameters that go with them."""

from __future__ import annotations

from dataclasses import dataclass
from numbers import Integral
from typing import Any, Self

import numpy as np

from bestofk.array_types import Codes, Floats, Positions
from bestofk.errors import InvalidArgumentError
from bestofk.trees.base import TreeClassifier
from bestofk.trees.growth_rules import GrowthRules
from bestofk.trees.parameters import NO_PRUNING, check_fields
from bestofk.trees.pruning_methods import (
    choose_alpha,
    dealt_folds,
    prune_by_description_length,
    prune_by_reduced_error,
    prune_path,
    prune_pessimistically,
    split_by_folds,
    split_by_fraction,
)
from bestofk.trees.sorting import Columns
from bestofk.trees.tree import Tree


@dataclass(kw_only=True, eq=False, repr=False)
class PrunedTreeClassifier(TreeClassifier):
    """Base of the trees that offer all shared kinds of pruning.

    A subclass says by which rules its trees grow, and adds parameters and kinds of its own.

    Attributes
    ----------
    tree_ : Tree
        The tree.
    classes_ : ndarray of shape (n_classes,)
        Labels.
    n_classes_ : int
        How many there are.
    attributes_ : tuple of Attribute
        What the columns are.
    n_features_in_ : int
        How many there are.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Their names, where the table had some.
    ccp_alpha_ : float
        What a leaf costs; with cost-complexity pruning.
    """

    @property
    def is_pruned(self) -> bool:
        """Whether trees are pruned once they are grown."""
        return self.pruning not in NO_PRUNING

    @property
    def chooses_alpha(self) -> bool:
        """Whether cross-validation chooses what a leaf costs."""
        return self.pruning == "cost-complexity" and self.ccp_alpha is None

    def check_parameters(self) -> None:
        """Hold the parameters to their rules, each by itself and all together."""
        check_fields(self)
        if self.ordinal_splits == "multiway" and self.nominal_splits != "multiway":
            raise InvalidArgumentError(
                f"ordinal_splits of {type(self).__name__} must be 'cut' together with "
                f"nominal_splits={self.nominal_splits!r}; got 'multiway'. Levels without an order "
                "have a branch each too where those with one have."
            )

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Grow and prune the tree.

        Parameters
        ----------
        X : ndarray or DataFrame of shape (n_samples, n_features)
            Training rows: numbers, texts, categories, booleans; missing values are welcome.
        y : array-like of shape (n_samples,)
            Labels.
        sample_weight : array-like of shape (n_samples,) or None, default=None
            What each row counts; rows that count nothing are left out.

        Returns
        -------
        TreeClassifier
            Itself.

        Raises
        ------
        ValueError
            If a parameter, a column, the weights or the labels break a rule that the
            message states.
        """
        self.tree_ = self._grow_and_prune(*self._sorted_training(X, y, sample_weight))
        return self

    def pruned_tree(self, tree: Tree, columns: Columns, y: Codes, weight: Floats | None) -> Tree:
        """Return the tree after pruning, if that asks for no more than its counts."""
        if self.pruning == "pessimistic":
            return prune_pessimistically(tree)
        if self.pruning == "mdl":
            return prune_by_description_length(tree, columns.n_levels)
        if self.pruning == "cost-complexity" and self.ccp_alpha is not None:
            self.ccp_alpha_ = float(self.ccp_alpha)
            return prune_path(tree).tree_at(self.ccp_alpha_)
        return tree

    def _grows_once(self) -> bool:
        """Tell whether one tree is grown on all rows, and then at most pruned by `pruned_tree`."""
        return self.pruning != "reduced-error" and not self.chooses_alpha

    def _grow_and_prune(
        self, columns: Columns, y: Codes, rules: GrowthRules, weight: Floats | None
    ) -> Tree:
        if self.pruning == "reduced-error":
            growing, pruning = self.pruning_split(y)
            tree = self.grow_on(columns, y, rules, weight, growing)
            kept = None if weight is None else weight[pruning]
            return prune_by_reduced_error(tree, columns.matrix()[pruning], y[pruning], kept)
        if not self.chooses_alpha:
            return self.pruned_tree(self.grow_on(columns, y, rules, weight), columns, y, weight)
        path = prune_path(self.grow_on(columns, y, rules, weight, np.arange(len(y))))
        self.ccp_alpha_ = choose_alpha(
            path,
            lambda rows: self.grow_on(columns, y, rules, weight, rows),
            columns.matrix(),
            y,
            weight,
            splits=self.alpha_splits(y),
            one_standard_error=self.one_standard_error,
        ).alpha
        return path.tree_at(self.ccp_alpha_)

    def pruning_split(self, y: Codes) -> tuple[Positions, Positions]:
        """Return the rows that grow and those that prune, sorted, of reduced-error pruning."""
        if self.pruning_fraction is None:
            return split_by_folds(y, self.pruning_folds)
        return split_by_fraction(y, self.pruning_fraction, self.random_state)

    def _read_training(
        self, X: Any, y: Any, sample_weight: Any
    ) -> tuple[Any, Codes, Floats | None]:
        # Pairs of cv count all rows, also those that are left out as they weigh nothing.
        read = super()._read_training(X, y, sample_weight)
        if self.chooses_alpha and not isinstance(self.cv, Integral):
            counted = 1.0 if sample_weight is None else np.asarray(sample_weight)
            self._is_counted = np.broadcast_to(counted > 0, len(np.asarray(y)))
        return read

    def alpha_splits(self, y: Codes) -> list[tuple[Positions, Positions]]:
        """Return the rows that grow and those held back, of each split that chooses alpha."""
        is_counted = self.__dict__.pop("_is_counted", np.ones(len(y), np.bool_))
        if isinstance(self.cv, Integral):
            return dealt_folds(y, min(int(self.cv), len(y)), self.random_state)
        number = np.cumsum(is_counted) - 1
        if hasattr(self.cv, "split"):
            return list(self.cv.split(np.zeros((len(y), 1)), y))
        splits = [(np.asarray(growing), np.asarray(held)) for growing, held in self.cv]
        return [
            (number[growing[is_counted[growing]]], number[held[is_counted[held]]])
            for growing, held in splits
        ]
