"""Compiled loops that add up products of columns.

A tile holds `ROWS` rows of a table, and totals the sums of the products of its columns, the upper
half: float64 (`ROWS`, w) and (d, w), where d is the number of columns, or more, to a multiple of
four, and w at least `BESIDE` more. What follows the last column of a tile is 0; what follows it in
the totals is never read.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from bestofk.trees.compiled import kernel

# Rows of a tile, and numbers that may be overwritten beside what is asked for.
ROWS, BESIDE = 64, 32


# rows float64 (n, d) C; tile (ROWS, w) C: its first stop - start rows are overwritten.
# O((stop - start) d).
@kernel()
def _fill_tile(rows: Any, start: int, stop: int, tile: Any) -> None:
    """Put some rows into a tile."""
    for k in range(stop - start):
        row, own = rows[start + k], tile[k]
        for q in range(row.size):
            own[q] = row[q]


def _in_registers() -> Callable[..., None]:
    from bestofk.batched._in_registers import add_panel

    return add_panel


# tile (ROWS, w), totals (d, w), both C: four rows of totals from `column` on are added to, from
# `column` up to `size`. Row after row of the table. O(n_rows (size - column)).
@kernel(instead=_in_registers)
def _add_panel(tile: Any, n_rows: int, column: int, size: int, totals: Any) -> None:
    """Add the products of four columns and all to their right, over the first rows of a tile."""
    for index in range(column, column + 4):
        for other in range(column, size):
            total = totals[index, other]
            for k in range(n_rows):
                total += tile[k, index] * tile[k, other]
            totals[index, other] = total


# totals (d, w): set to 0; products float64 (d, d) C: overwritten. O(d^2).
@kernel()
def _unfold(totals: Any, products: Any) -> None:
    """Write totals as a symmetric matrix."""
    size = products.shape[0]
    for i in range(size):
        own, row = totals[i], products[i]
        for j in range(i, size):
            row[j] = own[j]
        for j in range(i):
            row[j] = products[j, i]
    for i in range(totals.shape[0]):
        own = totals[i]
        for j in range(own.size):
            own[j] = 0.0


# rows float64 (n, d) C; bounds int64 (k + 1,): where each cell begins, and the end; tile (ROWS, w)
# and totals (at least d, w), both C and 0: overwritten, totals by 0; products float64 (k, d, d) C:
# overwritten. O(n d^2).
@kernel(lambda rows, bounds, _, totals, products: rows.size * rows.shape[1] + products.size)
def add_products(rows: Any, bounds: Any, tile: Any, totals: Any, products: Any) -> None:
    """Add up the products of columns over the rows of every cell."""
    size = rows.shape[1]
    for cell in range(bounds.size - 1):
        for start in range(bounds[cell], bounds[cell + 1], ROWS):
            stop = min(start + ROWS, bounds[cell + 1])
            _fill_tile(rows, start, stop, tile)
            for column in range(0, size, 4):
                _add_panel(tile, stop - start, column, size, totals)
        _unfold(totals, products[cell])
