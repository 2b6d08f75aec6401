# mypy: allow-untyped-defs, allow-untyped-calls
"""Compiled loops that send rows down a tree.

Arrays of the tree are those of `Tree`; X is float64 (n, d) as `encode_table` gives it.
"""

from __future__ import annotations

import math

import numpy as np

from bestofk.trees.compiled import kernel

LEAF, THRESHOLD, MULTIWAY = 0, 1, 2
_TOGETHER = 8  # rows that go down side by side, so that none waits for memory alone


# X float64 (n, d) in any order; leaf int32 (n,): overwritten: number of the leaf, -1 for rows
# whose branch is unknown somewhere. O(n depth).
@kernel(lambda X, *_: 8 * len(X))
def _find_leaves(X, kind, attribute, threshold, first_child, default, lookup_start, lookup, leaf):
    """Find the leaf of each row that has every value that its tests ask for."""
    at = np.zeros(_TOGETHER, np.int32)
    for start in range(0, X.shape[0], _TOGETHER):
        n_here = min(_TOGETHER, X.shape[0] - start)
        for r in range(n_here):
            at[r] = 0
        n_going = n_here
        while n_going > 0:
            n_going = 0
            for r in range(n_here):
                node = at[r]
                if node < 0 or attribute[node] < 0:  # leaves test nothing
                    continue
                n_going += 1
                value = X[start + r, attribute[node]]
                is_right = value > threshold[node]  # that of other tests is nan
                if is_right | (value <= threshold[node]):
                    at[r] = first_child[node] + is_right
                    continue
                branch = -1
                if value >= 0.0 and kind[node] != THRESHOLD:
                    branch = int(value)
                    if kind[node] != MULTIWAY:
                        branch = lookup[lookup_start[node] + branch]
                if branch < 0:
                    branch = default[node]
                at[r] = first_child[node] + branch if branch >= 0 else -1
        for r in range(n_here):
            leaf[start + r] = at[r]


# x float64 (d,): one row; share float64 (n_nodes,): part of the row that reaches each node,
# overwritten where it does; stack int32 (n_nodes,); nodes int32 (n_nodes,): set to the leaves
# reached; returns how many. Ordinal thresholds are in codes. O(nodes reached).
@kernel()
def _spread_row(
    x,
    kind,
    attribute,
    threshold,
    first_child,
    n_children,
    default,
    lookup_start,
    lookup,
    weight,
    share,
    stack,
    nodes,
):
    """Send a row down every branch where its own is unknown, in parts by training weight."""
    n_found = 0
    n_stack = 1
    stack[0] = 0
    share[0] = 1.0
    while n_stack > 0:
        n_stack -= 1
        node = stack[n_stack]
        if kind[node] == LEAF:
            nodes[n_found] = node
            n_found += 1
            continue
        value = x[attribute[node]]
        branch = -1
        if kind[node] == THRESHOLD:
            if not math.isnan(value):
                branch = 0 if value <= threshold[node] else 1
        elif value >= 0.0:
            branch = int(value)
            if kind[node] != MULTIWAY:
                branch = lookup[lookup_start[node] + branch]
        if branch < 0:
            branch = default[node]
        first = first_child[node]
        if branch >= 0:
            share[first + branch] = share[node]
            stack[n_stack] = first + branch
            n_stack += 1
            continue
        total = 0.0
        for child in range(first, first + n_children[node]):
            total += weight[child]
        for child in range(first, first + n_children[node]):
            if weight[child] > 0.0:
                share[child] = share[node] * weight[child] / total
                stack[n_stack] = child
                n_stack += 1
    return n_found


# X float64 (r, d); answers float64 (n_nodes, c); out float64 (r, c), overwritten. O(r nodes).
@kernel(lambda X, kind, *_: len(X) * kind.size)
def _answer_in_parts(
    X,
    kind,
    attribute,
    threshold,
    first_child,
    n_children,
    default,
    lookup_start,
    lookup,
    weight,
    answers,
    out,
):
    """Average the answers of the leaves that the parts of each row reach."""
    n_nodes = kind.size
    share = np.zeros(n_nodes)
    stack = np.zeros(n_nodes, np.int32)
    nodes = np.zeros(n_nodes, np.int32)
    for i in range(X.shape[0]):
        n_found = _spread_row(
            X[i],
            kind,
            attribute,
            threshold,
            first_child,
            n_children,
            default,
            lookup_start,
            lookup,
            weight,
            share,
            stack,
            nodes,
        )
        for k in range(out.shape[1]):
            out[i, k] = 0.0
        for j in range(n_found):
            for k in range(out.shape[1]):
                out[i, k] += share[nodes[j]] * answers[nodes[j], k]


# values float64 (n_nodes,): those of leaves, children numbered after their parents; those of inner
# nodes are overwritten. O(n_nodes).
@kernel(lambda first_child, *_: first_child.size)
def _add_up(first_child, n_children, values):
    """Give every inner node the sum of its children."""
    for back in range(values.size):
        node = values.size - 1 - back
        if n_children[node] > 0:
            total = 0.0
            for child in range(first_child[node], first_child[node] + n_children[node]):
                total += values[child]
            values[node] = total


# rows int64 (t,): rows of X, those of tree p being rows[ends[p]] to rows[ends[p + 1] - 1]; node p
# is its root; X without gaps, all tests by thresholds; leaf int32 (t,): overwritten. O(t depth).
@kernel(lambda X, rows, *_: 8 * rows.size)
def _find_forest_leaves(X, rows, ends, attribute, threshold, first_child, leaf):
    """Find the leaf of each row in the tree that it is sent down."""
    for p in range(ends.size - 1):
        for t in range(ends[p], ends[p + 1]):
            node = p
            while attribute[node] >= 0:
                is_right = X[rows[t], attribute[node]] > threshold[node]
                node = first_child[node] + (1 if is_right else 0)
            leaf[t] = node
