"""Logarithmic loss of predicted probabilities."""

from __future__ import annotations

import numpy as np

from bestofk.array_types import Floats
from bestofk.measures.measure import CACHED_ROWS, Measure, PredictionBatch

# Probabilities are kept this far from 0 and 1, as scikit-learn's log_loss does.
_MARGIN = float(np.finfo(np.float64).eps)


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
    is_row_mean = True

    def _values(self, batch: PredictionBatch) -> Floats:
        assert batch.probabilities is not None  # the measure needs them
        n_classes, starts = len(batch.classes), batch.starts
        sums = np.empty(batch.n_runs)
        cells = np.arange(0, n_classes * max(CACHED_ROWS, batch.lengths.max()), n_classes)
        first = 0
        while first < batch.n_runs:  # some whole runs after others, at least one
            stop = max(
                first + 1, int(starts.searchsorted(starts[first] + CACHED_ROWS, "right")) - 1
            )
            rows = slice(starts[first], starts[stop])
            true = batch.y_true[rows]
            values = batch.probabilities[rows].ravel().take(cells[: len(true)] + true)
            values.clip(_MARGIN, 1 - _MARGIN, out=values)
            np.log(values, out=values)
            np.add.reduceat(values, starts[first:stop] - starts[first], out=sums[first:stop])
            first = stop
        return -sums / batch.lengths
