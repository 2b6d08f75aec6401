"""Friedman test of K learners over many data sets."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import chdtrc, fdtrc

from bestofk.errors import InvalidArgumentError
from bestofk.inference.catalogue_entry import Procedure
from bestofk.inference.many_data_sets.ranks import rank_rows, score_table
from bestofk.inference.many_data_sets.remarks import (
    INDEPENDENT,
    RANKED_WITHIN,
    all_alike,
    all_ties,
    few_data_sets,
    not_equal,
)
from bestofk.inference.results import OmnibusResult
from bestofk.inference.student import Floats

N_OF = "data sets"
WITHOUT_CORRECTION = " (not corrected for ties)"


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
    if correct_ties not in (True, False):
        raise InvalidArgumentError(f"correct_ties must be True or False; got {correct_ties!r}.")
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
    names: Sequence[str] | None = None,
    greater_is_better: bool = False,
    correct_ties: bool = True,
) -> OmnibusResult:
    """Ask whether K learners differ over many data sets, by the Friedman test.

    Null hypothesis: on every data set all orders of the learners are equally probable.
    Design: blocked, one score of each learner on each data set.

    Parameters
    ----------
    scores : array-like of shape (n_data_sets, n_learners), float
        One score of each learner on each data set, in any unit; losses unless
        `greater_is_better`.
    names : sequence of str, optional
        Of the learners, needed where they are more than the data sets; learner 1, learner 2, ...
        if left out.
    greater_is_better : bool, default=False
        Direction of the scores; it turns the mean ranks, not the test.
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
    procedure = f"Friedman test{'' if correct_ties else WITHOUT_CORRECTION}"
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
    assumptions: tuple[str, ...] = (INDEPENDENT, RANKED_WITHIN),
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
        n_of=N_OF,
        assumptions=assumptions,
        flags=("all_ties",) if tied else ("zero_variance",) if limit else (),
        warnings=(
            *(all_ties("learners on every data set") if tied else ()),
            *(all_alike() if limit else ()),
            *few_data_sets(n_data_sets),
            *not_equal(p_value),
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


PROCEDURE = Procedure(
    name="friedman",
    title="Friedman test",
    question="Do K learners differ over many data sets, judged by their ranks?",
    takes="many-on-data-sets",
    run=friedman_test,
    aliases=("friedman-chi2", "friedmanchisquare"),
)
