"""Compiled growth of forests, and what forests answer.

Shapes: n rows, d columns, c numbers that a leaf answers.  Columns are sorted once, for all trees:
a tree sees the place of each row in each sorted column, and sorts rows by setting bits at their
places and reading these back.  Two classes are a number that is 0 or 1: its variance is half their
Gini impurity.  Everything here trusts its callers.
"""

from libc.float cimport DBL_MAX
from libc.math cimport INFINITY, fabs, log2
from libc.stdint cimport int32_t, int64_t, uint64_t
from libc.string cimport memcpy

import numpy as np

cdef extern from *:
    """
    #ifdef _MSC_VER
    #include <intrin.h>
    static inline int lowest_bit(unsigned __int64 word) {
        unsigned long at; _BitScanForward64(&at, word); return (int)at;
    }
    #else
    static inline int lowest_bit(unsigned long long word) { return __builtin_ctzll(word); }
    #endif
    """
    int lowest_bit(uint64_t) nogil

# Nodes of so few rows are sorted by comparing all pairs.  Rows that go down a tree together, and
# rows that are answered before the next tree.
cdef enum:
    FEW = 32
    TOGETHER = 8
    BLOCK = 16384

cpdef enum:
    VARIANCE = 0
    GINI = 1
    ENTROPY = 2

# A row in a tree: what it counts, and its class or its number.
cdef struct Case:
    double weight
    double y

# A test sends a row to `child` where its value is at most the threshold, else to the next node.
# test: twice the column, and one more where rows without a value go left; child: of a leaf, -1 less
# the place of its answers.
cdef struct Node:
    double threshold
    int32_t test
    int32_t child

# Rows that are still to be divided.
cdef struct Waiting:
    Py_ssize_t begin
    Py_ssize_t end
    int32_t node
    int32_t depth

# worth: see `worth_of`, of both sides; below: last place on the left; whether rows without a value
# go there, and whether there are any.
cdef struct Cut:
    double worth
    double threshold
    Py_ssize_t column
    int32_t below
    bint has_missing_left
    bint has_missing


cdef inline uint64_t next_bits(uint64_t* state) noexcept nogil:
    """Return 64 random bits (SplitMix64; Steele, Lea and Flood 2014)."""
    cdef uint64_t z
    state[0] += <uint64_t>0x9E3779B97F4A7C15
    z = state[0]
    z = (z ^ (z >> 30)) * <uint64_t>0xBF58476D1CE4E5B9
    z = (z ^ (z >> 27)) * <uint64_t>0x94D049BB133111EB
    return z ^ (z >> 31)


cdef inline Py_ssize_t next_below(uint64_t* state, Py_ssize_t bound) noexcept nogil:
    return <Py_ssize_t>(((next_bits(state) >> 32) * <uint64_t>bound) >> 32)


cdef inline double next_share(uint64_t* state) noexcept nogil:
    return <double>(next_bits(state) >> 11) * (1.0 / 9007199254740992.0)


cdef inline double x_log_x(double x) noexcept nogil:
    return x * log2(x) if x > 0.0 else 0.0


# Whether a cut is worth more than the best so far. What rounding may be counts for nothing: of cuts
# that are worth the same, the first is taken, and the columns come in random order.
cdef inline bint is_more(double worth, double highest) noexcept nogil:
    return worth > highest + 1e-12 * fabs(highest)


# What a side of a cut is worth, for classes: the less impure, the more.
cdef inline double worth_of(bint is_gini, double total, double weight) noexcept nogil:
    return total / weight if is_gini else total - x_log_x(weight)


# What a cut is worth, for numbers: how much less their variance is, times the weight of the node.
# moment: sum of what the numbers of one side, of weight `weight`, are above the mean of the node.
cdef inline double worth_of_mean(double moment, double weight, double total) noexcept nogil:
    return moment * moment * total / (weight * (total - weight))


cdef inline double middle_of(double low, double high) noexcept nogil:
    cdef double middle = low + 0.5 * (high - low)
    return middle if low <= middle < high else low


cdef class SortedTable:
    """The columns of a table, sorted.

    Attributes
    ----------
    place : ndarray of shape (d, n), int32
        Place of each row in each sorted column, missing values last.
    values : ndarray of shape (d, n), float64
        Value at each place.
    n_known : ndarray of shape (d,), int32
        Values that are not missing.
    has_ties : ndarray of shape (d,), uint8
        Whether a value occurs twice.
    """

    cdef readonly const int32_t[:, ::1] place
    cdef readonly const double[:, ::1] values
    cdef readonly const int32_t[::1] n_known
    cdef readonly const unsigned char[::1] has_ties

    def __init__(self, X):
        columns = np.ascontiguousarray(X.T, dtype=np.float64)
        order = np.argsort(columns, axis=1, kind="stable").astype(np.int32)
        values = np.take_along_axis(columns, order, axis=1)
        place = np.empty_like(order)
        np.put_along_axis(place, order, np.arange(order.shape[1], dtype=np.int32)[None], axis=1)
        self.place, self.values = place, values
        self.n_known = (~np.isnan(values)).sum(axis=1).astype(np.int32)
        self.has_ties = (values[:, 1:] == values[:, :-1]).any(axis=1).astype(np.uint8)


cdef class Grower:
    """Grows trees one after the other on some rows of a sorted table.

    Parameters
    ----------
    table : SortedTable
        All rows.
    part : ndarray of shape (n_train,), int32
        Rows that trees are grown on, ascending.
    y : ndarray of shape (n,), float64
        Numbers, or codes of classes.
    weight : ndarray of shape (n,), float64, or None
        What rows count: where rows are drawn, how often; None for all alike.
    settings : mapping of str to value
        criterion, n_classes (0 for numbers), n_tried (columns at a node), max_depth,
        least_rows (of a branch), least_split (rows of a node that is split), least_decrease (of
        impurity, times the node's share of all weight), n_drawn (0 for all rows as they are), and
        is_random_cut.
    """

    cdef SortedTable table
    cdef const int32_t[::1] part
    cdef const double[::1] y, weight, weight_below
    cdef Py_ssize_t n_tried, least_rows, least_split, n_drawn, n_classes
    cdef int32_t max_depth
    cdef int criterion
    cdef bint is_drawn, is_random_cut
    cdef double least_decrease, total
    cdef object nodes, answers
    cdef Py_ssize_t n_nodes, n_leaves, root, first_leaf
    cdef Node[::1] node
    cdef double[:, ::1] answer
    cdef double[::1] importance, sums, left, right
    cdef Case[::1] case, spare_case
    cdef int32_t[::1] rows, spare, slot, columns
    cdef double[::1] drawn
    cdef int64_t[::1] keys
    cdef uint64_t[::1] words, tops
    cdef Waiting[::1] waiting
    cdef Py_ssize_t n_waiting
    cdef double node_weight, node_mean, node_worth
    cdef uint64_t state

    def __init__(self, SortedTable table, part, y, weight, settings):
        cdef Py_ssize_t n = table.place.shape[1], d = table.place.shape[0]
        self.table, self.part, self.y, self.weight = table, part, y, weight
        self.criterion, self.n_classes = settings["criterion"], settings["n_classes"]
        self.n_tried, self.max_depth = settings["n_tried"], settings["max_depth"]
        self.least_rows, self.least_split = settings["least_rows"], settings["least_split"]
        self.n_drawn, self.is_drawn = settings["n_drawn"], settings["n_drawn"] > 0
        self.is_random_cut = settings["is_random_cut"]
        self.least_decrease = settings["least_decrease"]
        if weight is not None:
            self.weight_below = np.cumsum(np.asarray(weight)[part])
        self.nodes = np.empty(256, NODE)
        self.answers = np.empty((128, max(self.n_classes, 1)))
        self.node, self.answer = self.nodes, self.answers
        self.sums, self.left, self.right = np.zeros((3, max(self.n_classes, 1)))
        n_part = len(part)
        self.case, self.spare_case = np.empty(n_part, CASE), np.empty(n_part, CASE)
        self.rows, self.spare = np.empty((2, n_part), np.int32)
        self.slot, self.drawn = np.empty(n, np.int32), np.empty(n_part)
        self.columns = np.arange(d, dtype=np.int32)
        self.keys = np.empty(2 * n, np.int64)
        self.words = np.zeros(64 * (n // 4096 + 1), np.uint64)
        self.tops = np.zeros(n // 4096 + 1, np.uint64)
        self.waiting = np.empty(64, WAITING)

    def grow(self, const int64_t[::1] seeds):
        """Grow a tree for each seed, and return the trees.

        Parameters
        ----------
        seeds : ndarray of shape (n_trees,), int64
            The random stream of each tree.

        Returns
        -------
        nodes : ndarray of shape (n_nodes,)
            All trees, one after the other; children count from the root of their tree.
        sizes : ndarray of shape (n_trees, 2), int64
            Nodes and leaves of each tree.
        answers : ndarray of shape (n_leaves, c), float64
            Means or shares of classes.
        importances : ndarray of shape (n_trees, d), float64
            Decrease of impurity by column, times a number that is the same for all columns.
        """
        cdef Py_ssize_t t
        cdef bint is_done
        importances = np.zeros((len(seeds), self.columns.shape[0]))
        sizes = np.empty((len(seeds), 2), np.int64)
        for t in range(seeds.shape[0]):
            self.importance = importances[t]
            with nogil:
                self.begin_tree(<uint64_t>seeds[t])
            is_done = False
            while not is_done:
                with nogil:
                    is_done = self.grow_on()
                if not is_done:
                    self.enlarge()
            sizes[t] = self.n_nodes - self.root, self.n_leaves - self.first_leaf
        return self.nodes[: self.n_nodes], sizes, self.answers[: self.n_leaves], importances

    def rows_left_out(self, uint64_t seed):
        """Return the rows that the tree of a seed was not grown on, int64."""
        self.draw_rows(seed)
        return np.asarray(self.part, dtype=np.int64)[np.asarray(self.drawn) == 0.0]

    cdef enlarge(self):
        """Make room for twice as many nodes, leaves, and nodes that wait."""
        if self.n_nodes + 3 > self.node.shape[0]:
            self.nodes = np.concatenate([self.nodes, np.empty_like(self.nodes)])
        if self.n_leaves + 2 > self.answer.shape[0]:
            self.answers = np.concatenate([self.answers, np.empty_like(self.answers)])
        if self.n_waiting + 2 > self.waiting.shape[0]:
            waiting = np.asarray(self.waiting)
            self.waiting = np.concatenate([waiting, np.empty_like(waiting)])
        self.node, self.answer = self.nodes, self.answers

    # Draw how often each row of the part counts in a tree.  O(n), with weights n log n.
    cdef void draw_rows(self, uint64_t seed) noexcept nogil:
        cdef Py_ssize_t i
        self.state = seed
        for i in range(self.part.shape[0]):
            self.drawn[i] = 0.0
            if not self.is_drawn:
                self.drawn[i] = 1.0 if self.weight is None else self.weight[self.part[i]]
        if self.is_drawn:
            for i in range(self.n_drawn):
                self.drawn[self.drawn_row()] += 1.0

    # Begin a tree with its root, which has the rows drawn in the order of the table.
    cdef void begin_tree(self, uint64_t seed) noexcept nogil:
        cdef Py_ssize_t n_rows = 0, i
        self.draw_rows(seed)
        self.total = 0.0
        for i in range(self.part.shape[0]):
            if self.drawn[i] > 0.0:
                self.rows[n_rows] = self.part[i]
                self.case[n_rows] = Case(self.drawn[i], self.y[self.part[i]])
                self.total += self.drawn[i]
                n_rows += 1
        for i in range(self.columns.shape[0]):
            self.columns[i] = <int32_t>i
        self.waiting[0] = Waiting(0, n_rows, 0, 0)
        self.n_waiting = 1
        self.root, self.first_leaf = self.n_nodes, self.n_leaves
        self.n_nodes += 1  # there is room: see `grow_on`

    # A row by its number in the part: all alike, or by weight.
    cdef inline Py_ssize_t drawn_row(self) noexcept nogil:
        cdef Py_ssize_t low = 0, high = self.part.shape[0] - 1, middle
        cdef double sought
        if self.weight is None:
            return next_below(&self.state, self.part.shape[0])
        sought = next_share(&self.state) * self.weight_below[high]
        while low < high:
            middle = (low + high) // 2
            if self.weight_below[middle] > sought:
                high = middle
            else:
                low = middle + 1
        return low

    # Divide nodes, depth first; returns whether all are done, which they are not where there is no
    # room for more.
    cdef bint grow_on(self) noexcept nogil:
        cdef Waiting here
        cdef Cut cut
        cdef Py_ssize_t middle
        cdef int32_t child
        while True:
            if (
                self.n_nodes + 3 > self.node.shape[0]
                or self.n_leaves + 2 > self.answer.shape[0]
                or self.n_waiting + 2 > self.waiting.shape[0]
            ):
                return False
            if self.n_waiting == 0:
                return True
            self.n_waiting -= 1
            here = self.waiting[self.n_waiting]
            cut.column = -1
            if self.may_split(&here):
                cut = self.best_cut(&here)
            if cut.column < 0:
                self.end_in_leaf(&self.node[self.root + here.node], &here)
                continue
            child = <int32_t>(self.n_nodes - self.root)
            self.n_nodes += 2
            self.importance[cut.column] += cut.worth - self.node_worth
            middle = self.divide(&here, &cut)
            if not cut.has_missing:  # they go with most rows
                cut.has_missing_left = 2 * middle > here.begin + here.end
            self.node[self.root + here.node] = Node(
                cut.threshold, 2 * <int32_t>cut.column + cut.has_missing_left, child
            )
            self.waiting[self.n_waiting] = Waiting(middle, here.end, child + 1, here.depth + 1)
            self.waiting[self.n_waiting + 1] = Waiting(here.begin, middle, child, here.depth + 1)
            self.n_waiting += 2

    # Sum up a node; whether it is impure and large enough.  O(n).
    cdef bint may_split(self, const Waiting* here) noexcept nogil:
        cdef Py_ssize_t i, k
        cdef bint is_pure = True
        cdef Case case
        cdef double first = self.case[here.begin].y
        self.node_weight = self.node_mean = self.node_worth = 0.0
        for k in range(self.n_classes):
            self.sums[k] = 0.0
        for i in range(here.begin, here.end):
            case = self.case[i]
            self.node_weight += case.weight
            is_pure = is_pure and case.y == first
            if self.criterion == VARIANCE:
                self.node_mean += case.weight * case.y
            else:
                self.sums[<Py_ssize_t>case.y] += case.weight
        if self.criterion == VARIANCE:
            self.node_mean /= self.node_weight
        elif self.criterion == GINI:
            for k in range(self.n_classes):
                self.node_worth += self.sums[k] * self.sums[k]
            self.node_worth /= self.node_weight
        else:
            for k in range(self.n_classes):
                self.node_worth += x_log_x(self.sums[k])
            self.node_worth -= x_log_x(self.node_weight)
        return (
            not is_pure
            and here.end - here.begin >= self.least_split
            and here.end - here.begin >= 2 * self.least_rows
            and here.depth < self.max_depth
        )

    cdef void end_in_leaf(self, Node* node, const Waiting* here) noexcept nogil:
        cdef Py_ssize_t k
        node[0] = Node(0.0, 0, <int32_t>(self.first_leaf - self.n_leaves) - 1)
        if self.criterion == VARIANCE:
            self.answer[self.n_leaves, 0] = self.node_mean
        for k in range(self.n_classes):
            self.answer[self.n_leaves, k] = self.sums[k] / self.node_weight
        self.n_leaves += 1

    # The best cut among columns drawn without replacement; more are drawn until one has a cut.
    cdef Cut best_cut(self, const Waiting* here) noexcept nogil:
        cdef Py_ssize_t d = self.columns.shape[0], n = here.end - here.begin, i, j
        cdef int32_t a
        cdef bint has_varied = False
        cdef Cut best
        best.column = -1
        best.worth = -DBL_MAX
        best.has_missing_left = best.has_missing = False
        for i in range(d):
            if i >= self.n_tried and has_varied:
                break
            j = i + next_below(&self.state, d - i)
            a = self.columns[j]
            self.columns[j] = self.columns[i]
            self.columns[i] = a
            if self.is_random_cut:
                has_varied |= self.cut_at_random(here, a, &best)
            else:
                has_varied |= self.cut_sorted(here, a, &best)
        if self.least_decrease > 0.0:
            if best.worth - self.node_worth < self.least_decrease * self.total:
                best.column = -1
        return best

    # Put keys in order: the place of each row of a node in a column, and its number at the node.
    # O(n + N / 4096) for N rows of the table.
    cdef void sort_rows(self, const Waiting* here, int32_t a) noexcept nogil:
        cdef const int32_t* place = &self.table.place[a, 0]
        cdef int32_t* slot = &self.slot[0]
        cdef const int32_t* rows = &self.rows[here.begin]
        cdef int64_t* keys = &self.keys[0]
        cdef uint64_t* words = &self.words[0]
        cdef uint64_t* tops = &self.tops[0]
        cdef Py_ssize_t n = here.end - here.begin, i, j = 0, t
        cdef int64_t key
        cdef uint64_t top, word, at
        cdef int32_t few[FEW]
        cdef int32_t before
        if n <= FEW:
            for i in range(n):
                few[i] = place[rows[i]]
            for i in range(n):  # count those before: no branch depends on the values
                before = 0
                for j in range(n):
                    before += few[j] < few[i]
                keys[before] = (<int64_t>few[i] << 32) | i
            return
        for i in range(n):
            at = place[rows[i]]
            slot[at] = <int32_t>i
            words[at >> 6] |= <uint64_t>1 << (at & 63)
            tops[at >> 12] |= <uint64_t>1 << ((at >> 6) & 63)
        for t in range(self.tops.shape[0]):
            top = tops[t]
            tops[t] = 0
            while top:
                at = 64 * t + lowest_bit(top)
                top &= top - 1
                word = words[at]
                words[at] = 0
                while word:
                    key = 64 * at + lowest_bit(word)
                    word &= word - 1
                    keys[j] = (key << 32) | slot[key]
                    j += 1

    # Look for a better cut in a column; whether its values vary at the node.  Rows without a value
    # go right, and once more left: the keys of the others are then put behind theirs.
    cdef bint cut_sorted(self, const Waiting* here, int32_t a, Cut* best) noexcept nogil:
        cdef Py_ssize_t n = here.end - here.begin, n_known = n
        cdef const double* values = &self.table.values[a, 0]
        cdef int64_t* keys = &self.keys[0]
        self.sort_rows(here, a)
        while n_known > 0 and keys[n_known - 1] >> 32 >= self.table.n_known[a]:
            n_known -= 1
        if n_known == 0 or (
            n_known == n and values[keys[0] >> 32] == values[keys[n - 1] >> 32]
        ):
            return False
        self.scan(&self.case[here.begin], keys, n, 1, min(n_known, n - 1), a, best)
        if n_known < n:
            memcpy(&keys[n], keys, n_known * sizeof(int64_t))
            self.scan(&self.case[here.begin], &keys[n_known], n, n - n_known + 1, n - 1, a, best)
        return True

    # Whether both sides of a cut weigh more than what rounding of their sums may be.
    cdef inline bint is_weighty(self, double weight) noexcept nogil:
        return min(weight, self.node_weight - weight) > 1e-12 * self.node_weight

    # Look for a better cut that leaves `first` to `last` rows on the left.
    cdef void scan(
        self,
        const Case* cases,
        const int64_t* keys,
        Py_ssize_t n,
        Py_ssize_t first,
        Py_ssize_t last,
        int32_t a,
        Cut* best,
    ) noexcept nogil:
        cdef const double* values = &self.table.values[a, 0]
        cdef Py_ssize_t at
        first, last = max(first, self.least_rows), min(last, n - self.least_rows)
        if self.criterion == VARIANCE:
            at = self.best_of_numbers(cases, keys, values, first, last, self.table.has_ties[a], best)
        else:
            at = self.best_of_classes(cases, keys, values, first, last, self.table.has_ties[a], best)
        if at > 0:
            best.column, best.below = a, <int32_t>(keys[at - 1] >> 32)
            best.has_missing_left = keys[0] > keys[n - 1]
            best.has_missing = best.has_missing_left or (
                keys[n - 1] >> 32 >= self.table.n_known[a]
            )
            best.threshold = INFINITY
            if keys[at] >> 32 < self.table.n_known[a]:
                best.threshold = middle_of(values[best.below], values[keys[at] >> 32])

    cdef Py_ssize_t best_of_numbers(
        self,
        const Case* cases,
        const int64_t* keys,
        const double* values,
        Py_ssize_t first,
        Py_ssize_t last,
        bint has_ties,
        Cut* best,
    ) noexcept nogil:
        cdef Py_ssize_t i, at = 0
        cdef double weight = 0.0, moment = 0.0, worth, highest = best.worth
        cdef double total = self.node_weight, mean = self.node_mean
        for i in range(1, last + 1):
            weight += cases[<int32_t>keys[i - 1]].weight
            moment += cases[<int32_t>keys[i - 1]].weight * (cases[<int32_t>keys[i - 1]].y - mean)
            if i < first or (has_ties and values[keys[i - 1] >> 32] == values[keys[i] >> 32]):
                continue
            worth = worth_of_mean(moment, weight, total)
            if is_more(worth, highest) and self.is_weighty(weight):
                highest = worth
                at = i
        best.worth = highest
        return at

    cdef Py_ssize_t best_of_classes(
        self,
        const Case* cases,
        const int64_t* keys,
        const double* values,
        Py_ssize_t first,
        Py_ssize_t last,
        bint has_ties,
        Cut* best,
    ) noexcept nogil:
        cdef bint is_gini = self.criterion == GINI
        cdef Py_ssize_t i, k, at = 0
        cdef double weight = 0.0, sum_left = 0.0, sum_right = 0.0, worth, w, highest = best.worth
        cdef double* left = &self.left[0]
        cdef double* right = &self.right[0]
        for k in range(self.n_classes):
            left[k] = 0.0
            right[k] = self.sums[k]
            sum_right += right[k] * right[k] if is_gini else x_log_x(right[k])
        for i in range(1, last + 1):
            w = cases[<int32_t>keys[i - 1]].weight
            k = <Py_ssize_t>cases[<int32_t>keys[i - 1]].y
            weight += w
            if is_gini:
                sum_left += w * (2.0 * left[k] + w)
                sum_right -= w * (2.0 * right[k] - w)
            else:
                sum_left += x_log_x(left[k] + w) - x_log_x(left[k])
                sum_right += x_log_x(right[k] - w) - x_log_x(right[k])
            left[k] += w
            right[k] -= w
            if i < first or (has_ties and values[keys[i - 1] >> 32] == values[keys[i] >> 32]):
                continue
            worth = worth_of(is_gini, sum_left, weight)
            worth += worth_of(is_gini, sum_right, self.node_weight - weight)
            if is_more(worth, highest) and self.is_weighty(weight):
                highest = worth
                at = i
        best.worth = highest
        return at

    # Draw a threshold between the least and the largest value of a column at a node, and the side
    # of rows without a value; whether values vary there.  O(n).
    cdef bint cut_at_random(self, const Waiting* here, int32_t a, Cut* best) noexcept nogil:
        cdef const int32_t* place = &self.table.place[a, 0]
        cdef const double* values = &self.table.values[a, 0]
        cdef int32_t n_valued = self.table.n_known[a], at, lowest = n_valued
        cdef int32_t highest = -1, below = -1
        cdef Py_ssize_t n = here.end - here.begin, n_missing = 0, n_left = 0, i, k
        cdef double weight = 0.0, moment = 0.0, worth, share, threshold = INFINITY
        cdef bint is_missing_left = False, is_left
        for i in range(here.begin, here.end):
            at = place[self.rows[i]]
            n_missing += at >= n_valued
            lowest = min(lowest, at)
            highest = max(highest, at if at < n_valued else -1)
        if highest < 0 or (n_missing == 0 and values[lowest] == values[highest]):
            return False
        if values[lowest] < values[highest]:
            threshold = values[lowest]
            threshold += next_share(&self.state) * (values[highest] - values[lowest])
            is_missing_left = n_missing > 0 and next_bits(&self.state) & 1
            if threshold >= values[highest]:  # by rounding
                threshold = values[lowest]
        for k in range(self.n_classes):
            self.left[k] = 0.0
        for i in range(here.begin, here.end):
            at = place[self.rows[i]]
            is_left = is_missing_left
            if at < n_valued:
                is_left = values[at] <= threshold
                below = max(below, at if is_left else lowest)
            n_left += is_left
            share = self.case[i].weight * is_left
            weight += share
            if self.criterion == VARIANCE:
                moment += share * (self.case[i].y - self.node_mean)
            else:
                self.left[<Py_ssize_t>self.case[i].y] += share
        if n_left < self.least_rows or n - n_left < self.least_rows:
            return True
        worth = self.worth_of_left(weight, moment)
        if is_more(worth, best.worth) and self.is_weighty(weight):
            best[0] = Cut(worth, threshold, a, below, is_missing_left, n_missing > 0)
        return True

    cdef double worth_of_left(self, double weight, double moment) noexcept nogil:
        cdef double sum_left = 0.0, sum_right = 0.0, rest
        cdef bint is_gini = self.criterion != ENTROPY
        cdef Py_ssize_t k
        if self.criterion == VARIANCE:
            return worth_of_mean(moment, weight, self.node_weight)
        for k in range(self.n_classes):
            rest = self.sums[k] - self.left[k]
            sum_left += self.left[k] * self.left[k] if is_gini else x_log_x(self.left[k])
            sum_right += rest * rest if is_gini else x_log_x(rest)
        return worth_of(is_gini, sum_left, weight) + worth_of(
            is_gini, sum_right, self.node_weight - weight
        )

    # Put the rows of the left branch before those of the right, both ascending.  O(n).
    cdef Py_ssize_t divide(self, const Waiting* here, const Cut* cut) noexcept nogil:
        cdef const int32_t* place = &self.table.place[cut.column, 0]
        cdef Py_ssize_t i, n_left = here.begin, n_right = 0
        cdef int32_t row, below = cut.below, n_valued = self.table.n_known[cut.column]
        cdef bint is_left
        for i in range(here.begin, here.end):
            row = self.rows[i]
            is_left = place[row] <= below or (cut.has_missing_left and place[row] >= n_valued)
            self.rows[n_left] = self.spare[n_right] = row
            self.case[n_left] = self.spare_case[n_right] = self.case[i]
            n_left += is_left
            n_right += not is_left
        for i in range(n_right):
            self.rows[n_left + i] = self.spare[i]
            self.case[n_left + i] = self.spare_case[i]
        return n_left


CASE = np.dtype([("weight", "f8"), ("y", "f8")])
NODE = np.dtype([("threshold", "f8"), ("test", "i4"), ("child", "i4")])
WAITING = np.dtype([("begin", "i8"), ("end", "i8"), ("node", "i4"), ("depth", "i4")])


# nodes, answers: of all trees; starts int64 (trees, 2): where the nodes and answers of each begin;
# X float64 (n, d); rows int64: those to answer; out float64 (n, c): answers are added.
# O(rows trees depth).
def add_answers(
    const Node[::1] nodes,
    const double[:, ::1] answers,
    const int64_t[:, ::1] starts,
    const double[:, ::1] X,
    const int64_t[::1] rows,
    double[:, ::1] out,
):
    """Add up what trees answer some rows."""
    cdef Py_ssize_t start, t, i, j, k, c = answers.shape[1], end, n_here
    cdef const Node* tree
    cdef int32_t at[TOGETHER]
    with nogil:
        start = 0
        while start < rows.shape[0]:
            end = min(start + BLOCK, rows.shape[0])
            for t in range(starts.shape[0]):
                tree = &nodes[starts[t, 0]]
                i = start
                while i < end:
                    n_here = min(TOGETHER, end - i)
                    find_leaves(tree, X, &rows[i], n_here, at)
                    for j in range(n_here):
                        for k in range(c):
                            out[rows[i + j], k] += answers[starts[t, 1] + at[j], k]
                    i += TOGETHER
            start = end


# Send a few rows down together, a node each in turn, so that none waits for memory alone.
cdef void find_leaves(
    const Node* tree, const double[:, ::1] X, const int64_t* rows, Py_ssize_t n, int32_t* at
) noexcept nogil:
    cdef Py_ssize_t j
    cdef const Node* node
    cdef double value
    cdef bint is_done = False
    cdef int32_t child
    for j in range(n):
        at[j] = 0
    while not is_done:
        is_done = True
        for j in range(n):
            node = tree + at[j]
            value = X[rows[j], node.test >> 1]
            child = node.child + (value > node.threshold)
            if value != value:
                child = node.child + 1 - (node.test & 1)
            is_done = is_done and node.child < 0
            at[j] = at[j] if node.child < 0 else child
    for j in range(n):
        at[j] = -1 - tree[at[j]].child
