"""Comparisons of mean ranks over many data sets: all pairs, or a control against the others."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import ndtr, ndtri

from bestofk.array_types import Bools, Floats
from bestofk.checks import check_known, check_number
from bestofk.inference.adjust import (
    ADJUSTMENTS,
    adjust_p_values,
    adjust_pairs,
    pair_correction,
    reject_adjusted,
)
from bestofk.inference.catalogue import TWO_SIDED, Procedure
from bestofk.inference.cautions import Caution
from bestofk.inference.checks import Names, check_share
from bestofk.inference.many_data_sets import remarks
from bestofk.inference.many_data_sets.ranks import rank_rows, score_table
from bestofk.inference.results import Pairs, PairwiseResult, tested_pairs
from bestofk.inference.student import studentized_range_quantile, studentized_range_tail
from bestofk.inference.two_learners.paired_test import pair_table

MEAN_RANKS = "The mean ranks of each pair do not depend on which other learners are in the table."

_procedure = partial(Procedure, takes="many-on-data-sets", sides=TWO_SIDED)


@dataclass(frozen=True)
class RankFamily:
    """Family of comparisons of mean ranks, and how it is adjusted.

    Parameters
    ----------
    procedure : str
        Title.
    correction : str
        Name of the adjustment.
    adjust : callable
        From absolute z of shape (..., n_hypotheses) and the number of learners to adjusted
        p values.
    reject : callable or None
        From z, the number of learners and alpha to what is rejected, if that is quicker than
        by adjusted p values.
    critical_difference : callable or None
        From the numbers of learners and of data sets, and alpha, to the critical difference.
    has_control : bool
        Whether a control is tested against the rest, or all pairs are.
    """

    procedure: str
    correction: str
    adjust: Callable[[Floats, int], Floats]
    reject: Callable[[Floats, int, float], Bools] | None = None
    critical_difference: Callable[..., float] | None = None
    has_control: bool = False

    def rejected(self, z: Floats, n_learners: int, alpha: float) -> Bools:
        """Return what is rejected at `alpha`.

        Parameters
        ----------
        z : ndarray of shape (..., n_hypotheses), float
            Absolute differences of mean ranks in standard errors.
        n_learners : int
            In the table.
        alpha : float in (0, 1)
            Level of the family.

        Returns
        -------
        ndarray of shape (..., n_hypotheses), bool
            True where the pair is shown to differ.
        """
        if self.reject is not None:
            return self.reject(z, n_learners, alpha)
        return reject_adjusted(self.adjust(z, n_learners), alpha)


def p_of_z(z: Floats) -> Floats:
    """Return two-sided p values of absolute differences in standard errors."""
    return np.asarray(2 * ndtr(-z))


def rank_standard_error(n_learners: int, n_data_sets: int) -> float:
    """Return the standard error of a difference of two mean ranks, sqrt(k (k + 1) / (6 N)).

    Parameters
    ----------
    n_learners, n_data_sets : int
        k, at least 2, and N, at least 1.

    Returns
    -------
    float
        In ranks.

    Raises
    ------
    InvalidArgumentError
        If a number is no whole one or too small.
    """
    for value, what, least in ((n_learners, "n_learners", 2), (n_data_sets, "n_data_sets", 1)):
        check_number(value, what, low=least, whole=True, way_out="Count those of the table.")
    return float(np.sqrt(n_learners * (n_learners + 1) / (6 * n_data_sets)))


def compare_mean_ranks(
    family: RankFamily,
    scores: ArrayLike,
    names: Names,
    greater_is_better: bool,
    alpha: float,
    control: str | None = None,
) -> PairwiseResult:
    """Return the comparisons of mean ranks of a family as a result.

    Parameters
    ----------
    family : RankFamily
        How they are adjusted.
    scores : array-like of shape (n_data_sets, n_learners), float
        One score of each learner on each data set.
    names : sequence of str or None
        Of the learners.
    greater_is_better : bool
        Direction of the scores.
    alpha : float in (0, 1)
        Level of the statements in words.
    control : str or None
        In a family with one: learner that the others are compared with; the first if None.

    Returns
    -------
    PairwiseResult
        Estimates are mean ranks of the first minus the second.

    Raises
    ------
    DesignError
        If a score is missing or infinite, or there are fewer than two data sets or learners.
    InvalidArgumentError
        If `alpha`, the names or the control do not fit.
    """
    check_share(alpha, "alpha")
    table, known = score_table(scores, names, family.procedure)
    against = None
    if family.has_control:
        control = known[0] if control is None else control
        check_known(control, "control", known, rule="the name of a learner")
        against = known.index(control)
    ranks = rank_rows(table, greater_is_better=greater_is_better)
    n_data_sets, n_learners = ranks.shape
    means = ranks.mean(axis=0)
    pairs = tested_pairs(n_learners, against)
    difference = _differences(means, pairs, n_data_sets)
    z = difference / rank_standard_error(n_learners, n_data_sets)
    adjusted = family.adjust(np.abs(z), n_learners)
    rejected = reject_adjusted(adjusted, alpha)
    tied = bool((ranks == ranks[0, 0]).all())
    m = len(z)
    square, p_value = partial(pair_table, pairs, n_learners), p_of_z(np.abs(z))
    critical = family.critical_difference
    compared = "all pairs" if against is None else f"{known[against]} against the others"
    return PairwiseResult(
        procedure=family.procedure,
        n=n_data_sets,
        n_of="data sets",
        assumptions=(remarks.INDEPENDENT, remarks.RANKED_WITHIN, MEAN_RANKS),
        flags=("all_ties",) if tied else (),
        warnings=(
            *(remarks.all_ties("learners on every data set") if tied else ()),
            *remarks.few_data_sets(n_data_sets),
            *remarks.multiplicity(m, compared, family.correction),
            *_depends_on_pool(ranks, known, family, alpha, against, square(rejected, rejected)),
            *remarks.pairs_not_equal(m - int(rejected.sum()), m, alpha),
        ),
        names=known,
        levels=tuple(means.tolist()),
        level_of="mean rank",
        estimate=square(difference, -difference),
        statistic=square(z, -z),
        p_value=square(p_value, p_value),
        p_adjusted=square(adjusted, adjusted),
        correction=family.correction,
        control="" if against is None else known[against],
        alpha=alpha,
        critical_difference=critical(n_learners, n_data_sets, alpha=alpha) if critical else np.nan,
    )


def _differences(means: Floats, pairs: Pairs, n_data_sets: int) -> Floats:
    """Return first minus second of mean ranks; equal ones are the same float.

    Ranks are whole or half, so that a difference of mean ranks is a whole number over
    2 n_data_sets.
    """
    difference = means[..., pairs[0]] - means[..., pairs[1]]
    return np.asarray(np.rint(2 * n_data_sets * difference) / (2 * n_data_sets))


def _depends_on_pool(
    ranks: Floats,
    names: tuple[str, ...],
    family: RankFamily,
    alpha: float,
    against: int | None,
    rejected: Bools,
) -> tuple[Caution, ...]:
    """Leave out one learner at a time; say which verdict about the others changes."""
    n_data_sets, n_learners = ranks.shape
    if n_learners < 3:
        return ()
    left_out = [j for j in range(n_learners) if j != against]
    order = left_out if against is None else [against, *left_out]  # the control stays in front
    kept = np.array([[j for j in order if j != item] for item in left_out])
    # Without a learner, those behind it move up by one, those that tie with it by one half.
    before = np.array([_share_before(ranks, item) for item in left_out])
    means = np.take_along_axis(ranks.mean(axis=0) - before, kept, axis=1)
    pairs = tested_pairs(n_learners - 1, None if against is None else 0)
    z = np.abs(_differences(means, pairs, n_data_sets))
    z /= rank_standard_error(n_learners - 1, n_data_sets)
    without = family.rejected(z, n_learners - 1, alpha)
    a, b = kept[:, pairs[0]], kept[:, pairs[1]]
    changed = np.argwhere(without != rejected[a, b])
    if not len(changed):
        return ()
    at = tuple(changed[0])
    turned = ("from not significant to significant", "from significant to not significant")
    verdict = turned[int(rejected[a[at], b[at]])]
    more = f" (more: {len(changed) - 1})" if len(changed) > 1 else ""
    text = (
        f"Mean ranks depend on the learners in the pool: without {names[left_out[at[0]]]} the "
        f"verdict on {names[a[at]]} and {names[b[at]]} changes {verdict}{more}. Test single pairs "
        "by Wilcoxon or sign test."
    )
    return (Caution("mean-ranks", text),)


def _share_before(ranks: Floats, index: int) -> Floats:
    """Return on what share of the data sets a learner stands before each other; ties are half."""
    own = ranks[:, [index]]
    return np.asarray((own < ranks).mean(axis=0) + (own == ranks).mean(axis=0) / 2)


def nemenyi_test(
    scores: ArrayLike, *, names: Names = None, greater_is_better: bool = False, alpha: float = 0.05
) -> PairwiseResult:
    """Compare all pairs of K learners over many data sets by Nemenyi's test of mean ranks.

    Null hypotheses: the two learners of a pair have the same expected rank (two-sided). Design:
    blocked, one score of each learner on each data set.

    Parameters
    ----------
    scores : array-like of shape (n_data_sets, n_learners), float
        One score of each learner on each data set, in any unit; losses unless
        `greater_is_better`.
    names : sequence of str, optional
        Names of the learners; required with more learners than data sets. Learner 1, learner 2, ...
        if left out.
    greater_is_better : bool, default=False
        Direction of the scores; rank 1 is best.
    alpha : float in (0, 1), default=0.05
        Level of the critical difference.

    Returns
    -------
    PairwiseResult
        Estimates are mean ranks of first minus second, statistics their z, p_value unadjusted,
        p_adjusted from the range of n_learners normal numbers. If all learners tie everywhere:
        all p values 1, flag ``"all_ties"``.

    Raises
    ------
    DesignError
        If a score is missing or infinite, or there are fewer than two data sets or learners.
    InvalidArgumentError
        If the names or `alpha` do not fit.

    See Also
    --------
    pairwise_rank_test : Bergmann-Hommel and Shaffer find more pairs with the same guarantee.

    Notes
    -----
    Critical difference = q / sqrt(2) * sqrt(k (k + 1) / (6 N)), q the quantile of the
    studentized range for infinitely many degrees of freedom [1]_. When not to trust it: the
    verdict on a pair depends on the other learners in the table; a caution names a pair where it
    does.

    References
    ----------
    .. [1] Nemenyi (1963), Distribution-free multiple comparisons, thesis, Princeton; for
       learners Demsar (2006), Statistical comparisons of classifiers over multiple data sets,
       Journal of Machine Learning Research 7.

    Examples
    --------
    >>> losses = [[0.1, 0.2, 0.3], [0.2, 0.3, 0.4], [0.1, 0.3, 0.2], [0.1, 0.2, 0.4]]
    >>> result = nemenyi_test(losses)
    >>> round(result.critical_difference, 3), result.p_adjusted[0].round(4).tolist()
    (1.657, [nan, 0.1805, 0.0356])
    """
    return compare_mean_ranks(_NEMENYI_FAMILY, scores, names, greater_is_better, alpha)


def nemenyi_critical_difference(n_learners: int, n_data_sets: int, *, alpha: float = 0.05) -> float:
    """Return the difference of mean ranks that Nemenyi's test calls significant.

    Parameters
    ----------
    n_learners : int
        At least 2.
    n_data_sets : int
        At least 1.
    alpha : float in (0, 1), default=0.05
        Level of the family of all pairs.

    Returns
    -------
    float
        In ranks.

    Raises
    ------
    InvalidArgumentError
        If a number is too small or no whole one, or `alpha` is not inside (0, 1).

    Examples
    --------
    >>> round(nemenyi_critical_difference(5, 30), 3)
    1.114
    """
    error = rank_standard_error(n_learners, n_data_sets)
    alpha = check_share(alpha, "alpha")
    quantile = studentized_range_quantile(int(n_learners), np.inf, alpha=alpha)
    return quantile / float(np.sqrt(2)) * error


def _nemenyi_p(z: Floats, n_learners: int) -> Floats:
    return studentized_range_tail(np.sqrt(2) * z, n_learners, np.inf)


def _nemenyi_rejects(z: Floats, n_learners: int, alpha: float) -> Bools:
    return np.asarray(np.sqrt(2) * z >= studentized_range_quantile(n_learners, np.inf, alpha=alpha))


_NEMENYI_FAMILY = RankFamily(
    "Nemenyi test", "nemenyi", _nemenyi_p, _nemenyi_rejects, nemenyi_critical_difference
)
NEMENYI = _procedure(
    name="nemenyi",
    title="Nemenyi test",
    question="Which pairs of K learners differ in mean rank by more than the critical difference?",
    run=nemenyi_test,
    aliases=("cd", "cdd", "critical-difference", "cd-diagram", "autorank"),
)


def bonferroni_dunn_test(
    scores: ArrayLike,
    *,
    names: Names = None,
    control: str | None = None,
    greater_is_better: bool = False,
    alpha: float = 0.05,
) -> PairwiseResult:
    """Compare a control with every other learner over many data sets by a critical difference.

    Null hypotheses: a learner has the same expected rank as the control (two-sided). Design:
    blocked, one score of each learner on each data set; the control is chosen beforehand.

    Parameters
    ----------
    scores : array-like of shape (n_data_sets, n_learners), float
        One score of each learner on each data set, in any unit; losses unless
        `greater_is_better`.
    names : sequence of str, optional
        Names of the learners; required with more learners than data sets. Learner 1, learner 2, ...
        if left out.
    control : str, optional
        Name of the control, chosen before the scores are seen; the first learner if left out.
    greater_is_better : bool, default=False
        Direction of the scores; rank 1 is best.
    alpha : float in (0, 1), default=0.05
        Level of the critical difference.

    Returns
    -------
    PairwiseResult
        Only the row and the column of the control are filled. If all learners tie everywhere:
        all p values 1, flag ``"all_ties"``.

    Raises
    ------
    DesignError
        If a score is missing or infinite, or there are fewer than two data sets or learners.
    InvalidArgumentError
        If the names, the control or `alpha` do not fit.

    See Also
    --------
    control_rank_test : Holm finds more differences with the same guarantee.

    Notes
    -----
    Critical difference = z_(alpha / (2 (k - 1))) sqrt(k (k + 1) / (6 N)) [1]_. When not to trust
    it: as for `nemenyi_test`.

    References
    ----------
    .. [1] Dunn (1961), Multiple comparisons among means, Journal of the American Statistical
       Association 56; for learners Demsar (2006), Statistical comparisons of classifiers over
       multiple data sets, Journal of Machine Learning Research 7.

    Examples
    --------
    >>> losses = [[0.1, 0.2, 0.3], [0.2, 0.3, 0.4], [0.1, 0.3, 0.2], [0.1, 0.2, 0.4]]
    >>> result = bonferroni_dunn_test(losses)
    >>> round(result.critical_difference, 3), result.p_adjusted[0].round(4).tolist()
    (1.585, [nan, 0.1542, 0.0267])
    """
    return compare_mean_ranks(_DUNN_FAMILY, scores, names, greater_is_better, alpha, control)


def bonferroni_dunn_critical_difference(
    n_learners: int, n_data_sets: int, *, alpha: float = 0.05
) -> float:
    """Return the difference of mean ranks to a control that is significant.

    Parameters
    ----------
    n_learners : int
        With the control; at least 2.
    n_data_sets : int
        At least 1.
    alpha : float in (0, 1), default=0.05
        Level of the family of n_learners - 1 comparisons.

    Returns
    -------
    float
        In ranks.

    Raises
    ------
    InvalidArgumentError
        If a number is too small or no whole one, or `alpha` is not inside (0, 1).

    Examples
    --------
    >>> round(bonferroni_dunn_critical_difference(3, 20), 3)
    0.709
    """
    error = rank_standard_error(n_learners, n_data_sets)
    return float(-ndtri(check_share(alpha, "alpha") / (2 * (n_learners - 1)))) * error


_DUNN_FAMILY = RankFamily(
    "Bonferroni-Dunn test",
    "bonferroni",
    lambda z, _: adjust_p_values(p_of_z(z), "bonferroni"),
    critical_difference=bonferroni_dunn_critical_difference,
    has_control=True,
)
BONFERRONI_DUNN = _procedure(
    name="bonferroni-dunn",
    title="Bonferroni-Dunn test",
    question="Which learners differ in mean rank from a control by the critical difference?",
    run=bonferroni_dunn_test,
    aliases=("dunn",),
)


def control_rank_test(
    scores: ArrayLike,
    *,
    names: Names = None,
    control: str | None = None,
    correction: str = "holm",
    greater_is_better: bool = False,
    alpha: float = 0.05,
) -> PairwiseResult:
    """Compare a control with every other learner over many data sets by mean ranks.

    Null hypotheses: a learner has the same expected rank as the control (two-sided). Design:
    blocked, one score of each learner on each data set. The control is chosen before the scores
    are seen.

    Parameters
    ----------
    scores : array-like of shape (n_data_sets, n_learners), float
        One score of each learner on each data set, in any unit; losses unless
        `greater_is_better`.
    names : sequence of str, optional
        Names of the learners; required with more learners than data sets. Learner 1, learner 2, ...
        if left out.
    control : str, optional
        Name of the control; the first learner if left out.
    correction : str, default="holm"
        A method of `adjust_p_values`.
    greater_is_better : bool, default=False
        Direction of the scores; rank 1 is best.
    alpha : float in (0, 1), default=0.05
        Level of the statements in words.

    Returns
    -------
    PairwiseResult
        Only the row and the column of the control are filled. Estimates are mean ranks of first
        minus second, statistics their z. If all learners tie everywhere: all p values 1, flag
        ``"all_ties"``.

    Raises
    ------
    DesignError
        If a score is missing or infinite, or there are fewer than two data sets or learners.
    InvalidArgumentError
        If the names, the control, the correction or `alpha` do not fit.

    See Also
    --------
    bonferroni_dunn_test : Has a critical difference, and less power.

    Notes
    -----
    z = difference of mean ranks / sqrt(k (k + 1) / (6 N)), two-sided normal p values, adjusted
    as one family of k - 1 [1]_. When not to trust it: as for `nemenyi_test`.

    References
    ----------
    .. [1] Demsar (2006), Statistical comparisons of classifiers over multiple data sets,
       Journal of Machine Learning Research 7.

    Examples
    --------
    >>> losses = [[0.1, 0.2, 0.3], [0.2, 0.3, 0.4], [0.1, 0.3, 0.2], [0.1, 0.2, 0.4]]
    >>> result = control_rank_test(losses, names=["new", "old", "older"], control="new")
    >>> result.p_adjusted[0].round(4).tolist()
    [nan, 0.0771, 0.0267]
    """
    name = str(correction).lower()
    check_known(name, "correction of control_rank_test", ADJUSTMENTS, got=correction)
    family = RankFamily(
        "ranks against a control",
        name,
        lambda z, _: adjust_p_values(p_of_z(z), name),
        has_control=True,
    )
    return compare_mean_ranks(family, scores, names, greater_is_better, alpha, control)


CONTROL_RANKS = _procedure(
    name="control-ranks",
    title="ranks against a control",
    question="Which learners differ in mean rank from a control that was chosen beforehand?",
    run=control_rank_test,
    aliases=("holm-control",),
)


def pairwise_rank_test(
    scores: ArrayLike,
    *,
    names: Names = None,
    correction: str = "shaffer",
    greater_is_better: bool = False,
    alpha: float = 0.05,
) -> PairwiseResult:
    """Compare all pairs of K learners over many data sets by mean ranks.

    Null hypotheses: the two learners of a pair have the same expected rank (two-sided). Design:
    blocked, one score of each learner on each data set.

    Parameters
    ----------
    scores : array-like of shape (n_data_sets, n_learners), float
        One score of each learner on each data set, in any unit; losses unless
        `greater_is_better`.
    names : sequence of str, optional
        Names of the learners; required with more learners than data sets. Learner 1, learner 2, ...
        if left out.
    correction : str, default="shaffer"
        "shaffer", "bergmann-hommel" (up to 9 learners; most powerful), "holm", "bonferroni",
        "hochberg", "hommel", "bh", "by"; what each promises is in `adjust_pairs` and
        `adjust_p_values`.
    greater_is_better : bool, default=False
        Direction of the scores; rank 1 is best.
    alpha : float in (0, 1), default=0.05
        Level of the statements in words.

    Returns
    -------
    PairwiseResult
        Estimates are mean ranks of first minus second, statistics their z. If all learners tie
        everywhere: all p values 1, flag ``"all_ties"``.

    Raises
    ------
    DesignError
        If a score is missing or infinite, there are fewer than two data sets or learners, or
        bergmann-hommel is given more than 9 learners.
    InvalidArgumentError
        If the names, the correction or `alpha` do not fit.

    Notes
    -----
    z = difference of mean ranks / sqrt(k (k + 1) / (6 N)), two-sided normal p values, adjusted
    as one family [1]_. When not to trust it: the verdict on a pair depends on the other learners
    in the table; a caution names a pair where it does.

    References
    ----------
    .. [1] Garcia & Herrera (2008), An extension on statistical comparisons of classifiers over
       multiple data sets for all pairwise comparisons, Journal of Machine Learning Research 9.

    Examples
    --------
    >>> losses = [[0.1, 0.2, 0.3], [0.2, 0.3, 0.4], [0.1, 0.3, 0.2], [0.1, 0.2, 0.4]]
    >>> result = pairwise_rank_test(losses, names=["a", "b", "c"])
    >>> result.to_frame()[["first", "second", "p_adjusted"]].round(4).values.tolist()
    [['a', 'b', 0.0771], ['a', 'c', 0.04], ['b', 'c', 0.4795]]
    """
    return compare_mean_ranks(_all_pairs(correction), scores, names, greater_is_better, alpha)


def _all_pairs(correction: str) -> RankFamily:
    name = pair_correction(correction)
    return RankFamily("ranks of all pairs", name, lambda z, k: adjust_pairs(p_of_z(z), k, name))


def _by(correction: str) -> Callable[..., PairwiseResult]:
    def run(
        scores: ArrayLike,
        *,
        names: Names = None,
        greater_is_better: bool = False,
        alpha: float = 0.05,
    ) -> PairwiseResult:
        return compare_mean_ranks(_all_pairs(correction), scores, names, greater_is_better, alpha)

    return run


PAIRWISE_RANKS = _procedure(
    name="pairwise-ranks",
    title="ranks of all pairs",
    question="Which pairs of K learners differ in mean rank, with a correction of your choice?",
    run=pairwise_rank_test,
)
SHAFFER = _procedure(
    name="shaffer",
    title="ranks of all pairs, adjusted by Shaffer",
    question="Which pairs of K learners differ in mean rank, given that equality is transitive?",
    run=_by("shaffer"),
)
BERGMANN_HOMMEL = _procedure(
    name="bergmann-hommel",
    title="ranks of all pairs, adjusted by Bergmann and Hommel",
    question="Which pairs of up to 9 learners differ in mean rank, by the strongest correction?",
    run=_by("bergmann-hommel"),
)
