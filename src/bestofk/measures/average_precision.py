"""Average precision: the area under the steps of the precision-recall curve."""

from __future__ import annotations

import numpy as np

from bestofk.array_types import Floats, Ints
from bestofk.measures._segments import row_means
from bestofk.measures.measure import PredictionBatch, RankingMeasure


class AveragePrecision(RankingMeasure):
    """Mean over the positive rows of the precision among all rows scored at least as high.

    Rows of equal score are taken together, as in scikit-learn. With more than two classes it
    is the plain mean over the classes, each against the rest. Undefined (nan) where the
    positive class, or any class of more than two, has no test row.

    Parameters
    ----------
    n_classes : int
        Number of classes of the data.

    References
    ----------
    .. [1] Buckley & Voorhees (2000), Evaluating evaluation measure stability, SIGIR.
    """

    name = "average_precision"
    title = "average precision"
    has_positive = True
    undefined = "no test row is of the positive class"

    def _values(self, batch: PredictionBatch) -> Floats:
        if len(batch.classes) == 2:
            return _precisions(batch, self._positive_in(batch))
        table = [_precisions(batch, index) for index in range(len(batch.classes))]
        return row_means(np.column_stack(table), len(batch.classes))


def _precisions(batch: PredictionBatch, positive: int) -> Floats:
    """Return the average precision of a class in each run; nan where it has no row of it."""
    scores = batch.class_scores(positive)
    assert scores is not None  # the measure needs probabilities or decision values
    order = np.lexsort((-scores, batch.run_of_row))
    scores, is_positive = scores[order], batch.y_true[order] == positive
    starts = batch.starts[:-1]
    counts = np.cumsum(is_positive)
    before = np.concatenate(([0], counts))[starts]  # positives of earlier runs
    n_found: Ints = counts - before[batch.run_of_row]
    places = np.arange(1, len(scores) + 1) - starts[batch.run_of_row]
    # all rows of one score of a run get the precision behind the last of them
    is_last = np.append((scores[1:] != scores[:-1]) | np.diff(batch.run_of_row).astype(bool), True)
    last = np.flatnonzero(is_last)
    last_of_row = np.repeat(last, np.diff(last, prepend=-1))
    precisions = np.where(is_positive, n_found[last_of_row] / places[last_of_row], 0.0)
    n_positive = np.add.reduceat(is_positive.astype(np.int64), starts)
    sums = np.add.reduceat(precisions, starts)
    return np.where(n_positive > 0, sums / np.maximum(n_positive, 1), np.nan)
