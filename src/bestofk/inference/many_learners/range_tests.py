"""Multiple range tests of K learners on shared splits: Newman-Keuls, Tukey, Duncan."""

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import ArrayLike

from bestofk.array_types import Bools, Floats, Positions
from bestofk.inference.adjust import reject_adjusted
from bestofk.inference.catalogue import Procedure
from bestofk.inference.cautions import caution_if
from bestofk.inference.checks import Names, check_share, learner_table
from bestofk.inference.many_learners.omnibus_tests import (
    ASSUMPTIONS,
    CAUTION_ALPHA,
    cautions,
    one_way,
)
from bestofk.inference.results import PairwiseResult
from bestofk.inference.sampling import Sampling
from bestofk.inference.student import studentized_range_quantile, studentized_range_tail
from bestofk.measures.ties import is_noise, tied_values

Runs = tuple[tuple[int, ...], ...]


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class RangeTestResult(PairwiseResult):
    """Outcome of a range test: K means in order, and the runs without a significant difference.

    Parameters
    ----------
    order : tuple of int
        Learners from the best mean to the worst, counted from 0; of equal ones the first.
    underlines : tuple of tuple of int
        The longest runs of the order without a shown difference at `alpha`, each of at least
        two learners, none inside another.
    ms_error : float
        Mean square within learners.
    df : float
        Its degrees of freedom.
    """

    pictures = (("underlines", "NewmanKeulsDisplay"),)

    order: tuple[int, ...]
    underlines: Runs
    ms_error: float
    df: float

    def rows(self) -> list[tuple[str, str]]:
        """Return what `str` shows, as pairs of a short label and a text."""
        lines = [", ".join(self.names[i] for i in line) for line in self.underlines]
        return [
            ("order", ", ".join(self.names[i] for i in self.order)),
            *(("no significant difference", line) for line in lines),
            *super().rows(),
        ]


@dataclass(frozen=True)
class RangeMethod:
    """Settings in which range tests differ.

    Parameters
    ----------
    function : str
        That users call.
    title, correction : str
        Of the test, in reports and in tables.
    family : str
        What the test promises for all pairs together, a sentence.
    tail : callable
        (ranges, n_means, df) -> p values.
    by_all_means : bool
        Whether every range is judged as one of all means, and pairs alone as of two; if not, by
        the means that it spans.
    """

    function: str
    title: str
    correction: str
    family: str
    tail: Callable[[Floats, int, float], Floats] = studentized_range_tail
    by_all_means: bool = False


def range_test(
    method: RangeMethod,
    scores: ArrayLike,
    names: Names,
    sampling: Sampling | None,
    alpha: float,
    greater_is_better: bool,
) -> RangeTestResult:
    """Return a range test of all windows of the ordered means.

    A window inside an accepted one counts as accepted, so that its adjusted p value is the
    largest of all windows around it.

    Parameters
    ----------
    method : RangeMethod
        Which range test.
    scores, names, sampling, alpha, greater_is_better
        As the user gave them.

    Returns
    -------
    RangeTestResult

    Raises
    ------
    DesignError
        If it is no regular table of finite numbers, or there are fewer than 2 learners or splits.
    InvalidArgumentError
        If names do not fit or `alpha` is not inside (0, 1).
    """
    table, labels = learner_table(scores, f"scores of {method.function}", row="split", names=names)
    alpha = check_share(alpha, "alpha")
    n_splits, k = table.shape
    squares = one_way(table)
    order = _best_first(table, greater_is_better)
    means = table.mean(axis=0)
    ranges = _ranges(means[order], squares.error, table)
    p_value, p_window = np.full((2, k, k), np.nan)
    for span in range(k, 1, -1):
        starts = np.arange(k - span + 1)
        window = (starts, starts + span - 1)
        of_pair, of_window = (2, k) if method.by_all_means else (span, span)
        p_value[window] = method.tail(ranges[window], of_pair, squares.df[1])
        p_window[window] = method.tail(ranges[window], of_window, squares.df[1])
    p_adjusted = _largest_around(p_window)
    largest = float(np.nanmax(p_adjusted))
    family = f"Family: all {k * (k - 1) // 2} pairs of {k} learners. {method.family}"
    shortest = k if method.by_all_means else 2
    closest = studentized_range_quantile(shortest, squares.df[1], alpha=CAUTION_ALPHA)
    closest *= float(np.sqrt(squares.error / n_splits))
    can_show = f"means closer than {closest:.3g} do not differ significantly at {CAUTION_ALPHA:g}"
    back = np.ix_(np.argsort(order), np.argsort(order))
    return RangeTestResult(
        procedure=method.title,
        names=labels,
        estimate=np.where(np.eye(k, dtype=bool), np.nan, means[:, None] - means),
        p_value=_mirrored(p_value)[back],
        p_adjusted=_mirrored(p_adjusted)[back],
        symbol="q",
        correction=method.correction,
        alpha=alpha,
        order=tuple(order.tolist()),
        underlines=_underlines(order, reject_adjusted(p_adjusted, alpha)),
        ms_error=squares.error,
        assumptions=ASSUMPTIONS,
        warnings=(
            *cautions(method.title, n_splits, sampling, largest, squares.has_variance, can_show),
            *caution_if(k > 2, "multiplicity", family),
        ),
        **squares.fields(table) | {"statistic": _mirrored(ranges)[back], "df": squares.df[1]},
    )


def _best_first(table: Floats, greater_is_better: bool) -> Positions:
    """Return the order from the best mean; means that differ by rounding only stay as given."""
    means = table.mean(axis=0) * (-1 if greater_is_better else 1)
    return np.argsort(tied_values(means, np.abs(table).max()), kind="stable")


def _ranges(ordered: Floats, error: float, table: Floats) -> Floats:
    """Return the studentized range between every two places of the order."""
    apart = np.abs(ordered[:, None] - ordered)
    apart[is_noise(apart, np.abs(table).max())] = 0.0
    if error == 0:
        return np.where(apart > 0, np.inf, 0.0)
    return np.asarray(apart * np.sqrt(len(table) / error))


def _largest_around(p_values: Floats) -> Floats:
    """Return, for every window (row to column), the largest p value of those that hold it."""
    down = np.fmax.accumulate(p_values, axis=0)  # windows that start no later
    return np.fmax.accumulate(down[:, ::-1], axis=1)[:, ::-1]  # and end no earlier


def _underlines(order: Positions, rejected: Bools) -> Runs:
    """Return the longest accepted windows, none inside another."""
    lines, reached = [], 0
    for start in range(len(order) - 1):
        # an accepted window holds accepted windows only, so those after the longest are rejected
        end = start + int(np.sum(~rejected[start, start + 1 :]))
        if end > max(start, reached):
            lines.append(tuple(order[start : end + 1].tolist()))
            reached = end
    return tuple(lines)


def _mirrored(upper: Floats) -> Floats:
    """Return a table whose lower triangle is that of the upper one, without a diagonal."""
    table = np.where(np.triu(np.ones(upper.shape, dtype=bool), 1), upper, np.nan)
    return np.fmax(table, table.T)


NEWMAN_KEULS_TITLE = "Newman-Keuls test"
_NEWMAN_KEULS = RangeMethod(
    "newman_keuls",
    NEWMAN_KEULS_TITLE,
    "Newman-Keuls",
    "Newman-Keuls tests each run of means at the same level: with more than three learners it "
    "does not hold the level for the family; Tukey's test does.",
)


def newman_keuls(
    scores: ArrayLike,
    *,
    names: Names = None,
    sampling: Sampling | None = None,
    alpha: float = 0.05,
    greater_is_better: bool = False,
) -> RangeTestResult:
    """Find the runs of neighboring means without a significant difference, by Newman-Keuls.

    Null hypothesis of each run of P means: their learners have one expected score. The longest
    run is tested first; inside an accepted run nothing is tested.

    Parameters
    ----------
    scores : array-like of shape (n_splits, n_learners), float
        Scores or losses of at least 2 learners on the same, at least 2, splits, in any unit.
    names : sequence of str, optional
        Learners; "learner 1" and so on if left out. Required with more learners than splits, so
        that no transposed table is accepted.
    sampling : Sampling, optional
        How the splits were made, for the warning about overlap; one run of k-fold if left out.
    alpha : float in (0, 1), default=0.05
        Level of each test.
    greater_is_better : bool, default=False
        Decides which end of the order comes first; the runs are the same.

    Returns
    -------
    RangeTestResult
        `order` and `underlines`; `p_value` of each pair as the ends of its run, before the stop
        rule; `p_adjusted` after it: the largest of all runs that hold the pair. If the scores
        of no learner vary, p values are 0 between different means and 1 between the same,
        flagged ``"zero_variance"``.

    Raises
    ------
    DesignError
        If it is no regular table of finite numbers, or there are fewer than 2 learners or splits.
    InvalidArgumentError
        If names do not fit or `alpha` is not inside (0, 1).

    See Also
    --------
    bestofk.verdict.newman_keuls_best : Which learner is best by the underlines.

    Notes
    -----
    q = (m_j - m_i) sqrt(L / MSE), compared with the studentized range of P means and K (L - 1)
    degrees of freedom [1]_, [2]_. The absence of an underline says "differs", and no more.
    When not to trust it: more than three learners; overlapping training sets.

    References
    ----------
    .. [1] Newman (1939), The distribution of range in samples from a normal population,
       Biometrika 31; Keuls (1952), The use of the "studentized range" in connection with an
       analysis of variance, Euphytica 1.
    .. [2] Yildiz & Alpaydin (2006), Ordering and finding the best of K > 2 supervised learning
       algorithms, IEEE Transactions on Pattern Analysis and Machine Intelligence 28(3).

    Examples
    --------
    >>> result = newman_keuls([[0.20, 0.25, 0.21], [0.22, 0.24, 0.22], [0.21, 0.26, 0.23]])
    >>> result.order, result.underlines
    ((0, 2, 1), ((0, 2),))
    """
    return range_test(_NEWMAN_KEULS, scores, names, sampling, alpha, greater_is_better)


NEWMAN_KEULS = Procedure(
    name="newman-keuls",
    title=NEWMAN_KEULS_TITLE,
    question="Which neighboring means of K learners do not differ significantly?",
    takes="many-on-splits",
    run=newman_keuls,
    aliases=("student-newman-keuls", "snk"),
)


_TUKEY = RangeMethod(
    "tukey_hsd_test",
    "Tukey test of all pairs",
    "Tukey",
    "Tukey's method holds the level for the family.",
    by_all_means=True,
)


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class TukeyResult(RangeTestResult):
    """The outcome of Tukey's test, with simultaneous intervals of all differences."""

    def confidence_interval(self, level: float = 0.95) -> tuple[Floats, Floats]:
        """Return the limits of all differences, which hold together.

        Parameters
        ----------
        level : float in (0, 1), default=0.95
            Probability that all intervals cover.

        Returns
        -------
        low, high : ndarray of shape (n_learners, n_learners)
            For the first (row) minus the second (column); nan on the diagonal.

        Raises
        ------
        InvalidArgumentError
            If `level` is not inside (0, 1).
        """
        margin = self._margin(1 - check_share(level, "level"))
        return self.estimate - margin, self.estimate + margin

    def _margin(self, alpha: float) -> float:
        """Return the difference of two means that is significant in the family of all pairs."""
        quantile = studentized_range_quantile(len(self.names), self.df, alpha=alpha)
        return quantile * float(np.sqrt(self.ms_error / self.n))


def tukey_hsd_test(
    scores: ArrayLike,
    *,
    names: Names = None,
    sampling: Sampling | None = None,
    alpha: float = 0.05,
    greater_is_better: bool = False,
) -> TukeyResult:
    """Test all pairs of K learners together, by the range of all K means.

    Null hypothesis of each pair: both learners have the same expected score.

    Parameters
    ----------
    scores : array-like of shape (n_splits, n_learners), float
        Scores or losses of at least 2 learners on the same, at least 2, splits, in any unit.
    names : sequence of str, optional
        Learners; "learner 1" and so on if left out. Required with more learners than splits, so
        that no transposed table is accepted.
    sampling : Sampling, optional
        How the splits were made, for the warning about overlap; one run of k-fold if left out.
    alpha : float in (0, 1), default=0.05
        Level of `critical_difference` and `underlines`.
    greater_is_better : bool, default=False
        Decides which end of the order comes first; the pairs are the same.

    Returns
    -------
    TukeyResult
        `p_value` of each pair alone (t test with the common variance), `p_adjusted` in the
        family; `confidence_interval` is simultaneous. If the scores of no learner vary,
        p values are 0 between different means and 1 between the same, flagged
        ``"zero_variance"``.

    Raises
    ------
    DesignError
        If it is no regular table of finite numbers, or there are fewer than 2 learners or splits.
    InvalidArgumentError
        If names do not fit or `alpha` is not inside (0, 1).

    Notes
    -----
    q = abs(m_j - m_i) sqrt(L / MSE), compared with the studentized range of all K means and
    K (L - 1) degrees of freedom [1]_. When not to trust it: on shared splits with overlapping
    training sets its variance is too small.

    References
    ----------
    .. [1] Tukey (1953), The problem of multiple comparisons, unpublished manuscript, Princeton
       University.

    Examples
    --------
    >>> result = tukey_hsd_test([[0.20, 0.25, 0.21], [0.22, 0.24, 0.22], [0.21, 0.26, 0.23]])
    >>> result.to_frame()["p_adjusted"].round(4).tolist()
    [0.0065, 0.4827, 0.0242]
    >>> round(result.critical_difference, 4)
    0.0251
    """
    result = range_test(_TUKEY, scores, names, sampling, alpha, greater_is_better)
    tested = TukeyResult(**vars(result))
    return replace(tested, critical_difference=tested._margin(alpha))


TUKEY = Procedure(
    name="tukey-hsd",
    title=_TUKEY.title,
    question="Which pairs of K learners differ, as if all scores were independent?",
    takes="many-on-splits",
    run=tukey_hsd_test,
    aliases=("tukey", "hsd", "tukey-kramer"),
)


def duncan_test(
    scores: ArrayLike,
    *,
    names: Names = None,
    sampling: Sampling | None = None,
    alpha: float = 0.05,
    greater_is_better: bool = False,
) -> RangeTestResult:
    """Find the runs of neighboring means without a significant difference, by Duncan's test.

    As `newman_keuls`, but a run of P means is tested at level 1 - (1 - alpha)^(P - 1). It is even
    more liberal, and kept to reproduce published results. Null hypotheses: the learners of a run of
    neighboring means have the same expected score; two-sided, as ranges are.

    Parameters
    ----------
    scores : array-like of shape (n_splits, n_learners), float
        Scores or losses of at least 2 learners on the same, at least 2, splits, in any unit.
    names : sequence of str, optional
        Learners; "learner 1" and so on if left out. Required with more learners than splits, so
        that no transposed table is accepted.
    sampling : Sampling, optional
        How the splits were made, for the warning about overlap; one run of k-fold if left out.
    alpha : float in (0, 1), default=0.05
        Level of the tests of two neighbors.
    greater_is_better : bool, default=False
        Decides which end of the order comes first; the runs are the same.

    Returns
    -------
    RangeTestResult
        As from `newman_keuls`, also where scores do not vary; p values are to be compared with
        `alpha`.

    Raises
    ------
    DesignError
        If it is no regular table of finite numbers, or there are fewer than 2 learners or splits.
    InvalidArgumentError
        If names do not fit or `alpha` is not inside (0, 1).

    Notes
    -----
    The p value of a run of P means is 1 - (1 - p)^(1 / (P - 1)), with p that of the studentized
    range [1]_.

    References
    ----------
    .. [1] Duncan (1955), Multiple range and multiple F tests, Biometrics 11(1).

    Examples
    --------
    >>> result = duncan_test([[0.20, 0.25, 0.21], [0.22, 0.24, 0.22], [0.21, 0.26, 0.23]])
    >>> result.underlines
    ((0, 2),)
    """
    return range_test(_DUNCAN, scores, names, sampling, alpha, greater_is_better)


def _duncan_tail(ranges: Floats, span: int, df: float) -> Floats:
    tail = studentized_range_tail(ranges, span, df)
    certain = tail >= 1  # log1p(-1) would warn
    inside = -np.expm1(np.log1p(-np.where(certain, 0.0, tail)) / (span - 1))
    return np.where(certain, 1.0, inside)


_DUNCAN = RangeMethod(
    "duncan_test",
    "Duncan test",
    "Duncan",
    "Duncan's test allows more false findings the more learners there are and does not hold the "
    "level for the family; Tukey's test does.",
    _duncan_tail,
)
DUNCAN = Procedure(
    name="duncan",
    title=_DUNCAN.title,
    question="Which neighboring means do not differ significantly, judged liberally?",
    takes="many-on-splits",
    run=duncan_test,
    aliases=("duncan-multiple-range", "mrt"),
)
