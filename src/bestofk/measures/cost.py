"""Mean cost of predictions under a cost matrix."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from bestofk.array_types import Floats
from bestofk.errors import InvalidArgumentError
from bestofk.measures._segments import run_means
from bestofk.measures.measure import Measure, PredictionBatch


class Cost(Measure):
    """Mean cost of a test row, read from a cost matrix.

    Parameters
    ----------
    matrix : array-like of shape (n_classes, n_classes), float
        Cost of predicting the column's class where the row's class is true, in any
        unit, classes in sorted order. Negative entries are gains.
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
                "Pass a table of the cost of each [true, predicted] pair of classes."
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
