"""Nearest neighbors in every subset: from one list of all neighbors, or by products of rows."""

from __future__ import annotations

from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from bestofk.batched.form import BatchedPredictions
from bestofk.batched.shared_table import SharedTable
from bestofk.batched.subsets import Subsets
from bestofk.learners.nearest_neighbors_classifier import TIE, ZERO

# Neighbors wanted, beyond which putting each in its place costs what sorting all would.
_MOST_NEIGHBORS: Final = 64
# Rows of which all pairs are listed: some 100 MB. Larger tables go the plain way.
_MOST_ROWS: Final = 3000


class NearestNeighborsSubsets:
    """Nearest neighbors in many subsets.

    Where all subsets have the same distances, the neighbors of each row are put in order once,
    and the first of them that train vote. Where columns are scaled or filled by each subset,
    its distances are found by products of rows, and those that may count are measured exactly.

    Of rows that are as far as the k-th, `NearestNeighborsClassifier` counts all; the learners
    of scikit-learn take some, here those that come first in the table.
    """

    @classmethod
    def supports(cls, estimator: Any, table: SharedTable) -> bool:
        """Return whether rows and neighbors are few."""
        return table.n_samples <= _MOST_ROWS and estimator.n_neighbors <= _MOST_NEIGHBORS

    def __init__(self, estimator: Any, table: SharedTable) -> None:
        self.table = table
        self._k = int(estimator.n_neighbors)
        self._is_all = not hasattr(estimator, "metric")
        n_samples, columns = table.n_samples, table.encoded
        self._code, self._value = table.y.astype(np.int64), np.ones(n_samples)
        if table.n_classes == 0:
            self._code, self._value = np.zeros(n_samples, dtype=np.int64), table.y.astype(float)
        is_given = all(step.scale in (None, "center") for step in columns.steps)
        self._lists = None
        if is_given and columns.is_missing is None and not (columns.level_totals >= 0).any():
            self._lists = _all_neighbors(columns.matrix * columns.spread)

    def predict(
        self, subsets: Subsets, random_states: NDArray[np.int64] | None = None
    ) -> BatchedPredictions:
        """Let neighbors vote in every subset; see `BatchedForm.predict_subsets`."""
        n_classes, n_rows = self.table.n_classes, len(subsets.rows)
        scores, best = np.zeros((n_rows, max(n_classes, 1))), np.zeros(n_rows, dtype=np.int64)
        is_done = np.full(len(subsets), subsets.train.shape[1] >= self._k)
        if is_done.all():
            if self._lists is None:
                self._measure(subsets, scores, best, is_done)
            else:
                self._walk(subsets, self._lists, scores, best)
        if n_classes == 0:
            return BatchedPredictions(scores[:, 0], is_done=is_done)
        return BatchedPredictions(best, scores, is_done=is_done)

    def _walk(
        self,
        subsets: Subsets,
        lists: tuple[NDArray[np.int32], NDArray[np.float64], NDArray[np.float64]],
        scores: NDArray[np.float64],
        best: NDArray[np.int64],
    ) -> None:
        from bestofk.batched._subset_kernels import _vote_along

        is_train = subsets.is_train(self.table.n_samples)
        _vote_along(
            is_train, subsets.rows, subsets.start, self._k, self._is_all, *lists, self._code,
            self._value, scores, best,
        )  # fmt: skip

    def _measure(
        self,
        subsets: Subsets,
        scores: NDArray[np.float64],
        best: NDArray[np.int64],
        is_done: NDArray[np.bool_],
    ) -> None:
        from bestofk.batched._subset_kernels import _vote_nearest

        parts, m = subsets.parts(self.table), subsets.train.shape[1]
        room = np.empty(self._k), np.empty(m), np.empty(m, dtype=np.int64)
        for s, train in enumerate(subsets.train):
            Z = parts.matrix(s, 0)
            if Z.shape[1] == 0:
                is_done[s] = False
                continue
            here = slice(subsets.start[s], subsets.start[s + 1])
            rows, known = subsets.rows[here], Z[train]
            # around their mean products lose least
            center = known.mean(axis=0)
            Z -= center
            known -= center
            nearness = Z[rows] @ (-2.0 * known.T)
            nearness += np.einsum("ij,ij->i", known, known)
            slack = 8 * (2 * TIE + 4e-16 * (Z.shape[1] + 8))
            _vote_nearest(
                Z, train, rows, nearness, self._is_all, slack, ZERO, self._code, self._value,
                *room, scores[here], best[here],
            )  # fmt: skip


def _all_neighbors(
    X: NDArray[np.float64],
) -> tuple[NDArray[np.int32], NDArray[np.float64], NDArray[np.float64]]:
    """Return all rows in the order of their distance from each, these squared, and zero."""
    from scipy.spatial.distance import cdist

    squares = cdist(X, X, "sqeuclidean")
    near = np.argsort(squares, axis=1, kind="stable")
    zero: NDArray[np.float64] = ZERO * (X**2).sum(axis=1)
    return near.astype(np.int32), np.take_along_axis(squares, near, axis=1), zero
