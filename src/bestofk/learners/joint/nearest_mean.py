"""The nearest class mean of every training part."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from bestofk.learners.joint.form import JointForm, JointPredictions
from bestofk.learners.joint.moments import ClassMoments, PartMoments, is_summable, normalize_logs
from bestofk.learners.joint.shared_table import SharedTable
from bestofk.learners.nearest_mean_classifier import NO_SPREAD


class NearestMeanForm(JointForm):
    """`NearestMeanClassifier` on many parts, by sums and squares of each fold and class.

    Scaling turns squared distances into weighted ones. Equal distances are those that the
    plain learner takes for equal.
    """

    releases_lock: ClassVar[bool] = True

    def __init__(self, estimator: Any, table: SharedTable, n_folds: int) -> None:
        super().__init__(estimator, table, n_folds)
        self._moments = ClassMoments(table, n_folds)

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
        is_done = np.ones((len(folds), self.n_folds), dtype=bool)
        for block in self._moments.blocks(folds):
            weights, spans, is_clear = self._model(block)
            is_done[block.repeats] = is_clear
            found = probabilities[block.repeats]
            self._moments.weighted_squares(block, weights, found)
            _log_shares_of_distances(
                block.parts.folds, block.counts, spans, labels[block.repeats], found
            )
            normalize_logs(found)
        return JointPredictions(labels, probabilities, is_done=is_done)

    def _model(
        self, block: PartMoments
    ) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.bool_]]:
        """Return weights of columns, what the kernel needs of the spread, and where it is clear."""
        weights = block.scales**2
        n_rows = block.counts.sum(axis=2)
        n_seen = (block.counts > 0).sum(axis=2)
        within, total = block.joined()
        within = (within * weights).sum(axis=2) * n_rows
        spread = (total * weights).sum(axis=2)
        has_none = within <= NO_SPREAD * spread * n_rows
        n_active = np.count_nonzero(weights, axis=2)
        variance = within / (np.maximum(n_rows - n_seen, 1) * np.maximum(n_active, 1))
        rates = np.full(within.shape, np.inf)
        np.divide(0.5, variance, out=rates, where=~has_none)
        # between the two it takes the plain way's rounding to say whether there is a spread
        is_clear = has_none & (within == 0) | (within > 1e4 * NO_SPREAD * spread * n_rows)
        return weights[:, :, None, :], np.stack([spread, rates], axis=2), is_clear & (n_active > 0)
