"""Brier score of predicted probabilities."""

from __future__ import annotations

import numpy as np

from bestofk.array_types import Floats
from bestofk.measures.measure import MeasureOfClasses, PredictionBatch


class Brier(MeasureOfClasses):
    """Mean squared distance between the probabilities and the truth as 0 and 1.

    Two classes: the squared error of the positive class's probability, 0 to 1. More
    classes: the sum of the squared errors over the classes, 0 to 2. These are the
    scales of scikit-learn's `brier_score_loss`.

    Parameters
    ----------
    n_classes : int
        Number of classes of the data.

    References
    ----------
    .. [1] Brier (1950), Verification of forecasts expressed in terms of probability,
       Monthly Weather Review 78.
    """

    name = "brier"
    title = "Brier score"
    greater_is_better = False
    needs = "probabilities"
    is_row_mean = True

    def __init__(self, n_classes: int) -> None:
        self.maximum = 1.0 if n_classes == 2 else 2.0

    def _values(self, batch: PredictionBatch) -> Floats:
        assert batch.probabilities is not None  # the measure needs them
        n_classes = len(batch.classes)
        errors = batch.probabilities.copy(order="C")
        errors[np.arange(len(errors)), batch.y_true] -= 1.0
        sums = np.add.reduceat(np.square(errors).ravel(), batch.starts[:-1] * n_classes)
        # Two classes carry the same squared error twice.
        values: Floats = sums / batch.lengths * (0.5 if n_classes == 2 else 1.0)
        return values
