"""Compiled loops for one covariance matrix per class and training part.

A tile holds `LANES` rows of a table by columns, four in a row of it: float64 (k, 4 `LANES`), column
4 k and the three after it. Numbers that stand side by side, in arrays whose distances are known
when a loop is compiled, are multiplied as fast as the processor can. Lanes without a row hold what
nobody reads.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from bestofk.learners.compiled import kernel
from bestofk.learners.joint._scatter_kernels import _factor, _invert

# Rows of a tile.
LANES = 64
_TWO, _THREE = 2 * LANES, 3 * LANES


# products float64 (b, c, d, d): sums of products of columns, the upper half is read; sums
# (b, c, d), counts (b, c), all C; scales (b, d): what a column is multiplied by, 0 where there is
# none; settings (2,): share of the identity, rows less the divisor; factors (b, c, at least d, at
# least d), shifts (b, c, at least d), zeros: overwritten by what turns columns and a constant into
# independent ones; scores (b, c): overwritten by minus half the logarithm of the determinant;
# bounds (b, c, 2): overwritten by the growth of rounding errors and a lower bound of the smallest
# eigenvalue. O(b c d^3).
@kernel(lambda products, sums, counts, scales, *_: products.size * scales.shape[1])
def factor_classes(
    products: Any, sums: Any, counts: Any, scales: Any, settings: Any,
    factors: Any, shifts: Any, scores: Any, bounds: Any,
) -> None:  # fmt: skip
    """Factor the covariance matrices of all classes of many parts."""
    n_parts, n_classes, size = sums.shape
    matrix, inverse = np.empty((size, size)), np.empty((size, size))
    mean, root = np.empty(size), np.empty(size)
    kept = np.empty(size, np.int64)
    share, lost = settings[0], settings[1]
    for b in range(n_parts):
        for c in range(n_classes):
            bounds[b, c, 0] = np.inf
            bounds[b, c, 1] = 0.0
            count = counts[b, c]
            if count < 1.5:
                continue
            factor = (1.0 - share) / (count - lost)
            for i in range(size):
                mean[i] = sums[b, c, i] / count
            growth = 1.0
            smallest = np.inf
            for i in range(size):
                here = factor * scales[b, i]
                total = sums[b, c, i]
                for j in range(i, size):
                    value = products[b, c, i, j] - total * mean[j]
                    matrix[i, j] = value * here * scales[b, j]
                matrix[i, i] += share if scales[b, i] > 0.0 else 1.0
                smallest = min(smallest, matrix[i, i])
                largest = (1.0 + mean[i] * mean[i]) * scales[b, i] * scales[b, i]
                growth = max(growth, largest * (1.0 - share) / matrix[i, i])
                root[i] = 1.0 / np.sqrt(max(matrix[i, i], 0.0))
            if not smallest > 0.0:
                continue
            scores[b, c] = 0.0
            for i in range(size):
                scores[b, c] += math.log(root[i]) if root[i] > 0.0 else -np.inf
                for j in range(i, size):
                    matrix[i, j] *= root[i] * root[j]
            if _factor(matrix, size, kept) < size:
                continue
            bound = _invert(matrix, size, inverse)
            bounds[b, c, 0] = growth * bound
            bounds[b, c, 1] = smallest / bound
            for i in range(size):
                scores[b, c] -= math.log(matrix[i, i])
                root[i] *= scales[b, i]
                for j in range(i, size):
                    factors[b, c, i, j] = inverse[i, j] * root[i]
                    shifts[b, c, j] -= mean[i] * factors[b, c, i, j]


# rows float64 (n, d) C; tile float64 (at least d / 4, 4 LANES): columns up to d are overwritten, in
# the first stop - start lanes. O((stop - start) d).
@kernel()
def _fill_tile(rows: Any, start: int, stop: int, tile: Any) -> None:
    """Put some rows into a tile."""
    n_columns = rows.shape[1]
    n_whole = n_columns // 4
    for i in range(start, stop):
        lane = i - start
        for k in range(n_whole):
            tile[k, lane] = rows[i, 4 * k]
            tile[k, LANES + lane] = rows[i, 4 * k + 1]
            tile[k, _TWO + lane] = rows[i, 4 * k + 2]
            tile[k, _THREE + lane] = rows[i, 4 * k + 3]
        for q in range(4 * n_whole, n_columns):
            tile[n_whole, (q - 4 * n_whole) * LANES + lane] = rows[i, q]


# tile float64 (k, 4 LANES), its first n_blocks rows are used; factors float64 (at least 4 n_blocks,
# at least j + 4) C; out float64 (4 LANES,): added to. Product after product, in an order that is
# fixed. O(n_blocks).
@kernel()
def _add_products(tile: Any, n_blocks: int, factors: Any, j: int, out: Any) -> None:
    """Add a tile times four columns of a matrix."""
    for k in range(n_blocks):
        i = 4 * k
        a, b, c, d = factors[i, j], factors[i, j + 1], factors[i, j + 2], factors[i, j + 3]
        i += 1
        e, f, g, h = factors[i, j], factors[i, j + 1], factors[i, j + 2], factors[i, j + 3]
        i += 1
        m, n, o, p = factors[i, j], factors[i, j + 1], factors[i, j + 2], factors[i, j + 3]
        i += 1
        q, r, s, t = factors[i, j], factors[i, j + 1], factors[i, j + 2], factors[i, j + 3]
        columns = tile[k]
        for lane in range(LANES):
            u, v = columns[lane], columns[LANES + lane]
            w, x = columns[_TWO + lane], columns[_THREE + lane]
            out[lane] = out[lane] + a * u + e * v + m * w + q * x
            out[LANES + lane] = out[LANES + lane] + b * u + f * v + n * w + r * x
            out[_TWO + lane] = out[_TWO + lane] + c * u + g * v + o * w + s * x
            out[_THREE + lane] = out[_THREE + lane] + d * u + h * v + p * w + t * x


# rows float64 (n, d) C; bounds int64 (b + 1,): where those of each part begin; factors float64
# (b, c, at least d, w) C, both multiples of 4, of which a column needs `reach` rows after the first
# of its four; shifts float64 (b, c, w) C; tile float64 (k + 2, 4 LANES), 4 k rows of factors:
# overwritten, numbers below infinity at first; scores float64 (c, n) C: overwritten. O(n c d w).
@kernel(lambda rows, bounds, factors, *_: (len(rows) + LANES * bounds.size) * factors[0].size)
def score_squares(
    rows: Any, bounds: Any, factors: Any, shifts: Any, reach: int, tile: Any, scores: Any
) -> None:
    """Multiply the rows of every part by the matrix of every class, and add up half the squares.

    The scores are minus that.
    """
    n_rows, width = factors.shape[2], factors.shape[3]
    out, total = tile[n_rows // 4], tile[n_rows // 4 + 1]
    for part in range(bounds.size - 1):
        for start in range(bounds[part], bounds[part + 1], LANES):
            stop = min(start + LANES, bounds[part + 1])
            _fill_tile(rows, start, stop, tile)
            for c in range(factors.shape[1]):
                for lane in range(LANES):
                    total[lane] = 0.0
                for j in range(0, width, 4):
                    for lane in range(LANES):
                        out[lane] = shifts[part, c, j]
                        out[LANES + lane] = shifts[part, c, j + 1]
                        out[_TWO + lane] = shifts[part, c, j + 2]
                        out[_THREE + lane] = shifts[part, c, j + 3]
                    _add_products(tile, min(j + reach, n_rows) // 4, factors[part, c], j, out)
                    for lane in range(LANES):
                        u, v = out[lane], out[LANES + lane]
                        w, x = out[_TWO + lane], out[_THREE + lane]
                        total[lane] = total[lane] + u * u + v * v + w * w + x * x
                own = scores[c, start:stop]
                for lane in range(own.size):
                    own[lane] = -0.5 * total[lane]
