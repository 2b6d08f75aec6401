"""The most frequent class of every training part."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from bestofk.batched.form import BatchedForm, BatchedPredictions
from bestofk.batched.shared_table import SharedTable


class MajorityForm(BatchedForm):
    """`MajorityClassifier` on many parts: class counts are all it needs.

    Ties go to the class that comes first, as in the plain learner.
    """

    releases_lock: ClassVar[bool] = True

    def __init__(self, estimator: Any, table: SharedTable, n_folds: int) -> None:
        super().__init__(estimator, table, n_folds)
        self._y = np.ascontiguousarray(table.y, dtype=np.int64)
        self._totals = np.bincount(self._y, minlength=table.n_classes)

    @classmethod
    def supports(cls, estimator: Any, table: SharedTable) -> bool:
        """Return whether there are classes to count."""
        return table.n_classes > 0

    def predict(
        self, folds: NDArray[np.int32], random_states: NDArray[np.int64] | None = None
    ) -> BatchedPredictions:
        """Count the classes of every part; see `BatchedForm.predict`."""
        from bestofk.batched._moment_kernels import _spread_shares

        folds = np.ascontiguousarray(folds, dtype=np.int32)
        labels = np.empty(folds.shape, dtype=np.int64)
        probabilities = np.empty((*folds.shape, self.table.n_classes))
        _spread_shares(folds, self._y, self._totals, self.n_folds, labels, probabilities)
        return BatchedPredictions(labels=labels, probabilities=probabilities)
