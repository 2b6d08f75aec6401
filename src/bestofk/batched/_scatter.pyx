"""Compiled loops of discriminants and logistic regression: many small vectors and matrices.

A scatter matrix A (d, d), scaled to a diagonal of 1, is U' U with U (r, d): row i begins at column
`kept[i]`. The triangle is U at the kept columns, (r, r).
"""

from libc.math cimport INFINITY, fabs, log, sqrt
from libc.stdint cimport int32_t, int64_t, uint8_t

import numpy as np

cdef:
    # A pivot this small next to a diagonal of 1 is a column that depends on those before it; one
    # between the two could be either.
    double NO_PIVOT = 1e-12
    double SURE_PIVOT = 1e-7
    # A variance within classes this small compared with that of all rows may be rounding alone.
    double DOUBTFUL = 1e-9
    # What of a class mean is outside the scatter leaks in by rounding, times the square of the
    # bound.
    double LARGEST_LEAK = 1e6
    # Bounds of the inverse that are good enough not to look for better ones: where nothing can
    # leak, and elsewhere.
    double GOOD_BOUND = 1e6
    double GOOD_BOUND_OF_SINGULAR = 1e4


# folds int32 (r, n); groups int64 (n,); begins int64 (f, g): where the rows of each fold and group
# begin; order int64 (r, k): overwritten there, k is beyond all of them. O(r n).
def sort_rows(
    const int32_t[:, ::1] folds, const int64_t[::1] groups, const int64_t[:, ::1] begins,
    int64_t[:, ::1] order,
):
    """List the rows of each fold and group, in their order."""
    cdef Py_ssize_t r, i, f, g
    cdef int64_t[:, ::1] ends = np.empty_like(begins)
    with nogil:
        for r in range(folds.shape[0]):
            ends[:, :] = begins
            for i in range(folds.shape[1]):
                f = folds[r, i]
                g = groups[i]
                order[r, ends[f, g]] = i
                ends[f, g] += 1


# first, second float64 (n,). O(n).
cdef inline double _dot(const double* first, const double* second, Py_ssize_t n) noexcept nogil:
    """Multiply two vectors: four sums side by side, in an order that is fixed."""
    cdef double a = 0.0, b = 0.0, c = 0.0, d = 0.0
    cdef Py_ssize_t j
    for j in range(n // 4):
        a += first[4 * j] * second[4 * j]
        b += first[4 * j + 1] * second[4 * j + 1]
        c += first[4 * j + 2] * second[4 * j + 2]
        d += first[4 * j + 3] * second[4 * j + 3]
    for j in range(n // 4 * 4, n):
        a += first[j] * second[j]
    return (a + b) + (c + d)


# row, other float64 (n,): row is overwritten. O(n).
cdef inline void _subtract(
    double* row, double factor, const double* other, Py_ssize_t n
) noexcept nogil:
    """Subtract a multiple of another row."""
    cdef Py_ssize_t j
    for j in range(n):
        row[j] -= factor * other[j]


# matrix float64 (d, d): its upper half is overwritten by U; kept int64 (d,): overwritten. Returns
# the rank, -1 where it is not clear. O(d^3 / 3).
cdef Py_ssize_t _factor(double[:, ::1] matrix, int64_t[::1] kept) noexcept nogil:
    """Factor a positive semidefinite matrix, leaving out columns that depend on others."""
    cdef Py_ssize_t size = matrix.shape[0], rank = 0, i, j, k
    cdef double pivot
    for k in range(size):
        pivot = matrix[k, k]
        if not pivot >= SURE_PIVOT:
            if not pivot <= NO_PIVOT:
                return -1
            continue
        pivot = 1.0 / sqrt(pivot)
        for j in range(k, size):
            matrix[k, j] *= pivot
        for i in range(k + 1, size):
            _subtract(&matrix[i, i], matrix[k, i], &matrix[k, i], size - i)
        if rank < k:
            for j in range(size):
                matrix[rank, j] = matrix[k, j] if j >= k else 0.0
        kept[rank] = k
        rank += 1
    return rank


# triangle float64 (d, d): only its lower half, up to `size`, is read, the transpose of U; vector
# (size,): overwritten by the solution of U x = vector. O(size^2 / 2).
cdef void _solve_back(
    const double[:, ::1] triangle, Py_ssize_t size, double* vector
) noexcept nogil:
    """Solve with an upper triangle."""
    cdef Py_ssize_t i
    for i in range(size - 1, -1, -1):
        vector[i] /= triangle[i, i]
        _subtract(vector, vector[i], &triangle[i, 0], i)


# As `_solve_back`, for U' x = vector; the upper half is read.
cdef void _solve_forth(
    const double[:, ::1] triangle, Py_ssize_t size, double* vector
) noexcept nogil:
    """Solve with the transpose of an upper triangle."""
    cdef Py_ssize_t i
    for i in range(size):
        vector[i] /= triangle[i, i]
        _subtract(vector + i + 1, vector[i], &triangle[i, i] + 1, size - i - 1)


# triangle float64 (d, d): its upper half, up to `size`, is read; inverse (d, d): overwritten up to
# `size`. Returns the sum of its squares. O(size^3 / 3).
cdef double _invert(
    const double[:, ::1] triangle, Py_ssize_t size, double[:, ::1] inverse
) noexcept nogil:
    """Invert an upper triangle."""
    cdef Py_ssize_t i, j, k
    cdef double pivot, total = 0.0
    for i in range(size - 1, -1, -1):
        for j in range(size):
            inverse[i, j] = 0.0
        for k in range(i + 1, size):
            _subtract(&inverse[i, k], triangle[i, k], &inverse[k, k], size - k)
        inverse[i, i] = 1.0
        pivot = 1.0 / triangle[i, i]
        for j in range(i, size):
            inverse[i, j] *= pivot
        total += _dot(&inverse[i, i], &inverse[i, i], size - i)
    return total


# triangle float64 (d, d): its upper half, up to `size`, is read; inverse (d, d), work (d,):
# overwritten. O(size^2), or O(size^3 / 3) where the quick bound is too high.
cdef double _inverse_bound(
    const double[:, ::1] triangle, Py_ssize_t size, double good, double[:, ::1] inverse,
    double[::1] work,
) noexcept nogil:
    """Bound 1 / (smallest eigenvalue of U' U) from above, well where it is above `good`.

    By the norms of the inverse of the comparison matrix of U (Higham 2002, section 8.3), else
    by the sum of squares of the inverse of U.
    """
    cdef Py_ssize_t i, j
    cdef double total, value, rows = 0.0, columns = 0.0
    for i in range(size - 1, -1, -1):
        total = 1.0
        for j in range(i + 1, size):
            total += fabs(triangle[i, j]) * work[j]
        work[i] = total / triangle[i, i]
        rows = max(rows, work[i])
    for i in range(size):
        work[i] = 1.0
    for i in range(size):
        value = work[i] / triangle[i, i]
        columns = max(columns, value)
        for j in range(i + 1, size):
            work[j] += fabs(triangle[i, j]) * value
    if rows * columns < good:
        return rows * columns
    return _invert(triangle, size, inverse)


# upper float64 (r, d) in (d, d); kept int64 (r,); triangle (d, d), null (d - r, d) in (d, d), work
# (d,): overwritten. O((d - r) (r^2 / 2 + (d - r) d)).
cdef void _split(
    const double[:, ::1] upper, Py_ssize_t rank, const int64_t[::1] kept,
    double[:, ::1] triangle, double[:, ::1] null, double[::1] work,
) noexcept nogil:
    """Copy the triangle to both halves; find an orthonormal basis of what U maps to 0."""
    cdef Py_ssize_t size = upper.shape[0], n_null = 0, n_kept = 0, i, j, column
    cdef double inverse
    for i in range(rank):
        for j in range(i, rank):
            triangle[i, j] = upper[i, kept[j]]
            triangle[j, i] = triangle[i, j]
    for column in range(size):
        if n_kept < rank and kept[n_kept] == column:
            n_kept += 1
            continue
        for i in range(rank):
            work[i] = upper[i, column]
        _solve_back(triangle, rank, &work[0])
        for j in range(size):
            null[n_null, j] = 0.0
        null[n_null, column] = 1.0
        for i in range(rank):
            null[n_null, kept[i]] = -work[i]
        _project(null, n_null, &null[n_null, 0])
        inverse = 1.0 / sqrt(_dot(&null[n_null, 0], &null[n_null, 0], size))
        for j in range(size):
            null[n_null, j] *= inverse
        n_null += 1


# null float64 (s, d) in (d, d); vector (d,): overwritten. Returns the largest part of an entry
# that was in the null space. O(s d).
cdef double _project(
    const double[:, ::1] null, Py_ssize_t n_null, double* vector
) noexcept nogil:
    """Take out of a vector what lies in the null space."""
    cdef Py_ssize_t i, size = null.shape[0]
    cdef double total, leak = 0.0
    for i in range(n_null):
        total = _dot(&null[i, 0], vector, size)
        leak += fabs(total)
        _subtract(vector, total, &null[i, 0], size)
    return leak


# triangle float64 (r, r) in (d, d); null (d - r, d) in (d, d); kept int64 (r,); vector, work (d,):
# overwritten. Returns the part of the vector that is outside the range. O(d^2).
cdef double _apply(
    const double[:, ::1] triangle, Py_ssize_t rank, const int64_t[::1] kept,
    const double[:, ::1] null, double* vector, double* work,
) noexcept nogil:
    """Multiply a vector by the pseudo-inverse of U' U."""
    cdef Py_ssize_t i, size = null.shape[0]
    cdef double leak = _project(null, size - rank, vector)
    for i in range(rank):
        work[i] = vector[kept[i]]
    _solve_forth(triangle, rank, work)
    _solve_back(triangle, rank, work)
    for i in range(size):
        vector[i] = 0.0
    for i in range(rank):
        vector[kept[i]] = work[i]
    _project(null, size - rank, vector)
    return leak


# scatter float64 (d + c, d): sums of products of columns, of which the upper half is read, and sums
# of columns by class; counts (c,); is_binary bool (d,); correlation (d, d), units (d,), offsets (c,
# d), center (d,): overwritten; units are 1 / spread, 0 for a flat column, and those of the offsets.
# Returns whether all spreads are clear. O(c d^2).
cdef bint _standardize(
    const double[:, ::1] scatter, const double[::1] counts, const uint8_t[::1] is_binary,
    double[:, ::1] correlation, double[::1] units, double[:, ::1] offsets, double[::1] center,
) noexcept nogil:
    """Take the class means out of sums of products and divide by rows and spreads."""
    cdef Py_ssize_t n_classes = offsets.shape[0], size = offsets.shape[1], c, i, j
    cdef double n_train = 0.0, square, factor
    cdef bint is_clear = True
    for i in range(size):
        center[i] = 0.0
        for j in range(i, size):
            correlation[i, j] = scatter[i, j]
    for c in range(n_classes):
        n_train += counts[c]
        for i in range(size):
            center[i] += scatter[size + c, i]
            offsets[c, i] = scatter[size + c, i] / max(counts[c], 1.0)
        for i in range(size):
            _subtract(&correlation[i, i], scatter[size + c, i], &offsets[c, i], size - i)
    for i in range(size):
        center[i] /= n_train
        square = correlation[i, i]
        if is_binary[i] and square < 0.25:
            square = 0.0
        elif square < DOUBTFUL * n_train and square != 0.0:
            is_clear = False
        units[i] = sqrt(n_train / square) if square > 0.0 else 0.0
    for i in range(size):
        factor = units[i] / n_train
        for j in range(i, size):
            correlation[i, j] *= factor * units[j]
    for c in range(n_classes):
        for i in range(size):
            offsets[c, i] = (offsets[c, i] - center[i]) * units[i] if counts[c] > 0.0 else 0.0
    return is_clear


# scatter float64 (b, d + c, d): sums of products of columns, and of columns by class; counts (b,
# c); is_binary bool (d,); weights (b, c, d), intercepts (b, c), between (b, c, c): overwritten;
# bounds (b,): overwritten by upper bounds of 1 / smallest eigenvalue within classes, infinite where
# anything is unclear. O(b d^2 (d + c)).
def solve_discriminants(
    const double[:, :, ::1] scatter, const double[:, ::1] counts, const uint8_t[::1] is_binary,
    double[:, :, ::1] weights, double[:, ::1] intercepts, double[:, :, ::1] between,
    double[::1] bounds,
):
    """Find the discriminant functions, less the logarithm of the priors, of many parts."""
    cdef Py_ssize_t n_parts = weights.shape[0], n_classes = weights.shape[1], b, c, k, q, rank
    cdef Py_ssize_t size = weights.shape[2]
    cdef double[:, ::1] correlation = np.empty((size, size)), triangle = np.empty((size, size))
    cdef double[:, ::1] null = np.empty((size, size)), offsets = np.empty((n_classes, size))
    cdef double[::1] units = np.empty(size), center = np.empty(size), vector = np.empty(size)
    cdef double[::1] work = np.empty(size)
    cdef int64_t[::1] kept = np.empty(size, np.int64)
    cdef double good, bound, leak, total
    cdef bint is_clear
    with nogil:
        for b in range(n_parts):
            bounds[b] = INFINITY
            is_clear = _standardize(
                scatter[b], counts[b], is_binary, correlation, units, offsets, center
            )
            rank = _factor(correlation, kept)
            if not is_clear or rank <= 0:
                continue
            _split(correlation, rank, kept, triangle, null, work)
            good = GOOD_BOUND if rank == size else GOOD_BOUND_OF_SINGULAR
            bound = _inverse_bound(triangle, rank, good, correlation, work)
            leak = 0.0
            for c in range(n_classes):
                vector[:] = offsets[c]
                leak = max(leak, _apply(triangle, rank, kept, null, &vector[0], &work[0]))
                for k in range(c + 1):
                    total = _dot(&offsets[k, 0], &vector[0], size)
                    total *= sqrt(counts[b, k] * counts[b, c])
                    between[b, k, c] = total
                    between[b, c, k] = total
                intercepts[b, c] = -0.5 * _dot(&offsets[c, 0], &vector[0], size)
                for q in range(size):
                    weights[b, c, q] = vector[q] * units[q]
                intercepts[b, c] -= _dot(&weights[b, c, 0], &center[0], size)
            if leak * bound * bound < LARGEST_LEAK:
                bounds[b] = bound


# products float64 (b, c, d + 1, d): sums of products of columns, and of columns, by class; counts (b,
# c); scales (b, d): what a column is multiplied by, 0 where there is none; share of the identity in
# a covariance; lost_degrees: rows less the divisor; factors (b, c, d + 1, d), zeros: overwritten by
# what makes the columns of a class, and a constant, independent of mean 0, but for a class of one
# row or none or of a singular matrix; facts (b, c, 3): overwritten by minus half the logarithm of
# the determinant, the growth of rounding errors and a lower bound of the smallest eigenvalue.
# O(b c d^3).
def factor_classes(
    const double[:, :, :, ::1] products, const double[:, ::1] counts, const double[:, ::1] scales,
    double share, double lost_degrees, double[:, :, :, ::1] factors, double[:, :, ::1] facts,
):
    """Factor the covariance matrices of all classes of many parts, and invert the factors."""
    cdef Py_ssize_t size = scales.shape[1], b, c, i, j
    cdef double[:, ::1] upper = np.empty((size, size))
    cdef double[::1] means = np.empty(size), roots = np.empty(size), units = np.empty(size)
    cdef int64_t[::1] kept = np.empty(size, np.int64)
    cdef double factor, growth, smallest, square, variance, bound, root
    with nogil:
        for b in range(counts.shape[0]):
            for c in range(counts.shape[1]):
                facts[b, c, 0] = facts[b, c, 2] = 0.0
                facts[b, c, 1] = INFINITY
                if counts[b, c] < 1.5:
                    continue
                factor = (1.0 - share) / (counts[b, c] - lost_degrees)
                growth = 1.0
                smallest = INFINITY
                for i in range(size):
                    means[i] = products[b, c, size, i] / counts[b, c]
                    square = scales[b, i] * scales[b, i]
                    variance = products[b, c, i, i] - products[b, c, size, i] * means[i]
                    variance = variance * factor * square + (share if square > 0.0 else 1.0)
                    smallest = min(smallest, variance)
                    root = (1.0 + means[i] * means[i]) * square * (1.0 - share) / variance
                    growth = max(growth, root)
                    roots[i] = 1.0 / sqrt(variance)
                    units[i] = roots[i] * scales[b, i]
                if not smallest > 0.0:
                    continue
                for i in range(size):
                    for j in range(i, size):
                        upper[i, j] = products[b, c, i, j] - products[b, c, size, i] * means[j]
                        upper[i, j] *= factor * units[i] * units[j]
                    upper[i, i] = 1.0
                if _factor(upper, kept) < size:
                    continue
                bound = _invert(upper, size, factors[b, c])
                for i in range(size):
                    facts[b, c, 0] += log(factors[b, c, i, i] * roots[i])
                    for j in range(i, size):
                        factors[b, c, i, j] *= units[i]
                    _subtract(&factors[b, c, size, 0], means[i], &factors[b, c, i, 0], size)
                facts[b, c, 1] = growth * bound
                facts[b, c, 2] = smallest / bound


# shares float64 (b, c, w): positive; places int64 (b, w): of each row in labels int64 (k,) and
# probabilities float64 (k, c), which are overwritten there; ties go to the first class. O(b c w).
def share_out(
    const double[:, :, ::1] shares, const int64_t[:, ::1] places, int64_t[::1] labels,
    double[:, ::1] probabilities,
):
    """Divide the shares of every row by their sum, and find the largest."""
    cdef Py_ssize_t b, c, i, best, place
    cdef double total, highest
    with nogil:
        for b in range(shares.shape[0]):
            for i in range(shares.shape[2]):
                total = highest = 0.0
                best = 0
                for c in range(shares.shape[1]):
                    total += shares[b, c, i]
                    best = c if shares[b, c, i] > highest else best
                    highest = max(highest, shares[b, c, i])
                place = places[b, i]
                labels[place] = best
                for c in range(shares.shape[1]):
                    probabilities[place, c] = shares[b, c, i] / total


# step, change, product float64 (s, p), inverse, share (s,): of each descent; product and share are
# overwritten, and inverse is 1 / (step . change). O(s p).
def leave_step(
    const double[:, ::1] step, const double[:, ::1] change, const double[::1] inverse,
    double[:, ::1] product, double[::1] share,
):
    """Take out of vectors what they share with a past step, and note how much that is."""
    cdef Py_ssize_t size = product.shape[1], s
    with nogil:
        for s in range(product.shape[0]):
            share[s] = inverse[s] * _dot(&step[s, 0], &product[s, 0], size)
            _subtract(&product[s, 0], share[s], &change[s, 0], size)


# As `leave_step`, but for share, which is read. O(s p).
def enter_step(
    const double[:, ::1] step, const double[:, ::1] change, const double[::1] inverse,
    double[:, ::1] product, const double[::1] share,
):
    """Put into vectors what they share with a past step, as noted."""
    cdef Py_ssize_t size = product.shape[1], s
    cdef double both
    with nogil:
        for s in range(product.shape[0]):
            both = inverse[s] * _dot(&change[s, 0], &product[s, 0], size)
            _subtract(&product[s, 0], both - share[s], &step[s, 0], size)
