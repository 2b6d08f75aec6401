# mypy: allow-untyped-defs, allow-untyped-calls
"""Compiled loops for what preparation learns from every part.

A table is `matrix` float64 (n, p), C order; `folds` int32 (R, n) names the fold that tests each
row.
"""

from __future__ import annotations

import math

import numpy as np

from bestofk.trees.compiled import kernel


# sums, squares float64 (R, F, p): overwritten; inside float64 (2, F, p): overwritten.
# O(R (n + F) p).
@kernel(lambda matrix, folds, *_: matrix.size * len(folds))
def _add_parts(matrix, folds, inside, sums, squares):
    """Add up the values, and their squares, of the rows outside of each fold.

    Those of the other folds are added: to subtract one from the total would lose digits.
    """
    n_folds, p = sums.shape[1], matrix.shape[1]
    for r in range(folds.shape[0]):
        for f in range(n_folds):
            for j in range(p):
                inside[0, f, j] = 0.0
                inside[1, f, j] = 0.0
        for i in range(matrix.shape[0]):
            f = folds[r, i]
            for j in range(p):
                value = matrix[i, j]
                inside[0, f, j] += value
                inside[1, f, j] += value * value
        for j in range(p):
            first = 0.0
            second = 0.0
            for f in range(n_folds):
                sums[r, f, j] = first
                squares[r, f, j] = second
                first += inside[0, f, j]
                second += inside[1, f, j]
            first = 0.0
            second = 0.0
            for f in range(n_folds - 1, -1, -1):
                sums[r, f, j] += first
                squares[r, f, j] += second
                first += inside[0, f, j]
                second += inside[1, f, j]


# columns float64 (p, n), C order: the table by columns, nan where values are missing; places
# int64 (m, 3): repeat, fold, column; fills float64 (m,): what nan becomes, nan to leave it out.
# moments float64 (2, m): overwritten with mean and variance (divisor n). O(m n).
@kernel(lambda columns, folds, places, *_: 2 * len(places) * columns.shape[1])
def _two_passes(columns, folds, places, fills, moments):
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
                if math.isnan(value):
                    value = fills[m]
                    if math.isnan(value):
                        continue
                n += 1
                total += value
                low = min(low, value)
                high = max(high, value)
        moments[0, m] = low
        moments[1, m] = 0.0
        if n == 0 or low == high:
            continue
        mean = total / n
        squares = 0.0
        rest = 0.0
        for i in range(columns.shape[1]):
            if folds[r, i] != fold:
                value = columns[j, i]
                if math.isnan(value):
                    value = fills[m]
                    if math.isnan(value):
                        continue
                squares += (value - mean) * (value - mean)
                rest += value - mean
        moments[0, m] = mean
        moments[1, m] = (squares - rest * rest / n) / n
