"""Compiled loops that score rows by one covariance matrix per class and training part.

A tile holds `LANES` rows of a table by columns: float64 (k, `LANES`). Lanes without a row hold
values that are never read.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from bestofk.batched._tile_kernels import LANES, lay_side_by_side
from bestofk.trees.compiled import kernel


def _in_registers() -> Callable[..., None]:
    from bestofk.batched._in_registers import add_squares

    return add_squares


# tile float64 (r, LANES) C; factors float64 (r, w) C, w a multiple of four: r - w rows above an
# upper triangle; shifts float64 (w,); total float64 (LANES,): overwritten. Product after product,
# in an order that is fixed. O(r w).
@kernel(instead=_in_registers)
def _add_squares(tile: Any, factors: Any, shifts: Any, total: Any) -> None:
    """Add up the squares of a tile times a matrix, column after column of it."""
    lead = factors.shape[0] - factors.shape[1]
    for lane in range(total.size):
        total[lane] = 0.0
        for j in range(shifts.size):
            value = shifts[j]
            for i in range(lead + j + 1):
                value += tile[i, lane] * factors[i, j]
            total[lane] += value * value


# rows float64 (n, v) C: columns, then indicators; bounds int64 (b + 1,): where those of each part
# begin; factors float64 (b, c, r, w) C, multiples of four: of the indicators, and from r - w on of
# the columns, an upper triangle; shifts float64 (b, c, w) C; tile float64 (r + 1, LANES) C:
# overwritten, numbers below infinity at first; scores float64 (c, n) C: overwritten. O(n c r w).
@kernel(lambda rows, bounds, n, factors, *x: (len(rows) + LANES * bounds.size) * factors[0].size)
def score_squares(
    rows: Any, bounds: Any, n_columns: int, factors: Any, shifts: Any, tile: Any,
    scores: Any,
) -> None:  # fmt: skip
    """Multiply the rows of every part by the matrix of every class, and add up half the squares.

    The scores are minus that.
    """
    n_rows, width, order = factors.shape[2], factors.shape[3], np.arange(len(rows))
    inside, total = tile[:n_rows], tile[n_rows]
    columns, indicators, below = rows[:, :n_columns], rows[:, n_columns:], inside[n_rows - width :]
    for part in range(bounds.size - 1):
        for start in range(bounds[part], bounds[part + 1], LANES):
            stop = min(start + LANES, bounds[part + 1])
            lay_side_by_side(order, start, stop - start, columns, below)
            lay_side_by_side(order, start, stop - start, indicators, inside)
            for c in range(factors.shape[1]):
                _add_squares(inside, factors[part, c], shifts[part, c], total)
                own = scores[c, start:stop]
                for lane in range(own.size):
                    own[lane] = -0.5 * total[lane]
