"""Compiled loops over kernel densities of sorted columns."""

from libc.math cimport INFINITY, fabs, log, sqrt
from libc.stdint cimport int32_t, int64_t

import numpy as np

cdef:
    double ROOT_OF_TWO = sqrt(2.0)
    double ROOT_OF_TWO_PI = 2.5066282746310002
    # Kernels that are lower than the nearest by this exponent are less than 1e-16 of it.
    double OUT_OF_REACH = 38.0


# values, weights, terms float64 (k,): terms are overwritten. O(k).
cdef double _sum_kernels(
    const double* values, const double* weights, Py_ssize_t size, double x, double rate,
    double nearest, double* terms,
) noexcept nogil:
    """Return the sum of w exp(nearest - (rate (x - v))^2), no exponent below -40.

    To 1e-13 of the largest term. The exponential is a power of exp(t / 256), whose series ends
    soon: the compiler does it for several numbers at once, unlike that of the library.
    """
    cdef Py_ssize_t k
    cdef double t, e, first = 0.0, second = 0.0
    for k in range(size):
        t = (x - values[k]) * rate
        t = (nearest - t * t) * 0.00390625
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
        terms[k] = weights[k] * e
    for k in range(size // 2):
        first += terms[2 * k]
        second += terms[2 * k + 1]
    return first + second + (terms[size - 1] if size % 2 else 0.0)


# tests int64 (t,): which of the sorted numbers of a column are of test rows; order int32 (n,): the
# row of each; column float64 (n,): the numbers; kernels float64 (3, k): rising numbers of training
# rows of a class, how often they occur, and what is overwritten; result float64 (n,): log densities
# of test rows are added. O(t * kernels in reach).
cdef void _add_log_densities(
    const int64_t[::1] tests, const int32_t[::1] order, const double[::1] column,
    double[:, ::1] kernels, Py_ssize_t n_kernels, double width, double n_rows, double[:] result,
) noexcept nogil:
    """Add the log density of one class in one column to what test rows have."""
    cdef Py_ssize_t near = 0, low = 0, high = 0, t
    cdef double rate = 1.0 / (width * ROOT_OF_TWO), x, nearest, reach, total
    cdef double constant = n_rows * width * ROOT_OF_TWO_PI
    cdef const double* values = &kernels[0, 0]
    constant = log(constant) if constant > 0.0 else -INFINITY
    for t in range(tests.shape[0]):
        x = column[tests[t]]
        while near + 1 < n_kernels and fabs(x - values[near + 1]) <= fabs(x - values[near]):
            near += 1
        nearest = (x - values[near]) * rate
        nearest *= nearest
        reach = sqrt(nearest + OUT_OF_REACH) / rate
        while low < near and values[low] < x - reach:
            low += 1
        while low > 0 and values[low - 1] >= x - reach:
            low -= 1
        high = max(high, near + 1)
        while high < n_kernels and values[high] <= x + reach:
            high += 1
        while high > near + 1 and values[high - 1] > x + reach:
            high -= 1
        total = _sum_kernels(
            values + low, &kernels[1, low], high - low, x, rate, nearest, &kernels[2, 0]
        )
        result[order[tests[t]]] += log(total) - nearest - constant


# folds int32 (r, n), the fold that tests each row; y int64 (n,), classes below c; order int32 (d,
# n), the rows of each column by rising value; columns float64 (d, n), those values; counts int64
# (r, k, c), rows of each class in each part; result float64 (r, n, c): log densities are added.
# O(r k d (n + kernels in reach of test rows)).
def add_log_densities(
    const int32_t[:, ::1] folds, const int64_t[::1] y, const int32_t[:, ::1] order,
    const double[:, ::1] columns, const int64_t[:, :, ::1] counts, double[:, :, ::1] result,
):
    """Add up the log densities of all columns, of every row in the part that it tests."""
    cdef Py_ssize_t n_classes = result.shape[2], n_samples = y.shape[0]
    cdef Py_ssize_t r, f, index, s, c, n_tests, n_distinct, k
    cdef double[:, :, ::1] kernels = np.empty((n_classes, 3, n_samples))
    cdef int64_t[::1] lengths = np.empty(n_classes, np.int64), tests = np.empty(n_samples, np.int64)
    cdef double x, first, last, gap, width, n_rows
    with nogil:
        for r in range(folds.shape[0]):
            for f in range(counts.shape[1]):
                for index in range(order.shape[0]):
                    lengths[:] = 0
                    n_tests = n_distinct = 0
                    first = last = 0.0
                    for s in range(n_samples):
                        if folds[r, order[index, s]] == f:
                            tests[n_tests] = s
                            n_tests += 1
                            continue
                        x = columns[index, s]
                        first = x if n_distinct == 0 else first
                        n_distinct += n_distinct == 0 or x != last
                        last = x
                        c = y[order[index, s]]
                        k = lengths[c] - 1
                        if k >= 0 and kernels[c, 0, k] == x:
                            kernels[c, 1, k] += 1.0
                        else:
                            kernels[c, 0, k + 1] = x
                            kernels[c, 1, k + 1] = 1.0
                            lengths[c] += 1
                    if n_distinct < 2:
                        continue
                    gap = (last - first) / (n_distinct - 1)
                    for c in range(n_classes):
                        k, n_rows = lengths[c], counts[r, f, c]
                        if k == 0:
                            continue
                        width = (kernels[c, 0, k - 1] - kernels[c, 0, 0]) / sqrt(n_rows)
                        _add_log_densities(
                            tests[:n_tests], order[index], columns[index], kernels[c], k,
                            max(width, gap / 6.0), n_rows, result[r, :, c],
                        )
