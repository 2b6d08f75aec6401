"""Compiled loops that add up products of columns.

A tile holds `GROUPS` groups of four rows of a table side by side, `WIDTH` columns of each, block
of columns after block of columns: float64 (b `GROUPS`, 4 `WIDTH`), where b blocks hold all columns.
Totals hold the sums of products of four columns and a block, four after four up to that block,
block after block: float64 (b (b + 1) / 2 `WIDTH` / 4, 4 `WIDTH`). Numbers that stand side by side,
in arrays whose distances are known when a loop is compiled, are multiplied as fast as the
processor can. What follows the last column is 0.
"""

from __future__ import annotations

from typing import Any

from bestofk.learners.compiled import kernel

# Columns of a block, and groups of four rows of a tile.
WIDTH, GROUPS = 16, 16
_TWO, _THREE, _FOURS = 2 * WIDTH, 3 * WIDTH, WIDTH // 4


# rows float64 (n, d) C; lanes: the tile, WIDTH numbers in a row, overwritten. O((stop - start) d).
@kernel()
def _fill_tile(rows: Any, start: int, stop: int, lanes: Any) -> None:
    """Put some rows into a tile, and zeros up to the next multiple of four."""
    for block in range(lanes.shape[0] // (4 * GROUPS)):
        first = block * WIDTH
        width = min(WIDTH, rows.shape[1] - first)
        for k in range(-(-(stop - start) // 4) * 4):
            own = lanes[block * 4 * GROUPS + k]
            if start + k < stop:
                row = rows[start + k, first:]
                for q in range(width):
                    own[q] = row[q]
            else:
                for q in range(width):
                    own[q] = 0.0


# tile; fours: the tile, four numbers in a row; totals: added to, row after row of the table, in an
# order that is fixed. O(n_groups d^2).
@kernel()
def _add_tile(tile: Any, fours: Any, n_groups: int, totals: Any) -> None:
    """Add the products of the columns of the first groups of a tile."""
    number = 0
    for right in range(tile.shape[0] // GROUPS):
        for left in range(right + 1):
            for start in range(_FOURS):
                total = totals[number]
                number += 1
                for group in range(n_groups):
                    own = tile[right * GROUPS + group]
                    place = (left * GROUPS + group) * WIDTH + start
                    first, second = fours[place], fours[place + _FOURS]
                    third, fourth = fours[place + 2 * _FOURS], fours[place + 3 * _FOURS]
                    a, b, c, d = first[0], first[1], first[2], first[3]
                    e, f, g, h = second[0], second[1], second[2], second[3]
                    i, j, k, m = third[0], third[1], third[2], third[3]
                    n, o, p, q = fourth[0], fourth[1], fourth[2], fourth[3]
                    for lane in range(WIDTH):
                        w, x = own[lane], own[WIDTH + lane]
                        y, z = own[_TWO + lane], own[_THREE + lane]
                        total[lane] += (a * w + e * x) + (i * y + n * z)
                        total[WIDTH + lane] += (b * w + f * x) + (j * y + o * z)
                        total[_TWO + lane] += (c * w + g * x) + (k * y + p * z)
                        total[_THREE + lane] += (d * w + h * x) + (m * y + q * z)


# lanes: the totals, WIDTH numbers in a row, set to 0; products float64 (d, d) C: overwritten.
# O(d^2).
@kernel()
def _unfold(lanes: Any, products: Any) -> None:
    """Write totals as a symmetric matrix."""
    size, number = products.shape[0], 0
    for first in range(0, size, WIDTH):
        width = min(WIDTH, size - first)
        for column in range(first + WIDTH):
            total = lanes[number]
            number += 1
            if column < size:
                for q in range(width):
                    products[column, first + q] = total[q]
                    products[first + q, column] = total[q]
            for q in range(WIDTH):
                total[q] = 0.0


# rows float64 (n, d) C; bounds int64 (k + 1,): where each cell begins, and the end; tile and
# totals, both C and 0: overwritten, totals by 0; products float64 (k, d, d) C: overwritten.
# O(n d^2).
@kernel(lambda rows, bounds, tile, totals, *_: (len(rows) + 4 * bounds.size) * totals.size // 4)
def add_products(rows: Any, bounds: Any, tile: Any, totals: Any, products: Any) -> None:
    """Add up the products of columns over the rows of every cell."""
    lanes, fours = tile.reshape(-1, WIDTH), tile.reshape(-1, 4)
    sums = totals.reshape(-1, WIDTH)
    for cell in range(bounds.size - 1):
        for start in range(bounds[cell], bounds[cell + 1], 4 * GROUPS):
            stop = min(start + 4 * GROUPS, bounds[cell + 1])
            _fill_tile(rows, start, stop, lanes)
            _add_tile(tile, fours, -(-(stop - start) // 4), totals)
        _unfold(sums, products[cell])
