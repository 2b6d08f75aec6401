"""Effect sizes, rank correlations, and counts of wins, ties and losses of every pair of learners.

Effect sizes and correlations do not grow with the number of data sets.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from bestofk.array_types import Floats, Ints
from bestofk.errors import DesignError
from bestofk.inference.cautions import Caution
from bestofk.inference.checks import Names, check_finite, learner_table
from bestofk.inference.many_data_sets.rank_omnibus import friedman_statistic
from bestofk.inference.many_data_sets.ranks import (
    mid_ranks,
    paired_differences,
    rank_rows,
    score_table,
)
from bestofk.inference.many_data_sets.remarks import not_equal
from bestofk.inference.results import HypothesisTestResult, Result, number
from bestofk.measures.ties import tied_values

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True, eq=False)
class WinTieLoss:
    """Counts of wins, ties and losses of every pair of learners.

    Parameters
    ----------
    names : tuple of str
        Learners.
    n_cases : int
        Splits or data sets that were counted.
    wins, ties : ndarray of shape (n_learners, n_learners), int
        [i, j]: cases where learner i has the smaller loss than j, and where they are tied;
        0 on the diagonal. Losses of i are wins of j.
    shown_wins : ndarray of shape (n_learners, n_learners), int
        Cases where i is significantly better than j; all others but `shown_wins` of j are
        undecided, which is not tied.
    has_tests : bool
        Whether tests were given; if not, `shown_wins` holds zeros.
    """

    names: tuple[str, ...]
    n_cases: int
    wins: Ints
    ties: Ints
    shown_wins: Ints
    has_tests: bool

    def to_frame(self) -> pd.DataFrame:
        """Return one row per pair of learners.

        Returns
        -------
        DataFrame
            Columns first, second, wins, ties, losses (of the first, by the raw losses); with
            tests also shown_wins, undecided, shown_losses.
        """
        import pandas as pd

        first, second = np.triu_indices(len(self.names), k=1)
        columns: dict[str, object] = {
            "first": [self.names[i] for i in first],
            "second": [self.names[j] for j in second],
            "wins": self.wins[first, second],
            "ties": self.ties[first, second],
            "losses": self.wins[second, first],
        }
        if self.has_tests:
            won, lost = self.shown_wins[first, second], self.shown_wins[second, first]
            columns |= {
                "shown_wins": won,
                "undecided": self.n_cases - won - lost,
                "shown_losses": lost,
            }
        return pd.DataFrame(columns)


def win_tie_loss(
    losses: ArrayLike, *, names: Names = None, shown_worse: ArrayLike | None = None
) -> WinTieLoss:
    """Count wins, ties and losses of every pair of learners.

    Parameters
    ----------
    losses : array-like of shape (n_cases, n_learners)
        Lower is better; cases are data sets, or splits of one data set.
    names : sequence of str, optional
        Names of the learners; required with more learners than cases. "learner 1" and so on if left
        out.
    shown_worse : array-like of shape (n_cases, n_learners, n_learners), bool, optional
        [c, i, j]: whether learner i is shown to have the greater loss than j in case c.

    Returns
    -------
    WinTieLoss
        Losses of one case that differ by rounding only (12 digits) are tied. Counts on splits
        of one data set depend on each other: they describe, and no sign test may be made of
        them.

    Raises
    ------
    DesignError
        If losses are no table of finite numbers of at least 2 learners, or have more learners
        than cases and no names, or the tests do not fit.
    InvalidArgumentError
        If names do not fit.

    Examples
    --------
    >>> counted = win_tie_loss([[0.1, 0.2], [0.3, 0.3], [0.1, 0.4]], names=["cart", "1nn"])
    >>> counted.to_frame().values.tolist()
    [['cart', '1nn', 2, 1, 0]]
    """
    what = "losses of win_tie_loss"
    table, labels = learner_table(losses, what, row="case", names=names, min_rows=1)
    n_cases, k = table.shape
    joined = tied_values(table)
    wins = np.array([(joined[:, [i]] < joined).sum(axis=0) for i in range(k)])
    worse = np.zeros((1, k, k), dtype=bool)
    if shown_worse is not None:
        worse = np.asarray(shown_worse, dtype=bool)
        if worse.shape != (n_cases, k, k):
            raise DesignError(
                f"shown_worse of win_tie_loss must have the shape {(n_cases, k, k)}; got "
                f"{worse.shape}. Give one answer per case and ordered pair of learners."
            )
    ties = n_cases - wins - wins.T
    np.fill_diagonal(ties, 0)
    shown_wins, has_tests = worse.sum(axis=0).T, shown_worse is not None
    return WinTieLoss(labels, n_cases, wins, ties, shown_wins, has_tests)


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
    that were made the same way.

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
        Unpaired scores; their numbers may differ.

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
        Names of the learners; required with more learners than data sets.

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


UNPAIRED = "The values are independent of each other, within and between the samples."


def ks_two_sample(a: ArrayLike, b: ArrayLike) -> HypothesisTestResult:
    """Compare the distributions of two samples by the exact Kolmogorov-Smirnov test.

    Null hypothesis: both samples come from one distribution (two-sided). Design: unpaired.

    Parameters
    ----------
    a, b : array-like of shapes (n_a,) and (n_b,), float
        The samples; their sizes may differ.

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


_UNDEFINED = Caution("degenerate", "One of the lists is constant, so the correlation is undefined.")


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class RankCorrelation(Result):
    """A rank correlation of two lists.

    Parameters
    ----------
    symbol : str
        What it is called: rho or tau.
    value : float
        From -1 (opposite orders) to 1 (one order); nan where a list is constant, flagged
        ``"all_ties"``.
    """

    symbol: str
    value: float

    def rows(self) -> list[tuple[str, str]]:
        """Return what `str` shows, as pairs of a short label and a text."""
        return [(self.symbol, number(self.value)), ("n", f"{self.n} pairs")]

    def _summary(self) -> str:
        return f"{self.symbol} = {number(self.value)}"


def spearman(a: ArrayLike, b: ArrayLike) -> RankCorrelation:
    """Return Spearman's rank correlation of two lists.

    Parameters
    ----------
    a, b : array-like of shape (n,), float
        Two numbers for each of n things, n at least 2; ties share the mean rank.

    Returns
    -------
    RankCorrelation
        rho, Pearson's correlation of the ranks [1]_. If a list is constant: nan, flag
        ``"all_ties"``.

    Raises
    ------
    DesignError
        If the lists do not pair, are not finite, or shorter than two.

    References
    ----------
    .. [1] Spearman (1904), The proof and measurement of association between two things, American
       Journal of Psychology 15(1).

    Examples
    --------
    >>> spearman([1, 2, 3, 4], [1, 3, 2, 4]).value
    0.8
    """
    first, second = _paired(a, b, "spearman")
    x, y = (mid_ranks(values) - (len(values) + 1) / 2 for values in (first, second))
    spread = float((x**2).sum() * (y**2).sum())
    value = float((x * y).sum()) / math.sqrt(spread) if spread else math.nan
    return _correlation("Spearman's rank correlation", "rho", value, len(x))


def kendall(a: ArrayLike, b: ArrayLike) -> RankCorrelation:
    """Return Kendall's rank correlation tau-b of two lists.

    Parameters
    ----------
    a, b : array-like of shape (n,), float
        Two numbers for each of n things, n at least 2.

    Returns
    -------
    RankCorrelation
        tau-b: pairs in the same order minus pairs in opposite orders, over the geometric mean of
        the pairs that each list orders [1]_. If a list is constant: nan, flag ``"all_ties"``.

    Raises
    ------
    DesignError
        If the lists do not pair, are not finite, or shorter than two.

    References
    ----------
    .. [1] Kendall (1945), The treatment of ties in ranking problems, Biometrika 33(3).

    Examples
    --------
    >>> round(kendall([1, 2, 3, 4], [1, 3, 2, 4]).value, 4)
    0.6667
    """
    first, second = _paired(a, b, "kendall")
    agreement = ordered_first = ordered_second = 0
    for i in range(len(first) - 1):  # row by row, so that memory stays small
        x, y = np.sign(first[i + 1 :] - first[i]), np.sign(second[i + 1 :] - second[i])
        agreement += int((x * y).sum())
        ordered_first += int(np.abs(x).sum())
        ordered_second += int(np.abs(y).sum())
    ordered = math.sqrt(ordered_first) * math.sqrt(ordered_second)
    value = max(-1.0, min(1.0, agreement / ordered)) if ordered else math.nan
    return _correlation("Kendall's rank correlation", "tau", value, len(first))


def _correlation(procedure: str, symbol: str, value: float, n: int) -> RankCorrelation:
    undefined = math.isnan(value)
    return RankCorrelation(
        procedure=procedure,
        n=n,
        symbol=symbol,
        value=value,
        flags=("all_ties",) if undefined else (),
        warnings=(_UNDEFINED,) if undefined else (),
    )


def _paired(a: ArrayLike, b: ArrayLike, procedure: str) -> tuple[Floats, Floats]:
    first, second = finite_sample(a, procedure), finite_sample(b, procedure)
    if len(first) != len(second) or len(first) < 2:
        raise DesignError(
            f"values of {procedure} must pair, two lists of one length of at least 2; got "
            f"{len(first)} and {len(second)}. Drop an item from both lists or from none."
        )
    return first, second
