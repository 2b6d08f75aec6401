# mypy: allow-untyped-defs, allow-untyped-calls
"""Compiled loops that take the rows of parts out of a sorted table.

Keys are those of `_kernels`: rank, class and row of each value in one number.
"""

from __future__ import annotations

import numpy as np

from bestofk.trees._kernels import ROW_MASK
from bestofk.trees.compiled import kernel


# keys int64 (lists, n); new_row int32 (n,): new number of each row, -1 for rows left out; out
# int64 (lists, r), overwritten. O(lists n).
@kernel(lambda keys, *_: keys.size)
def _take_keys(keys, new_row, out):
    """Copy the keys of some rows, numbered anew, each list sorted as before."""
    for a in range(keys.shape[0]):
        filled = 0
        for i in range(keys.shape[1]):
            new = new_row[keys[a, i] & ROW_MASK]
            if new >= 0:
                out[a, filled] = (keys[a, i] & ~ROW_MASK) | new
                filled += 1


# keys int64 (lists, n); row_start int64 (n + 1,): the entries of row i are at row_start[i] to
# row_start[i + 1] - 1 of part and new_row, int64 (r,): which part, and its new row; starts int64
# (parts + 1,): where each part begins; out int64 (lists, r): overwritten. O(lists (n + r)).
@kernel(lambda keys, *given: keys.size + given[-1].size)
def _deal_keys(keys, row_start, part, new_row, starts, out):
    """Copy the keys of the rows of several parts, numbered anew, each list sorted as before."""
    filled = np.empty(starts.size, np.int64)
    for a in range(keys.shape[0]):
        for p in range(starts.size):
            filled[p] = starts[p]
        for i in range(keys.shape[1]):
            row = keys[a, i] & ROW_MASK
            rest = keys[a, i] & ~ROW_MASK
            for t in range(row_start[row], row_start[row + 1]):
                p = part[t]
                out[a, filled[p]] = rest | new_row[t]
                filled[p] += 1


# column float64 (n,); rows int64 (r,), those of part p being rows[starts[p]] to
# rows[starts[p + 1] - 1]; part int64 (cuts,); limit float64 (cuts,); result float64 (cuts,):
# overwritten, -inf where there is none. O(cuts r / parts).
@kernel(lambda column, rows, starts, part, *_: part.size * rows.size // max(starts.size - 1, 1))
def _largest_within(column, rows, starts, part, limit, is_strict, result):
    """Find the largest value of a part that is not above a limit, or below it if strict."""
    for c in range(part.size):
        result[c] = -np.inf
        for t in range(starts[part[c]], starts[part[c] + 1]):
            value = column[rows[t]]
            is_within = value < limit[c] if is_strict else value <= limit[c]
            if is_within and value > result[c]:
                result[c] = value
