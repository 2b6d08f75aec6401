"""Tests of two learners over many data sets: Wilcoxon signed ranks, and the sign test."""

import math
from dataclasses import dataclass, field
from functools import lru_cache

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import ndtr, ndtri

from bestofk.array_types import Floats
from bestofk.checks import check_flag, check_known
from bestofk.errors import DesignError
from bestofk.inference.catalogue import Procedure
from bestofk.inference.checks import check_alternative, check_share
from bestofk.inference.many_data_sets import remarks
from bestofk.inference.many_data_sets.ranks import mid_ranks, paired_differences
from bestofk.inference.one_test_set.mcnemar import p_values
from bestofk.inference.one_test_set.proportions import clopper_pearson_limits
from bestofk.inference.results import HypothesisTestResult
from bestofk.inference.student import one_sided_limits, tail
from bestofk.measures.ties import at_most

METHODS = ("auto", "exact", "normal")
_WILCOXON_ZEROS = ("wilcox", "pratt", "zsplit")
# Differences up to which "auto" is exact: beyond, the normal distribution is as good.
AUTO_EXACT = 50
MOST_EXACT = 1000  # the exact distribution takes n^3 steps
_CELLS = 2**16  # so many differences are ranked at once: few, so that they stay in the cache


@dataclass(frozen=True, eq=False)
class SignedRanks:
    """Signed-rank sums of an array of pairs with their p values; fields of its shape.

    Parameters
    ----------
    w_plus, w_minus : ndarray of float
        Sum of the ranks of positive and of negative differences.
    p_greater, p_less, p_two_sided : ndarray of float
        1 where no difference is left.
    """

    w_plus: Floats
    w_minus: Floats
    p_greater: Floats
    p_less: Floats
    p_two_sided: Floats

    def p_value(self, alternative: str) -> Floats:
        """Return the p values of one side.

        Parameters
        ----------
        alternative : {"two-sided", "greater", "less"}
            Side, of the first minus the second.

        Returns
        -------
        ndarray of float
            p values.
        """
        return np.asarray(getattr(self, f"p_{alternative.replace('-', '_')}"))


def signed_ranks(
    differences: Floats, *, method: str = "auto", continuity: bool = False, zeros: str = "wilcox"
) -> SignedRanks:
    """Return the signed-rank statistics and p values of every pair.

    Parameters
    ----------
    differences : ndarray of shape (..., n_data_sets), float
        First minus second, ties joined; finite.
    method : {"auto", "exact", "normal"}
        As in `wilcoxon_test`.
    continuity : bool
        As in `wilcoxon_test`.
    zeros : {"wilcox", "pratt", "zsplit"}
        As in `wilcoxon_test`.

    Returns
    -------
    SignedRanks
        Fields of shape (...).

    Raises
    ------
    InvalidArgumentError
        If `method` or `zeros` is unknown.
    DesignError
        If "exact" is asked for with more than 1000 differences.
    """
    for value, what, known in ((method, "method", METHODS), (zeros, "zeros", _WILCOXON_ZEROS)):
        check_known(value, f"{what} of wilcoxon_test", known)
    most = int(np.count_nonzero(differences, axis=-1).max(initial=0))
    if method == "exact" and most > MOST_EXACT:
        raise DesignError(
            f"method of wilcoxon_test must be normal beyond {MOST_EXACT} differences; got exact "
            f"for {most}. Leave it at auto."
        )
    is_exact = method == "exact" or (method == "auto" and most <= AUTO_EXACT)
    pairs = differences.reshape(-1, differences.shape[-1])
    parts = np.array_split(pairs, max(1, pairs.size // _CELLS))
    fields = zip(*(_ranked(part, is_exact, continuity, zeros) for part in parts), strict=True)
    return SignedRanks(*(np.concatenate(of).reshape(differences.shape[:-1]) for of in fields))


def _ranked(pairs: Floats, is_exact: bool, continuity: bool, zeros: str) -> tuple[Floats, ...]:
    """Return the fields of `SignedRanks` for pairs, one per row."""
    nonzero = pairs != 0
    ranks = mid_ranks(np.abs(pairs))
    if zeros == "wilcox":  # zeros have the least ranks, so the others just move down
        ranks = np.where(nonzero, ranks - (~nonzero).sum(axis=-1, keepdims=True), 0.0)
    halves = (ranks * ~nonzero).sum(axis=-1) / 2 if zeros == "zsplit" else 0.0
    w_plus = (ranks * (pairs > 0)).sum(axis=-1) + halves
    w_minus = (ranks * (pairs < 0)).sum(axis=-1) + halves
    if is_exact:
        p_greater, p_less = _exact(ranks * nonzero, w_plus - halves)
        p_two_sided = np.minimum(1.0, 2 * np.minimum(p_greater, p_less))
    else:
        free = ranks if zeros == "zsplit" else ranks * nonzero
        p_greater, p_less, p_two_sided = _normal(free, w_plus, 0.5 if continuity else 0.0)
    is_left = nonzero.any(axis=-1)
    p_values = (np.where(is_left, p, 1.0) for p in (p_greater, p_less, p_two_sided))
    return w_plus, w_minus, *p_values


def _normal(ranks: Floats, w_plus: Floats, correction: float) -> tuple[Floats, Floats, Floats]:
    """Return p values by the normal distribution; each rank has a random sign."""
    deviation = w_plus - ranks.sum(axis=-1) / 2
    spread = np.sqrt((ranks**2).sum(axis=-1) / 4)
    spread = np.where(spread > 0, spread, 1.0)
    toward_zero = np.maximum(np.abs(deviation) - correction, 0.0)
    p_greater, p_less = -(deviation - correction) / spread, (deviation + correction) / spread
    return ndtr(p_greater), ndtr(p_less), 2 * ndtr(-toward_zero / spread)


def _exact(ranks: Floats, w_plus: Floats) -> tuple[Floats, Floats]:
    """Return exact one-sided p values; ranks of zeros are 0."""
    doubled = np.rint(2 * np.sort(ranks, axis=-1)).astype(np.int64)
    at = np.rint(2 * np.asarray(w_plus)).astype(np.int64)
    p_greater, p_less = np.empty(at.shape), np.empty(at.shape)
    for where in np.ndindex(at.shape):
        row = doubled[where]
        distribution = _distribution_of_sum(tuple(row[row > 0].tolist()))
        p_less[where] = distribution[: at[where] + 1].sum()
        p_greater[where] = distribution[at[where] :].sum()
    return np.minimum(p_greater, 1.0), np.minimum(p_less, 1.0)


@lru_cache(maxsize=64)
def _distribution_of_sum(weights: tuple[int, ...]) -> Floats:
    """Return the probability of every sum of weights that count with probability 1/2 each."""
    distribution = np.zeros(sum(weights) + 1)
    distribution[0] = 1.0
    reach = 0
    for weight in weights:
        # Invariant: distribution[: reach + 1] is the distribution of the sum of the weights so far.
        distribution[weight : reach + weight + 1] += distribution[: reach + 1].copy()
        distribution[: reach + weight + 1] /= 2
        reach += weight
    distribution.flags.writeable = False
    return distribution


def walsh_limits(n: int, tail: float) -> int:
    """Return how many Walsh averages are cut off at an end for limits of a confidence.

    Parameters
    ----------
    n : int
        Number of differences.
    tail : float in (0, 1)
        Probability beyond a limit.

    Returns
    -------
    int
        c: the c-th smallest and the c-th largest are the limits (c = 1: the least and the
        greatest); 0 where so few differences cannot bound with that confidence.
    """
    if n > AUTO_EXACT:
        spread = np.sqrt(n * (n + 1) * (2 * n + 1) / 24)
        return max(0, int(np.floor(n * (n + 1) / 4 + ndtri(tail) * spread)) + 1)
    below = np.cumsum(_distribution_of_sum(tuple(range(1, n + 1))))
    return int(at_most(below, tail).sum())


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
    check_flag(continuity, "continuity of wilcoxon_test")
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
        assumptions=(remarks.INDEPENDENT, remarks.SYMMETRIC),
        flags=() if n else ("all_ties",),
        warnings=(
            *(remarks.few_differences(n, alternative) if n else remarks.all_ties("data sets")),
            *remarks.not_equal(p_value),
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


WILCOXON = Procedure(
    name="wilcoxon",
    title="Wilcoxon signed-rank test",
    question="Do two learners differ over many data sets, large differences counting more?",
    takes="two-on-data-sets",
    run=wilcoxon_test,
    aliases=("wilcoxon-signed-rank", "wilcoxon-signed-ranks", "signed-rank", "wsr"),
)


_SIGN_ZEROS = ("drop", "split")


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class SignTestResult(HypothesisTestResult):
    """The outcome of a sign test.

    Parameters
    ----------
    wins, losses, ties : int
        Data sets where the score of the first is greater, smaller, the same as that of the
        second. Of losses (errors) a greater one is worse.
    """

    wins: int
    losses: int
    ties: int

    def confidence_interval(self, level: float = 0.95) -> tuple[float, float]:
        """Return the Clopper-Pearson limits of the share of data sets where the first is greater.

        Parameters
        ----------
        level : float in (0, 1), default=0.95
            Confidence, which is kept at least.

        Returns
        -------
        low, high : float
            From 0 to 1; (0, 1) where all data sets tie. One-sided tests have one-sided
            intervals.

        Raises
        ------
        InvalidArgumentError
            If `level` is not inside (0, 1).
        """
        outside = tail(level, self.alternative)
        low, high = clopper_pearson_limits(int(self.statistic), self.n, outside)
        return one_sided_limits(low, high, self.alternative, least=0.0, most=1.0)


def sign_test(
    a: ArrayLike, b: ArrayLike, *, alternative: str = "two-sided", zeros: str = "drop"
) -> SignTestResult:
    """Compare two learners over many data sets by the sign test.

    Null hypothesis: on a data set where they differ either learner has the greater score with
    probability 1/2 (two-sided), or the first with no greater ("greater") or no smaller ("less")
    one. Design: paired, one score of each learner per data set; sizes of differences do not
    count, so units may differ.

    Parameters
    ----------
    a, b : array-like of shape (n_data_sets,), float
        One score of the first and of the second learner on each data set. What agrees in 12
        significant digits is a tie.
    alternative : {"two-sided", "greater", "less"}, default="two-sided"
        What is to be shown about a - b.
    zeros : {"drop", "split"}, default="drop"
        Ties are left out, or given half to each side, an odd one left out [1]_.

    Returns
    -------
    SignTestResult
        Statistic: data sets where a > b, with split ties if asked for; estimate: their share of
        the n that count; effect size (statistic - (n - statistic)) / n. If all tie and are
        dropped: p value 1, flag ``"all_ties"``, n = 0.

    Raises
    ------
    DesignError
        If the scores do not pair, are not finite, or of fewer than two data sets.
    InvalidArgumentError
        If `alternative` or `zeros` is unknown.

    See Also
    --------
    wilcoxon_test : More powerful where sizes of differences can be compared.

    Notes
    -----
    Two-sided p values are twice the smaller binomial tail, at most 1. When not to
    trust it: data sets that are variants of each other.

    References
    ----------
    .. [1] Demsar (2006), Statistical comparisons of classifiers over multiple data sets,
       Journal of Machine Learning Research 7.

    Examples
    --------
    >>> result = sign_test([0.9, 0.8, 0.7, 0.9, 0.6, 0.8], [0.8, 0.7, 0.7, 0.8, 0.5, 0.7])
    >>> result.wins, result.losses, result.ties, result.p_value
    (5, 0, 1, 0.0625)
    """
    check_alternative(alternative)
    check_known(zeros, "zeros of sign_test", _SIGN_ZEROS)
    differences = paired_differences(a, b, "sign_test")
    wins, losses = int((differences > 0).sum()), int((differences < 0).sum())
    ties = len(differences) - wins - losses
    half = ties // 2 if zeros == "split" else 0
    greater, n = wins + half, wins + losses + 2 * half
    p_value = float(p_values(greater, n - greater, "exact")[alternative])
    tied = wins + losses == 0
    return SignTestResult(
        procedure="sign test",
        n=n,
        n_of="data sets that count",
        assumptions=(remarks.INDEPENDENT, remarks.RANKED_WITHIN),
        flags=("all_ties",) if tied else (),
        warnings=(
            *(remarks.all_ties("data sets") if tied else remarks.few_differences(n, alternative)),
            *remarks.not_equal(p_value),
        ),
        statistic=float(greater),
        symbol="wins",
        p_value=p_value,
        alternative=alternative,
        estimate=greater / n if n else 0.5,
        estimate_of="share of data sets where the first is greater",
        effect_size=(2 * greater - n) / n if n else 0.0,
        effect_size_of="wins minus losses, as a share",
        distribution="binomial",
        wins=wins,
        losses=losses,
        ties=ties,
    )


SIGN = Procedure(
    name="sign-test",
    title="sign test",
    question="Does one of two learners win on more data sets than the other?",
    takes="two-on-data-sets",
    run=sign_test,
    aliases=("signs",),
)
