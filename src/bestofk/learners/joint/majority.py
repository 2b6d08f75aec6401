"""The most frequent class of every training part."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from bestofk.learners.joint.form import JointForm, JointPredictions
from bestofk.learners.joint.shared_table import SharedTable


class MajorityForm(JointForm):
    """`MajorityClassifier` on many parts: class counts are all it needs.

    Ties go to the class that comes first, as in the plain learner.
    """

    @classmethod
    def supports(cls, estimator: Any, table: SharedTable) -> bool:
        """Return whether there are classes to count."""
        return table.n_classes > 0

    def predict(
        self, folds: NDArray[np.int32], random_states: NDArray[np.int64] | None = None
    ) -> JointPredictions:
        """Count the classes of every part; see `JointForm.predict`."""
        counts = self.table.class_counts(folds, self.n_folds)
        shares = counts / counts.sum(axis=2, keepdims=True)
        repeats = np.arange(len(folds))[:, None]
        return JointPredictions(
            labels=counts.argmax(axis=2)[repeats, folds], probabilities=shares[repeats, folds]
        )
