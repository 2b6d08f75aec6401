"""Wilcoxon signed-rank test of two learners over many data sets."""

from __future__ import annotations

import math
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import ArrayLike

from bestofk.errors import InvalidArgumentError
from bestofk.inference.catalogue_entry import Procedure
from bestofk.inference.many_data_sets.ranks import paired_differences
from bestofk.inference.many_data_sets.remarks import (
    INDEPENDENT,
    SYMMETRIC,
    all_ties,
    few_differences,
    not_equal,
)
from bestofk.inference.many_data_sets.signed_ranks import AUTO_EXACT, signed_ranks, walsh_limits
from bestofk.inference.one_test_set.rows import one_sided_limits, tail
from bestofk.inference.results import HypothesisTestResult
from bestofk.inference.student import Floats, check_alternative, check_share


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class WilcoxonResult(HypothesisTestResult):
    """The outcome of a Wilcoxon signed-rank test.

    Parameters
    ----------
    w_plus, w_minus : float
        Sum of the ranks of data sets where the first minus the second is positive, negative.
    n_data_sets : int
        All data sets; `n` counts those with a difference.
    differences : ndarray of shape (n,), float
        The differences that the interval is made of.
    """

    w_plus: float
    w_minus: float
    n_data_sets: int
    differences: Floats = field(repr=False)

    def confidence_interval(self, level: float = 0.95) -> tuple[float, float]:
        """Return the Hodges-Lehmann limits of the median difference.

        Parameters
        ----------
        level : float in (0, 1), default=0.95
            Confidence; kept at least, if no differences tie and there are at most 50 of them.

        Returns
        -------
        low, high : float
            Walsh averages; infinite where so few differences cannot bound, and (0, 0) where
            all are 0. One-sided tests have one-sided intervals.

        Raises
        ------
        InvalidArgumentError
            If `level` is not inside (0, 1).
        """
        check_share(level, "level")
        if not self.differences.any():
            return 0.0, 0.0
        cut = walsh_limits(len(self.differences), tail(level, self.alternative))
        low, high = -math.inf, math.inf
        if cut:
            walsh = walsh_averages(self.differences)
            low, high = (float(np.partition(walsh, at)[at]) for at in (cut - 1, len(walsh) - cut))
        return one_sided_limits(low, high, self.alternative)


def walsh_averages(differences: Floats) -> Floats:
    """Return the means of all pairs of differences, each with itself too.

    Parameters
    ----------
    differences : ndarray of shape (n,), float
        Any order.

    Returns
    -------
    ndarray of shape (n (n + 1) / 2,), float
        Not sorted.
    """
    i, j = np.triu_indices(len(differences))
    return np.asarray((differences[i] + differences[j]) / 2)


def wilcoxon_test(
    a: ArrayLike,
    b: ArrayLike,
    *,
    alternative: str = "two-sided",
    method: str = "auto",
    continuity: bool = False,
    zeros: str = "wilcox",
) -> WilcoxonResult:
    """Compare two learners over many data sets by the Wilcoxon signed-rank test.

    Null hypothesis: the differences are symmetric around 0 (two-sided), or around something
    not above ("greater"), not below ("less") 0. Design: paired, one score of each learner per
    data set, of one unit.

    Parameters
    ----------
    a, b : array-like of shape (n_data_sets,), float
        One score of the first and of the second learner on each data set.
    alternative : {"two-sided", "greater", "less"}, default="two-sided"
        What is to be shown about a - b.
    method : {"auto", "exact", "normal"}, default="auto"
        "exact" is the permutation distribution of the ranks, ties included; "normal" the
        normal distribution with the variance of those ranks. "auto" is exact up to 50 differences.
    continuity : bool, default=False
        Whether the normal distribution is corrected for continuity; not used by the exact one.
    zeros : {"wilcox", "pratt", "zsplit"}, default="wilcox"
        Data sets without a difference are dropped before ranking, or ranked and then dropped,
        or ranked and split between both sums. Exact p values of the last two agree.

    Returns
    -------
    WilcoxonResult
        Statistic W+; the Hodges-Lehmann estimate of the difference with its interval; the
        matched rank-biserial correlation (W+ - W-) / (W+ + W-). If all differences are 0:
        p value 1, flag ``"all_ties"``, n = 0.

    Raises
    ------
    DesignError
        If the scores do not pair, are not finite, of fewer than two data sets, or "exact" is
        asked for with more than 1000 differences.
    InvalidArgumentError
        If `alternative`, `method` or `zeros` is unknown.

    See Also
    --------
    sign_test : Where sizes of differences cannot be compared between data sets.

    Notes
    -----
    Absolute differences tie where they agree in 12 significant digits of the scores, as .81 -
    .79 and .92 - .90 do [1]_. When not to trust it: differences far from symmetric,
    scores of different units, data sets that are variants of each other.

    References
    ----------
    .. [1] Wilcoxon (1945), Individual comparisons by ranking methods, Biometrics Bulletin 1(6);
       for learners Demsar (2006), Statistical comparisons of classifiers over multiple data
       sets, Journal of Machine Learning Research 7.

    Examples
    --------
    >>> first = [0.90, 0.85, 0.81, 0.77, 0.93, 0.88, 0.79]
    >>> second = [0.88, 0.86, 0.77, 0.72, 0.925, 0.82, 0.72]
    >>> result = wilcoxon_test(first, second)
    >>> result.w_plus, result.w_minus, result.p_value
    (26.0, 2.0, 0.046875)
    """
    check_alternative(alternative)
    differences = paired_differences(a, b, "wilcoxon_test")
    if not isinstance(continuity, bool):
        raise InvalidArgumentError(
            f"continuity of wilcoxon_test must be True or False; got {continuity!r}. "
            "False is usual."
        )
    ranks = signed_ranks(differences, method=method, continuity=continuity, zeros=zeros)
    nonzero = differences[differences != 0]
    n = len(nonzero)
    ranked = nonzero if n and zeros == "wilcox" else differences
    p_value = float(ranks.p_value(alternative))
    total = float(ranks.w_plus + ranks.w_minus)
    is_exact = method == "exact" or (method == "auto" and n <= AUTO_EXACT)
    return WilcoxonResult(
        procedure="Wilcoxon signed-rank test",
        n=n,
        n_of="data sets with a difference",
        n_data_sets=len(differences),
        assumptions=(INDEPENDENT, SYMMETRIC),
        flags=() if n else ("all_ties",),
        warnings=(
            *(() if n else all_ties("data sets")),
            *(few_differences(n, alternative) if n else ()),
            *not_equal(p_value),
        ),
        statistic=float(ranks.w_plus),
        symbol="W+",
        p_value=p_value,
        alternative=alternative,
        estimate=float(np.median(walsh_averages(ranked))),
        estimate_of="Hodges-Lehmann difference",
        effect_size=float(ranks.w_plus - ranks.w_minus) / total if n else 0.0,
        effect_size_of="rank-biserial correlation",
        distribution="permutations of the signs" if is_exact else "normal",
        w_plus=float(ranks.w_plus),
        w_minus=float(ranks.w_minus),
        differences=ranked,
    )


PROCEDURE = Procedure(
    name="wilcoxon",
    title="Wilcoxon signed-rank test",
    question="Do two learners differ over many data sets, large differences counting more?",
    takes="two-on-data-sets",
    run=wilcoxon_test,
    aliases=("wilcoxon-signed-rank", "wilcoxon-signed-ranks", "signed-rank", "wsr"),
)
