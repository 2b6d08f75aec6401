"""Ranks of learners within data sets, also where some of them were not tested."""

import math
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy.stats import rankdata

from bestofk.array_types import Floats, Positions
from bestofk.errors import DesignError
from bestofk.inference.checks import Names, learner_names, learner_table
from bestofk.measures.ties import tied_differences, tied_values


def mid_ranks(values: ArrayLike) -> Floats:
    """Return ranks along the last axis: the least value has rank 1, ties share the mean rank.

    Parameters
    ----------
    values : array-like of shape (..., n), float
        Finite, compared exactly; see `tied_values` of `measures.ties`.

    Returns
    -------
    ndarray of shape (..., n), float
        Ranks from 1 to n.

    Examples
    --------
    >>> mid_ranks([0.2, 0.1, 0.2, 0.4]).tolist()
    [2.5, 1.0, 2.5, 4.0]
    """
    given = np.asarray(values, dtype=float)
    order = np.argsort(given, axis=-1)
    ascending = np.take_along_axis(given, order, axis=-1)
    is_next = np.ones(given.shape, dtype=bool)
    np.not_equal(ascending[..., 1:], ascending[..., :-1], out=is_next[..., 1:])
    edges = np.append(np.flatnonzero(is_next), given.size)
    ranks = np.repeat((edges[1:] + edges[:-1] + 1) / 2, np.diff(edges)).reshape(given.shape)
    above = given.shape[-1] * np.arange(math.prod(given.shape[:-1]))  # values of rows above
    ranks -= above.reshape(*given.shape[:-1], 1)
    result = np.empty(given.shape)
    np.put_along_axis(result, order, ranks, axis=-1)
    return result


def rank_rows(scores: Floats, *, greater_is_better: bool) -> Floats:
    """Return the rank of each learner on each data set, rank 1 = best, ties share the mean.

    Parameters
    ----------
    scores : ndarray of shape (n_data_sets, n_learners), float
        Finite. Scores of a data set tie by the rule of `measures.ties`.
    greater_is_better : bool
        False for losses.

    Returns
    -------
    ndarray of shape (n_data_sets, n_learners), float
        Each row adds up to n_learners (n_learners + 1) / 2.
    """
    joined = tied_values(scores)
    return mid_ranks(-joined if greater_is_better else joined)


def average_ranks(
    scores: ArrayLike, *, names: Names = None, greater_is_better: bool = False
) -> Floats:
    """Return the mean rank of each learner over the data sets.

    Parameters
    ----------
    scores : array-like of shape (n_data_sets, n_learners), float
        One score of each learner on each data set, losses unless `greater_is_better`.
    names : sequence of str, optional
        Names of the learners; required with more learners than data sets.
    greater_is_better : bool, default=False
        Direction of the scores.

    Returns
    -------
    ndarray of shape (n_learners,), float
        1 is best; ties share the mean rank. It describes: the mean rank of a learner depends
        on which others are in the table.

    Raises
    ------
    DesignError
        If it is no table of finite numbers, has fewer than two learners, or more than data
        sets and no names.

    Examples
    --------
    >>> average_ranks([[0.1, 0.2], [0.2, 0.2], [0.3, 0.1], [0.1, 0.4]]).tolist()
    [1.375, 1.625]
    """
    table, _ = score_table(scores, names, "average_ranks", min_data_sets=1)
    return np.asarray(rank_rows(table, greater_is_better=greater_is_better).mean(axis=0))


def score_table(
    scores: Any, names: Names, procedure: str, *, min_data_sets: int = 2
) -> tuple[Floats, tuple[str, ...]]:
    """Return scores and names of learners, or raise and say which cell is missing.

    Parameters
    ----------
    scores : array-like of shape (n_data_sets, n_learners)
        One score of each learner on each data set.
    names : sequence of str or None
        Of the learners. Without any, a table of more learners than data sets is refused.
    procedure : str
        Name of the caller, for the error message.
    min_data_sets : int, default=2
        The least that the procedure needs.

    Returns
    -------
    table : ndarray of shape (n_data_sets, n_learners), float
        The same numbers.
    names : tuple of str
        One per learner.

    Raises
    ------
    DesignError
        If it is no table of finite numbers, too small, or is transposed.
    InvalidArgumentError
        If the names do not fit.
    """
    what = f"scores of {procedure}"
    table = _floats(scores)
    if table is not None and table.ndim == 2:
        known = learner_names(names, table.shape[1])
        missing = np.argwhere(~np.isfinite(table))
        if len(missing):
            i, j = missing[0]
            more = f" and {len(missing) - 1} more" if len(missing) > 1 else ""
            raise DesignError(
                f"{what} must be finite; got {table[i, j]} of {known[j]} on data set "
                f"{i + 1}{more}. Fill the cell, or leave the data set out for all learners."
            )
        if table.shape[0] < min_data_sets:
            raise DesignError(
                f"{what} must be those of at least {min_data_sets} data sets; got "
                f"{table.shape[0]}. With one data set take a procedure for its splits, such as "
                "corrected-t."
            )
    return learner_table(scores, what, row="data set", names=names, min_rows=min_data_sets)


def paired_differences(a: ArrayLike, b: ArrayLike, procedure: str) -> Floats:
    """Return the difference of two learners on each data set, such that ties are ties.

    Parameters
    ----------
    a, b : array-like of shape (n_data_sets,), float
        One score of the first and of the second learner on each data set.
    procedure : str
        Name of the caller, for the error message.

    Returns
    -------
    ndarray of shape (n_data_sets,), float
        a - b.

    Raises
    ------
    DesignError
        If the scores do not pair, are not one number per data set, not finite, or of fewer
        than two data sets.
    """
    first, second = _floats(a), _floats(b)
    what = f"scores of {procedure}"
    if first is None or second is None or first.ndim != 1 or first.shape != second.shape:
        got = " and ".join(
            "no regular numbers" if item is None else f"shape {item.shape}"
            for item in (first, second)
        )
        raise DesignError(
            f"{what} must pair, one number of each learner per data set; got {got}. "
            "Drop a data set from both learners or from none."
        )
    table, _ = score_table(
        np.column_stack([first, second]), ("the first learner", "the second learner"), procedure
    )
    return tied_differences(table[:, 0] - table[:, 1], np.abs(table).max(axis=1))


def _floats(values: Any) -> Floats | None:
    try:
        return np.asarray(values, dtype=float)
    except (TypeError, ValueError):
        return None


def rank_within_data_sets(values: ArrayLike) -> Floats:
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


def weighted_average_ranks(ranks: ArrayLike) -> Floats:
    """Return the mean rank of each learner over data sets; rows with gaps weigh less.

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


def ranking_order(mean_ranks: ArrayLike) -> Positions:
    """Return the learners from best to worst; ties as given, those without a rank last.

    Examples
    --------
    >>> ranking_order([2.5, 1.0, float("nan"), 2.5]).tolist()
    [1, 0, 3, 2]
    """
    return np.asarray(np.argsort(np.asarray(mean_ranks, dtype=np.float64), kind="stable"))
