"""Compiled loops that score rows by one covariance matrix per class and training part.

A tile holds `LANES` rows of a table by columns, four in a row of it: float64 (k, 4 `LANES`), column
4 k and the three after it. Numbers that stand side by side, in arrays whose distances are known
when a loop is compiled, are multiplied as fast as the processor can. Lanes without a row hold what
nobody reads.
"""

from __future__ import annotations

from typing import Any

from bestofk.learners.compiled import kernel

# Rows of a tile.
LANES = 64
_TWO, _THREE = 2 * LANES, 3 * LANES


# rows float64 (n, v) C: columns, then indicators; tile float64 (at least (lead + d) / 4, 4 LANES):
# indicators, from `lead` on columns, are overwritten in the first stop - start lanes.
# O((stop - start) v).
@kernel()
def _fill_tile(rows: Any, n_columns: int, lead: int, start: int, stop: int, tile: Any) -> None:
    """Put some rows into a tile."""
    n_whole, first = n_columns // 4, lead // 4
    for lane in range(stop - start):
        row = rows[start + lane]
        for k in range(n_whole):
            own, q = tile[first + k], 4 * k
            own[lane], own[LANES + lane] = row[q], row[q + 1]
            own[_TWO + lane], own[_THREE + lane] = row[q + 2], row[q + 3]
        for q in range(4 * n_whole, n_columns):
            tile[first + n_whole, q % 4 * LANES + lane] = row[q]
        for q in range(row.size - n_columns):
            tile[q // 4, q % 4 * LANES + lane] = row[n_columns + q]


# tile float64 (at least r / 4, 4 LANES); factors float64 (r, w) C, multiples of four: r - w rows
# above an upper triangle; shifts float64 (w,); out float64 (4 LANES,), total float64 (LANES,):
# overwritten. Product after product, in an order that is fixed. All in one loop over columns, for
# a call takes as long as dozens of products. O(r w).
@kernel()
def _add_squares(tile: Any, factors: Any, shifts: Any, out: Any, total: Any) -> None:
    """Add up the squares of a tile times a matrix, four columns of it after the other."""
    n_rows, width = factors.shape
    for lane in range(LANES):
        total[lane] = 0.0
    for j in range(0, width, 4):
        corner = n_rows - width + j
        y, z, yy, zz = shifts[j], shifts[j + 1], shifts[j + 2], shifts[j + 3]
        if corner == 0:
            for lane in range(LANES):
                out[lane], out[LANES + lane] = y, z
                out[_TWO + lane], out[_THREE + lane] = yy, zz
        else:
            a, b, c, d = factors[0, j], factors[0, j + 1], factors[0, j + 2], factors[0, j + 3]
            e, f, g, h = factors[1, j], factors[1, j + 1], factors[1, j + 2], factors[1, j + 3]
            m, n, o, p = factors[2, j], factors[2, j + 1], factors[2, j + 2], factors[2, j + 3]
            q, r, s, t = factors[3, j], factors[3, j + 1], factors[3, j + 2], factors[3, j + 3]
            columns = tile[0]
            for lane in range(LANES):
                u, v = columns[lane], columns[LANES + lane]
                w, x = columns[_TWO + lane], columns[_THREE + lane]
                out[lane] = y + a * u + e * v + m * w + q * x
                out[LANES + lane] = z + b * u + f * v + n * w + r * x
                out[_TWO + lane] = yy + c * u + g * v + o * w + s * x
                out[_THREE + lane] = zz + d * u + h * v + p * w + t * x
        for k in range(1, corner // 4):
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
        a, b = factors[corner, j], factors[corner, j + 1]
        c, d = factors[corner, j + 2], factors[corner, j + 3]
        f, g, h = factors[corner + 1, j + 1], factors[corner + 1, j + 2], factors[corner + 1, j + 3]
        o, p = factors[corner + 2, j + 2], factors[corner + 2, j + 3]
        t = factors[corner + 3, j + 3]
        columns = tile[corner // 4]
        for lane in range(LANES):
            u, v = columns[lane], columns[LANES + lane]
            w, x = columns[_TWO + lane], columns[_THREE + lane]
            y, z = out[lane] + a * u, out[LANES + lane] + b * u + f * v
            yy = out[_TWO + lane] + c * u + g * v + o * w
            zz = out[_THREE + lane] + d * u + h * v + p * w + t * x
            total[lane] += (y * y + z * z) + (yy * yy + zz * zz)


# rows float64 (n, v) C: columns, then indicators; bounds int64 (b + 1,): where those of each part
# begin; factors float64 (b, c, r, w) C, multiples of four: of the indicators, and from r - w on of
# the columns, an upper triangle; shifts float64 (b, c, w) C; tile float64 (r / 4 + 2, 4 LANES):
# overwritten, numbers below infinity at first; scores float64 (c, n) C: overwritten. O(n c r w).
@kernel(lambda rows, bounds, _, factors, *rest: (len(rows) + LANES * bounds.size) * factors[0].size)
def score_squares(
    rows: Any, bounds: Any, n_columns: int, factors: Any, shifts: Any, tile: Any, scores: Any
) -> None:
    """Multiply the rows of every part by the matrix of every class, and add up half the squares.

    The scores are minus that.
    """
    n_rows, width = factors.shape[2], factors.shape[3]
    out, total = tile[n_rows // 4], tile[n_rows // 4 + 1, :LANES]
    for part in range(bounds.size - 1):
        for start in range(bounds[part], bounds[part + 1], LANES):
            stop = min(start + LANES, bounds[part + 1])
            _fill_tile(rows, n_columns, n_rows - width, start, stop, tile)
            for c in range(factors.shape[1]):
                _add_squares(tile, factors[part, c], shifts[part, c], out, total)
                own = scores[c, start:stop]
                for lane in range(own.size):
                    own[lane] = -0.5 * total[lane]
