"""Compiled loop of nearest neighbors where a list has the order of every part.

It goes along the list of a row for all repeats side by side, so that one instruction does a step
of several of them. See `_neighbor_kernels` for the lists and the words.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from bestofk.trees.compiled import kernel

# Squared distances this near, relative to one another, are equal.
_TIE = 1e-10


# folds int32 (n_rows, R), rows in the order of points; list_start to zero, first to value: as of
# `_walk`; n_found int64 (R,), sums float64 (n_sums, R): room; is_left bool (n_rows, R): set False
# where scores float64 (R n_rows, n_sums) and best int64 (R n_rows,) are written. O(R n_rows k).
@kernel(lambda folds, k, *_: folds.size * (4 * k + 20), _nrt=False)
def _vote_in_order(
    folds: Any, k: int, list_start: Any, near: Any, keys: Any, horizon: Any, zero: Any, first: Any,
    members: Any, code: Any, value: Any, n_found: Any, sums: Any, is_left: Any, scores: Any,
    best: Any,
) -> None:  # fmt: skip
    """Predict by the first k of a list that train, where nothing is as far as the last."""
    n_repeats = folds.shape[1]
    for g in range(zero.size):
        m = first[g]
        end = list_start[g + 1]
        for r in range(n_repeats):
            n_found[r] = 0
        for c in range(sums.shape[0]):
            for r in range(n_repeats):
                sums[c, r] = 0.0
        for at in range(list_start[g], end):
            t = first[near[at]]
            if not 0.0 <= keys[at] < np.inf or first[near[at] + 1] - t > 1:
                break
            limit = max(keys[at] * (1.0 + _TIE), zero[g])
            if not horizon[g] > limit or (at + 1 < end and keys[at + 1] <= limit):
                for r in range(n_repeats):  # others may be as far as this, where it is the last
                    if n_found[r] == k - 1 and folds[t, r] != folds[m, r]:
                        n_found[r] = k + 1
            if _take(folds[t], folds[m], k, value[t], n_found, sums[code[t]]) == 0:
                break
        for r in range(n_repeats):
            if n_found[r] != k:
                continue
            row = r * members.size + members[m]
            largest = 0
            for c in range(sums.shape[0]):
                scores[row, c] = sums[c, r] / k
                if sums[c, r] > sums[largest, r]:
                    largest = c
            best[row] = largest
            is_left[m, r] = False


# other, own int32 (R,): folds of a candidate and of the row; n_found int64 (R,), sums float64 (R,):
# added to where it trains and is wanted. Returns the repeats that want more. O(R).
@kernel(_nrt=False)
def _take(other: Any, own: Any, k: int, value: float, n_found: Any, sums: Any) -> int:
    """Count one candidate."""
    n_open = 0
    for r in range(own.size):
        is_taken = (other[r] != own[r]) & (n_found[r] < k)
        n_found[r] += 1 if is_taken else 0
        sums[r] += value if is_taken else 0.0
        n_open += 1 if n_found[r] < k else 0
    return n_open
