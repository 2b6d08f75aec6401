"""Compiled loops for what preparation learns from every part.

A table is `matrix` float64 (n, p), C order; `folds` int32 (R, n) names the fold that tests each
row.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit


# sums, squares float64 (R, F, p): zeros, overwritten. O(R n p).
@njit(cache=True, nogil=True, error_model="numpy")
def _add_folds(matrix: Any, folds: Any, sums: Any, squares: Any) -> None:
    """Add up the values, and their squares, of the rows of each fold."""
    for r in range(folds.shape[0]):
        for i in range(matrix.shape[0]):
            fold = folds[r, i]
            for j in range(matrix.shape[1]):
                value = matrix[i, j]
                sums[r, fold, j] += value
                squares[r, fold, j] += value * value


# places int64 (m, 3): repeat, fold, column; fills float64 (m,): what nan becomes. columns
# float64 (p, n), C order: the table by columns, nan where values are missing. found float64
# (m, 2): overwritten with mean and variance (divisor n). O(m n).
@njit(cache=True, nogil=True, error_model="numpy")
def _moments(columns: Any, folds: Any, places: Any, fills: Any, found: Any) -> None:
    """Compute mean and variance of some columns of some parts in two passes.

    A constant has its very value and a variance of 0.
    """
    for m in range(places.shape[0]):
        r, fold, j = places[m, 0], places[m, 1], places[m, 2]
        n = 0
        total = 0.0
        low = np.inf
        high = -np.inf
        for i in range(columns.shape[1]):
            if folds[r, i] != fold:
                value = columns[j, i]
                if np.isnan(value):
                    value = fills[m]
                n += 1
                total += value
                low = min(low, value)
                high = max(high, value)
        found[m, 0] = low
        found[m, 1] = 0.0
        if n == 0 or low == high:
            continue
        mean = total / n
        squares = 0.0
        rest = 0.0
        for i in range(columns.shape[1]):
            if folds[r, i] != fold:
                value = columns[j, i]
                if np.isnan(value):
                    value = fills[m]
                squares += (value - mean) * (value - mean)
                rest += value - mean
        found[m, 0] = mean
        found[m, 1] = (squares - rest * rest / n) / n
