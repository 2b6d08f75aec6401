"""What are the sums of products of the columns, over every training part."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bestofk.learners.columns import table_columns
from bestofk.learners.joint.shared_table import SharedTable

# Numbers that the sums of a block of repeats may hold at once.
_BLOCK = 500_000
# For so few columns of so many cells, a product of matrices is faster than one that knows that it
# is symmetric.
_FEW_COLUMNS, _MANY_CELLS = 48, 4_000
# Multiples of 1 / _FINEST up to _LARGEST / _FINEST have sums without rounding.
_FINEST, _LARGEST = 2.0**10, 2.0**36


class CenteredRows:
    """The columns of a table in units in which sums of their products keep their digits.

    Columns of 0 and 1 are as they are, so that their sums are exact; all others have mean 0
    and standard deviation 1 over all rows. Cells to be filled are 0, and indicators of what is
    missing follow the columns, one per attribute that misses any.

    Parameters
    ----------
    table : SharedTable
        The data.

    Attributes
    ----------
    values : ndarray of shape (n_samples, n_columns + n_indicators), float64, C order
        Columns, then indicators.
    n_columns : int
        Number of columns without indicators.
    center, spread : ndarray of shape (n_columns,)
        What the columns of `SharedTable.encoded` were moved and divided by.
    is_binary : ndarray of shape (n_columns,), bool
        Columns of 0 and 1.
    is_exact : ndarray of shape (n_columns,), bool
        Columns of numbers whose sums are exact, as they are in the table.
    is_scaled : ndarray of shape (n_columns,), bool
        Columns that the preparation scales.
    indicator : ndarray of shape (n_columns,), int64
        Position among the indicators; -1 where nothing is missing.
    """

    def __init__(self, table: SharedTable) -> None:
        columns = table.encoded
        matrix, missing = columns.matrix, columns.is_missing
        known = np.ones(matrix.shape, dtype=bool) if missing is None else ~missing
        n_known = np.maximum(known.sum(axis=0), 1)
        center = np.where(known, matrix, 0.0).sum(axis=0) / n_known
        spread = np.sqrt((np.where(known, matrix - center, 0.0) ** 2).sum(axis=0) / n_known)
        self.table, self.n_columns = table, matrix.shape[1]
        self.is_binary: NDArray[np.bool_] = ((matrix == 0) | (matrix == 1)).all(axis=0)
        is_constant = (spread == 0) | (np.ptp(matrix, axis=0) == 0)
        self.center = np.where(self.is_binary, 0.0, np.where(is_constant, matrix[0], center))
        self.spread = np.where(self.is_binary | is_constant, 1.0, spread)
        self.is_scaled = np.array([step.scale is not None for step in columns.steps], dtype=bool)
        is_exact = _are_exact(matrix * columns.spread + columns.center)
        self.is_exact = (is_exact | ~known).all(axis=0)
        values = np.where(known, (matrix - self.center) / self.spread, 0.0)
        self.indicator = np.full(self.n_columns, -1, dtype=np.int64)
        gaps: list[NDArray[Any]] = []
        for attribute in np.unique(columns.attribute):
            places = np.flatnonzero(columns.attribute == attribute)
            if not known[:, places[0]].all():
                self.indicator[places] = len(gaps)
                gaps.append(1.0 - known[:, places[0]])
        self.values = np.ascontiguousarray(np.column_stack([values, *gaps]))

    def is_surely_flat(self, part: NDArray[np.float64]) -> NDArray[np.bool_]:
        """Return which columns, constant within classes, have class means without rounding.

        Elsewhere the mean of equal numbers may differ from them in the last digit, and what a
        learner does then is chance.

        Parameters
        ----------
        part : ndarray of shape (n_train, n_columns)
            Training rows.

        Returns
        -------
        ndarray of shape (n_columns,), bool
        """
        is_constant = np.ptp(part, axis=0) == 0
        is_whole = self.is_exact & (self.indicator < 0)
        is_surely: NDArray[np.bool_] = is_whole & (is_constant | ~self.is_scaled)
        return is_surely | self.is_binary

    @property
    def has_missing(self) -> bool:
        """Whether there are indicators."""
        return bool((self.indicator >= 0).any())

    def fill(self, folds: NDArray[np.int32], n_folds: int) -> NDArray[np.float64] | None:
        """Return what missing cells become, shape (n_repeats, n_folds, n_columns), or None."""
        if not self.has_missing:
            return None
        fill = self.table.parts(folds, n_folds).fill
        return None if fill is None else (fill - self.center) / self.spread

    def scales(self, folds: NDArray[np.int32], n_folds: int) -> NDArray[np.float64]:
        """Return what the preparation of every part multiplies `values` by.

        Returns
        -------
        ndarray of shape (n_repeats, n_folds, n_columns)
            0 where a part does not have the column.
        """
        scales = np.empty((len(folds), n_folds, self.n_columns))
        scales[:] = self.spread
        if self.table.preparation is not None:
            parts = self.table.parts(folds, n_folds)
            if parts.scale is not None:
                scales *= parts.scale
            if parts.is_active is not None:
                scales *= parts.is_active
        return scales

    def spread_fill(self, fill: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the map from values to filled columns, less the columns themselves.

        Parameters
        ----------
        fill : ndarray of shape (..., n_columns)
            What missing cells become.

        Returns
        -------
        ndarray of shape (..., n_indicators, n_columns)
            Filled columns are the columns plus the indicators times this.
        """
        n_gaps = self.values.shape[1] - self.n_columns
        is_of = self.indicator == np.arange(n_gaps)[:, None]
        return np.where(is_of, fill[..., None, :], 0.0)


def is_in_doubles(table: SharedTable) -> bool:
    """Return whether there are columns, and the plain learner computes with them in float64.

    What it gets in other floating types it computes in these, and only a `TablePreparer`,
    which fills every column, makes float64 of them.
    """
    if table.preparation is None and not table.is_numeric:
        return False
    if table.preparation is None or any(step.fill is None for step in table.preparation):
        features = table.features
        columns = [features] if isinstance(features, np.ndarray) else table_columns(features)
        dtypes = [np.dtype(column.dtype) for column in columns]
        if any(dtype.kind == "f" and dtype.itemsize != 8 for dtype in dtypes):
            return False
    return table.n_columns > 0


def are_constants_exact(table: SharedTable) -> bool:
    """Return whether the mean of every column of equal numbers is that number to the last bit.

    Where it is not, learners that divide by the spread divide by rounding.
    """
    columns = table.encoded
    first = columns.matrix[0]
    is_constant = (columns.matrix == first).all(axis=0) & (columns.spread == 1)
    return bool(_are_exact((first + columns.center)[is_constant]).all())


def _are_exact(numbers: NDArray[np.float64]) -> NDArray[np.bool_]:
    scaled = numbers * _FINEST
    return (np.abs(scaled - np.rint(scaled)) < 1e-6) & (np.abs(scaled) < _LARGEST)


@dataclass(frozen=True, eq=False)
class SortedRepeat:
    """The rows of a table, fold after fold.

    Parameters
    ----------
    order : ndarray of shape (n_samples,), int64
        Rows in this order.
    bounds : ndarray of shape (n_folds + 1,), int64
        Where each fold begins, and the end.
    rows : ndarray of shape (n_samples, n_columns)
        The rows themselves.
    """

    order: NDArray[np.int64]
    bounds: NDArray[np.int64]
    rows: NDArray[np.float64]

    def by_fold(self) -> Iterator[tuple[int, slice]]:
        """Yield each fold and where its rows are."""
        edges = self.bounds.tolist()
        for fold, start in enumerate(edges[:-1]):
            yield fold, slice(start, edges[fold + 1])


def sorted_repeat(
    values: NDArray[np.float64],
    folds: NDArray[np.int32],
    n_folds: int,
    out: NDArray[np.float64],
) -> SortedRepeat:
    """Put the rows of each fold side by side, in `out`."""
    from bestofk.learners.joint._scatter_kernels import partition

    order = np.empty(len(folds), dtype=np.int64)
    bounds = np.empty(n_folds + 1, dtype=np.int64)
    partition(folds.astype(np.int64), values, bounds, order, out)
    return SortedRepeat(order, bounds, out)


def cross_products(rows: NDArray[np.float64], out: NDArray[np.float64]) -> None:
    """Write the sums of products of columns, shape (n_columns, n_columns)."""
    if rows.size < _MANY_CELLS or rows.shape[1] > _FEW_COLUMNS:
        np.matmul(rows.T, rows, out=out)
        return
    from scipy.linalg.blas import dgemm

    dgemm(1.0, rows.T, rows.T, trans_b=True, c=out.T, overwrite_c=True)


def train_products(
    repeats: list[SortedRepeat], total: NDArray[np.float64], out: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Return the sums of products of columns over every training part.

    Parameters
    ----------
    repeats : list of SortedRepeat
        The rows of each repeat.
    total : ndarray of shape (n_columns, n_columns)
        The sums over all rows.
    out : ndarray of shape (n_repeats, n_folds, n_columns, n_columns)
        Overwritten.

    Returns
    -------
    ndarray of shape (n_repeats, n_folds, n_columns, n_columns)
        The total less the sums over the fold.
    """
    for products, here in zip(out, repeats, strict=True):
        for fold, where in here.by_fold():
            cross_products(here.rows[where], products[fold])
    return np.subtract(total, out, out=out)


def filled_products(
    products: NDArray[np.float64], spread_fill: NDArray[np.float64], n_columns: int
) -> NDArray[np.float64]:
    """Return the sums of products after missing cells are filled.

    Parameters
    ----------
    products : ndarray of shape (..., n_all, n_all)
        Of columns, indicators and whatever follows, in this order.
    spread_fill : ndarray of shape (..., n_indicators, n_columns)
        See `CenteredRows.spread_fill`.
    n_columns : int
        Number of columns.

    Returns
    -------
    ndarray of shape (..., n_all - n_indicators, n_all - n_indicators)
        Of filled columns and of what follows.
    """
    end = n_columns + spread_fill.shape[-2]
    partly = np.delete(products, np.s_[n_columns:end], axis=-1)
    partly[..., :n_columns] += products[..., n_columns:end] @ spread_fill
    whole = np.delete(partly, np.s_[n_columns:end], axis=-2)
    whole[..., :n_columns, :] += np.swapaxes(spread_fill, -1, -2) @ partly[..., n_columns:end, :]
    return whole


def block_size(size: int, n_repeats: int) -> int:
    """Return how many repeats, of `size` numbers each, are done at once."""
    return max(1, min(n_repeats, _BLOCK // max(size, 1)))
