"""How surprising is the truth under the predicted probabilities."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from bestofk.measures._segments import run_means
from bestofk.measures.measure import Measure, PredictionBatch

# Probabilities are kept this far from 0 and 1, as scikit-learn's log_loss does.
_MARGIN = float(np.finfo(np.float64).eps)
# Rows worked off together, few enough for the cache.
_BLOCK = 16_384


class LogLoss(Measure):
    """Mean of minus the natural logarithm of the probability given to the true class.

    Probabilities are first clipped to the machine precision of float64, so that one row
    costs at most 36.04 and no value is infinite.

    References
    ----------
    .. [1] Good (1952), Rational decisions, Journal of the Royal Statistical Society B 14.
    """

    name = "log_loss"
    title = "log loss"
    greater_is_better = False
    maximum = np.inf
    needs = "probabilities"

    def _values(self, batch: PredictionBatch) -> NDArray[np.float64]:
        assert batch.probabilities is not None  # the measure needs them
        n_rows, n_classes = batch.probabilities.shape
        logs = np.empty(n_rows)
        cells = np.arange(0, n_classes * min(n_rows, _BLOCK), n_classes)
        for start in range(0, n_rows, _BLOCK):
            some = slice(start, start + _BLOCK)
            true, values = batch.y_true[some], logs[some]
            wanted = cells[: len(true)] + true
            # the batch has checked the classes: to clip is to look them up without a second check
            batch.probabilities[some].ravel().take(wanted, out=values, mode="clip")
            np.clip(values, _MARGIN, 1 - _MARGIN, out=values)
            np.log(values, out=values)
        return -run_means(batch, logs)
