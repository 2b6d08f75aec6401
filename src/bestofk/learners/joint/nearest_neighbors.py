"""Nearest neighbors in every training part, from lists of neighbors made once."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import numpy as np
from numpy.typing import NDArray

from bestofk.learners.joint.form import JointForm, JointPredictions
from bestofk.learners.joint.shared_table import SharedTable

if TYPE_CHECKING:
    from bestofk.learners.joint._neighbor_kernels import Bounds, Lists, Points, Rare, Weights

# A squared distance this small beside the squared length of the row is rounding alone.
_ZERO: Final = 1e-28
# Distances held at a time while lists are made.
_BLOCK: Final = 2**18
# With fewer rows, or fewer differences, a scan costs less than the products that would spare it.
_FEW_ROWS: Final = 16
_FEW_DIFFERENCES: Final = 2**19
# Squares of larger numbers may overflow.
_LARGEST: Final = 1e100


class NearestNeighborsForm(JointForm):
    """Nearest neighbors of all rows in all training parts.

    Made once: for each distinct row the list of the rows nearest to it, under the weights
    that columns have when all rows train. In a part columns have other weights (they are
    scaled there), so the list is walked in its order, distances are computed with the
    weights of the part, and the walk ends where the least ratio of the weights proves that
    no row further on can be as near as the k-th found. Without such proof all rows are looked at.

    Of rows that are as far as the k-th, `NearestNeighborsClassifier` counts all; the learners
    of scikit-learn take some, here those that come first in the table.
    """

    @classmethod
    def supports(cls, estimator: Any, table: SharedTable) -> bool:
        """Return whether distances are Euclidean, neighbors count alike, and numbers are finite."""
        params = estimator.get_params(deep=False)
        k = params["n_neighbors"]
        if not isinstance(k, int | np.integer) or isinstance(k, bool) or k < 1:
            return False
        is_own = "metric" not in params
        if not is_own and not _is_plain_euclidean(params):
            return False
        if table.preparation is None and not table.is_numeric:
            return False
        if not is_own and _is_single_precision(table):
            return False
        matrix, is_missing = table.encoded.matrix, table.encoded.is_missing
        if matrix.shape[0] < 2 or matrix.shape[1] == 0:
            return False
        if is_missing is not None:
            steps = table.encoded.steps
            if any(steps[q].fill is None for q in np.flatnonzero(is_missing.any(axis=0))):
                return False
        return bool(np.abs(matrix).max() < _LARGEST)

    def __init__(self, estimator: Any, table: SharedTable, n_folds: int) -> None:
        super().__init__(estimator, table, n_folds)
        from bestofk.learners.joint import _neighbor_kernels as kernels

        self._kernels = kernels
        self._k = int(estimator.n_neighbors)
        self._is_all = not hasattr(estimator, "metric")
        columns = table.encoded
        weight, self._fill = self._usual_weight_and_fill()
        filled = columns.matrix
        if columns.is_missing is not None:
            filled = np.where(columns.is_missing, self._fill, filled)
        usual, peak = self._usual_weight(filled, weight)
        # columns that vary most of all come first: sums are soon beyond a limit
        self._order = np.argsort(peak, kind="stable")
        points, self._point_of = self._points(filled)
        self._points_, self._usual = points, np.ascontiguousarray(usual[self._order])
        self._rare, self._rare_rows = self._rare_columns(points)
        self._lists = self._near_lists(points.X)

    def predict(
        self, folds: NDArray[np.int32], random_states: NDArray[np.int64] | None = None
    ) -> JointPredictions:
        """Walk the lists of all rows in every part; see `JointForm.predict`."""
        table = self.table
        folds = np.ascontiguousarray(folds, dtype=np.int32)
        n_repeats, n_samples = folds.shape
        sizes = np.array([np.bincount(one, minlength=self.n_folds) for one in folds])
        is_done = n_samples - sizes.reshape(n_repeats, self.n_folds) >= self._k
        scores = np.zeros((n_repeats, n_samples, max(table.n_classes, 1)))
        kernels, weights = self._kernels, self._weights(folds)
        bounds = self._bounds(folds, weights)
        room, left = self._room(), np.full(folds.shape, np.nan)
        flat = scores.reshape(n_repeats * n_samples, -1)
        kernels._walk(
            folds, is_done, self._k, self._is_all, self._points_, self._rare, self._lists,
            weights, bounds, room, left, flat,
        )  # fmt: skip
        repeat, row = np.nonzero(~np.isnan(left))
        if len(row):
            limits = left[repeat, row]
            candidates = self._candidates(repeat, row, limits, folds, weights)
            kernels._scan(
                repeat, row, limits, *candidates, folds, self.n_folds, self._k, self._is_all,
                self._point_of, self._points_, weights, room, flat,
            )  # fmt: skip
        done = None if is_done.all() else is_done
        if table.n_classes == 0:
            return JointPredictions(labels=scores[..., 0], is_done=done)
        return JointPredictions(scores.argmax(axis=2), probabilities=scores, is_done=done)

    def _usual_weight_and_fill(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Return what columns weigh, and what fills them, where all rows but the first train."""
        table = self.table
        folds = np.ones((1, table.n_samples), dtype=np.int32)
        folds[0, 0] = 0
        parts = table.parts(folds, 2)
        ones = np.ones(table.n_columns)
        weight = ones if parts.scale is None else parts.scale[0, 0] ** 2
        rest = table.encoded.matrix[1:]
        is_constant = rest.min(axis=0) == rest.max(axis=0)
        fill = np.zeros(table.n_columns) if parts.fill is None else parts.fill[0, 0]
        return np.where(is_constant, ones, weight), fill

    def _usual_weight(
        self, filled: NDArray[np.float64], weight: NDArray[np.float64]
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Return weights that parts hardly ever go below, and how peaked the columns are.

        The variance in a part is at most n / n_train times that of all rows, and mostly
        within three standard errors of it.
        """
        n_samples = len(filled)
        centered = filled - filled.mean(axis=0)
        squares = centered**2
        variance = squares.mean(axis=0)
        is_varied = variance > 0
        fourth = (squares**2).mean(axis=0)
        peak = np.where(is_varied, fourth / np.where(is_varied, variance, 1) ** 2, np.inf)
        is_scaled = np.array([step.scale is not None for step in self.table.encoded.steps])
        share = (self.n_folds - 1) / self.n_folds
        error = np.sqrt(np.maximum(peak - 1, 0) * (1 / share - 1) / n_samples)
        usual = np.where(is_scaled, weight * np.clip(1 - 3 * error, share, 1), weight)
        return usual, peak

    def _points(self, filled: NDArray[np.float64]) -> Any:
        table = self.table
        columns = table.encoded
        X = np.ascontiguousarray(filled[:, self._order])
        gaps = None if columns.is_missing is None else columns.is_missing[:, self._order]
        number = _same_rows(X, gaps)
        members = np.argsort(number, kind="stable")
        first = np.concatenate([[0], np.cumsum(np.bincount(number))])
        one = members[first[:-1]]
        is_regression = table.n_classes == 0
        n_samples = table.n_samples
        points = self._kernels.Points(
            X=np.ascontiguousarray(X[one]),
            gaps=np.empty((0, 0), dtype=bool) if gaps is None else np.ascontiguousarray(gaps[one]),
            has_gap=np.zeros(len(one), dtype=bool) if gaps is None else gaps[one].any(axis=1),
            zero=_ZERO * (X[one] ** 2).sum(axis=1),
            lone=np.where(np.diff(first) == 1, one, -1),
            first=first.astype(np.int64),
            members=members,
            code=(np.zeros(n_samples) if is_regression else table.y).astype(np.int64),
            value=(table.y if is_regression else np.ones(n_samples)).astype(np.float64),
        )
        return points, number

    def _list_length(self, n_points: int) -> int:
        # measured: shorter lists leave too many rows to scans, longer ones cost more to make
        wanted = 20 + 4 * self._k + (28 + 12 * self._k) // (self.n_folds - 1)
        return min(wanted, n_points - 1) if n_points > 1 else 1

    def _near_lists(self, X: NDArray[np.float64]) -> Lists:
        n_points, length = len(X), self._list_length(len(X))
        lists = self._kernels.Lists(
            near=np.zeros((n_points, length), dtype=np.int32),
            key=np.full((n_points, length), np.inf),
            horizon=np.full(n_points, np.inf),
            usual=self._usual,
        )
        found, distance = np.empty(n_points, dtype=np.int64), np.empty(n_points)
        seen = np.zeros(n_points, dtype=np.int64)
        scaled = (X - X.mean(axis=0)) * np.sqrt(self._usual)
        lengths = (scaled**2).sum(axis=1)
        factors = np.vstack([-2 * scaled.T, lengths])
        rounding = 4e-16 * (X.shape[1] + 8)
        size = max(1, _BLOCK // n_points)
        for start in range(0, n_points, size):
            block = scaled[start : start + size]
            if length >= n_points - 1:
                nearness = np.zeros((len(block), n_points))
                limits = np.full(len(block), np.inf)
            else:
                nearness = np.column_stack([block, np.ones(len(block))]) @ factors
                limits = _kth_smallest(nearness, length + 1)
                own = lengths[start : start + size]
                lists.horizon[start : start + size] = (limits + own) * (
                    1 - 8 * rounding
                ) - 16 * rounding * own
            self._kernels._list_near(
                start, nearness, limits, X, self._rare, lists, found, distance, seen
            )
        return lists

    def _rare_columns(
        self, points: Points
    ) -> tuple[Rare, tuple[NDArray[np.int64], NDArray[np.int64]]]:
        X, gaps = points.X, points.gaps
        n_points = len(X)
        most = max(8, n_points // 64)
        column, mode, others = [], [], []
        for q in range(X.shape[1]):
            middle = np.partition(X[:, q], n_points // 2)[n_points // 2]
            is_other = X[:, q] != middle
            if gaps.size:
                is_other |= gaps[:, q]
            if 0 < is_other.sum() <= most:
                column.append(q)
                mode.append(middle)
                others.append(np.flatnonzero(is_other))
        counts = [len(one) for one in others]
        points_of = np.concatenate([*others, np.empty(0, dtype=np.int64)])
        place = np.repeat(np.arange(len(column)), counts)
        own = place[np.argsort(points_of, kind="stable")]
        kin = [[g] if points.lone[g] < 0 else [] for g in range(n_points)]
        for g in np.unique(points_of):
            together = np.unique(np.concatenate([one for one in others if g in one]))
            kin[g] += [j for j in together.tolist() if j != g]
        sizes = np.diff(points.first)[points_of]
        rows = [points.members[points.first[g] : points.first[g + 1]] for g in points_of]
        rare = self._kernels.Rare(
            column=np.array(column, dtype=np.int64),
            mode=np.array(mode, dtype=np.float64),
            own_start=_ends(np.bincount(points_of, minlength=n_points)),
            own=own,
            kin_start=_ends([len(one) for one in kin]),
            kin=np.array([j for one in kin for j in one], dtype=np.int64),
        )
        nothing = np.empty(0, dtype=np.int64)
        return rare, (np.concatenate([*rows, nothing]), np.repeat(place, sizes))

    def _candidates(
        self,
        repeat: NDArray[np.int64],
        row: NDArray[np.int64],
        limits: NDArray[np.float64],
        folds: NDArray[np.int32],
        weights: Weights,
    ) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
        """Return which points may be neighbors of some rows: where they begin, end, and all.

        Found by products of matrices where a part has many such rows; elsewhere all points.
        """
        begin, end = np.full(len(row), -1), np.zeros(len(row), dtype=np.int64)
        parts = repeat * self.n_folds + folds[repeat, row]
        order = np.argsort(parts, kind="stable")
        found, total = [np.empty(0, dtype=np.int64)], 0
        n_points, n_columns = self._points_.X.shape
        bounds = np.flatnonzero(np.diff(parts[order], prepend=-1, append=-1))
        for first, last in zip(bounds[:-1], bounds[1:], strict=True):
            n_rows = last - first
            if n_rows < _FEW_ROWS or n_rows * n_points * n_columns < _FEW_DIFFERENCES:
                continue
            part, todo = parts[order[first]], order[first:last]
            known = self._prepared_points(part, weights)
            is_near = _within(known[self._point_of[row[todo]]], known, limits[todo])
            counts = is_near.sum(axis=1)
            end[todo] = total + np.cumsum(counts)
            begin[todo] = end[todo] - counts
            total = int(end[todo[-1]])
            found.append(np.flatnonzero(is_near) % n_points)
        return begin, end, np.concatenate(found)

    def _prepared_points(self, part: int, weights: Weights) -> NDArray[np.float64]:
        """Return the points as prepared in a part, but for a shift."""
        points = self._points_
        X = points.X
        if weights.fill.size:
            X = np.where(points.gaps, weights.fill[part], X)
        return np.asarray((X - X.mean(axis=0)) * np.sqrt(weights.weight[part]))

    def _bounds(self, folds: NDArray[np.int32], weights: Weights) -> Bounds:
        weight, usual = weights.weight, self._usual
        # rare columns in which all training rows agree: what they add is known
        is_known = np.zeros(weight.shape, dtype=bool)
        if len(self._rare.column):
            is_known[:, self._rare.column] = self._is_agreed(folds)
        with np.errstate(divide="ignore"):
            share = np.where(is_known, 0.0, usual / weight)
        is_usual = ((weight == usual) | is_known).all(axis=1)
        drift = np.zeros(len(weight))
        if weights.moved.size:
            drift = np.sqrt((weight * weights.moved**2).sum(axis=1))
        return self._kernels.Bounds(share.max(axis=1), drift, is_usual & (drift == 0))

    def _is_agreed(self, folds: NDArray[np.int32]) -> NDArray[np.bool_]:
        """Return in which rare columns all rows of each part have the most frequent value."""
        rows, place = self._rare_rows
        n_rare, n_repeats = len(self._rare.column), len(folds)
        cells = (np.arange(n_repeats)[:, None] * self.n_folds + folds[:, rows]) * n_rare + place
        inside = np.bincount(cells.ravel(), minlength=n_repeats * self.n_folds * n_rare)
        return inside.reshape(-1, n_rare) == np.bincount(place, minlength=n_rare)

    def _room(self) -> tuple[Any, ...]:
        n_points = len(self._points_.X)
        point, rows = (np.empty(n_points + 1, dtype=np.int64) for _ in range(2))
        return np.empty(n_points + 1), point, rows

    def _weights(self, folds: NDArray[np.int32]) -> Weights:
        table = self.table
        shape = (len(folds), self.n_folds, table.n_columns)
        parts = table.parts(folds, self.n_folds)
        weight = np.ones(shape) if parts.scale is None else parts.scale**2
        if parts.is_active is not None:
            weight = weight * parts.is_active
        fill = moved = np.empty((0, 0))
        if parts.fill is not None:
            fill = np.ascontiguousarray(parts.fill[..., self._order])
            has_gap = self._points_.gaps.any(axis=0)
            moved = np.where(has_gap, fill - self._fill[self._order], 0.0)
            moved, fill = (one.reshape(-1, table.n_columns) for one in (moved, fill))
        weight = np.ascontiguousarray(weight[..., self._order]).reshape(-1, table.n_columns)
        return self._kernels.Weights(weight, fill, moved)


def _within(
    tested: NDArray[np.float64], known: NDArray[np.float64], limits: NDArray[np.float64]
) -> NDArray[np.bool_]:
    """Return which rows surely contain all that are within a squared distance of others."""
    lengths = (tested**2).sum(axis=1)
    error = 16 * 4e-16 * (known.shape[1] + 8)
    limits = limits + error * (limits + 2 * lengths) - lengths
    factors = np.vstack([-2 * known.T, (known**2).sum(axis=1)])
    nearness = np.column_stack([tested, np.ones(len(tested))]) @ factors
    is_within: NDArray[np.bool_] = nearness <= limits[:, np.newaxis]
    return is_within


def _is_plain_euclidean(params: dict[str, Any]) -> bool:
    metric = params["metric"]
    is_euclidean = metric in ("euclidean", "l2") or (metric == "minkowski" and params["p"] == 2)
    return (
        is_euclidean
        and params["metric_params"] is None
        and params["weights"] == "uniform"
        and params["algorithm"] in ("auto", "ball_tree", "kd_tree", "brute")
    )


def _is_single_precision(table: SharedTable) -> bool:
    """Return whether scikit-learn would compute in less than double precision."""
    from bestofk.learners.columns import table_columns

    if isinstance(table.features, np.ndarray):
        return table.features.dtype in (np.float32, np.float16)
    kinds = [getattr(column, "dtype", None) for column in table_columns(table.features)]
    return any(kind in (np.float32, np.float16) for kind in kinds)


def _same_rows(X: NDArray[np.float64], gaps: NDArray[np.bool_] | None) -> NDArray[np.int64]:
    """Number the distinct rows by their first appearance in the order of a projection."""
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


def _kth_smallest(squares: NDArray[np.float64], k: int) -> NDArray[np.float64]:
    """Return a number per row that at least k of its entries do not exceed.

    The k-th smallest of the minima of some groups of columns.
    """
    n_each = max(1, squares.shape[1] // (4 * k))
    n_groups = squares.shape[1] // n_each
    whole = squares[:, : n_each * n_groups].reshape(len(squares), n_each, n_groups)
    kth: NDArray[np.float64] = np.partition(whole.min(axis=1), k - 1, axis=1)[:, k - 1]
    return kth


def _ends(counts: Any) -> NDArray[np.int64]:
    """Return where blocks of these sizes begin and end."""
    return np.concatenate([[0], np.cumsum(counts)]).astype(np.int64)
