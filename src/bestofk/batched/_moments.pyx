"""Loops over rows that need no more than moments of their classes."""

from libc.stdint cimport int64_t


# X (n, d); rows (t,), groups (t,): which rows are added, and to which sums; center (g, d): what is
# taken off; sums, squares (g, d): added to, row after row. O(t d).
def add_rows(
    const double[:, ::1] X,
    const int64_t[::1] rows,
    const int64_t[::1] groups,
    const double[:, ::1] center,
    double[:, ::1] sums,
    double[:, ::1] squares,
):
    """Add up differences from the center of each group, and their squares."""
    cdef Py_ssize_t t, q, i, g
    cdef double offset
    with nogil:
        for t in range(rows.shape[0]):
            i = rows[t]
            g = groups[t]
            for q in range(X.shape[1]):
                offset = X[i, q] - center[g, q]
                sums[g, q] += offset
                squares[g, q] += offset * offset


# X (n, d); rows (t,), parts (t,): which rows are asked for, and of which part; means, weights
# (p, c, d), one for each class of a part; result (t, c): overwritten. O(t c d).
def weighted_squares(
    const double[:, ::1] X,
    const int64_t[::1] rows,
    const int64_t[::1] parts,
    const double[:, :, ::1] means,
    const double[:, :, ::1] weights,
    double[:, ::1] result,
):
    """Compute weighted squared distances of rows from the class means of a part."""
    cdef Py_ssize_t t, c, q, i, p
    cdef double offset, total
    with nogil:
        for t in range(rows.shape[0]):
            i = rows[t]
            p = parts[t]
            for c in range(means.shape[1]):
                total = 0.0
                for q in range(X.shape[1]):
                    offset = X[i, q] - means[p, c, q]
                    total += offset * offset * weights[p, c, q]
                result[t, c] = total
