"""Ranks of learners within data sets on which some of them were not tested.

References
----------
Abdulrahman & Brazdil (2016), Effect of incomplete meta-dataset on average ranking method,
arXiv:1608.06845 (the weights of incomplete rows).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.stats import rankdata

from bestofk.measures.ties import tied_values


def rank_within_data_sets(values: ArrayLike) -> NDArray[np.float64]:
    """Return the ranks in each row: 1 is best, ties share their mean rank.

    Parameters
    ----------
    values : array-like of shape (n_data_sets, n_learners)
        Higher is better; nan gets no rank.  Ties are those of `measures.ties`.

    Returns
    -------
    ndarray of shape (n_data_sets, n_learners)
        Ranks among the values that are there; nan elsewhere.

    Examples
    --------
    >>> rank_within_data_sets([[0.9, 0.85, 0.85], [0.8, float("nan"), 0.9]]).tolist()
    [[1.0, 2.5, 2.5], [2.0, nan, 1.0]]
    """
    table = tied_values(values)
    is_missing = np.isnan(table)
    ranks = rankdata(np.where(is_missing, np.inf, -table), axis=1)  # what is missing ranks last
    return np.where(is_missing, np.nan, ranks)


def weighted_average_ranks(ranks: ArrayLike) -> NDArray[np.float64]:
    """Return the mean rank of each learner over data sets, rows with gaps weighing less.

    A row with n of N learners weighs (n - 1) / (N - 1): a row with one learner says nothing.

    Parameters
    ----------
    ranks : array-like of shape (n_data_sets, n_learners)
        Ranks within the rows, nan where a learner was not tested.

    Returns
    -------
    ndarray of shape (n_learners,)
        nan for a learner that was never ranked against another.

    Examples
    --------
    >>> nan = float("nan")
    >>> weighted_average_ranks([[3, 1, 2], [1, nan, nan], [nan, 2, 1]]).tolist()
    [3.0, 1.3333333333333333, 1.6666666666666667]
    """
    table = np.asarray(ranks, dtype=np.float64)
    there = ~np.isnan(table)
    weights = (there.sum(axis=1) - 1) / max(table.shape[1] - 1, 1)
    total = np.where(there, weights[:, None], 0.0).sum(axis=0)
    summed = np.where(there, table * weights[:, None], 0.0).sum(axis=0)
    means = np.divide(summed, total, out=np.full(table.shape[1], np.nan), where=total > 0)
    return tied_values(means)


def ranking_order(mean_ranks: ArrayLike) -> NDArray[np.intp]:
    """Return the learners from best to worst; ties as given, those without a rank last.

    Examples
    --------
    >>> ranking_order([2.5, 1.0, float("nan"), 2.5]).tolist()
    [1, 0, 3, 2]
    """
    return np.asarray(np.argsort(np.asarray(mean_ranks, dtype=np.float64), kind="stable"))
