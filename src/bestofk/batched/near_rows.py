"""Lists of the nearest rows of each row, under the weights that columns usually have."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from bestofk.learners.nearest_neighbors_classifier import kth_smallest

# Distances held at a time while lists are made.
_BLOCK: Final = 2**20


@dataclass(frozen=True, eq=False)
class NearRows:
    """The rows nearest to each row.

    Parameters
    ----------
    near : ndarray of shape (n_samples, n_listed), int64
        Row numbers, in no order.
    horizon : ndarray of shape (n_samples,), float64
        No row outside the list has a smaller squared distance.
    usual : ndarray of shape (n_columns,), float64
        The weights of squared differences.
    """

    near: NDArray[np.int64]
    horizon: NDArray[np.float64]
    usual: NDArray[np.float64]


def list_length(k: int, n_folds: int) -> int:
    """Return how many near rows are listed: shorter lists leave too many rows without proof.

    Parameters
    ----------
    k, n_folds : int
        Neighbors wanted, folds of a repeat.
    """
    return 12 + 2 * k + (20 + 8 * k) // (n_folds - 1)


def near_rows(X: NDArray[np.float64], usual: NDArray[np.float64], length: int) -> NearRows:
    """Return the rows nearest to each row, all pairs looked at, block by block.

    Parameters
    ----------
    X : ndarray of shape (n_samples, n_columns)
        All rows.
    usual : ndarray of shape (n_columns,)
        Weights of squared differences.
    length : int
        How many are listed; all rows if there are no more.
    """
    X = (X - X.mean(axis=0)) * np.sqrt(usual)
    n_samples, lengths = len(X), (X**2).sum(axis=1)
    factors = np.ascontiguousarray(np.vstack([-2 * X.T, lengths]))
    rounding = 8 * (X.shape[1] + 8) * np.finfo(np.float64).eps
    if length >= n_samples:
        near = np.tile(np.arange(n_samples), (n_samples, 1))
        return NearRows(near, np.full(n_samples, np.inf), usual)
    near, horizon = np.empty((n_samples, length), dtype=np.int64), np.empty(n_samples)
    size = max(1, _BLOCK // n_samples)
    for first in range(0, n_samples, size):
        rows = slice(first, first + size)
        nearness = np.column_stack([X[rows], np.ones(len(X[rows]))]) @ factors
        # one more than is listed tells how far the others are at least
        limits = kth_smallest(nearness, length + 1)
        row, item = np.divmod(np.flatnonzero(nearness <= limits[:, None]), n_samples)
        values = in_lines(row, nearness[row, item], np.inf)
        order = np.argpartition(values, length, axis=1)
        near[rows] = np.take_along_axis(in_lines(row, item, 0), order[:, :length], axis=1)
        rest = np.take_along_axis(values, order[:, length : length + 1], axis=1)[:, 0]
        horizon[rows] = rest + lengths[rows] - rounding * (np.abs(rest) + 2 * lengths[rows])
    return NearRows(near, horizon, usual)


def in_lines(row: NDArray[np.int64], values: NDArray[Any], filler: float) -> NDArray[Any]:
    """Return values of the same row in one line of a matrix.

    Parameters
    ----------
    row : ndarray of int64
        The row of each value, ascending; every row has some.
    values : ndarray
        What to put there.
    filler : float
        What fills up lines.
    """
    counts = np.bincount(row)
    index = np.arange(len(row)) - np.repeat(np.cumsum(counts) - counts, counts)
    lines = np.full((len(counts), counts.max()), filler, dtype=values.dtype)
    lines[row, index] = values
    return lines
