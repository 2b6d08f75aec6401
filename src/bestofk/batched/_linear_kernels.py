"""Compiled loops that score rows by one linear function per class and training part.

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
    from bestofk.batched._in_registers import add_lines

    return add_lines


# tile float64 (d, LANES) C; factors float64 (d, w) C, w a multiple of four; sums float64 (w, LANES)
# C: overwritten. Product after product, in an order that is fixed. O(d w).
@kernel(instead=_in_registers)
def _add_lines(tile: Any, factors: Any, sums: Any) -> None:
    """Multiply the rows of a tile by a matrix."""
    for c in range(factors.shape[1]):
        for lane in range(sums.shape[1]):
            total = 0.0
            for i in range(factors.shape[0]):
                total += tile[i, lane] * factors[i, c]
            sums[c, lane] = total


# rows float64 (n, d) C; bounds int64 (b + 1,): where those of each part begin; factors float64
# (b, d, w) C, w the next multiple of four; tile float64 (d + w, LANES) C: overwritten, numbers
# below infinity at first; scores float64 (c, n) C: overwritten. O(n d w).
@kernel(lambda rows, bounds, factors, *x: (len(rows) + LANES * bounds.size) * factors[0].size)
def score_lines(rows: Any, bounds: Any, factors: Any, tile: Any, scores: Any) -> None:
    """Multiply the rows of every part by its matrix."""
    size, order = rows.shape[1], np.arange(len(rows))
    inside, sums = tile[:size], tile[size:]
    for part in range(bounds.size - 1):
        for start in range(bounds[part], bounds[part + 1], LANES):
            stop = min(start + LANES, bounds[part + 1])
            lay_side_by_side(order, start, stop - start, rows, inside)
            _add_lines(inside, factors[part], sums)
            for c in range(scores.shape[0]):
                own = scores[c, start:stop]
                for lane in range(own.size):
                    own[lane] = sums[c, lane]
