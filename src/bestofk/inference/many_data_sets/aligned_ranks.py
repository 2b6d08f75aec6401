"""Friedman's aligned ranks test of K learners over many data sets."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike

from bestofk.inference.catalogue_entry import Procedure
from bestofk.inference.many_data_sets.friedman import rank_omnibus
from bestofk.inference.many_data_sets.ranks import mid_ranks, score_table
from bestofk.inference.many_data_sets.remarks import COMPARABLE, INDEPENDENT
from bestofk.inference.results import OmnibusResult
from bestofk.measures.ties import tied_values


def aligned_ranks_test(
    scores: ArrayLike, *, names: Sequence[str] | None = None, greater_is_better: bool = False
) -> OmnibusResult:
    """Ask whether K learners differ over many data sets, by Friedman's aligned ranks.

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
        Of the learners, needed where they are more than the data sets; learner 1, learner 2, ...
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
    assumptions = (INDEPENDENT, COMPARABLE)
    return rank_omnibus(ranks, known, "aligned ranks test", statistic, assumptions=assumptions)


PROCEDURE = Procedure(
    name="aligned-ranks",
    title="aligned ranks test",
    question="Do K learners differ over many data sets, judged by ranks across data sets?",
    takes="many-on-data-sets",
    run=aligned_ranks_test,
    aliases=("friedman-aligned-ranks", "friedman-aligned"),
)
