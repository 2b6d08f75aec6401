"""Effect sizes, which do not grow with the number of data sets."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike

from bestofk.array_types import Floats
from bestofk.errors import DesignError
from bestofk.inference.checks import Names, check_finite
from bestofk.inference.many_data_sets.rank_omnibus import friedman_statistic
from bestofk.inference.many_data_sets.ranks import (
    mid_ranks,
    paired_differences,
    rank_rows,
    score_table,
)


def rank_biserial(a: ArrayLike, b: ArrayLike) -> float:
    """Return the matched rank-biserial correlation of two learners on shared data sets.

    Parameters
    ----------
    a, b : array-like of shape (n_data_sets,), float
        One score of the first and of the second learner on each data set.

    Returns
    -------
    float
        (W+ - W-) / (W+ + W-), the signed-rank sums of a - b without zeros [1]_: 1 where the first
        is always greater, -1 where it is always smaller, 0 where all are the same.

    Raises
    ------
    DesignError
        If the scores do not pair, are not finite, or of fewer than two data sets.

    References
    ----------
    .. [1] Kerby (2014), The simple difference formula, Comprehensive Psychology 3.

    Examples
    --------
    >>> rank_biserial([0.9, 0.8, 0.7], [0.8, 0.6, 0.8])
    0.5
    """
    differences = paired_differences(a, b, "rank_biserial")
    differences = differences[differences != 0]
    ranks = mid_ranks(np.abs(differences))
    return float((np.sign(differences) * ranks).sum() / ranks.sum()) if len(ranks) else 0.0


def cohen_dz(a: ArrayLike, b: ArrayLike) -> float:
    """Return the mean difference of two learners in standard deviations of the differences.

    Parameters
    ----------
    a, b : array-like of shape (n_data_sets,), float
        One score of the first and of the second learner on each data set.

    Returns
    -------
    float
        mean(a - b) / sd(a - b) [1]_. Without spread: 0 if there is no difference either, else inf
        or -inf.

    Raises
    ------
    DesignError
        If the scores do not pair, are not finite, or of fewer than two data sets.

    Notes
    -----
    Means over many splits have little spread, which inflates it: compare it only between scores
    that were made alike.

    References
    ----------
    .. [1] Cohen (1988), Statistical power analysis for the behavioral sciences, Erlbaum.

    Examples
    --------
    >>> round(cohen_dz([0.9, 0.8, 0.7], [0.8, 0.6, 0.8]), 4)
    0.4364
    """
    differences = paired_differences(a, b, "cohen_dz")
    if np.ptp(differences) == 0:
        mean = float(differences[0])
        return math.copysign(math.inf, mean) if mean else 0.0
    return float(differences.mean() / differences.std(ddof=1))


def cliffs_delta(a: ArrayLike, b: ArrayLike) -> float:
    """Return how much more often a score of the first is greater than one of the second.

    Parameters
    ----------
    a, b : array-like of shapes (n_a,) and (n_b,), float
        Scores that do not pair; the numbers may differ.

    Returns
    -------
    float
        P(a > b) - P(a < b) over all pairs of scores [1]_, from -1 to 1.

    Raises
    ------
    DesignError
        If either is empty, not a list of numbers, or not finite.

    References
    ----------
    .. [1] Cliff (1993), Dominance statistics, Psychological Bulletin 114(3).

    Examples
    --------
    >>> cliffs_delta([1, 2, 3], [0, 2])
    0.5
    """
    first, second = (finite_sample(x, "cliffs_delta") for x in (a, b))
    ascending = np.sort(second)
    smaller = np.searchsorted(ascending, first, side="left")
    not_greater = np.searchsorted(ascending, first, side="right")
    greater = len(second) - not_greater
    return float((smaller - greater).sum() / (len(first) * len(second)))


def kendall_w(scores: ArrayLike, *, names: Names = None) -> float:
    """Return how far the data sets agree on the order of the learners: Kendall's W.

    Parameters
    ----------
    scores : array-like of shape (n_data_sets, n_learners), float
        One score of each learner on each data set; the direction does not matter.
    names : sequence of str, optional
        Of the learners; needed where they are more than the data sets.

    Returns
    -------
    float
        From 0 (no agreement, or all learners tie everywhere) to 1 (one order), corrected for
        ties [1]_: the Friedman statistic over n_data_sets (n_learners - 1).

    Raises
    ------
    DesignError
        If a score is missing or infinite, there are fewer than two data sets or learners, or
        more learners than data sets and no names.

    References
    ----------
    .. [1] Kendall & Babington Smith (1939), The problem of m rankings, Annals of Mathematical
       Statistics 10(3).

    Examples
    --------
    >>> kendall_w([[0.1, 0.2], [0.2, 0.3], [0.3, 0.5]])
    1.0
    """
    table, _ = score_table(scores, names, "kendall_w")
    ranks = rank_rows(table, greater_is_better=False)
    n_data_sets, n_learners = ranks.shape
    return friedman_statistic(ranks) / float(n_data_sets * (n_learners - 1))


def finite_sample(values: ArrayLike, procedure: str) -> Floats:
    """Return a list of numbers as floats, or raise.

    Parameters
    ----------
    values : array-like of shape (n,), float
        At least one number.
    procedure : str
        Name of the caller, for the error message.

    Returns
    -------
    ndarray of shape (n,), float
        The same numbers.

    Raises
    ------
    DesignError
        If it is empty, not a list of numbers, or not finite.
    """
    try:
        sample = np.asarray(values, dtype=float)
    except (TypeError, ValueError):
        sample = np.array(np.nan)
    if sample.ndim != 1 or not sample.size:
        raise DesignError(
            f"values of {procedure} must be a list of numbers; got shape {sample.shape}. "
            "Give one number per run, row or data set."
        )
    way_out = "Leave the value out, or find out why it is missing."
    check_finite(sample, f"values of {procedure}", "place", way_out)
    return sample


def reproducibility_r(a: ArrayLike, b: ArrayLike) -> float:
    """Return the reproducibility R of "the first is better" over repetitions of an experiment.

    Parameters
    ----------
    a, b : array-like of shape (n_runs,), float
        Score of the first and of the second learner in each repetition, on the same splits.
        What agrees in 12 significant digits is a tie.

    Returns
    -------
    float
        From 0 (either wins as often as the other, or all tie) to 1 (one always wins).

    Raises
    ------
    DesignError
        If the scores do not pair, are not finite, or of fewer than two runs.

    Notes
    -----
    max(2 R' - 1, 2 R'' - 1) with R' and R'' the shares of runs that each learner wins, ties half
    [1]_: the absolute mean sign of a - b. It says how stable a verdict is, not which one is right.

    References
    ----------
    .. [1] Raeder, Hoens & Chawla (2010), Consequences of variability in classifier performance
       estimates, IEEE International Conference on Data Mining.

    Examples
    --------
    >>> reproducibility_r([0.1, 0.2, 0.3, 0.2], [0.2, 0.3, 0.4, 0.1])
    0.5
    """
    return float(abs(np.sign(paired_differences(a, b, "reproducibility_r")).mean()))
