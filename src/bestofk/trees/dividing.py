"""Division of the levels of a nominal attribute among fewer branches."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

import numpy as np
from numpy.typing import NDArray

from bestofk.trees._nominal_tests import divide_into_subsets, set_one_apart
from bestofk.trees.grouping import grouped_levels
from bestofk.trees.growth_rules import GrowthRules

# Levels that more than two classes may divide in all 2**(v-1) - 1 ways.
MOST_EXHAUSTIVE: Final = 10


def one_against_rest(
    counts: NDArray[np.float64],
    weight: NDArray[np.float64],
    rules: GrowthRules,
    mapping: NDArray[np.int16],
    worth: NDArray[np.float64],
) -> None:
    """Find the level that is best set apart from all others.

    Parameters
    ----------
    counts : ndarray of shape (b, n_levels, c), float64
        Known class weights by node and level.
    weight : ndarray of shape (b,), float64
        Weights of the nodes, unknown rows included.
    rules : GrowthRules
        Criterion, least weight of a branch, and whether ratios decide.
    mapping : ndarray of shape (b, n_levels), int16
        Set to the branch of each level: 0 for the one, 1 for the rest.
    worth : ndarray of shape (b,), float64
        Set to worth times known weight; left alone where there is no test.
    """
    set_one_apart(counts, weight, rules.for_loops, mapping, worth)


def best_subset(
    counts: NDArray[np.float64],
    weight: NDArray[np.float64],
    rules: GrowthRules,
    mapping: NDArray[np.int16],
    worth: NDArray[np.float64],
) -> None:
    """Find the best division into two subsets, as `one_against_rest`.

    Exact for two classes and Gini or entropy: levels in the order of a class's share hold the
    best cut (Breiman et al. 1984, section 9.4). With more classes all divisions of up to ten
    levels are tried; of more, those in the order of the share of each class in turn.
    """
    least = 0.0 if rules.checks_branch_late else rules.min_branch
    divide_into_subsets(counts, rules.for_loops, least, MOST_EXHAUSTIVE, mapping, worth)


Divider = Callable[
    [
        NDArray[np.float64],
        NDArray[np.float64],
        GrowthRules,
        NDArray[np.int16],
        NDArray[np.float64],
    ],
    None,
]
DIVIDERS: Final[dict[str, Divider]] = {
    "binary": one_against_rest,
    "subset": best_subset,
    "group": grouped_levels,
}
