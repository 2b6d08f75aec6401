"""Models of a table of results: latent factors, and a new row from the values already known.

A table is learner means plus few latent factors, which fill its gaps; the missing values of a new
row are predicted by a joint normal distribution.

References
----------
Ledoit & Wolf (2004), A well-conditioned estimator for large-dimensional covariance matrices,
Journal of Multivariate Analysis 88, 365-411 (how far to trust the correlations).
"""

import numpy as np
from scipy.special import logit

from bestofk.array_types import Bools, Floats

_EXPLAINED_SHARE = 0.9  # of the variance, by which the rank is chosen
_N_FILLINGS = 10  # rounds in which gaps are filled by the factors that they were filled for
_EDGE = 0.01  # scores nearer to 0 or 1 count as this near: a logit must be finite


def logit_scores(scores: Floats | float) -> Floats:
    """Return the logits of scores from 0 to 1; what is nearer to the ends than 0.01 counts so."""
    return np.asarray(logit(np.clip(scores, _EDGE, 1 - _EDGE)))


def leading_factors(table: Floats) -> tuple[Floats, Floats, Floats]:
    """Return column means, latents of the rows with mean square 1, and loadings of the columns.

    As few factors as explain 90 % of the variance; the table has no gaps.
    """
    mean = table.mean(axis=0)
    left, sizes, right = np.linalg.svd(table - mean, full_matrices=False)
    explained = np.cumsum(sizes**2)
    rank = int(np.searchsorted(explained, _EXPLAINED_SHARE * explained[-1])) + 1
    root = np.sqrt(len(table))
    return mean, left[:, :rank] * root, right[:rank].T * (sizes[:rank] / root)


def fill_gaps(table: Floats) -> Floats:
    """Return a table with gaps filled: first by row and column effects, then by factors.

    Parameters
    ----------
    table : ndarray of shape (n_data_sets, n_learners)
        nan where a value is missing.

    Examples
    --------
    >>> fill_gaps(np.array([[1.0, 2.0], [3.0, np.nan]])).tolist()
    [[1.0, 2.0], [3.0, 3.0]]
    """
    is_known = ~np.isnan(table)
    if is_known.all():
        return table
    columns = _means(table, is_known, 0, _mean(table, is_known))
    rows = _means(table - columns, is_known, 1, 0.0)
    filled = np.where(is_known, table, columns + rows[:, None])
    for _ in range(_N_FILLINGS):
        mean, latents, loadings = leading_factors(filled)
        filled = np.where(is_known, table, mean + latents @ loadings.T)
    return np.asarray(filled)


def _mean(table: Floats, is_known: Bools) -> float:
    return float(table[is_known].mean()) if is_known.any() else 0.0


def _means(table: Floats, is_known: Bools, axis: int, otherwise: float) -> Floats:
    """Return the means of the known values along an axis."""
    counts = is_known.sum(axis=axis)
    sums = np.where(is_known, table, 0.0).sum(axis=axis)
    means = np.divide(sums, counts, out=np.full(len(counts), otherwise), where=counts > 0)
    return np.asarray(means)


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
