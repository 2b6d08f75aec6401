"""Kolmogorov-Smirnov test of two samples."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from bestofk.inference.many_data_sets.effect_sizes import finite_sample
from bestofk.inference.many_data_sets.remarks import not_equal
from bestofk.inference.results import HypothesisTestResult
from bestofk.inference.student import Floats
from bestofk.measures.ties import tied_values

UNPAIRED = "The values are independent of each other, within and between the samples."


def ks_two_sample(a: ArrayLike, b: ArrayLike) -> HypothesisTestResult:
    """Compare the distributions of two samples by the exact Kolmogorov-Smirnov test.

    Null hypothesis: both samples come from one distribution (two-sided). Design: unpaired.

    Parameters
    ----------
    a, b : array-like of shapes (n_a,) and (n_b,), float
        The samples; the numbers may differ.

    Returns
    -------
    HypothesisTestResult
        Statistic D: the largest distance of the two distribution functions. The p value is that
        of all ways to split the pooled values, ties as they are. If all values are the same:
        D = 0, p value 1. It has no interval.

    Raises
    ------
    DesignError
        If a sample is empty, not a list of numbers, or not finite.

    Notes
    -----
    Takes (n_a + n_b) n_a steps [1]_. When not to trust it: values that depend on each other, such
    as successive running means.

    References
    ----------
    .. [1] Hodges (1958), The significance probability of the Smirnov two-sample test, Arkiv for
       Matematik 3; with ties Schroer & Trenkler (1995), Computational Statistics & Data
       Analysis 20(2).

    Examples
    --------
    >>> result = ks_two_sample([1, 2, 3, 4], [3.5, 5, 6, 7])
    >>> result.statistic, round(result.p_value, 4)
    (0.75, 0.2286)
    """
    first, second = finite_sample(a, "ks_two_sample"), finite_sample(b, "ks_two_sample")
    tied = tied_values(np.concatenate([first, second]))
    pooled = np.sort(tied)
    below_first = np.searchsorted(np.sort(tied[: len(first)]), pooled, side="right")
    below_second = np.searchsorted(np.sort(tied[len(first) :]), pooled, side="right")
    n_first, n_second = len(first), len(second)
    # In whole numbers, so that equal distances are equal: D times n_first times n_second.
    distance = int(np.abs(below_first * n_second - below_second * n_first).max())
    is_last = np.append(pooled[1:] != pooled[:-1], True)
    p_value = _exceedance(distance, n_first, n_second, is_last) if distance else 1.0
    statistic = distance / (n_first * n_second)
    return HypothesisTestResult(
        procedure="Kolmogorov-Smirnov test",
        n=n_first + n_second,
        n_of="values in both samples",
        assumptions=(UNPAIRED,),
        flags=() if pooled[0] < pooled[-1] else ("all_ties",),
        warnings=not_equal(p_value),
        statistic=statistic,
        symbol="D",
        p_value=p_value,
        alternative="two-sided",
        estimate=statistic,
        estimate_of="largest distance of the distribution functions",
        distribution="permutations",
    )


def _exceedance(distance: int, n_first: int, n_second: int, is_last: Floats) -> float:
    """Return the probability that a random split is at least so far apart somewhere.

    Parameters
    ----------
    distance : int
        D times n_first times n_second, above 0.
    n_first, n_second : int
        Sizes of the samples.
    is_last : ndarray of shape (n_first + n_second,), bool
        Whether a pooled value, in ascending order, is the last of its ties: only there the
        distribution functions can be distinguished.

    Returns
    -------
    float
        In (0, 1].
    """
    n = n_first + n_second
    i = np.arange(n_first + 1)
    # Invariant: inside[i] is the probability that i of the values so far are of the first sample,
    # and that the distance was never reached.
    inside = np.zeros(n_first + 1)
    inside[0] = 1.0
    reached = 0.0
    for s in range(1, n + 1):
        goes_first = inside * (n_first - i) / (n - s + 1)
        inside -= goes_first
        inside[1:] += goes_first[:-1]
        if is_last[s - 1]:
            is_far = np.abs(i * n_second - (s - i) * n_first) >= distance
            reached += float(inside[is_far].sum())
            inside[is_far] = 0.0
    return min(1.0, reached)
