"""Sums of products of the columns over every training part, and forms based on them."""

from abc import abstractmethod
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Any, ClassVar

import numpy as np

from bestofk.array_types import Bools, Floats, Folds, Ints, Values
from bestofk.batched.form import BatchedForm, BatchedPredictions
from bestofk.batched.parts import class_counts
from bestofk.batched.shared_table import SharedTable

# Rows that suffice to show that most columns are not constant.
_FEW_ROWS = 16
# Sums of multiples of 1 / _FINEST up to _LARGEST / _FINEST are exact.
_FINEST, _LARGEST = 2.0**10, 2.0**36
# Numbers in the rows, and in the sums of products, of parts processed at once, so that they stay in
# the cache.
_CACHED = 262_144
# Folds are padded to a multiple of this many rows, which makes most repeats equal.
_ROWS = 8


class CenteredRows:
    """The columns of a table in units that keep the digits of sums of products.

    Columns of 0 and 1 are unchanged, so that their sums are exact; all others have mean 0 and
    standard deviation 1 over all rows. Cells to fill are 0; indicators of missing values follow the
    columns, one per attribute with missing values.

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
        Shift and divisor of the columns of `SharedTable.encoded`.
    is_binary : ndarray of shape (n_columns,), bool
        Columns of 0 and 1.
    is_scaled : ndarray of shape (n_columns,), bool
        Columns that the preparation scales.
    indicator : ndarray of shape (n_columns,), int64
        Position among the indicators; -1 if nothing is missing.
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
        """Columns whose sums are exact and which are not changed."""
        columns = self.table.encoded
        is_exact = _are_exact(columns.matrix * columns.spread + columns.center)
        if columns.is_missing is not None:
            is_exact |= columns.is_missing
        return np.asarray(is_exact.all(axis=0))

    def is_surely_flat(self, part: Floats) -> Bools:
        """Return which columns, if constant within classes, have exact class means.

        In others, the mean of equal numbers may differ from them in the last digit, and results of
        a learner are then arbitrary.

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
        """Whether there are indicators."""
        return bool((self.indicator >= 0).any())

    def fill(self, folds: Folds, n_folds: int) -> Floats | None:
        """Return the fill values of cells, shape (n_repeats, n_folds, n_columns), or None."""
        if not self.has_missing:
            return None
        fill = self.table.parts(folds, n_folds).fill
        return None if fill is None else (fill - self.center) / self.spread

    def scales(self, folds: Folds, n_folds: int) -> Floats:
        """Return the factors of `values` in the preparation of every part.

        Returns
        -------
        ndarray of shape (n_repeats, n_folds, n_columns)
            0 where a part does not have the column.
        """
        scales = np.empty((len(folds), n_folds, self.n_columns))
        scales[:] = self.spread
        if self.table.preparation is not None:
            parts = self.table.parts(folds, n_folds)
            if parts.scaling is not None:
                scales *= parts.scaling.factor
            if parts.is_active is not None:
                scales *= parts.is_active
        return scales

    def spread_fill(self, fill: Floats) -> Floats:
        """Return the map from values to filled columns, minus the columns themselves.

        Parameters
        ----------
        fill : ndarray of shape (..., n_columns)
            Fill values of missing cells.

        Returns
        -------
        ndarray of shape (..., n_indicators, n_columns)
            Filled columns are the columns plus the indicators times this.
        """
        n_gaps = self.values.shape[1] - self.n_columns
        is_of = self.indicator == np.arange(n_gaps)[:, None]
        return np.where(is_of, fill[..., None, :], 0.0)


def is_in_doubles(table: SharedTable) -> bool:
    """Return whether there are columns, and the plain learner computes in float64.

    It computes in the floating type that it receives, and only a `TablePreparer`, which fills every
    column, converts to float64.
    """
    if table.preparation is None and not table.is_numeric:
        return False
    is_float = table.preparation is not None and all(step.fill for step in table.preparation)
    return table.n_columns > 0 and (is_float or not table.has_other_floats)


def are_constants_exact(table: SharedTable) -> bool:
    """Return whether the mean of every column of equal numbers is that number to the last bit.

    Otherwise, learners that divide by the spread would divide by rounding errors.
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

    Parts lack different numbers of rows; shorter ones are padded with zeros.

    Parameters
    ----------
    parts : slice
        Positions among all parts, fold by fold and repeat by repeat.
    places : ndarray of shape (n_parts, n_rows), int64
        Rows that the parts lack, as positions in the tables of all repeats, each of which ends with
        a dummy row for padding.
    rows : ndarray of shape (n_parts, n_rows, n_values)
        The rows themselves.
    products : ndarray of shape (n_parts, n_groups, n_values, n_right)
        Sums of products of values and their first columns, over each group of each part.
    gaps : ndarray of shape (n_parts, n_indicators, n_columns), or None
        See `CenteredRows.spread_fill`.
    scales : ndarray of shape (n_parts, n_columns), or None
        See `CenteredRows.scales`; None if not needed.
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
        Products of columns, indicators and others, in this order, on both sides.
    spread_fill : ndarray of shape (..., n_indicators, n_columns)
        See `CenteredRows.spread_fill`.
    n_columns : int
        Number of columns.

    Returns
    -------
    ndarray of shape (..., n_left - n_indicators, n_right - n_indicators)
        Products of filled columns and of the others.
    """
    end = n_columns + spread_fill.shape[-2]
    partly = np.delete(products, np.s_[n_columns:end], axis=-1)
    partly[..., :n_columns] += products[..., n_columns:end] @ spread_fill
    whole = np.delete(partly, np.s_[n_columns:end], axis=-2)
    whole[..., :n_columns, :] += np.swapaxes(spread_fill, -1, -2) @ partly[..., n_columns:end, :]
    return whole


class ScatterForm(BatchedForm):
    """A learner trained by the sums of products of the columns of a part.

    Attributes
    ----------
    rows : CenteredRows
        The columns of the table.
    values : ndarray of shape (n_samples + 1, n_values)
        These columns, and others to multiply; the last row is 0.
    groups : ndarray of shape (n_samples,), int64
        Group of each row, summed separately: its class, or a single group.
    total : ndarray of shape (n_groups, n_values, n_right)
        The sums of products over all rows of each group, of values and their first columns.
    """

    #: Whether `blocks` includes the factors of the columns in the preparation.
    needs_scales: ClassVar[bool] = False
    rows: CenteredRows
    values: Floats
    groups: Ints
    total: Floats

    @classmethod
    def is_faster(cls, estimator: Any, table: SharedTable, n_folds: int) -> bool:
        """Return whether a training part has more rows than the table has columns."""
        return table.n_columns < table.n_samples * (n_folds - 1) // n_folds

    def multiply(self, values: Floats, n_right: int, groups: Ints | None = None) -> None:
        """Set the attributes; without groups, all rows are one group."""
        self.values = np.vstack([values, np.zeros(values.shape[1])])
        self.groups = np.zeros(len(values), dtype=np.int64) if groups is None else groups
        members = [values[self.groups == group] for group in range(self.groups.max() + 1)]
        self.total = np.stack([rows.T @ rows[:, :n_right] for rows in members])

    def blocks(self, folds: Folds) -> Iterator[PartBlock]:
        """Yield all parts of some repeats, as many at once as fit into the cache.

        The content of a block is overwritten by the next.
        """
        n_groups = len(self.total)
        n_train = class_counts(self.groups, n_groups, folds, self.n_folds)
        most = (np.bincount(self.groups) - n_train).max(axis=1)
        widths = -(-most // _ROWS) * _ROWS
        is_first = (np.diff(widths, axis=0, prepend=-1) != 0).any(axis=1)
        for start, stop in pairwise([*np.flatnonzero(is_first).tolist(), len(folds)]):
            yield from self._blocks_alike(folds[start:stop], start, widths[start])

    def _blocks_alike(self, folds: Folds, start: int, widths: Ints) -> Iterator[PartBlock]:
        """Yield parts of repeats, from number `start` on, padded to equal widths."""
        from bestofk.batched._scatter import sort_rows

        (n_repeats, n_samples), ends, n_folds = folds.shape, np.cumsum(widths), self.n_folds
        width, first_part = int(ends[-1]), start * n_folds
        begins = width * np.arange(n_folds)[:, None] + (ends - widths)
        order = np.full((n_repeats, n_folds * width), n_samples)
        sort_rows(np.ascontiguousarray(folds, dtype=np.int32), self.groups, begins, order)
        places = order + (n_samples + 1) * np.arange(start, start + n_repeats)[:, None]
        order, places = order.reshape(-1, width), places.reshape(-1, width)
        fill = _flat(self.rows.fill(folds, n_folds))
        scales = _flat(self.rows.scales(folds, n_folds)) if self.needs_scales else None
        n_values = self.values.shape[1]
        step = min(max(_CACHED // max(width * n_values, self.total.size), 1), len(order))
        rows = np.empty((step, width, n_values))
        products = np.empty((step, *self.total.shape))
        for first in range(0, len(order), step):
            here = slice(first, min(first + step, len(order)))
            n_here = here.stop - first
            own = np.take(self.values, order[here], axis=0, out=rows[:n_here], mode="clip")
            for group, (size, end) in enumerate(zip(widths, ends, strict=True)):
                some = own[:, end - size : end]
                right = some[..., : products.shape[-1]]
                np.matmul(some.swapaxes(1, 2), right, out=products[:n_here, group])
            np.subtract(self.total, products[:n_here], out=products[:n_here])
            yield PartBlock(
                slice(first_part + first, first_part + here.stop), places[here], own,
                products[:n_here],
                None if fill is None else self.rows.spread_fill(fill[here]),
                None if scales is None else scales[here],
            )  # fmt: skip


class DiscriminantForm(ScatterForm):
    """A classifier whose scores are those of densities with these sums as scatter."""

    def predict(self, folds: Folds, random_states: Ints | None = None) -> BatchedPredictions:
        """Train by the scatter of every part; see `BatchedForm.predict`."""
        from bestofk.batched._scatter import share_out

        (n_repeats, n_samples), n_classes = folds.shape, self.table.n_classes
        labels = np.empty((n_repeats, n_samples + 1), dtype=np.int64)
        probabilities = np.empty((n_repeats, n_samples + 1, n_classes))
        is_done = np.empty(n_repeats * self.n_folds, dtype=bool)
        counts = self.table.class_counts(folds, self.n_folds).reshape(-1, n_classes).astype(float)
        for here in self.blocks(folds):
            scores = np.empty((len(here.rows), n_classes, here.rows.shape[1]))
            intercepts, is_done[here.parts] = self._score(here, counts[here.parts], folds, scores)
            scores += intercepts[:, :, None]
            scores -= scores.max(axis=1, keepdims=True)
            np.exp(scores, out=scores)
            share_out(scores, here.places, labels.reshape(-1), probabilities.reshape(-1, n_classes))
        return BatchedPredictions(
            labels[:, :-1], probabilities[:, :-1], is_done=is_done.reshape(n_repeats, -1)
        )

    @abstractmethod
    def _score(
        self, here: PartBlock, counts: Floats, folds: Folds, scores: Floats
    ) -> tuple[Floats, Bools]:
        """Write the score of every class for every row, without the intercepts.

        Parameters
        ----------
        here : PartBlock
            The parts.
        counts : ndarray of shape (n_parts, n_classes)
            Their rows of each class.
        folds : ndarray of shape (n_repeats, n_samples), int32
            The folds of all repeats.
        scores : ndarray of shape (n_parts, n_classes, n_rows)
            Overwritten.

        Returns
        -------
        intercepts : ndarray of shape (n_parts, n_classes)
            To be added.
        is_done : ndarray of shape (n_parts,), bool
            Which parts are done.
        """


def _flat(stack: Floats | None) -> Floats | None:
    """Return an array over repeats and folds as one over parts."""
    return None if stack is None else stack.reshape(-1, stack.shape[-1])
