"""The C4.5 learner: gain ratio, multiway splits, fractional instances, error-based pruning."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from bestofk.learners.trees.base import TreeClassifier
from bestofk.learners.trees.error_based_pruning import collapsed, prune_by_estimated_errors
from bestofk.learners.trees.growth_rules import GrowthRules
from bestofk.learners.trees.sorting import Columns
from bestofk.learners.trees.tree import Tree

FLAVORS = ("j48", "r8")
PRUNINGS = ("error-based", "reduced-error", "pessimistic", "mdl", None)


class C45Classifier(TreeClassifier):
    def __init__(
        self,
        *,
        flavor: str = "j48",
        criterion: str = "gain_ratio",
        nominal_splits: str = "multiway",
        min_samples_leaf: float = 2,
        max_depth: int | None = None,
        mdl_correction: bool = True,
        threshold: str = "value",
        collapse: bool = True,
        pruning: str | None = "error-based",
        confidence: float = 0.25,
        subtree_raising: bool = True,
        laplace: bool = False,
        missing_values: str = "fractional",
        classes: Any = None,
        categorical_features: Any = "from_dtype",
        ordinal_features: Any = None,
        max_categories: int = 1000,
        random_state: Any = None,
    ) -> None:
        self.flavor = flavor
        self.criterion = criterion
        self.nominal_splits = nominal_splits
        self.min_samples_leaf = min_samples_leaf
        self.max_depth = max_depth
        self.mdl_correction = mdl_correction
        self.threshold = threshold
        self.collapse = collapse
        self.pruning = pruning
        self.confidence = confidence
        self.subtree_raising = subtree_raising
        self.laplace = laplace
        self.missing_values = missing_values
        self.classes = classes
        self.categorical_features = categorical_features
        self.ordinal_features = ordinal_features
        self.max_categories = max_categories
        self.random_state = random_state

    def _rules(self) -> GrowthRules:
        is_r8 = self.flavor == "r8"
        return GrowthRules(
            criterion="entropy",
            choice="worth" if self.criterion == "gain" else "ratio-above-average",
            nominal_splits=self.nominal_splits,
            min_branch=self.min_samples_leaf,
            tenth_rule=True,
            counts_weight=is_r8,
            min_split=2 * self.min_samples_leaf,
            max_depth=np.inf if self.max_depth is None else self.max_depth,
            gap=1e-5,
            tie=1e-6,
            numeric_penalty=self.mdl_correction,
            missing=self.missing_values,
            threshold=self.threshold,
        )

    def _prune(
        self,
        tree: Tree,
        columns: Columns,
        y: NDArray[np.int16],
        weight: NDArray[np.float64] | None,
    ) -> Tree:
        if self.collapse:
            tree = collapsed(tree)
        if self.pruning == "error-based":
            tree = prune_by_estimated_errors(
                tree,
                columns.matrix(),
                y,
                weight,
                confidence=self.confidence,
                raises=self.subtree_raising,
                flavor=self.flavor,
            )
        return tree
