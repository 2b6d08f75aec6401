"""Compiled loops of nearest neighbors: lists of the rows nearest to each, and votes along lists."""

from libc.math cimport INFINITY, NAN, sqrt

import numpy as np

# Squared distances this near, relative to one another, are equal: their rounding differs.
cdef double TIE = 1e-10
# A squared distance this small compared with the squared length of the row is rounding alone.
cdef double ZERO = 1e-28


# products float64 (m, n): of m rows with n others; halves float64 (n,): half the squared lengths of
# the n; first: the number of the first of them; near intp (m, L), keys float64 (m, L): the nearest
# so far and half their squared distance less half the squared length of the row, ascending; both
# are updated. O(m n), and L for each that comes in.
def keep_nearest(
    const double[:, ::1] products, const double[::1] halves, Py_ssize_t first,
    Py_ssize_t[:, ::1] near, double[:, ::1] keys,
):
    """Put some rows into the lists of others, where they are nearer than the last."""
    cdef Py_ssize_t i, j, at, last = keys.shape[1] - 1
    cdef double key, farthest
    with nogil:
        for i in range(products.shape[0]):
            farthest = keys[i, last]
            for j in range(products.shape[1]):
                key = halves[j] - products[i, j]
                if key < farthest:
                    at = last
                    while at > 0 and keys[i, at - 1] > key:
                        keys[i, at] = keys[i, at - 1]
                        near[i, at] = near[i, at - 1]
                        at -= 1
                    keys[i, at] = key
                    near[i, at] = first + j
                    farthest = keys[i, last]


# X float64 (n, d), rows that may train; code intp (n,), value float64 (n,): which sum a row counts
# in, and what; ks intp (s,): numbers of neighbors wanted, ascending where weights are alike; is_all: whether of rows tied
# with the k-th all count, or so many that k do, the first in the table; is_weighted uint8 (s,):
# whether a row counts by the inverse of its distance, or alone with its like where that is 0.
cdef class NeighborVotes:
    """Votes of the nearest of some rows."""

    cdef const double[:, ::1] X
    cdef const Py_ssize_t[::1] code
    cdef const double[::1] value
    cdef const Py_ssize_t[::1] ks
    cdef const unsigned char[::1] is_weighted
    cdef bint is_all

    def __init__(
        self, const double[:, ::1] X, const Py_ssize_t[::1] code, const double[::1] value,
        const Py_ssize_t[::1] ks, bint is_all, const unsigned char[::1] is_weighted,
    ):
        self.X, self.code, self.value, self.ks, self.is_all = X, code, value, ks, is_all
        self.is_weighted = is_weighted

    @property
    def n_ks(self):
        """How many numbers of neighbors are asked for."""
        return self.ks.shape[0]

    # asked float64 (m, d): rows to predict; near intp (l, L), floors float64 (l, L + 1): lists, and
    # what no row of a list from there on nor any other is nearer than, under the weights that made
    # the list; is_train uint8 (p, n), weights float64 (p, d): rows and columns of the parts; asks
    # intp (t, 3): row of asked, list, part; bounds float64 (t, 2): of a row with floor f the squared
    # distance in the part is at least bounds[0] f + bounds[1]; shares float64 (t, s, c):
    # overwritten, by nan where no floor proves that the nearest were found. O(t d k), or more where
    # few train.
    def count(
        self, const double[:, ::1] asked, const Py_ssize_t[:, ::1] near,
        const double[:, ::1] floors, const unsigned char[:, ::1] is_train,
        const double[:, ::1] weights, const Py_ssize_t[:, ::1] asks,
        const double[:, ::1] bounds, double[:, :, ::1] shares,
    ):
        """Walk along lists until no other row can count, and share out the votes."""
        cdef Py_ssize_t a, at, c, counted, j, line, n_found, part, s, n_listed = near.shape[1]
        cdef Py_ssize_t n_columns = self.X.shape[1], most = max(self.ks)
        cdef double[::1] squares = np.empty(n_listed + 1), origin = np.zeros(n_columns)
        cdef double[::1] own_squares = np.empty(n_listed + 1), total = np.empty(self.ks.shape[0])
        cdef Py_ssize_t[::1] found = np.empty(n_listed + 1, dtype=np.intp)
        cdef Py_ssize_t[::1] own_found = np.empty(n_listed + 1, dtype=np.intp)
        cdef const double *row
        cdef double limit, square, zero
        with nogil:
            for a in range(asks.shape[0]):
                row, line, part = &asked[asks[a, 0], 0], asks[a, 1], asks[a, 2]
                zero = ZERO * squared_distance(row, &origin[0], &weights[part, 0], n_columns)
                n_found, at, limit = 0, 0, INFINITY
                while at < n_listed and not limit < bounds[a, 0] * floors[line, at] + bounds[a, 1]:
                    j = near[line, at]
                    at += 1
                    if not is_train[part, j]:
                        continue
                    square = squared_distance(row, &self.X[j, 0], &weights[part, 0], n_columns)
                    if square > limit:
                        continue
                    insert(&squares[0], &found[0], n_found, square, j)
                    n_found += 1
                    if n_found >= most:
                        limit = max(squares[most - 1] * (1.0 + TIE), zero)
                        while squares[n_found - 1] > limit:
                            n_found -= 1
                if n_found < most or not (
                    floors[line, at] == INFINITY
                    or limit < bounds[a, 0] * floors[line, at] + bounds[a, 1]
                ):
                    shares[a, 0, 0] = NAN
                    continue
                counted = 0
                for s in range(self.ks.shape[0]):
                    at = n_voters(&squares[0], n_found, self.ks[s], zero)
                    if s and self.is_weighted[s] != self.is_weighted[s - 1]:
                        counted = 0
                    for c in range(shares.shape[2]):  # the votes of a smaller k, and more
                        shares[a, s, c] = shares[a, s - 1, c] if counted else 0.0
                    total[s] = total[s - 1] if counted else 0.0
                    if self.is_all or at == self.ks[s]:
                        total[s] += self.vote(
                            &squares[0], &found[0], counted, at, zero, s, &shares[a, s, 0]
                        )
                        counted = at
                        continue
                    for c in range(shares.shape[2]):
                        shares[a, s, c] = 0.0
                    for j in range(at):
                        own_squares[j], own_found[j] = squares[j], found[j]
                    first_of_tied(&own_squares[0], &own_found[0], at, self.ks[s])
                    total[s] = self.vote(
                        &own_squares[0], &own_found[0], 0, self.ks[s], zero, s, &shares[a, s, 0]
                    )
                    counted = 0
                for s in range(self.ks.shape[0]):
                    for c in range(shares.shape[2]):
                        shares[a, s, c] /= total[s]

    # squares, found: squares, ascending, and their rows, of which those from start to stop vote in
    # setting s; shares: sums by code, added to. O(n).
    cdef double vote(
        self, const double *squares, const Py_ssize_t *found, Py_ssize_t start, Py_ssize_t stop,
        double zero, Py_ssize_t s, double *shares,
    ) noexcept nogil:
        """Add the votes of some rows, and return how many they are."""
        cdef Py_ssize_t at
        cdef double weight, total = 0.0
        cdef bint is_zero = squares[0] <= zero
        for at in range(start, stop):
            weight = 1.0
            if self.is_weighted[s]:
                weight = squares[at] <= zero if is_zero else 1.0 / sqrt(squares[at])
            shares[self.code[found[at]]] += weight * self.value[found[at]]
            total += weight
        return total


# squares: n squares, ascending. O(n).
cdef inline Py_ssize_t n_voters(
    const double *squares, Py_ssize_t n, Py_ssize_t k, double zero
) noexcept nogil:
    """Return how many rows are no farther than the k-th."""
    cdef double limit = max(squares[k - 1] * (1.0 + TIE), zero)
    while k < n and squares[k] <= limit:
        k += 1
    return k


# x, y, weight: n numbers each. Four chains of additions run side by side. O(n).
cdef inline double squared_distance(
    const double *x, const double *y, const double *weight, Py_ssize_t n
) noexcept nogil:
    """Return the sum of weighted squares of differences."""
    cdef double a = 0.0, b = 0.0, c = 0.0, d = 0.0
    cdef Py_ssize_t q, whole = n - n % 4
    for q in range(0, whole, 4):
        a += weight[q] * (x[q] - y[q]) * (x[q] - y[q])
        b += weight[q + 1] * (x[q + 1] - y[q + 1]) * (x[q + 1] - y[q + 1])
        c += weight[q + 2] * (x[q + 2] - y[q + 2]) * (x[q + 2] - y[q + 2])
        d += weight[q + 3] * (x[q + 3] - y[q + 3]) * (x[q + 3] - y[q + 3])
    for q in range(whole, n):
        a += weight[q] * (x[q] - y[q]) * (x[q] - y[q])
    return (a + b) + (c + d)


# squares, found: n squares, ascending, and their rows; there is space for one more. O(n).
cdef inline void insert(
    double *squares, Py_ssize_t *found, Py_ssize_t n, double square, Py_ssize_t row
) noexcept nogil:
    """Put a row in its place: by its square, then by its number."""
    while n > 0 and (
        squares[n - 1] > square or (squares[n - 1] == square and found[n - 1] > row)
    ):
        squares[n] = squares[n - 1]
        found[n] = found[n - 1]
        n -= 1
    squares[n] = square
    found[n] = row


# squares, found: n > k squares, ascending, and their rows, which are put into another order.
# O((n - k) n).
cdef void first_of_tied(
    double *squares, Py_ssize_t *found, Py_ssize_t n, Py_ssize_t k
) noexcept nogil:
    """Move to the front what is surely nearer than the k-th, and of the others the first rows."""
    cdef Py_ssize_t at, n_sure = 0
    cdef double kth = squares[k - 1]
    while squares[n_sure] * (1.0 + TIE) < kth:
        n_sure += 1
    for at in range(n_sure, n):  # by number alone
        insert(squares + n_sure, found + n_sure, at - n_sure, kth, found[at])
