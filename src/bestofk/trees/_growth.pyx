"""Compiled growth of trees whose rows count one and lack no value.

A tree grows node by node, breadth first, by the rules and loops that search level by level.  Shapes
and keys are those of `_split_search`; d attributes, n_nodes nodes so far.  Everything here trusts
its callers.
"""

from libc.stdint cimport int16_t, int32_t, int64_t
from libc.string cimport memset

import numpy as np

from bestofk.trees._nominal_tests cimport (
    LevelBuffers,
    Levels,
    measured_branches,
    measured_division,
)
from bestofk.trees._sending cimport hand_list
from bestofk.trees._split_search cimport (
    BY_RATIO_ABOVE_AVERAGE,
    BY_WORTH,
    CLASS_BITS,
    CLASS_MASK,
    CODE_LOW,
    FOUND_WIDTH,
    LEFT,
    MULTIWAY,
    ROW_BITS,
    ROW_MASK,
    Measured,
    Needs,
    NodeSearch,
    Search,
    SplitRules,
    cut_list,
    cut_values,
    first_best_of,
    least_worth,
    measured_cut,
    needs_of,
    ratio_of,
    search_of,
    sort_keys,
)

# Columns of what is noted of a node: its test, its first child and how many it has, where its
# branches begin in the lookup, its depth and its root, and the ranks and rows next to its cut.
cpdef enum:
    ATTRIBUTE = 0
    FIRST_CHILD = 1
    N_CHILDREN = 2
    LOOKUP_START = 3
    DEPTH = 4
    ROOT = 5
    CUT = 6
    NODE_WIDTH = 10


cdef class Growth:
    """Trees that grow from the nodes of a level.

    Attributes
    ----------
    numbers : ndarray of shape (capacity, NODE_WIDTH), int32
        What is noted of each node.
    counts : ndarray of shape (capacity, c), float64
        Their class counts.
    lookup : ndarray of shape (capacity,), int16
        Branch of each level, one node after the other.
    n_nodes, n_lookup : int
        How many entries count.
    """

    cdef Search search
    cdef SplitRules rules
    cdef double least_score, total
    # The table.
    cdef const int64_t[::1] n_levels, code_row, value_start
    cdef const unsigned char[::1] is_listed, is_nominal, is_many
    cdef const int32_t[:, ::1] codes, reach
    cdef const int32_t[::1] fine_line
    cdef const double[::1] values
    cdef int64_t[:, ::1] keys
    # The nodes.
    cdef readonly object numbers, counts, lookup
    cdef readonly Py_ssize_t n_nodes, n_lookup
    cdef int32_t[:, ::1] of_node
    cdef double[:, ::1] counts_of
    cdef int16_t[::1] branch_of
    cdef int64_t[:, ::1] spans
    cdef int32_t[::1] rows
    cdef Py_ssize_t next_node, most_branches
    # What attributes are worth at a node, and buffers.
    cdef unsigned char[::1] may, is_counted
    cdef double[::1] worth, info, score, level_counts, size, sides
    cdef double[:, ::1] cuts
    cdef int16_t[:, ::1] mappings
    cdef int64_t[::1] class_counts, histogram, sizes, order, filled, buffer
    cdef int32_t[::1] row_buffer
    cdef int16_t[::1] side

    def __init__(self, training, level, is_many, double least_score):
        columns, d, n = training.columns, len(training.columns.attributes), len(level.rows)
        n_roots, n_classes = level.counts.shape
        self.search, self.rules = training.for_loops, training.rules.for_loops
        self.least_score = least_score
        self.n_levels, self.code_row = columns.n_levels, columns.code_row
        self.value_start, self.is_listed = columns.value_start, columns.is_listed
        self.is_nominal, self.is_many = columns.is_nominal, is_many
        self.codes, self.reach, self.fine_line = columns.codes, columns.reach, columns.fine_line
        self.values, self.keys, self.rows = columns.values, level.keys, level.rows
        self.total = level.counts.sum()
        self.most_branches = max(2, columns.most_levels)
        most_ranks = int(columns.n_levels[columns.is_listed == 0].max(initial=1))
        self.n_nodes, self.n_lookup, self.next_node = n_roots, 0, 0
        self.numbers = np.empty((n_roots + 64, NODE_WIDTH), np.int32)
        self.counts = np.zeros((n_roots + 64, n_classes))
        self.lookup = np.empty(self.most_branches, np.int16)
        spans = np.empty((n_roots + 64, 2), np.int64)
        self.counts[:n_roots] = level.counts
        spans[:n_roots, 0], spans[:n_roots, 1] = level.spans[:n_roots], level.spans[1:]
        self.spans, self.of_node, self.counts_of = spans, self.numbers, self.counts
        self.branch_of = self.lookup
        for root in range(n_roots):
            self.begin_node(root, 0, root)
        self.may, self.is_counted = np.zeros(d, np.uint8), np.zeros(d, np.uint8)
        self.worth, self.info, self.score = np.zeros(d), np.zeros(d), np.zeros(d)
        self.cuts = np.zeros((d, FOUND_WIDTH))
        self.mappings = np.zeros((d if columns.most_levels else 1, self.most_branches), np.int16)
        self.level_counts = np.zeros(self.most_branches * n_classes)
        self.size, self.sides = np.zeros(self.most_branches), np.zeros(3 * n_classes)
        self.class_counts = np.zeros(3 * n_classes, np.int64)
        self.histogram = np.zeros(most_ranks * n_classes, np.int64)
        self.sizes = np.zeros(most_ranks, np.int64)
        self.order = np.zeros(self.most_branches, np.int64)
        self.filled = np.zeros(self.most_branches, np.int64)
        self.buffer = np.empty(2 * n if len(columns.ranked) else n, np.int64)
        self.row_buffer, self.side = np.empty(n, np.int32), np.zeros(len(training.y), np.int16)

    def grow(self):
        """Grow until no node can be split."""
        cdef bint is_done = False
        while not is_done:
            with nogil:
                is_done = self.grow_on()
            if not is_done:
                self.enlarge()

    cdef enlarge(self):
        """Make room for twice as many nodes."""
        more = len(self.numbers) + self.most_branches
        self.numbers = np.concatenate([self.numbers, np.empty((more, NODE_WIDTH), np.int32)])
        self.counts = np.concatenate([self.counts, np.zeros((more, self.counts.shape[1]))])
        more_lookup = len(self.lookup) + self.most_branches
        self.lookup = np.concatenate([self.lookup, np.empty(more_lookup, np.int16)])
        self.spans = np.concatenate([self.spans, np.empty((more, 2), np.int64)])
        self.of_node, self.counts_of, self.branch_of = self.numbers, self.counts, self.lookup

    # Note a node that is not yet split.
    cdef void begin_node(self, Py_ssize_t node, int32_t depth, int32_t root) noexcept nogil:
        cdef int32_t* noted = &self.of_node[node, 0]
        memset(noted, 0, NODE_WIDTH * sizeof(int32_t))
        noted[ATTRIBUTE] = noted[FIRST_CHILD] = noted[LOOKUP_START] = -1
        noted[DEPTH], noted[ROOT] = depth, root

    # Split nodes in the order of their numbers; returns whether all are done, which they are not
    # where there is no room for more.
    cdef bint grow_on(self) noexcept nogil:
        cdef Py_ssize_t node, a
        while self.next_node < self.n_nodes:
            if (
                self.n_nodes + self.most_branches > self.of_node.shape[0]
                or self.n_lookup + self.most_branches > self.branch_of.shape[0]
            ):
                return False
            node = self.next_node
            self.next_node += 1
            if self.may_split(node):
                a = self.best_attribute(node)
                if a >= 0:
                    self.split(node, a)
        return True

    # Whether a node is impure and large enough.  O(c).
    cdef bint may_split(self, Py_ssize_t node) noexcept nogil:
        cdef double weight = 0.0, highest = 0.0
        cdef Py_ssize_t k
        for k in range(self.counts_of.shape[1]):
            weight += self.counts_of[node, k]
            highest = max(highest, self.counts_of[node, k])
        return (
            weight - highest > 1e-6
            and weight >= self.rules.min_split - 1e-6
            and self.of_node[node, DEPTH] < self.rules.max_depth
        )

    # The attribute that a node tests, -1 for a leaf.  O(d n c).
    cdef Py_ssize_t best_attribute(self, Py_ssize_t node) noexcept nogil:
        cdef Py_ssize_t d = self.worth.shape[0], n_classes = self.counts_of.shape[1], a, chosen
        cdef double n = self.spans[node, 1] - self.spans[node, 0], least
        cdef double* counts = &self.counts_of[node, 0]
        cdef Needs needs = needs_of(self.rules, n, n, n, n_classes)
        cdef NodeSearch search = search_of(self.search, <Py_ssize_t>n, counts, n_classes, needs)
        cdef Measured test
        for a in range(d):
            test = self.measured(node, a, &search)
            self.worth[a] = self.score[a] = test.worth
            self.info[a] = test.info
            self.may[a] = test.is_valid
            if self.rules.choice != BY_WORTH:
                self.score[a] = ratio_of(test.worth, test.info)
        if self.rules.choice == BY_RATIO_ABOVE_AVERAGE:
            for a in range(d):
                self.is_counted[a] = self.may[a] and not self.is_many[a]
            least = least_worth(&self.worth[0], &self.is_counted[0], d)
            for a in range(d):
                self.may[a] = self.may[a] and self.worth[a] >= least
        chosen = first_best_of(&self.score[0], &self.may[0], d, self.least_score, self.rules.tie)
        if chosen >= 0 and self.rules.min_decrease > 0.0:
            if self.worth[chosen] * n / self.total < self.rules.min_decrease:
                return -1
        return chosen

    # The best test of an attribute at a node.
    cdef Measured measured(
        self, Py_ssize_t node, Py_ssize_t a, const NodeSearch* search
    ) noexcept nogil:
        cdef double* best_cut = &self.cuts[a, 0]
        cdef Py_ssize_t begin = self.spans[node, 0], line = self.code_row[a], i
        if self.is_nominal[a]:
            return self.measured_levels(node, a, search.n)
        for i in range(FOUND_WIDTH):
            best_cut[i] = 0.0
        if self.is_listed[a]:
            self.cut(search, a, &self.keys[line, begin], node)
        elif self.n_levels[a] <= 2 * search.n:
            self.count_ranks(search, a, node)
        else:
            for i in range(search.n):
                self.buffer[i] = self.key_of(line, self.rows[begin + i])
            sort_keys(&self.buffer[0], search.n, self.n_levels[a], &self.buffer[search.n])
            self.cut(search, a, &self.buffer[0], node)
        return measured_cut(self.rules, best_cut, search.n, search.n)

    cdef inline int64_t key_of(self, Py_ssize_t line, int64_t row) noexcept nogil:
        cdef int64_t k = self.search.y[row] & CLASS_MASK
        return (<int64_t>self.codes[line, row] << ROW_BITS) | (k << CLASS_BITS) | row

    cdef void cut(
        self, const NodeSearch* search, Py_ssize_t a, const int64_t* keys, Py_ssize_t node
    ) noexcept nogil:
        cdef const int32_t* reach = NULL
        if self.fine_line[a] >= 0:
            reach = &self.reach[self.fine_line[a], 0]
        self.set_class_counts(node)
        cut_list(
            search,
            keys,
            reach,
            &self.class_counts[0],
            &self.class_counts[search.n_classes],
            &self.cuts[a, 0],
        )

    cdef void set_class_counts(self, Py_ssize_t node) noexcept nogil:
        cdef Py_ssize_t k, n_classes = self.counts_of.shape[1]
        for k in range(n_classes):
            self.class_counts[k] = 0
            self.class_counts[n_classes + k] = <int64_t>self.counts_of[node, k]

    # The best cut from the class counts of each rank.  O(n + m c).
    cdef void count_ranks(
        self, const NodeSearch* search, Py_ssize_t a, Py_ssize_t node
    ) noexcept nogil:
        cdef const double* near = NULL
        cdef const int32_t* codes = &self.codes[self.code_row[a], 0]
        cdef Py_ssize_t j, n_classes = search.n_classes
        cdef int32_t row, code
        for j in range(self.spans[node, 0], self.spans[node, 1]):
            row = self.rows[j]
            code = codes[row]
            self.histogram[code * n_classes + self.search.y[row]] += 1
            self.sizes[code] += 1
        if self.fine_line[a] >= 0:
            near = &self.values[self.value_start[a]]
        self.set_class_counts(node)
        cut_values(
            search,
            &self.histogram[0],
            &self.sizes[0],
            self.n_levels[a],
            near,
            self.rules.gap,
            &self.class_counts[0],
            &self.cuts[a, 0],
        )

    # The best test of a nominal attribute.  O(n + m c) and what divides the levels.
    cdef Measured measured_levels(
        self, Py_ssize_t node, Py_ssize_t a, double weight
    ) noexcept nogil:
        cdef const int32_t* codes = &self.codes[self.code_row[a], 0]
        cdef Levels levels
        cdef LevelBuffers buffers
        cdef double known
        cdef Py_ssize_t j, v
        cdef int32_t row
        levels.counts, levels.mapping = &self.level_counts[0], &self.mappings[a, 0]
        levels.n_levels, levels.n_classes = self.n_levels[a], self.counts_of.shape[1]
        memset(&self.level_counts[0], 0, levels.n_levels * levels.n_classes * sizeof(double))
        for j in range(self.spans[node, 0], self.spans[node, 1]):
            row = self.rows[j]
            self.level_counts[codes[row] * levels.n_classes + self.search.y[row]] += 1.0
        if self.rules.nominal_splits == MULTIWAY:
            return measured_branches(self.rules, &levels, weight, &self.sides[0], &known)
        for v in range(levels.n_levels):
            levels.mapping[v] = -1
        buffers.size, buffers.sides, buffers.order = &self.size[0], &self.sides[0], &self.order[0]
        return measured_division(self.rules, &levels, weight, &buffers)

    # Note the test of a node, make its children, and hand its rows to those that may be split.
    cdef void split(self, Py_ssize_t node, Py_ssize_t a) noexcept nogil:
        cdef Py_ssize_t n_branches = 2, first = self.n_nodes, v, i
        cdef bint is_divided = self.rules.nominal_splits != MULTIWAY
        cdef int32_t* noted = &self.of_node[node, 0]
        if self.is_nominal[a] and not is_divided:
            n_branches = self.n_levels[a]
        noted[ATTRIBUTE] = a
        noted[FIRST_CHILD] = first
        noted[N_CHILDREN] = n_branches
        noted[LOOKUP_START] = -1
        for i in range(4):
            noted[CUT + i] = 0 if self.is_nominal[a] else <int32_t>self.cuts[a, CODE_LOW + i]
        if self.is_nominal[a] and is_divided:
            noted[LOOKUP_START] = self.n_lookup
            for v in range(self.n_levels[a]):
                self.branch_of[self.n_lookup + v] = self.mappings[a, v]
            self.n_lookup += self.n_levels[a]
        for v in range(n_branches):
            self.begin_node(first + v, noted[DEPTH] + 1, noted[ROOT])
        self.n_nodes += n_branches
        if self.is_listed[a]:
            self.send_listed(node, a)
        else:
            self.send_coded(node, a)
        self.hand_down(node)

    # Send the rows of a node to their branches, and count them there.  O(n).
    cdef void send_listed(self, Py_ssize_t node, Py_ssize_t a) noexcept nogil:
        cdef Py_ssize_t begin = self.spans[node, 0], n = self.spans[node, 1] - begin, i
        cdef const int64_t* keys = &self.keys[self.code_row[a], begin]
        cdef Py_ssize_t left = <Py_ssize_t>self.cuts[a, LEFT], first = self.n_nodes - 2
        cdef int64_t row
        for i in range(n):
            row = keys[i] & ROW_MASK
            self.side[row] = i >= left
            self.counts_of[first + (i >= left), self.search.y[row]] += 1.0

    cdef void send_coded(self, Py_ssize_t node, Py_ssize_t a) noexcept nogil:
        cdef const int32_t* codes = &self.codes[self.code_row[a], 0]
        cdef Py_ssize_t first = self.of_node[node, FIRST_CHILD], j
        cdef int16_t branch
        cdef int32_t row, highest = self.of_node[node, CUT]
        for j in range(self.spans[node, 0], self.spans[node, 1]):
            row = self.rows[j]
            if not self.is_nominal[a]:
                branch = codes[row] > highest
            elif self.of_node[node, LOOKUP_START] >= 0:
                branch = self.mappings[a, codes[row]]
            else:
                branch = codes[row]
            self.side[row] = branch
            self.counts_of[first + branch, self.search.y[row]] += 1.0

    # Give the rows and keys of a node to those of its children that may be split.  O(d n).
    cdef void hand_down(self, Py_ssize_t node) noexcept nogil:
        cdef Py_ssize_t begin = self.spans[node, 0], n = self.spans[node, 1] - begin
        cdef Py_ssize_t first = self.of_node[node, FIRST_CHILD], end = begin, a, v, k, j
        cdef int16_t branch
        cdef bint is_open
        for v in range(self.of_node[node, N_CHILDREN]):
            is_open = self.may_split(first + v)
            self.spans[first + v, 0] = end
            if is_open:
                for k in range(self.counts_of.shape[1]):
                    end += <Py_ssize_t>self.counts_of[first + v, k]
            self.spans[first + v, 1] = end
        if end == begin:
            return
        for a in range(self.keys.shape[0]):
            self.fill_begins(node)
            hand_list(
                &self.keys[a, begin],
                n,
                &self.side[0],
                &self.filled[0],
                &self.buffer[0],
                &self.keys[a, begin],
            )
        if self.codes.shape[0] == 0:
            return
        self.fill_begins(node)
        for j in range(begin, begin + n):
            branch = self.side[self.rows[j]]
            if self.filled[branch] >= 0:
                self.row_buffer[self.filled[branch]] = self.rows[j]
                self.filled[branch] += 1
        for j in range(end - begin):
            self.rows[begin + j] = self.row_buffer[j]

    # Where each child begins among what is handed down, -1 for leaves.
    cdef void fill_begins(self, Py_ssize_t node) noexcept nogil:
        cdef Py_ssize_t first = self.of_node[node, FIRST_CHILD], v
        for v in range(self.of_node[node, N_CHILDREN]):
            self.filled[v] = self.spans[first + v, 0] - self.spans[node, 0]
            if self.spans[first + v, 0] == self.spans[first + v, 1]:
                self.filled[v] = -1
