"""Running means of learners, and the last repeat that changed their order."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bestofk.array_types import Floats, Ints
from bestofk.errors import DesignError
from bestofk.inference.checks import Names, as_numbers, names_of_columns
from bestofk.measures.ties import is_noise


def running_means(values: ArrayLike, *, names: Names = None) -> Floats:
    """Return the mean of the repeats so far, for every learner after every repeat.

    Parameters
    ----------
    values : array-like of shape (n_repeats, n_learners), float
        Mean score of each repeat; nan where it was not done.
    names : sequence of str, optional
        Learners; needed where they are more than the repeats.

    Returns
    -------
    ndarray of shape (n_repeats, n_learners), float
        Held where a repeat was not done; nan before the first one.

    Raises
    ------
    DesignError
        If the values are no regular table of numbers, one is infinite, or the table lies on its
        side.

    Examples
    --------
    >>> running_means([[0.2], [0.4], [float("nan")], [0.9]]).round(3).tolist()
    [[0.2], [0.3], [0.3], [0.5]]
    """
    table, _ = repeat_table(values, "values of running_means", names)
    return _running_means(table)


def running_standard_errors(values: ArrayLike, *, names: Names = None) -> Floats:
    """Return the standard error of every running mean over the repeats so far.

    Parameters
    ----------
    values : array-like of shape (n_repeats, n_learners), float
        Mean score of each repeat; nan where it was not done.
    names : sequence of str, optional
        Learners; needed where they are more than the repeats.

    Returns
    -------
    ndarray of shape (n_repeats, n_learners), float
        Standard deviation of the repeats so far over the root of their number; nan below two.

    Raises
    ------
    DesignError
        If the values are no regular table of numbers, one is infinite, or the table lies on its
        side.

    Notes
    -----
    Given the rows of the data set, repeats with other seeds are independent draws. So this says
    how far the mean of endless repeats on these rows may lie, and nothing about other rows.

    Examples
    --------
    >>> running_standard_errors([[0.2], [0.4], [float("nan")], [0.9]]).round(3).tolist()
    [[nan], [0.1], [0.1], [0.208]]
    """
    table, _ = repeat_table(values, "values of running_standard_errors", names)
    _, away, counts = _from_start(table)
    total = np.cumsum(away, axis=0)
    with np.errstate(invalid="ignore", divide="ignore"):
        squares = np.cumsum(away**2, axis=0) - total**2 / counts
        errors = np.sqrt(np.maximum(squares, 0.0) / (counts - 1) / counts)
    return np.asarray(np.where(counts > 1, errors, np.nan))


def last_crossing(values: ArrayLike, *, names: Names = None) -> Ints:
    """Return after how many repeats the order of every two running means was final.

    Parameters
    ----------
    values : array-like of shape (n_repeats, n_learners), float
        Mean score of each repeat; nan where it was not done. A learner that stopped early is
        held against the others with the mean it stopped with.
    names : sequence of str, optional
        Learners; needed where they are more than the repeats.

    Returns
    -------
    ndarray of shape (n_learners, n_learners), int
        [i, j]: number of repeats at which the running means of i and j changed order for the
        last time, counted from 1; 0 if they never did. Symmetric. The maximum is the repeat
        after which the order of all never changed.

    Raises
    ------
    DesignError
        If the values are no regular table of numbers, one is infinite, or the table lies on its
        side.

    Notes
    -----
    Means that agree in 12 digits are tied, and a tie is no change: two means that meet and part
    again the same way have not crossed. More repeats may bring another crossing, so the answer
    looks back and promises nothing [1]_.

    References
    ----------
    .. [1] Raeder, Hoens & Chawla (2010), Consequences of variability in classifier performance
       estimates, IEEE International Conference on Data Mining, section IV.

    Examples
    --------
    >>> last_crossing([[0.1, 0.2, 0.9], [0.2, 0.1, 0.9], [0.3, 0.1, 0.9]]).tolist()
    [[0, 3, 0], [3, 0, 0], [0, 0, 0]]
    """
    table, _ = repeat_table(values, "values of last_crossing", names)
    means = _running_means(table)
    n_repeats, k = means.shape
    last = np.zeros((k, k), dtype=np.int64)
    indices = np.arange(n_repeats)[:, None]
    for i in range(k):
        signs = _signs(means[:, [i]], means[:, i + 1 :])
        # place of the latest repeat up to each one at which the two were not tied
        known = np.maximum.accumulate(np.where(signs != 0, indices, -1), axis=0)
        held = np.where(known >= 0, np.take_along_axis(signs, np.maximum(known, 0), axis=0), 0)
        turned = (held[1:] != held[:-1]) & (held[:-1] != 0)
        last[i, i + 1 :] = (turned * (indices[1:] + 1)).max(axis=0, initial=0)
    return last + last.T


def repeat_table(values: Any, what: str, names: Names) -> tuple[Floats, tuple[str, ...]]:
    """Return scores of repeats as a table of floats, and the names of the learners, or raise.

    Parameters
    ----------
    values : array-like of shape (n_repeats, n_learners), float
        nan where a repeat was not done.
    what : str
        Their name in the error message.
    names : sequence of str or None
        Learners. Without any, a table of more learners than repeats is refused.

    Returns
    -------
    table : ndarray of shape (n_repeats, n_learners), float
        The same numbers.
    names : tuple of str
        One per learner.

    Raises
    ------
    DesignError
        If they are no regular table of numbers, one is infinite, or the table lies on its side.
    InvalidArgumentError
        If names do not fit.
    """
    way_out = "Give one number per repeat and learner, nan where there is none."
    table = as_numbers(values, f"{what} must be numbers in a regular table", way_out)
    if table.ndim != 2 or np.isinf(table).any():
        got = f"shape {table.shape}" if table.ndim != 2 else "an infinite number"
        raise DesignError(
            f"{what} must be a table of one row per repeat and one finite number per learner; got "
            f"{got}. Write nan where a repeat was not done."
        )
    return table, names_of_columns(values, what, row="repeat", names=names)


def _running_means(table: Floats) -> Floats:
    start, away, counts = _from_start(table)
    with np.errstate(invalid="ignore"):
        return np.asarray(start + np.cumsum(away, axis=0) / counts)


def _from_start(table: Floats) -> tuple[Floats, Floats, Ints]:
    """Return the first score of each learner, all scores from there (0 if none), and counts."""
    done = np.isfinite(table)
    counts = np.cumsum(done, axis=0)
    first = np.argmax(done, axis=0)[None] if len(table) else np.zeros((0, table.shape[1]), int)
    # sums from the first score on keep constant scores exact
    start = np.take_along_axis(table, first, axis=0)
    return start, np.where(done, table - start, 0.0), counts


def _signs(mean: Floats, others: Floats) -> NDArray[np.int8]:
    """Return where one running mean lies above (1) or below (-1) others; 0 is tied or unknown."""
    with np.errstate(invalid="ignore"):
        difference = mean - others
        is_tie = is_noise(difference, np.maximum(np.abs(mean), np.abs(others)))
        return np.where(is_tie | np.isnan(difference), 0, np.sign(difference)).astype(np.int8)
