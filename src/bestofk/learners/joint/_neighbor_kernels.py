"""Compiled loops of nearest neighbors: lists of the nearest rows, and walks along them.

A point is a distinct row. What walks read, as named tuples: `Points` (points and their rows),
`Lists` (near points of each), `Rare` (columns where few points differ from most), `Weights`
(what the columns count in each part).
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
    first: Any  # (n_points + 1,) int64
    members: Any  # (n_rows,) int32
    code: Any  # (n_rows,) int32, which sum a row counts in
    value: Any  # (n_rows,) float64, what it counts


class Lists(NamedTuple):
    """Near points in the order of distances under the columns' usual weights."""

    near: Any  # (n_points, length) int32, -1 at the end of a short one
    key: Any  # (n_points, length) float64, ascending, inf at the end
    horizon: Any  # (n_points,) float64, no point that is not in the list has a smaller key
    usual: Any  # (n_columns,) float64, the weights behind keys


class Rare(NamedTuple):
    """Columns where few points differ from most: the r-th is column[r], most have mode[r]."""

    column: Any  # (n_rare,) int64
    mode: Any  # (n_rare,) float64
    start: Any  # (n_rare + 1,) int64
    others: Any  # int32, the points that differ, column by column
    own_start: Any  # (n_points + 1,) int64
    own: Any  # int32, the rare columns in which a point differs, point by point


class Weights(NamedTuple):
    """What a squared difference counts in each part, and what fills gaps there."""

    weight: Any  # (n_repeats, n_folds, n_columns) float64
    fill: Any  # the same shape; (0, 0, 0) if nothing is filled
    moved: Any  # (n_repeats, n_folds, n_columns): how far fills are from those behind keys


# approx float64 (b, n): squared distances of the points first.. to all but for rounding;
# limit float64 (b,): those above are no candidates. found, distance: room for n, overwritten.
# Writes rows first.. of the lists. O(b n + candidates p).
@njit(cache=True, nogil=True, error_model="numpy")
def _list_near(
    first: int, approx: Any, limit: Any, X: Any, lists: Any, found: Any, distance: Any
) -> None:
    """Write the nearest points of some points, exactly, and what is surely not nearer."""
    length = lists.near.shape[1]
    n_columns = X.shape[1]
    for b in range(approx.shape[0]):
        g = first + b
        count = 0
        bound = limit[b]
        for j in range(X.shape[0]):
            if approx[b, j] <= bound and j != g:
                found[count] = j
                count += 1
        for c in range(count):
            j = found[c]
            square = 0.0
            for q in range(n_columns):
                apart = X[g, q] - X[j, q]
                square += lists.usual[q] * apart * apart
            distance[c] = square
        _sort(distance, found, count)
        for c in range(min(count, length)):
            lists.near[g, c] = found[c]
            lists.key[g, c] = distance[c]
        if count > length:
            lists.horizon[g] = min(lists.horizon[g], distance[length])


# distance float64, found int32: the first count entries are sorted together. O(count^1.3).
@njit(cache=True, nogil=True, error_model="numpy")
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
            while at >= 0 and (
                distance[at] > square or (distance[at] == square and found[at] > j)
            ):
                distance[at + gap] = distance[at]
                found[at + gap] = found[at]
                at -= gap
            distance[at + gap] = square
            found[at + gap] = j
        gap //= 3


# weight, fill float64 (p,). Stops once the sum is above limit. O(p).
@njit(cache=True, nogil=True, error_model="numpy")
def _square(g: int, j: int, points: Any, weight: Any, fill: Any, limit: float) -> float:
    """Return the squared distance of two points in a part, or some number above the limit."""
    X = points.X
    square = 0.0
    n_columns = X.shape[1]
    if points.has_gap[g] or points.has_gap[j]:
        for q in range(n_columns):
            a = fill[q] if points.gaps[g, q] else X[g, q]
            b = fill[q] if points.gaps[j, q] else X[j, q]
            square += weight[q] * (a - b) * (a - b)
        return square
    q = 0
    while q + 8 <= n_columns:
        s0 = 0.0
        s1 = 0.0
        s2 = 0.0
        s3 = 0.0
        for e in range(q, q + 8, 4):
            d0 = X[g, e] - X[j, e]
            d1 = X[g, e + 1] - X[j, e + 1]
            d2 = X[g, e + 2] - X[j, e + 2]
            d3 = X[g, e + 3] - X[j, e + 3]
            s0 += weight[e] * d0 * d0
            s1 += weight[e + 1] * d1 * d1
            s2 += weight[e + 2] * d2 * d2
            s3 += weight[e + 3] * d3 * d3
        square += (s0 + s1) + (s2 + s3)
        if square > limit:
            return square
        q += 8
    while q < n_columns:
        apart = X[g, q] - X[j, q]
        square += weight[q] * apart * apart
        q += 1
    return square


# folds int32 (n_rows,). O(rows of the point).
@njit(cache=True, nogil=True, error_model="numpy")
def _n_trained(j: int, fold: int, folds: Any, points: Any) -> int:
    """Return how many rows of a point are in a training part."""
    count = 0
    for t in range(points.first[j], points.first[j + 1]):
        count += folds[points.members[t]] != fold
    return count


# square float64, point, rows int32 (n_points,): the candidates so far, nearest first, all
# within the limit; one is put in and those beyond the new limit are dropped. O(candidates).
@njit(cache=True, nogil=True, error_model="numpy")
def _put(
    new: float, j: int, n_rows: int, k: int, zero: float, kept: Any, n_kept: int
) -> tuple[int, float]:
    """Put in a candidate; return how many are left, and the limit of squared distances."""
    square, point, rows = kept
    at = n_kept
    while at > 0 and square[at - 1] > new:
        square[at] = square[at - 1]
        point[at] = point[at - 1]
        rows[at] = rows[at - 1]
        at -= 1
    square[at] = new
    point[at] = j
    rows[at] = n_rows
    n_kept += 1
    total = 0
    for c in range(n_kept):
        total += rows[c]
        if total >= k:
            limit = max(square[c] * (1.0 + _TIE), zero)
            while square[n_kept - 1] > limit:
                n_kept -= 1
            return n_kept, limit
    return n_kept, np.inf


# kept as in _put; sums float64 (n_sums,): overwritten. is_all: whether all tied rows count, or
# of them the first ones, so that k count. O(rows of candidates, times k for the latter).
@njit(cache=True, nogil=True, error_model="numpy")
def _vote(
    fold: int, folds: Any, k: int, is_all: bool, kept: Any, n_kept: int, points: Any, sums: Any
) -> None:
    """Add up what the neighbors count, divided by their number."""
    square, point, rows = kept
    for c in range(sums.size):
        sums[c] = 0.0
    total = 0
    n_sure = n_kept
    if not is_all:
        last = 0
        below = rows[0]
        while below < k:
            last += 1
            below += rows[last]
        n_sure = 0
        while square[n_sure] * (1.0 + _TIE) < square[last]:
            n_sure += 1
    for c in range(n_sure):
        for t in range(points.first[point[c]], points.first[point[c] + 1]):
            i = points.members[t]
            if folds[i] != fold:
                sums[points.code[i]] += points.value[i]
                total += 1
    previous = -1
    while total < k:
        lowest = folds.size
        for c in range(n_sure, n_kept):
            for t in range(points.first[point[c]], points.first[point[c] + 1]):
                i = points.members[t]
                if folds[i] != fold and previous < i < lowest:
                    lowest = i
        previous = lowest
        sums[points.code[lowest]] += points.value[lowest]
        total += 1
    for c in range(sums.size):
        sums[c] /= total


# excluded bool (p,): overwritten, True for rare columns in which all training rows agree.
# Returns the least share that any other column has of its usual weight, how far filling moves
# a row at most, and whether all columns count as usual. O(p + rare columns).
@njit(cache=True, nogil=True, error_model="numpy")
def _part_bounds(
    fold: int, folds: Any, weight: Any, moved: Any, usual: Any, rare: Any, points: Any,
    excluded: Any,
) -> tuple[float, float, bool]:  # fmt: skip
    """Return what bounds the distances of a part from below."""
    for q in range(usual.size):
        excluded[q] = False
    for r in range(rare.column.size):
        is_seen = False
        for t in range(rare.start[r], rare.start[r + 1]):
            if _n_trained(rare.others[t], fold, folds, points) > 0:
                is_seen = True
                break
        excluded[rare.column[r]] = not is_seen
    least = np.inf
    drift = 0.0
    is_usual = True
    for q in range(usual.size):
        drift += weight[q] * moved[q] * moved[q]
        if excluded[q]:
            continue
        is_usual = is_usual and weight[q] == usual[q]
        if usual[q] > 0.0:
            least = min(least, weight[q] / usual[q])
    return least, np.sqrt(drift), is_usual and drift == 0.0


# O(1).
@njit(cache=True, nogil=True, error_model="numpy")
def _last_key(
    limit: float, apart: float, usual_apart: float, least: float, drift: float
) -> float:
    """Return the key beyond which no point is within a limit.

    `apart` is what rare columns add to all squared distances, `usual_apart` what they add to
    all keys.
    """
    rest = np.sqrt(max(limit * (1.0 + _SLACK) - apart, 0.0)) + drift
    if not least > 0.0 or rest == np.inf:
        return np.inf
    return (usual_apart + rest * rest / least) * (1.0 + _SLACK)


# bounds: as _part_bounds; kept as in _put; seen int64 (n_points,): overwritten with the token.
# O(points looked at, times p where columns do not count as usual).
@njit(cache=True, nogil=True, error_model="numpy")
def _find(
    g: int, fold: int, folds: Any, k: int, weight: Any, fill: Any, bounds: Any, points: Any,
    lists: Any, rare: Any, kept: Any, seen: Any, token: int,
) -> int:  # fmt: skip
    """Find all training points that are no farther than the k-th row; return how many."""
    least, drift, is_usual = bounds
    zero = points.zero[g]
    limit = np.inf
    n_kept = 0
    seen[g] = token
    n_rows = _n_trained(g, fold, folds, points)
    if n_rows > 0:
        n_kept, limit = _put(0.0, g, n_rows, k, zero, kept, n_kept)
    apart = 0.0
    usual_apart = 0.0
    for o in range(rare.own_start[g], rare.own_start[g + 1]):
        r = rare.own[o]
        q = rare.column[r]
        value = fill[q] if points.has_gap[g] and points.gaps[g, q] else points.X[g, q]
        apart += weight[q] * (value - rare.mode[r]) ** 2
        usual_apart += lists.usual[q] * (points.X[g, q] - rare.mode[r]) ** 2
        for t in range(rare.start[r], rare.start[r + 1]):
            j = rare.others[t]
            if seen[j] == token:
                continue
            seen[j] = token
            n_rows = _n_trained(j, fold, folds, points)
            if n_rows > 0:
                square = _square(g, j, points, weight, fill, limit)
                if square <= limit:
                    n_kept, limit = _put(square, j, n_rows, k, zero, kept, n_kept)
    is_key = is_usual and usual_apart == 0.0
    last = _last_key(limit, apart, usual_apart, least, drift)
    for t in range(lists.near.shape[1]):
        key = lists.key[g, t]
        if key > last:
            break
        j = lists.near[g, t]
        if j < 0:
            break
        if seen[j] == token:
            continue
        seen[j] = token
        n_rows = _n_trained(j, fold, folds, points)
        if n_rows > 0:
            square = key if is_key else _square(g, j, points, weight, fill, limit)
            if square <= limit:
                n_kept, limit = _put(square, j, n_rows, k, zero, kept, n_kept)
                last = _last_key(limit, apart, usual_apart, least, drift)
    if lists.horizon[g] > last:
        return n_kept
    for j in range(points.X.shape[0]):
        if seen[j] != token:
            n_rows = _n_trained(j, fold, folds, points)
            if n_rows > 0:
                square = _square(g, j, points, weight, fill, limit)
                if square <= limit:
                    n_kept, limit = _put(square, j, n_rows, k, zero, kept, n_kept)
    return n_kept


# folds int32 (n_repeats, n_rows), is_done bool (n_repeats, n_folds): which parts to do,
# scores float64 (n_repeats, n_rows, n_sums): written for the rows of parts done.
@njit(cache=True, nogil=True, error_model="numpy")
def _walk(
    folds: Any, is_done: Any, k: int, is_all: bool, points: Any, lists: Any, rare: Any,
    weights: Any, scores: Any,
) -> None:  # fmt: skip
    """Predict all rows of some repeats, point by point and fold by fold."""
    n_points, n_columns = points.X.shape
    kept = (
        np.empty(n_points + 1),
        np.empty(n_points + 1, np.int32),
        np.empty(n_points + 1, np.int32),
    )
    excluded = np.empty(n_columns, np.bool_)
    still = np.zeros(n_columns)
    seen = np.full(n_points, -1, np.int64)
    token = 0
    is_filled = weights.fill.shape[0] > 0
    for r in range(folds.shape[0]):
        for f in range(is_done.shape[1]):
            if not is_done[r, f]:
                continue
            weight = weights.weight[r, f]
            fill = weights.fill[r, f] if is_filled else weight
            moved = weights.moved[r, f] if is_filled else still
            bounds = _part_bounds(
                f, folds[r], weight, moved, lists.usual, rare, points, excluded
            )
            for g in range(n_points):
                done = -1
                for t in range(points.first[g], points.first[g + 1]):
                    i = points.members[t]
                    if folds[r, i] != f:
                        continue
                    if done < 0:
                        token += 1
                        n_kept = _find(
                            g, f, folds[r], k, weight, fill, bounds, points, lists, rare,
                            kept, seen, token,
                        )  # fmt: skip
                        _vote(f, folds[r], k, is_all, kept, n_kept, points, scores[r, i])
                        done = i
                    for c in range(scores.shape[2]):
                        scores[r, i, c] = scores[r, done, c]
