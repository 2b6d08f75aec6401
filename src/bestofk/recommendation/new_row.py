"""Gaussian prediction of the missing values of a new table row from those already known.

References
----------
Ledoit & Wolf (2004), A well-conditioned estimator for large-dimensional covariance matrices,
Journal of Multivariate Analysis 88, 365-411 (how far to trust the correlations).
"""

from __future__ import annotations

import numpy as np

from bestofk.array_types import Floats
from bestofk.recommendation.latent_factors import fill_gaps

_LEAST_SPREAD = 1e-6  # of a column
_SCORE_VARIANCE = 1e-2  # of a score that was observed: another split would give another one


class NewRow:
    """Values of a new row, jointly normal as the rows of the table are.

    Columns are standardized, their correlations drawn towards none as far as the table is too
    short to know them.

    Parameters
    ----------
    table : ndarray of shape (n_rows, n_columns)
        nan where a value is missing; gaps are filled by the table's leading factors.

    Examples
    --------
    >>> row = NewRow(np.array([[0.0, 1.0], [1.0, 2.0], [2.0, 3.0], [3.0, 4.0]]))
    >>> row.expected().tolist()
    [1.5, 2.5]
    >>> row.tell(0, 3.0)
    >>> bool(row.expected()[1] > 3.5)
    True
    """

    def __init__(self, table: Floats) -> None:
        from sklearn.covariance import ledoit_wolf

        rows = fill_gaps(table)
        self._mean: Floats = rows.mean(axis=0)
        spread = rows.std(axis=0) + _LEAST_SPREAD
        correlation, _ = ledoit_wolf((rows - self._mean) / spread)
        # the mean itself is known from n rows only
        self._covariance = correlation * np.outer(spread, spread) * (1 + 1 / len(rows))
        self._variance: Floats = self._covariance.diagonal().copy()
        # rows of the Cholesky factor of the covariance, in the order of what was told
        self._factor = np.empty((0, len(spread)))

    def expected(self) -> Floats:
        """Return the expected value of each column."""
        return self._mean

    def spread(self) -> Floats:
        """Return the standard deviation of each column."""
        return np.asarray(np.sqrt(np.maximum(self._variance, 0.0)))

    def tell(self, column: int, value: float) -> None:
        """Condition all columns on the value of one."""
        left = self._covariance[column] - self._factor[:, column] @ self._factor
        unit = np.sqrt(max(left[column], 0.0) + _SCORE_VARIANCE)
        step, surprise = left / unit, (value - self._mean[column]) / unit
        self._mean = self._mean + step * surprise
        self._variance -= step**2
        self._factor = np.vstack([self._factor, step])
