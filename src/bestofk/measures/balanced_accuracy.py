"""Balanced accuracy: every class counts the same."""

from __future__ import annotations

import numpy as np

from bestofk.array_types import Floats
from bestofk.measures._segments import class_tallies, row_means
from bestofk.measures.measure import Measure, PredictionBatch


class BalancedAccuracy(Measure):
    """Mean of the shares of rightly predicted rows within each class.

    Classes without a test row in a run are left out of its mean, as scikit-learn does.

    References
    ----------
    .. [1] Brodersen, Ong, Stephan & Buhmann (2010), The balanced accuracy and its
       posterior distribution, ICPR.
    """

    name = "balanced_accuracy"
    title = "balanced accuracy"

    def _values(self, batch: PredictionBatch) -> Floats:
        hits, true, _ = class_tallies(batch)
        recalls = hits / np.maximum(true, 1)
        return row_means(recalls, np.count_nonzero(true, axis=1))
