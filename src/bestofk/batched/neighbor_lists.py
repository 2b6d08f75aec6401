"""Lists of the nearest rows of each row, under the weights that columns usually have."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from bestofk.batched._neighbor_kernels import Candidates, Owned, Points
    from bestofk.batched.shared_table import EncodedColumns

# A squared distance this small beside the squared length of the row is rounding alone.
_ZERO: Final = 1e-28
# Distances held at a time while lists are made.
_BLOCK: Final = 2**20
# Standard errors by which a variance may exceed that of all rows before bounds get weaker.
_DEVIATIONS: Final = 1.5
# Points that differ from most in a rare column: pairs of them are kept.
MOST_RARE: Final = 32
# Standard errors by which a level must lead for gaps to be filled with it in all parts, or so.
_SURE: Final = 4.0


def peakedness(X: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the fourth moment of each standardized column; infinite for a constant one."""
    centered = X - X.mean(axis=0)
    spread = np.sqrt((centered**2).mean(axis=0))
    is_varied = spread > 0
    standard = centered / np.where(is_varied, spread, 1.0)
    return np.where(is_varied, ((standard**2) ** 2).mean(axis=0), np.inf)


def usual_share(peak: NDArray[np.float64], n_samples: int, n_folds: int) -> NDArray[np.float64]:
    """Return the share of its weight over all rows that a scaled column hardly goes below.

    Its variance in a training part is at most n / n_train times that of all rows, and mostly
    within some standard errors of it.
    """
    share = (n_folds - 1) / n_folds
    error = np.sqrt(np.maximum(peak - 1, 0) * (1 / share - 1) / n_samples)
    usual: NDArray[np.float64] = np.clip(1 - _DEVIATIONS * error, share, 1)
    return usual


def list_length(k: int, n_folds: int, *, is_certain: bool = False) -> int:
    """Return how many near points are listed.

    As measured: shorter lists leave too many rows to scans, longer ones take longer to make.

    Parameters
    ----------
    k, n_folds : int
        Neighbors wanted, folds of a repeat.
    is_certain : bool, default=False
        Whether the order of a list is that of every part, and ties are rare.
    """
    if is_certain:
        return 12 + 2 * k + (4 + 4 * k) // (n_folds - 1)
    return 20 + 4 * k + (28 + 12 * k) // (n_folds - 1)


def unsure_levels(columns: EncodedColumns, n_folds: int) -> NDArray[np.bool_]:
    """Return which levels fill gaps in some parts and not in others, shape (n_columns,).

    Those of an attribute with gaps that are about as frequent as its most frequent one.
    """
    unsure = np.zeros(len(columns.steps), dtype=bool)
    totals = columns.level_totals
    levels = columns.filled[totals[columns.filled] >= 0]
    for attribute in np.unique(columns.attribute[levels]):
        own = levels[columns.attribute[levels] == attribute]
        behind = totals[own].max() - totals[own]
        error = np.sqrt((totals[own].max() + totals[own]) * (n_folds - 1)) / n_folds
        is_near = behind * (n_folds - 1) / n_folds <= _SURE * error
        if is_near.sum() > 1:
            unsure[own[is_near]] = True
    return unsure


def distinct_points(
    X: NDArray[np.float64],
    n_fixed: int,
    gaps: NDArray[np.bool_] | None,
    code: NDArray[np.int64],
    value: NDArray[np.float64],
) -> tuple[Points, NDArray[np.int64]]:
    """Return the distinct rows, and the point that each row is.

    Parameters
    ----------
    X : ndarray of shape (n_samples, n_columns)
        All rows, gaps filled somehow.
    n_fixed : int
        The first columns, whose weight never changes.
    gaps : ndarray of shape (n_samples, n_columns), bool, or None
        Where each part fills.
    code, value : ndarray of shape (n_samples,)
        In which sum a row counts, and what.
    """
    from bestofk.batched._neighbor_kernels import Points

    number = _same_rows(X, gaps)
    members = np.argsort(number, kind="stable")
    first = _ends(np.bincount(number))
    item = members[first[:-1]]
    point_gaps = np.zeros((len(item), X.shape[1]), dtype=bool)
    if gaps is not None:
        point_gaps = gaps[item]
    points = Points(
        X=np.ascontiguousarray(X[item]),
        n_fixed=n_fixed,
        gaps=point_gaps,
        gap_start=_ends(point_gaps.sum(axis=1)),
        gap_column=np.nonzero(point_gaps)[1],
        zero=_ZERO * (X[item] ** 2).sum(axis=1),
        first=first,
        members=members,
        code=code[members],
        value=value[members],
    )
    return points, number


@dataclass(frozen=True, eq=False)
class NearLists:
    """The candidates of each point: kin, and near points in the order of usual distances.

    Parameters
    ----------
    start : ndarray of shape (n_points + 1,), int64
        Those of point g are entries start[g] to start[g + 1] of the candidates.
    candidates : Candidates
        The points.
    horizon : ndarray of shape (n_points,), float64
        No other point has a smaller key.
    """

    start: NDArray[np.int64]
    candidates: Candidates
    horizon: NDArray[np.float64]


def near_lists(
    points: Points,
    rare: RareColumns,
    usual: NDArray[np.float64],
    unsure: NDArray[np.bool_],
    length: int,
) -> NearLists:
    """Return the points nearest to each point, all pairs looked at, block by block.

    Parameters
    ----------
    points : Points
        Distinct rows.
    rare : RareColumns
        Whose kin are listed first, unordered.
    usual : ndarray of shape (n_columns,)
        Weights of squared differences.
    unsure : ndarray of shape (n_columns,), bool
        Where gaps are left out of keys.
    length : int
        How many are listed at most.
    """
    from bestofk.batched._neighbor_kernels import Candidates, _list_near

    X, n_points = points.X, len(points.X)
    length = max(1, min(length, n_points - 1))
    n_kin = np.diff(rare.kin_start)
    start = _ends(n_kin + length)
    index = np.arange(len(rare.kin)) + np.repeat(start[:-1] - rare.kin_start[:-1], n_kin)
    near, key, known = np.empty(start[-1], dtype=np.int64), np.empty(start[-1]), np.empty(start[-1])
    near[index], key[index], known[index] = rare.kin, -np.inf, -1.0
    lists = NearLists(start, Candidates(near, key, known), np.full(n_points, np.inf))
    distance, seen = np.empty(n_points), np.zeros(n_points, dtype=np.int64)
    scaled, left_out = (X - X.mean(axis=0)) * np.sqrt(usual), points.gaps & unsure
    masks = left_out if left_out.any() else np.empty((0, 0), dtype=bool)
    # half of the digits do, unless rows are near beside their distance from the mean
    factors: list[_Factors] = []
    size = max(1, _BLOCK // n_points)
    for first in range(0, n_points, size):
        block = slice(first, min(first + size, n_points))
        if length >= n_points - 1:
            begin = np.arange(block.stop - first + 1) * n_points
            result = np.tile(np.arange(n_points), block.stop - first)
        else:
            for tried, kind in enumerate((np.float32, np.float64)):
                if tried == len(factors):
                    factors.append(_factors(scaled.astype(kind), left_out))
                begin, result, horizon, is_sharp = _nearest(factors[tried], block, length)
                if is_sharp:
                    break
            lists.horizon[block] = horizon
        _list_near(
            first, begin, result, X, points.n_fixed, masks, usual, start, n_kin, near, key,
            known, lists.horizon, distance, seen,
        )  # fmt: skip
    return lists


class _Factors(NamedTuple):
    """Factors whose product gives squared distances, except for the length of the first row."""

    left: NDArray[Any]  # (n_points, width)
    right: NDArray[Any]  # (width, n_points)
    own: NDArray[np.float64]  # (n_points,), the length left out
    lengths: NDArray[np.float64]  # (n_points,), squared lengths of whole rows


def _factors(X: NDArray[Any], unsure: NDArray[np.bool_]) -> _Factors:
    """Return factors; differences where `unsure` marks one of the two are left out."""
    lengths = (X**2).sum(axis=1)
    sure, own, masked = X, lengths, []
    is_sure = ~unsure.any(axis=0)
    if not is_sure.all():
        sure, rest = X[:, is_sure], X[:, ~is_sure]
        own = (sure**2).sum(axis=1)
        is_known = (~unsure[:, ~is_sure]).astype(X.dtype)
        masked = [is_known * rest**2, is_known * rest, is_known]
    left = np.column_stack([sure, np.ones(len(X), X.dtype), *masked])
    right = [-2 * sure, own, *([masked[2], -2 * masked[1], masked[0]] if masked else [])]
    return _Factors(
        left, np.ascontiguousarray(np.column_stack(right).T), own.astype(np.float64),
        lengths.astype(np.float64),
    )  # fmt: skip


def _nearest(
    factors: _Factors, block: slice, length: int
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.float64], bool]:
    """Return a few more than the nearest rows of some rows.

    Returns
    -------
    begin, found : ndarray of int64
        Candidates of row i of the block are found[begin[i] : begin[i + 1]].
    horizon : ndarray of float64
        No other row has a smaller squared distance.
    is_sharp : bool
        Whether rounding hardly lowers the horizon.
    """
    nearness = factors.left[block] @ factors.right
    limits = _kth_smallest(nearness, length + 1)
    index = np.flatnonzero(nearness <= limits[:, np.newaxis])
    row, result = np.divmod(index, len(factors.left))
    squares, rounding = limits + factors.own[block], _rounding(factors.left)
    horizon = squares * (1 - 4 * rounding) - 6 * rounding * factors.lengths[block]
    return _ends(np.bincount(row)), result, horizon, bool((horizon >= 0.95 * squares).all())


@dataclass(frozen=True, eq=False)
class RareColumns:
    """Columns where few points differ from most.

    Parameters
    ----------
    column : ndarray of shape (n_rare,), int64
        These columns.
    owned : Owned
        Which points differ in them.
    rows, place : ndarray of int64
        Row rows[m] differs in column[place[m]].
    kin_start : ndarray of shape (n_points + 1,), int64
        Where the kin of each point begin.
    kin : ndarray of int64
        Points that differ in a column with it; itself if it has more rows.
    """

    column: NDArray[np.int64]
    owned: Owned
    rows: NDArray[np.int64]
    place: NDArray[np.int64]
    kin_start: NDArray[np.int64]
    kin: NDArray[np.int64]


def rare_columns(points: Points, unsure: NDArray[np.bool_]) -> RareColumns:
    """Return columns where few points differ from most.

    Parameters
    ----------
    points : Points
        Distinct rows.
    unsure : ndarray of shape (n_columns,), bool
        Which columns are not looked at.
    """
    from bestofk.batched._neighbor_kernels import Owned

    X, n_points = points.X, len(points.X)
    most = min(max(8, n_points // 64), MOST_RARE)
    middle = np.partition(X, n_points // 2, axis=0)[n_points // 2]
    is_other = middle != X
    counts = np.where(unsure, 0, is_other.sum(axis=0))
    column = np.flatnonzero((counts > 0) & (counts <= most))
    index, differing = np.nonzero(is_other[:, column].T)
    others = np.split(differing, _ends(counts[column])[1:-1]) if len(column) else []
    first = points.first
    kin_of, kin = _kin(others, np.flatnonzero(np.diff(first) > 1), n_points)
    order = np.argsort(differing, kind="stable")
    own = column[index[order]]
    square = (X[differing[order], own] - middle[own]) ** 2
    rows = [points.members[first[g] : first[g + 1]] for g in differing]
    return RareColumns(
        column=column,
        owned=Owned(_ends(np.bincount(differing, minlength=n_points)), own, square),
        rows=np.concatenate([np.empty(0, dtype=np.int64), *rows]),
        place=np.repeat(index, np.diff(first)[differing]),
        kin_start=_ends(np.bincount(kin_of, minlength=n_points)),
        kin=kin,
    )


def within(
    tested: NDArray[np.float64], known: NDArray[np.float64], limits: NDArray[np.float64]
) -> NDArray[np.bool_]:
    """Return which rows may be within a squared distance of others; none that is gets lost."""
    lengths = (tested**2).sum(axis=1)
    error = 8 * _rounding(known)
    limits = limits + error * (limits + 2 * lengths) - lengths
    nearness = tested @ (-2 * known.T) + (known**2).sum(axis=1)
    is_within: NDArray[np.bool_] = nearness <= limits[:, np.newaxis]
    return is_within


def _rounding(X: NDArray[Any]) -> float:
    """Return how far sums of products are off, relative to the squared lengths of rows."""
    return float((X.shape[1] + 8) * np.finfo(X.dtype).eps)


def _same_rows(X: NDArray[np.float64], gaps: NDArray[np.bool_] | None) -> NDArray[np.int64]:
    """Return the number of each row's point, in the order of a projection."""
    if gaps is not None:
        X = np.hstack([X, gaps])
    direction = np.random.default_rng(0).normal(size=X.shape[1])
    index = (X * direction).sum(axis=1)
    order = np.argsort(index, kind="stable")
    ordered = X[order]
    is_new = np.concatenate([[False], (ordered[1:] != ordered[:-1]).any(axis=1)])
    number = np.empty(len(X), dtype=np.int64)
    number[order] = np.cumsum(is_new)
    return number


def _kin(
    others: list[NDArray[np.int64]], repeated: NDArray[np.int64], n_points: int
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return pairs of points that differ in one column, and of points with more rows."""
    pairs = [np.add.outer(other * n_points, other).ravel() for other in others]
    together = np.unique(np.concatenate([*pairs, np.empty(0, dtype=np.int64)]))
    first, second = np.divmod(together, n_points)
    apart = first != second
    first = np.concatenate([repeated, first[apart]])
    order = np.argsort(first, kind="stable")
    return first[order], np.concatenate([repeated, second[apart]])[order]


def _kth_smallest(squares: NDArray[Any], k: int) -> NDArray[Any]:
    """Return a number per row that at least k of its entries do not exceed.

    The k-th smallest of the minima of some groups of columns.
    """
    n_each = max(1, squares.shape[1] // (4 * k))
    n_groups = squares.shape[1] // n_each
    whole = squares[:, : n_each * n_groups].reshape(len(squares), n_each, n_groups)
    kth: NDArray[Any] = np.partition(whole.min(axis=1), k - 1, axis=1)[:, k - 1]
    return kth


def _ends(counts: Any) -> NDArray[np.int64]:
    """Return where blocks of these sizes begin and end."""
    return np.concatenate([[0], np.cumsum(counts)]).astype(np.int64)
