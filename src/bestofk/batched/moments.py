"""Means and variances of every class in every training part, from one pass over the rows."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bestofk.batched.encoded_columns import EncodedColumns
from bestofk.batched.parts import Parts
from bestofk.batched.shared_table import SharedTable

# Squared mean over variance: beyond it, the order in which rows are added is seen in the mean.
_ROUGH = 1e8
# Numbers of a block of repeats: models of about so many stay in the processor's cache.
_BLOCK = 2**18
# Rows of a chunk, which all repeats of a block go through in turn; as many of each fold at least.
_CHUNK, _ROWS_OF_FOLD = 1024, 32
# Rows of a fold side by side, and numbers of them.
_SIDE_BY_SIDE, _TILE = 64, 2**15


@dataclass(frozen=True, eq=False)
class PartMoments:
    """Moments of the classes in the training parts of some repeats.

    Columns are those of the shared matrix and some of 0 that fill them up to a multiple of 4.

    Parameters
    ----------
    repeats : slice
        Which of the repeats asked for.
    parts : Parts
        What the preparation learned there.
    counts : ndarray of shape (n_repeats, n_folds, n_classes), int64
        Training rows.
    means, variances : ndarray of shape (n_repeats, n_folds, n_classes, n_columns)
        Divisor n, in units of the shared matrix; 0 for a class without rows. Variances may be
        summed up, (n_repeats, n_folds, n_classes, 1).
    scales : ndarray of shape (n_repeats, n_folds, n_columns)
        What the preparation multiplies each column by: 0 where it puts out no such column.
    order : ndarray of shape (n_repeats, n_samples), int32
        The rows, chunk after chunk, in each by the fold that tests them, and by class.
    bounds : ndarray of shape (n_repeats, n_chunks, n_folds * n_classes + 1), int64
        Where each fold and class begins there.
    """

    repeats: slice
    parts: Parts
    counts: NDArray[np.int64]
    means: NDArray[np.float64]
    variances: NDArray[np.float64]
    scales: NDArray[np.float64]
    order: NDArray[np.int32]
    bounds: NDArray[np.int64]

    def joined(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Return the variances of all training rows around their class means, and in all.

        Both of shape (n_repeats, n_folds, n_columns).
        """
        from bestofk.batched._moment_kernels import _join_classes

        within, total = np.empty(self.scales.shape), np.empty(self.scales.shape)
        _join_classes(self.counts, self.means, self.variances, within, total)
        return within, total


class ClassMoments:
    """Class moments of a table for any repeats of k-fold cross-validation.

    Every class is moved so that a value of its own is 0, the one nearest to its mean, before
    sums are taken: what all rows of a class share is 0 exactly, and nothing large is
    subtracted. Where subtracting the test fold still costs digits, the part is added up anew.

    Parameters
    ----------
    table : SharedTable
        The data.
    n_folds : int
        Folds of every repeat.
    is_pooled : bool, default=False
        Whether the sum of the variances of all columns is enough, as far as nothing is scaled.

    Attributes
    ----------
    is_rough : bool
        Whether the mean of some column is so far from 0 that sums of its values themselves, as
        the plain way takes them, lose digits of it.
    """

    def __init__(self, table: SharedTable, n_folds: int, *, is_pooled: bool = False) -> None:
        self.table, self.n_folds = table, n_folds
        columns = table.encoded
        width = -(-columns.matrix.shape[1] // 4) * 4
        self.y = np.ascontiguousarray(table.y, dtype=np.int64)
        self.matrix = _widened(columns.matrix, width)
        self.is_missing = None
        if columns.is_missing is not None:
            self.is_missing = _widened(columns.is_missing, width).astype(bool)
        self.totals = np.bincount(self.y, minlength=table.n_classes)
        self.origin, self.sums, self.squares = np.zeros((3, table.n_classes, width))
        self.may_lose: NDArray[np.bool_]
        self._and_zero = np.zeros((len(self.y) + 1, width))  # rows are added by fours
        self.moved = self._and_zero[:-1]
        for index, rows in enumerate(np.split(self.y.argsort(kind="stable"), self.totals.cumsum())):
            if len(rows):
                self._move_class(index, rows)
        self.norms = np.einsum("iq,iq->i", self._and_zero, self._and_zero)
        self.may_lose = ~self._is_exact()
        spread = self.squares / np.maximum(self.totals, 1)[:, None]
        is_far = self.origin**2 > _ROUGH * spread
        self.is_rough = bool((self.may_lose & (spread > 0) & is_far).any())
        if is_pooled and _is_as_it_is(columns):
            self.squares = self.squares.sum(axis=1, keepdims=True)
            self.may_lose = np.array([self.may_lose.any()])
        per_repeat = max(n_folds * self.origin.size, len(self.y))
        self._step = max(1, _BLOCK // per_repeat)
        self._chunk = min(max(_CHUNK, _ROWS_OF_FOLD * n_folds), len(self.y))
        self._unscaled = np.zeros((0, n_folds, width))

    def blocks(self, folds: NDArray[np.int32]) -> Iterator[PartMoments]:
        """Yield the moments of some repeats, a few repeats at a time.

        Parameters
        ----------
        folds : ndarray of shape (n_repeats, n_samples), int32
            The fold that tests each row.
        """
        for start in range(0, len(folds), self._step):
            repeats = slice(start, min(start + self._step, len(folds)))
            yield self._moments(np.ascontiguousarray(folds[repeats], dtype=np.int32), repeats)

    def filled(self, parts: Parts, repeat: int, fold: int) -> NDArray[np.float64]:
        """Return all rows with missing cells filled as in one part, in units of the matrix."""
        if self.is_missing is None or parts.fill is None:
            return self.matrix
        rows, indices = np.nonzero(self.is_missing)
        matrix = self.matrix.copy()
        matrix[rows, indices] = parts.fill[repeat, fold, indices]
        return matrix

    def buffers(
        self, n_more: int
    ) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.int64]]:
        """Return buffers for rows side by side: their columns, scores of classes, labels.

        Parameters
        ----------
        n_more : int
            Number of further values, in addition to those of each class.
        """
        n_columns = self.matrix.shape[1]
        width = max(min(_SIDE_BY_SIDE, _TILE // n_columns // 8 * 8), 8)
        result = np.zeros((self.table.n_classes + n_more, width))
        return np.zeros((n_columns, width)), result, np.empty(width, dtype=np.int64)

    def tables(self, block: PartMoments) -> Iterator[tuple[slice, NDArray[np.float64]]]:
        """Yield repeats of a block and all rows, missing cells filled as in the part they test."""
        folds, fill = block.parts.folds, block.parts.fill
        if self.is_missing is None or fill is None:
            yield slice(None), self.matrix
            return
        rows, indices = np.nonzero(self.is_missing)
        matrix = self.matrix.copy()
        for index in range(len(folds)):  # other values fill the gaps of every repeat
            matrix[rows, indices] = fill[index, folds[index, rows], indices]
            yield slice(index, index + 1), matrix

    def _move_class(self, index: int, rows: NDArray[np.int64]) -> None:
        """Move a class by its value nearest to its mean, column by column, and sum it up."""
        values = self.matrix[rows]
        distance = np.abs(values - values.mean(axis=0))
        if self.is_missing is not None:
            distance[self.is_missing[rows]] = np.inf
        self.origin[index] = values[distance.argmin(axis=0), np.arange(values.shape[1])]
        values -= self.origin[index]
        if self.is_missing is not None:
            values[self.is_missing[rows]] = 0.0
        self.moved[rows] = values
        self.sums[index] = values.sum(axis=0)
        self.squares[index] = (values**2).sum(axis=0)

    def _is_exact(self) -> NDArray[np.bool_]:
        """Return in which columns sums are exact, since all values are whole numbers."""
        is_whole: NDArray[np.bool_] = (self.matrix[:9] == np.rint(self.matrix[:9])).all(axis=0)
        maybe = self.matrix[:, is_whole]
        is_whole[is_whole] = (maybe == np.rint(maybe)).all(axis=0) & (
            (maybe**2).sum(axis=0) < 2.0**50
        )
        if self.is_missing is not None:
            is_whole &= ~self.is_missing.any(axis=0)
        return is_whole

    def _moments(self, folds: NDArray[np.int32], repeats: slice) -> PartMoments:
        from bestofk.batched._cell_kernels import _add_cells, _sort_into_cells
        from bestofk.batched._moment_kernels import _subtract_folds

        parts = self.table.parts(folds, self.n_folds)
        shape = (len(folds), self.n_folds, *self.origin.shape)
        counts = np.empty(shape[:3], dtype=np.int64)
        counts[...] = self.totals
        sums, squares = np.zeros(shape), np.zeros((*shape[:3], self.squares.shape[1]))
        is_lost = np.zeros(shape[:2], dtype=bool)
        order = np.empty(folds.shape, dtype=np.int32)
        n_chunks = -(-len(self.y) // self._chunk)
        bounds = np.empty((len(folds), n_chunks, shape[1] * shape[2] + 1), dtype=np.int64)
        index = np.empty(shape[1] * shape[2], dtype=np.int64)
        _sort_into_cells(folds, self.y, shape[2], self._chunk, index, order, bounds)
        _add_cells(order, bounds, self._and_zero, self.norms, counts, sums, squares)
        if self.is_missing is not None and parts.fill is not None:
            self._add_fills(self.is_missing, parts, sums, squares)
        _subtract_folds(
            counts, self.sums, self.squares, self.origin, self.may_lose, sums, squares, is_lost
        )
        moments = PartMoments(
            repeats, parts, counts, sums, squares, self._scales(parts), order, bounds
        )
        for repeat, fold in np.argwhere(is_lost):
            self._add_anew(moments, repeat, fold)
        return moments

    def _add_fills(
        self,
        is_missing: NDArray[np.bool_],
        parts: Parts,
        sums: NDArray[np.float64],
        squares: NDArray[np.float64],
    ) -> None:
        """Take what fills the missing cells of the parts from the sums of their folds."""
        assert parts.fill is not None
        indices = np.flatnonzero(is_missing.any(axis=0))
        gaps = np.ascontiguousarray(is_missing[:, indices], dtype=np.float64)
        n_gaps = self._count_gaps(parts.folds, gaps)
        offset = parts.fill[:, :, None, indices] - self.origin[:, indices]
        sums[..., indices] -= n_gaps * offset
        squares[..., indices] -= n_gaps * offset**2

    def _count_gaps(
        self, folds: NDArray[np.int32], gaps: NDArray[np.float64]
    ) -> NDArray[np.float64]:
        """Return missing cells by part, class and column."""
        n_classes = len(self.origin)
        n_gaps = np.empty((len(folds), self.n_folds, n_classes, gaps.shape[1]))
        cells = np.arange(self.n_folds * n_classes)[:, None]
        is_class = (self.y == np.arange(n_classes)[:, None]).astype(np.float64)
        total = is_class @ gaps
        for repeat, row_folds in enumerate(folds):
            is_cell = (row_folds * n_classes + self.y == cells).astype(np.float64)
            n_gaps[repeat] = total - (is_cell @ gaps).reshape(n_gaps.shape[1:])
        return n_gaps

    def _add_anew(self, moments: PartMoments, repeat: int, fold: int) -> None:
        from bestofk.batched._moment_kernels import _moments_of_part

        means = moments.means[repeat, fold]
        moved = self.moved
        if self.is_missing is not None:
            moved = self.filled(moments.parts, repeat, fold) - self.origin[self.y]
        variances = np.empty(means.shape)
        _moments_of_part(moved, self.y, moments.parts.folds[repeat], fold, means, variances)
        means += self.origin
        is_pooled = self.squares.shape[1] == 1
        moments.variances[repeat, fold] = (
            variances.sum(axis=1, keepdims=True) if is_pooled else variances
        )

    def _scales(self, parts: Parts) -> NDArray[np.float64]:
        n_columns = self.table.n_columns
        if parts.scale is None and parts.is_active is None:
            ones = self._unscaled
            if len(ones) < parts.n_repeats:
                ones = np.zeros((parts.n_repeats, *ones.shape[1:]))
                ones[..., :n_columns] = 1.0
                self._unscaled = ones
            return ones[: parts.n_repeats]
        scales = np.zeros((parts.n_repeats, self.n_folds, self.origin.shape[1]))
        scales[..., :n_columns] = 1.0 if parts.scale is None else parts.scale
        if parts.is_active is not None:
            scales[..., :n_columns] *= parts.is_active
        return scales


def normalize_logs(logs: NDArray[np.float64]) -> None:
    """Turn logarithms of shares, the largest 0, into probabilities in place, over the last axis."""
    from bestofk.batched._moment_kernels import _normalize

    with np.errstate(under="ignore", invalid="ignore"):
        np.exp(logs, out=logs)
    _normalize(logs)


def is_summable(table: SharedTable) -> bool:
    """Return whether a table is classes and finite numbers, which the plain way sums as float64."""
    if table.n_classes == 0 or (table.preparation is None and not table.is_numeric):
        return False
    if not table.is_faithful:
        return False
    is_filled = all(step.fill is not None for step in table.encoded.steps)
    return is_filled or not (table.has_missing or _has_other_floats(table.features))


def _is_as_it_is(columns: EncodedColumns) -> bool:
    """Return whether every part gets all columns as they are in the table."""
    is_scaled = len(columns.standardized) + len(columns.ranged) > 0
    return columns.is_missing is None and not is_scaled and bool((columns.level_totals < 0).all())


def _has_other_floats(features: Any) -> bool:
    """Return whether numbers are in single precision, say, as the plain way then sums them."""
    dtypes = [features.dtype] if isinstance(features, np.ndarray) else features.dtypes
    return any(getattr(dtype, "kind", "") == "f" and dtype.itemsize != 8 for dtype in dtypes)


def _widened(matrix: NDArray[np.generic], width: int) -> NDArray[np.float64]:
    wide = np.zeros((len(matrix), width))
    wide[:, : matrix.shape[1]] = matrix
    return wide
