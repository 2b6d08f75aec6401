"""Measures of predicted classes: error, balanced accuracy, MCC, shares of a class, costs.

Every sum is taken within one run in a fixed order, so that a value does not depend on the other
runs of its batch.
"""

from abc import abstractmethod
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from bestofk.array_types import Bools, Floats, Ints
from bestofk.errors import InvalidArgumentError
from bestofk.measures.measure import Measure, MeasureOfClasses, PredictionBatch


def confusion_matrix(batch: PredictionBatch) -> Ints:
    """Count the test rows of each true and predicted class in every run.

    Parameters
    ----------
    batch : PredictionBatch
        Predictions of classes.

    Returns
    -------
    ndarray of shape (n_runs, n_classes, n_classes), int64
        Rows are true classes, columns predicted ones, both in the order of
        `batch.classes`.

    Raises
    ------
    InvalidArgumentError
        If values were predicted, not classes.

    Examples
    --------
    >>> import numpy as np
    >>> batch = PredictionBatch(
    ...     y_true=np.array([0, 1, 1]),
    ...     labels=np.array([0, 1, 0]),
    ...     starts=np.array([0, 3]),
    ...     classes=np.array(["no", "yes"]),
    ... )
    >>> confusion_matrix(batch).tolist()
    [[[1, 0], [1, 1]]]
    """
    if not batch.is_classification:
        raise InvalidArgumentError(
            "predictions of a confusion matrix must be classes; got values of a regression."
        )
    n_classes = len(batch.classes)
    shape = (batch.n_runs, n_classes, n_classes)
    cells = (batch.run_of_row * n_classes + batch.y_true) * n_classes + batch.labels
    return np.bincount(cells, minlength=int(np.prod(shape))).reshape(shape)


class ClassTallies(NamedTuple):
    """Counts per run and class, each of shape (n_runs, n_classes), int64."""

    hits: Ints
    true: Ints
    predicted: Ints


def run_means(batch: PredictionBatch, values: np.ndarray) -> Floats:
    """Return the mean of the values of each run; shape (n,) to (n_runs,)."""
    return np.asarray(np.add.reduceat(values, batch.starts[:-1]) / batch.lengths)


def row_means(table: Floats, counts: np.ndarray | int) -> Floats:
    """Return the sum of each row over its count, added in an order independent of the layout."""
    n_rows, n_columns = table.shape
    sums = np.add.reduceat(table.ravel(), np.arange(n_rows) * n_columns)
    return np.asarray(sums / counts)


def class_tallies(batch: PredictionBatch) -> ClassTallies:
    """Count the hits, true rows and predicted rows of every class in every run."""
    n_classes = len(batch.classes)
    if batch.n_runs * n_classes**2 <= len(batch.y_true):
        # one count instead of three, if there are no more pairs of classes than rows
        pairs = confusion_matrix(batch)
        hits = np.diagonal(pairs, axis1=1, axis2=2)
        return ClassTallies(hits, pairs.sum(axis=2), pairs.sum(axis=1))
    shape = (batch.n_runs, n_classes)
    offsets = batch.run_of_row * n_classes
    cells = (
        (offsets + batch.y_true)[batch.is_hit],
        offsets + batch.y_true,
        offsets + batch.labels,
    )
    size = shape[0] * shape[1]
    return ClassTallies(*(np.bincount(cell, minlength=size).reshape(shape) for cell in cells))


class Error(Measure):
    """Share of test rows whose predicted class is not the true one."""

    name = "error"
    title = "error rate"
    greater_is_better = False
    is_row_mean = True
    is_of_hits = True

    def _values(self, batch: PredictionBatch) -> Floats:
        return _run_shares(batch, ~batch.is_hit)


class Accuracy(Measure):
    """Share of test rows whose predicted class is the true one.

    Not informative if one class has most of the rows: always predicting that class is then highly
    accurate.
    """

    name = "accuracy"
    title = "accuracy"
    is_row_mean = True
    is_of_hits = True

    def _values(self, batch: PredictionBatch) -> Floats:
        return _run_shares(batch, batch.is_hit)


def _run_shares(batch: PredictionBatch, is_so: Bools) -> Floats:
    """Return the share of true values in each run; shape (n,) to (n_runs,)."""
    # 32 bits suffice for the rows of a run and are twice as fast as 64
    counts = np.add.reduceat(is_so, batch.starts[:-1], dtype=np.int32)
    return np.asarray(counts / batch.lengths)


class BalancedAccuracy(Measure):
    """Mean over classes of the share of correctly predicted rows.

    Classes without a test row in a run are left out of its mean, as scikit-learn does.

    References
    ----------
    .. [1] Brodersen, Ong, Stephan & Buhmann (2010), The balanced accuracy and its
       posterior distribution, ICPR.
    """

    name = "balanced_accuracy"
    title = "balanced accuracy"

    def _values(self, batch: PredictionBatch) -> Floats:
        hits, true, _ = class_tallies(batch)
        recalls = hits / np.maximum(true, 1)
        return row_means(recalls, np.count_nonzero(true, axis=1))


class Mcc(Measure):
    """Correlation of the predicted with the true classes, for any number of classes.

    1 is perfect, 0 no better than chance. It is 0 if all rows have one class, or all are predicted
    to be of one class, as in scikit-learn.

    References
    ----------
    .. [1] Matthews (1975), Comparison of the predicted and observed secondary structure
       of T4 phage lysozyme, Biochimica et Biophysica Acta 405.
    .. [2] Gorodkin (2004), Comparing two K-category assignments by a K-category
       correlation coefficient, Computational Biology and Chemistry 28.
    """

    name = "mcc"
    title = "Matthews correlation"
    minimum = -1.0

    def _values(self, batch: PredictionBatch) -> Floats:
        hits, true, predicted = class_tallies(batch)
        squared_rows = batch.lengths**2
        covariance = hits.sum(axis=1) * batch.lengths - (true * predicted).sum(axis=1)
        spread_true = (squared_rows - (true * true).sum(axis=1)).astype(np.float64)
        spread_predicted = (squared_rows - (predicted * predicted).sum(axis=1)).astype(np.float64)
        scale = np.sqrt(spread_true * spread_predicted)
        return np.where(scale > 0, covariance / np.where(scale > 0, scale, 1.0), 0.0)


_Counts = Ints


class _ShareOfClass(MeasureOfClasses):
    """Base of shares for the positive class; the plain mean of more than two classes.

    Parameters
    ----------
    n_classes : int
        Number of classes of the data.
    """

    has_positive = True
    without_rows = float("nan")  # value of a class without a share

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
        """Return numerators, denominators, and where a share exists.

        Each of shape (n_runs, n_classes); `n_rows` is of shape (n_runs, 1).
        """


class Precision(_ShareOfClass):
    """Share of the rows predicted to be of a class that belong to it.

    It is 0 if the class is never predicted, as in scikit-learn. With more than two classes, those
    that neither occur in a run nor are predicted are left out of the mean.

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

    Undefined (nan) if no test row is of the positive class. With more than two classes, those
    without a test row are left out of the mean, which is the balanced accuracy.

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

    Undefined (nan) if all test rows are of the positive class. With more than two classes, a class
    of all test rows is left out of the mean.

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

    It is 0 if the class neither occurs nor is predicted, as in scikit-learn. Such classes are left
    out of the plain mean.

    Parameters
    ----------
    n_classes : int
        Number of classes of the data.
    is_mean : bool
        Whether two classes are averaged as well, as in scikit-learn's "f1_macro".

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


class Cost(Measure):
    """Mean cost of a test row by a cost matrix.

    Parameters
    ----------
    matrix : array-like of shape (n_classes, n_classes), float
        Cost of predicting the column's class if the row's class is true, in any unit, classes in
        sorted order. Negative entries are gains.
    n_classes : int
        Number of classes of the data.

    Raises
    ------
    InvalidArgumentError
        If the matrix has another shape, or an entry that is not a finite number.

    References
    ----------
    .. [1] Elkan (2001), The foundations of cost-sensitive learning, IJCAI.
    """

    name = "cost"
    title = "mean cost per row"
    greater_is_better = False
    is_row_mean = True

    def __init__(self, matrix: ArrayLike, n_classes: int) -> None:
        self._matrix = checked_cost_matrix(matrix, n_classes)
        self.minimum = float(self._matrix.min())
        self.maximum = float(self._matrix.max())

    @classmethod
    def of_data(cls, n_classes: int, cost_matrix: ArrayLike | None = None) -> Measure:
        """Return the measure for costs; see `Measure.of_data`."""
        if cost_matrix is None:
            raise InvalidArgumentError(
                "cost_matrix must be given for the measure 'cost'; got None. "
                "Pass a table with the cost of each [true, predicted] pair of classes."
            )
        return cls(cost_matrix, n_classes)

    def _values(self, batch: PredictionBatch) -> Floats:
        return run_means(batch, self._matrix[batch.y_true, batch.labels])


def checked_cost_matrix(matrix: ArrayLike, n_classes: int) -> Floats:
    """Return costs as numbers, of shape (n_classes, n_classes).

    Raises
    ------
    InvalidArgumentError
        If they have another shape, or are not finite numbers.
    """
    rule = f"a table of {n_classes} x {n_classes} finite numbers, [true, predicted]"
    try:
        table = np.array(matrix, dtype=np.float64)
    except (TypeError, ValueError):
        raise InvalidArgumentError(f"cost_matrix must be {rule}; got {matrix!r}.") from None
    if table.shape != (n_classes, n_classes):
        raise InvalidArgumentError(f"cost_matrix must be {rule}; got shape {table.shape}.")
    if not np.isfinite(table).all():
        raise InvalidArgumentError(f"cost_matrix must be {rule}; got {table.tolist()}.")
    return table
