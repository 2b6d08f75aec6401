"""Compiled loops that send rows down a tree.

Shapes: n nodes, r rows, d columns (oblique directions included), c classes.
"""

import numpy as np

from libc.math cimport isnan
from libc.stdint cimport int8_t, int32_t, int64_t

cdef extern from "math.h":
    bint isunordered(double x, double y) nogil

cdef enum:
    LEAF = 0
    THRESHOLD = 1
    MULTIWAY = 2
    TOGETHER = 8  # rows that go down side by side, so that none waits for memory alone


cdef class NodeTests:
    """The tests of a tree as the loops read them; arrays are those of `Tree`."""

    cdef const int8_t[::1] kind
    cdef const int32_t[::1] attribute, first_child, n_children, default, lookup_start, lookup
    cdef const double[::1] threshold, weight

    def __init__(self, tree):
        self.kind = tree.kind
        self.attribute = tree.attribute
        self.threshold = tree.threshold
        self.first_child = tree.first_child
        self.n_children = tree.n_children
        self.default = tree.default_branch
        self.lookup_start = tree.lookup_start
        self.lookup = tree.lookup
        self.weight = tree.weight

    # The child of an inner node that a value leads to, -1 if its branch is unknown. O(1).
    cdef inline Py_ssize_t child(self, Py_ssize_t node, double value) noexcept nogil:
        cdef Py_ssize_t branch = -1
        if self.kind[node] == THRESHOLD:
            if not isnan(value):
                branch = value > self.threshold[node]
        elif value >= 0.0:
            branch = <Py_ssize_t>value
            if self.kind[node] != MULTIWAY:
                branch = self.lookup[self.lookup_start[node] + branch]
        if branch < 0:
            branch = self.default[node]
        return self.first_child[node] + branch if branch >= 0 else -1


# X float64 (r, d); leaf int32 (r,): overwritten: number of the leaf, -1 for rows whose branch is
# unknown somewhere. O(r depth).
def find_leaves(NodeTests tests, const double[:, ::1] X, int32_t[::1] leaf):
    """Find the leaf of each row that has every value that its tests ask for."""
    cdef Py_ssize_t block, start, r, n_here, n_going, node
    cdef Py_ssize_t[TOGETHER] at
    cdef double value, threshold
    with nogil:
        for block in range((X.shape[0] + TOGETHER - 1) // TOGETHER):
            start = block * TOGETHER
            n_here = min(TOGETHER, X.shape[0] - start)
            for r in range(n_here):
                at[r] = 0
            n_going = n_here
            while n_going > 0:
                n_going = 0
                for r in range(n_here):
                    node = at[r]
                    if node < 0 or tests.attribute[node] < 0:  # leaves test nothing
                        continue
                    n_going += 1
                    value = X[start + r, tests.attribute[node]]
                    threshold = tests.threshold[node]  # nan where levels are tested
                    # One jump that is never taken for numbers, and none for the side.
                    if isunordered(value, threshold):
                        at[r] = tests.child(node, value)
                    else:
                        at[r] = tests.first_child[node] + (value > threshold)
            for r in range(n_here):
                leaf[start + r] = <int32_t>at[r]


# x float64 (d,): one row; share float64 (n,): part of the row that reaches each node,
# overwritten where it does; stack int32 (n,): overwritten; reached int32 (n,): set to the leaves
# reached; returns how many. Ordinal thresholds are in codes. O(nodes reached).
cdef Py_ssize_t spread_row(
    NodeTests tests, const double[::1] x, double[::1] share, int32_t[::1] stack, int32_t[::1] reached
) noexcept nogil:
    """Send a row down every branch where its own is unknown, in parts by training weight."""
    cdef Py_ssize_t node, child, first, last, n_reached = 0, n_stack = 1
    cdef double total
    stack[0] = 0
    share[0] = 1.0
    while n_stack > 0:
        n_stack -= 1
        node = stack[n_stack]
        if tests.kind[node] == LEAF:
            reached[n_reached] = <int32_t>node
            n_reached += 1
            continue
        child = tests.child(node, x[tests.attribute[node]])
        if child >= 0:
            share[child] = share[node]
            stack[n_stack] = <int32_t>child
            n_stack += 1
            continue
        first = tests.first_child[node]
        last = first + tests.n_children[node]
        total = 0.0
        for child in range(first, last):
            total += tests.weight[child]
        for child in range(first, last):
            if tests.weight[child] > 0.0:
                share[child] = share[node] * tests.weight[child] / total
                stack[n_stack] = <int32_t>child
                n_stack += 1
    return n_reached


# X float64 (r, d); answers float64 (n, c); out float64 (r, c), overwritten. O(r n).
def answer_in_parts(
    NodeTests tests, const double[:, ::1] X, const double[:, ::1] answers, double[:, ::1] out
):
    """Average the answers of the leaves that the parts of each row reach."""
    cdef Py_ssize_t i, j, k, n_reached
    cdef double[::1] share = np.zeros(tests.kind.shape[0])
    cdef int32_t[::1] stack = np.zeros(tests.kind.shape[0], np.int32)
    cdef int32_t[::1] reached = np.zeros(tests.kind.shape[0], np.int32)
    with nogil:
        for i in range(X.shape[0]):
            n_reached = spread_row(tests, X[i], share, stack, reached)
            for k in range(out.shape[1]):
                out[i, k] = 0.0
            for j in range(n_reached):
                for k in range(out.shape[1]):
                    out[i, k] += share[reached[j]] * answers[reached[j], k]


# heaviest int32 (n,): set to the branch of the most weight of each inner node, the first of
# equals. O(n).
def find_heaviest_branches(NodeTests tests, int32_t[::1] heaviest):
    """Find the branch of each node that most training rows take."""
    cdef Py_ssize_t node, v, first
    with nogil:
        for node in range(tests.kind.shape[0]):
            first = tests.first_child[node]
            heaviest[node] = 0
            for v in range(1, tests.n_children[node]):
                if tests.weight[first + v] > tests.weight[first + heaviest[node]]:
                    heaviest[node] = <int32_t>v


# first_child, n_children int32 (n,); values float64 (n,): those of leaves, children numbered after
# their parents; those of inner nodes are overwritten. O(n).
def add_up(
    const int32_t[::1] first_child, const int32_t[::1] n_children, double[::1] values
):
    """Give every inner node the sum of its children."""
    cdef Py_ssize_t node, child
    cdef double total
    with nogil:
        for node in range(values.shape[0] - 1, -1, -1):
            if n_children[node] > 0:
                total = 0.0
                for child in range(first_child[node], first_child[node] + n_children[node]):
                    total += values[child]
                values[node] = total


# X float64 (any, d) without gaps; rows int64 (r,): rows of X, those of tree p being rows[ends[p]]
# to rows[ends[p + 1] - 1]; node p is its root, all tests are thresholds; leaf int32 (r,):
# overwritten. O(r depth).
def find_forest_leaves(
    NodeTests tests,
    const double[:, ::1] X,
    const int64_t[::1] rows,
    const int64_t[::1] ends,
    int32_t[::1] leaf,
):
    """Find the leaf of each row in the tree that it is sent down."""
    cdef Py_ssize_t p, t, node
    with nogil:
        for p in range(ends.shape[0] - 1):
            for t in range(ends[p], ends[p + 1]):
                node = p
                while tests.attribute[node] >= 0:
                    node = tests.first_child[node] + (
                        X[rows[t], tests.attribute[node]] > tests.threshold[node]
                    )
                leaf[t] = <int32_t>node
