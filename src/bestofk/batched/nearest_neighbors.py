"""Nearest neighbors in many training sets of a table, by blocks of distances."""

from __future__ import annotations

from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from bestofk.batched.form import BatchedForm, BatchedPredictions
from bestofk.batched.near_rows import NearRows, in_lines, list_length, near_rows
from bestofk.batched.parts import Parts
from bestofk.batched.shared_table import SharedTable
from bestofk.batched.subsets import Subsets
from bestofk.learners.nearest_neighbors_classifier import (
    TIE,
    ZERO,
    kth_smallest,
    squared_distances,
)

# Beyond that many neighbors, putting each in its place costs what sorting all would.
_MOST_NEIGHBORS: Final = 64
# Entries of all lists.
_MOST_ENTRIES: Final = 2**26
# Rows of which subsets are compared; larger tables go the plain way.
_MOST_ROWS: Final = 3000
# Numbers worked on at once: some arrays of that size fit the caches.
_BLOCK: Final = 2**16
# Bounds are weakened by this share, so that rounding never makes them wrong.
_SLACK: Final = 1e-9
# Up to that many columns the plain learners search trees.
_MOST_TREE_COLUMNS: Final = 15
# Operations that reading a scaled column takes, and a fit whatever its data.
_COLUMN_COST: Final = 150_000
_FIT_COST: Final = 4_000_000
# Fourth powers of larger numbers may overflow.
_LARGEST: Final = 1e70


class NearestNeighborsForm(BatchedForm):
    """Nearest neighbors of rows in many training sets.

    Made once for folds: for each row the list of the rows nearest to it, under the weights that
    columns have when nearly all rows train. In a part columns have other weights (they are scaled
    there): the distances along the list are computed with these, and the least ratio of the
    weights proves that no row beyond the list is as near as the k-th found. Rows without such a
    proof, gaps that each part fills by itself, and subsets take the distances to all rows of the
    set, as the plain learner does.

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
        return table.n_samples <= _MOST_ROWS and int(estimator.n_neighbors) <= _MOST_NEIGHBORS

    def __init__(self, estimator: Any, table: SharedTable, n_folds: int = 0) -> None:
        super().__init__(estimator, table, n_folds)
        self._k = int(estimator.n_neighbors)
        self._is_all = not hasattr(estimator, "metric")
        self._zero = ZERO * (table.encoded.matrix**2).sum(axis=1)
        self._near: NearRows | None = None
        if n_folds and not table.has_missing:
            every_nth = (np.arange(table.n_samples) % n_folds).astype(np.int32)
            weight, is_constant = _weights(table.parts(every_nth[None], n_folds))
            # as they are where columns count least: distances hardly get shorter than that
            usual = np.where(is_constant, np.inf, weight).min(axis=(0, 1))
            usual[usual == np.inf] = 1.0
            self._near = near_rows(table.encoded.matrix, usual, list_length(self._k, n_folds))

    def predict(
        self, folds: NDArray[np.int32], random_states: NDArray[np.int64] | None = None
    ) -> BatchedPredictions:
        """Look along the lists of all rows in every part; see `BatchedForm.predict`."""
        parts = self.table.parts(folds, self.n_folds)
        scores = np.zeros((*folds.shape, max(self.table.n_classes, 1)))
        is_done = parts.n_train >= self._k
        is_left = np.ones(folds.shape, dtype=bool)
        weight, is_constant = _weights(parts)
        is_done &= weight.any(axis=2)
        if self._near is not None:
            self._follow(self._near, parts, weight, is_constant, is_left, scores)
        is_left &= np.take_along_axis(is_done, folds.astype(np.int64), axis=1)
        has_left = np.zeros(is_done.shape, dtype=bool)
        repeat_left, row_left = np.nonzero(is_left)
        has_left[repeat_left, folds[repeat_left, row_left]] = True
        for repeat, fold in np.argwhere(has_left).tolist():
            rows = np.flatnonzero(is_left[repeat] & (folds[repeat] == fold))
            train = np.flatnonzero(folds[repeat] != fold)
            scores[repeat, rows] = self._scan(parts.matrix(repeat, fold), train, rows)
        done = None if is_done.all() else is_done
        if self.table.n_classes == 0:
            return BatchedPredictions(scores[..., 0], is_done=done)
        return BatchedPredictions(scores.argmax(axis=2), scores, is_done=done)

    def predict_subsets(
        self, subsets: Subsets, random_states: NDArray[np.int64] | None = None
    ) -> BatchedPredictions:
        """Take the distances to all rows of every subset; see `BatchedForm.predict_subsets`."""
        n_classes, start = self.table.n_classes, subsets.start
        scores, parts = np.zeros((len(subsets.rows), max(n_classes, 1))), subsets.parts(self.table)
        is_done = np.full(len(subsets), subsets.train.shape[1] >= self._k)
        for s in np.flatnonzero(is_done).tolist():
            Z, here = parts.matrix(s, 0), slice(start[s], start[s + 1])
            is_done[s] = Z.shape[1] > 0
            if is_done[s] and here.start < here.stop:
                scores[here] = self._scan(Z, subsets.train[s], subsets.rows[here])
        if n_classes == 0:
            return BatchedPredictions(scores[:, 0], is_done=is_done)
        return BatchedPredictions(scores.argmax(axis=1), scores, is_done=is_done)

    def _follow(
        self,
        lists: NearRows,
        parts: Parts,
        weight: NDArray[np.float64],
        is_constant: NDArray[np.bool_],
        is_left: NDArray[np.bool_],
        scores: NDArray[np.float64],
    ) -> None:
        """Predict the rows whose lists suffice, in all repeats; write which are left."""
        X, folds, n_listed = self.table.encoded.matrix, parts.folds, lists.near.shape[1]
        repeats = np.arange(len(folds))
        shares = np.where(is_constant, np.inf, weight) / lists.usual
        ratio = shares.min(axis=2) * (1 - _SLACK)
        is_same = (weight == weight[:1, :1]).all()
        shift = 0.0 if parts.shift is None else parts.shift
        size = max(1, _BLOCK // (n_listed * max(len(folds), X.shape[1])))
        for first in range(0, len(X), size):
            rows = slice(first, first + size)
            near, own = lists.near[rows], folds[:, rows].T
            differences = X[near]
            differences -= X[rows, None]
            differences *= differences
            weights = weight[:1, 0] if is_same else weight[repeats, own]
            squares = np.matmul(weights, differences.swapaxes(1, 2))
            is_tested = folds.T[near].swapaxes(1, 2) == own[..., None]
            squares = np.where(is_tested, np.inf, squares)
            counts, limit = self._counted(squares, near[:, None], self._zero[rows, None])
            horizon = np.repeat(lists.horizon[rows, None], len(folds), axis=1)
            if is_constant.any():  # what such columns add to the distances of all that train
                off = (X[rows, None] - np.broadcast_to(shift, weight.shape)[repeats, own]) ** 2
                horizon -= (off * is_constant[repeats, own]) @ lists.usual
            is_left[:, rows] = ~(limit < ratio[repeats, own] * horizon).T
            scores[:, rows] = self._shares(counts, near).swapaxes(0, 1)

    def _scan(
        self, Z: NDArray[np.float64], train: NDArray[np.int64], rows: NDArray[np.int64]
    ) -> NDArray[np.float64]:
        """Return the shares of some rows by the distances to all rows that train.

        Found by products, then those that may count are measured exactly.
        """
        zero = ZERO * np.einsum("ij,ij->i", Z, Z)[rows]
        # around their mean products lose least
        Z = Z - Z[train].mean(axis=0)
        known, tested = Z[train], Z[rows]
        factors = np.vstack([-2.0 * known.T, np.einsum("ij,ij->i", known, known)])
        slack = 8 * (2 * TIE + 4e-16 * (Z.shape[1] + 8))
        size = max(1, 8 * _BLOCK // len(train))
        results = []
        for first in range(0, len(rows), size):
            block = slice(first, first + size)
            asked = tested[block]
            nearness = np.column_stack([asked, np.ones(len(asked))]) @ factors
            limits = kth_smallest(nearness, self._k)
            lengths = np.einsum("ij,ij->i", asked, asked)
            limits = limits + slack * (np.abs(limits) + 2 * lengths) + zero[block]
            row, item = np.divmod(np.flatnonzero(nearness <= limits[:, None]), len(train))
            exact = squared_distances(asked, known, row, item)
            squares, near = in_lines(row, exact, np.inf), in_lines(row, train[item], 0)
            counts, _ = self._counted(squares, near, zero[block])
            results.append(self._shares(counts[:, None], near)[:, 0])
        return np.concatenate(results)

    def _counted(
        self, squares: NDArray[np.float64], near: NDArray[np.int64], zero: NDArray[np.float64]
    ) -> tuple[NDArray[np.bool_], NDArray[np.float64]]:
        """Return which candidates of each row count, and the distance of those tied with the last.

        Parameters
        ----------
        squares : ndarray of shape (..., n_candidates), float64
            Squared distances; infinite for what does not train.
        near : ndarray of shape (..., n_candidates), int64
            Which rows of the table the candidates are.
        zero : ndarray of shape (...), float64
            Squared distances that are rounding alone.
        """
        k = self._k
        kth = np.partition(squares, k - 1, axis=-1)[..., k - 1]
        limit = np.maximum(kth * (1.0 + TIE), zero)
        counts = (squares <= limit[..., None]) & (squares < np.inf)
        if not self._is_all:
            crowded = counts.sum(axis=-1) > k
            some, within = squares[crowded], counts[crowded]
            is_sure = some * (1.0 + TIE) < kth[crowded, None]
            # of those tied at the end, the first in the table
            order = np.where(is_sure, -1, np.broadcast_to(near, squares.shape)[crowded])
            order[~within] = np.iinfo(np.int64).max
            last = np.partition(order, k - 1, axis=1)[:, k - 1]
            counts[crowded] = order <= last[:, None]
        return counts, limit

    def _shares(self, counts: NDArray[np.bool_], near: NDArray[np.int64]) -> NDArray[np.float64]:
        """Return the shares of the classes, or the mean value, of the candidates that count.

        Parameters
        ----------
        counts : ndarray of shape (n_rows, n_sets, n_candidates), bool
            Which candidates count for a row in each of some training sets.
        near : ndarray of shape (n_rows, n_candidates), int64
            Which rows of the table the candidates are.

        Returns
        -------
        ndarray of shape (n_rows, n_sets, n_classes or 1), float64
        """
        values, total = self.table.y[near], np.maximum(counts.sum(axis=-1, keepdims=True), 1)
        if not self.table.n_classes:
            # laid out alike for one set and many: sums are rounded alike
            products = np.multiply(counts, values[:, None], order="C")
            return np.asarray(products.sum(axis=-1, keepdims=True) / total)
        # numbers of rows are exact in single precision
        is_class = values[..., None] == np.arange(self.table.n_classes)
        return np.asarray((counts.astype(np.float32) @ is_class.astype(np.float32)) / total)


def _weights(parts: Parts) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
    """Return the weights of squared differences in each part, and which columns are constant there.

    Shape (n_repeats, n_folds, n_columns).
    """
    shape = parts.n_repeats, parts.n_folds, parts.columns.matrix.shape[1]
    weight, is_constant = np.ones(shape), np.zeros(shape, dtype=bool)
    if parts.scale is not None and parts.is_constant is not None:
        weight, is_constant = parts.scale**2, parts.is_constant
    if parts.is_active is not None:
        weight = weight * parts.is_active
        is_constant = is_constant | ~parts.is_active
    return weight, is_constant


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
