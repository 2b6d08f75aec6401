"""Compiled loops that take the rows of parts out of a sorted table.

Keys are those of `_split_search`: rank, class and row of each value in one number.  Everything here
trusts its callers.
"""

from libc.math cimport INFINITY
from libc.stdint cimport int32_t, int64_t

import numpy as np

from bestofk.trees._split_search cimport ROW_MASK


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
    bint is_strict,
    double[::1] result,
):
    """Find the largest value of a part that is not above a limit, or below it if strict."""
    cdef Py_ssize_t c, t
    cdef double value
    with nogil:
        for c in range(part.shape[0]):
            result[c] = -INFINITY
            for t in range(starts[part[c]], starts[part[c] + 1]):
                value = column[rows[t]]
                if (value < limit[c] if is_strict else value <= limit[c]) and value > result[c]:
                    result[c] = value
