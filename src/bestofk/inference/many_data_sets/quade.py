"""Quade test of K learners: data sets with large differences count more."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike

from bestofk.inference.catalogue_entry import Procedure
from bestofk.inference.many_data_sets.friedman import rank_omnibus
from bestofk.inference.many_data_sets.ranks import mid_ranks, rank_rows, score_table
from bestofk.inference.many_data_sets.remarks import COMPARABLE, INDEPENDENT
from bestofk.inference.results import OmnibusResult
from bestofk.measures.ties import at_most, tied_differences


def quade_test(
    scores: ArrayLike, *, names: Sequence[str] | None = None, greater_is_better: bool = False
) -> OmnibusResult:
    """Ask whether K learners differ over many data sets, by the Quade test.

    Null hypothesis: on every data set all orders of the learners are equally probable.
    Design: blocked, one score of each learner on each data set; a data set counts by the rank
    of its range, so ranges must be comparable between data sets.

    Parameters
    ----------
    scores : array-like of shape (n_data_sets, n_learners), float
        One score of each learner on each data set, of one unit; losses unless
        `greater_is_better`.
    names : sequence of str, optional
        Of the learners, needed where they are more than the data sets; learner 1, learner 2, ...
        if left out.
    greater_is_better : bool, default=False
        Direction of the scores; it turns the mean ranks, not the test.

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
    if total == 0:
        statistic = 0.0
    elif at_most(total, between):
        statistic = math.inf
    else:
        statistic = (n_data_sets - 1) * between / (total - between)
    return rank_omnibus(
        ranks,
        known,
        "Quade test",
        statistic,
        by_f=True,
        p_of_limit=math.exp(-(n_data_sets - 1) * math.lgamma(n_learners + 1)),
        assumptions=(INDEPENDENT, COMPARABLE),
    )


PROCEDURE = Procedure(
    name="quade",
    title="Quade test",
    question="Do K learners differ over many data sets, large differences counting more?",
    takes="many-on-data-sets",
    run=quade_test,
)
