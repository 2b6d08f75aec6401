# mypy: allow-untyped-defs, allow-untyped-calls
"""Compiled loops that search the nodes of one level of a tree for their best tests.

Shapes: n rows in all, r rows of the level (a row may be in several nodes, in parts), b nodes,
c classes, m distinct values of an attribute. The rows of node i are `rows[spans[i]:spans[i+1]]`.
A key is a number of 64 bits that holds the rank of a value (27 bits), the class (8 bits) and
the row (28 bits), so that sorted keys are a sorted column; of more than 256 classes the lowest
bits, and the class is looked up. Everything here trusts its callers: `growing` checks types,
shapes and ranges first. No function calls more than one other: each that does is compiled
again with what it calls.
"""

from __future__ import annotations

import math

import numpy as np

from bestofk.trees.compiled import kernel

CLASS_BITS = 28
CLASS_MASK = 255
ROW_BITS = 36
ROW_MASK = (1 << 28) - 1
MOST_ROWS = 1 << 27
ENTROPY, GINI, HELLINGER = 0, 1, 2
MEAN_OVER_PAIRS, MEAN_OVER_REST, MAX_OVER_REST = 0, 1, 2

# Columns of what a search finds for a node: how many cuts were possible, the worth of the best
# times the known weight, ranks and rows on its two sides, the known weight on its left.
CUTS, WORTH, CODE_LOW, CODE_HIGH, ROW_LOW, ROW_HIGH, LEFT = 0, 1, 2, 3, 4, 5, 6
FOUND_WIDTH = 7


# keys int64 (lists, >= r): sorted within nodes; y int16 (n,) by what is below in the keys, used
# only for more than 256 classes; table float64 (n + 1,): k log2 k, or k squared for Gini; reach
# int32 (fine, >= m): highest rank that is no farther than the gap; fine int32 (lists,): which
# of them is meant, -1 for none; counts float64 (b, c); needs float64 (b, 2): weight that both
# sides of a cut need, and the worth by which a later cut must be better; rule: is Gini, takes
# zero; best_cuts float64 (lists, b, FOUND_WIDTH), overwritten where a node has rows. O(lists r).
@kernel(lambda keys, spans, *_: len(keys) * int(spans[-1]))
def _cut_sorted(keys, spans, y, table, reach, fine, counts, needs, rule, best_cuts):
    """Find the best cuts of sorted attributes at each node, all rows counting one."""
    is_gini, takes_zero = rule
    n_classes = counts.shape[1]
    is_packed = n_classes <= CLASS_MASK + 1
    left = np.zeros(n_classes, np.int64)
    right = np.zeros(n_classes, np.int64)
    for node in range(spans.size - 1):
        begin = spans[node]
        n = spans[node + 1] - begin
        if n == 0:
            continue
        start_right = 0.0
        for k in range(n_classes):
            start_right += table[int(counts[node, k])]
        base = start_right / n if is_gini else start_right - table[n]
        first = max(math.ceil(needs[node, 0] - 1e-6), 1)
        last = n - first
        for a in range(keys.shape[0]):
            for k in range(n_classes):
                left[k] = 0
                right[k] = int(counts[node, k])
            sum_left = 0.0
            sum_right = start_right
            best = -np.inf if takes_zero else base + needs[node, 1]
            before = keys[a, begin] >> ROW_BITS
            n_cuts = 0
            at = 0
            highest = base
            for i in range(n):
                key = keys[a, begin + i]
                code = key >> ROW_BITS
                if code != before:
                    is_cut = first <= i <= last
                    if fine[a] >= 0 and is_cut:
                        is_cut = code > reach[fine[a], before]
                    before = code
                    if is_cut:
                        n_cuts += 1
                        if is_gini:
                            worth = sum_left / i + sum_right / (n - i)
                        else:
                            worth = sum_left - table[i] + sum_right - table[n - i]
                        if worth > best:
                            best = worth + needs[node, 1]
                            highest = worth
                            at = i
                k = (key >> CLASS_BITS) & CLASS_MASK if is_packed else y[key & ROW_MASK]
                on_left = left[k]
                on_right = right[k]
                sum_left += table[on_left + 1] - table[on_left]
                sum_right += table[on_right - 1] - table[on_right]
                left[k] = on_left + 1
                right[k] = on_right - 1
            best_cuts[a, node, CUTS] = n_cuts
            best_cuts[a, node, WORTH] = highest - base
            if at > 0:
                best_cuts[a, node, CODE_LOW] = keys[a, begin + at - 1] >> ROW_BITS
                best_cuts[a, node, CODE_HIGH] = keys[a, begin + at] >> ROW_BITS
                best_cuts[a, node, ROW_LOW] = keys[a, begin + at - 1] & ROW_MASK
                best_cuts[a, node, ROW_HIGH] = keys[a, begin + at] & ROW_MASK
                best_cuts[a, node, LEFT] = at


# codes int32 (n,): rank of each row; rows int32 (r,); histogram int64 (m, c): zeros before and
# after; is_counted (b,): nodes to look at; best_cuts float64
# (b, FOUND_WIDTH); the rest as in _cut_sorted. O(r + b m c).
@kernel(lambda codes, rows, *_: 2 * rows.size)
def _cut_counted(
    codes, rows, spans, y, table, needs, rule, histogram, values, is_counted, best_cuts
):
    """Find the best cut from the class counts of each value, all rows counting one."""
    is_gini, takes_zero, gap = rule
    n_values, n_classes = histogram.shape
    left = np.zeros(n_classes, np.int64)
    right = np.zeros(n_classes, np.int64)
    sizes = np.zeros(n_values, np.int64)
    present = np.zeros(n_classes, np.int64)
    for node in range(spans.size - 1):
        if not is_counted[node]:
            continue
        n = spans[node + 1] - spans[node]
        for k in range(n_classes):
            left[k] = 0
            right[k] = 0
        for j in range(spans[node], spans[node + 1]):
            k = y[rows[j]]
            code = codes[rows[j]]
            histogram[code, k] += 1
            sizes[code] += 1
            right[k] += 1
        sum_left = 0.0
        sum_right = 0.0
        n_present = 0
        for k in range(n_classes):
            sum_right += table[right[k]]
            if right[k] > 0:
                present[n_present] = k
                n_present += 1
        base = sum_right / n if is_gini else sum_right - table[n]
        best = -np.inf if takes_zero else base + needs[node, 1]
        first = max(math.ceil(needs[node, 0] - 1e-6), 1)
        last = n - first
        before = -1
        i = 0
        n_cuts = 0
        highest = base
        below = 0
        above = 0
        at = 0
        for code in range(n_values):
            here = sizes[code]
            if here == 0:
                continue
            sizes[code] = 0
            if before >= 0 and first <= i <= last and values[before] + gap < values[code]:
                n_cuts += 1
                if is_gini:
                    worth = sum_left / i + sum_right / (n - i)
                else:
                    worth = sum_left - table[i] + sum_right - table[n - i]
                if worth > best:
                    best = worth + needs[node, 1]
                    highest = worth
                    below = before
                    above = code
                    at = i
            before = code
            i += here
            for p in range(n_present):
                k = present[p]
                count = histogram[code, k]
                if count > 0:
                    histogram[code, k] = 0
                    sum_left += table[left[k] + count] - table[left[k]]
                    sum_right += table[right[k] - count] - table[right[k]]
                    left[k] += count
                    right[k] -= count
        best_cuts[node, CUTS] = n_cuts
        best_cuts[node, WORTH] = highest - base
        best_cuts[node, CODE_LOW] = below
        best_cuts[node, CODE_HIGH] = above
        best_cuts[node, LEFT] = at


# codes int32 (n,), rows int32 (r,), stand_in int32 (b, c): rank that takes the place of a
# missing one, -1 for none; keys int64 (r,), positions int64 (b + 1,): overwritten: rank and
# place in the level of each known row, by node, sorted. O(r passes).
@kernel(lambda codes, rows, *_: 4 * rows.size)
def _sort_level(codes, rows, spans, y, stand_in, n_values, is_skipped, keys, ends):
    """Sort the known rows of each node by the ranks of an attribute."""
    buffer = np.empty(keys.size, np.int64)
    starts = np.empty(2050, np.int64)
    filled = 0
    for node in range(spans.size - 1):
        begin = filled
        for j in range(spans[node], spans[node] if is_skipped[node] else spans[node + 1]):
            code = codes[rows[j]]
            k = np.int64(y[rows[j]])
            if code < 0:
                code = stand_in[node, k]
            if code >= 0:
                low = ((k & CLASS_MASK) << CLASS_BITS) | np.int64(j)
                keys[filled] = (np.int64(code) << ROW_BITS) | low
                filled += 1
        ends[node + 1] = filled
        if filled - begin <= 24:
            for i in range(begin + 1, filled):
                key = keys[i]
                j = i - 1
                while j >= begin and keys[j] >> ROW_BITS > key >> ROW_BITS:
                    keys[j + 1] = keys[j]
                    j -= 1
                keys[j + 1] = key
            continue
        bits = 6 if filled - begin < 1024 else 11
        size = 1 << bits
        shift = ROW_BITS
        rest = n_values
        while rest > 0:
            for i in range(size + 1):
                starts[i] = 0
            for i in range(begin, filled):
                starts[((keys[i] >> shift) & (size - 1)) + 1] += 1
            for i in range(size):
                starts[i + 1] += starts[i]
            for i in range(begin, filled):
                digit = (keys[i] >> shift) & (size - 1)
                buffer[starts[digit]] = keys[i]
                starts[digit] += 1
            for i in range(begin, filled):
                keys[i] = buffer[i - begin]
            shift += bits
            rest >>= bits


# keys int64 (.,): as _sort_level leaves them, by node in spans (b + 1,); classes int16 (r,) and
# weight float64 (r,) by place in the level; counts float64 (b, c): known class weights; rule:
# criterion, takes zero, gap, class rule; the rest as in _cut_counted. O(r c).
@kernel(lambda keys, spans, *_: 2 * int(spans[-1]))
def _cut_weighted(keys, spans, classes, weight, values, counts, needs, rule, best_cuts):
    """Find the best cut of an attribute at each node by any criterion, rows having weights."""
    criterion, takes_zero, gap, class_rule = rule
    n_classes = counts.shape[1]
    both = np.zeros((2, n_classes))
    has_weight = weight.size > 0
    for node in range(spans.size - 1):
        total = 0.0
        for k in range(n_classes):
            both[0, k] = 0.0
            both[1, k] = counts[node, k]
            total += counts[node, k]
        best = -np.inf if takes_zero else needs[node, 1]
        base = 0.0
        on_left = 0.0
        for i in range(spans[node], spans[node + 1]):
            index = keys[i] & ROW_MASK
            code = keys[i] >> ROW_BITS
            if i == spans[node]:
                base = _worth_of(both, criterion, class_rule, total)
                before = code
            least = needs[node, 0] - 1e-6
            if (
                code != before
                and on_left >= least
                and total - on_left >= least
                and (gap == 0.0 or values[before] + gap < values[code])
            ):
                best_cuts[node, CUTS] += 1.0
                worth = _worth_of(both, criterion, class_rule, total) - base
                if worth > best:
                    best = worth + needs[node, 1]
                    best_cuts[node, WORTH] = worth
                    best_cuts[node, CODE_LOW] = before
                    best_cuts[node, CODE_HIGH] = code
                    best_cuts[node, ROW_LOW] = keys[i - 1] & ROW_MASK
                    best_cuts[node, ROW_HIGH] = index
                    best_cuts[node, LEFT] = on_left
            before = code
            k = classes[index]
            part = weight[index] if has_weight else 1.0
            both[0, k] += part
            both[1, k] = max(both[1, k] - part, 0.0)
            on_left += part


# counts float64 (branches, c). O(branches c), for pairs of classes times c.
@kernel(lambda counts, *_: counts.size)
def _worth_of(counts, criterion, class_rule, total):
    """Return minus weight times impurity over branches, or weight times Hellinger distance."""
    n_classes = counts.shape[1]
    n_branches = counts.shape[0]
    result = 0.0
    if criterion != HELLINGER:
        for v in range(n_branches):
            weight = 0.0
            part = 0.0
            for k in range(n_classes):
                count = counts[v, k]
                if count > 0.0:
                    weight += count
                    part += count * count if criterion == GINI else count * math.log2(count)
            if weight > 0.0:
                result += part / weight if criterion == GINI else part - weight * math.log2(weight)
        return result
    highest = 0.0
    n_found = 0
    for a in range(n_classes):
        for b in range(a + 1, n_classes if class_rule == MEAN_OVER_PAIRS else a + 2):
            size_a = 0.0
            size_b = 0.0
            overlap = 0.0
            for v in range(n_branches):
                in_b = 0.0
                if class_rule == MEAN_OVER_PAIRS:
                    in_b = counts[v, b]
                else:
                    for k in range(n_classes):
                        in_b += counts[v, k] if k != a else 0.0
                size_a += counts[v, a]
                size_b += in_b
                overlap += math.sqrt(max(counts[v, a] * in_b, 0.0))  # what is left of 0
            if size_a > 0.0 and size_b > 0.0:
                inside = max(2.0 - 2.0 * overlap / math.sqrt(size_a * size_b), 0.0)
                n_found += 1
                result += math.sqrt(inside)
                highest = max(highest, math.sqrt(inside))
    if class_rule == MAX_OVER_REST:
        return total * highest
    return total * result / n_found if n_found > 0 else 0.0


# codes int32 (n,), rows int32 (r,), weight float64 (r,) or (0,) if each counts one; counts
# float64 (b, m, c): zeros before. O(r).
@kernel(lambda codes, rows, *_: rows.size)
def _count_levels(codes, rows, spans, y, weight, stand_in, counts):
    """Count classes by level at each node."""
    has_weight = weight.size > 0
    for node in range(spans.size - 1):
        for j in range(spans[node], spans[node + 1]):
            row = rows[j]
            k = y[row]
            code = codes[row]
            if code < 0:
                code = stand_in[node, k]
            if code >= 0:
                counts[node, code, k] += weight[j] if has_weight else 1.0


# counts float64 (b, m, c); out float64 (b, 4), overwritten: worth times known weight, sum of
# w log2 w over branches, branches with at least the weight asked for, known weight. O(b m c).
@kernel(lambda counts, *_: 2 * counts.size)
def _measure_branches(counts, criterion, class_rule, least, out):
    """Measure the test with one branch for each level."""
    n_classes = counts.shape[2]
    total = np.zeros((1, n_classes))
    for node in range(counts.shape[0]):
        weight = 0.0
        by_branch = 0.0
        n_enough = 0
        for k in range(n_classes):
            total[0, k] = 0.0
        for v in range(counts.shape[1]):
            here = 0.0
            for k in range(n_classes):
                here += counts[node, v, k]
                total[0, k] += counts[node, v, k]
            if here > 0.0:
                weight += here
                by_branch += here * math.log2(here)
                n_enough += 1 if here >= least - 1e-6 else 0
        out[node, 0] = 0.0
        out[node, 1] = by_branch
        out[node, 2] = n_enough
        out[node, 3] = weight
        if n_enough >= 2:
            out[node, 0] = _worth_of(counts[node], criterion, class_rule, weight)
            if criterion != HELLINGER:
                out[node, 0] -= _worth_of(total, criterion, class_rule, weight)


# score float64 (b, d), may bool (b, d), chosen int64 (b,): overwritten. O(b d).
@kernel(lambda score, *_: score.size)
def _first_best(score, may, least, tie, chosen):
    """Choose the first attribute that no later one beats by more than the tie."""
    for node in range(score.shape[0]):
        best = least
        chosen[node] = -1
        for a in range(score.shape[1]):
            if may[node, a] and score[node, a] > best:
                best = score[node, a] + tie
                chosen[node] = a


# counts float64 (b, m, c); weight float64 (b,): of the nodes; least: weight that both sides
# need; rule: criterion, class rule, by ratio, tie; mapping int16 (b, m): set to 0 and 1 where a
# test is found; worth float64 (b,): set to its worth times known weight. O(b m c).
@kernel(lambda counts, *_: 4 * counts.size)
def _one_against_rest(counts, weight, least, rule, mapping, worth):
    """Find the level whose separation from all others is best at each node."""
    criterion, class_rule, by_ratio, tie = rule
    n_nodes, n_levels, n_classes = counts.shape
    both = np.zeros((2, n_classes))
    total = np.zeros((1, n_classes))
    for node in range(n_nodes):
        known = 0.0
        for k in range(n_classes):
            total[0, k] = 0.0
            for v in range(n_levels):
                total[0, k] += counts[node, v, k]
            known += total[0, k]
        base = 0.0
        if criterion != HELLINGER:
            base = _worth_of(total, criterion, class_rule, known)
        best_level = -1
        best = 0.0
        unknown = weight[node] - known
        for v in range(1 if n_levels == 2 else n_levels):
            inside = 0.0
            for k in range(n_classes):
                both[0, k] = counts[node, v, k]
                both[1, k] = total[0, k] - counts[node, v, k]
                inside += both[0, k]
            outside = known - inside
            if inside < least - 1e-6 or outside < least - 1e-6 or inside <= 0 or outside <= 1e-9:
                continue
            result = _worth_of(both, criterion, class_rule, known) - base
            score = result / weight[node]
            if by_ratio:
                info = weight[node] * math.log2(weight[node])
                info -= inside * math.log2(inside) + outside * math.log2(outside)
                info -= unknown * math.log2(unknown) if unknown > 1e-9 else 0.0
                score = result / info if info > 1e-6 else 0.0
            if best_level < 0 or score > best + tie:
                best = score
                best_level = v
                worth[node] = result
        if best_level >= 0:
            for v in range(n_levels):
                mapping[node, v] = 0 if v == best_level else 1


# As _one_against_rest; most: how many levels are divided in all possible ways. O(b m c) for two
# classes, O(b 2**m c) for up to `most` levels present, O(b m c squared) beyond.
@kernel(lambda counts, *_: counts.size << min(counts.shape[1], 20))
def _best_subset(counts, least, rule, most, mapping, worth):
    """Find the division of the levels into two subsets that is worth most at each node."""
    criterion, class_rule, takes_zero, tie = rule
    n_nodes, n_levels, n_classes = counts.shape
    both = np.zeros((2, n_classes))
    size = np.zeros(n_levels)
    order = np.zeros(n_levels, np.int64)
    for node in range(n_nodes):
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
        n_sequences = 1 if n_classes == 2 or is_exhaustive else n_classes
        best = -np.inf if takes_zero else tie * known
        base = 0.0
        for sequence in range(n_sequences):
            if not is_exhaustive:
                for i in range(1, n_present):
                    v = order[i]
                    j = i - 1
                    while j >= 0 and (
                        counts[node, order[j], sequence] * size[v]
                        > counts[node, v, sequence] * size[order[j]]
                    ):
                        order[j + 1] = order[j]
                        j -= 1
                    order[j + 1] = v
            n_divisions = (1 << (n_present - 1)) - 1 if is_exhaustive else n_present - 1
            for division in range(0, n_divisions + 1):
                inside = 0.0
                for k in range(n_classes):
                    both[0, k] = 0.0
                    both[1, k] = 0.0
                for i in range(n_present):
                    v = order[i]
                    is_in = (division >> i & 1) == 1 if is_exhaustive else i < division
                    inside += size[v] if is_in else 0.0
                    for k in range(n_classes):
                        both[0 if is_in else 1, k] += counts[node, v, k]
                result = _worth_of(both, criterion, class_rule, known)
                if division == 0:
                    base = 0.0 if criterion == HELLINGER else result
                    continue
                if inside < least - 1e-6 or known - inside < least - 1e-6:
                    continue
                if result - base > best:
                    best = result - base + tie * known
                    worth[node] = result - base
                    for v in range(n_levels):
                        mapping[node, v] = 1
                    for i in range(n_present):
                        if (division >> i & 1) == 1 if is_exhaustive else i < division:
                            mapping[node, order[i]] = 0
