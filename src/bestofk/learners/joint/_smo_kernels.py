"""Compiled loop of sequential minimal optimization, for one pair of classes.

The rows of the first class come first, then those of the second. A coefficient is the multiplier
of a row, times -1 in the second class: it lies in [0, C] or in [-C, 0], and all add up to 0. The
error of a row is what the machine without its offset gives for it, minus 1 or minus -1.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit

# What the loop ends with, other than a row whose kernel values it lacks.
DONE, TOO_LONG = -1, -2
# Smallest curvature of a step: TAU of libsvm.
_FLAT = 1e-12


# beta, error float64 (m,) of one class. O(m).
@njit(cache=True, error_model="numpy", nogil=True)
def _ends(beta: Any, error: Any, least: float, most: float) -> Any:
    """Return the row that may grow with the least error, and the largest that may shrink."""
    up = -1
    lowest, highest = np.inf, -np.inf
    for k in range(beta.size):
        if error[k] < lowest and beta[k] < most:
            lowest = error[k]
            up = k
        if error[k] > highest and beta[k] > least:
            highest = error[k]
    return up, lowest, highest


# row, diagonal, beta, error float64 (m,) of one class; own: the diagonal at the other row. O(m).
@njit(cache=True, error_model="numpy", nogil=True)
def _partner(
    row: Any, diagonal: Any, beta: Any, error: Any, least: float, lowest: float, own: float
) -> Any:
    """Return the row that gains most by shrinking (second order, Fan et al. 2005), and the gain."""
    down = -1
    best = 0.0
    for k in range(beta.size):
        gap = error[k] - lowest
        if gap > 0.0 and beta[k] > least:
            gain = gap * gap / max(own + diagonal[k] - 2.0 * row[k], _FLAT)
            if gain > best:
                best = gain
                down = k
    return down, best


# rows float64 (r, n): kernel values; slot int64 (n,): the row of each column, -1 where there is
# none; diagonal float64 (n,); spans int64 (4,): columns of both classes; beta, error float64
# (m,): overwritten; limits float64 (3,): C, tolerance, most steps. O(m steps).
@njit(cache=True, error_model="numpy", nogil=True)
def _optimize(
    rows: Any, slot: Any, diagonal: Any, spans: Any, beta: Any, error: Any, limits: Any
) -> int:
    """Go on until errors agree; return DONE, TOO_LONG, or the column whose row is missing."""
    a, a_end, b, b_end = spans[0], spans[1], spans[2], spans[3]
    n_first = a_end - a
    C, tolerance = limits[0], limits[1]
    beta_a, beta_b = beta[:n_first], beta[n_first:]
    error_a, error_b = error[:n_first], error[n_first:]
    diagonal_a, diagonal_b = diagonal[a:a_end], diagonal[b:b_end]
    n_steps = 0
    while n_steps < limits[2]:
        up, lowest, highest = _ends(beta_a, error_a, 0.0, C)
        up_b, lowest_b, highest_b = _ends(beta_b, error_b, -C, 0.0)
        up_most = C
        column = a + up
        if lowest_b < lowest:
            up, lowest, up_most, column = n_first + up_b, lowest_b, 0.0, b + up_b
        if max(highest, highest_b) - lowest < tolerance:
            return DONE
        if slot[column] < 0:
            return column
        row = rows[slot[column]]
        own = diagonal[column]
        down, gain = _partner(row[a:a_end], diagonal_a, beta_a, error_a, 0.0, lowest, own)
        down_b, gain_b = _partner(row[b:b_end], diagonal_b, beta_b, error_b, -C, lowest, own)
        down_least = 0.0
        other_column = a + down
        if gain_b > gain:
            down, down_least, other_column = n_first + down_b, -C, b + down_b
        if down < 0:
            return DONE
        if slot[other_column] < 0:
            return other_column
        other = rows[slot[other_column]]
        curvature = max(own + diagonal[other_column] - 2.0 * row[other_column], _FLAT)
        step = (error[down] - lowest) / curvature
        room_up, room_down = up_most - beta[up], beta[down] - down_least
        step = min(step, room_up, room_down)
        beta[up] = up_most if step == room_up else beta[up] + step
        beta[down] = down_least if step == room_down else beta[down] - step
        for k in range(n_first):
            error_a[k] += step * (row[a + k] - other[a + k])
        for k in range(b_end - b):
            error_b[k] += step * (row[b + k] - other[b + k])
        n_steps += 1
    return TOO_LONG
