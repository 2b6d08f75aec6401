"""Compiled loops that rank the values of a table, and take the rows of parts out of a sorted one.

Keys are those of `_split_search`: rank, class and row of each value in one number.  Everything here
trusts its callers.
"""

from libc.math cimport INFINITY
from libc.stdint cimport int16_t, int32_t, int64_t

import numpy as np

from bestofk.trees._split_search cimport CLASS_BITS, CLASS_MASK, ROW_BITS, ROW_MASK


# ordered float64 (n,): rising, missing values last.  O(n).
def count_distinct(const double[::1] ordered):
    """Return how many values are known, and how many distinct ones there are."""
    cdef Py_ssize_t i, n_known = ordered.shape[0], n_distinct = 0
    with nogil:
        while n_known and ordered[n_known - 1] != ordered[n_known - 1]:
            n_known -= 1
        for i in range(n_known):
            n_distinct += i == 0 or ordered[i] > ordered[i - 1]
    return n_known, n_distinct


# As count_distinct; distinct float64 (m,): overwritten.  O(n).
def list_distinct(const double[::1] ordered, double[::1] distinct):
    """List the distinct values."""
    cdef Py_ssize_t i, rank = -1
    with nogil:
        for i in range(ordered.shape[0]):
            if i == 0 or ordered[i] > ordered[i - 1]:
                rank += 1
                distinct[rank] = ordered[i]


# ordered float64 (n,), order int64 (n,): values in rising order, none missing, and their rows; y
# int16 (n,): classes by row; keys int64 (n,): overwritten.  O(n).
def rank_keys(
    const double[::1] ordered, const int64_t[::1] order, const int16_t[::1] y, int64_t[::1] keys
):
    """Pack rank, class and row of each value."""
    cdef Py_ssize_t i
    cdef int64_t rank = 0, k
    with nogil:
        for i in range(ordered.shape[0]):
            rank += i > 0 and ordered[i] > ordered[i - 1]
            k = y[order[i]] & CLASS_MASK
            keys[i] = (rank << ROW_BITS) | (k << CLASS_BITS) | order[i]


# ordered float64 (n_known,), order int64 (>= n_known,): known values in rising order, and their
# rows; codes int32 (n,): overwritten in those rows.  O(n).
def rank_rows(const double[::1] ordered, const int64_t[::1] order, int32_t[::1] codes):
    """Write down the rank of each row."""
    cdef Py_ssize_t i
    cdef int32_t rank = 0
    with nogil:
        for i in range(ordered.shape[0]):
            rank += i > 0 and ordered[i] > ordered[i - 1]
            codes[order[i]] = rank


# keys int64 (lists, n); new_row int32 (n,): new number of each row, -1 for rows left out; out
# int64 (lists, r), overwritten.  O(lists n).
def take_keys(const int64_t[:, ::1] keys, const int32_t[::1] new_row, int64_t[:, ::1] out):
    """Copy the keys of some rows, numbered anew, each list sorted as before."""
    cdef Py_ssize_t a, i, filled
    cdef int32_t new
    with nogil:
        for a in range(keys.shape[0]):
            filled = 0
            for i in range(keys.shape[1]):
                new = new_row[keys[a, i] & ROW_MASK]
                if new >= 0:
                    out[a, filled] = (keys[a, i] & ~ROW_MASK) | new
                    filled += 1


# keys int64 (lists, n); row_start int64 (n + 1,): the entries of row i are at row_start[i] to
# row_start[i + 1] - 1 of part and new_row, int64 (r,): which part, and its new row; starts int64
# (parts + 1,): where each part begins; out int64 (lists, r): overwritten.  O(lists (n + r)).
def deal_keys(
    const int64_t[:, ::1] keys,
    const int64_t[::1] row_start,
    const int64_t[::1] part,
    const int64_t[::1] new_row,
    const int64_t[::1] starts,
    int64_t[:, ::1] out,
):
    """Copy the keys of the rows of several parts, numbered anew, each list sorted as before."""
    cdef int64_t[::1] filled = np.empty(starts.shape[0], np.int64)
    cdef Py_ssize_t a, i, t
    cdef int64_t row, rest, p
    with nogil:
        for a in range(keys.shape[0]):
            filled[:] = starts
            for i in range(keys.shape[1]):
                row = keys[a, i] & ROW_MASK
                rest = keys[a, i] & ~ROW_MASK
                for t in range(row_start[row], row_start[row + 1]):
                    p = part[t]
                    out[a, filled[p]] = rest | new_row[t]
                    filled[p] += 1


# column float64 (n,); rows int64 (r,), those of part p being rows[starts[p]] to
# rows[starts[p + 1] - 1]; part int64 (cuts,); limit float64 (cuts,); result float64 (cuts,):
# overwritten, -inf where there is none.  O(cuts r / parts).
def largest_within(
    const double[::1] column,
    const int64_t[::1] rows,
    const int64_t[::1] starts,
    const int64_t[::1] part,
    const double[::1] limit,
    double[::1] result,
):
    """Find the largest value of a part that is not above a limit."""
    cdef Py_ssize_t c, t
    cdef double value
    with nogil:
        for c in range(part.shape[0]):
            result[c] = -INFINITY
            for t in range(starts[part[c]], starts[part[c] + 1]):
                value = column[rows[t]]
                if result[c] < value <= limit[c]:
                    result[c] = value
