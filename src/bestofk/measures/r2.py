"""Coefficient of determination (R squared)."""

from __future__ import annotations

import numpy as np

from bestofk.array_types import Floats
from bestofk.measures._segments import run_means
from bestofk.measures.measure import REGRESSION, Measure, PredictionBatch


class R2(Measure):
    """One minus the squared error over that of the mean of the test rows.

    1 is perfect, 0 is no better than that mean, below 0 is worse. Undefined (nan) where
    the target is constant in the test rows, a single row included; scikit-learn's
    `r2_score` gives 0 or 1 there by default.
    """

    name = "r2"
    title = "R squared"
    task = REGRESSION
    minimum = -np.inf
    needs = "values"
    undefined = "the target is constant in the test rows"

    def _values(self, batch: PredictionBatch) -> Floats:
        starts = batch.starts[:-1]
        lowest = np.minimum.reduceat(batch.y_true, starts)
        varies = np.maximum.reduceat(batch.y_true, starts) > lowest
        # Taken from a value of the run itself, the mean keeps its digits.
        centered = batch.y_true - lowest[batch.run_of_row]
        centered = centered - run_means(batch, centered)[batch.run_of_row]
        spread = run_means(batch, np.square(centered))
        unexplained = run_means(batch, np.square(batch.y_true - batch.labels))
        return np.where(varies, 1.0 - unexplained / np.where(varies, spread, 1.0), np.nan)
