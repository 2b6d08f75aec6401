"""The kinds of pruning that all trees share, and the parameters that go with them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from numbers import Integral
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from bestofk.errors import InvalidArgumentError
from bestofk.trees.arrays import Codes, Floats
from bestofk.trees.base import TreeClassifier
from bestofk.trees.cost_complexity import choose_alpha, prune_path, prune_to_alpha
from bestofk.trees.growing import grow
from bestofk.trees.growth_rules import GrowthRules
from bestofk.trees.minimum_description_length import prune_by_description_length
from bestofk.trees.parameters import (
    GROWTH_CHOICES,
    GROWTH_NUMBERS,
    check_number,
    check_parameters,
)
from bestofk.trees.pessimistic_pruning import prune_pessimistically
from bestofk.trees.reduced_error_pruning import (
    prune_by_reduced_error,
    split_by_folds,
    split_by_fraction,
)
from bestofk.trees.sorting import Columns
from bestofk.trees.tree import Tree

NO_PRUNING: Final = (None, "none")
PRUNINGS: Final = ("reduced-error", "pessimistic", "cost-complexity", "mdl", *NO_PRUNING)
_CHOICES: Final = {"pruning": PRUNINGS, "ordinal_splits": ("cut", "multiway")}
_FLAGS: Final = ("one_standard_error", "chi_squared_bonferroni", "costs_paid_once")
_NUMBERS: Final[dict[str, dict[str, Any]]] = {
    "pruning_folds": {
        "low": 2,
        "is_whole": True,
        "way_out": "One of the folds prunes, the others grow.",
    },
    "pruning_fraction": {
        "low": 0,
        "high": 1,
        "closed": "neither",
        "or_none": True,
        "way_out": "It is the share of the rows that prune; use None to go by folds.",
    },
    "ccp_alpha": {
        "low": 0,
        "or_none": True,
        "way_out": "It is what a leaf costs, as a share of errors; use None to choose it by "
        "cross-validation.",
    },
}


@dataclass(kw_only=True, eq=False, repr=False)
class PrunedTreeClassifier(TreeClassifier):
    """Base of the trees that offer all shared kinds of pruning.

    A subclass says by which rules its trees grow, and adds kinds of its own. The fields are the
    parameters that all have; a subclass adds its own ones and replaces defaults.
    """

    pruning: str | None = None
    pruning_folds: int = 3
    pruning_fraction: float | None = None
    ccp_alpha: float | None = None
    cv: Any = 5
    one_standard_error: bool = True
    min_samples_leaf: float = 1
    max_depth: int | None = None
    min_samples_split: float | None = None
    min_impurity_decrease: float = 0.0
    missing_values: str = "fractional"
    chi_squared_alpha: float | None = None
    chi_squared_bonferroni: bool = False
    costs: Any = None
    cost_rule: str = "tan-schlimmer"
    cost_weight: float = 1.0
    costs_paid_once: bool = False
    discretization: str | None = None
    n_bins: int = 5
    discretize_at: str = "table"
    oblique: str | None = None
    classes: Any = None
    categorical_features: Any = "from_dtype"
    ordinal_features: Any = None
    max_categories: int = 1000
    random_state: Any = None

    @property
    def is_pruned(self) -> bool:
        """Whether trees are pruned once they are grown."""
        return self.pruning not in NO_PRUNING

    def check_parameters(
        self,
        *,
        choices: Mapping[str, Sequence[str | None]],
        flags: Sequence[str] = (),
        numbers: Mapping[str, Mapping[str, Any]] = {},
    ) -> None:
        """Hold the parameters to their rules: those that all have, and others as they are named."""
        kind = type(self).__name__
        check_parameters(
            self,
            choices={**GROWTH_CHOICES, **_CHOICES, **choices},
            flags=(*flags, *_FLAGS),
            numbers={**_NUMBERS, **GROWTH_NUMBERS, **numbers},
        )
        if isinstance(self.cv, str) or not (hasattr(self.cv, "split") or np.iterable(self.cv)):
            check_number(
                what=f"cv of {kind}",
                value=self.cv,
                low=2,
                is_whole=True,
                way_out="It is the number of folds, a splitter, or pairs of row numbers.",
            )
        if self.ordinal_splits == "multiway" and self.nominal_splits != "multiway":
            raise InvalidArgumentError(
                f"ordinal_splits of {kind} must be 'cut' together with nominal_splits="
                f"{self.nominal_splits!r}; got 'multiway'. Levels without an order have a branch "
                "each too where those with one have."
            )

    def rules_with(self, **own: Any) -> GrowthRules:
        """Return the rules of growth that the parameters imply, and those of the learner itself.

        Parameters
        ----------
        **own : object
            Rules that the learner makes itself: fields of `GrowthRules`.

        Returns
        -------
        GrowthRules
        """
        least = self.min_samples_split
        rules: dict[str, Any] = {
            "min_branch": self.min_samples_leaf,
            "min_split": 2 * self.min_samples_leaf if least is None else least,
            "max_depth": np.inf if self.max_depth is None else self.max_depth,
            "min_decrease": self.min_impurity_decrease,
            "missing": self.missing_values,
            "alpha": self.chi_squared_alpha,
            "bonferroni": self.chi_squared_bonferroni,
            "cost_rule": self.cost_rule,
            "cost_weight": self.cost_weight,
            "costs_paid_once": self.costs_paid_once,
            "counts_weight": True,
            "takes_zero": True,
        }
        return GrowthRules(**{**rules, **own})

    def grow_on(
        self,
        columns: Columns,
        y: Codes,
        rules: GrowthRules,
        weight: Floats | None,
        rows: NDArray[np.intp] | None = None,
    ) -> Tree:
        """Return the unpruned tree of some rows, None for all; see `growing.grow`."""
        return grow(columns, y, self.classes_, rules, weight, rows)

    def pruned_tree(self, tree: Tree, columns: Columns, y: Codes, weight: Floats | None) -> Tree:
        """Return the tree after pruning, if that asks for no more than its counts."""
        if self.pruning == "pessimistic":
            return prune_pessimistically(tree)
        if self.pruning == "mdl":
            return prune_by_description_length(tree, columns.n_levels)
        return tree

    def _grows_once(self) -> bool:
        return self.pruning not in ("reduced-error", "cost-complexity")

    def _grow_and_prune(
        self, columns: Columns, y: Codes, rules: GrowthRules, weight: Floats | None
    ) -> Tree:
        if self.pruning == "reduced-error":
            return self._least_errors(columns, y, rules, weight)
        if self.pruning == "cost-complexity":
            return self._least_cost(columns, y, rules, weight)
        return self.pruned_tree(self.grow_on(columns, y, rules, weight), columns, y, weight)

    def _least_errors(
        self, columns: Columns, y: Codes, rules: GrowthRules, weight: Floats | None
    ) -> Tree:
        """Return the tree of some rows, pruned by the others."""
        if self.pruning_fraction is None:
            growing, pruning = split_by_folds(y, self.pruning_folds)
        else:
            growing, pruning = split_by_fraction(y, self.pruning_fraction, self.random_state)
        tree = self.grow_on(columns, y, rules, weight, growing)
        kept = None if weight is None else weight[pruning]
        return prune_by_reduced_error(tree, columns.matrix()[pruning], y[pruning], kept)

    def _least_cost(
        self, columns: Columns, y: Codes, rules: GrowthRules, weight: Floats | None
    ) -> Tree:
        """Return the tree of least errors and leaves; set what a leaf costs."""
        if self.ccp_alpha is not None:
            self.ccp_alpha_ = float(self.ccp_alpha)
            return prune_to_alpha(self.grow_on(columns, y, rules, weight), self.ccp_alpha_)
        path = prune_path(self.grow_on(columns, y, rules, weight, np.arange(len(y))))
        self.ccp_alpha_ = choose_alpha(
            path,
            lambda rows: self.grow_on(columns, y, rules, weight, rows),
            columns.matrix(),
            y,
            weight,
            one_standard_error=self.one_standard_error,
            n_folds=self.cv,
            splits=self._splits(y),
            random_state=self.random_state,
        ).alpha
        return path.tree_at(self.ccp_alpha_)

    def _chooses_alpha(self) -> bool:
        return self.pruning == "cost-complexity" and self.ccp_alpha is None

    def _read_training(
        self, X: Any, y: Any, sample_weight: Any
    ) -> tuple[Any, Codes, Floats | None]:
        # Pairs of cv count all rows, also those that are left out as they weigh nothing.
        read = super()._read_training(X, y, sample_weight)
        if self._chooses_alpha() and not isinstance(self.cv, Integral):
            counted = 1.0 if sample_weight is None else np.asarray(sample_weight)
            self._is_counted = np.broadcast_to(counted > 0, len(np.asarray(y)))
        return read

    def _splits(self, y: Codes) -> list[tuple[NDArray[np.intp], NDArray[np.intp]]] | None:
        """Return the given splits, in numbers of the rows that count; None for folds."""
        is_counted = self.__dict__.pop("_is_counted", np.ones(len(y), np.bool_))
        if isinstance(self.cv, Integral):
            return None
        number = np.cumsum(is_counted) - 1
        if hasattr(self.cv, "split"):
            return list(self.cv.split(np.zeros((len(y), 1)), y))
        splits = [(np.asarray(growing), np.asarray(held)) for growing, held in self.cv]
        return [
            (number[growing[is_counted[growing]]], number[held[is_counted[held]]])
            for growing, held in splits
        ]
