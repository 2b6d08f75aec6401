"""Means and variances of every class in many training parts, and forms based on them."""

from abc import abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from bestofk.array_types import Bools, Floats, Folds, Ints
from bestofk.batched.form import BatchedForm, BatchedPredictions
from bestofk.batched.parts import Parts
from bestofk.batched.shared_table import SharedTable, Subsets

# Squared mean over variance: above this, the order of summation affects the mean.
_ROUGH = 1e8
# Share of the squares of a class below which those of a part have lost digits.
_LOST = 1e-3
# Numbers in a block of parts, so that they fit into the processor's cache.
_BLOCK = 2**17


@dataclass(frozen=True, eq=False)
class PartMoments:
    """Moments of the classes in some training parts, and the rows to predict from them.

    Parameters
    ----------
    parts, asked : slice
        Positions of these parts, and of their rows to predict.
    matrix : ndarray of shape (n_samples, n_columns)
        The table, missing cells filled.
    rows, part_of_row : ndarray of shape (n_asked,), int64
        Rows of the matrix to predict, and the part that predicts each.
    counts : ndarray of shape (n_parts, n_classes), int64
        Training rows.
    means, variances : ndarray of shape (n_parts, n_classes, n_columns)
        With divisor n, in units of the matrix; 0 for a class without rows.
    scale : ndarray of shape (n_parts, n_columns)
        Factor of each column in the preparation: 0 for columns that it drops.
    is_lost : ndarray of shape (n_parts,), bool
        Parts whose moments have lost too many digits.
    """

    parts: slice
    asked: slice
    matrix: Floats
    rows: Ints
    part_of_row: Ints
    counts: Ints
    means: Floats
    variances: Floats
    scale: Floats
    is_lost: Bools

    def total_variances(self) -> Floats:
        """Return the variances of all training rows, shape (n_parts, n_columns)."""
        n_train = np.maximum(self.counts.sum(axis=1, keepdims=True), 1)
        shares = (self.counts / n_train)[..., None]
        offset = self.means - (shares * self.means).sum(axis=1, keepdims=True)
        return np.asarray((shares * (self.variances + offset**2)).sum(axis=1))

    def squared_distances(self, weights: Floats) -> Floats:
        """Return weighted squared distances of the rows asked for from the class means.

        Parameters
        ----------
        weights : ndarray of shape (n_parts, n_classes, n_columns)
            Of every squared difference.

        Returns
        -------
        ndarray of shape (n_asked, n_classes)
            New.
        """
        from bestofk.batched._moments import weighted_squares

        result = np.empty((len(self.rows), self.counts.shape[1]))
        weighted_squares(self.matrix, self.rows, self.part_of_row, self.means, weights, result)
        return result


class ClassMoments:
    """Class moments of a table for any of its training parts.

    Before summation, every class is shifted by its value nearest to the mean: constants of a class
    become exactly 0, and no large numbers are subtracted.

    Parameters
    ----------
    table : SharedTable
        The data.
    is_plain : bool, default=False
        Whether rows far from 0 are added without a shift, to lose the same digits as numpy.

    Attributes
    ----------
    is_additive : bool
        Whether the moments of a part are those of all rows minus those of its test fold: no values
        are filled in, and all rows are shifted.
    """

    def __init__(self, table: SharedTable, *, is_plain: bool = False) -> None:
        self.table, matrix = table, np.ascontiguousarray(table.encoded.matrix)
        self.y = np.ascontiguousarray(table.y, dtype=np.int64)
        self.origin = np.zeros((table.n_classes, matrix.shape[1]))
        missing = table.encoded.is_missing
        for code in range(table.n_classes):
            values = matrix[self.y == code]
            distance = np.abs(values - values.sum(axis=0) / max(len(values), 1))
            if missing is not None:
                distance[missing[self.y == code]] = np.inf
            if len(values):
                nearest = distance.argmin(axis=0)
                self.origin[code] = values[nearest, np.arange(values.shape[1])]
        if missing is not None:
            matrix = np.where(missing, self.origin[self.y], matrix)
        self.matrix = matrix
        rows = np.arange(len(self.y))
        self.counts = np.bincount(self.y, minlength=table.n_classes)
        self.sums, self.squares = _added(matrix, rows, self.y, self.origin)
        spread = self.squares / np.maximum(self.counts, 1)[:, None]
        is_rough = bool(((spread > 0) & (self.origin**2 > _ROUGH * spread)).any())
        if is_plain and is_rough:
            self.origin = np.zeros_like(self.origin)
        self.is_additive = missing is None and not (is_plain and is_rough)

    def of_folds(self, folds: Folds, n_folds: int) -> Iterator[PartMoments]:
        """Yield the moments of all parts of some repeats, a few repeats at a time.

        Parameters
        ----------
        folds : ndarray of shape (n_repeats, n_samples), int32
            The fold that tests each row.
        n_folds : int
            Folds of every repeat.
        """
        step = max(1, _BLOCK // max(n_folds * self.origin.size, len(self.y)))
        for start in range(0, len(folds), step):
            yield self._less_folds(folds[start : start + step], n_folds, start)

    def of_subsets(self, subsets: Subsets) -> Iterator[PartMoments]:
        """Yield the moments of some subsets of the rows, one by one if cells are filled."""
        parts = subsets.parts(self.table)
        scale, step = _scale(parts)[:, 0], 1
        if parts.fill is None:
            step = max(1, _BLOCK // max(self.origin.size, subsets.train.shape[1]))
        for start in range(0, len(subsets), step):
            some = slice(start, min(start + step, len(subsets)))
            bounds = subsets.start[start : some.stop + 1]
            asked = slice(bounds[0], bounds[-1])
            matrix = self.matrix
            if parts.fill is not None:
                matrix = self.table.encoded.matrix.copy()
                rows, columns = self.table.encoded.gaps
                matrix[rows, columns] = parts.fill[start, 0, columns]
            n_parts = some.stop - start
            yield PartMoments(
                some, asked, matrix, subsets.rows[asked],
                np.repeat(np.arange(n_parts), np.diff(bounds)),
                *self._in_two_passes(matrix, subsets.train[some]), scale[some],
                np.zeros(n_parts, dtype=bool),
            )  # fmt: skip

    def _less_folds(self, folds: Folds, n_folds: int, start: int) -> PartMoments:
        """Return the moments of all rows minus those of each fold."""
        n_repeats, n_parts = len(folds), len(folds) * n_folds
        shape = (n_parts, *self.origin.shape)
        rows = np.tile(np.arange(len(self.y)), n_repeats)
        part_of_row = (folds + n_folds * np.arange(n_repeats)[:, None]).ravel()
        groups = part_of_row * shape[1] + np.tile(self.y, n_repeats)
        center = np.tile(self.origin, (n_parts, 1))
        sums, squares = (item.reshape(shape) for item in _added(self.matrix, rows, groups, center))
        counts = self.counts - np.bincount(groups, minlength=len(center)).reshape(shape[:2])
        n, is_present = np.maximum(counts, 1)[..., None], (counts > 0)[..., None]
        means = (self.sums - sums) / n
        np.subtract(self.squares, squares, out=squares)
        variances = squares / n - means**2
        limit = _LOST * np.maximum(squares, self.squares)
        is_lost = np.any((variances * n < limit) & is_present, axis=(1, 2))
        means += self.origin
        return PartMoments(
            slice(n_folds * start, n_folds * start + n_parts),
            slice(len(self.y) * start, len(self.y) * (start + n_repeats)),
            self.matrix, rows, part_of_row, counts, means * is_present,
            np.maximum(variances, 0.0) * is_present,
            _scale(self.table.parts(folds, n_folds)).reshape(n_parts, -1), is_lost,
        )  # fmt: skip

    def _in_two_passes(self, matrix: Floats, train: Ints) -> tuple[Ints, Floats, Floats]:
        """Return counts, means and variances of some sets of rows, in two passes over the rows."""
        shape = (len(train), *self.origin.shape)
        groups = (self.y[train] + shape[1] * np.arange(shape[0])[:, None]).ravel()
        counts = np.bincount(groups, minlength=shape[0] * shape[1])
        n, center = np.maximum(counts, 1)[:, None], np.tile(self.origin, (shape[0], 1))
        means = center + _added(matrix, train.ravel(), groups, center)[0] / n
        means *= (counts > 0)[:, None]
        variances = _added(matrix, train.ravel(), groups, means)[1] / n
        return counts.reshape(shape[:2]), means.reshape(shape), variances.reshape(shape)


def _added(matrix: Floats, rows: Ints, groups: Ints, center: Floats) -> tuple[Floats, Floats]:
    """Return sums of differences from the center of each group, and of their squares."""
    from bestofk.batched._moments import add_rows

    sums, squares = np.zeros(center.shape), np.zeros(center.shape)
    add_rows(matrix, rows, groups, center, sums, squares)
    return sums, squares


def _scale(parts: Parts) -> Floats:
    """Return the factors of the columns, 0 for dropped ones."""
    shape = (parts.n_repeats, parts.n_folds, parts.columns.matrix.shape[1])
    scale = np.ones(shape) if parts.scaling is None else parts.scaling.factor
    return scale if parts.is_active is None else scale * parts.is_active


def normalize_logs(logs: Floats) -> None:
    """Turn logarithms of shares, the largest 0, into probabilities in place, over the last axis."""
    with np.errstate(under="ignore", invalid="ignore"):
        np.exp(logs, out=logs)
        total = logs[..., 0].copy()
        for index in range(1, logs.shape[-1]):
            total += logs[..., index]
        logs /= total[..., None]


def is_summable(table: SharedTable) -> bool:
    """Return whether the task is classification with finite numbers that are summed as float64."""
    if table.n_classes == 0 or (table.preparation is None and not table.is_numeric):
        return False
    if not table.is_faithful:
        return False
    is_filled = all(step.fill is not None for step in table.encoded.steps)
    return is_filled or not (table.has_missing or table.has_other_floats)


class MomentForm(BatchedForm):
    """A classifier trained by the moments of the classes of a part.

    Parts of k-fold cross-validation are all rows minus a fold; if that loses digits, and for other
    subsets, training rows are summed in two passes.
    """

    #: Whether rows far from 0 are added without a shift, to lose the same digits as numpy.
    is_plain: ClassVar[bool] = False

    def __init__(self, estimator: Any, table: SharedTable, n_folds: int = 0) -> None:
        super().__init__(estimator, table, n_folds)
        self._moments = ClassMoments(table, is_plain=self.is_plain)

    @classmethod
    def supports(cls, estimator: Any, table: SharedTable) -> bool:
        """Return whether the table is finite numbers."""
        return is_summable(table)

    def predict(self, folds: Folds, random_states: Ints | None = None) -> BatchedPredictions:
        """Predict by the moments of every part; see `BatchedForm.predict`."""
        if not self._moments.is_additive:
            return super().predict(folds)
        n_classes = self.table.n_classes
        labels = np.empty(folds.size, dtype=np.int64)
        shares = np.empty((folds.size, n_classes))
        is_done = np.empty((len(folds), self.n_folds), dtype=bool)
        for block in self._moments.of_folds(folds, self.n_folds):
            labels[block.asked], shares[block.asked], is_sure = self._classify(block)
            is_done.ravel()[block.parts] = is_sure & ~block.is_lost
        result = BatchedPredictions(
            labels.reshape(folds.shape), shares.reshape(*folds.shape, n_classes), is_done=is_done
        )
        left = [(repeat, fold) for repeat, fold in np.argwhere(~is_done).tolist()]
        return self.predict_parts(folds, left, result=result)

    def predict_subsets(
        self, subsets: Subsets, random_states: Ints | None = None
    ) -> BatchedPredictions:
        """Predict by the moments of every subset; see `BatchedForm.predict_subsets`."""
        labels = np.empty(len(subsets.rows), dtype=np.int64)
        shares = np.empty((len(subsets.rows), self.table.n_classes))
        is_done = np.empty(len(subsets), dtype=bool)
        for block in self._moments.of_subsets(subsets):
            result = self._classify(block)
            labels[block.asked], shares[block.asked], is_done[block.parts] = result
        return BatchedPredictions(labels, shares, is_done=is_done)

    @abstractmethod
    def _classify(self, block: PartMoments) -> tuple[Ints, Floats, Bools]:
        """Return labels and probabilities of the rows asked for, and which parts are done."""
