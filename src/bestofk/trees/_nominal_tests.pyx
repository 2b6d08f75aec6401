"""Compiled loops that measure the tests of a nominal attribute at the nodes of one level.

Shapes: b nodes, m levels of the attribute, c classes.  Everything here trusts its callers.
"""

from libc.math cimport INFINITY, log2
from libc.stdint cimport int16_t, int32_t, int64_t

import numpy as np

from bestofk.trees._split_search cimport HELLINGER, Nodes, Search, SplitRules, worth_of


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


# counts float64 (b, m, c); out float64 (b, 4), overwritten: worth times known weight, sum of
# w log2 w over branches, branches with at least the weight asked for, known weight.  O(b m c).
def measure_branches(const double[:, :, ::1] counts, SplitRules rules, double[:, ::1] out):
    """Measure the test with one branch for each level."""
    cdef Py_ssize_t n_levels = counts.shape[1], n_classes = counts.shape[2], node, v, k, n_enough
    cdef double[::1] total = np.zeros(n_classes)
    cdef double weight, by_branch, here
    cdef int criterion = rules.criterion
    with nogil:
        for node in range(counts.shape[0]):
            weight = 0.0
            by_branch = 0.0
            n_enough = 0
            for k in range(n_classes):
                total[k] = 0.0
            for v in range(n_levels):
                here = 0.0
                for k in range(n_classes):
                    here += counts[node, v, k]
                    total[k] += counts[node, v, k]
                if here > 0.0:
                    weight += here
                    by_branch += here * log2(here)
                    n_enough += here >= rules.min_branch - 1e-6
            out[node, 0] = 0.0
            out[node, 1] = by_branch
            out[node, 2] = n_enough
            out[node, 3] = weight
            if n_enough >= 2:
                out[node, 0] = worth_of(
                    &counts[node, 0, 0], n_levels, n_classes, criterion, rules.class_rule, weight
                )
                if criterion != HELLINGER:
                    out[node, 0] -= worth_of(
                        &total[0], 1, n_classes, criterion, rules.class_rule, weight
                    )


# counts float64 (b, m, c); weight float64 (b,): of the nodes; mapping int16 (b, m): set to 0 and 1
# where a test is found; worth float64 (b,): set to its worth times known weight.  O(b m c).
def set_one_apart(
    const double[:, :, ::1] counts,
    const double[::1] weight,
    SplitRules rules,
    int16_t[:, ::1] mapping,
    double[::1] worth,
):
    """Find the level whose separation from all others is best at each node."""
    cdef Py_ssize_t n_levels = counts.shape[1], n_classes = counts.shape[2]
    cdef Py_ssize_t node, v, k, best_level
    cdef double[:, ::1] sides = np.zeros((3, n_classes))
    cdef double* total = &sides[2, 0]
    cdef double known, base, best, inside, outside, result, score, least = rules.min_branch - 1e-6
    cdef int criterion = rules.criterion, class_rule = rules.class_rule
    with nogil:
        for node in range(counts.shape[0]):
            known = 0.0
            for k in range(n_classes):
                total[k] = 0.0
                for v in range(n_levels):
                    total[k] += counts[node, v, k]
                known += total[k]
            base = 0.0
            if criterion != HELLINGER:
                base = worth_of(total, 1, n_classes, criterion, class_rule, known)
            best_level = -1
            best = 0.0
            for v in range(1 if n_levels == 2 else n_levels):
                inside = 0.0
                for k in range(n_classes):
                    sides[0, k] = counts[node, v, k]
                    sides[1, k] = total[k] - counts[node, v, k]
                    inside += sides[0, k]
                outside = known - inside
                if inside < least or outside < least or inside <= 0.0 or outside <= 1e-9:
                    continue
                result = worth_of(&sides[0, 0], 2, n_classes, criterion, class_rule, known) - base
                score = result / weight[node]
                if rules.by_ratio:
                    score = ratio(result, inside, outside, weight[node], known)
                if best_level < 0 or score > best + rules.tie:
                    best = score
                    best_level = v
                    worth[node] = result
            if best_level >= 0:
                for v in range(n_levels):
                    mapping[node, v] = 0 if v == best_level else 1


# Worth by split information, both times the weight of the node; 0 where there is no information.
cdef double ratio(
    double worth, double inside, double outside, double weight, double known
) noexcept nogil:
    cdef double unknown = weight - known
    cdef double info = weight * log2(weight)
    info -= inside * log2(inside) + outside * log2(outside)
    info -= unknown * log2(unknown) if unknown > 1e-9 else 0.0
    return worth / info if info > 1e-6 else 0.0


# As set_one_apart; least: weight that both subsets need; most: how many levels are divided in
# all possible ways.  O(b m c) for two classes, O(b 2**m c) for up to `most` levels present,
# O(b m c squared) beyond.
def divide_into_subsets(
    const double[:, :, ::1] counts,
    SplitRules rules,
    double least,
    Py_ssize_t most,
    int16_t[:, ::1] mapping,
    double[::1] worth,
):
    """Find the division of the levels into two subsets that is worth most at each node."""
    cdef Py_ssize_t n_levels = counts.shape[1], n_classes = counts.shape[2]
    cdef Py_ssize_t node, n_present, sequence, v, k
    cdef double[:, ::1] both = np.zeros((2, n_classes))
    cdef double[::1] size = np.zeros(n_levels)
    cdef int64_t[::1] order = np.zeros(n_levels, np.int64)
    cdef double known, best, inside, result, base = 0.0
    cdef int criterion = rules.criterion
    cdef int64_t division, n_divisions
    cdef bint is_exhaustive
    with nogil:
        for node in range(counts.shape[0]):
            n_present = 0
            known = 0.0
            for v in range(n_levels):
                size[v] = 0.0
                for k in range(n_classes):
                    size[v] += counts[node, v, k]
                if size[v] > 0.0:
                    order[n_present] = v
                    n_present += 1
                known += size[v]
            if n_present < 2:
                continue
            is_exhaustive = n_classes > 2 and n_present <= most
            n_divisions = (1 << (n_present - 1)) - 1 if is_exhaustive else n_present - 1
            best = -INFINITY if rules.takes_zero else rules.tie * known
            for sequence in range(1 if n_classes == 2 or is_exhaustive else n_classes):
                if not is_exhaustive:
                    sort_by_share(counts[node], sequence, size, order[:n_present])
                for division in range(n_divisions + 1):
                    inside = divide(counts[node], size, order[:n_present], division,
                                    is_exhaustive, both)
                    result = worth_of(
                        &both[0, 0], 2, n_classes, criterion, rules.class_rule, known
                    )
                    if division == 0:
                        base = 0.0 if criterion == HELLINGER else result
                    elif (
                        inside >= least - 1e-6
                        and known - inside >= least - 1e-6
                        and result - base > best
                    ):
                        best = result - base + rules.tie * known
                        worth[node] = result - base
                        for v in range(n_levels):
                            mapping[node, v] = 1
                        for v in range(n_present):
                            if is_inside(division, v, is_exhaustive):
                                mapping[node, order[v]] = 0


# counts float64 (m, c); size float64 (m,): weight of each level; order int64 (present,): sorted by
# the share of a class.  O(present squared).
cdef void sort_by_share(
    const double[:, ::1] counts, Py_ssize_t k, const double[::1] size, int64_t[::1] order
) noexcept nogil:
    cdef Py_ssize_t i, j
    cdef int64_t v
    for i in range(1, order.shape[0]):
        v = order[i]
        j = i - 1
        while j >= 0 and counts[order[j], k] * size[v] > counts[v, k] * size[order[j]]:
            order[j + 1] = order[j]
            j -= 1
        order[j + 1] = v


# As sort_by_share; division: which of the levels present are in the first subset, or how many of
# them; both float64 (2, c), overwritten: classes of the two subsets.  Returns the weight of the
# first.  O(present c).
cdef double divide(
    const double[:, ::1] counts,
    const double[::1] size,
    const int64_t[::1] order,
    int64_t division,
    bint is_exhaustive,
    double[:, ::1] both,
) noexcept nogil:
    cdef Py_ssize_t i, k, side
    cdef double inside = 0.0
    for k in range(both.shape[1]):
        both[0, k] = 0.0
        both[1, k] = 0.0
    for i in range(order.shape[0]):
        side = 0 if is_inside(division, i, is_exhaustive) else 1
        inside += size[order[i]] if side == 0 else 0.0
        for k in range(both.shape[1]):
            both[side, k] += counts[order[i], k]
    return inside


cdef inline bint is_inside(int64_t division, Py_ssize_t i, bint is_exhaustive) noexcept nogil:
    return (division >> i) & 1 if is_exhaustive else i < division
