"""Compiled loops that measure the tests of a nominal attribute at the nodes of one level.

Shapes: b nodes, m levels of the attribute, c classes.  Everything here trusts its callers.
"""

from libc.math cimport INFINITY, NAN, isnan, log2
from libc.stdint cimport int16_t, int32_t, int64_t

import numpy as np

from bestofk.trees._split_search cimport (
    BINARY,
    BY_WORTH,
    HELLINGER,
    Measured,
    Nodes,
    Search,
    SplitRules,
    information,
    ratio_of,
    worth_of,
)


# codes int32 (n,): level of each row, -1 where missing; stand_in int32 (b, c): level that takes the
# place of a missing one, -1 for none; counts float64 (b, m, c): zeros before.  O(r).
def count_levels(
    Search search,
    const int32_t[::1] codes,
    Nodes nodes,
    const int32_t[:, ::1] stand_in,
    double[:, :, ::1] counts,
):
    """Count classes by level at each node."""
    cdef const int64_t[::1] spans = nodes.spans
    cdef bint has_weight = nodes.weight.shape[0] > 0
    cdef Py_ssize_t node, j
    cdef int32_t row, code
    cdef int16_t k
    with nogil:
        for node in range(spans.shape[0] - 1):
            for j in range(spans[node], spans[node + 1]):
                row = nodes.rows[j]
                k = search.y[row]
                code = codes[row]
                if code < 0:
                    code = stand_in[node, k]
                if code >= 0:
                    counts[node, code, k] += nodes.weight[j] if has_weight else 1.0


# The test with one branch for each level.  total float64 (c,): overwritten; known: set to the known
# weight.  O(m c).
cdef Measured measured_branches(
    SplitRules rules, const Levels* levels, double weight, double* total, double* known
) noexcept nogil:
    cdef Py_ssize_t n_levels = levels.n_levels, n_classes = levels.n_classes, v, k, n_enough = 0
    cdef double by_branch = 0.0, here, rest, result
    cdef Measured test
    known[0] = 0.0
    for k in range(n_classes):
        total[k] = 0.0
    for v in range(n_levels):
        here = 0.0
        for k in range(n_classes):
            here += levels.counts[v * n_classes + k]
            total[k] += levels.counts[v * n_classes + k]
        if here > 0.0:
            known[0] += here
            by_branch += here * log2(here)
            n_enough += here >= rules.min_branch - 1e-6
    result = 0.0
    if n_enough >= 2:
        result = worth_of(
            levels.counts, n_levels, n_classes, rules.criterion, rules.class_rule, known[0]
        )
        if rules.criterion != HELLINGER:
            result -= worth_of(total, 1, n_classes, rules.criterion, rules.class_rule, known[0])
    rest = weight - known[0] if weight - known[0] > 1e-9 else 1.0
    test.is_valid = n_enough >= 2
    test.worth = result / weight
    test.penalty = 0.0
    test.info = log2(weight) - (by_branch + rest * log2(rest)) / weight
    return test


# counts float64 (b, m, c); weight float64 (b,): of the nodes; the rest (b,), overwritten.  O(b m c).
def measure_branches(
    const double[:, :, ::1] counts,
    const double[::1] weight,
    SplitRules rules,
    unsigned char[:] is_valid,
    double[:] worth,
    double[:] info,
    double[::1] known,
):
    """Measure the test with one branch for each level at each node."""
    cdef double[::1] total = np.empty(counts.shape[2])
    cdef Levels levels
    cdef Measured test
    cdef Py_ssize_t node
    levels.n_levels, levels.n_classes = counts.shape[1], counts.shape[2]
    levels.mapping = NULL
    with nogil:
        for node in range(counts.shape[0]):
            levels.counts = &counts[node, 0, 0]
            test = measured_branches(rules, &levels, weight[node], &total[0], &known[node])
            is_valid[node] = test.is_valid
            worth[node] = test.worth
            info[node] = test.info


# The best division of the levels among two branches.  O(m c), for subsets as divide_in_two.
cdef Measured measured_division(
    SplitRules rules, const Levels* levels, double weight, const LevelBuffers* buffers
) noexcept nogil:
    cdef Py_ssize_t n_classes = levels.n_classes, v, k
    cdef double result
    cdef double parts[2]
    cdef Measured test
    if rules.nominal_splits == BINARY:
        result = set_one_apart(rules, levels, weight, buffers.sides)
    else:
        result = divide_in_two(rules, levels, buffers)
    test.is_valid = not isnan(result)
    test.worth = result / weight if test.is_valid else 0.0
    test.penalty = 0.0
    test.info = 0.0
    if test.is_valid and rules.needs_info:
        parts[0] = parts[1] = 0.0
        for v in range(levels.n_levels):
            for k in range(n_classes):
                parts[levels.mapping[v]] += levels.counts[v * n_classes + k]
        test.info = information(parts, 2, weight)
    return test


# counts float64 (b, m, c); weight float64 (b,): of the nodes; mapping int16 (b, m): set to 0 and 1
# where a test is found; the rest (b,), overwritten.  O(b m c), for subsets as divide_in_two.
def measure_divisions(
    const double[:, :, ::1] counts,
    const double[::1] weight,
    SplitRules rules,
    int16_t[:, ::1] mapping,
    unsigned char[:] is_valid,
    double[:] worth,
    double[:] info,
):
    """Measure the best division of the levels among two branches at each node."""
    cdef double[::1] size = np.empty(counts.shape[1]), sides = np.empty(3 * counts.shape[2])
    cdef int64_t[::1] order = np.empty(counts.shape[1], np.int64)
    cdef Levels levels
    cdef LevelBuffers buffers
    cdef Measured test
    cdef Py_ssize_t node
    levels.n_levels, levels.n_classes = counts.shape[1], counts.shape[2]
    buffers.size, buffers.sides, buffers.order = &size[0], &sides[0], &order[0]
    with nogil:
        for node in range(counts.shape[0]):
            levels.counts, levels.mapping = &counts[node, 0, 0], &mapping[node, 0]
            test = measured_division(rules, &levels, weight[node], &buffers)
            is_valid[node] = test.is_valid
            worth[node] = test.worth
            info[node] = test.info


# The level whose separation from all others is best.  sides float64 (3 c,): overwritten.  Returns
# its worth times the known weight; nan, and no mapping, where there is no test.  O(m c).
cdef double set_one_apart(
    SplitRules rules, const Levels* levels, double weight, double* sides
) noexcept nogil:
    cdef Py_ssize_t n_levels = levels.n_levels, n_classes = levels.n_classes
    cdef Py_ssize_t v, k, best_level = -1
    cdef double* total = sides + 2 * n_classes
    cdef double known = 0.0, base = 0.0, best = 0.0, found = NAN, least = rules.min_branch - 1e-6
    cdef double inside, outside, result, score
    cdef int criterion = rules.criterion, class_rule = rules.class_rule
    for k in range(n_classes):
        total[k] = 0.0
        for v in range(n_levels):
            total[k] += levels.counts[v * n_classes + k]
        known += total[k]
    if criterion != HELLINGER:
        base = worth_of(total, 1, n_classes, criterion, class_rule, known)
    for v in range(1 if n_levels == 2 else n_levels):
        inside = 0.0
        for k in range(n_classes):
            sides[k] = levels.counts[v * n_classes + k]
            sides[n_classes + k] = total[k] - sides[k]
            inside += sides[k]
        outside = known - inside
        if inside < least or outside < least or inside <= 0.0 or outside <= 1e-9:
            continue
        result = worth_of(sides, 2, n_classes, criterion, class_rule, known) - base
        score = result / weight
        if rules.choice != BY_WORTH:
            score = ratio_of(result, times_information(inside, outside, weight - known, weight))
        if best_level < 0 or score > best + rules.tie:
            best = score
            best_level = v
            found = result
    if best_level >= 0:
        for v in range(n_levels):
            levels.mapping[v] = v != best_level
    return found


# Split information times the weight of the node.
cdef double times_information(
    double inside, double outside, double unknown, double weight
) noexcept nogil:
    cdef double info = weight * log2(weight)
    info -= inside * log2(inside) + outside * log2(outside)
    return info - (unknown * log2(unknown) if unknown > 1e-9 else 0.0)


# The division of the levels into two subsets that is worth most; returns as set_one_apart.  O(m c)
# for two classes, O(2**m c) for up to MOST_EXHAUSTIVE levels present, O(m c squared) beyond.
cdef double divide_in_two(
    SplitRules rules, const Levels* levels, const LevelBuffers* buffers
) noexcept nogil:
    cdef Py_ssize_t n_levels = levels.n_levels, n_classes = levels.n_classes
    cdef Py_ssize_t n_present = 0, sequence, v, k
    cdef double* size = buffers.size
    cdef int64_t* order = buffers.order
    cdef double known = 0.0, base = 0.0, found = NAN, least = rules.min_branch - 1e-6
    cdef double best, inside, result
    cdef int64_t division, n_divisions
    cdef bint is_exhaustive
    for v in range(n_levels):
        size[v] = 0.0
        for k in range(n_classes):
            size[v] += levels.counts[v * n_classes + k]
        if size[v] > 0.0:
            order[n_present] = v
            n_present += 1
        known += size[v]
    if n_present < 2:
        return found
    is_exhaustive = n_classes > 2 and n_present <= MOST_EXHAUSTIVE
    n_divisions = (1 << (n_present - 1)) - 1 if is_exhaustive else n_present - 1
    best = -INFINITY if rules.takes_zero else rules.tie * known
    for sequence in range(1 if n_classes == 2 or is_exhaustive else n_classes):
        if not is_exhaustive:
            sort_by_share(levels, sequence, buffers, n_present)
        for division in range(n_divisions + 1):
            inside = divide(levels, buffers, n_present, division, is_exhaustive)
            result = worth_of(
                buffers.sides, 2, n_classes, rules.criterion, rules.class_rule, known
            )
            if division == 0:
                base = 0.0 if rules.criterion == HELLINGER else result
            elif inside >= least and known - inside >= least and result - base > best:
                best = result - base + rules.tie * known
                found = result - base
                for v in range(n_levels):
                    levels.mapping[v] = 1
                for v in range(n_present):
                    if is_inside(division, v, is_exhaustive):
                        levels.mapping[order[v]] = 0
    return found


# Sort the levels present, in buffers.order, by the share of class k.  O(present squared).
cdef void sort_by_share(
    const Levels* levels, Py_ssize_t k, const LevelBuffers* buffers, Py_ssize_t n_present
) noexcept nogil:
    cdef const double* counts = levels.counts + k
    cdef const double* size = buffers.size
    cdef int64_t* order = buffers.order
    cdef Py_ssize_t n_classes = levels.n_classes, i, j
    cdef int64_t v
    for i in range(1, n_present):
        v = order[i]
        j = i - 1
        while (
            j >= 0
            and counts[order[j] * n_classes] * size[v] > counts[v * n_classes] * size[order[j]]
        ):
            order[j + 1] = order[j]
            j -= 1
        order[j + 1] = v


# Sum the classes of two subsets of the levels present into buffers.sides; division says which are
# in the first, or how many.  Returns the weight of the first.  O(present c).
cdef double divide(
    const Levels* levels,
    const LevelBuffers* buffers,
    Py_ssize_t n_present,
    int64_t division,
    bint is_exhaustive,
) noexcept nogil:
    cdef Py_ssize_t n_classes = levels.n_classes, i, k
    cdef double* side
    cdef const double* counts
    cdef double inside = 0.0
    for k in range(2 * n_classes):
        buffers.sides[k] = 0.0
    for i in range(n_present):
        side = buffers.sides + n_classes
        if is_inside(division, i, is_exhaustive):
            side = buffers.sides
            inside += buffers.size[buffers.order[i]]
        counts = levels.counts + buffers.order[i] * n_classes
        for k in range(n_classes):
            side[k] += counts[k]
    return inside


cdef inline bint is_inside(int64_t division, Py_ssize_t i, bint is_exhaustive) noexcept nogil:
    return (division >> i) & 1 if is_exhaustive else i < division
