"""Compiled loops that prune trees.

In error-based pruning a tree is `numbers` int32 (n, 6): kind, attribute, first child, children,
start in lookup, default branch; `cut` float64 (n,); `lookup` int32. A row of the training table
X float64 (r, d) that reaches a node is a number and a weight. Shapes: n nodes, c classes.
"""

import numpy as np

from libc.math cimport INFINITY, exp, log, sqrt
from libc.stdint cimport int16_t, int32_t, uint8_t
from libc.stdlib cimport free, realloc

# By how much the bound may rise where a tree gets smaller; comparisons blur by 1e-6.
SLACK = 0.1 + 1e-6
cdef double slack = SLACK


cdef Bound bound_of(parts):
    """Return the bound that `pruning_methods.bound_parts` describes."""
    return Bound(parts[0], parts[1], parts[2])


# O(1).
cdef double errors_added(double weight, double errors, Bound bound) noexcept nogil:
    """Return what the upper bound of the error adds to the errors seen (Quinlan 1993)."""
    cdef double base, share, added, f, square, spread, upper
    if weight <= 0.0 or (bound.confidence > 0.5 and not bound.is_r8):
        return 0.0
    base = weight
    if bound.confidence > 0.0:
        base = weight * (1.0 - exp(log(bound.confidence) / weight))
    if errors < 1e-6:
        return base
    share = 1.0
    if errors < (0.9999 if bound.is_r8 else 1.0):
        share = errors
        errors = 1.0
    if errors + 0.5 >= weight:
        added = max((0.67 if bound.is_r8 else 1.0) * (weight - errors), 0.0)
    else:
        f = (errors + 0.5) / weight
        square = bound.z * bound.z
        spread = f / weight - f * f / weight + square / (4.0 * weight * weight)
        upper = (f + square / (2.0 * weight) + bound.z * sqrt(spread)) / (1.0 + square / weight)
        added = weight * upper - errors
    return added if share == 1.0 else base + share * (added - base)


# counts float64 (c,). O(c).
cdef double estimate_of(const double[:] counts, Bound bound) noexcept nogil:
    """Return errors of a leaf, seen and added."""
    cdef double weight = 0.0, highest = 0.0
    cdef Py_ssize_t k
    for k in range(counts.shape[0]):
        weight += counts[k]
        highest = max(highest, counts[k])
    if weight <= 1e-6:
        return 0.0
    return weight - highest + errors_added(weight, weight - highest, bound)


# parts: as `pruning_methods.bound_parts` gives them. O(1).
def added_errors(double weight, double errors, parts):
    """Return what the upper bound of the error adds to the errors seen."""
    return errors_added(weight, errors, bound_of(parts))


# counts float64 (c,); parts as above. O(c).
def estimate(const double[:] counts, parts):
    """Return errors of a leaf with these class weights, seen and added."""
    return estimate_of(counts, bound_of(parts))


# A node that waits, and which of the rows on their way down are its own.
cdef struct Waiting:
    Py_ssize_t node
    Py_ssize_t begin
    Py_ssize_t end
    bint is_pruned_below


cdef class Pruning:
    """A tree while it is pruned: its arrays, which change, and the rows on their way down.

    Parameters
    ----------
    form : tuple
        numbers, cut and lookup of the tree; X; y int16 (r,); parts of the bound.
    counts : ndarray of shape (n, c), float64
        Class weights of the nodes; changed where a branch is raised.
    estimates : ndarray of shape (n,), float64
        Set to the estimated errors of the nodes.
    """

    cdef int32_t[:, ::1] numbers
    cdef double[::1] cut, estimates, own, known
    cdef double[:, ::1] counts
    cdef const int32_t[::1] lookup
    cdef const double[:, :] X
    cdef const int16_t[::1] y
    cdef Bound bound
    cdef Py_ssize_t[::1] ends  # of the rows of the branches of one node
    # The nodes that wait are a stack, and so are their rows: of a node that is taken from it, the
    # rows are the last, and what is behind them belongs to nodes that are done.
    cdef Waiting *waiting
    cdef int32_t *rows
    cdef int32_t *side  # branch of each row of one node, -1 if unknown
    cdef double *weight
    cdef Py_ssize_t n_waiting, most_waiting, most_rows

    def __init__(self, form, counts, estimates):
        self.numbers, self.cut, self.lookup, self.X, self.y, parts = form
        self.bound = bound_of(parts)
        self.counts, self.estimates = counts, estimates
        self.own = np.zeros(counts.shape[1])
        most_branches = form[0][:, N_CHILDREN].max()
        self.known = np.zeros(most_branches)
        self.ends = np.zeros(most_branches + 1, np.intp)

    def __dealloc__(self):
        free(self.waiting)
        free(self.rows)
        free(self.side)
        free(self.weight)

    # O(r depth), where branches are raised times depth at most.
    def prune(
        self, Py_ssize_t root, const int32_t[::1] rows, const double[::1] weight, bint raises
    ):
        """Prune a subtree in place, from the bottom.

        Parameters
        ----------
        root : int
            Its highest node.
        rows : ndarray of shape (r,), int32
            Training rows that reach it.
        weight : ndarray of shape (r,), float64
            Their weights.
        raises : bool
            Whether branches may take the place of their parents.
        """
        cdef Py_ssize_t i
        with nogil:
            self.reserve(rows.shape[0])
            for i in range(rows.shape[0]):
                self.rows[i] = rows[i]
                self.weight[i] = weight[i]
            self.push(root, 0, rows.shape[0], False)
            while self.n_waiting > 0:
                self.prune_next(raises)

    # O(r depth) where a branch may be raised, else O(r).
    cdef int prune_next(self, bint raises) except -1 nogil:
        """Send the rows of the next node to its branches; if these are pruned, decide on it."""
        cdef Py_ssize_t v, first, n_branches, n_inner = 0
        self.n_waiting -= 1
        cdef Waiting it = self.waiting[self.n_waiting]
        if self.numbers[it.node, KIND] == LEAF:
            self.estimates[it.node] = estimate_of(self.counts[it.node], self.bound)
            return 0
        first, n_branches = self.numbers[it.node, FIRST_CHILD], self.numbers[it.node, N_CHILDREN]
        if not it.is_pruned_below:
            for v in range(n_branches):
                n_inner += self.numbers[first + v, KIND] != LEAF
        if n_inner == 0:
            self.decide(it, raises)
            return 0
        self.push(it.node, it.begin, it.end, True)
        if raises:
            self.divide(it)
        for v in range(n_branches):
            if self.numbers[first + v, KIND] != LEAF:
                if raises:
                    self.push(first + v, self.ends[v], self.ends[v + 1], False)
                else:
                    self.push(first + v, it.end, it.end, False)
        return 0

    # O(r depth).
    cdef int decide(self, Waiting it, bint raises) except -1 nogil:
        """Make a node whose branches are pruned a leaf, or its largest branch, or leave it."""
        cdef Py_ssize_t child, largest, column, first = self.numbers[it.node, FIRST_CHILD]
        cdef Py_ssize_t last = first + self.numbers[it.node, N_CHILDREN]
        cdef double of_tree = 0.0, of_leaf, of_branch = INFINITY, limit
        for child in range(first, last):
            if self.numbers[child, KIND] == LEAF:
                self.estimates[child] = estimate_of(self.counts[child], self.bound)
            of_tree += self.estimates[child]
        of_leaf = estimate_of(self.counts[it.node], self.bound)
        largest = self.largest_branch(first, last)
        if raises:
            of_branch = of_leaf  # all rows in one leaf
        if raises and self.numbers[largest, KIND] != LEAF:
            limit = of_tree + slack
            if of_leaf <= limit:
                limit = max(limit, of_leaf - slack)
            of_branch = self.reach(largest, it, limit, False)
        self.estimates[it.node] = of_tree
        if of_leaf <= of_tree + slack and of_leaf <= of_branch + slack:
            self.numbers[it.node, KIND] = LEAF
            self.estimates[it.node] = of_leaf
        elif of_branch <= of_tree + slack:
            for column in range(self.numbers.shape[1]):
                self.numbers[it.node, column] = self.numbers[largest, column]
            self.cut[it.node] = self.cut[largest]
            self.reach(it.node, it, INFINITY, True)
            self.push(it.node, it.begin, it.end, False)
        return 0

    # O(branches c).
    cdef Py_ssize_t largest_branch(self, Py_ssize_t first, Py_ssize_t last) noexcept nogil:
        """Return the child of the most weight, the last of equals."""
        cdef Py_ssize_t child, k, largest = first
        cdef double here, highest = -1.0
        for child in range(first, last):
            here = 0.0
            for k in range(self.counts.shape[1]):
                here += self.counts[child, k]
            if here >= highest - 1e-6:
                largest, highest = child, here
        return largest

    # Nothing is finished once the estimate is above the limit. O(r depth).
    cdef double reach(
        self, Py_ssize_t root, Waiting given, double limit, bint counts_anew
    ) except? -1 nogil:
        """Send the rows of a node down a subtree; return its estimated errors with just these.

        Class weights of the nodes are set anew if that is wanted.
        """
        cdef Py_ssize_t v, i, k, first, n_before = self.n_waiting
        cdef double result = 0.0
        cdef Waiting it
        self.push(root, given.begin, given.end, False)
        while self.n_waiting > n_before:
            self.n_waiting -= 1
            it = self.waiting[self.n_waiting]
            for k in range(self.own.shape[0]):
                self.own[k] = 0.0
            for i in range(it.begin, it.end):
                self.own[self.y[self.rows[i]]] += self.weight[i]
            if counts_anew:
                for k in range(self.own.shape[0]):
                    self.counts[it.node, k] = self.own[k]
            if self.numbers[it.node, KIND] == LEAF:
                result += estimate_of(self.own, self.bound)
                if result > limit:
                    self.n_waiting = n_before
                continue
            self.divide(it)
            first = self.numbers[it.node, FIRST_CHILD]
            for v in range(self.numbers[it.node, N_CHILDREN]):
                if self.ends[v + 1] > self.ends[v] or counts_anew:
                    self.push(first + v, self.ends[v], self.ends[v + 1], False)
        return result

    # Rows and weights of the branches are written behind those of the node, end to end; the rows
    # of branch v begin at ends[v]. O(r branches).
    cdef int divide(self, Waiting it) except -1 nogil:
        """Divide rows among the branches of a node; unknown ones in parts by the known weights."""
        cdef Py_ssize_t i, v, n_branches = self.numbers[it.node, N_CHILDREN], n_unknown = 0
        cdef Py_ssize_t low, high, to
        cdef double total = 0.0, share
        for v in range(n_branches):
            self.known[v] = 0.0
            self.ends[v + 1] = 0
        for i in range(it.begin, it.end):
            v = self.branch_of(it.node, self.rows[i])
            self.side[i] = <int32_t>v
            if v >= 0:
                self.known[v] += self.weight[i]
                total += self.weight[i]
                self.ends[v + 1] += 1
            else:
                n_unknown += 1
        self.ends[0] = it.end
        for v in range(n_branches):
            if n_unknown > 0 and self.known[v] > 1e-6 * total:
                self.ends[v + 1] += n_unknown
            self.ends[v + 1] += self.ends[v]
        self.reserve(self.ends[n_branches])
        for i in range(it.begin, it.end):
            low = max(self.side[i], 0)
            high = low + 1 if self.side[i] >= 0 else n_branches
            for v in range(low, high):
                if self.side[i] < 0 and not self.known[v] > 1e-6 * total:
                    continue
                share = 1.0 if self.side[i] >= 0 else self.known[v] / total
                to = self.ends[v]
                self.rows[to] = self.rows[i]
                self.weight[to] = self.weight[i] * share
                self.ends[v] += 1
        for v in range(n_branches, 0, -1):
            self.ends[v] = self.ends[v - 1]
        self.ends[0] = it.end
        return 0

    # O(1).
    cdef inline Py_ssize_t branch_of(self, Py_ssize_t node, Py_ssize_t row) noexcept nogil:
        """Return the branch of a row at a node, -1 if unknown."""
        cdef double value = self.X[row, self.numbers[node, ATTRIBUTE]]
        cdef Py_ssize_t branch = -1
        if self.numbers[node, KIND] == THRESHOLD:
            if value <= self.cut[node]:
                branch = 0
            elif value > self.cut[node]:
                branch = 1
        elif value >= 0.0:
            branch = <Py_ssize_t>value
            if self.numbers[node, KIND] != MULTIWAY:
                branch = self.lookup[self.numbers[node, LOOKUP_START] + branch]
        return branch if branch >= 0 else self.numbers[node, DEFAULT]

    # O(1) on average.
    cdef int push(
        self, Py_ssize_t node, Py_ssize_t begin, Py_ssize_t end, bint is_pruned_below
    ) except -1 nogil:
        """Let a node wait."""
        if self.n_waiting == self.most_waiting:
            self.most_waiting = 2 * self.most_waiting + 64
            self.waiting = <Waiting *>enlarged(self.waiting, self.most_waiting, sizeof(Waiting))
        self.waiting[self.n_waiting] = Waiting(node, begin, end, is_pruned_below)
        self.n_waiting += 1
        return 0

    # O(1) on average.
    cdef int reserve(self, Py_ssize_t n_rows) except -1 nogil:
        """Make room for so many rows on their way down."""
        if n_rows > self.most_rows:
            self.most_rows = 2 * n_rows
            self.rows = <int32_t *>enlarged(self.rows, self.most_rows, sizeof(int32_t))
            self.side = <int32_t *>enlarged(self.side, self.most_rows, sizeof(int32_t))
            self.weight = <double *>enlarged(self.weight, self.most_rows, sizeof(double))
        return 0


cdef void *enlarged(void *memory, Py_ssize_t n_items, size_t size) except NULL nogil:
    """Return a piece of memory with room for more items, or a new one."""
    cdef void *result = realloc(memory, n_items * size)
    if result == NULL:
        with gil:
            raise MemoryError
    return result


cdef class Links:
    """The links of inner nodes, the weakest first, as a heap: of equals, that of the first node."""

    cdef double[::1] strength  # by node
    cdef Py_ssize_t[::1] heap, index  # nodes, and where each of them is
    cdef Py_ssize_t n

    def __init__(self, nodes, strength):
        order = nodes[np.argsort(strength[nodes], kind="stable")]
        self.heap, self.strength, self.n = order, strength, order.size
        self.index = np.full(strength.size, -1)
        np.asarray(self.index)[order] = np.arange(order.size)

    # O(1).
    cdef inline bint is_weaker(self, Py_ssize_t a, Py_ssize_t b) noexcept nogil:
        if self.strength[a] == self.strength[b]:
            return a < b
        return self.strength[a] < self.strength[b]

    # O(1).
    cdef inline void put(self, Py_ssize_t i, Py_ssize_t node) noexcept nogil:
        self.heap[i] = node
        self.index[node] = i

    # O(log n).
    cdef void settle(self, Py_ssize_t node) noexcept nogil:
        """Move a node to where it belongs by its strength."""
        cdef Py_ssize_t i = self.index[node], next
        while i > 0 and self.is_weaker(node, self.heap[(i - 1) // 2]):
            self.put(i, self.heap[(i - 1) // 2])
            i = (i - 1) // 2
        while 2 * i + 1 < self.n:
            next = 2 * i + 1
            if next + 1 < self.n and self.is_weaker(self.heap[next + 1], self.heap[next]):
                next += 1
            if not self.is_weaker(self.heap[next], node):
                break
            self.put(i, self.heap[next])
            i = next
        self.put(i, node)

    # O(log n).
    cdef Py_ssize_t pop(self) noexcept nogil:
        """Take out the node of the weakest link."""
        cdef Py_ssize_t weakest = self.heap[0], last = self.heap[self.n - 1]
        self.n -= 1
        if self.n > 0:
            self.put(0, last)
            self.settle(last)
        return weakest


# parent int32 (n,), of nodes numbered after their parents; own, below, n_leaves float64 (n,): risk
# of each node as a leaf, risk and leaves of its subtree, the last two overwritten; alphas float64
# (n,): infinity for inner nodes, else -infinity, set to where each link breaks; gone float64 (n,):
# set to from which alpha on each node is gone. O(n (depth + log n)) at least, times depth at most.
def break_links(
    Links links,
    const int32_t[::1] parent,
    const double[::1] own,
    double[::1] below,
    double[::1] n_leaves,
    double[::1] alphas,
    double[::1] gone,
):
    """Break the links of a tree, from the weakest on."""
    cdef Py_ssize_t node, above
    cdef double alpha = 0.0, saved, n_lost
    with nogil:
        while links.n > 0:
            node = links.pop()
            above = parent[node]
            while above >= 0 and alphas[above] == INFINITY:
                above = parent[above]
            if above >= 0:
                continue  # gone with one above
            if links.strength[node] > alpha + 1e-12:
                alpha = links.strength[node]
            alphas[node] = alpha
            saved, n_lost = own[node] - below[node], n_leaves[node] - 1.0
            above = node
            while above >= 0:
                below[above] += saved
                n_leaves[above] -= n_lost
                if above != node:
                    links.strength[above] = (own[above] - below[above]) / (n_leaves[above] - 1.0)
                    links.settle(above)
                above = parent[above]
        gone[0] = INFINITY
        for node in range(1, parent.shape[0]):
            gone[node] = min(gone[parent[node]], alphas[parent[node]])


# first_child, n_children int32 (n,); leaf_costs float64 (n,); below float64 (n,): cost of each test,
# set to that of the test and its branches; is_pruned uint8 (n,): overwritten. Costs are sums of
# fractional weights. Children have higher numbers than their parents. O(n).
def prune_costly(
    const int32_t[::1] first_child,
    const int32_t[::1] n_children,
    const double[::1] leaf_costs,
    double[::1] below,
    uint8_t[::1] is_pruned,
):
    """Find the subtrees that cost no less than a leaf, from the bottom up."""
    cdef Py_ssize_t node, child
    cdef double cost
    with nogil:
        for node in range(leaf_costs.shape[0] - 1, -1, -1):
            is_pruned[node] = 0
            for child in range(first_child[node], first_child[node] + n_children[node]):
                cost = leaf_costs[child]
                if n_children[child] > 0:
                    cost = min(cost, below[child])
                below[node] += cost
            if n_children[node] > 0:
                is_pruned[node] = leaf_costs[node] <= below[node] + 1e-6
