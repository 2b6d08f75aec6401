"""Columns for logistic regression: what training parts share, and in what they differ."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from bestofk.batched.parts import Parts
from bestofk.batched.shared_table import SharedTable


@dataclass(frozen=True, eq=False)
class PartColumns:
    """The columns of all parts of some repeats.

    Where values are missing, parts differ in what they fill in: a part adds
    ``X[:, n_columns:] * gap_fill[part]`` to the columns `gaps`.

    Parameters
    ----------
    X : ndarray of shape (n_samples, n_columns + n_gaps), float64
        All rows; the last of the n_columns is the intercept's. Then 1 where a value is missing.
    ridge : ndarray of shape (n_repeats, n_parts, n_columns), float64
        Penalty weights of each part.
    gaps : ndarray of shape (n_gaps,), int64
        Columns that parts fill differently.
    gap_fill : ndarray of shape (n_repeats, n_parts, n_gaps), float64
        How much more than in X a part fills in.
    """

    X: NDArray[np.float64]
    ridge: NDArray[np.float64]
    gaps: NDArray[np.int64]
    gap_fill: NDArray[np.float64]

    def widened(self, W: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return coefficients of X as it is, from those of the columns of parts.

        Parameters
        ----------
        W : ndarray of shape (n_repeats, n_parts, n_scores, n_columns), float64
            Coefficients.

        Returns
        -------
        ndarray of shape (n_repeats, n_parts, n_scores, n_columns + n_gaps), float64
        """
        if not len(self.gaps):
            return W
        return np.concatenate([W, W[..., self.gaps] * self.gap_fill[:, :, None, :]], axis=3)

    def narrowed(self, gradient: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the gradient by coefficients of parts, from that by those of X as it is."""
        if not len(self.gaps):
            return gradient
        n_columns = self.ridge.shape[2]
        narrow = gradient[..., :n_columns].copy()
        narrow[..., self.gaps] += gradient[..., n_columns:] * self.gap_fill[:, :, None, :]
        return narrow

    def of(self, repeats: NDArray[np.bool_], parts: NDArray[np.bool_]) -> PartColumns:
        """Return the columns of some of the repeats and parts, by masks."""
        ridge, gap_fill = self.ridge[repeats][:, parts], self.gap_fill[repeats][:, parts]
        return PartColumns(self.X, ridge, self.gaps, gap_fill)


class LogisticColumns:
    """The columns of a table in units that suit all parts.

    Standardizing within a part is a change of units: the same coefficients result from the
    shared units if the penalty of each is multiplied by the square of the part's unit; the
    shift is the intercept's affair.

    Parameters
    ----------
    table : SharedTable
        The data.
    n_folds : int
        Folds of every repeat.
    C : float
        Inverse strength of the penalty.

    Attributes
    ----------
    X : ndarray of shape (n_samples, n_columns + 1), float64
        All rows, missing values filled as parts do on average; the last column is 1.
    ridge : ndarray of shape (n_columns + 1,), float64
        Penalty weights as they are for parts on average; 0 for the intercept.
    """

    def __init__(self, table: SharedTable, n_folds: int, C: float) -> None:
        self._encoded, self._C = table.encoded, C
        is_number = np.array([not step.is_nominal for step in self._encoded.steps], dtype=bool)
        every_nth = (np.arange(table.n_samples) % n_folds).astype(np.int32)
        parts = table.parts(every_nth[None, :], n_folds)
        matrix, missing = self._encoded.matrix, self._encoded.is_missing
        self._fill = np.zeros(matrix.shape[1])
        self._gaps = np.empty(0, dtype=np.int64)
        if missing is not None and parts.fill is not None:
            means = parts.fill[0].mean(axis=0)
            self._fill = np.where(is_number, means, np.rint(means))
            matrix = np.where(missing, self._fill, matrix)
            may_change = is_number | self._is_close_run(n_folds)
            self._gaps = np.flatnonzero(missing.any(axis=0) & may_change)
        center = np.where(is_number, matrix.mean(axis=0), 0.0)
        self._spread = np.where(is_number, matrix.std(axis=0), 1.0)
        self._spread[self._spread == 0] = 1.0
        self.X = np.hstack([(matrix - center) / self._spread, np.ones((len(matrix), 1))])
        self._wide = self._widened(self._gaps)
        self._usual = self._usual_weights(parts)
        self.ridge = self._penalty(self._usual)

    def _is_close_run(self, n_folds: int) -> NDArray[np.bool_]:
        """Return which levels belong to columns whose most frequent level parts differ in.

        Which of two levels is the more frequent is a matter of chance if the rows left out may
        well, by six standard deviations, change it.
        """
        attribute, totals = self._encoded.attribute, self._encoded.matrix.sum(axis=0)
        is_close = np.zeros(len(attribute), dtype=bool)
        for item in {attribute[index] for index, step in enumerate(self._encoded.steps)
                    if step.is_nominal}:  # fmt: skip
            indices = np.flatnonzero(attribute == item)
            second, first = np.pad(np.sort(totals[indices]), (2, 0))[-2:]
            spread = np.sqrt((first + second) / n_folds)
            is_close[indices] = (first - second) * np.sqrt(1 - 1 / n_folds) < 6 * spread
        return is_close

    @property
    def has_gaps(self) -> bool:
        """True if values are missing, which parts may fill differently."""
        return self._encoded.is_missing is not None

    def is_usual(self, parts: Parts) -> NDArray[np.bool_]:
        """Return of each repeat whether all parts fill the usual level into nominal columns."""
        if parts.fill is None:
            return np.ones(parts.n_repeats, dtype=bool)
        differs = (parts.fill != self._fill).any(axis=1)
        differs[:, self._gaps] = False
        is_usual: NDArray[np.bool_] = ~np.any(differs, axis=1)
        return is_usual

    def of_parts(self, parts: Parts, repeats: NDArray[np.int64]) -> PartColumns:
        """Return the columns of all parts of usual repeats, or of one unusual."""
        scale = parts.scale
        if scale is None:
            ridge = np.broadcast_to(self.ridge, (len(repeats), parts.n_folds, len(self.ridge)))
        else:
            ridge = self._penalty(self._weights(scale[repeats]))
        gaps, wide = self._gaps, self._wide
        if parts.fill is None:
            return PartColumns(wide, ridge, gaps, np.empty((*ridge.shape[:2], 0)))
        more = (parts.fill[repeats] - self._fill) / self._spread
        result = np.flatnonzero((more != 0).any(axis=(0, 1)))
        if not np.isin(result, gaps).all():
            gaps = result
            wide = self._widened(gaps)
        return PartColumns(wide, ridge, gaps, more[..., gaps])

    def _widened(self, gaps: NDArray[np.int64]) -> NDArray[np.float64]:
        missing = self._encoded.is_missing
        return self.X if missing is None else np.hstack([self.X, missing[:, gaps]])

    def _usual_weights(self, parts: Parts) -> NDArray[np.float64]:
        """Return the penalty weights of columns that are not constant, averaged over parts."""
        if parts.scale is None:
            return np.ones(len(self._spread))
        is_known = parts.scale[0] != self._encoded.spread
        weights = np.where(is_known, np.where(is_known, parts.scale[0], 1.0) ** -2.0, 0.0)
        means: NDArray[np.float64] = weights.sum(axis=0) / np.maximum(is_known.sum(axis=0), 1)
        return np.where(is_known.any(axis=0), means, self._encoded.spread**-2.0)

    def _weights(self, scale: NDArray[np.float64]) -> NDArray[np.float64]:
        # A column that is constant in a part has the scale of the table's units, and gets the
        # coefficient 0 with any penalty.
        is_constant = scale == self._encoded.spread
        return np.where(is_constant, self._usual, np.where(is_constant, 1.0, scale) ** -2.0)

    def _penalty(self, weights: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return penalty weights in the units of X, and 0 for the intercept."""
        penalty = np.zeros((*weights.shape[:-1], weights.shape[-1] + 1))
        penalty[..., :-1] = weights / (self._C * self._spread**2)
        return penalty
