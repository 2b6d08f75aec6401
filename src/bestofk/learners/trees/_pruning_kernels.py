"""Compiled loops for error-based pruning with subtree raising.

Arrays of the tree are those of `Tree`; a row of the training table that reaches a node is a
number and a weight. Node numbers grow from parent to child until subtrees are raised.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numba import njit

LEAF, THRESHOLD, MULTIWAY = 0, 1, 2


# O(1).
@njit(cache=True, error_model="numpy")
def _added_errors(weight: float, errors: float, bound: Any) -> float:
    """Return what the upper bound of the error adds to the errors seen (Quinlan 1993)."""
    confidence, z, is_r8 = bound
    if weight <= 0.0 or confidence > 0.5 and not is_r8:
        return 0.0
    base = weight * (1.0 - math.exp(math.log(confidence) / weight)) if confidence > 0.0 else weight
    if errors < 1e-6:
        return base
    if errors < (0.9999 if is_r8 else 1.0):
        return base + errors * (_added_at_least_one(weight, 1.0, z, is_r8) - base)
    return _added_at_least_one(weight, errors, z, is_r8)


# O(1).
@njit(cache=True, error_model="numpy")
def _added_at_least_one(weight: float, errors: float, z: float, is_r8: bool) -> float:
    if errors + 0.5 >= weight:
        return max((0.67 if is_r8 else 1.0) * (weight - errors), 0.0)
    f = (errors + 0.5) / weight
    square = z * z
    spread = f / weight - f * f / weight + square / (4.0 * weight * weight)
    upper = (f + square / (2.0 * weight) + z * math.sqrt(spread)) / (1.0 + square / weight)
    return weight * upper - errors


# counts float64 (c,). O(c).
@njit(cache=True, error_model="numpy")
def _estimate(counts: Any, bound: Any) -> float:
    """Return errors of a leaf, seen and added."""
    weight = 0.0
    highest = 0.0
    for k in range(counts.size):
        weight += counts[k]
        highest = max(highest, counts[k])
    if weight <= 1e-6:
        return 0.0
    return weight - highest + _added_errors(weight, weight - highest, bound)


# numbers int32 (n_nodes, 6): kind, attribute, first child, children, start in lookup, default
# branch; cut float64 (n_nodes,); X float64 (n, d). O(1).
@njit(cache=True, error_model="numpy")
def _branch_of(row: int, node: int, numbers: Any, cut: Any, lookup: Any, X: Any) -> int:
    """Return the branch of a training row at a node, -1 if unknown."""
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


# rows int32 (r,), weight float64 (r,); spans int64 (branches + 1,): overwritten. Returns the rows
# and weights of the branches, end to end. O(r branches).
@njit(cache=True, error_model="numpy")
def _divided(
    node: int, rows: Any, weight: Any, numbers: Any, cut: Any, lookup: Any, X: Any, spans: Any
) -> Any:
    """Divide rows among the branches of a node; unknown ones in parts by the known weights."""
    n_branches = numbers[node, 3]
    side = np.empty(rows.size, np.int32)
    known = np.zeros(n_branches)
    n_unknown = 0
    total = 0.0
    for i in range(n_branches + 1):
        spans[i] = 0
    attribute = numbers[node, 1]
    is_cut = numbers[node, 0] == THRESHOLD
    threshold = cut[node]
    for i in range(rows.size):
        value = X[rows[i], attribute]
        if is_cut and value <= threshold:
            v = 0
        elif is_cut and value > threshold:
            v = 1
        else:
            v = _branch_of(rows[i], node, numbers, cut, lookup, X)
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
        v = side[i]
        if v >= 0:
            new_rows[filled[v]] = rows[i]
            new_weight[filled[v]] = weight[i]
            filled[v] += 1
            continue
        for v in range(n_branches):
            share = known[v] / total if total > 0.0 else 0.0
            if share > 1e-6:
                new_rows[filled[v]] = rows[i]
                new_weight[filled[v]] = weight[i] * share
                filled[v] += 1
    return new_rows, new_weight


# tree: numbers, cut, lookup, X, y, bound; counts float64 (n_nodes, c). With `counts` of no rows
# only the estimate is wanted, and none above the limit is finished. O(r depth).
@njit(cache=True, error_model="numpy")
def _send_down(
    node: int, rows: Any, weight: Any, tree: Any, counts: Any, estimates: Any, limit: float
) -> float:
    """Send rows down a subtree; return its estimated errors with just these rows.

    Class weights and estimates of the nodes are set anew, where there is room for them.
    """
    numbers, cut, lookup, X, y, bound = tree
    own = np.zeros(counts.shape[1])
    for i in range(rows.size):
        own[y[rows[i]]] += weight[i]
    if counts.shape[0] > 0:
        for k in range(own.size):
            counts[node, k] = own[k]
    if numbers[node, 0] == LEAF:
        found = _estimate(own, bound)
    else:
        found = 0.0
        n_branches = numbers[node, 3]
        spans = np.empty(n_branches + 1, np.int64)
        new_rows, new_weight = _divided(node, rows, weight, numbers, cut, lookup, X, spans)
        for v in range(n_branches):
            part = slice(spans[v], spans[v + 1])
            child = numbers[node, 2] + v
            below, parts = new_rows[part], new_weight[part]
            found += _send_down(child, below, parts, tree, counts, estimates, limit - found)
            if found > limit:
                return found
    if counts.shape[0] > 0:
        estimates[node] = found
    return found


# As _send_down; none: counts with room for no node; raises: whether the largest branch, the last
# of equals, may take the place of its parent. Overwrites numbers, cut, counts and estimates.
# O(r depth squared) at worst.
@njit(cache=True, error_model="numpy")
def _prune_errors(
    node: int, rows: Any, weight: Any, tree: Any, counts: Any, estimates: Any, none: Any, raises: bool
) -> int:
    """Prune a subtree from the bottom by estimated errors; return 1 if its root is a leaf."""
    numbers, cut, lookup, X, _, bound = tree
    if numbers[node, 0] == LEAF:
        estimates[node] = _estimate(counts[node], bound)
        return 1
    n_branches = numbers[node, 3]
    spans = np.zeros(n_branches + 1, np.int64)
    new_rows, new_weight = rows, weight
    if raises:
        new_rows, new_weight = _divided(node, rows, weight, numbers, cut, lookup, X, spans)
    of_tree = 0.0
    largest = 0
    highest = -1.0
    for v in range(n_branches):
        part = slice(spans[v], spans[v + 1])
        child = numbers[node, 2] + v
        _prune_errors(
            child, new_rows[part], new_weight[part], tree, counts, estimates, none, raises
        )
        of_tree += estimates[child]
        size = 0.0
        for k in range(counts.shape[1]):
            size += counts[child, k]
        if size >= highest - 1e-6:
            highest = size
            largest = child
    of_branch = np.inf
    of_leaf = _estimate(counts[node], bound)
    if raises:
        limit = of_tree + 0.1 + 1e-6
        if of_leaf <= limit:
            limit = max(limit, of_leaf - 0.1)
        of_branch = _send_down(largest, rows, weight, tree, none, estimates, limit)
    estimates[node] = of_tree
    if of_leaf <= of_tree + 0.1 + 1e-6 and of_leaf <= of_branch + 0.1 + 1e-6:
        numbers[node, 0] = LEAF
        estimates[node] = of_leaf
        return 1
    if of_branch <= of_tree + 0.1 + 1e-6:
        for i in range(6):
            numbers[node, i] = numbers[largest, i]
        cut[node] = cut[largest]
        _send_down(node, rows, weight, tree, counts, estimates, np.inf)
        _prune_errors(node, rows, weight, tree, counts, estimates, none, raises)
    return 1 if numbers[node, 0] == LEAF else 0
