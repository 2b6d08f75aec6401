"""Compiled loops of nearest neighbors: lists of the nearest rows, and walks along them.

A point is a distinct row. What the loops read, as named tuples: `Points` (points and their
rows), `Rare` (columns where few points differ from most), `Lists` (near points of each),
`Weights` (what the columns count in each part) and `Bounds` (what that does to distances).
Small loops are marked for inlining: passing their many arrays would cost more than they do.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numba import njit

# Squared distances this near, relative to one another, are equal.
_TIE = 1e-10
# Bounds are weakened by this share, so that rounding never makes them wrong.
_SLACK = 1e-9


class Points(NamedTuple):
    """Distinct rows: point g has the rows members[first[g] : first[g + 1]]."""

    X: Any  # (n_points, n_columns) float64
    gaps: Any  # (n_points, n_columns) bool, where to fill; (0, 0) if nowhere
    has_gap: Any  # (n_points,) bool
    zero: Any  # (n_points,) float64, squared distances that are rounding alone
    lone: Any  # (n_points,) int64, the row of a point that has one row, else -1
    first: Any  # (n_points + 1,) int64
    members: Any  # (n_rows,) int64
    code: Any  # (n_rows,) int64, which sum a row counts in
    value: Any  # (n_rows,) float64, what it counts


class Rare(NamedTuple):
    """Columns where few points differ from most: the r-th is column[r], most have mode[r]."""

    column: Any  # (n_rare,) int64
    mode: Any  # (n_rare,) float64
    own_start: Any  # (n_points + 1,) int64
    own: Any  # int64, the rare columns in which a point differs, point by point
    kin_start: Any  # (n_points + 1,) int64
    kin: Any  # int64, points that differ in a column with it, itself if it has more rows


class Lists(NamedTuple):
    """Near points, but for kin, in the order of distances under the columns' usual weights."""

    near: Any  # (n_points, length) int32
    key: Any  # (n_points, length) float64, ascending, inf behind the end of a short list
    horizon: Any  # (n_points,) float64, no point outside of list and kin has a smaller key
    usual: Any  # (n_columns,) float64, the weights behind keys


class Weights(NamedTuple):
    """What a squared difference counts in each part, and what fills gaps there."""

    weight: Any  # (n_parts, n_columns) float64, the parts of one repeat after those of another
    fill: Any  # the same shape; (0, 0) if nothing is filled
    moved: Any  # the same, how far fills are from those behind keys


class Bounds(NamedTuple):
    """What bounds squared distances in each part; rare columns that are constant left out."""

    most: Any  # (n_parts,) float64, the largest share a usual weight has of that of the part
    drift: Any  # (n_parts,) float64, how far filling moves a row at most
    is_usual: Any  # (n_parts,) bool, whether all columns count as usual


# start int64 (b + 1,), found int64: the candidates of point begin + i are found[start[i] :
# start[i + 1]], overwritten; distance float64, seen int64 (zeros at first): room for all points,
# overwritten. Writes rows begin.. of the lists. O(candidates p).
@njit(cache=True, nogil=True, error_model="numpy", _nrt=False)
def _list_near(
    begin: int, start: Any, found: Any, X: Any, rare: Any, lists: Any, distance: Any, seen: Any
) -> None:
    """Write the nearest points of some points, exactly, and what is surely not nearer."""
    near, keys, horizon, usual = lists
    kin, kin_start = rare.kin, rare.kin_start
    for b in range(start.size - 1):
        g = begin + b
        seen[g] = g + 1
        for t in range(kin_start[g], kin_start[g + 1]):
            seen[kin[t]] = g + 1
        count = np.int64(0)
        for t in range(start[b], start[b + 1]):
            j = found[t]
            if seen[j] != g + 1:
                found[count] = j
                count += 1
        for c in range(count):
            j = found[c]
            square = 0.0
            for q in range(usual.size):
                apart = X[g, q] - X[j, q]
                square += usual[q] * apart * apart
            distance[c] = square
        _sort(distance, found, count)
        if count > near.shape[1]:
            count = near.shape[1]
            if distance[count] < horizon[g]:
                horizon[g] = distance[count]
        for c in range(count):
            near[g, c] = found[c]
            keys[g, c] = distance[c]


# distance float64, found int64: the first count entries are sorted together. O(count^1.3).
@njit(inline="always", error_model="numpy")
def _sort(distance: Any, found: Any, count: int) -> None:
    """Sort by distance, then by number (Shell's sort with gaps of Knuth)."""
    gap = 1
    while gap < count // 3:
        gap = 3 * gap + 1
    while gap > 0:
        for c in range(gap, count):
            square = distance[c]
            j = found[c]
            at = c - gap
            while at >= 0 and (distance[at] > square or (distance[at] == square and found[at] > j)):
                distance[at + gap] = distance[at]
                found[at + gap] = found[at]
                at -= gap
            distance[at + gap] = square
            found[at + gap] = j
        gap //= 3


# X float64 (n_points, p), weight float64 (n_parts, p). Stops once the sum is above the limit. O(p).
@njit(inline="always", error_model="numpy")
def _square(g: int, j: int, X: Any, part: int, weight: Any, limit: float) -> float:
    """Return the squared distance of two points in a part, or some number above the limit."""
    square = 0.0
    n_columns = weight.shape[1]
    q = 0
    while q + 8 <= n_columns and square <= limit:
        s0 = 0.0
        s1 = 0.0
        s2 = 0.0
        s3 = 0.0
        for e in range(q, q + 8, 4):
            d0 = X[g, e] - X[j, e]
            d1 = X[g, e + 1] - X[j, e + 1]
            d2 = X[g, e + 2] - X[j, e + 2]
            d3 = X[g, e + 3] - X[j, e + 3]
            s0 += weight[part, e] * d0 * d0
            s1 += weight[part, e + 1] * d1 * d1
            s2 += weight[part, e + 2] * d2 * d2
            s3 += weight[part, e + 3] * d3 * d3
        square += (s0 + s1) + (s2 + s3)
        q += 8
    if square > limit:
        return square
    while q < n_columns:
        apart = X[g, q] - X[j, q]
        square += weight[part, q] * apart * apart
        q += 1
    return square


# gaps bool (n_points, p), fill float64 (n_parts, p): what stands where gaps are. O(p).
@njit(inline="always", error_model="numpy")
def _filled_square(g: int, j: int, X: Any, gaps: Any, part: int, weight: Any, fill: Any) -> float:
    """Return the squared distance of two points in a part that fills their gaps."""
    square = 0.0
    for q in range(weight.shape[1]):
        a = fill[part, q] if gaps[g, q] else X[g, q]
        b = fill[part, q] if gaps[j, q] else X[j, q]
        square += weight[part, q] * (a - b) * (a - b)
    return square


# near_square float64, near_point, near_rows int64: the n_kept candidates so far, nearest first,
# one is put in and those beyond the new limit are dropped. O(candidates).
@njit(inline="always", error_model="numpy")
def _put(
    new: float, j: int, n_rows: int, k: int, zero: float, near_square: Any, near_point: Any,
    near_rows: Any, n_kept: int,
) -> tuple[int, float]:  # fmt: skip
    """Put in a candidate; return how many are left, and the limit of squared distances."""
    at = n_kept
    while at > 0 and near_square[at - 1] > new:
        near_square[at] = near_square[at - 1]
        near_point[at] = near_point[at - 1]
        near_rows[at] = near_rows[at - 1]
        at -= 1
    near_square[at] = new
    near_point[at] = j
    near_rows[at] = n_rows
    n_kept += 1
    total = 0
    for c in range(n_kept):
        total += near_rows[c]
        if total >= k:
            limit = near_square[c] * (1.0 + _TIE)
            limit = limit if limit > zero else zero
            while near_square[n_kept - 1] > limit:
                n_kept -= 1
            return n_kept, limit
    return n_kept, np.inf


# O(1).
@njit(inline="always", error_model="numpy")
def _last_key(limit: float, apart: float, usual_apart: float, most: float, drift: float) -> float:
    """Return the key beyond which no point is within a limit.

    `apart` is what rare columns add to all squared distances, `usual_apart` what they add to
    all keys, `most` the largest share that usual weights have of those of the part.
    """
    rest = limit * (1.0 + _SLACK) - apart
    if rest < 0.0:
        rest = 0.0
    if drift > 0.0:
        rest = (np.sqrt(rest) + drift) ** 2
    return (usual_apart + rest * most) * (1.0 + _SLACK)


# near_*: as in _put; row of sums float64 (rows, n_sums) and of best int64 (rows,): overwritten.
# is_all: whether all tied rows count, or of them the first ones, so that k count. O(rows of
# candidates), times k for ties of the latter.
@njit(inline="always", error_model="numpy")
def _vote(
    r: int, fold: int, folds: Any, k: int, is_all: bool, near_square: Any, near_point: Any,
    near_rows: Any, n_kept: int, lone: Any, first: Any, members: Any, code: Any, value: Any,
    row: int, sums: Any, best: Any,
) -> None:  # fmt: skip
    """Add up what the neighbors count, divided by their number; note the largest sum."""
    for c in range(sums.shape[1]):
        sums[row, c] = 0.0
    n_found = 0
    for c in range(n_kept):
        n_found += near_rows[c]
    n_sure = n_kept
    if not is_all and n_found > k:
        last = n_kept - 1
        while n_found - near_rows[last] >= k:
            n_found -= near_rows[last]
            last -= 1
        n_sure = 0
        while near_square[n_sure] * (1.0 + _TIE) < near_square[last]:
            n_sure += 1
    total = 0
    for c in range(n_sure):
        i = lone[near_point[c]]
        total += near_rows[c]
        if i >= 0:
            sums[row, code[i]] += value[i]
            continue
        for t in range(first[near_point[c]], first[near_point[c] + 1]):
            i = members[t]
            if folds[r, i] != fold:
                sums[row, code[i]] += value[i]
    previous = -1
    while total < k:
        lowest = folds.shape[1]
        for c in range(n_sure, n_kept):
            for t in range(first[near_point[c]], first[near_point[c] + 1]):
                i = members[t]
                if folds[r, i] != fold and previous < i < lowest:
                    lowest = i
        previous = lowest
        sums[row, code[lowest]] += value[lowest]
        total += 1
    largest = 0
    for c in range(sums.shape[1]):
        sums[row, c] /= total
        if sums[row, c] > sums[row, largest]:
            largest = c
    best[row] = largest


# r, fold: the part. O(rows of the point).
@njit(inline="always", error_model="numpy")
def _n_trained(j: int, r: int, fold: int, folds: Any, lone: Any, first: Any, members: Any) -> Any:
    """Return how many rows of a point are in a training part."""
    n_rows = np.int64(0)
    if lone[j] >= 0:
        n_rows += folds[r, lone[j]] != fold
    else:
        for t in range(first[j], first[j + 1]):
            n_rows += folds[r, members[t]] != fold
    return n_rows


# folds int32 (n_repeats, n_rows); is_done bool (n_repeats, n_folds): which parts to do; room:
# near_* of _put. left float64 (n_repeats, n_rows): the limit found for the rows of points whose
# list did not suffice, written over nan. scores float64 (n_repeats n_rows, n_sums), best int64
# (n_repeats n_rows,), the position of the largest: written for the others. O(rows) short walks.
@njit(cache=True, nogil=True, error_model="numpy", _nrt=False)
def _walk(
    folds: Any, is_done: Any, k: int, is_all: bool, points: Any, rare: Any, lists: Any,
    weights: Any, bounds: Any, room: Any, left: Any, scores: Any, best: Any,
) -> None:  # fmt: skip
    """Predict the rows of some repeats from kin and lists, where bounds prove them right."""
    X, gaps, has_gap, zero, lone, first, members, code, value = points
    column, mode, own_start, own, kin_start, kin = rare
    near, keys, horizon, usual = lists
    weight, fill, _ = weights
    most, drift, is_usual = bounds
    near_square, near_point, near_rows = room
    for r in range(folds.shape[0]):
        for g in range(lone.size):
            for m in range(first[g], first[g + 1]):
                i = members[m]
                fold = folds[r, i]
                if not is_done[r, fold]:
                    continue
                part = r * is_done.shape[1] + fold
                is_key = is_usual[part]
                apart = 0.0
                usual_apart = 0.0
                for o in range(own_start[g], own_start[g + 1]):
                    q = column[own[o]]
                    off = X[g, q] - mode[own[o]]
                    usual_apart += usual[q] * off * off
                    if gaps.size > 0 and gaps[g, q]:
                        off = fill[part, q] - mode[own[o]]
                    apart += weight[part, q] * off * off
                    is_key = is_key and weight[part, q] == usual[q]
                n_kept = np.int64(0)
                limit = np.inf
                last = np.inf
                n_kin = kin_start[g + 1] - kin_start[g]
                is_sorted = is_key and n_kin == 0
                n_found = 0
                at = 0
                while at < n_kin + near.shape[1]:
                    key = -np.inf
                    if at < n_kin:
                        j = kin[kin_start[g] + at]
                    else:
                        j = np.int64(near[g, at - n_kin])
                        key = keys[g, at - n_kin]
                        if key > last or key == np.inf:
                            break
                    at += 1
                    n_rows = _n_trained(j, r, fold, folds, lone, first, members)
                    if n_rows == 0:
                        continue
                    if is_sorted:
                        near_square[n_kept] = key
                        near_point[n_kept] = j
                        near_rows[n_kept] = n_rows
                        n_kept += 1
                        n_found += n_rows
                        if n_found >= k and limit == np.inf:
                            limit = key * (1.0 + _TIE)
                            limit = limit if limit > zero[g] else zero[g]
                            last = limit
                        continue
                    if is_key and key >= 0.0:
                        square = key
                    elif gaps.size > 0 and (has_gap[g] or has_gap[j]):
                        square = _filled_square(g, j, X, gaps, part, weight, fill)
                    else:
                        square = _square(g, j, X, part, weight, limit)
                    if square <= limit:
                        n_kept, limit = _put(
                            square, j, n_rows, k, zero[g], near_square, near_point, near_rows,
                            n_kept,
                        )  # fmt: skip
                        last = _last_key(limit, apart, usual_apart, most[part], drift[part])
                if horizon[g] > last:
                    _vote(
                        r, fold, folds, k, is_all, near_square, near_point, near_rows, n_kept,
                        lone, first, members, code, value, r * folds.shape[1] + i, scores, best,
                    )  # fmt: skip
                else:
                    left[r, i] = limit


# repeat, row int64 (n_todo,): whom to predict, limit float64 (n_todo,): none of whose neighbors
# is farther; begin, end int64 (n_todo,): where in candidates int64 its candidates are, begin -1:
# all points. Rest as _walk. O(candidates p) for each.
@njit(cache=True, nogil=True, error_model="numpy", _nrt=False)
def _scan(
    repeat: Any, row: Any, limits: Any, begin: Any, end: Any, candidates: Any, folds: Any,
    n_folds: int, k: int, is_all: bool, point_of: Any, points: Any, weights: Any, room: Any,
    scores: Any, best: Any,
) -> None:  # fmt: skip
    """Predict some rows by looking at all their candidates."""
    X, gaps, has_gap, zero, lone, first, members, code, value = points
    weight, fill, _ = weights
    near_square, near_point, near_rows = room
    for t in range(repeat.size):
        r = repeat[t]
        i = row[t]
        g = point_of[i]
        limit = limits[t]
        fold = folds[r, i]
        part = r * n_folds + fold
        n_kept = np.int64(0)
        start = begin[t] if begin[t] >= 0 else 0
        count = end[t] - start if begin[t] >= 0 else lone.size
        for c in range(count):
            j = candidates[start + c] if begin[t] >= 0 else c
            n_rows = _n_trained(j, r, fold, folds, lone, first, members)
            if n_rows == 0:
                continue
            if gaps.size > 0 and (has_gap[g] or has_gap[j]):
                square = _filled_square(g, j, X, gaps, part, weight, fill)
            else:
                square = _square(g, j, X, part, weight, limit)
            if square <= limit:
                n_kept, found = _put(
                    square, j, n_rows, k, zero[g], near_square, near_point, near_rows, n_kept
                )
                limit = found if found < limit else limit
        _vote(
            r, fold, folds, k, is_all, near_square, near_point, near_rows, n_kept, lone, first,
            members, code, value, r * folds.shape[1] + i, scores, best,
        )  # fmt: skip
