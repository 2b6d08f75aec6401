"""Preparation fitted to every training part, computed for all parts at once."""

from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from bestofk.array_types import Bools, Floats, Folds, Ints, Values
from bestofk.batched.preparation import EncodedColumns

# A variance this small relative to the mean square of its column has lost digits and is recomputed.
_LOST = 0.02
# So is one this small relative to the variance of the column over all rows; only these can be
# constant.
_SMALL = 1e-8
_EPS = float(np.finfo(np.float64).eps)


class Scaling(NamedTuple):
    """Shift subtracted by scaling, factor then applied, and whether a column counts as constant.

    All have shape (n_repeats, n_folds, n_columns).
    """

    shift: Floats
    factor: Floats
    is_constant: Bools


class Parts:
    """The training parts of some repeats: all rows but those of one fold.

    The pipeline, fitted to part (r, f), would pass to its learner, for every row,
    ``(matrix with missing cells filled by fill[r, f] - shift[r, f]) * factor[r, f]`` without
    the columns where ``is_active[r, f]`` is False; `scaling` holds shift and factor. Everything is
    computed on first use, and each repeat is independent of the others.

    Parameters
    ----------
    columns : EncodedColumns
        All rows.
    y : ndarray of shape (n_samples,)
        Classes or values.
    n_classes : int
        0 for regression.
    folds : ndarray of shape (n_repeats, n_samples), int32
        The fold that tests each row.
    n_folds : int
        Folds of every repeat.
    """

    def __init__(
        self, columns: EncodedColumns, y: Values, n_classes: int, folds: Folds, n_folds: int
    ) -> None:
        self.columns, self.y, self.n_classes = columns, y, n_classes
        self.folds, self.n_folds = folds, n_folds

    @property
    def n_repeats(self) -> int:
        """Number of repeats."""
        return len(self.folds)

    @cached_property
    def n_train(self) -> Ints:
        """Rows of each part, shape (n_repeats, n_folds)."""
        return np.asarray(self.folds.shape[1] - _counts(self.folds, self.n_folds))

    @cached_property
    def class_counts(self) -> Ints:
        """Rows of each class in each part, shape (n_repeats, n_folds, n_classes)."""
        return class_counts(self.y, self.n_classes, self.folds, self.n_folds)

    def is_train(self, repeat: int, fold: int) -> Bools:
        """Return a mask of the training rows, shape (n_samples,)."""
        return np.asarray(self.folds[repeat] != fold)

    def matrix(self, repeat: int, fold: int) -> Floats:
        """Return all rows as transformed by the pipeline fitted to a part.

        Returns
        -------
        ndarray of shape (n_samples, n_active_columns), float64
            A new array; training and test rows.
        """
        matrix = self.columns.matrix.copy()
        if self.fill is not None:
            rows, indices = self.columns.gaps
            matrix[rows, indices] = self.fill[repeat, fold, indices]
        if self.scaling is not None:
            matrix -= self.scaling.shift[repeat, fold]
            matrix *= self.scaling.factor[repeat, fold]
        if self.is_active is not None and not self.is_active[repeat, fold].all():
            matrix = np.ascontiguousarray(matrix[:, self.is_active[repeat, fold]])
        return matrix

    @cached_property
    def fill(self) -> Floats | None:
        """Fill values of missing cells, in the units of the matrix; None if none is missing.

        Shape (n_repeats, n_folds, n_columns).
        """
        columns = self.columns
        if columns.is_missing is None:
            return None
        fill = np.zeros((self.n_repeats, self.n_folds, columns.matrix.shape[1]))
        indices = columns.filled
        rules = np.array([columns.steps[index].fill for index in indices])
        is_nominal = np.array([columns.steps[index].is_nominal for index in indices])
        zero = -columns.center / columns.spread
        means = indices[(rules == "mean") & ~is_nominal]
        fill[..., means] = self._means_of_known(means, zero)
        levels = indices[is_nominal]
        fill[..., levels] = self._most_frequent_levels(levels)
        for index in indices[(rules != "mean") & ~is_nominal]:
            fill[..., index] = self._fill_by_sorting(int(index), zero[index])
        return fill

    def _means_of_known(self, indices: Ints, zero: Floats) -> Floats:
        """Return means of columns with missing values; zero where all are missing."""
        n_known = self._n_known[..., indices]
        means, squares = self._sums(self.columns.matrix[:, indices])
        means /= np.maximum(n_known, 1)
        squares /= np.maximum(n_known, 1)
        # The mean of a constant must equal its value exactly, so that it stays constant when
        # filled.
        which = np.nonzero((squares - means**2 < _LOST * squares) & (n_known > 0))
        if len(which[0]):
            cells = np.column_stack((which[0], which[1], indices[which[2]]))
            means[which] = self._two_passes(cells, np.full(len(cells), np.nan))[0]
        return np.where(n_known > 0, means, zero[indices])

    @cached_property
    def is_active(self) -> Bools | None:
        """Whether the pipeline outputs the column.

        It does not if the training part lacks the level, or the part of its dates is constant.
        Shape (n_repeats, n_folds, n_columns); None if all parts have all columns.
        """
        totals = self.columns.level_totals
        # A level with more rows than any fold occurs in all parts.
        largest = self.folds.shape[1] - int(self.n_train.min(initial=self.folds.shape[1]))
        rare = np.flatnonzero((totals >= 0) & (totals <= largest))
        dates = np.flatnonzero([bool(step.part) for step in self.columns.steps])
        if not len(rare) + len(dates):
            return None
        active = np.ones((self.n_repeats, self.n_folds, len(totals)), dtype=bool)
        active[..., rare] = self._sums(self.columns.matrix[:, rare])[0] > 0.5
        active[..., dates] = np.less(*self._extremes(dates))
        return None if active.all() else active

    @cached_property
    def scaling(self) -> Scaling | None:
        """How the columns are scaled; None if nothing is scaled."""
        columns = self.columns
        standard, ranged = columns.standardized, columns.ranged
        if not len(standard) + len(ranged):
            return None
        if len(standard) == columns.matrix.shape[1]:
            return self._standards(standard)
        shift = np.zeros((self.n_repeats, self.n_folds, columns.matrix.shape[1]))
        scale, is_constant = np.ones_like(shift), np.zeros(shift.shape, dtype=bool)
        if len(standard):
            shift[..., standard], scale[..., standard], is_constant[..., standard] = (
                self._standards(standard)
            )
        if len(ranged):
            lows, highs = self._extremes(ranged)
            widths = (highs - lows) * columns.spread[ranged]
            # scikit-learn's rule for what counts as constant
            is_constant[..., ranged] = widths < 10 * _EPS
            widths[widths < 10 * _EPS] = 1.0
            shift[..., ranged], scale[..., ranged] = lows, columns.spread[ranged] / widths
        return Scaling(shift, scale, is_constant)

    def _standards(self, indices: Ints) -> Scaling:
        """Return the scaling of centered or divided columns."""
        columns = self.columns
        means, variances = self._moments(indices)
        with np.errstate(divide="ignore"):
            scale = 1 / np.sqrt(variances)
        which, is_constant = np.nonzero(variances < _SMALL), np.zeros(scale.shape, dtype=bool)
        if len(which[0]):
            # By scikit-learn's rule, columns that vary less than their rounding errors are
            # constant.
            n_eps = self.n_train[which[:2]] * _EPS
            spread, center = columns.spread[indices][which[2]], columns.center[indices][which[2]]
            variance = variances[which] * spread**2
            bound = n_eps * variance + (n_eps * (center + spread * means[which])) ** 2
            is_constant[which] = variance <= bound
            scale[which] = np.where(is_constant[which], spread, scale[which])
        rules = [columns.steps[index].scale for index in indices]
        for number, (index, rule) in enumerate(zip(indices, rules, strict=True)):
            if rule == "center":
                scale[..., number] = columns.spread[index]
            elif rule == "deviation":
                means[..., number] = -columns.center[index] / columns.spread[index]
        return Scaling(means, scale, is_constant)

    def _moments(self, indices: Ints) -> tuple[Floats, Floats]:
        """Return means and variances (divisor n) of some columns, filled, in every part."""
        columns, fill = self.columns, self.fill
        is_whole = len(indices) == columns.matrix.shape[1]
        means, squares = self._sums(columns.matrix if is_whole else columns.matrix[:, indices])
        n_train = self.n_train[..., None]
        if fill is not None:
            gaps = np.flatnonzero(np.isin(indices, columns.filled))
            values = fill[..., indices[gaps]]
            n_missing = n_train - self._n_known[..., indices[gaps]]
            means[..., gaps] += n_missing * values
            squares[..., gaps] += n_missing * values**2
        means /= n_train
        squares /= n_train
        variances = squares - means * means
        squares *= _LOST
        squares += np.where(columns.varies, _SMALL, 0.0)[indices]
        which = np.nonzero(variances < squares)
        if len(which[0]):
            cells = np.column_stack((which[0], which[1], indices[which[2]]))
            fills = np.zeros(len(cells)) if fill is None else fill[tuple(cells.T)]
            means[which], variances[which] = self._two_passes(cells, fills)
        return means, variances

    def _two_passes(self, cells: Ints, fills: Floats) -> Floats:
        """Return mean and variance of each (repeat, fold, column), shape (2, n_cells)."""
        result = np.empty((2, len(cells)))
        for number, ((repeat, fold, index), fill) in enumerate(
            zip(cells.tolist(), fills.tolist(), strict=True)
        ):
            values = self.columns.by_columns[index, self.folds[repeat] != fold]
            values = np.where(np.isnan(values), fill, values)
            values = values[~np.isnan(values)]
            if values.min(initial=np.inf) == values.max(initial=-np.inf):
                result[:, number] = values[0], 0.0
            elif len(values):
                result[:, number] = values.mean(), values.var()
        return result

    def _extremes(self, indices: Ints) -> tuple[Floats, Floats]:
        """Return the smallest and largest values of some columns, filled, in every part."""
        matrix = self.columns.by_columns[indices]
        shape = (self.n_repeats, self.n_folds, len(indices))
        lows, highs = np.empty(shape), np.empty(shape)
        for repeat, fold in np.ndindex(shape[:2]):
            part = matrix[:, self.is_train(repeat, fold)]
            fill = np.zeros(len(indices)) if self.fill is None else self.fill[repeat, fold, indices]
            part = np.where(np.isnan(part), fill[:, None], part)
            lows[repeat, fold] = part.min(axis=1, initial=np.inf)
            highs[repeat, fold] = part.max(axis=1, initial=-np.inf)
        return lows, highs

    @cached_property
    def _n_known(self) -> Floats:
        """Rows of each part with a value, shape (n_repeats, n_folds, n_columns)."""
        columns = self.columns
        shape = (self.n_repeats, self.n_folds, columns.matrix.shape[1])
        n_known = np.broadcast_to(self.n_train[..., None].astype(np.float64), shape).copy()
        if columns.is_missing is not None:
            gaps = columns.is_missing[:, columns.filled].astype(np.float64)
            n_known[..., columns.filled] -= self._sums(gaps)[0]
        return n_known

    def _most_frequent_levels(self, indices: Ints) -> Floats:
        """Return 1 for the most frequent level of an attribute in each part, else 0."""
        sums = self._sums(self.columns.matrix[:, indices])[0]
        chosen = np.zeros(sums.shape)
        attribute = self.columns.attribute[indices]
        ends = np.flatnonzero(np.diff(attribute, append=-1)) + 1
        for start, end in zip([0, *ends[:-1]], ends, strict=False):
            best = start + sums[..., start:end].argmax(axis=-1)
            np.put_along_axis(chosen, best[..., None], 1.0, axis=-1)
        return chosen

    def _fill_by_sorting(self, column_index: int, zero: float) -> Floats:
        """Return the median or the most frequent value of one column in every part."""
        values = self.columns.by_columns[column_index]
        fill = np.empty((self.n_repeats, self.n_folds))
        for repeat, fold in np.ndindex(fill.shape):
            part = values[self.is_train(repeat, fold) & ~np.isnan(values)]
            if not len(part):
                fill[repeat, fold] = zero
            elif self.columns.steps[column_index].fill == "median":
                fill[repeat, fold] = np.median(part)
            else:
                distinct, counts = np.unique(part, return_counts=True)
                fill[repeat, fold] = distinct[counts.argmax()]
        return fill

    def _sums(self, matrix: Floats) -> Floats:
        """Return sums of values and of squares in every part.

        Shape (2, n_repeats, n_folds, n_columns).
        """
        from bestofk.batched._moments import add_rows

        shape = (self.n_repeats, self.n_folds, matrix.shape[1])
        inside = np.zeros((2, shape[0] * shape[1], shape[2]))
        rows = np.tile(np.arange(len(matrix)), shape[0])
        parts = (self.folds + self.n_folds * np.arange(shape[0])[:, None]).ravel()
        matrix = np.ascontiguousarray(matrix)
        add_rows(matrix, rows, parts, np.zeros(inside.shape[1:]), inside[0], inside[1])
        # sums of the other folds are added, because subtracting from the total would lose digits
        result = np.zeros((2, *shape))
        by_fold, before, after = inside.reshape(2, *shape), *np.zeros((2, 2, shape[0], shape[2]))
        for fold in range(self.n_folds):
            result[:, :, fold] += before
            before += by_fold[:, :, fold]
        for fold in range(self.n_folds - 1, -1, -1):
            result[:, :, fold] += after
            after += by_fold[:, :, fold]
        return result


def class_counts(y: Values, n_classes: int, folds: Folds, n_folds: int) -> Ints:
    """Return the rows of each class in each part, shape (n_repeats, n_folds, n_classes)."""
    inside = _counts(folds * n_classes + y, n_folds * n_classes)
    return np.bincount(y, minlength=n_classes) - inside.reshape(len(folds), n_folds, n_classes)


def _counts(cells: NDArray[np.integer], size: int) -> Ints:
    """Count how often each number occurs in every row, shape (n_rows, size)."""
    offsets = np.arange(len(cells))[:, None] * size
    counts = np.bincount((cells + offsets).ravel(), minlength=len(cells) * size)
    return counts.reshape(len(cells), size).astype(np.int64)
