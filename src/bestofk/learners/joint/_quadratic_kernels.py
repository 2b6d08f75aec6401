"""Compiled loops for one covariance matrix per class and training part."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from bestofk.learners.compiled import kernel
from bestofk.learners.joint._scatter_kernels import _factor, _invert


# products float64 (b, c, d + 1, d + 1) C: sums of products of columns and a constant 1; scales
# (b, d): what a column is multiplied by, 0 where there is none; settings (2,): share of the
# identity, rows less the divisor; factors (b, c, d + 1, d): overwritten by what turns columns and
# the constant into independent ones; scores (b, c): overwritten by minus half the logarithm of the
# determinant; bounds (b, c, 2): overwritten by the growth of rounding errors and a lower bound of
# the smallest eigenvalue. O(b c d^3).
@kernel(lambda products, scales, *_: products.size * scales.shape[1])
def factor_classes(
    products: Any, scales: Any, settings: Any, factors: Any, scores: Any, bounds: Any
) -> None:
    """Factor the covariance matrices of all classes of many parts."""
    n_parts, n_classes, size = factors.shape[0], factors.shape[1], factors.shape[3]
    matrix, inverse = np.empty((size, size)), np.empty((size, size))
    mean, root = np.empty(size), np.empty(size)
    kept = np.empty(size, np.int64)
    share, lost = settings[0], settings[1]
    for b in range(n_parts):
        for c in range(n_classes):
            bounds[b, c, 0] = np.inf
            bounds[b, c, 1] = 0.0
            count = products[b, c, size, size]
            if count < 1.5:
                continue
            factor = (1.0 - share) / (count - lost)
            for i in range(size):
                mean[i] = products[b, c, size, i] / count
            growth = 1.0
            smallest = np.inf
            for i in range(size):
                here = factor * scales[b, i]
                total = products[b, c, size, i]
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
            for j in range(size):
                factors[b, c, size, j] = 0.0
            for i in range(size):
                scores[b, c] -= math.log(matrix[i, i])
                root[i] *= scales[b, i]
                for j in range(size):
                    factors[b, c, i, j] = inverse[i, j] * root[i]
                    factors[b, c, size, j] -= mean[i] * factors[b, c, i, j]


# independent float64 (c w, n) C: w values of every class, less the shift float64 (c, w); work (n,):
# overwritten; scores (n, c): added to. O(n c w).
@kernel(lambda independent, *_: independent.size)
def add_squares(independent: Any, shift: Any, work: Any, scores: Any) -> None:
    """Add minus half the sum of squares of every class."""
    n_classes, width = shift.shape
    n_rows = scores.shape[0]
    for c in range(n_classes):
        for i in range(n_rows):
            work[i] = 0.0
        for j in range(width):
            offset = shift[c, j]
            row = c * width + j
            for i in range(n_rows):
                value = independent[row, i] + offset
                work[i] += value * value
        for i in range(n_rows):
            scores[i, c] -= 0.5 * work[i]
