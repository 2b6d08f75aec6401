"""CART."""
from __future__ import annotations
from typing import Any
import numpy as np
from bestofk.learners.trees.base import TreeClassifier
from bestofk.learners.trees.growth_rules import GrowthRules


class CARTClassifier(TreeClassifier):
    def __init__(self, *, flavor="breiman", criterion="gini", min_samples_leaf=1, max_depth=None, pruning="cost-complexity", classes=None,
                 categorical_features="from_dtype", ordinal_features=None, max_categories=1000, random_state=None):
        self.flavor = flavor
        self.criterion = criterion
        self.min_samples_leaf = min_samples_leaf
        self.max_depth = max_depth
        self.pruning = pruning
        self.classes = classes
        self.categorical_features = categorical_features
        self.ordinal_features = ordinal_features
        self.max_categories = max_categories
        self.random_state = random_state

    def _rules(self) -> GrowthRules:
        return GrowthRules(criterion=self.criterion, nominal_splits="subset", min_branch=self.min_samples_leaf, takes_zero=True,
            max_depth=np.inf if self.max_depth is None else self.max_depth)
