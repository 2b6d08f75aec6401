"""Compiled loop of sequential minimal optimization, for one pair of classes.

The coefficient of a row is its multiplier, times -1 in the second class: it lies in [0, C] or in
[-C, 0]; their sum stays. The error of a row is what the machine gives for it without its offset,
minus 1 or minus -1.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from bestofk.trees.compiled import kernel

# Smallest curvature of a step: TAU of libsvm.
_FLAT = 1e-12


# gram float32 (w, w): kernel values; bounds float64 (2, w): least and most of each coefficient;
# beta float64 (w,): overwritten; error float64 (w,): -1 or 1 before, errors after; tolerance: of
# the errors. O(w) per step, and O(w) for each coefficient that is not 0 at first.
@kernel(lambda gram, *_: 10 * gram.size)
def _optimize(
    gram: Any, bounds: Any, beta: Any, error: Any, tolerance: float, most_steps: int
) -> int:
    """Step by pairs until all errors agree (second order: Fan et al. 2005); return the steps."""
    least, most = bounds[0], bounds[1]
    n_rows = beta.size
    gain, diagonal = np.empty(n_rows), np.empty(n_rows)
    # 0, or infinity where a coefficient is at its most, and at its least: no branch is needed
    is_most, is_least = np.empty(n_rows), np.empty(n_rows)
    for j in range(n_rows):
        diagonal[j] = gram[j, j]
        is_most[j] = 0.0 if beta[j] < most[j] else np.inf
        is_least[j] = 0.0 if beta[j] > least[j] else np.inf
        if beta[j] != 0.0:
            for k in range(n_rows):
                error[k] += beta[j] * gram[j, k]
    for n_steps in range(most_steps):
        up, down = 0, 0
        lowest, highest = np.inf, -np.inf
        for k in range(n_rows):
            if error[k] + is_most[k] < lowest:
                lowest = error[k] + is_most[k]
                up = k
            if error[k] - is_least[k] > highest:
                highest = error[k] - is_least[k]
        if not highest - lowest >= tolerance:
            return n_steps
        row = gram[up]
        own = diagonal[up]
        for k in range(n_rows):
            gap = error[k] - lowest - is_least[k]
            curvature = own + diagonal[k] - 2.0 * np.float64(row[k])
            curvature = curvature if curvature > _FLAT else _FLAT
            gap = gap if gap > 0.0 else 0.0
            gain[k] = gap * gap / curvature
        best = -1.0
        for k in range(n_rows):
            if gain[k] > best:
                best = gain[k]
                down = k
        other = gram[down]
        room_up, room_down = most[up] - beta[up], beta[down] - least[down]
        curvature = own + diagonal[down] - 2.0 * np.float64(row[down])
        step = (error[down] - lowest) / max(curvature, _FLAT)
        step = min(step, room_up, room_down)
        beta[up] = most[up] if step == room_up else beta[up] + step
        beta[down] = least[down] if step == room_down else beta[down] - step
        for j in (up, down):
            is_most[j] = 0.0 if beta[j] < most[j] else np.inf
            is_least[j] = 0.0 if beta[j] > least[j] else np.inf
        for k in range(n_rows):
            error[k] += step * (np.float64(row[k]) - np.float64(other[k]))
    return most_steps
