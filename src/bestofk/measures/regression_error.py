"""Mean squared and mean absolute error."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from bestofk.measures._segments import run_means
from bestofk.measures.measure import REGRESSION, Measure, PredictionBatch


class MeanSquaredError(Measure):
    """Mean squared difference; unit: that of the target, squared."""

    name = "mse"
    title = "mean squared error"
    task = REGRESSION
    greater_is_better = False
    maximum = np.inf
    needs = "values"
    is_row_mean = True

    def _values(self, batch: PredictionBatch) -> NDArray[np.float64]:
        return run_means(batch, np.square(batch.y_true - batch.labels))


class MeanAbsoluteError(Measure):
    """Mean absolute difference; unit: that of the target."""

    name = "mae"
    title = "mean absolute error"
    task = REGRESSION
    greater_is_better = False
    maximum = np.inf
    needs = "values"
    is_row_mean = True

    def _values(self, batch: PredictionBatch) -> NDArray[np.float64]:
        return run_means(batch, np.abs(batch.y_true - batch.labels))
