"""The nearest class mean of every training part."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from bestofk.learners.joint.form import JointForm, JointPredictions
from bestofk.learners.joint.moments import ClassMoments, PartMoments, is_summable, normalize_logs
from bestofk.learners.joint.shared_table import SharedTable
from bestofk.learners.nearest_mean_classifier import NO_SPREAD

# Products with the models of all folds cost no more than distances to those of one, for so many
# folds.
_MOST_FOLDS = 16


class NearestMeanForm(JointForm):
    """`NearestMeanClassifier` on many parts, by sums and squares of each fold and class.

    The difference of two squared distances is linear in the row, so that one product of
    matrices has those of all rows for the models of all parts. Where it is no larger than its
    rounding, distances are computed one by one: equal are those that the plain learner takes
    for equal.
    """

    releases_lock: ClassVar[bool] = True

    def __init__(self, estimator: Any, table: SharedTable, n_folds: int) -> None:
        super().__init__(estimator, table, n_folds)
        self._moments = ClassMoments(table, n_folds, is_pooled=True)
        matrix, missing = self._moments.matrix, self._moments.is_missing
        if missing is not None:
            matrix = np.where(missing, self._moments.origin[self._moments.y], matrix)
        self._center = matrix.mean(axis=0)
        self._by_columns = self._centered(matrix)
        self._reach = np.abs(self._by_columns).max(axis=1)

    @classmethod
    def supports(cls, estimator: Any, table: SharedTable) -> bool:
        """Return whether the table is finite numbers."""
        return is_summable(table)

    def predict(
        self, folds: NDArray[np.int32], random_states: NDArray[np.int64] | None = None
    ) -> JointPredictions:
        """Predict by the means of every part; see `JointForm.predict`."""
        from bestofk.learners.joint._moment_kernels import _log_shares_of_distances

        labels = np.empty(folds.shape, dtype=np.int64)
        probabilities = np.empty((*folds.shape, self.table.n_classes))
        is_done = np.empty((len(folds), self.n_folds), dtype=bool)
        for block in self._moments.blocks(folds):
            slopes, facts = self._model(block, is_done[block.repeats])
            for some, matrix in self._moments.tables(block):
                gaps = self._gaps(matrix, slopes[some])
                _log_shares_of_distances(
                    block.parts.folds[some], matrix, block.means[some], block.scales[some], gaps,
                    facts[some], labels[block.repeats][some], probabilities[block.repeats][some],
                )  # fmt: skip
            normalize_logs(probabilities[block.repeats])
        return JointPredictions(labels, probabilities, is_done=is_done)

    def _model(
        self, block: PartMoments, is_clear: NDArray[np.bool_]
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Return what gaps between distances are made of; write where the spread is clear."""
        from bestofk.learners.joint._moment_kernels import _distance_model

        n_repeats, n_folds, n_classes, n_columns = block.means.shape
        slopes = np.empty((n_repeats, n_folds * (n_classes - 1), n_columns))
        facts = np.empty((n_repeats, n_folds, 3 + n_classes))
        reach = np.repeat(self._reach[None], n_repeats, axis=0)
        if block.parts.fill is not None:
            places = np.s_[:, : self.table.n_columns]
            largest = np.abs(block.parts.fill - self._center[places[1]]).max(axis=1)
            reach[places] = np.maximum(reach[places], largest)
        if n_folds > _MOST_FOLDS:
            reach[:] = np.inf
        _distance_model(
            block.counts, block.means, block.variances, block.scales, self._center, reach,
            NO_SPREAD, slopes, facts, is_clear,
        )  # fmt: skip
        return slopes, facts

    def _gaps(
        self, matrix: NDArray[np.float64], slopes: NDArray[np.float64]
    ) -> NDArray[np.float64]:
        """Return the linear functions of all rows, shape (n_repeats, n_functions, n_samples)."""
        if self.n_folds > _MOST_FOLDS:
            return np.empty((len(slopes), 0, len(matrix)))
        is_shared = matrix is self._moments.matrix
        gaps: NDArray[np.float64] = slopes @ (
            self._by_columns if is_shared else self._centered(matrix)
        )
        return gaps

    def _centered(self, matrix: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the columns of a table around their means, shape (n_columns, n_samples)."""
        return np.ascontiguousarray((matrix - self._center).T)
