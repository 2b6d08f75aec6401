"""Compiled loops that factor the covariance matrices of many classes side by side.

A stack holds `SIDE` matrices in blocks of four rows by four columns: float64 (k, l, 16 `SIDE`), and
row p, column q of a block of matrix x at 4 `SIDE` q + `SIDE` p + x. One instruction does a step of
several matrices, whatever their size; the result for a matrix does not depend on its neighbors.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from bestofk.batched._scatter_kernels import _SURE_PIVOT
from bestofk.trees.compiled import kernel

# Matrices of a stack. Loops over them read it from a shape: a compiler that knows of so few steps
# takes them one by one.
SIDE = 8
_TWO, _THREE = 2 * SIDE, 3 * SIDE
# Where the other columns of a block begin, and where the last ends.
_B, _C, _D, _END = 4 * SIDE, 8 * SIDE, 12 * SIDE, 16 * SIDE


# products float64 (d, d), sums, scales (d,), settings (2,): of one class, as for `factor_classes`;
# columns (5, d): overwritten by means, what makes variances 1, with the scales and without them,
# variances times its square, and means times it; facts (3,): overwritten by 0, the growth of
# rounding errors and the smallest variance. O(d).
@kernel(_nrt=False)
def _describe(
    products: Any, sums: Any, count: float, scales: Any, settings: Any, columns: Any, facts: Any
) -> None:
    """Find means and variances of a class, and how many digits the variances have lost."""
    share, factor = settings[0], (1.0 - settings[0]) / (count - settings[1])
    growth, smallest = 1.0, np.inf
    for i in range(sums.size):
        mean, square = sums[i] / count, scales[i] * scales[i]
        variance = (products[i, i] - sums[i] * mean) * factor * square
        variance += share if square > 0.0 else 1.0
        smallest = min(smallest, variance)
        growth = max(growth, (1.0 + mean * mean) * square * (1.0 - share) / variance)
        root = 1.0 / np.sqrt(max(variance, 0.0))
        columns[0, i], columns[1, i], columns[2, i] = mean, root * scales[i], root
        columns[3, i], columns[4, i] = variance * root * root, root * scales[i] * mean
    facts[0], facts[1], facts[2] = 0.0, growth, smallest


# products float64 (d, d), sums (d,), columns (5, d): of one class, factor what makes its products a
# covariance; stripe: row b of a stack, 0, of which matrix x is overwritten from block b on. O(d).
@kernel(_nrt=False)
def _fill(
    products: Any, sums: Any, factor: float, columns: Any, b: int, x: int, stripe: Any
) -> None:
    """Put four rows of a correlation matrix, and of a column of means, into a stack."""
    means, roots, size = columns[0], columns[1], sums.size
    for p in range(4):
        i, at = 4 * b + p, SIDE * p + x
        if i < size:
            total, scale, row = sums[i], factor * roots[i], products[i]
            for k in range(b, size // 4):
                block, j = stripe[k], 4 * k
                block[at] = (row[j] - total * means[j]) * (scale * roots[j])
                block[_B + at] = (row[j + 1] - total * means[j + 1]) * (scale * roots[j + 1])
                block[_C + at] = (row[j + 2] - total * means[j + 2]) * (scale * roots[j + 2])
                block[_D + at] = (row[j + 3] - total * means[j + 3]) * (scale * roots[j + 3])
            for j in range(size // 4 * 4, size):
                value = (row[j] - total * means[j]) * (scale * roots[j])
                stripe[size // 4, _B * (j % 4) + at] = value
            stripe[stripe.shape[0] - 1, at] = columns[4, i]
        stripe[b, _B * p + at] = columns[3, i] if i < size else 1.0


# corner float64 (16 SIDE,): a block on the diagonal, of which the upper half is read; overwritten
# by the identity; head (16 SIDE,): overwritten by minus the inverse of the upper factor, not a
# number from the first pivot on that is not sure. O(1).
@kernel(_nrt=False)
def _invert_corner(corner: Any, head: Any) -> None:
    """Factor a block on the diagonal and invert the factor."""
    for x in range(corner.size // 16):
        a, b, c, d = corner[x], corner[_B + x], corner[_C + x], corner[_D + x]
        e, f, g = corner[_B + SIDE + x], corner[_C + SIDE + x], corner[_D + SIDE + x]
        h, i, j = corner[_C + _TWO + x], corner[_D + _TWO + x], corner[_D + _THREE + x]
        a = 1.0 / math.sqrt(a if a >= _SURE_PIVOT else np.nan)
        b, c, d = b * a, c * a, d * a
        e -= b * b
        e = 1.0 / math.sqrt(e if e >= _SURE_PIVOT else np.nan)
        f, g = (f - b * c) * e, (g - b * d) * e
        h -= c * c + f * f
        h = 1.0 / math.sqrt(h if h >= _SURE_PIVOT else np.nan)
        i = (i - (c * d + f * g)) * h
        j -= (d * d + g * g) + i * i
        j = 1.0 / math.sqrt(j if j >= _SURE_PIVOT else np.nan)
        b = b * a * e
        c, f = (c * a - f * b) * h, f * e * h
        head[x], head[_B + x], head[_C + x] = -a, b, c
        head[_D + x] = (d * a - g * b - i * c) * j
        head[_B + SIDE + x], head[_C + SIDE + x] = -e, f
        head[_D + SIDE + x] = (g * e - i * f) * j
        head[_C + _TWO + x], head[_D + _TWO + x], head[_D + _THREE + x] = -h, i * h * j, -j
        head[SIDE + x], head[_TWO + x], head[_THREE + x] = 0.0, 0.0, 0.0
        head[_B + _TWO + x], head[_B + _THREE + x], head[_C + _THREE + x] = 0.0, 0.0, 0.0
    for y in range(_END):
        corner[y] = 0.0
    for x in range(corner.size // 16):
        corner[x], corner[_B + SIDE + x] = 1.0, 1.0
        corner[_C + _TWO + x], corner[_D + _THREE + x] = 1.0, 1.0


# head float64 (16 SIDE,): a block; stripe, own (l, 16 SIDE): rows of a stack, own is overwritten,
# but for blocks after i and before b. O(l).
@kernel(_nrt=False)
def _take_off(head: Any, stripe: Any, i: int, b: int, own: Any) -> None:
    """Subtract the transpose of a block times a row of blocks from another row."""
    for index in range(stripe.shape[0]):
        if i < index < b:
            continue
        row, to = stripe[index], own[index]
        for x in range(head.size // 16):
            a, c, d, e = head[x], head[SIDE + x], head[_TWO + x], head[_THREE + x]
            f, g = head[_B + x], head[_B + SIDE + x]
            h, j = head[_B + _TWO + x], head[_B + _THREE + x]
            k, m = head[_C + x], head[_C + SIDE + x]
            n, o = head[_C + _TWO + x], head[_C + _THREE + x]
            p, q = head[_D + x], head[_D + SIDE + x]
            r, s = head[_D + _TWO + x], head[_D + _THREE + x]
            for at in (x, _B + x, _C + x, _D + x):
                t, u, v, w = row[at], row[at + SIDE], row[at + _TWO], row[at + _THREE]
                to[at] -= (a * t + c * u) + (d * v + e * w)
                to[at + SIDE] -= (f * t + g * u) + (h * v + j * w)
                to[at + _TWO] -= (k * t + m * u) + (n * v + o * w)
                to[at + _THREE] -= (p * t + q * u) + (r * v + s * w)


# stripe: row b of a stack, of which matrix x is read; columns float64 (5, d); factors float64 (r,
# w), its last w rows, shifts (w,): four columns from 4 b on are overwritten. Returns the sum of
# squares of the row. O(b).
@kernel(_nrt=False)
def _write(stripe: Any, b: int, x: int, columns: Any, factors: Any, shifts: Any) -> float:
    """Write four columns of what makes the columns of a class independent."""
    roots, lead = columns[1], factors.shape[0] - factors.shape[1]
    total = 0.0
    for i in range(min(4 * b + 4, roots.size)):
        block, at, root, to = stripe[i // 4], _B * (i % 4) + x, roots[i], factors[lead + i]
        r, s, t, u = block[at], block[at + SIDE], block[at + _TWO], block[at + _THREE]
        to[4 * b], to[4 * b + 1] = r * root, s * root
        to[4 * b + 2], to[4 * b + 3] = t * root, u * root
        total += (r * r + s * s) + (t * t + u * u)
    block = stripe[stripe.shape[0] - 1]
    for p in range(4):
        shifts[4 * b + p] = -block[SIDE * p + x]
    return total


# products float64 (m, d, d): sums of products of columns, the upper half is read; sums (m, d),
# counts (m,), all C, of c classes of m / c parts; scales (m / c, d): what a column is multiplied
# by, 0 where there is none; settings (2,): share of the identity, rows less the divisor; factors
# (m, r, w), its last w rows, shifts (m, w), zeros, w is the next multiple of four: overwritten by
# what turns columns and a constant into independent ones, not numbers where a matrix is near to
# singular; facts (m, 3): overwritten by minus half the logarithm of the determinant, the growth of
# rounding errors and a lower bound of the smallest eigenvalue; stack (w / 4 + 2, w / 4 + 1, 16
# SIDE): overwritten. O(m d^3).
@kernel(lambda products, *_: (len(products) + SIDE) * products[0].size * len(products[0]))
def factor_classes(
    products: Any, sums: Any, counts: Any, scales: Any, settings: Any,
    factors: Any, shifts: Any, facts: Any, stack: Any,
) -> None:  # fmt: skip
    """Factor the covariance matrices of all classes of many parts, and invert the factors.

    Four rows at a time: what is subtracted from rows below makes zeros in them, and, where the
    identity stands next to the matrix, the inverse of the factor. It stands where the zeros are.
    """
    n_matrices, size = sums.shape
    n_classes, n_blocks = n_matrices // scales.shape[0], stack.shape[0] - 2
    columns, bounds = np.empty((SIDE, 5, size)), np.empty(SIDE)
    own, head = stack[n_blocks], stack[n_blocks + 1, 0]
    for first in range(0, n_matrices, SIDE):
        n_here = min(SIDE, n_matrices - first)
        for x in range(n_here):
            m, bounds[x] = first + x, 0.0
            facts[m, 0], facts[m, 1], facts[m, 2] = 0.0, np.inf, 0.0
            if counts[m] > 1.5:
                scale = scales[m // n_classes]
                _describe(products[m], sums[m], counts[m], scale, settings, columns[x], facts[m])
        for b in range(n_blocks):
            for k in range(n_blocks + 1):
                for y in range(_END):
                    own[k, y], stack[b, k, y] = 0.0, 0.0
            for x in range(n_here):
                m = first + x
                if facts[m, 2] > 0.0:
                    factor = (1.0 - settings[0]) / (counts[m] - settings[1])
                    _fill(products[m], sums[m], factor, columns[x], b, x, own)
            for i in range(b):
                _take_off(stack[i, b], stack[i], i, b, own)
            _invert_corner(own[b], head)
            _take_off(head, own, b, b, stack[b])
            for x in range(n_here):
                m = first + x
                if facts[m, 2] > 0.0:
                    bounds[x] += _write(stack[b], b, x, columns[x], factors[m], shifts[m])
                    for p in range(min(4, size - 4 * b)):
                        value = stack[b, b, _B * p + SIDE * p + x] * columns[x, 2, 4 * b + p]
                        facts[m, 0] += math.log(value) if value > 0.0 else -np.inf
        for x in range(n_here):
            m = first + x
            is_regular = bounds[x] > 0.0
            facts[m, 1] = facts[m, 1] * bounds[x] if is_regular else np.inf
            facts[m, 2] = facts[m, 2] / bounds[x] if is_regular else 0.0
