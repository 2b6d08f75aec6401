"""Sums of products of the columns, over every training part."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from bestofk.array_types import Bools, Floats, Folds, Ints, Values
from bestofk.batched.shared_table import SharedTable
from bestofk.data.table_columns import table_columns

# Rows that show of most columns that they are not constant.
_FEW_ROWS = 16
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
    is_scaled : ndarray of shape (n_columns,), bool
        Columns that the preparation scales.
    indicator : ndarray of shape (n_columns,), int64
        Position among the indicators; -1 where nothing is missing.
    """

    def __init__(self, table: SharedTable) -> None:
        columns = table.encoded
        matrix, missing = columns.matrix, columns.is_missing
        n_known = matrix.shape[0] if missing is None else np.maximum((~missing).sum(axis=0), 1)
        center = matrix.sum(axis=0) / n_known  # missing cells are 0
        values = matrix - center
        if missing is not None:
            values[missing] = 0.0
        spread = np.sqrt(np.einsum("ij,ij->j", values, values) / n_known)
        self.table, self.n_columns = table, matrix.shape[1]
        self.is_binary = _all_rows(_is_bit, matrix)
        is_constant = (spread == 0) | _all_rows(np.equal, matrix)
        self.center = np.where(self.is_binary, 0.0, np.where(is_constant, matrix[0], center))
        self.spread = np.where(self.is_binary | is_constant, 1.0, spread)
        self.is_scaled = np.array([step.scale is not None for step in columns.steps], dtype=bool)
        for index in np.flatnonzero(self.is_binary | is_constant):
            values[:, index] = matrix[:, index] - self.center[index]
            if missing is not None:
                values[missing[:, index], index] = 0.0
        values /= self.spread
        self.indicator = np.full(self.n_columns, -1, dtype=np.int64)
        gaps: list[Values] = []
        if missing is not None:
            for attribute in np.unique(columns.attribute):
                indices = np.flatnonzero(columns.attribute == attribute)
                if missing[:, indices[0]].any():
                    self.indicator[indices] = len(gaps)
                    gaps.append(1.0 * missing[:, indices[0]])
        self.values = np.column_stack([values, *gaps]) if gaps else values

    @cached_property
    def is_exact(self) -> Bools:
        """Columns of numbers whose sums are exact, as they are in the table."""
        columns = self.table.encoded
        is_exact = _are_exact(columns.matrix * columns.spread + columns.center)
        if columns.is_missing is not None:
            is_exact |= columns.is_missing
        return np.asarray(is_exact.all(axis=0))

    def is_surely_flat(self, part: Floats) -> Bools:
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
        is_surely: Bools = is_whole & (is_constant | ~self.is_scaled)
        return is_surely | self.is_binary

    @property
    def has_missing(self) -> bool:
        """True if there are indicators."""
        return bool((self.indicator >= 0).any())

    def fill(self, folds: Folds, n_folds: int) -> Floats | None:
        """Return what missing cells become, shape (n_repeats, n_folds, n_columns), or None."""
        if not self.has_missing:
            return None
        fill = self.table.parts(folds, n_folds).fill
        return None if fill is None else (fill - self.center) / self.spread

    def scales(self, folds: Folds, n_folds: int) -> Floats:
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

    def spread_fill(self, fill: Floats) -> Floats:
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
    is_constant = _all_rows(np.equal, columns.matrix) & (columns.spread == 1)
    return bool(_are_exact((columns.matrix[0] + columns.center)[is_constant]).all())


def _is_bit(numbers: Floats, _: Floats) -> Bools:
    return np.asarray((numbers == 0) | (numbers == 1))


def _all_rows(test: Callable[..., Bools], matrix: Floats) -> Bools:
    """Return which columns pass a test of numbers and of the first row.

    A few rows rule out most.
    """
    indices = np.flatnonzero(test(matrix[:_FEW_ROWS], matrix[0]).all(axis=0))
    passed = np.zeros(matrix.shape[1], dtype=bool)
    passed[indices] = test(matrix[:, indices], matrix[0, indices]).all(axis=0)
    return passed


def _are_exact(numbers: Floats) -> Bools:
    scaled = numbers * _FINEST
    return (np.abs(scaled - np.rint(scaled)) < 1e-6) & (np.abs(scaled) < _LARGEST)


@dataclass(frozen=True, eq=False)
class PartBlock:
    """Some training parts, and the rows that are not in them.

    Parts lack different numbers of rows: those of the others are filled up with zeros.

    Parameters
    ----------
    parts : slice
        Which of all parts, fold after fold and repeat after repeat.
    places : ndarray of shape (n_parts, n_rows), int64
        Which rows the parts lack, in tables of all repeats with a row of no meaning at the end
        of each, which stands for those that are filled up.
    rows : ndarray of shape (n_parts, n_rows, n_values)
        The rows themselves.
    products : ndarray of shape (n_parts, n_groups, n_values, n_right)
        Sums of products of values and their first columns, over each group of each part.
    gaps : ndarray of shape (n_parts, n_indicators, n_columns), or None
        See `CenteredRows.spread_fill`.
    scales : ndarray of shape (n_parts, n_columns), or None
        See `CenteredRows.scales`; only where they are wanted.
    """

    parts: slice
    places: Ints
    rows: Floats
    products: Floats
    gaps: Floats | None
    scales: Floats | None


def filled_products(products: Floats, spread_fill: Floats, n_columns: int) -> Floats:
    """Return the sums of products after missing cells are filled.

    Parameters
    ----------
    products : ndarray of shape (..., n_left, n_right)
        Of columns, indicators and whatever follows, in this order, on either side.
    spread_fill : ndarray of shape (..., n_indicators, n_columns)
        See `CenteredRows.spread_fill`.
    n_columns : int
        Number of columns.

    Returns
    -------
    ndarray of shape (..., n_left - n_indicators, n_right - n_indicators)
        Of filled columns and of what follows.
    """
    end = n_columns + spread_fill.shape[-2]
    partly = np.delete(products, np.s_[n_columns:end], axis=-1)
    partly[..., :n_columns] += products[..., n_columns:end] @ spread_fill
    whole = np.delete(partly, np.s_[n_columns:end], axis=-2)
    whole[..., :n_columns, :] += np.swapaxes(spread_fill, -1, -2) @ partly[..., n_columns:end, :]
    return whole
