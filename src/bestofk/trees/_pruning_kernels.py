# mypy: allow-untyped-defs, allow-untyped-calls
"""Compiled loops for error-based pruning with subtree raising.

A tree is `numbers` int32 (n_nodes, 6): kind, attribute, first child, children, start in lookup,
default branch; `cut` float64 (n_nodes,); `lookup` int32. A row of the training table X float64
(n, d) that reaches a node is a number and a weight.
"""

from __future__ import annotations

import math

import numpy as np

from bestofk.trees.compiled import kernel

LEAF, THRESHOLD, MULTIWAY = 0, 1, 2


# bound: confidence, normal deviate, whether as in Release 8. O(1).
@kernel()
def _added_errors(weight, errors, bound):
    """Return what the upper bound of the error adds to the errors seen (Quinlan 1993)."""
    confidence, z, is_r8 = bound
    if weight <= 0.0 or (confidence > 0.5 and not is_r8):
        return 0.0
    base = weight
    if confidence > 0.0:
        base = weight * (1.0 - math.exp(math.log(confidence) / weight))
    if errors < 1e-6:
        return base
    share = 1.0
    if errors < (0.9999 if is_r8 else 1.0):
        share = errors
        errors = 1.0
    if errors + 0.5 >= weight:
        added = max((0.67 if is_r8 else 1.0) * (weight - errors), 0.0)
    else:
        f = (errors + 0.5) / weight
        square = z * z
        spread = f / weight - f * f / weight + square / (4.0 * weight * weight)
        upper = (f + square / (2.0 * weight) + z * math.sqrt(spread)) / (1.0 + square / weight)
        added = weight * upper - errors
    return added if share == 1.0 else base + share * (added - base)


# counts float64 (c,). O(c).
@kernel(lambda counts, *_: counts.size)
def _estimate(counts, bound):
    """Return errors of a leaf, seen and added."""
    weight = 0.0
    highest = 0.0
    for k in range(counts.size):
        weight += counts[k]
        highest = max(highest, counts[k])
    if weight <= 1e-6:
        return 0.0
    return weight - highest + _added_errors(weight, weight - highest, bound)


# rows int32 (r,), weight float64 (r,); spans int64 (branches + 1,): overwritten. Returns the rows
# and weights of the branches, end to end. O(r branches).
@kernel(lambda node, rows, *_: 2 * rows.size)
def _divided(node, rows, weight, numbers, cut, lookup, X, spans):
    """Divide rows among the branches of a node; unknown ones in parts by the known weights."""
    attribute = numbers[node, 1]
    n_branches = numbers[node, 3]
    start = numbers[node, 4]
    default = numbers[node, 5]
    threshold = cut[node]
    is_cut = numbers[node, 0] == THRESHOLD
    is_looked_up = numbers[node, 0] != MULTIWAY
    side = np.empty(rows.size, np.int32)
    known = np.zeros(n_branches)
    n_unknown = 0
    total = 0.0
    for i in range(n_branches + 1):
        spans[i] = 0
    for i in range(rows.size):
        value = X[rows[i], attribute]
        v = -1
        if is_cut:
            if value <= threshold:
                v = 0
            elif value > threshold:
                v = 1
        elif value >= 0.0:
            v = int(value)
            if is_looked_up:
                v = lookup[start + v]
        v = v if v >= 0 else default
        side[i] = v
        if v >= 0:
            known[v] += weight[i]
            total += weight[i]
            spans[v + 1] += 1
        else:
            n_unknown += 1
    for v in range(n_branches):
        if n_unknown > 0 and known[v] > 1e-6 * total:
            spans[v + 1] += n_unknown
        spans[v + 1] += spans[v]
    new_rows = np.empty(spans[n_branches], np.int32)
    new_weight = np.empty(spans[n_branches])
    filled = np.empty(n_branches, np.int64)
    for v in range(n_branches):
        filled[v] = spans[v]
    for i in range(rows.size):
        low = max(side[i], 0)
        high = low + 1 if side[i] >= 0 else n_branches
        for v in range(low, high):
            share = 1.0
            if side[i] < 0:
                share = known[v] / total if total > 0.0 else 0.0
            if share > 1e-6:
                new_rows[filled[v]] = rows[i]
                new_weight[filled[v]] = weight[i] * share
                filled[v] += 1
    return new_rows, new_weight


# counts float64 (n_nodes, c), or (0, c) if only the estimate is wanted; own float64 (c,):
# overwritten. Nothing is finished once the estimate is above the limit. O(r depth).
@kernel(lambda root, rows, *_: 10 * rows.size)
def _reach(root, rows, weight, numbers, cut, lookup, X, y, bound, limit, own, counts):
    """Send rows down a subtree; return its estimated errors with just these rows.

    Class weights of the nodes are set anew, where there is room for them.
    """
    result = 0.0
    pending_rows = [rows]
    pending_weight = [weight]
    pending = [root]
    while len(pending) > 0:
        node = pending.pop()
        here = pending_rows.pop()
        parts = pending_weight.pop()
        for k in range(own.size):
            own[k] = 0.0
        for i in range(here.size):
            own[y[here[i]]] += parts[i]
        if counts.shape[0] > 0:
            for k in range(own.size):
                counts[node, k] = own[k]
        if numbers[node, 0] == LEAF:
            result += _estimate(own, bound)
            if result > limit:
                return result
            continue
        spans = np.empty(numbers[node, 3] + 1, np.int64)
        new_rows, new_weight = _divided(node, here, parts, numbers, cut, lookup, X, spans)
        for v in range(numbers[node, 3]):
            if spans[v + 1] > spans[v] or counts.shape[0] > 0:
                pending.append(numbers[node, 2] + v)
                pending_rows.append(new_rows[spans[v] : spans[v + 1]])
                pending_weight.append(new_weight[spans[v] : spans[v + 1]])
    return result
