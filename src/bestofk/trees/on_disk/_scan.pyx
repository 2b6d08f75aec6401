"""Compiled loops over chunks of a table on disk.

Shapes: r rows or keys of a chunk, b nodes that are searched, c classes, m levels, n nodes.
`node_class` has for every row of the table the number of its open node and, in the low `shift`
bits, its class; -1 for rows in leaves. The nodes looked at are start..start+b-1.
"""

import numpy as np

from libc.math cimport isnan
from libc.stdint cimport int16_t, int32_t, int64_t, uint8_t

from bestofk.trees._pruning cimport (
    ATTRIBUTE, DEFAULT, FIRST_CHILD, KIND, LEAF, LOOKUP_START, MULTIWAY, N_CHILDREN, THRESHOLD,
    Bound, bound_of, estimate_of,
)
from bestofk.trees._split_search cimport GINI, HELLINGER, worth_of

# Columns of the state of a search at a node between chunks: sums of the table over classes on
# both sides, the last value, known rows on the left and in all, the first place of a cut, the
# gain of a later one over an earlier, what a cut must beat; then what was found: how many cuts
# were possible, the worth of the best, the values on its two sides, the rows on its left.
cpdef enum:
    SUM_LEFT = 0
    SUM_RIGHT = 1
    VALUE = 2
    N_LEFT = 3
    N_ALL = 4
    FIRST = 5
    TIE = 6
    BEST = 7
    CUTS = 8
    WORTH = 9
    LOW = 10
    HIGH = 11
    LEFT = 12
    STATE_WIDTH = 13

# Rows of the tallies: classes on the left, on the right, and of the last value not yet counted.
cpdef enum:
    ON_LEFT = 0
    ON_RIGHT = 1
    PENDING = 2

# Numbers of open nodes grow beyond 32 bits in large trees.
ctypedef fused node_class_t:
    int32_t
    int64_t


cdef class CutSearch:
    """The search for the best cuts of an attribute at some nodes, while its values go by.

    Parameters
    ----------
    rule : tuple
        Criterion, class rule, and the gap that the two values of a cut must have.
    table : ndarray of shape (n + 1,), float64
        k log2 k, or k squared for Gini.
    is_counted : ndarray of shape (b,), uint8
        Nodes whose sums are updated value by value, not row by row.
    state : ndarray of shape (b, STATE_WIDTH), float64
        Overwritten.
    tallies : ndarray of shape (b, 3, c), int32
        Overwritten.
    """

    cdef int criterion, class_rule
    cdef double gap
    cdef const double[::1] table
    cdef const uint8_t[::1] is_counted
    cdef double[:, ::1] state, both
    cdef int32_t[:, :, ::1] tallies

    def __init__(self, rule, table, is_counted, state, tallies):
        self.criterion, self.class_rule, self.gap = rule
        self.table, self.is_counted, self.state, self.tallies = table, is_counted, state, tallies
        self.both = np.zeros((2, tallies.shape[2]))

    # O(1), but for Hellinger's distance O(c), for all pairs of classes O(c squared).
    cdef void try_cut(self, Py_ssize_t node, double before, double value) noexcept nogil:
        """Measure the cut between two values, and note it if it is the best so far."""
        cdef double[::1] state = self.state[node]
        cdef Py_ssize_t n_left = <Py_ssize_t>state[N_LEFT], n = <Py_ssize_t>state[N_ALL], k
        cdef double worth
        state[CUTS] += 1.0
        if self.criterion == HELLINGER:
            for k in range(self.both.shape[1]):
                self.both[0, k] = self.tallies[node, ON_LEFT, k]
                self.both[1, k] = self.tallies[node, ON_RIGHT, k]
            worth = worth_of(
                &self.both[0, 0], 2, self.both.shape[1], HELLINGER, self.class_rule, n
            ) - state[SUM_LEFT]
        elif self.criterion == GINI:
            worth = state[SUM_LEFT] / n_left + state[SUM_RIGHT] / (n - n_left)
        else:
            worth = state[SUM_LEFT] - self.table[n_left]
            worth = worth + state[SUM_RIGHT] - self.table[n - n_left]
        if worth > state[BEST]:
            state[BEST] = worth + state[TIE]
            state[WORTH] = worth
            state[LOW] = before
            state[HIGH] = value
            state[LEFT] = n_left

    # O(1).
    cdef inline void move(self, Py_ssize_t node, Py_ssize_t k, int32_t count) noexcept nogil:
        """Move rows of a class to the left."""
        cdef int32_t left = self.tallies[node, ON_LEFT, k]
        cdef int32_t right = self.tallies[node, ON_RIGHT, k]
        if self.criterion != HELLINGER:
            self.state[node, SUM_LEFT] += self.table[left + count] - self.table[left]
            self.state[node, SUM_RIGHT] += self.table[right - count] - self.table[right]
        self.tallies[node, ON_LEFT, k] = left + count
        self.tallies[node, ON_RIGHT, k] = right - count


# values float64 (r,), rows int32 (r,): sorted; node_class (n,). O(r), for Hellinger's O(r c).
def find_cuts(
    CutSearch search,
    const double[::1] values,
    const int32_t[::1] rows,
    const node_class_t[::1] node_class,
    Py_ssize_t start,
    int shift,
):
    """Continue the search for the best cut of an attribute at all nodes at once."""
    cdef Py_ssize_t i, k, node, n_nodes = search.state.shape[0]
    cdef int64_t at, mask = (<int64_t>1 << shift) - 1
    cdef double before, first, n_left
    with nogil:
        for i in range(rows.shape[0]):
            at = node_class[rows[i]]
            node = (at >> shift) - start
            if at < 0 or node < 0 or node >= n_nodes:
                continue
            before = search.state[node, VALUE]
            if values[i] != before:
                if search.is_counted[node]:
                    for k in range(search.tallies.shape[2]):
                        if search.tallies[node, PENDING, k] > 0:
                            search.move(node, k, search.tallies[node, PENDING, k])
                            search.tallies[node, PENDING, k] = 0
                search.state[node, VALUE] = values[i]
                n_left, first = search.state[node, N_LEFT], search.state[node, FIRST]
                if first <= n_left <= search.state[node, N_ALL] - first:
                    if before + search.gap < values[i]:
                        search.try_cut(node, before, values[i])
            if search.is_counted[node]:
                search.tallies[node, PENDING, at & mask] += 1
            else:
                search.move(node, at & mask, 1)
            search.state[node, N_LEFT] += 1.0


# codes float64 (r,), node_class (r,): of the rows of the chunk; counts float64 (b, m, c). O(r).
def count_codes(
    const double[::1] codes,
    const node_class_t[::1] node_class,
    Py_ssize_t start,
    int shift,
    double[:, :, ::1] counts,
):
    """Count classes by level at each node."""
    cdef Py_ssize_t i, node
    cdef int64_t at, mask = (<int64_t>1 << shift) - 1
    with nogil:
        for i in range(codes.shape[0]):
            at = node_class[i]
            node = (at >> shift) - start
            if at >= 0 and 0 <= node < counts.shape[0]:
                counts[node, <Py_ssize_t>codes[i], at & mask] += 1.0


# values float64 (columns, r), node_class (r,), overwritten: branch and class; tests int64 (b, 3):
# which of the columns a node tests, -1 for leaves, where its branches begin in lookup, -1 if the
# code is the branch, and the number of its first branch; low float64 (b,): highest value of
# branch 0, nan for levels; lookup int16; counts float64 (branches, c). O(r).
def send_rows(
    const double[:, :] values,
    node_class_t[::1] node_class,
    int shift,
    const int64_t[:, ::1] tests,
    const double[:] low,
    const int16_t[::1] lookup,
    double[:, ::1] counts,
):
    """Send the rows of a chunk to their branches, and count them there."""
    cdef Py_ssize_t i, node, branch
    cdef int64_t at, k, mask = (<int64_t>1 << shift) - 1
    cdef double value
    with nogil:
        for i in range(node_class.shape[0]):
            at = node_class[i]
            if at < 0:
                continue
            node = at >> shift
            if tests[node, 0] < 0:
                node_class[i] = -1
                continue
            value = values[tests[node, 0], i]
            if isnan(low[node]):
                branch = <Py_ssize_t>value
                if tests[node, 1] >= 0:
                    branch = lookup[tests[node, 1] + branch]
            else:
                branch = 0 if value <= low[node] else 1
            branch += tests[node, 2]
            k = at & mask
            counts[branch, k] += 1.0
            node_class[i] = <node_class_t>((<int64_t>branch << shift) | k)


# node_class (r,), overwritten; opened int64 (branches,): number of each branch in the next level,
# -1 for leaves. O(r).
def open_branches(node_class_t[::1] node_class, int shift, const int64_t[::1] opened):
    """Give the branches that go on their new numbers, and let go the rows of the others."""
    cdef Py_ssize_t i
    cdef int64_t at, new, mask = (<int64_t>1 << shift) - 1
    with nogil:
        for i in range(node_class.shape[0]):
            at = node_class[i]
            if at >= 0:
                new = opened[at >> shift]
                node_class[i] = <node_class_t>(-1 if new < 0 else (new << shift) | (at & mask))


# numbers, cut, lookup: as in `_pruning`; X float64 (r, d). O(1).
cdef inline Py_ssize_t branch_of(
    Py_ssize_t row,
    Py_ssize_t node,
    const int32_t[:, ::1] numbers,
    const double[::1] cut,
    const int32_t[::1] lookup,
    const double[:, :] X,
) noexcept nogil:
    """Return the branch of a row at a node, -1 if unknown."""
    cdef double value = X[row, numbers[node, ATTRIBUTE]]
    cdef Py_ssize_t branch = -1
    if numbers[node, KIND] == THRESHOLD:
        if not isnan(value):
            branch = 0 if value <= cut[node] else 1
    elif value >= 0.0:
        branch = <Py_ssize_t>value
        if numbers[node, KIND] != MULTIWAY:
            branch = lookup[numbers[node, LOOKUP_START] + branch]
    return branch if branch >= 0 else numbers[node, DEFAULT]


# numbers int32 (n, 6): as in `_pruning`; is_goal uint8 (n,); leads uint8 (n,), overwritten.
# Children have higher numbers than their parents. O(n).
def find_ways(const int32_t[:, ::1] numbers, const uint8_t[::1] is_goal, uint8_t[::1] leads):
    """Find the nodes from which rows may come to one of some nodes."""
    cdef Py_ssize_t node, v
    with nogil:
        for node in range(numbers.shape[0] - 1, -1, -1):
            leads[node] = is_goal[node]
            if numbers[node, KIND] != LEAF:
                for v in range(numbers[node, N_CHILDREN]):
                    if leads[numbers[node, FIRST_CHILD] + v]:
                        leads[node] = 1


# X float64 (r, d); leads uint8 (n,): as find_ways sets it; out int32 (r,), overwritten: the first
# node that is a goal, -1 for rows that come to none. O(r depth).
def reach(
    const double[:, :] X,
    const int32_t[:, ::1] numbers,
    const double[::1] cut,
    const int32_t[::1] lookup,
    const uint8_t[::1] is_goal,
    const uint8_t[::1] leads,
    int32_t[::1] out,
):
    """Send the rows of a chunk down until they come to one of some nodes."""
    cdef Py_ssize_t i, node
    with nogil:
        for i in range(out.shape[0]):
            node = 0
            while leads[node] and not is_goal[node]:
                node = numbers[node, FIRST_CHILD] + branch_of(i, node, numbers, cut, lookup, X)
            out[i] = <int32_t>(node if is_goal[node] else -1)


# As reach; y int16 (r,); at int32 (r,): as reach leaves it; counts float64 (n, c). O(r depth).
def count_leaves(
    const double[:, :] X,
    const int16_t[::1] y,
    const int32_t[::1] at,
    Py_ssize_t begin,
    const int32_t[:, ::1] numbers,
    const double[::1] cut,
    const int32_t[::1] lookup,
    double[:, ::1] counts,
):
    """Send the rows that came to a goal down from another node, and count them in leaves."""
    cdef Py_ssize_t i, node
    with nogil:
        for i in range(y.shape[0]):
            if at[i] >= 0:
                node = begin
                while numbers[node, KIND] != LEAF:
                    node = numbers[node, FIRST_CHILD] + branch_of(i, node, numbers, cut, lookup, X)
                counts[node, y[i]] += 1.0


# numbers int32 (n, 6); is_below uint8 (n,): 1 for the roots of subtrees, set for the nodes below;
# counts float64 (n, c): those of leaves, set for inner nodes; parts of the bound; estimates
# float64 (n,): set. Children have higher numbers than their parents. O(n c).
def sum_up(
    const int32_t[:, ::1] numbers,
    uint8_t[::1] is_below,
    double[:, ::1] counts,
    parts,
    double[::1] estimates,
):
    """Sum counts and estimated errors of subtrees from their leaves."""
    cdef Py_ssize_t node, child, k, first, last
    cdef Bound bound = bound_of(parts)
    with nogil:
        for node in range(numbers.shape[0]):
            if is_below[node] and numbers[node, KIND] != LEAF:
                first = numbers[node, FIRST_CHILD]
                for child in range(first, first + numbers[node, N_CHILDREN]):
                    is_below[child] = 1
        for node in range(numbers.shape[0] - 1, -1, -1):
            if not is_below[node]:
                continue
            if numbers[node, KIND] == LEAF:
                estimates[node] = estimate_of(counts[node], bound)
                continue
            first = numbers[node, FIRST_CHILD]
            last = first + numbers[node, N_CHILDREN]
            estimates[node] = 0.0
            for child in range(first, last):
                estimates[node] += estimates[child]
            for k in range(counts.shape[1]):
                counts[node, k] = 0.0
                for child in range(first, last):
                    counts[node, k] += counts[child, k]
