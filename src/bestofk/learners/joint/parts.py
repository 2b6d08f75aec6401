"""What does the preparation learn from every training part, computed for all parts at once."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from bestofk.learners.joint.shared_table import EncodedColumns

# A variance this small beside that of all rows has lost its digits: it is computed again.
_LOST = 1e-8


class Parts:
    """The training parts of some repeats: all rows but those of one fold.

    What a pipeline would hand to its learner, trained on part (r, f), is for every row
    ``(matrix with missing cells filled by fill[r, f] - shift[r, f]) * scale[r, f]`` without
    the columns where ``is_active[r, f]`` is False.

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

    Attributes
    ----------
    fill : ndarray of shape (n_repeats, n_folds, n_columns) or None
        What missing cells become, in the units of the matrix; None where none is missing.
    shift, scale : ndarray of shape (n_repeats, n_folds, n_columns), or None
        What scaling does; both None where nothing is scaled.
    is_active : ndarray of shape (n_repeats, n_folds, n_columns), bool, or None
        Whether the pipeline puts the column out: levels that a part lacks have none. None
        where all parts have all.
    """

    def __init__(
        self,
        columns: EncodedColumns,
        y: NDArray[Any],
        n_classes: int,
        folds: NDArray[np.int32],
        n_folds: int,
    ) -> None:
        self.columns, self.y, self.n_classes = columns, y, n_classes
        self.folds, self.n_folds = folds, n_folds
        self._learn()

    @property
    def n_repeats(self) -> int:
        """Number of repeats."""
        return len(self.folds)

    @cached_property
    def n_train(self) -> NDArray[np.int64]:
        """Rows of each part, shape (n_repeats, n_folds)."""
        n_train: NDArray[np.int64] = self.folds.shape[1] - _counts(self.folds, self.n_folds)
        return n_train

    @cached_property
    def class_counts(self) -> NDArray[np.int64]:
        """Rows of each class in each part, shape (n_repeats, n_folds, n_classes)."""
        return class_counts(self.y, self.n_classes, self.folds, self.n_folds)

    def is_train(self, repeat: int, fold: int) -> NDArray[np.bool_]:
        """Return which rows train, shape (n_samples,)."""
        return np.asarray(self.folds[repeat] != fold)

    def matrix(self, repeat: int, fold: int) -> NDArray[np.float64]:
        """Return all rows as the pipeline fitted to a part puts them out.

        Returns
        -------
        ndarray of shape (n_samples, n_active_columns), float64
            A new array; training and test rows.
        """
        matrix = self.columns.matrix.copy()
        missing = self.columns.is_missing
        if missing is not None and self.fill is not None:
            rows, places = np.nonzero(missing)
            matrix[rows, places] = self.fill[repeat, fold, places]
        if self.shift is not None and self.scale is not None:
            matrix -= self.shift[repeat, fold]
            matrix *= self.scale[repeat, fold]
        if self.is_active is not None and not self.is_active[repeat, fold].all():
            matrix = np.ascontiguousarray(matrix[:, self.is_active[repeat, fold]])
        return matrix

    def _learn(self) -> None:
        columns = self.columns
        shape = (self.n_repeats, self.n_folds, columns.matrix.shape[1])
        self.fill: NDArray[np.float64] | None = None
        self.shift: NDArray[np.float64] | None = None
        self.scale: NDArray[np.float64] | None = None
        self.is_active: NDArray[np.bool_] | None = None
        is_scaled = np.array([step.scale is not None for step in columns.steps], dtype=bool)
        is_nominal = np.array([step.is_nominal for step in columns.steps], dtype=bool)
        has_missing = columns.is_missing is not None
        if not (is_scaled.any() or is_nominal.any() or has_missing):
            return
        known = None if columns.is_missing is None else ~columns.is_missing
        sums = self._sums(columns.matrix)
        n_known = (
            np.broadcast_to(self.n_train[..., None], shape).astype(float)
            if known is None
            else self._sums(known.astype(float))
        )
        means = sums / np.maximum(n_known, 1)
        if has_missing:
            self.fill = np.where(is_nominal, self._most_frequent(sums), means)
        if is_nominal.any():
            active = ~is_nominal | (sums > 0.5)
            self.is_active = None if active.all() else active
        if is_scaled.any():
            self._learn_scales(is_scaled, means)

    def _learn_scales(self, is_scaled: NDArray[np.bool_], means: NDArray[np.float64]) -> None:
        columns = self.columns
        known = 1.0 if columns.is_missing is None else ~columns.is_missing
        squares = self._sums(columns.matrix**2 * known)
        n_known = (
            self.n_train[..., None].astype(float)
            if columns.is_missing is None
            else self._sums(np.asarray(known, dtype=float))
        )
        variances = np.maximum(squares - n_known * means**2, 0) / self.n_train[..., None]
        for repeat, fold, place in np.argwhere((variances < _LOST) & is_scaled):
            rows = self.is_train(repeat, fold)
            if columns.is_missing is not None:
                rows = rows & ~columns.is_missing[:, place]
            values = columns.matrix[rows, place]
            is_constant = len(values) == 0 or values.min() == values.max()
            if is_constant and len(values):
                means[repeat, fold, place] = values[0]
            n_train = self.n_train[repeat, fold]
            variances[repeat, fold, place] = (
                0.0 if is_constant else ((values - values.mean()) ** 2).sum() / n_train
            )
        deviations = np.sqrt(variances)
        is_constant = deviations == 0
        scale = np.where(is_constant, columns.spread, 1 / np.where(is_constant, 1, deviations))
        self.shift = np.where(is_scaled, means, 0.0)
        self.scale = np.where(is_scaled, scale, 1.0)

    def _most_frequent(self, sums: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return 1 for the level that most rows of a part have, within its attribute, else 0."""
        chosen = np.zeros(sums.shape)
        attribute = self.columns.attribute
        for one in np.unique(attribute):
            places = np.flatnonzero(attribute == one)
            best = places[sums[..., places].argmax(axis=-1)]
            np.put_along_axis(chosen, best[..., None], 1.0, axis=-1)
        return chosen

    def _sums(self, matrix: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the column sums of every part, shape (n_repeats, n_folds, n_columns)."""
        total = matrix.sum(axis=0)
        sums = np.empty((self.n_repeats, self.n_folds, matrix.shape[1]))
        numbers = np.arange(self.n_folds)[:, None]
        for repeat, folds in enumerate(self.folds):
            sums[repeat] = total - (folds == numbers).astype(float) @ matrix
        return sums


def class_counts(
    y: NDArray[Any], n_classes: int, folds: NDArray[np.int32], n_folds: int
) -> NDArray[np.int64]:
    """Return the rows of each class in each part, shape (n_repeats, n_folds, n_classes)."""
    inside = _counts(folds * n_classes + y, n_folds * n_classes)
    return np.bincount(y, minlength=n_classes) - inside.reshape(len(folds), n_folds, n_classes)


def _counts(cells: NDArray[np.integer], size: int) -> NDArray[np.int64]:
    """Count how often each number occurs in every row, shape (n_rows, size)."""
    offsets = np.arange(len(cells))[:, None] * size
    counts = np.bincount((cells + offsets).ravel(), minlength=len(cells) * size)
    return counts.reshape(len(cells), size).astype(np.int64)
