# mypy: allow-untyped-defs, allow-untyped-calls
"""Compiled loops that solve with many small scatter matrices, singular ones too.

A scatter matrix A (d, d), scaled to a diagonal of 1, is U' U with U (r, d): row i begins at column
`kept[i]`. The triangle is U at the kept columns, (r, r).
"""

from __future__ import annotations

import math

import numpy as np

from bestofk.trees.compiled import kernel

# A pivot this small next to a diagonal of 1 is a column that depends on those before it; one
# between the two could be either.
_NO_PIVOT, _SURE_PIVOT = 1e-12, 1e-7
# A variance within classes this small compared with that of all rows may be rounding alone.
_DOUBTFUL = 1e-9
# What of a class mean is outside the scatter leaks in by rounding, times the square of the bound.
_LARGEST_LEAK = 1e6
# Bounds of the inverse that are good enough not to look for better ones: where nothing can leak,
# and elsewhere.
_GOOD_BOUNDS = 1e6, 1e4


# folds int32 (r, n) C; groups int64 (n,), below g; bounds int64 (r K + 1,), K a multiple of g:
# overwritten by where each group of each fold of each repeat begins; order int64 (r n,):
# overwritten by the rows of each repeat, fold after fold, group after group. O(r (n + K)).
@kernel(lambda folds, groups, n_groups, bounds, *_: 3 * folds.size + bounds.size)
def sort_cells(folds, groups, n_groups, bounds, order):
    """Put rows of the same fold and group side by side, otherwise in their order."""
    n_repeats, n_rows = folds.shape
    n_cells = (bounds.size - 1) // n_repeats
    cells, indices = np.empty(n_rows, np.int64), np.empty(n_cells, np.int64)
    bounds[0] = 0
    for r in range(n_repeats):
        for cell in range(n_cells):
            indices[cell] = 0
        for i in range(n_rows):
            cells[i] = np.int64(folds[r, i]) * n_groups + groups[i]
            indices[cells[i]] += 1
        total = r * n_rows
        for cell in range(n_cells):
            count = indices[cell]
            indices[cell] = total
            total += count
            bounds[r * n_cells + cell + 1] = total
        for i in range(n_rows):
            index = indices[cells[i]]
            indices[cells[i]] = index + 1
            order[index] = i


# rows float64 (n, d) C; bounds int64 (k + 1,): where each cell begins; sums (k, d) C: overwritten.
# O(n d).
@kernel(lambda rows, *_: rows.size)
def add_rows(rows, bounds, sums):
    """Add up the rows of every cell."""
    size = rows.shape[1]
    for cell in range(bounds.size - 1):
        total = sums[cell]
        for q in range(size):
            total[q] = 0.0
        k, stop = bounds[cell], bounds[cell + 1]
        while k + 4 <= stop:
            a, b, c, d = rows[k], rows[k + 1], rows[k + 2], rows[k + 3]
            for q in range(size):
                total[q] += (a[q] + b[q]) + (c[q] + d[q])
            k += 4
        while k < stop:
            for q in range(size):
                total[q] += rows[k, q]
            k += 1


# first, second float64 (d,). Four sums side by side, in an order that is fixed. O(stop - start).
@kernel()
def _dot(first, second, start, stop):
    """Multiply parts of two vectors."""
    a, b, c, d = 0.0, 0.0, 0.0, 0.0
    j = start
    while j + 4 <= stop:
        a += first[j] * second[j]
        b += first[j + 1] * second[j + 1]
        c += first[j + 2] * second[j + 2]
        d += first[j + 3] * second[j + 3]
        j += 4
    while j < stop:
        a += first[j] * second[j]
        j += 1
    return (a + b) + (c + d)


# matrix float64 (d, d) C: its upper half, up to `size`, is overwritten by U; kept int64 (d,):
# overwritten. Returns the rank, -1 where it is not clear. O(size^3 / 3).
@kernel()
def _factor(matrix, size, kept):
    """Factor a positive semidefinite matrix, leaving out columns that depend on others.

    Four rows at a time, which are then taken off all rows below them in one go.
    """
    rank = 0
    for start in range(0, size, 4):
        stop = min(start + 4, size)
        first = rank
        for k in range(start, stop):
            pivot = matrix[k, k]
            if not pivot >= _SURE_PIVOT:
                if not pivot <= _NO_PIVOT:
                    return -1
                for j in range(k, size):
                    matrix[k, j] = 0.0
                continue
            kept[rank] = k
            rank += 1
            pivot = 1.0 / math.sqrt(pivot)
            for j in range(k, size):
                matrix[k, j] *= pivot
            for i in range(k + 1, stop):
                factor = matrix[k, i]
                for j in range(i, size):
                    matrix[i, j] -= factor * matrix[k, j]
        for i in range(stop, size):  # there are four rows, then
            a, b = matrix[start, i], matrix[start + 1, i]
            c, d = matrix[start + 2, i], matrix[start + 3, i]
            for j in range(i, size):
                matrix[i, j] -= (a * matrix[start, j] + b * matrix[start + 1, j]) + (
                    c * matrix[start + 2, j] + d * matrix[start + 3, j]
                )
        for row in range(first, rank):
            if row < kept[row]:
                for j in range(size):
                    matrix[row, j] = matrix[kept[row], j] if j >= kept[row] else 0.0
    return rank


# triangle float64 (d, d) C: only its lower half, up to `size`, is read, the transpose of U; vector
# (d,): overwritten by the solution of U x = vector. O(size^2 / 2).
@kernel()
def _solve_back(triangle, size, vector):
    """Solve with an upper triangle."""
    for i in range(size - 1, -1, -1):
        value = vector[i] / triangle[i, i]
        vector[i] = value
        for j in range(i):
            vector[j] -= triangle[i, j] * value


# as `_solve_back`, for U' x = vector; the upper half is read.
@kernel()
def _solve_forth(triangle, size, vector):
    """Solve with the transpose of an upper triangle."""
    for i in range(size):
        value = vector[i] / triangle[i, i]
        vector[i] = value
        for j in range(i + 1, size):
            vector[j] -= triangle[i, j] * value


# triangle float64 (d, d) C: its upper half, up to `size`, is read; inverse (d, d): overwritten up
# to `size`. Returns the sum of its squares. O(size^3 / 3).
@kernel()
def _invert(triangle, size, inverse):
    """Invert an upper triangle."""
    total = 0.0
    for i in range(size - 1, -1, -1):
        for j in range(size):
            inverse[i, j] = 0.0
        k = i + 1
        while k + 4 <= size:
            a, b = triangle[i, k], triangle[i, k + 1]
            c, d = triangle[i, k + 2], triangle[i, k + 3]
            for j in range(k, size):
                inverse[i, j] -= (a * inverse[k, j] + b * inverse[k + 1, j]) + (
                    c * inverse[k + 2, j] + d * inverse[k + 3, j]
                )
            k += 4
        while k < size:
            a = triangle[i, k]
            for j in range(k, size):
                inverse[i, j] -= a * inverse[k, j]
            k += 1
        inverse[i, i] = 1.0
        pivot = 1.0 / triangle[i, i]
        for j in range(i, size):
            inverse[i, j] *= pivot
            total += inverse[i, j] * inverse[i, j]
    return total


# triangle float64 (d, d) C: its upper half, up to `size`, is read; inverse (d, d), work (d,):
# overwritten. O(size^2), or O(size^3 / 3) where the quick bound is too high.
@kernel()
def _inverse_bound(triangle, size, good, inverse, work):
    """Bound 1 / (smallest eigenvalue of U' U) from above, well where it is above `good`.

    By the norms of the inverse of the comparison matrix of U (Higham 2002, section 8.3), else
    by the sum of squares of the inverse of U.
    """
    rows, columns = 0.0, 0.0
    for i in range(size - 1, -1, -1):
        total = 1.0
        for j in range(i + 1, size):
            total += abs(triangle[i, j]) * work[j]
        work[i] = total / triangle[i, i]
        rows = max(rows, work[i])
    for i in range(size):
        work[i] = 1.0
    for i in range(size):
        value = work[i] / triangle[i, i]
        columns = max(columns, value)
        for j in range(i + 1, size):
            work[j] += abs(triangle[i, j]) * value
    if rows * columns < good:
        return rows * columns
    return _invert(triangle, size, inverse)


# upper float64 (r, d) in (d, d) C; kept int64 (r,); triangle (d, d), null (d - r, d) in (d, d),
# work (d,): overwritten. O((d - r) (r^2 / 2 + (d - r) d)).
@kernel()
def _split(upper, rank, kept, triangle, null, work):
    """Copy the triangle to both halves; find an orthonormal basis of what U maps to 0."""
    size = upper.shape[0]
    for i in range(rank):
        for j in range(i, rank):
            triangle[i, j] = upper[i, kept[j]]
            triangle[j, i] = triangle[i, j]
    n_null, n_kept = 0, 0
    for column in range(size):
        if n_kept < rank and kept[n_kept] == column:
            n_kept += 1
            continue
        for i in range(rank):
            work[i] = upper[i, column]
        _solve_back(triangle, rank, work)
        row = null[n_null]
        for j in range(size):
            row[j] = 0.0
        row[column] = 1.0
        for i in range(rank):
            row[kept[i]] = -work[i]
        for i in range(n_null):
            total = _dot(null[i], row, 0, size)
            for j in range(size):
                row[j] -= total * null[i, j]
        inverse = 1.0 / np.sqrt(_dot(row, row, 0, size))
        for j in range(size):
            row[j] *= inverse
        n_null += 1


# null float64 (s, d) in (d, d); vector (d,): overwritten. Returns the largest part of an entry
# that was in the null space. O(s d).
@kernel()
def _project(null, n_null, vector):
    """Take out of a vector what lies in the null space."""
    leak = 0.0
    for i in range(n_null):
        total = _dot(null[i], vector, 0, vector.size)
        leak += abs(total)
        for j in range(vector.size):
            vector[j] -= total * null[i, j]
    return leak


# triangle float64 (r, r) in (d, d); null (d - r, d) in (d, d); kept int64 (r,); vector (d,):
# overwritten; work (d,): overwritten. Returns the part of the vector that is outside the range.
# O(d^2).
@kernel()
def _apply(triangle, rank, kept, null, vector, work):
    """Multiply a vector by the pseudo-inverse of U' U."""
    size = vector.size
    leak = _project(null, size - rank, vector)
    for i in range(rank):
        work[i] = vector[kept[i]]
    _solve_forth(triangle, rank, work)
    _solve_back(triangle, rank, work)
    for j in range(size):
        vector[j] = 0.0
    for i in range(rank):
        vector[kept[i]] = work[i]
    _project(null, size - rank, vector)
    return leak


# products float64 (d, d): sums of products of columns, the upper half is read; sums (c, d), counts
# (c,); is_binary bool (d,); correlation (d, d), spread (d,), offsets (c, d), center (d,):
# overwritten, offsets in units of the spread. Returns whether all spreads are clear. O(c d^2).
@kernel()
def _standardize(products, sums, counts, is_binary, correlation, spread, offsets, center):
    """Take the class means out of sums of products and divide by rows and spreads."""
    n_classes, size = offsets.shape
    n_train = 0.0
    for c in range(n_classes):
        n_train += counts[c]
    inverses = np.empty(size)
    for i in range(size):
        center[i] = 0.0
        inverses[i] = products[i, i]
    for c in range(n_classes):
        count = max(counts[c], 1.0)
        for i in range(size):
            center[i] += sums[c, i]
            offsets[c, i] = sums[c, i] / count
            inverses[i] -= sums[c, i] * offsets[c, i]
    is_clear = True
    for i in range(size):
        square = inverses[i]
        if is_binary[i] and square < 0.25:
            square = 0.0
        elif square < _DOUBTFUL * n_train and square != 0.0:
            is_clear = False
        spread[i] = math.sqrt(max(square, 0.0) / n_train)
        inverses[i] = 1.0 / spread[i] if spread[i] > 0.0 else 0.0
        center[i] /= n_train
    for i in range(size):
        total = sums[0, i]
        for j in range(i, size):
            correlation[i, j] = products[i, j] - total * offsets[0, j]
        for c in range(1, n_classes):
            total = sums[c, i]
            for j in range(i, size):
                correlation[i, j] -= total * offsets[c, j]
        factor = inverses[i] / n_train
        for j in range(i, size):
            correlation[i, j] *= factor * inverses[j]
    for c in range(n_classes):
        is_there = counts[c] > 0.0
        for i in range(size):
            offsets[c, i] = (offsets[c, i] - center[i]) * inverses[i] if is_there else 0.0
    return is_clear


# products float64 (b, d, d), sums (b, c, d), counts (b, c), all C; is_binary bool (d,); weights
# (b, c, d), intercepts (b, c), between (b, c, c): overwritten; bounds (b,): overwritten by upper
# bounds of 1 / smallest eigenvalue within classes, infinite where anything is unclear.
# O(b d^2 (d + c)).
@kernel(lambda products, sums, *_: products.size * (products.shape[1] + sums.shape[1]))
def solve_discriminants(products, sums, counts, is_binary, weights, intercepts, between, bounds):
    """Find the discriminant functions, less the logarithm of the priors, of many parts."""
    n_parts, n_classes, size = weights.shape
    shape = (size, size)
    correlation, triangle, null = np.empty(shape), np.empty(shape), np.empty(shape)
    spread, center, vector = np.empty(size), np.empty(size), np.empty(size)
    offsets = np.empty((n_classes, size))
    work, kept = np.empty(size), np.empty(size, np.int64)
    for b in range(n_parts):
        bounds[b] = np.inf
        is_clear = _standardize(
            products[b], sums[b], counts[b], is_binary, correlation, spread, offsets, center
        )
        rank = _factor(correlation, size, kept)
        if not is_clear or rank <= 0:
            continue
        _split(correlation, rank, kept, triangle, null, work)
        good = _GOOD_BOUNDS[0] if rank == size else _GOOD_BOUNDS[1]
        bound = _inverse_bound(triangle, rank, good, correlation, work)
        leak = 0.0
        for c in range(n_classes):
            for q in range(size):
                vector[q] = offsets[c, q]
            leak = max(leak, _apply(triangle, rank, kept, null, vector, work))
            for k in range(c + 1):
                total = _dot(offsets[k], vector, 0, size) * math.sqrt(counts[b, k] * counts[b, c])
                between[b, k, c] = total
                between[b, c, k] = total
            intercepts[b, c] = -0.5 * _dot(offsets[c], vector, 0, size)
            for q in range(size):
                weights[b, c, q] = vector[q] / spread[q] if spread[q] > 0.0 else 0.0
            intercepts[b, c] -= _dot(weights[b, c], center, 0, size)
        bounds[b] = bound if leak * bound * bound < _LARGEST_LEAK else np.inf
