"""Rank tests of K learners over data sets: Friedman, Iman-Davenport, Quade, aligned ranks."""

import math

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import chdtrc, fdtrc

from bestofk.array_types import Floats
from bestofk.checks import check_flag
from bestofk.inference.catalogue import Procedure
from bestofk.inference.checks import Names
from bestofk.inference.many_data_sets import remarks
from bestofk.inference.many_data_sets.ranks import mid_ranks, rank_rows, score_table
from bestofk.inference.results import OmnibusResult
from bestofk.measures.ties import at_most, tied_differences, tied_values

_WITHOUT_CORRECTION = " (not corrected for ties)"


def friedman_statistic(ranks: Floats, *, correct_ties: bool = True) -> float:
    """Return Friedman's chi-square; 0 where all learners tie everywhere.

    Parameters
    ----------
    ranks : ndarray of shape (n_data_sets, n_learners), float
        Ranks within each row.
    correct_ties : bool, default=True
        Whether the spread is that of the ranks with their ties, or that of ranks without any.

    Returns
    -------
    float
        From 0 to n_data_sets (n_learners - 1).
    """
    check_flag(correct_ties, "correct_ties")
    n_data_sets, n_learners = ranks.shape
    centered = ranks - (n_learners + 1) / 2
    without_ties = n_data_sets * n_learners * (n_learners**2 - 1) / 12
    spread = float((centered**2).sum()) if correct_ties else without_ties
    if spread == 0:
        return 0.0
    between = float((centered.sum(axis=0) ** 2).sum())
    return float((n_learners - 1) * between / spread)


def friedman_test(
    scores: ArrayLike,
    *,
    names: Names = None,
    greater_is_better: bool = False,
    correct_ties: bool = True,
) -> OmnibusResult:
    """Test whether K learners differ over many data sets, by the Friedman test.

    Null hypothesis: on every data set all orders of the learners are equally probable.
    Design: blocked, one score of each learner on each data set.

    Parameters
    ----------
    scores : array-like of shape (n_data_sets, n_learners), float
        One score of each learner on each data set, in any unit; losses unless
        `greater_is_better`.
    names : sequence of str, optional
        Names of the learners; required with more learners than data sets. Learner 1, learner 2, ...
        if left out.
    greater_is_better : bool, default=False
        Direction of the scores; it changes the mean ranks, not the test.
    correct_ties : bool, default=True
        Whether the statistic is corrected for ties; False gives that of papers such as [2]_.

    Returns
    -------
    OmnibusResult
        Chi-square with n_learners - 1 degrees of freedom; mean ranks (1 is
        best); Kendall's W = statistic / (n_data_sets (n_learners - 1)). Two learners are
        allowed. If all learners tie everywhere: statistic 0, p value 1, flag ``"all_ties"``
        (convention of this package).

    Raises
    ------
    DesignError
        If a score is missing or infinite, or there are fewer than two data sets or learners.
    InvalidArgumentError
        If the names do not fit, or `correct_ties` is no truth value.

    See Also
    --------
    iman_davenport_test : The same ranks with a better distribution.

    Notes
    -----
    statistic = 12 N / (k (k + 1)) sum_j R_j^2 - 3 N (k + 1) with R_j the mean ranks [1]_,
    divided by 1 - sum (t^3 - t) / (N (k^3 - k)) over the groups of t ties. When not to trust
    it: few data sets or learners, where the chi-square distribution is conservative [2]_.

    References
    ----------
    .. [1] Friedman (1937), The use of ranks to avoid the assumption of normality implicit in the
       analysis of variance, Journal of the American Statistical Association 32.
    .. [2] Demsar (2006), Statistical comparisons of classifiers over multiple data sets,
       Journal of Machine Learning Research 7.

    Examples
    --------
    >>> losses = [[0.1, 0.2, 0.3], [0.2, 0.3, 0.4], [0.1, 0.3, 0.2], [0.1, 0.2, 0.4]]
    >>> result = friedman_test(losses)
    >>> result.statistic, round(result.p_value, 4), result.levels
    (6.5, 0.0388, (1.0, 2.25, 2.75))
    """
    table, known = score_table(scores, names, "friedman_test")
    ranks = rank_rows(table, greater_is_better=greater_is_better)
    n_data_sets, n_learners = ranks.shape
    statistic = friedman_statistic(ranks, correct_ties=correct_ties)
    procedure = f"Friedman test{'' if correct_ties else _WITHOUT_CORRECTION}"
    kendall_w = statistic / (n_data_sets * (n_learners - 1))
    return rank_omnibus(ranks, known, procedure, statistic, kendall_w=kendall_w)


def rank_omnibus(
    ranks: Floats,
    names: tuple[str, ...],
    procedure: str,
    statistic: float,
    *,
    by_f: bool = False,
    p_of_limit: float = 0.0,
    kendall_w: float | None = None,
    assumptions: tuple[str, ...] = (remarks.INDEPENDENT, remarks.RANKED_WITHIN),
) -> OmnibusResult:
    """Return a test of ranks over data sets as a result, with what to distrust of it.

    Parameters
    ----------
    ranks : ndarray of shape (n_data_sets, n_learners), float
        Whatever was ranked; the learners tie everywhere if all ranks are the same.
    names : tuple of str
        Learners.
    procedure : str
        Title of the test.
    statistic : float
        Infinite ones are flagged.
    by_f : bool
        Whether its distribution is F, with K - 1 and (K - 1)(N - 1) degrees of freedom for K
        learners on N data sets; if not, it is chi-square with K - 1.
    p_of_limit : float
        The p value of an infinite statistic.
    kendall_w : float, optional
        The effect size, if there is one.
    assumptions : tuple of str
        What must hold.

    Returns
    -------
    OmnibusResult
        With flags ``"all_ties"`` and ``"zero_variance"`` where they apply.
    """
    tied = bool((ranks == ranks[0, 0]).all())
    limit = bool(np.isinf(statistic))
    n_data_sets, k = ranks.shape
    df = (float(k - 1), float((k - 1) * (n_data_sets - 1)))
    tail = fdtrc(*df, statistic) if by_f else chdtrc(k - 1, statistic)
    p_value = p_of_limit if limit else float(tail)
    return OmnibusResult(
        procedure=procedure,
        n=n_data_sets,
        n_of="data sets",
        assumptions=assumptions,
        flags=("all_ties",) if tied else ("zero_variance",) if limit else (),
        warnings=(
            *(remarks.all_ties("learners on every data set") if tied else ()),
            *(remarks.all_alike() if limit else ()),
            *remarks.few_data_sets(n_data_sets),
            *remarks.not_equal(p_value),
        ),
        statistic=statistic,
        df=df if by_f else df[0],
        p_value=p_value,
        names=names,
        levels=tuple(ranks.mean(axis=0).tolist()),
        level_of="mean rank",
        symbol="F" if by_f else "chi2",
        effect_size=np.nan if kendall_w is None else kendall_w,
        effect_size_of="" if kendall_w is None else "Kendall's W",
        distribution="F" if by_f else "chi-square",
    )


FRIEDMAN = Procedure(
    name="friedman",
    title="Friedman test",
    question="Do K learners differ over many data sets, judged by their ranks?",
    takes="many-on-data-sets",
    run=friedman_test,
    aliases=("friedman-chi2", "friedmanchisquare"),
)


def iman_davenport_test(
    scores: ArrayLike,
    *,
    names: Names = None,
    greater_is_better: bool = False,
    correct_ties: bool = True,
) -> OmnibusResult:
    """Test whether K learners differ over many data sets, by the Iman-Davenport test.

    Null hypothesis and design: those of `friedman_test`, whose chi-square it turns into an F.

    Parameters
    ----------
    scores : array-like of shape (n_data_sets, n_learners), float
        One score of each learner on each data set, in any unit; losses unless
        `greater_is_better`.
    names : sequence of str, optional
        Names of the learners; required with more learners than data sets. Learner 1, learner 2, ...
        if left out.
    greater_is_better : bool, default=False
        Direction of the scores; it changes the mean ranks, not the test.
    correct_ties : bool, default=True
        As in `friedman_test`.

    Returns
    -------
    OmnibusResult
        F with n_learners - 1 and (n_learners - 1)(n_data_sets - 1) degrees of freedom. If all
        data sets order the learners alike: statistic inf, p value 0, flag ``"zero_variance"``.
        If all learners tie everywhere: statistic 0, p value 1, flag ``"all_ties"``.

    Raises
    ------
    DesignError
        If a score is missing or infinite, or there are fewer than two data sets or learners.
    InvalidArgumentError
        If the names do not fit, or `correct_ties` is no truth value.

    Notes
    -----
    statistic = (N - 1) chi2 / (N (k - 1) - chi2), chi2 the Friedman statistic [1]_.
    When not to trust it: fewer than about ten data sets.

    References
    ----------
    .. [1] Iman & Davenport (1980), Approximations of the critical region of the Friedman
       statistic, Communications in Statistics A 9(6).

    Examples
    --------
    >>> losses = [[0.1, 0.2, 0.3], [0.2, 0.3, 0.4], [0.1, 0.3, 0.2], [0.1, 0.2, 0.4]]
    >>> result = iman_davenport_test(losses)
    >>> result.statistic, result.df, round(result.p_value, 4)
    (13.0, (2.0, 6.0), 0.0066)
    """
    table, known = score_table(scores, names, "iman_davenport_test")
    ranks = rank_rows(table, greater_is_better=greater_is_better)
    n_data_sets, n_learners = ranks.shape
    chi2 = friedman_statistic(ranks, correct_ties=correct_ties)
    largest = n_data_sets * (n_learners - 1)
    alike = bool(at_most(largest, chi2))  # beyond that the quotient is rounding noise
    statistic = float("inf") if alike else (n_data_sets - 1) * chi2 / (largest - chi2)
    procedure = f"Iman-Davenport test{'' if correct_ties else _WITHOUT_CORRECTION}"
    return rank_omnibus(ranks, known, procedure, statistic, by_f=True, kendall_w=chi2 / largest)


IMAN_DAVENPORT = Procedure(
    name="iman-davenport",
    title="Iman-Davenport test",
    question="Do K learners differ over many data sets, by their ranks and an F distribution?",
    takes="many-on-data-sets",
    run=iman_davenport_test,
    aliases=("friedman-f", "ff"),
)


def quade_test(
    scores: ArrayLike, *, names: Names = None, greater_is_better: bool = False
) -> OmnibusResult:
    """Test whether K learners differ over many data sets, by the Quade test.

    Null hypothesis: on every data set all orders of the learners are equally probable.
    Design: blocked, one score of each learner on each data set; a data set counts by the rank
    of its range, so ranges must be comparable between data sets.

    Parameters
    ----------
    scores : array-like of shape (n_data_sets, n_learners), float
        One score of each learner on each data set, of one unit; losses unless
        `greater_is_better`.
    names : sequence of str, optional
        Names of the learners; required with more learners than data sets. Learner 1, learner 2, ...
        if left out.
    greater_is_better : bool, default=False
        Direction of the scores; it changes the mean ranks, not the test.

    Returns
    -------
    OmnibusResult
        F with n_learners - 1 and (n_data_sets - 1)(n_learners - 1) degrees of freedom; mean
        ranks within data sets. If all data sets order the learners alike: statistic inf, flag
        ``"zero_variance"``, and the p value is that of the permutations,
        (1 / n_learners!)^(n_data_sets - 1), as R has it. If all learners tie everywhere:
        statistic 0, p value 1, flag ``"all_ties"``.

    Raises
    ------
    DesignError
        If a score is missing or infinite, or there are fewer than two data sets or learners.
    InvalidArgumentError
        If the names do not fit.

    Notes
    -----
    With S_ij = Q_i (r_ij - (k + 1)/2), Q_i the rank of the range of data set i and r_ij the rank
    within it, A = sum S_ij^2 and B = sum_j (sum_i S_ij)^2 / N: statistic = (N - 1) B / (A - B)
    [1]_. When not to trust it: scores of different units.

    References
    ----------
    .. [1] Quade (1979), Using weighted rankings in the analysis of complete blocks with additive
       block effects, Journal of the American Statistical Association 74.

    Examples
    --------
    >>> losses = [[0.1, 0.2, 0.4], [0.2, 0.3, 0.4], [0.1, 0.3, 0.2], [0.1, 0.2, 0.7]]
    >>> result = quade_test(losses)
    >>> round(result.statistic, 3), result.df, round(result.p_value, 4)
    (8.512, (2.0, 6.0), 0.0177)
    """
    table, known = score_table(scores, names, "quade_test")
    ranks = rank_rows(table, greater_is_better=greater_is_better)
    n_data_sets, n_learners = ranks.shape
    ranges = tied_differences(np.ptp(table, axis=1), np.abs(table).max(axis=1))
    weighted = mid_ranks(ranges)[:, np.newaxis] * (ranks - (n_learners + 1) / 2)
    total = float((weighted**2).sum())
    between = float((weighted.sum(axis=0) ** 2).sum()) / n_data_sets
    statistic = 0.0
    if total > 0:
        alike = at_most(total, between)
        statistic = math.inf if alike else (n_data_sets - 1) * between / (total - between)
    return rank_omnibus(
        ranks,
        known,
        "Quade test",
        statistic,
        by_f=True,
        p_of_limit=math.exp(-(n_data_sets - 1) * math.lgamma(n_learners + 1)),
        assumptions=(remarks.INDEPENDENT, remarks.COMPARABLE),
    )


QUADE = Procedure(
    name="quade",
    title="Quade test",
    question="Do K learners differ over many data sets, large differences counting more?",
    takes="many-on-data-sets",
    run=quade_test,
)


def aligned_ranks_test(
    scores: ArrayLike, *, names: Names = None, greater_is_better: bool = False
) -> OmnibusResult:
    """Test whether K learners differ over many data sets, by Friedman's aligned ranks.

    Null hypothesis: the learners have the same distribution of scores on every data set, up to
    the level of the data set. Design: blocked, one score of each learner on each data set. All
    scores are ranked together after the mean of their data set is taken off, which uses more
    than the order within data sets and pays with few learners.

    Parameters
    ----------
    scores : array-like of shape (n_data_sets, n_learners), float
        One score of each learner on each data set, of one unit; losses unless
        `greater_is_better`.
    names : sequence of str, optional
        Names of the learners; required with more learners than data sets. Learner 1, learner 2, ...
        if left out.
    greater_is_better : bool, default=False
        Direction of the scores.

    Returns
    -------
    OmnibusResult
        Chi-square with n_learners - 1 degrees of freedom, without correction for ties; mean
        aligned ranks from 1 to n_data_sets n_learners (small is best). If all learners tie
        everywhere: statistic 0, p value 1, flag ``"all_ties"``.

    Raises
    ------
    DesignError
        If a score is missing or infinite, or there are fewer than two data sets or learners.
    InvalidArgumentError
        If the names do not fit.

    Notes
    -----
    With R_j the sum of aligned ranks of learner j and R_i that of data set i [1]_::

        (k - 1) (sum_j R_j^2 - k N^2 (k N + 1)^2 / 4)
        / (k N (k N + 1) (2 k N + 1) / 6 - sum_i R_i^2 / k)

    Aligned scores tie where they agree in 12 digits of the scores of their data sets. When not
    to trust it: scores of different units, many ties.

    References
    ----------
    .. [1] Garcia, Fernandez, Luengo & Herrera (2010), Advanced nonparametric tests for multiple
       comparisons in the design of experiments in computational intelligence and data mining,
       Information Sciences 180(10); after Hodges & Lehmann (1962).

    Examples
    --------
    >>> losses = [[0.1, 0.2, 0.4], [0.2, 0.3, 0.4], [0.1, 0.3, 0.2], [0.1, 0.2, 0.7]]
    >>> result = aligned_ranks_test(losses)
    >>> round(result.statistic, 3), round(result.p_value, 4), result.levels
    (5.607, 0.0606, (3.125, 6.375, 10.0))
    """
    table, known = score_table(scores, names, "aligned_ranks_test")
    n_data_sets, n_learners = table.shape
    aligned = table - table.mean(axis=1, keepdims=True)
    scale = np.repeat(np.abs(table).max(axis=1), n_learners)
    aligned = tied_values((-aligned if greater_is_better else aligned).ravel(), scale)
    ranks = mid_ranks(aligned).reshape(table.shape)
    n = n_data_sets * n_learners
    between = (ranks.sum(axis=0) ** 2).sum() - n_data_sets * n * (n + 1) ** 2 / 4
    within = n * (n + 1) * (2 * n + 1) / 6 - (ranks.sum(axis=1) ** 2).sum() / n_learners
    statistic = max(0.0, float((n_learners - 1) * between / within))
    assumptions = (remarks.INDEPENDENT, remarks.COMPARABLE)
    return rank_omnibus(ranks, known, "aligned ranks test", statistic, assumptions=assumptions)


ALIGNED_RANKS = Procedure(
    name="aligned-ranks",
    title="aligned ranks test",
    question="Do K learners differ over many data sets, judged by ranks across data sets?",
    takes="many-on-data-sets",
    run=aligned_ranks_test,
    aliases=("friedman-aligned-ranks", "friedman-aligned"),
)
