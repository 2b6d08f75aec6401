"""The nearest class mean of every set of training rows."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from bestofk.batched.form import BatchedForm, BatchedPredictions
from bestofk.batched.moments import ClassMoments, PartMoments, is_summable, normalize_logs
from bestofk.batched.shared_table import SharedTable
from bestofk.batched.subsets import Subsets
from bestofk.learners.nearest_mean_classifier import NO_SPREAD


class NearestMeanForm(BatchedForm):
    """`NearestMeanClassifier` on many parts, by sums and squares of each fold and class.

    The difference of two squared distances is linear in the row. Where it is no larger than
    its rounding, distances are computed one by one: equal are those that the plain learner
    takes for equal.
    """

    releases_lock: ClassVar[bool] = True

    def __init__(self, estimator: Any, table: SharedTable, n_folds: int = 0) -> None:
        super().__init__(estimator, table, n_folds)
        if n_folds == 0:
            return
        self._moments = ClassMoments(table, n_folds, is_pooled=True)
        matrix, missing = self._moments.matrix, self._moments.is_missing
        if missing is not None:
            matrix = np.where(missing, self._moments.origin[self._moments.y], matrix)
        self._center = matrix.mean(axis=0)
        self._centered = matrix - self._center
        self._reach = np.abs(self._centered).max(axis=0)

    @classmethod
    def supports(cls, estimator: Any, table: SharedTable) -> bool:
        """Return whether the table is finite numbers."""
        return is_summable(table)

    @classmethod
    def supports_subsets(cls, estimator: Any, table: SharedTable) -> bool:
        """Return whether no number is missing."""
        return not table.has_missing

    def predict_subsets(
        self, subsets: Subsets, random_states: NDArray[np.int64] | None = None
    ) -> BatchedPredictions:
        """Predict by the means of every subset; see `BatchedForm.predict_subsets`."""
        from bestofk.batched._subset_kernels import _nearest_means

        table, n_rows = self.table, len(subsets.rows)
        is_done, labels = np.ones(len(subsets), dtype=bool), np.zeros(n_rows, dtype=np.int64)
        shares = np.zeros((n_rows, table.n_classes))
        _nearest_means(
            np.ascontiguousarray(table.encoded.matrix), table.y.astype(np.int64), subsets.train,
            subsets.rows, subsets.start, subsets.scaling(table)[1], NO_SPREAD, is_done, labels,
            shares,
        )  # fmt: skip
        normalize_logs(shares[None])
        return BatchedPredictions(labels, shares, is_done=is_done)

    def predict(
        self, folds: NDArray[np.int32], random_states: NDArray[np.int64] | None = None
    ) -> BatchedPredictions:
        """Predict by the means of every part; see `BatchedForm.predict`."""
        labels = np.empty(folds.shape, dtype=np.int64)
        probabilities = np.empty((*folds.shape, self.table.n_classes))
        is_done = np.empty((len(folds), self.n_folds), dtype=bool)
        for block in self._moments.blocks(folds):
            model = self._model(block, is_done[block.repeats])
            self._compare(block, *model, labels[block.repeats], probabilities[block.repeats])
        return BatchedPredictions(labels, probabilities, is_done=is_done)

    def _compare(
        self,
        block: PartMoments,
        slopes: NDArray[np.float64],
        facts: NDArray[np.float64],
        labels: NDArray[np.int64],
        logs: NDArray[np.float64],
    ) -> None:
        """Write labels and probabilities of some repeats."""
        from bestofk.batched._cell_kernels import _log_shares_of_distances
        from bestofk.batched._moment_kernels import _settle_doubts

        buffers = self._moments.buffers(2)  # of this call: threads predict at the same time
        for some, matrix, centered in self._tables(block):
            result = labels[some], logs[some]
            if _log_shares_of_distances(
                block.order[some], block.bounds[some], centered, slopes[some], facts[some],
                *buffers, *result,
            ):  # fmt: skip
                _settle_doubts(
                    block.parts.folds[some], matrix, block.means[some], block.scales[some],
                    facts[some], *result,
                )  # fmt: skip
        normalize_logs(logs)

    def _tables(
        self, block: PartMoments
    ) -> Iterator[tuple[slice, NDArray[np.float64], NDArray[np.float64]]]:
        """Yield repeats of a block, all rows as they are tested, and these less the center."""
        for some, matrix in self._moments.tables(block):
            is_shared = matrix is self._moments.matrix
            yield some, matrix, self._centered if is_shared else matrix - self._center

    def _model(
        self, block: PartMoments, is_clear: NDArray[np.bool_]
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Return what gaps between distances are made of; write where the spread is clear."""
        from bestofk.batched._moment_kernels import _distance_model

        n_repeats, n_folds, n_classes, n_columns = block.means.shape
        slopes = np.empty((n_repeats, n_folds, n_classes - 1, n_columns))
        facts = np.empty((n_repeats, n_folds, 3 + n_classes))
        reach = np.repeat(self._reach[None], n_repeats, axis=0)
        if block.parts.fill is not None:
            indices = np.s_[:, : self.table.n_columns]
            largest = np.abs(block.parts.fill - self._center[indices[1]]).max(axis=1)
            reach[indices] = np.maximum(reach[indices], largest)
        _distance_model(
            block.counts, block.means, block.variances, block.scales, self._center, reach,
            NO_SPREAD, slopes, facts, is_clear,
        )  # fmt: skip
        return slopes, facts
