"""Which rows are nearest to each row under the weights that columns usually have."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from bestofk.learners.joint._neighbor_kernels import Lists, Points, Rare

# A squared distance this small beside the squared length of the row is rounding alone.
_ZERO: Final = 1e-28
# Distances held at a time while lists are made.
_BLOCK: Final = 2**20
# Standard errors by which a variance may exceed that of all rows before bounds get weaker.
_DEVIATIONS: Final = 1.5
# Points that differ from most in a rare column: pairs of them are kept.
_MOST_RARE: Final = 32


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


def distinct_points(
    X: NDArray[np.float64],
    gaps: NDArray[np.bool_] | None,
    code: NDArray[np.int64],
    value: NDArray[np.float64],
) -> tuple[Points, NDArray[np.int64]]:
    """Return the distinct rows, and the point that each row is.

    Parameters
    ----------
    X : ndarray of shape (n_samples, n_columns)
        All rows, gaps filled somehow.
    gaps : ndarray of shape (n_samples, n_columns), bool, or None
        Where each part fills.
    code, value : ndarray of shape (n_samples,)
        In which sum a row counts, and what.
    """
    from bestofk.learners.joint._neighbor_kernels import Points

    number = _same_rows(X, gaps)
    members = np.argsort(number, kind="stable")
    first = _ends(np.bincount(number))
    one = members[first[:-1]]
    points = Points(
        X=np.ascontiguousarray(X[one]),
        gaps=np.empty((0, 0), dtype=bool) if gaps is None else np.ascontiguousarray(gaps[one]),
        has_gap=np.zeros(len(one), dtype=bool) if gaps is None else gaps[one].any(axis=1),
        zero=_ZERO * (X[one] ** 2).sum(axis=1),
        lone=np.where(np.diff(first) == 1, one, -1),
        first=first,
        members=members,
        code=code,
        value=value,
    )
    return points, number


def near_lists(points: Points, rare: Rare, usual: NDArray[np.float64], length: int) -> Lists:
    """Return the points nearest to each point, all pairs looked at, block by block.

    Parameters
    ----------
    points : Points
        Distinct rows.
    rare : Rare
        Whose kin are left out.
    usual : ndarray of shape (n_columns,)
        Weights of squared differences.
    length : int
        How many are listed at most.
    """
    from bestofk.learners.joint._neighbor_kernels import Lists, _list_near

    X, n_points = points.X, len(points.X)
    length = max(1, min(length, n_points - 1))
    lists = Lists(
        near=np.zeros((n_points, length), dtype=np.int32),
        key=np.full((n_points, length), np.inf),
        horizon=np.full(n_points, np.inf),
        usual=usual,
    )
    distance, seen = np.empty(n_points), np.zeros(n_points, dtype=np.int64)
    scaled = (X - X.mean(axis=0)) * np.sqrt(usual)
    # half of the digits do, unless rows are near beside their distance from the mean
    factors = [_factors(scaled.astype(np.float32)), _factors(scaled)]
    size = max(1, _BLOCK // n_points)
    for start in range(0, n_points, size):
        block = slice(start, min(start + size, n_points))
        if length >= n_points - 1:
            begin = np.arange(block.stop - start + 1) * n_points
            found = np.tile(np.arange(n_points), block.stop - start)
        else:
            for one in factors:
                begin, found, horizon, is_sharp = _nearest(one, block, length)
                if is_sharp:
                    break
            lists.horizon[block] = horizon
        _list_near(start, begin, found, X, rare, lists, distance, seen)
    return lists


def _factors(X: NDArray[Any]) -> tuple[NDArray[Any], NDArray[Any]]:
    """Return what multiplies to squared distances, but for the squared length of the first."""
    lengths = (X**2).sum(axis=1)
    return np.column_stack([X, np.ones(len(X), X.dtype)]), np.vstack([-2 * X.T, lengths])


def _nearest(
    factors: tuple[NDArray[Any], NDArray[Any]], block: slice, length: int
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
    left, right = factors
    nearness = left[block] @ right
    limits = _kth_smallest(nearness, length + 1)
    place = np.flatnonzero(nearness <= limits[:, np.newaxis])
    row, found = np.divmod(place, len(left))
    own = right[-1, block].astype(np.float64)
    squares, rounding = limits + own, _rounding(left)
    horizon = squares * (1 - 4 * rounding) - 6 * rounding * own
    return _ends(np.bincount(row)), found, horizon, bool((horizon >= 0.95 * squares).all())


def rare_columns(points: Points) -> tuple[Rare, NDArray[np.int64], NDArray[np.int64]]:
    """Return columns where few points differ from most, and which rows do in which of them."""
    from bestofk.learners.joint._neighbor_kernels import Rare

    X, n_points = points.X, len(points.X)
    most = min(max(8, n_points // 64), _MOST_RARE)
    middle = np.partition(X, n_points // 2, axis=0)[n_points // 2]
    is_other = middle != X
    if points.gaps.size:
        is_other |= points.gaps
    counts = is_other.sum(axis=0)
    column = np.flatnonzero((counts > 0) & (counts <= most))
    place, differing = np.nonzero(is_other[:, column].T)
    others = np.split(differing, _ends(counts[column])[1:-1]) if len(column) else []
    kin_of, kin = _kin(others, np.flatnonzero(points.lone < 0), n_points)
    rare = Rare(
        column=column,
        mode=middle[column],
        own_start=_ends(np.bincount(differing, minlength=n_points)),
        own=place[np.argsort(differing, kind="stable")],
        kin_start=_ends(np.bincount(kin_of, minlength=n_points)),
        kin=kin,
    )
    first, nothing = points.first, np.empty(0, dtype=np.int64)
    rows = [points.members[first[g] : first[g + 1]] for g in differing]
    return rare, np.concatenate([nothing, *rows]), np.repeat(place, np.diff(first)[differing])


def within(
    tested: NDArray[np.float64], known: NDArray[np.float64], limits: NDArray[np.float64]
) -> NDArray[np.bool_]:
    """Return which rows may be within a squared distance of others; none that is gets lost."""
    lengths = (tested**2).sum(axis=1)
    error = 8 * _rounding(known)
    limits = limits + error * (limits + 2 * lengths) - lengths
    nearness = np.column_stack([tested, np.ones(len(tested))]) @ _factors(known)[1]
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
    place = (X * direction).sum(axis=1)
    order = np.argsort(place, kind="stable")
    ordered = X[order]
    is_new = np.concatenate([[False], (ordered[1:] != ordered[:-1]).any(axis=1)])
    number = np.empty(len(X), dtype=np.int64)
    number[order] = np.cumsum(is_new)
    return number


def _kin(
    others: list[NDArray[np.int64]], repeated: NDArray[np.int64], n_points: int
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return pairs of points that differ in one column, and of points with more rows."""
    pairs = [np.add.outer(one * n_points, one).ravel() for one in others]
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
