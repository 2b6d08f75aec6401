"""Naive Bayes with kernel densities on every training part."""

from typing import Any

import numpy as np

from bestofk.array_types import Folds, Ints
from bestofk.batched.form import BatchedForm, BatchedPredictions
from bestofk.batched.moments import is_summable, normalize_logs
from bestofk.batched.shared_table import SharedTable

# As for Gaussian naive Bayes: below this, rounding of the logarithms affects the probabilities.
_EXTREME = -1e5


class KernelNaiveBayesForm(BatchedForm):
    """`KernelNaiveBayesClassifier` on many parts, its columns sorted once.

    Kernels depend on the part, so their sums cannot be shared. But sorted columns give the distinct
    values of every part in one pass, and distant kernels are skipped. Scaling of columns changes no
    probability and is skipped. Parts in which a row is very far from all classes are left to the
    plain learner.
    """

    def __init__(self, estimator: Any, table: SharedTable, n_folds: int) -> None:
        super().__init__(estimator, table, n_folds)
        columns = np.ascontiguousarray(table.encoded.matrix.T)
        order = np.argsort(columns, axis=1, kind="stable")
        self._sorted = np.take_along_axis(columns, order, axis=1)
        self._order = order.astype(np.int32)
        self._y = np.ascontiguousarray(table.y, dtype=np.int64)

    @classmethod
    def supports(cls, estimator: Any, table: SharedTable) -> bool:
        """Return whether the table is finite numbers without missing values."""
        return is_summable(table) and not table.has_missing

    def predict(self, folds: Folds, random_states: Ints | None = None) -> BatchedPredictions:
        """Predict by the densities of every part; see `BatchedForm.predict`."""
        from bestofk.batched._densities import add_log_densities

        folds = np.ascontiguousarray(folds, dtype=np.int32)
        counts = self.table.class_counts(folds, self.n_folds)
        logs = np.zeros((*folds.shape, self.table.n_classes))
        add_log_densities(folds, self._y, self._order, self._sorted, counts, logs)
        repeats = np.arange(len(folds))[:, None]
        with np.errstate(divide="ignore", invalid="ignore"):
            logs += np.log(counts / counts.sum(axis=2, keepdims=True))[repeats, folds]
            labels = logs.argmax(axis=2)
            highest = np.take_along_axis(logs, labels[..., None], axis=2)
            logs -= highest
        repeat, row = np.nonzero(~(highest[..., 0] >= _EXTREME))
        is_done = np.ones(counts.shape[:2], dtype=bool)
        is_done[repeat, folds[repeat, row]] = False
        normalize_logs(logs)
        return BatchedPredictions(labels, logs, is_done=is_done)
