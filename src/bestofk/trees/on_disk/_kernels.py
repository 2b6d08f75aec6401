# mypy: allow-untyped-defs, allow-untyped-calls
"""Compiled loops over chunks of a table on disk.

Shapes: r rows or keys of a chunk, b nodes that are searched, c classes, m levels. `node_class` has
for every row of the table the number of its open node and, in the low `shift` bits, its class; -1
for rows in leaves. The nodes looked at are start..start+b-1. What a search has found so far of a
node is kept between chunks in `state` and `tallies`.
"""

from __future__ import annotations

import math

import numpy as np

from bestofk.trees._pruning_kernels import _estimate
from bestofk.trees._split_search import GINI, HELLINGER, MAX_OVER_REST, MEAN_OVER_PAIRS
from bestofk.trees.compiled import kernel

# Columns of the state of a search: sums of the table over classes on both sides, the last value,
# known rows on the left and in all, the first place of a cut and the gain of a later one over an
# earlier, what a cut must beat, then what was found: how many cuts were possible, the worth of
# the best, the values on its two sides, the rows on its left.
SUM_LEFT, SUM_RIGHT, VALUE, N_LEFT, N_ALL, FIRST, TIE, BEST = 0, 1, 2, 3, 4, 5, 6, 7
CUTS, WORTH, LOW, HIGH, LEFT = 8, 9, 10, 11, 12
STATE_WIDTH = 13
# Rows of the tallies: classes on the left, on the right, and of the last value not yet counted.
ON_LEFT, ON_RIGHT, PENDING = 0, 1, 2
LEAF, THRESHOLD, MULTIWAY = 0, 1, 2


# values float64 (r,), rows int32 (r,): sorted; node_class int32 or int64 (n,); is_counted bool
# (b,): nodes whose sums are updated value by value, not row by row; table float64 (n + 1,):
# k log2 k, or k squared for Gini; rule: criterion, gap, class rule; state float64
# (b, STATE_WIDTH), tallies int32 (b, 3, c): overwritten. O(r).
@kernel(lambda values, *_: 4 * values.size)
def _find_cuts(values, rows, node_class, where, is_counted, table, rule, state, tallies):
    """Continue the search for the best cut of an attribute at all nodes at once."""
    start, shift = where
    criterion, gap, class_rule = rule
    n_nodes, _, n_classes = tallies.shape
    mask = (1 << shift) - 1
    both = np.zeros((2, n_classes))
    for i in range(rows.size):
        at = node_class[rows[i]]
        node = (at >> shift) - start
        if node < 0 or node >= n_nodes or at < 0:
            continue
        value = values[i]
        n_left = int(state[node, N_LEFT])
        if value != state[node, VALUE]:
            if is_counted[node]:
                for k in range(n_classes):
                    count = tallies[node, PENDING, k]
                    if count > 0:
                        tallies[node, PENDING, k] = 0
                        left = tallies[node, ON_LEFT, k]
                        right = tallies[node, ON_RIGHT, k]
                        state[node, SUM_LEFT] += table[left + count] - table[left]
                        state[node, SUM_RIGHT] += table[right - count] - table[right]
                        tallies[node, ON_LEFT, k] = left + count
                        tallies[node, ON_RIGHT, k] = right - count
            before = state[node, VALUE]
            state[node, VALUE] = value
            n = int(state[node, N_ALL])
            first = state[node, FIRST]
            if first <= n_left <= n - first and before + gap < value:
                state[node, CUTS] += 1.0
                sum_left = state[node, SUM_LEFT]
                sum_right = state[node, SUM_RIGHT]
                if criterion == HELLINGER:
                    for k in range(n_classes):
                        both[0, k] = tallies[node, ON_LEFT, k]
                        both[1, k] = tallies[node, ON_RIGHT, k]
                    worth = _worth_of(both, criterion, class_rule, float(n)) - sum_left
                elif criterion == GINI:
                    worth = sum_left / n_left + sum_right / (n - n_left)
                else:
                    worth = sum_left - table[n_left] + sum_right - table[n - n_left]
                if worth > state[node, BEST]:
                    state[node, BEST] = worth + state[node, TIE]
                    state[node, WORTH] = worth
                    state[node, LOW] = before
                    state[node, HIGH] = value
                    state[node, LEFT] = n_left
        k = at & mask
        if is_counted[node]:
            tallies[node, PENDING, k] += 1
        else:
            left = tallies[node, ON_LEFT, k]
            right = tallies[node, ON_RIGHT, k]
            if criterion != HELLINGER:
                state[node, SUM_LEFT] += table[left + 1] - table[left]
                state[node, SUM_RIGHT] += table[right - 1] - table[right]
            tallies[node, ON_LEFT, k] = left + 1
            tallies[node, ON_RIGHT, k] = right - 1
        state[node, N_LEFT] += 1.0


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


# codes float64 (r,), node_class (r,): of the rows of the chunk; counts float64 (b, m, c). O(r).
@kernel(lambda codes, *_: codes.size)
def _count_codes(codes, node_class, where, counts):
    """Count classes by level at each node."""
    start, shift = where
    mask = (1 << shift) - 1
    for i in range(codes.size):
        at = node_class[i]
        node = (at >> shift) - start
        if at >= 0 and 0 <= node < counts.shape[0]:
            counts[node, int(codes[i]), at & mask] += 1.0


# values float64 (columns, r), node_class (r,), overwritten: branch and class; line int32 (b,):
# which of the columns a node tests, -1 for leaves; low float64 (b,): highest value of branch 0,
# nan for levels; lookup_start int64 (b,): where its branches begin in lookup, -1 if the code is the
# branch; lookup int16; first int64 (b,): number of its first branch; counts float64
# (branches, c). O(r).
@kernel(lambda values, node_class, *_: 2 * node_class.size)
def _send_rows(values, node_class, shift, line, low, lookup_start, lookup, first, counts):
    """Send the rows of a chunk to their branches, and count them there."""
    mask = (1 << shift) - 1
    for i in range(node_class.size):
        at = node_class[i]
        if at < 0:
            continue
        node = at >> shift
        if line[node] < 0:
            node_class[i] = -1
            continue
        value = values[line[node], i]
        if math.isnan(low[node]):
            branch = int(value)
            if lookup_start[node] >= 0:
                branch = lookup[lookup_start[node] + branch]
        else:
            branch = 0 if value <= low[node] else 1
        k = at & mask
        counts[first[node] + branch, k] += 1.0
        node_class[i] = ((first[node] + branch) << shift) | k


# node_class (n,), overwritten; opened int64 (branches,): number of each branch in the next level,
# -1 for leaves. O(n).
@kernel(lambda node_class, *_: node_class.size)
def _open_branches(node_class, shift, opened):
    """Give the branches that go on their new numbers, and let go the rows of the others."""
    mask = (1 << shift) - 1
    for i in range(node_class.size):
        at = node_class[i]
        if at >= 0:
            new = opened[at >> shift]
            node_class[i] = -1 if new < 0 else (new << shift) | (at & mask)


# X float64 (r, d); numbers, cut, lookup: as in _pruning_kernels. O(1).
@kernel()
def _branch_of(row, node, numbers, cut, lookup, X):
    """Return the branch of a row at a node, -1 if unknown."""
    value = X[row, numbers[node, 1]]
    branch = -1
    if numbers[node, 0] == THRESHOLD:
        if not math.isnan(value):
            branch = 0 if value <= cut[node] else 1
    elif value >= 0.0:
        branch = int(value)
        if numbers[node, 0] != MULTIWAY:
            branch = lookup[numbers[node, 4] + branch]
    return branch if branch >= 0 else numbers[node, 5]


# numbers int32 (n_nodes, 6): as in _pruning_kernels; is_goal bool (n_nodes,); leads bool
# (n_nodes,), overwritten. Children have higher numbers than their parents. O(n_nodes).
@kernel(lambda numbers, *_: 3 * len(numbers))
def _find_ways(numbers, is_goal, leads):
    """Find the nodes from which rows may come to one of some nodes."""
    for node in range(numbers.shape[0] - 1, -1, -1):
        leads[node] = is_goal[node]
        if numbers[node, 0] != LEAF:
            for v in range(numbers[node, 3]):
                if leads[numbers[node, 2] + v]:
                    leads[node] = True


# X float64 (r, d); cut, lookup: as in _pruning_kernels; leads (n_nodes,): as _find_ways sets it;
# out int32 (r,), overwritten: the first node that is a goal, -1 for rows that come to none.
# O(r depth).
@kernel(lambda X, *_: 10 * len(X))
def _reach(X, numbers, cut, lookup, is_goal, leads, out):
    """Send the rows of a chunk down until they come to one of some nodes."""
    for i in range(out.size):
        node = 0
        while leads[node] and not is_goal[node]:
            node = numbers[node, 2] + _branch_of(i, node, numbers, cut, lookup, X)
        out[i] = node if is_goal[node] else -1


# As _reach; y int16 (r,); at int32 (r,): as _reach leaves it; counts float64 (n_nodes, c). O(r
# depth).
@kernel(lambda X, *_: 10 * len(X))
def _count_leaves(X, y, at, begin, numbers, cut, lookup, counts):
    """Send the rows that came to a goal down from another node, and count them in leaves."""
    for i in range(y.size):
        if at[i] >= 0:
            node = begin
            while numbers[node, 0] != LEAF:
                node = numbers[node, 2] + _branch_of(i, node, numbers, cut, lookup, X)
            counts[node, y[i]] += 1.0


# numbers int32 (n_nodes, 6); is_below bool (n_nodes,): true for the roots of subtrees, set for
# the nodes below; counts float64 (n_nodes, c): those of leaves, set for inner nodes; estimates
# float64 (n_nodes,): set. Children have higher numbers than their parents. O(n_nodes c).
@kernel(lambda numbers, is_below, counts, *_: 4 * counts.size)
def _sum_up(numbers, is_below, counts, bound, estimates):
    """Sum counts and estimated errors of subtrees from their leaves."""
    for node in range(numbers.shape[0]):
        if is_below[node] and numbers[node, 0] != LEAF:
            for v in range(numbers[node, 3]):
                is_below[numbers[node, 2] + v] = True
    for node in range(numbers.shape[0] - 1, -1, -1):
        if not is_below[node]:
            continue
        if numbers[node, 0] == LEAF:
            estimates[node] = _estimate(counts[node], bound)
            continue
        estimates[node] = 0.0
        for k in range(counts.shape[1]):
            counts[node, k] = 0.0
        for v in range(numbers[node, 3]):
            child = numbers[node, 2] + v
            estimates[node] += estimates[child]
            for k in range(counts.shape[1]):
                counts[node, k] += counts[child, k]
