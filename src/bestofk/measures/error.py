"""What share of the rows is predicted wrongly, or rightly."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from bestofk.measures._segments import run_means
from bestofk.measures.measure import Measure, PredictionBatch


class Error(Measure):
    """Share of test rows whose predicted class is not the true one."""

    name = "error"
    title = "error rate"
    greater_is_better = False

    def _values(self, batch: PredictionBatch) -> NDArray[np.float64]:
        return run_means(batch, (batch.y_true != batch.labels).astype(np.int64))


class Accuracy(Measure):
    """Share of test rows whose predicted class is the true one.

    Says little where one class holds most of the rows: predicting that class always
    is then highly accurate.
    """

    name = "accuracy"
    title = "accuracy"

    def _values(self, batch: PredictionBatch) -> NDArray[np.float64]:
        return run_means(batch, (batch.y_true == batch.labels).astype(np.int64))
