"""F1 score of one class, and its macro average."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from bestofk.measures._segments import class_tallies, row_means
from bestofk.measures.measure import Measure, PredictionBatch


class F1(Measure):
    """Harmonic mean of precision and recall of the positive class.

    It is 0 where the class neither occurs nor is predicted, as in scikit-learn.

    References
    ----------
    .. [1] van Rijsbergen (1979), Information Retrieval, 2nd edition.
    """

    name = "f1"
    title = "F1"
    has_positive = True

    def _values(self, batch: PredictionBatch) -> NDArray[np.float64]:
        hits, true, predicted = class_tallies(batch)
        return _f1(hits, true + predicted)[:, self._positive_in(batch)]


class MacroF1(Measure):
    """Plain mean over the classes of the harmonic mean of precision and recall.

    Classes that neither occur in a run nor are predicted are left out of its mean, as
    scikit-learn does.

    Parameters
    ----------
    name : str
        The name by which it was asked for: "f1" with more than two classes.

    References
    ----------
    .. [1] van Rijsbergen (1979), Information Retrieval, 2nd edition.
    """

    title = "macro F1"

    def __init__(self, name: str = "f1_macro") -> None:
        self.name = name

    def _values(self, batch: PredictionBatch) -> NDArray[np.float64]:
        hits, true, predicted = class_tallies(batch)
        seen = true + predicted
        return row_means(_f1(hits, seen), np.count_nonzero(seen, axis=1))


def _f1(hits: NDArray[np.int64], seen: NDArray[np.int64]) -> NDArray[np.float64]:
    """Return 2 TP / (2 TP + FP + FN), where `seen` is that denominator; 0 where it is 0."""
    values: NDArray[np.float64] = 2 * hits / np.maximum(seen, 1)
    return values
