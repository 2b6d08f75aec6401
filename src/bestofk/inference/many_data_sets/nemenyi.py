"""Nemenyi test of all pairs of K learners over many data sets."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike

from bestofk.inference.catalogue_entry import TWO_SIDED, Procedure
from bestofk.inference.many_data_sets.rank_comparisons import (
    Bools,
    RankFamily,
    compare_mean_ranks,
    rank_standard_error,
)
from bestofk.inference.results import PairwiseResult
from bestofk.inference.student import Floats, check_share
from bestofk.inference.studentized_range import studentized_range_quantile, studentized_range_tail


def _adjust(z: Floats, n_learners: int) -> Floats:
    return studentized_range_tail(np.sqrt(2) * z, n_learners, np.inf)


def _reject(z: Floats, n_learners: int, alpha: float) -> Bools:
    return np.asarray(np.sqrt(2) * z >= studentized_range_quantile(n_learners, np.inf, alpha=alpha))


FAMILY = RankFamily("Nemenyi test", "nemenyi", _adjust, _reject)


def nemenyi_test(
    scores: ArrayLike,
    *,
    names: Sequence[str] | None = None,
    greater_is_better: bool = False,
    alpha: float = 0.05,
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
        Of the learners, needed where they are more than the data sets; learner 1, learner 2, ...
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
    pairwise_rank_test : Bergmann-Hommel and Shaffer show more pairs with the same guarantee.

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
    return compare_mean_ranks(
        scores,
        FAMILY,
        names=names,
        greater_is_better=greater_is_better,
        alpha=alpha,
        critical_difference=lambda k, n: nemenyi_critical_difference(k, n, alpha=alpha),
    )


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
    return (
        studentized_range_quantile(int(n_learners), np.inf, alpha=check_share(alpha, "alpha"))
        / float(np.sqrt(2))
        * error
    )


PROCEDURE = Procedure(
    name="nemenyi",
    title="Nemenyi test",
    question="Which pairs of K learners differ in mean rank by more than the critical difference?",
    takes="many-on-data-sets",
    run=nemenyi_test,
    sides=TWO_SIDED,
    aliases=("cd", "cdd", "critical-difference", "cd-diagram", "autorank"),
)
