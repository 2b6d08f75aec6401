# mypy: allow-untyped-defs, allow-untyped-calls
"""Compiled loops that divide the rows of a level among the branches of its tests.

Shapes and keys are those of `_kernels`. No function calls another.
"""

from __future__ import annotations

import math

from bestofk.trees._kernels import ROW_MASK
from bestofk.trees.compiled import kernel


# keys int64 (lists, >= r); line int32 (b,): which list a node tests, -1 for none; left
# float64 (b,): how many of its keys go to branch 0; side int16 (n,) by row, overwritten. O(r).
@kernel(lambda keys, spans, *_: int(spans[-1]))
def _send_listed(keys, spans, line, left, side):
    """Send the rows of nodes that test a listed attribute to their branches."""
    for node in range(spans.size - 1):
        if line[node] >= 0:
            for i in range(spans[node], spans[node + 1]):
                is_right = i >= spans[node] + left[node]
                side[keys[line[node], i] & ROW_MASK] = 1 if is_right else 0


# codes int32 (., n); line int32 (b,): which of them a node tests, -1 for none; cut float64 (b,):
# highest rank of branch 0, nan for levels; mapping int16 (b, m): branch of each level;
# stand_in int32 (b, c); side int16 by row if is_by_row, else by place, overwritten: branch,
# -1 unknown. O(r).
@kernel(lambda codes, rows, *_: rows.size)
def _send_coded(codes, rows, spans, y, line, cut, mapping, stand_in, is_by_row, side):
    """Send the rows of nodes that test a ranked or nominal attribute to their branches."""
    for node in range(spans.size - 1):
        if line[node] < 0:
            continue
        for j in range(spans[node], spans[node + 1]):
            row = rows[j]
            code = codes[line[node], row]
            if code < 0:
                code = stand_in[node, y[row]]
            branch = -1
            if code >= 0:
                if math.isnan(cut[node]):
                    branch = mapping[node, code]
                else:
                    branch = 0 if code <= cut[node] else 1
            side[row if is_by_row else j] = branch


# side as _send_coded leaves it; first int64 (b,): number of the first branch of each node, -1
# for leaves; weight float64 (r,) or (0,); known float64 (branches, c), unknown float64 (b, c):
# zeros before. O(r).
@kernel(lambda rows, *_: rows.size)
def _tally(rows, spans, y, side, first, weight, known, unknown):
    """Sum the class weights of every branch, and of the rows whose branch is unknown."""
    is_counting = weight.size == 0
    for node in range(spans.size - 1):
        if first[node] < 0:
            continue
        for j in range(spans[node], spans[node + 1]):
            k = y[rows[j]]
            branch = side[rows[j]] if is_counting else side[j]
            if is_counting:
                known[first[node] + branch, k] += 1.0
            elif branch >= 0:
                known[first[node] + branch, k] += weight[j]
            else:
                unknown[node, k] += weight[j]


# As _tally; opened int32 (branches,): number of each branch in the next level, -1 for leaves;
# filled int64 (new b,): where each begins, new_rows int32 (new r,): overwritten. O(r).
@kernel(lambda rows, *_: rows.size)
def _hand_rows(rows, spans, side, first, opened, filled, out):
    """Hand the rows of a level down to the next, all branches being known."""
    for node in range(spans.size - 1):
        if first[node] < 0:
            continue
        for j in range(spans[node], spans[node + 1]):
            new = opened[first[node] + side[rows[j]]]
            if new >= 0:
                out[filled[new]] = rows[j]
                filled[new] += 1


# As _hand_rows; keys int64 (lists, >= r), overwritten in place: nodes come in order, and what
# is handed down is never ahead of what is read; begins int64 (new b,): where the new nodes
# begin; buffer int64 (>= largest node,), filled int64 (most branches,): overwritten. Node by
# node, so that `side` of its rows stays near. O(lists r).
@kernel(lambda keys, spans, *_: len(keys) * int(spans[-1]))
def _hand_keys(keys, spans, side, first, last, opened, begins, filled, buffer):
    """Hand the sorted keys of a level down to the next, each node sorted as before."""
    for node in range(spans.size - 1):
        if first[node] < 0:
            continue
        n_branches = last[node] - first[node]
        begin = -1
        for v in range(n_branches):
            new = opened[first[node] + v]
            if new >= 0 and begin < 0:
                begin = begins[new]
        if begin < 0:
            continue
        for a in range(keys.shape[0]):
            for v in range(n_branches):
                new = opened[first[node] + v]
                filled[v] = begins[new] - begin if new >= 0 else -1
            total = 0
            for i in range(spans[node], spans[node + 1]):
                v = side[keys[a, i] & ROW_MASK]
                at = filled[v]
                if at >= 0:
                    buffer[at] = keys[a, i]
                    filled[v] = at + 1
                    total += 1
            for i in range(total):
                keys[a, begin + i] = buffer[i]


# As _hand_rows; weight float64 (r,), side int16 (r,); shares float64 (branches,): part of an
# unknown row that a branch gets; last int64 (b,): end of the branches of a node. O(r branches).
@kernel(lambda rows, *_: 2 * rows.size)
def _hand_parts(
    rows, weight, spans, side, first, last, opened, shares, filled, new_rows, new_weight
):
    """Hand the rows of a level down to the next; unknown ones in parts to all branches."""
    for node in range(spans.size - 1):
        if first[node] < 0:
            continue
        for j in range(spans[node], spans[node + 1]):
            low = first[node] + max(side[j], 0)
            high = low + 1 if side[j] >= 0 else last[node]
            for branch in range(low, high):
                new = opened[branch]
                share = 1.0 if side[j] >= 0 else shares[branch]
                if new >= 0 and share > 1e-6:
                    new_rows[filled[new]] = rows[j]
                    new_weight[filled[new]] = weight[j] * share
                    filled[new] += 1
