"""Compiled loops of nearest neighbors: lists of the nearest rows, and walks along them.

A point is a distinct row. What the loops read, named by tuples: `Points` (points and their
rows), `Owned` (where they differ from most), `Candidates` (near points of each), `Walks` (which
of them to look at for which rows), `Weights` (what the columns count in each part) and `Bounds`
(what that does to distances). Each of their arrays is an argument: to read a tuple would take
longer than to walk through a small table.
Small loops are marked for inlining: passing their many arrays would cost more than they do.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from bestofk.trees.compiled import kernel

# Squared distances this near, relative to one another, are equal.
_TIE = 1e-10
# Bounds are weakened by this share, so that rounding never makes them wrong.
_SLACK = 1e-9


class Points(NamedTuple):
    """Distinct rows; those of point g are first[g] to first[g + 1] in the order of points."""

    X: Any  # (n_points, n_columns) float64, columns whose weight never changes first
    n_fixed: int  # how many columns these are
    gaps: Any  # (n_points, n_columns) bool, where to fill
    gap_start: Any  # (n_points + 1,) int64
    gap_column: Any  # int64, the columns where a point has gaps, point by point
    zero: Any  # (n_points,) float64, squared distances that are rounding alone
    first: Any  # (n_points + 1,) int64
    members: Any  # (n_rows,) int64, rows of the table in the order of points
    code: Any  # (n_rows,) int64, which sum a row counts in, in the order of points
    value: Any  # (n_rows,) float64, what it counts


class Owned(NamedTuple):
    """Rare columns, where few points differ from most, point by point."""

    start: Any  # (n_points + 1,) int64, where those begin in which a point differs
    column: Any  # int64
    square: Any  # float64, squared differences from most points


class Candidates(NamedTuple):
    """Points that may be neighbors of others."""

    near: Any  # int64, those of one walk after those of another
    key: Any  # float64, squared distances under the usual weights, ascending, first any of -inf
    known: Any  # float64, what columns of fixed weight add to any squared distance; or -1


class Walks(NamedTuple):
    """Walks over candidates for the rows of point[w]."""

    point: Any  # (n_walks,) int64
    place: Any  # (n_walks, 6) int64, begin and end of candidates, rows of the point, and repeats
    horizon: Any  # (n_walks,) float64, no other point has a smaller key
    limit: Any  # (n_walks,) float64, no neighbor has a larger squared distance


class Weights(NamedTuple):
    """Weights of squared differences in each part, and values that fill gaps there."""

    weight: Any  # (n_parts, n_columns) float64, the parts of one repeat after those of another
    fill: Any  # the same shape; (0, 0) if nothing is filled


class Bounds(NamedTuple):
    """Bounds of squared distances in each part, without rare columns that are constant."""

    most: Any  # (n_parts,) float64, the largest share a usual weight has of that of the part
    drift: Any  # (n_parts,) float64, how far filling moves a row at most


# unsure bool (n_points, n_columns): where gaps are left out of keys; (0, 0) if nowhere.
# start int64 (b + 1,), found int64: the candidates of point begin + i are found[start[i] :
# start[i + 1]], overwritten; distance float64, seen int64 (zeros at first): room for all points,
# overwritten. near, keys, fixed, horizon of the lists of these points are written, list_start
# int64 (n_points + 1,) being their start; their first n_kin int64 (n_points,) entries are there.
# O(candidates p).
@kernel(lambda begin, start, found, X, *_: int(start[-1]) * (X.shape[1] + 4), _nrt=False)
def _list_near(
    begin: int, start: Any, found: Any, X: Any, n_fixed: int, unsure: Any, usual: Any,
    list_start: Any, n_kin: Any, near: Any, keys: Any, fixed: Any, horizon: Any, distance: Any,
    seen: Any,
) -> None:  # fmt: skip
    """Write the nearest points of some points, exactly, and what is surely not nearer."""
    whole = usual.size // 4 * 4
    for b in range(start.size - 1):
        g = begin + b
        seen[g] = g + 1
        first = list_start[g] + n_kin[g]
        for t in range(list_start[g], first):
            seen[near[t]] = g + 1
        count = 0
        for at in range(start[b], start[b + 1]):
            j = found[at]
            if seen[j] == g + 1:
                continue
            square = 0.0
            if unsure.size == 0:
                s, u, v = 0.0, 0.0, 0.0  # four chains of additions run side by side
                for q in range(0, whole, 4):
                    apart = X[g, q] - X[j, q]
                    square += usual[q] * apart * apart
                    apart = X[g, q + 1] - X[j, q + 1]
                    s += usual[q + 1] * apart * apart
                    apart = X[g, q + 2] - X[j, q + 2]
                    u += usual[q + 2] * apart * apart
                    apart = X[g, q + 3] - X[j, q + 3]
                    v += usual[q + 3] * apart * apart
                for q in range(whole, usual.size):
                    apart = X[g, q] - X[j, q]
                    square += usual[q] * apart * apart
                square = (square + s) + (u + v)
            else:
                for q in range(usual.size):
                    if not (unsure[g, q] or unsure[j, q]):
                        apart = X[g, q] - X[j, q]
                        square += usual[q] * apart * apart
            found[count] = j
            distance[count] = square
            count += 1
        # Shell's sort with gaps of Knuth, by distance, then by number
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
        if count > list_start[g + 1] - first:
            count = list_start[g + 1] - first
            if distance[count] < horizon[g]:
                horizon[g] = distance[count]
        for c in range(count):
            near[first + c] = found[c]
            keys[first + c] = distance[c]
            if n_fixed == usual.size and unsure.size == 0:
                fixed[first + c] = distance[c]
                continue
            square = 0.0
            for q in range(n_fixed):
                apart = X[g, q] - X[found[c], q]
                square += apart * apart
            fixed[first + c] = square
        # a list that ends earlier goes on with itself, beyond any bound
        for c in range(first + count, list_start[g + 1]):
            near[c] = g
            keys[c] = np.inf


# The point j as a candidate of point g: fixed float64 (blocks, 8), apart float64 (blocks,
# n_columns - n_fixed, 8): candidate `at`, one of eight side by side, is overwritten with the sum of
# its squared differences in columns of fixed weight, if it is not known, and those in the others;
# 0 where either has a gap. O(p).
@kernel(inline="always")
def _compare(
    g: int, j: int, X: Any, n_fixed: int, gaps: Any, gap_start: Any, gap_column: Any,
    known: float, at: int, fixed: Any, apart: Any,
) -> None:  # fmt: skip
    """Note how far two points are apart, column by column."""
    if known < 0.0 or gap_start[g] < gap_start[g + 1] or gap_start[j] < gap_start[j + 1]:
        known = 0.0
        for q in range(n_fixed):
            if not (gaps[g, q] or gaps[j, q]):
                known += (X[g, q] - X[j, q]) * (X[g, q] - X[j, q])
    block = at // 8
    lane = at - 8 * block
    fixed[block, lane] = known
    for q in range(n_fixed, X.shape[1]):
        off = X[g, q] - X[j, q]
        apart[block, q - n_fixed, lane] = 0.0 if gaps[g, q] or gaps[j, q] else off * off


# fixed, apart: of _compare; squares float64 (8,): overwritten. What is not a candidate, beyond the
# last, is nonsense. O(p).
@kernel(inline="always")
def _square_block(
    block: int, n_fixed: int, fixed: Any, apart: Any, part: int, weight: Any, squares: Any
) -> None:
    """Compute squared distances of eight candidates in a part, but for what fills gaps."""
    whole = apart.shape[1] // 4 * 4
    for lane in range(squares.size):
        squares[lane] = fixed[block, lane]
    for quarter in range(whole // 4):
        q = 4 * quarter
        s, t = weight[part, n_fixed + q], weight[part, n_fixed + q + 1]
        u, v = weight[part, n_fixed + q + 2], weight[part, n_fixed + q + 3]
        for lane in range(squares.size):
            squares[lane] += (s * apart[block, q, lane] + t * apart[block, q + 1, lane]) + (
                u * apart[block, q + 2, lane] + v * apart[block, q + 3, lane]
            )
    for q in range(whole, apart.shape[1]):
        s = weight[part, n_fixed + q]
        for lane in range(squares.size):
            squares[lane] += s * apart[block, q, lane]


# O(gaps).
@kernel(inline="always")
def _fill_gaps(
    square: float, g: int, j: int, X: Any, gaps: Any, gap_start: Any, gap_column: Any, part: int,
    weight: Any, fill: Any,
) -> Any:  # fmt: skip
    """Return the squared distance of two points with what fills their gaps in a part."""
    for t in range(gap_start[g], gap_start[g + 1]):
        q = gap_column[t]
        if not gaps[j, q]:
            square += weight[part, q] * (fill[part, q] - X[j, q]) * (fill[part, q] - X[j, q])
    for t in range(gap_start[j], gap_start[j + 1]):
        q = gap_column[t]
        if not gaps[g, q]:
            square += weight[part, q] * (fill[part, q] - X[g, q]) * (fill[part, q] - X[g, q])
    return square


# near_square float64, near_point, near_rows int64: the n_kept candidates so far, nearest first,
# with n_found rows, the k-th at `kth`; one is put in and those beyond the new limit are dropped.
# O(candidates).
@kernel(inline="always")
def _put(
    new: float, j: int, n_rows: int, k: int, zero: float, near_square: Any, near_point: Any,
    near_rows: Any, n_kept: int, n_found: int, kth: float, limit: float,
) -> tuple[int, int, float, float]:  # fmt: skip
    """Put in a candidate; return points and rows left, the k-th square, and the limit."""
    at = n_kept
    while at > 0 and near_square[at - 1] > new:
        near_square[at] = near_square[at - 1]
        near_point[at] = near_point[at - 1]
        near_rows[at] = near_rows[at - 1]
        at -= 1
    near_square[at] = new
    near_point[at] = j
    near_rows[at] = n_rows
    n_found += n_rows
    if n_found >= k and new < kth:
        at = n_kept
        rest = n_found - near_rows[at]
        while rest >= k:
            at -= 1
            rest -= near_rows[at]
        kth = near_square[at]
        limit = kth * (1.0 + _TIE)
        limit = limit if limit > zero else zero
        while near_square[n_kept] > limit:
            n_found -= near_rows[n_kept]
            n_kept -= 1
    return n_kept + 1, n_found, kth, limit


# near_*: as in _put; row of sums float64 (rows, n_sums) and of best int64 (rows,): overwritten.
# is_all: whether all tied rows count, or of them the first ones, so that k count. O(rows of
# candidates), times k for ties of the latter.
@kernel(inline="always")
def _vote(
    r: int, fold: int, folds: Any, k: int, is_all: bool, near_square: Any, near_point: Any,
    near_rows: Any, n_kept: int, n_found: int, first: Any, members: Any, code: Any, value: Any,
    row: int, sums: Any, best: Any,
) -> None:  # fmt: skip
    """Add up what the neighbors count, divided by their number; note the largest sum."""
    for c in range(sums.shape[1]):
        sums[row, c] = 0.0
    n_sure = n_kept
    total = n_found
    if not is_all and n_found > k:
        last = n_kept - 1
        while n_found - near_rows[last] >= k:
            n_found -= near_rows[last]
            last -= 1
        n_sure = 0
        total = 0
        while near_square[n_sure] * (1.0 + _TIE) < near_square[last]:
            total += near_rows[n_sure]
            n_sure += 1
    for c in range(n_sure):
        for t in range(first[near_point[c]], first[near_point[c] + 1]):
            if folds[t, r] != fold:
                sums[row, code[t]] += value[t]
    previous = -1
    while total < k:
        lowest = members.size
        counted = 0
        for c in range(n_sure, n_kept):
            for t in range(first[near_point[c]], first[near_point[c] + 1]):
                if folds[t, r] != fold and previous < members[t] < lowest:
                    lowest = members[t]
                    counted = t
        previous = lowest
        sums[row, code[counted]] += value[counted]
        total += 1
    largest = 0
    for c in range(sums.shape[1]):
        sums[row, c] /= total
        if sums[row, c] > sums[row, largest]:
            largest = c
    best[row] = largest


# folds int32 (n_rows, n_repeats), rows in the order of points; is_done bool (n_repeats,
# n_folds): which parts to do, is_left bool (n_rows, n_repeats): which rows of them, in the order of
# points; point to drift: the tuples above; near_* of _put, fixed and apart of _compare: room for
# all candidates of a walk; squares of _square_block: room. left float64 (n_repeats n_rows,): the
# limit found for rows whose candidates did not suffice, written over nan. scores float64 (n_repeats
# n_rows, n_sums), best int64 (n_repeats n_rows,), the position of the largest: written for the
# others. O(candidates p) for each row at most.
@kernel(lambda folds, is_done, is_left, k, *_: folds.size * (80 + 20 * k), _nrt=False)
def _walk(
    folds: Any, is_done: Any, is_left: Any, k: int, is_all: bool,
    point: Any, place: Any, horizon: Any, limits: Any, near: Any, keys: Any, known: Any,
    X: Any, n_fixed: int, gaps: Any, gap_start: Any, gap_column: Any, zero: Any, first: Any,
    members: Any, code: Any, value: Any, own_start: Any, own_column: Any, own_square: Any,
    usual: Any, weight: Any, fill: Any, most: Any, drift: Any,
    near_square: Any, near_point: Any, near_rows: Any, fixed: Any, apart: Any, squares: Any,
    left: Any, scores: Any, best: Any,
) -> None:  # fmt: skip
    """Predict rows from candidates, where bounds prove that no other point is as near."""
    for w in range(point.size):
        g = point[w]
        start = place[w, 0]
        end = place[w, 1]
        ready = start
        is_sorted = apart.shape[1] == 0 and gap_column.size == 0 and keys[start] >= 0.0
        for r in range(place[w, 4], place[w, 5]):
            for m in range(place[w, 2], place[w, 3]):
                fold = np.int64(folds[m, r])
                if not (is_left[m, r] and is_done[r, fold]):
                    continue
                part = r * is_done.shape[1] + fold
                own = 0.0
                usual_own = 0.0
                for o in range(own_start[g], own_start[g + 1]):
                    own += weight[part, own_column[o]] * own_square[o]
                    usual_own += usual[own_column[o]] * own_square[o]
                n_kept = 0
                n_found = 0
                kth = np.inf
                limit = limits[w]
                last = np.inf
                block = 0
                measured = start
                for at in range(start, end):
                    if keys[at] > last:
                        break
                    j = near[at]
                    n_rows = 0
                    for t in range(first[j], first[j + 1]):
                        n_rows += folds[t, r] != fold
                    if n_rows == 0:
                        continue
                    if is_sorted:  # by their distances, which are the same in all parts
                        if keys[at] == np.inf:
                            break
                        near_square[n_kept] = known[at]
                        near_point[n_kept] = j
                        near_rows[n_kept] = n_rows
                        n_kept += 1
                        n_found += n_rows
                        if n_found >= k and limit == np.inf:
                            limit = known[at] * (1.0 + _TIE)
                            limit = limit if limit > zero[g] else zero[g]
                            last = limit
                        continue
                    if at >= measured:
                        block = (at - start) // 8
                        measured = min(start + 8 * block + 8, end)
                        while ready < measured:
                            _compare(
                                g, near[ready], X, n_fixed, gaps, gap_start, gap_column,
                                known[ready], ready - start, fixed, apart,
                            )  # fmt: skip
                            ready += 1
                        _square_block(block, n_fixed, fixed, apart, part, weight, squares)
                    square = _fill_gaps(
                        squares[at - start - 8 * block], g, j, X, gaps, gap_start, gap_column,
                        part, weight, fill,
                    )  # fmt: skip
                    if square > limit:
                        continue
                    n_kept, n_found, kth, limit = _put(
                        square, j, n_rows, k, zero[g], near_square, near_point, near_rows, n_kept,
                        n_found, kth, limit,
                    )  # fmt: skip
                    if n_found >= k:
                        rest = limit * (1.0 + _SLACK)
                        if drift[part] > 0.0:
                            root = math.sqrt(rest) + drift[part]
                            rest = root * root
                        rest = rest - own if rest > own else 0.0
                        last = (usual_own + rest * most[part]) * (1.0 + _SLACK)
                row = r * members.size + members[m]
                if horizon[w] > last:
                    _vote(
                        r, fold, folds, k, is_all, near_square, near_point, near_rows, n_kept,
                        n_found, first, members, code, value, row, scores, best,
                    )  # fmt: skip
                else:
                    left[row] = limit
