"""Nearest neighbors in every training part, from lists of neighbors made once."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, Any, Final

import numpy as np
from numpy.typing import NDArray

from bestofk.batched.form import BatchedForm, BatchedPredictions
from bestofk.batched.lines import zeros_in_lines
from bestofk.batched.neighbor_lists import (
    MOST_RARE,
    distinct_points,
    list_length,
    near_lists,
    peakedness,
    rare_columns,
    unsure_levels,
    usual_share,
    within,
)
from bestofk.batched.shared_table import SharedTable
from bestofk.batched.subset_neighbors import NearestNeighborsSubsets
from bestofk.batched.subsets import Subsets

if TYPE_CHECKING:
    from bestofk.batched._neighbor_kernels import (
        Bounds,
        Candidates,
        Walks,
        Weights,
    )
    from bestofk.batched.parts import Parts

# With fewer rows, or fewer differences, a scan costs less than the products that would spare it.
_FEW_ROWS: Final = 16
_FEW_DIFFERENCES: Final = 2**19
# Beyond that many neighbors, putting each in its place costs what sorting all would.
_MOST_NEIGHBORS: Final = 64
# Entries of all lists.
_MOST_ENTRIES: Final = 2**26
# Up to that many columns the plain learners search trees.
_MOST_TREE_COLUMNS: Final = 15
# Operations that reading a scaled column takes, and a fit whatever its data.
_COLUMN_COST: Final = 150_000
_FIT_COST: Final = 4_000_000
# Fourth powers of larger numbers may overflow.
_LARGEST: Final = 1e70


class NearestNeighborsForm(BatchedForm):
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

    @classmethod
    def is_faster(cls, estimator: Any, table: SharedTable, n_folds: int) -> bool:
        """Return whether making lists costs less than five repeats of what it spares.

        Lists take all pairs of rows. So does the plain way, in each repeat and once for labels
        and once for probabilities, but that trees find neighbors in few columns sooner.
        """
        n_samples, n_columns = table.encoded.matrix.shape
        k = int(estimator.n_neighbors)
        if k > _MOST_NEIGHBORS or n_samples * list_length(k, n_folds) > _MOST_ENTRIES:
            return False
        if n_columns > _MOST_TREE_COLUMNS:
            n_scaled = sum(step.scale is not None for step in table.encoded.steps)
            pairs = n_samples**2 * n_columns / 4
            return bool(n_scaled * _COLUMN_COST <= 10 * _FIT_COST + pairs)
        visited = min(n_samples / 2, 40.0 * 2**n_columns) * (n_columns + 4)
        return bool(n_samples * (n_columns / 8 + 2) < 10 * (2000 + visited))

    @classmethod
    def supports_subsets(cls, estimator: Any, table: SharedTable) -> bool:
        """Return whether rows and neighbors are few."""
        return NearestNeighborsSubsets.supports(estimator, table)

    def predict_subsets(
        self, subsets: Subsets, random_states: NDArray[np.int64] | None = None
    ) -> BatchedPredictions:
        """Let neighbors vote in every subset; see `BatchedForm.predict_subsets`."""
        return self._subsets.predict(subsets)

    def __init__(self, estimator: Any, table: SharedTable, n_folds: int = 0) -> None:
        super().__init__(estimator, table, n_folds)
        if n_folds == 0:
            self._subsets = NearestNeighborsSubsets(estimator, table)
            return
        from bestofk.batched import _neighbor_kernels as kernels

        self._kernels = kernels
        self._k = int(estimator.n_neighbors)
        self._is_all = not hasattr(estimator, "metric")
        columns = table.encoded
        weight, self._fill = self._usual_weight_and_fill()
        filled = columns.matrix
        if columns.is_missing is not None:
            filled = np.where(columns.is_missing, self._fill, filled)
        peak = peakedness(filled)
        is_scaled = np.array([step.scale not in (None, "center") for step in columns.steps])
        share = np.where(is_scaled, usual_share(peak, len(filled), n_folds), 1.0)
        # a level may be missing in some parts, so that its column is
        is_rare = (columns.level_totals >= 0) & (columns.level_totals <= MOST_RARE)
        is_fixed = np.array([step.scale is None for step in columns.steps]) & ~is_rare
        # even columns first: they bring sums beyond a limit soonest
        self._order = np.lexsort((peak, ~is_fixed))
        self._usual = (weight * share)[self._order]
        is_missing = columns.is_missing
        self._unsure = unsure_levels(columns, n_folds)[self._order]
        self._points, self._point_of = distinct_points(
            filled[:, self._order], int(is_fixed.sum()),
            None if is_missing is None else is_missing[:, self._order],
            *self._counted(),
        )  # fmt: skip
        self._place_of = np.argsort(self._points.members)
        # distances are then the same in all parts
        self._is_in_order = bool(is_fixed.all()) and is_missing is None
        self._rare = rare_columns(self._points, self._unsure)
        is_certain = not is_scaled.any() and columns.is_missing is None
        is_certain = is_certain and not (np.rint(filled) == filled).all()
        length = list_length(self._k, n_folds, is_certain=bool(is_certain))
        self._lists = near_lists(self._points, self._rare, self._usual, self._unsure, length)

    def predict(
        self, folds: NDArray[np.int32], random_states: NDArray[np.int64] | None = None
    ) -> BatchedPredictions:
        """Walk the lists of all rows in every part; see `BatchedForm.predict`."""
        table = self.table
        folds = np.ascontiguousarray(folds, dtype=np.int32)
        n_repeats, n_samples = folds.shape
        scores = np.zeros((n_repeats, n_samples, max(table.n_classes, 1)))
        kernels = self._kernels
        parts = table.parts(folds, self.n_folds)
        weights, bounds = self._weights_and_bounds(parts)
        is_done = parts.n_train >= self._k
        is_done &= weights.weight.any(axis=1).reshape(is_done.shape)
        left = np.full(folds.size, np.nan)
        flat, best = scores.reshape(folds.size, -1), np.zeros(folds.size, dtype=np.int64)
        by_points = np.ascontiguousarray(folds.T[self._points.members])
        is_left = np.ones(by_points.shape, dtype=bool)
        if self._is_in_order and is_done.all():
            self._vote_in_order(by_points, is_left, flat, best)

        def walk(walks: Walks, candidates: Candidates, bounds: Bounds) -> None:
            size = int((walks.place[:, 1] - walks.place[:, 0]).max())
            kernels._walk(
                by_points, is_done, is_left, self._k, self._is_all, *walks, *candidates,
                *self._points, *self._rare.owned, self._usual, *weights, *bounds,
                *self._room(size), left, flat, best,
            )  # fmt: skip

        if is_left.any():
            walk(self._walks(n_repeats), self._lists.candidates, bounds)
        todo = np.flatnonzero(~np.isnan(left))
        if len(todo):
            some = self._walks_past_all(*np.divmod(todo, n_samples), left[todo], folds, weights)
            walk(*some, kernels.Bounds(*(np.zeros_like(bound) for bound in bounds)))
        done = None if is_done.all() else is_done
        if table.n_classes == 0:
            return BatchedPredictions(labels=scores[..., 0], is_done=done)
        return BatchedPredictions(best.reshape(folds.shape), probabilities=scores, is_done=done)

    def _vote_in_order(
        self,
        folds: NDArray[np.int32],
        is_left: NDArray[np.bool_],
        scores: NDArray[np.float64],
        best: NDArray[np.int64],
    ) -> None:
        """Predict rows whose lists tell without ties; write which are left."""
        from bestofk.batched._vote_kernels import _vote_in_order

        points, lists, n_repeats = self._points, self._lists, folds.shape[1]
        room = np.empty(n_repeats, dtype=np.int64), np.empty((scores.shape[1], n_repeats))
        _vote_in_order(
            folds, self._k, lists.start, lists.candidates.near, lists.candidates.key,
            lists.horizon, points.zero, points.first, points.members, points.code, points.value,
            *room, is_left, scores, best,
        )  # fmt: skip

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

    def _counted(self) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
        """Return in which sum each row counts, and what: a vote for its class, or its value."""
        table = self.table
        if table.n_classes == 0:
            return np.zeros(table.n_samples, dtype=np.int64), table.y.astype(np.float64)
        return table.y.astype(np.int64), np.ones(table.n_samples)

    def _walks(self, n_repeats: int) -> Walks:
        """Return the walks along the list of each point, for its rows in all repeats."""
        first, start = self._points.first, self._lists.start
        n_points = len(self._points.X)
        repeats = np.tile([0, n_repeats], (n_points, 1))
        return self._kernels.Walks(
            point=np.arange(n_points),
            place=np.column_stack([start[:-1], start[1:], first[:-1], first[1:], repeats]),
            horizon=self._lists.horizon,
            limit=np.full(n_points, np.inf),
        )

    def _walks_past_all(
        self,
        repeat: NDArray[np.int64],
        row: NDArray[np.int64],
        limits: NDArray[np.float64],
        folds: NDArray[np.int32],
        weights: Weights,
    ) -> tuple[Walks, Candidates]:
        """Return walks past all points that may be neighbors of some rows, and these points.

        Found by products of matrices where a part has many such rows; elsewhere all points.
        """
        n_points, n_columns = self._points.X.shape
        begin, end = np.zeros(len(row), dtype=np.int64), np.full(len(row), n_points)
        parts = repeat * self.n_folds + folds[repeat, row]
        order = np.argsort(parts, kind="stable")
        results, total = [np.arange(n_points)], n_points
        bounds = np.flatnonzero(np.diff(parts[order], prepend=-1, append=-1))
        for first, last in pairwise(bounds):
            n_rows = last - first
            if n_rows < _FEW_ROWS or n_rows * n_points * n_columns < _FEW_DIFFERENCES:
                continue
            part, todo = parts[order[first]], order[first:last]
            known = self._prepared_points(part, weights)
            is_near = within(known[self._point_of[row[todo]]], known, limits[todo])
            counts = is_near.sum(axis=1)
            end[todo] = total + np.cumsum(counts)
            begin[todo] = end[todo] - counts
            total = int(end[todo[-1]])
            results.append(np.flatnonzero(is_near) % n_points)
        index, near = self._place_of[row], np.concatenate(results)
        kernels = self._kernels
        walks = kernels.Walks(
            point=self._point_of[row],
            place=np.column_stack([begin, end, index, index + 1, repeat, repeat + 1]),
            horizon=np.full(len(row), np.inf),
            limit=limits,
        )
        anyway = np.full(len(near), -np.inf)
        return walks, kernels.Candidates(near, anyway, np.full(len(near), -1.0))

    def _prepared_points(self, part: int, weights: Weights) -> NDArray[np.float64]:
        """Return the points as prepared in a part, but for a shift."""
        points = self._points
        X = points.X
        if weights.fill.size:
            X = np.where(points.gaps, weights.fill[part], X)
        return np.asarray((X - X.mean(axis=0)) * np.sqrt(weights.weight[part]))

    def _is_agreed(self, folds: NDArray[np.int32]) -> NDArray[np.bool_]:
        """Return in which rare columns all rows of each part have the most frequent value."""
        rare, n_repeats = self._rare, len(folds)
        rows, index, n_rare = rare.rows, rare.place, len(rare.column)
        cells = (np.arange(n_repeats)[:, None] * self.n_folds + folds[:, rows]) * n_rare + index
        inside = np.bincount(cells.ravel(), minlength=n_repeats * self.n_folds * n_rare)
        return np.asarray(inside.reshape(-1, n_rare) == np.bincount(index, minlength=n_rare))

    def _room(self, size: int) -> tuple[Any, ...]:
        """Return room for walks past that many candidates."""
        n_columns = self._points.X.shape[1] - self._points.n_fixed
        point, rows = (np.empty(size + 1, dtype=np.int64) for _ in range(2))
        n_blocks = -(-size // 8)  # of candidates side by side
        fixed, apart = np.empty((n_blocks, 8)), zeros_in_lines(n_blocks, n_columns, 8)
        return np.empty(size + 1), point, rows, fixed, apart, np.empty(8)

    def _weights_and_bounds(self, parts: Parts) -> tuple[Weights, Bounds]:
        table, order, usual = self.table, self._order, self._usual
        n_parts = parts.n_repeats * self.n_folds
        weight = np.ones((n_parts, table.n_columns))
        if parts.scale is not None:
            weight = np.ascontiguousarray((parts.scale**2).reshape(weight.shape)[:, order])
        if parts.is_active is not None:
            weight *= parts.is_active.reshape(weight.shape)[:, order]
        # rare columns in which all training rows agree: what they add is known
        is_known = np.zeros(weight.shape, dtype=bool)
        if len(self._rare.column):
            is_known[:, self._rare.column] = self._is_agreed(parts.folds)
        with np.errstate(divide="ignore"):
            share = np.where(is_known, 0.0, usual / weight)
        fill, drift = np.empty((0, 0)), np.zeros(n_parts)
        if parts.fill is not None:
            fill = np.ascontiguousarray(parts.fill.reshape(weight.shape)[:, order])
            is_filled = self._points.gaps.any(axis=0) & ~self._unsure
            moved = np.where(is_filled, fill - self._fill[order], 0.0)
            drift = np.sqrt((weight * moved**2).sum(axis=1))
        kernels = self._kernels
        return kernels.Weights(weight, fill), kernels.Bounds(share.max(axis=1), drift)


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
    from bestofk.data.table_columns import table_columns

    if isinstance(table.features, np.ndarray):
        return table.features.dtype in (np.float32, np.float16)
    kinds = [getattr(column, "dtype", None) for column in table_columns(table.features)]
    return any(kind in (np.float32, np.float16) for kind in kinds)
