"""Compiled loops that search the nodes of one level of a tree for their best cuts.

Shapes: n rows in all, r rows of the level (a row may be in several nodes, in parts), b nodes,
c classes, m distinct values of an attribute.  What a key is, and a node, is in the `.pxd` file.
Everything here trusts its callers.
"""

from libc.math cimport INFINITY, ceil, log2, sqrt
from libc.stdint cimport int16_t, int32_t, int64_t

import numpy as np


cdef double FORBIDDING = 1e15  # a weight that no side of a cut can have


cdef class SplitRules:
    """What the loops need of the rules of growth; words have become numbers."""

    def __init__(self, rules, int criterion, int class_rule, int choice, int nominal_splits):
        self.criterion, self.class_rule = criterion, class_rule
        self.choice, self.nominal_splits = choice, nominal_splits
        self.takes_zero, self.counts_weight = rules.takes_zero, rules.counts_weight
        self.tenth_rule, self.numeric_penalty = rules.tenth_rule, rules.numeric_penalty
        self.min_branch, self.min_split = rules.min_branch, rules.min_split
        self.max_depth, self.min_decrease = rules.max_depth, rules.min_decrease
        self.gap, self.tie, self.needs_info = rules.gap, rules.tie, rules.needs_split_info


cdef class Search:
    """What stays the same while a tree grows."""

    def __init__(self, SplitRules rules, const int16_t[::1] y, const double[::1] table):
        self.rules, self.y, self.table = rules, y, table


cdef class Nodes:
    """The rows of the nodes of a level."""

    def __init__(
        self,
        const int32_t[::1] rows,
        const int64_t[::1] spans,
        const double[::1] weight,
        const double[:, ::1] counts,
    ):
        self.rows, self.spans, self.weight, self.counts = rows, spans, weight, counts


# weight, known, n_known: weight of a node, of its known rows, and how many these are.
cdef Needs needs_of(
    SplitRules rules, double weight, double known, double n_known, Py_ssize_t n_classes
) noexcept nogil:
    cdef Needs needs
    cdef double tenth, enough
    needs.tie = rules.tie * weight
    needs.least = rules.min_branch
    if rules.tenth_rule:
        tenth = 0.1 * known / n_classes
        if tenth > rules.min_branch + 1e-6:
            needs.least = min(tenth, 25.0)
    enough = rules.min_branch if rules.counts_weight else needs.least
    if (known if rules.counts_weight else n_known) < 2 * enough - 1e-6:
        needs.least = FORBIDDING
    return needs


def set_needs(
    SplitRules rules,
    const double[:, ::1] counts,
    const double[::1] known,
    const int64_t[::1] n_known,
    double[:, ::1] needs,
):
    """Set the weight that both sides of a cut need, and by what a later cut must be better."""
    cdef Py_ssize_t node, k
    cdef double weight
    cdef Needs here
    for node in range(counts.shape[0]):
        weight = 0.0
        for k in range(counts.shape[1]):
            weight += counts[node, k]
        here = needs_of(rules, weight, known[node], n_known[node], counts.shape[1])
        needs[node, 0] = here.least
        needs[node, 1] = here.tie


# counts float64 (c,): class weights of a node.  O(c).
cdef NodeSearch search_of(
    Search search, Py_ssize_t n, const double* counts, Py_ssize_t n_classes, Needs needs
) noexcept nogil:
    cdef NodeSearch node
    cdef Py_ssize_t k
    node.table = &search.table[0]
    node.y = &search.y[0] if n_classes > CLASS_MASK + 1 else NULL
    node.n_classes = n_classes
    node.n = n
    node.first = max(<Py_ssize_t>ceil(needs.least - 1e-6), 1)
    node.last = n - node.first
    node.is_gini = search.rules.criterion == GINI
    node.tie = needs.tie
    node.start = 0.0
    for k in range(n_classes):
        node.start += node.table[<int64_t>counts[k]]
    node.base = node.start / n if node.is_gini else node.start - node.table[n]
    node.least = -INFINITY if search.rules.takes_zero else node.base + node.tie
    return node


# keys int64 (n,): those of a node, sorted; reach int32: highest rank that is no farther than the
# gap from each, NULL where none is near; left, right int64 (c,): zeros, and the classes of the
# node, overwritten; best_cut float64 (FOUND_WIDTH,): overwritten.  O(n).
cdef void cut_list(
    const NodeSearch* node,
    const int64_t* keys,
    const int32_t* reach,
    int64_t* left,
    int64_t* right,
    double* best_cut,
) noexcept nogil:
    """Find the best cut of a sorted attribute at a node, all rows counting one."""
    cdef const double* table = node.table
    cdef const int16_t* y = node.y
    cdef Py_ssize_t n = node.n, first = node.first, last = node.last, at = 0, n_cuts = 0, i
    cdef bint is_gini = node.is_gini
    cdef double sum_left = 0.0, sum_right = node.start, best = node.least, highest = node.base
    cdef double worth, tie = node.tie
    cdef int64_t key, code, before = keys[0] >> ROW_BITS, k, on_left, on_right
    for i in range(n):
        key = keys[i]
        code = key >> ROW_BITS
        if code != before:
            if first <= i <= last and (reach == NULL or code > reach[before]):
                n_cuts += 1
                if is_gini:
                    worth = sum_left / i + sum_right / (n - i)
                else:
                    worth = sum_left - table[i] + sum_right - table[n - i]
                if worth > best:
                    best = worth + tie
                    highest = worth
                    at = i
            before = code
        k = (key >> CLASS_BITS) & CLASS_MASK if y == NULL else y[key & ROW_MASK]
        on_left = left[k]
        on_right = right[k]
        sum_left += table[on_left + 1] - table[on_left]
        sum_right += table[on_right - 1] - table[on_right]
        left[k] = on_left + 1
        right[k] = on_right - 1
    best_cut[CUTS] = n_cuts
    best_cut[WORTH] = highest - node.base
    if at > 0:
        best_cut[CODE_LOW] = keys[at - 1] >> ROW_BITS
        best_cut[CODE_HIGH] = keys[at] >> ROW_BITS
        best_cut[ROW_LOW] = keys[at - 1] & ROW_MASK
        best_cut[ROW_HIGH] = keys[at] & ROW_MASK
        best_cut[LEFT] = at


# keys int64 (lists, >= r): sorted within nodes; y int16: classes by what is below in the keys;
# reach int32 (., n): a line for each list with near values; fine int32 (lists,): which line,
# -1 for none; needs float64 (b, 2); best_cuts float64 (lists, b, FOUND_WIDTH), overwritten where a
# node has rows.  O(lists r).
def cut_sorted(
    Search search,
    const int64_t[:, ::1] keys,
    Nodes nodes,
    const int16_t[::1] y,
    const int32_t[:, ::1] reach,
    const int32_t[::1] fine,
    const double[:, ::1] needs,
    double[:, :, ::1] best_cuts,
):
    """Find the best cuts of sorted attributes at each node, all rows counting one."""
    cdef const int64_t[::1] spans = nodes.spans
    cdef const double[:, ::1] counts = nodes.counts
    cdef Py_ssize_t n_classes = counts.shape[1], i, a, k, n
    cdef int64_t[:, ::1] sides = np.zeros((2, n_classes), np.int64)
    cdef NodeSearch node
    with nogil:
        for i in range(spans.shape[0] - 1):
            n = spans[i + 1] - spans[i]
            if n == 0:
                continue
            node = search_of(
                search, n, &counts[i, 0], n_classes, Needs(needs[i, 0], needs[i, 1])
            )
            if node.y != NULL:
                node.y = &y[0]
            for a in range(keys.shape[0]):
                for k in range(n_classes):
                    sides[0, k] = 0
                    sides[1, k] = <int64_t>counts[i, k]
                cut_list(
                    &node,
                    &keys[a, spans[i]],
                    &reach[fine[a], 0] if fine[a] >= 0 else NULL,
                    &sides[0, 0],
                    &sides[1, 0],
                    &best_cuts[a, i, 0],
                )


# histogram int64 (m, c), sizes int64 (m,): classes and rows by rank, zeros after; values float64
# (m,) where neighbors may be no farther than the gap from each other, else NULL; sides int64
# (3, c): zeros, classes of the node, and anything: overwritten; best_cut float64 (FOUND_WIDTH,):
# overwritten.  O(m c).
cdef void cut_values(
    const NodeSearch* node,
    int64_t* histogram,
    int64_t* sizes,
    Py_ssize_t n_values,
    const double* values,
    double gap,
    int64_t* sides,
    double* best_cut,
) noexcept nogil:
    """Find the best cut of a counted attribute at a node, all rows counting one."""
    cdef const double* table = node.table
    cdef int64_t* left = sides
    cdef int64_t* right = left + node.n_classes
    cdef int64_t* present = right + node.n_classes
    cdef Py_ssize_t n = node.n, i = 0, before = -1, n_present = 0, code, k, p
    cdef double sum_left = 0.0, sum_right = node.start, best = node.least, worth
    cdef int64_t count
    best_cut[CUTS] = best_cut[WORTH] = best_cut[CODE_LOW] = best_cut[CODE_HIGH] = 0.0
    best_cut[LEFT] = 0.0
    for k in range(node.n_classes):
        if right[k] > 0:
            present[n_present] = k
            n_present += 1
    for code in range(n_values):
        if sizes[code] == 0:
            continue
        if (
            before >= 0
            and node.first <= i <= node.last
            and (values == NULL or values[before] + gap < values[code])
        ):
            best_cut[CUTS] += 1.0
            if node.is_gini:
                worth = sum_left / i + sum_right / (n - i)
            else:
                worth = sum_left - table[i] + sum_right - table[n - i]
            if worth > best:
                best = worth + node.tie
                best_cut[WORTH] = worth - node.base
                best_cut[CODE_LOW] = before
                best_cut[CODE_HIGH] = code
                best_cut[LEFT] = i
        before = code
        i += sizes[code]
        sizes[code] = 0
        for p in range(n_present):
            k = present[p]
            count = histogram[code * node.n_classes + k]
            if count > 0:
                histogram[code * node.n_classes + k] = 0
                sum_left += table[left[k] + count] - table[left[k]]
                sum_right += table[right[k] - count] - table[right[k]]
                left[k] += count
                right[k] -= count


# codes int32 (n,): rank of each row; values float64 (m,) as in cut_values, or (0,); is_counted bool (b,): nodes to look
# at; histogram int64 (m, c), best_cuts float64 (b, FOUND_WIDTH): zeros before.  O(r + b m c).
def cut_counted(
    Search search,
    const int32_t[::1] codes,
    const double[::1] values,
    Nodes nodes,
    const double[:, ::1] needs,
    const unsigned char[::1] is_counted,
    int64_t[:, ::1] histogram,
    double[:, ::1] best_cuts,
):
    """Find the best cut from the class counts of each value, all rows counting one."""
    cdef const int64_t[::1] spans = nodes.spans
    cdef const int32_t[::1] rows = nodes.rows
    cdef Py_ssize_t n_classes = histogram.shape[1], i, j, k
    cdef int64_t[::1] sizes = np.zeros(histogram.shape[0], np.int64)
    cdef int64_t[:, ::1] sides = np.zeros((3, n_classes), np.int64)
    cdef const double* near = &values[0] if values.shape[0] else NULL
    cdef int32_t code
    cdef NodeSearch node
    with nogil:
        for i in range(spans.shape[0] - 1):
            if not is_counted[i]:
                continue
            for k in range(n_classes):
                sides[0, k] = 0
                sides[1, k] = <int64_t>nodes.counts[i, k]
            for j in range(spans[i], spans[i + 1]):
                code = codes[rows[j]]
                histogram[code, search.y[rows[j]]] += 1
                sizes[code] += 1
            node = search_of(
                search,
                spans[i + 1] - spans[i],
                &nodes.counts[i, 0],
                n_classes,
                Needs(needs[i, 0], needs[i, 1]),
            )
            cut_values(
                &node,
                &histogram[0, 0],
                &sizes[0],
                sizes.shape[0],
                near,
                search.rules.gap,
                &sides[0, 0],
                &best_cuts[i, 0],
            )


# codes int32 (n,); stand_in int32 (b, c): rank that takes the place of a missing one, -1 for none;
# is_skipped bool (b,); keys int64 (r,), ends int64 (b + 1,): overwritten: rank, class and place in
# the level of each known row, by node, sorted.  O(r passes).
def sort_level(
    Search search,
    const int32_t[::1] codes,
    Py_ssize_t n_values,
    Nodes nodes,
    const int32_t[:, ::1] stand_in,
    const unsigned char[::1] is_skipped,
    int64_t[::1] keys,
    int64_t[::1] ends,
):
    """Sort the known rows of each node by the ranks of an attribute."""
    cdef const int64_t[::1] spans = nodes.spans
    cdef int64_t[::1] buffer = np.empty(max(keys.shape[0], 1), np.int64)
    cdef Py_ssize_t i, j, filled = 0, begin
    cdef int64_t code, k
    with nogil:
        for i in range(spans.shape[0] - 1):
            begin = filled
            for j in range(spans[i], spans[i] if is_skipped[i] else spans[i + 1]):
                code = codes[nodes.rows[j]]
                k = search.y[nodes.rows[j]]
                if code < 0:
                    code = stand_in[i, k]
                if code >= 0:
                    keys[filled] = (code << ROW_BITS) | ((k & CLASS_MASK) << CLASS_BITS) | j
                    filled += 1
            ends[i + 1] = filled
            if filled > begin:
                sort_keys(&keys[begin], filled - begin, n_values, &buffer[0])


# keys int64 (n,): overwritten, by rank, those of one rank in the order they had; buffer int64
# (>= n,): overwritten.  O(n passes).
cdef void sort_keys(
    int64_t* keys, Py_ssize_t n, Py_ssize_t n_values, int64_t* buffer
) noexcept nogil:
    cdef Py_ssize_t starts[2050]
    cdef Py_ssize_t i, j, rest = n_values
    cdef int bits = 6 if n < 1024 else 11, shift = ROW_BITS, size = 1 << bits
    cdef int64_t key, digit
    if n <= 24:
        for i in range(1, n):
            key = keys[i]
            j = i - 1
            while j >= 0 and keys[j] >> ROW_BITS > key >> ROW_BITS:
                keys[j + 1] = keys[j]
                j -= 1
            keys[j + 1] = key
        return
    while rest > 0:
        for i in range(size + 1):
            starts[i] = 0
        for i in range(n):
            starts[((keys[i] >> shift) & (size - 1)) + 1] += 1
        for i in range(size):
            starts[i + 1] += starts[i]
        for i in range(n):
            digit = (keys[i] >> shift) & (size - 1)
            buffer[starts[digit]] = keys[i]
            starts[digit] += 1
        for i in range(n):
            keys[i] = buffer[i]
        shift += bits
        rest >>= bits


# keys int64 (.,): as sort_level leaves them, by node in the spans of nodes, which hold weight
# float64 (r,) by place and known class weights; classes int16 (r,) by place; values: as in
# cut_values; best_cuts float64 (b, FOUND_WIDTH): zeros before.  O(r c).
def cut_weighted(
    Search search,
    const int64_t[::1] keys,
    Nodes nodes,
    const int16_t[::1] classes,
    const double[::1] values,
    const double[:, ::1] needs,
    double[:, ::1] best_cuts,
):
    """Find the best cut of an attribute at each node by any criterion, rows having weights."""
    cdef SplitRules rules = search.rules
    cdef const int64_t[::1] spans = nodes.spans
    cdef Py_ssize_t n_classes = nodes.counts.shape[1], node, i, k
    cdef double[:, ::1] both = np.zeros((2, n_classes))
    cdef bint has_weight = nodes.weight.shape[0] > 0
    cdef double total, best, base, on_left, least, worth, part
    cdef int64_t code, before
    with nogil:
        for node in range(spans.shape[0] - 1):
            if spans[node] == spans[node + 1]:
                continue
            total = 0.0
            for k in range(n_classes):
                both[0, k] = 0.0
                both[1, k] = nodes.counts[node, k]
                total += nodes.counts[node, k]
            best = -INFINITY if rules.takes_zero else needs[node, 1]
            base = worth_of(&both[0, 0], 2, n_classes, rules.criterion, rules.class_rule, total)
            on_left = 0.0
            least = needs[node, 0] - 1e-6
            before = keys[spans[node]] >> ROW_BITS
            for i in range(spans[node], spans[node + 1]):
                code = keys[i] >> ROW_BITS
                if (
                    code != before
                    and on_left >= least
                    and total - on_left >= least
                    and (values.shape[0] == 0 or values[before] + rules.gap < values[code])
                ):
                    best_cuts[node, CUTS] += 1.0
                    worth = worth_of(
                        &both[0, 0], 2, n_classes, rules.criterion, rules.class_rule, total
                    ) - base
                    if worth > best:
                        best = worth + needs[node, 1]
                        best_cuts[node, WORTH] = worth
                        best_cuts[node, CODE_LOW] = before
                        best_cuts[node, CODE_HIGH] = code
                        best_cuts[node, ROW_LOW] = keys[i - 1] & ROW_MASK
                        best_cuts[node, ROW_HIGH] = keys[i] & ROW_MASK
                        best_cuts[node, LEFT] = on_left
                before = code
                k = classes[keys[i] & ROW_MASK]
                part = nodes.weight[keys[i] & ROW_MASK] if has_weight else 1.0
                both[0, k] += part
                both[1, k] = max(both[1, k] - part, 0.0)
                on_left += part


# cut float64 (FOUND_WIDTH,): the best; known, weight: those of a node.
cdef Measured measured_cut(
    SplitRules rules, const double* cut, double known, double weight
) noexcept nogil:
    cdef Measured test
    cdef double parts[2]
    test.worth = cut[WORTH] / weight
    test.penalty = 0.0
    test.info = 0.0
    test.is_valid = cut[CUTS] > 0 and (rules.takes_zero or test.worth > rules.tie)
    if rules.numeric_penalty:
        test.penalty = log2(max(cut[CUTS], 1.0)) / weight
        test.worth -= test.penalty
        test.is_valid = test.is_valid and test.worth > 1e-6
    if rules.needs_info:
        parts[0] = cut[LEFT]
        parts[1] = known - cut[LEFT]
        test.info = information(parts, 2, weight)
    return test


# cuts float64 (d, b, FOUND_WIDTH); known float64 (b, d), weight float64 (b,): of the nodes; the rest
# (b, d), overwritten: what each cut is worth, as measured_cut says.  O(b d).
def measure_cuts(
    SplitRules rules,
    const double[:, :, ::1] cuts,
    const double[:, ::1] known,
    const double[::1] weight,
    unsigned char[:, ::1] is_valid,
    double[:, ::1] worth,
    double[:, ::1] penalty,
    double[:, ::1] info,
):
    """Say what the best cuts are worth."""
    cdef Py_ssize_t node, a
    cdef Measured test
    with nogil:
        for a in range(cuts.shape[0]):
            for node in range(cuts.shape[1]):
                test = measured_cut(rules, &cuts[a, node, 0], known[node, a], weight[node])
                is_valid[node, a] = test.is_valid
                worth[node, a] = test.worth
                penalty[node, a] = test.penalty
                info[node, a] = test.info


# parts float64 (n,): weights of branches; returns their entropy in bits, what they leave of the
# weight of the node being one more.  O(n).
cdef double information(const double* parts, Py_ssize_t n, double weight) noexcept nogil:
    cdef Py_ssize_t v
    cdef double rest = 0.0, total = 0.0
    for v in range(n):
        rest += parts[v]
    rest = weight - rest
    for v in range(1, n):
        total += summand(parts[v] / weight)
    total += summand(rest / weight) if rest >= 1e-9 else 0.0
    return -(summand(parts[0] / weight) + total)


# parts float64 (b, n), weight float64 (b,), info float64 (b,), overwritten.  O(b n).
def measure_information(
    const double[:, ::1] parts, const double[::1] weight, double[:] info
):
    """Set the split information of tests from the weights of their branches."""
    cdef Py_ssize_t node
    for node in range(parts.shape[0]):
        info[node] = information(&parts[node, 0], parts.shape[1], weight[node])


cdef inline double summand(double share) noexcept nogil:
    return share * log2(share) if share > 0.0 else 0.0


cdef double ratio_of(double worth, double info) noexcept nogil:
    return worth / info if info > 1e-6 else 0.0


# is_counted bool (d,): tests that count; returns the average worth, all but; infinity without any.
cdef double least_worth(
    const double* worth, const unsigned char* is_counted, Py_ssize_t d
) noexcept nogil:
    cdef Py_ssize_t a, n_counted = 0
    cdef double total = 0.0
    for a in range(d):
        if is_counted[a]:
            total += worth[a]
            n_counted += 1
    return total / n_counted - 1e-3 if n_counted else INFINITY


# worth float64 (b, d), is_counted bool (b, d), least float64 (b,): overwritten.  O(b d).
def measure_least_worth(
    const double[:, ::1] worth, const unsigned char[:, ::1] is_counted, double[::1] least
):
    """Set what a test must be worth where only those above the average are eligible."""
    cdef Py_ssize_t node
    for node in range(worth.shape[0]):
        least[node] = least_worth(&worth[node, 0], &is_counted[node, 0], worth.shape[1])


cdef Py_ssize_t first_best_of(
    const double* score, const unsigned char* may, Py_ssize_t d, double least, double tie
) noexcept nogil:
    cdef Py_ssize_t a, chosen = -1
    cdef double best = least
    for a in range(d):
        if may[a] and score[a] > best:
            best = score[a] + tie
            chosen = a
    return chosen


# score float64 (b, d), may bool (b, d), chosen int64 (b,): overwritten.  O(b d).
def first_best(
    const double[:, ::1] score,
    const unsigned char[:, ::1] may,
    double least,
    double tie,
    int64_t[::1] chosen,
):
    """Choose the first attribute that no later one beats by more than the tie."""
    cdef Py_ssize_t node
    for node in range(score.shape[0]):
        chosen[node] = first_best_of(&score[node, 0], &may[node, 0], score.shape[1], least, tie)


def worth(const double[:, ::1] counts, int criterion, int class_rule, double total):
    """Return what the loops say a test with these class counts of its branches is worth."""
    return worth_of(
        &counts[0, 0], counts.shape[0], counts.shape[1], criterion, class_rule, total
    )


# counts float64 (branches, c).  O(branches c), for pairs of classes times c.
cdef double worth_of(
    const double* counts,
    Py_ssize_t n_branches,
    Py_ssize_t n_classes,
    int criterion,
    int class_rule,
    double total,
) noexcept nogil:
    """Return minus weight times impurity over branches, or weight times Hellinger distance."""
    cdef Py_ssize_t v, k
    cdef double result = 0.0, weight, part, count
    if criterion == HELLINGER:
        return hellinger(counts, n_branches, n_classes, class_rule, total)
    for v in range(n_branches):
        weight = 0.0
        part = 0.0
        for k in range(n_classes):
            count = counts[v * n_classes + k]
            if count > 0.0:
                weight += count
                part += count * count if criterion == GINI else count * log2(count)
        if weight > 0.0:
            result += part / weight if criterion == GINI else part - weight * log2(weight)
    return result


cdef double hellinger(
    const double* counts,
    Py_ssize_t n_branches,
    Py_ssize_t n_classes,
    int class_rule,
    double total,
) noexcept nogil:
    cdef Py_ssize_t a, b, v, k, n_found = 0
    cdef double result = 0.0, highest = 0.0, size_a, size_b, overlap, in_b, distance
    for a in range(n_classes):
        for b in range(a + 1, n_classes if class_rule == MEAN_OVER_PAIRS else a + 2):
            size_a = 0.0
            size_b = 0.0
            overlap = 0.0
            for v in range(n_branches):
                in_b = 0.0
                if class_rule == MEAN_OVER_PAIRS:
                    in_b = counts[v * n_classes + b]
                else:
                    for k in range(n_classes):
                        in_b += counts[v * n_classes + k] if k != a else 0.0
                size_a += counts[v * n_classes + a]
                size_b += in_b
                overlap += sqrt(max(counts[v * n_classes + a] * in_b, 0.0))  # what is left of 0
            if size_a > 0.0 and size_b > 0.0:
                distance = sqrt(max(2.0 - 2.0 * overlap / sqrt(size_a * size_b), 0.0))
                n_found += 1
                result += distance
                highest = max(highest, distance)
    if class_rule == MAX_OVER_REST:
        return total * highest
    return total * result / n_found if n_found > 0 else 0.0
