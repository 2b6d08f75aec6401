"""Precision, recall, specificity and F1: of the positive class, or averaged over classes."""

from __future__ import annotations

from abc import abstractmethod

import numpy as np

from bestofk.array_types import Bools, Floats, Ints
from bestofk.measures._segments import ClassTallies, class_tallies, row_means
from bestofk.measures.measure import MeasureOfClasses, PredictionBatch

_Counts = Ints


class _ShareOfClass(MeasureOfClasses):
    """Share of some rows of the positive class; of more than two classes the plain mean.

    Parameters
    ----------
    n_classes : int
        Number of classes of the data.
    """

    has_positive = True
    without_rows = float("nan")  # the value of a class that there is no share for

    def __init__(self, n_classes: int) -> None:
        if n_classes > 2:
            self._average(f"{self.title}, mean over classes")

    def _average(self, title: str) -> None:
        self.has_positive, self.title = False, title

    def _values(self, batch: PredictionBatch) -> Floats:
        counted, rows, is_defined = self._counts(class_tallies(batch), batch.lengths[:, None])
        shares = np.where(is_defined, counted / np.maximum(rows, 1), self.without_rows)
        if self.has_positive:
            return shares[:, self._positive_in(batch)]
        return row_means(np.nan_to_num(shares), np.count_nonzero(is_defined, axis=1))

    @abstractmethod
    def _counts(self, tallies: ClassTallies, n_rows: _Counts) -> tuple[_Counts, _Counts, Bools]:
        """Return the rows that count, those they are a share of, and where a share exists.

        Each of shape (n_runs, n_classes); `n_rows` is of shape (n_runs, 1).
        """


class Precision(_ShareOfClass):
    """Share of the rows predicted to be of a class that are of it.

    It is 0 where the class is never predicted, as in scikit-learn. Of more than two classes
    those that neither occur in a run nor are predicted are left out of its mean.

    References
    ----------
    .. [1] van Rijsbergen (1979), Information Retrieval, 2nd edition.
    """

    name = "precision"
    title = "precision"
    without_rows = 0.0

    def _counts(self, tallies: ClassTallies, n_rows: _Counts) -> tuple[_Counts, _Counts, Bools]:
        hits, true, predicted = tallies
        return hits, predicted, (true + predicted) > 0


class Recall(_ShareOfClass):
    """Share of the rows of a class that are predicted to be of it; also called sensitivity.

    Undefined (nan) where no test row is of the positive class. Of more than two classes
    those without a test row are left out of its mean, which is the balanced accuracy.

    References
    ----------
    .. [1] van Rijsbergen (1979), Information Retrieval, 2nd edition.
    """

    name = "recall"
    title = "recall"
    undefined = "no test row is of the positive class"

    def _counts(self, tallies: ClassTallies, n_rows: _Counts) -> tuple[_Counts, _Counts, Bools]:
        return tallies.hits, tallies.true, tallies.true > 0


class Specificity(_ShareOfClass):
    """Share of the rows of other classes that are not predicted to be of a class.

    Undefined (nan) where all test rows are of the positive class. Of more than two classes
    one that all test rows are of is left out of its mean.

    References
    ----------
    .. [1] Yerushalmy (1947), Statistical problems in assessing methods of medical diagnosis,
       Public Health Reports 62.
    """

    name = "specificity"
    title = "specificity"
    undefined = "all test rows are of the positive class"

    def _counts(self, tallies: ClassTallies, n_rows: _Counts) -> tuple[_Counts, _Counts, Bools]:
        hits, true, predicted = tallies
        others = n_rows - true
        return others - (predicted - hits), others, others > 0


class F1(_ShareOfClass):
    """Harmonic mean of precision and recall of the positive class, or averaged over classes.

    It is 0 where the class neither occurs nor is predicted, as in scikit-learn. Such classes
    are left out of the plain mean.

    Parameters
    ----------
    n_classes : int
        Number of classes of the data.
    is_mean : bool
        Whether two classes are averaged too, as by scikit-learn's "f1_macro".

    References
    ----------
    .. [1] van Rijsbergen (1979), Information Retrieval, 2nd edition.
    """

    name = "f1"
    title = "F1"
    without_rows = 0.0

    def __init__(self, n_classes: int, *, is_mean: bool = False) -> None:
        if is_mean:
            self.name = "f1_macro"
        if is_mean or n_classes > 2:
            self._average("macro F1")

    def _counts(self, tallies: ClassTallies, n_rows: _Counts) -> tuple[_Counts, _Counts, Bools]:
        hits, true, predicted = tallies
        return 2 * hits, true + predicted, (true + predicted) > 0
