"""Average precision: the area under the steps of the precision-recall curve."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from bestofk.measures._segments import row_means
from bestofk.measures.measure import Measure, PredictionBatch


class AveragePrecision(Measure):
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
    needs = "scores"
    has_positive = True
    undefined = "no test row is of the positive class"

    def __init__(self, n_classes: int) -> None:
        if n_classes > 2:
            self.title = f"{self.title}, each class against the rest"
            self.undefined = (
                "a class is absent from the test rows, and the mean is over all classes"
            )

    def _values(self, batch: PredictionBatch) -> NDArray[np.float64]:
        scores = batch.probabilities if batch.probabilities is not None else batch.decision
        assert scores is not None  # the measure needs one of the two
        if len(batch.classes) > 2:
            classes = range(len(batch.classes))
            table = [_precisions(batch, scores[:, c], batch.y_true == c) for c in classes]
            return row_means(np.column_stack(table), len(batch.classes))
        positive = self._positive_in(batch)
        if scores.ndim == 2:
            scores = scores[:, positive]
        elif positive == 0:
            scores = -scores
        return _precisions(batch, scores, batch.y_true == positive)


def _precisions(
    batch: PredictionBatch, scores: NDArray[np.float64], is_positive: NDArray[np.bool_]
) -> NDArray[np.float64]:
    """Return the average precision of each run; nan where it has no positive row."""
    order = np.lexsort((-scores, batch.run_of_row))
    scores, is_positive = scores[order], is_positive[order]
    starts = batch.starts[:-1]
    counts = np.cumsum(is_positive)
    before = np.concatenate(([0], counts))[starts]  # positives of earlier runs
    n_found: NDArray[np.int64] = counts - before[batch.run_of_row]
    places = np.arange(1, len(scores) + 1) - starts[batch.run_of_row]
    # all rows of one score of a run get the precision behind the last of them
    is_last = np.append((scores[1:] != scores[:-1]) | np.diff(batch.run_of_row).astype(bool), True)
    last = np.flatnonzero(is_last)
    last_of_row = np.repeat(last, np.diff(last, prepend=-1))
    precisions = np.where(is_positive, n_found[last_of_row] / places[last_of_row], 0.0)
    n_positive = np.add.reduceat(is_positive.astype(np.int64), starts)
    sums = np.add.reduceat(precisions, starts)
    return np.where(n_positive > 0, sums / np.maximum(n_positive, 1), np.nan)
