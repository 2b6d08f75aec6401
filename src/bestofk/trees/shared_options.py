"""Options shared by ID3, C4.5, CART and Hellinger trees, and the rules of growth they imply."""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from bestofk.trees.growth_rules import GrowthRules
from bestofk.trees.parameters import GROWTH_CHOICES, GROWTH_NUMBERS

SHARED_CHOICES: Final = {name: GROWTH_CHOICES[name] for name in ("missing_values", "cost_rule")}
SHARED_FLAGS: Final = ("costs_paid_once", "chi_squared_bonferroni")
SHARED_NUMBERS: Final = GROWTH_NUMBERS


def shared_rules(learner: Any, **own: Any) -> GrowthRules:
    """Return the rules of growth of a learner, its parameters being checked already.

    Parameters
    ----------
    learner : TreeClassifier
        Parameters are its attributes.
    **own : object
        Rules that the learner makes itself: fields of `GrowthRules`.

    Returns
    -------
    GrowthRules
    """
    least = learner.min_samples_split
    rules: dict[str, Any] = {
        "min_branch": learner.min_samples_leaf,
        "min_split": 2 * learner.min_samples_leaf if least is None else least,
        "max_depth": np.inf if learner.max_depth is None else learner.max_depth,
        "min_decrease": learner.min_impurity_decrease,
        "missing": learner.missing_values,
        "alpha": learner.chi_squared_alpha,
        "bonferroni": learner.chi_squared_bonferroni,
        "cost_rule": learner.cost_rule,
        "cost_weight": learner.cost_weight,
        "costs_paid_once": learner.costs_paid_once,
        "counts_weight": True,
        "takes_zero": True,
    }
    return GrowthRules(**{**rules, **own})
