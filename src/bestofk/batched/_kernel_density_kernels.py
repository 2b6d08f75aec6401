# mypy: allow-untyped-defs, allow-untyped-calls
"""Compiled loops over kernel densities of sorted columns.

folds int32 (R, n), the fold that tests each row; y int64 (n,), classes below C; order int32 (d, n),
the rows of each column by rising value; sorted float64 (d, n), those values.
"""

from __future__ import annotations

import math

import numpy as np

from bestofk.trees.compiled import kernel


# values, weights float64 (C, n): of class c, the first `high`; terms float64 (n,): overwritten.
# O(high - low).
@kernel()
def _sum_kernels(values, weights, c, low, high, x, rate, nearest, terms):
    """Return the sum of w exp(nearest - (rate (x - v))^2), no exponent below -40.

    To 1e-13 of the largest term: smaller ones need fewer digits.
    """
    v, w, out = values[c, low:high], weights[c, low:high], terms[: high - low]
    for b in range(v.size):
        s = (x - v[b]) * rate
        # exp(t) as a power of exp(t / 256), whose series ends soon: unlike the library's exp,
        # the compiler does it for several numbers at once
        t = (nearest - s * s) * 0.00390625
        e = t * (1.0 / 720.0) + 1.0 / 120.0
        e = e * t + 1.0 / 24.0
        e = e * t + 1.0 / 6.0
        e = e * t + 0.5
        e = e * t + 1.0
        e = e * t + 1.0
        e = e * e
        e = e * e
        e = e * e
        e = e * e
        e = e * e
        e = e * e
        e = e * e
        e = e * e
        out[b] = w[b] * e
    n_blocks = out.size // 4
    first, second, third, fourth = 0.0, 0.0, 0.0, 0.0  # four chains of additions run side by side
    for block in range(n_blocks):
        q = 4 * block
        first += out[q]
        second += out[q + 1]
        third += out[q + 2]
        fourth += out[q + 3]
    total = (first + second) + (third + fourth)
    for q in range(4 * n_blocks, out.size):
        total += out[q]
    return total


# values, weights float64 (C, n), lengths int64 (C,): overwritten. Returns the mean gap between
# distinct values, 0 where there is one value only. O(n).
@kernel()
def _collect(row_folds, fold, y, order, sorted_values, index, kept):
    """List the distinct training values of every class in a column, and how often they occur."""
    values, weights, lengths = kept
    for c in range(lengths.size):
        lengths[c] = 0
    n_distinct = 0
    first, last = 0.0, 0.0
    for s in range(y.size):
        i = order[index, s]
        if row_folds[i] == fold:
            continue
        x = sorted_values[index, s]
        if n_distinct == 0:
            first = x
        if n_distinct == 0 or x != last:
            n_distinct += 1
            last = x
        c = y[i]
        length = lengths[c]
        if length > 0 and values[c, length - 1] == x:
            weights[c, length - 1] += 1.0
        else:
            values[c, length] = x
            weights[c, length] = 1.0
            lengths[c] = length + 1
    return (last - first) / (n_distinct - 1) if n_distinct > 1 else 0.0


# result float64 (n, C): log densities of class c are added in test rows. O(n + kernels in reach).
@kernel()
def _add_log_densities(row_folds, fold, order, sorted_values, index, c, kept, scratch, result):
    """Add the log density of one class in one column to what test rows have."""
    values, weights, lengths = kept
    width, n_rows, terms = scratch
    length = lengths[c]
    rate = 1.0 / (width * math.sqrt(2.0))
    constant = n_rows * width * math.sqrt(2.0 * math.pi)
    constant = math.log(constant) if constant > 0.0 else -np.inf
    near, low, high = 0, 0, 0
    last, log = math.nan, 0.0
    for s in range(row_folds.size):
        i = order[index, s]
        if row_folds[i] != fold:
            continue
        x = sorted_values[index, s]
        if x != last:
            last = x
            while near + 1 < length and abs(x - values[c, near + 1]) <= abs(x - values[c, near]):
                near += 1
            nearest = (x - values[c, near]) * rate
            nearest *= nearest
            reach = math.sqrt(nearest + 38.0) / rate  # beyond it, less than 1e-17 of the largest
            while low < near and values[c, low] < x - reach:
                low += 1
            while low > 0 and values[c, low - 1] >= x - reach:
                low -= 1
            high = max(high, near + 1)
            while high < length and values[c, high] <= x + reach:
                high += 1
            while high > near + 1 and values[c, high - 1] > x + reach:
                high -= 1
            total = _sum_kernels(values, weights, c, low, high, x, rate, nearest, terms)
            log = math.log(total) - nearest - constant
        result[i, c] += log


# result float64 (R, n, C): log densities are added; counts int64 (R, k, C). O(R k (n d + kernels)).
@kernel(lambda folds, y, order, *_: 100 * folds.size * len(order))
def _log_densities(folds, y, order, sorted_values, counts, result):
    """Add up the log densities of all columns, of every row in the part that it tests."""
    n_classes = result.shape[2]
    values = np.empty((n_classes, y.size))
    weights = np.empty((n_classes, y.size))
    terms = np.empty(y.size)
    lengths = np.empty(n_classes, np.int64)
    kept = (values, weights, lengths)
    for r in range(folds.shape[0]):
        for f in range(counts.shape[1]):
            for index in range(order.shape[0]):
                gap = _collect(folds[r], f, y, order, sorted_values, index, kept)
                if gap == 0.0:
                    continue
                for c in range(n_classes):
                    n_rows = counts[r, f, c]
                    if n_rows == 0:
                        continue
                    span = values[c, lengths[c] - 1] - values[c, 0]
                    width = max(span / math.sqrt(n_rows), gap / 6.0)
                    _add_log_densities(
                        folds[r], f, order, sorted_values, index, c, kept,
                        (width, float(n_rows), terms), result[r],
                    )  # fmt: skip
