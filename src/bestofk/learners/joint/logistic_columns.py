"""What do training parts share of the columns, and in what do they differ."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from bestofk.learners.joint.parts import Parts
from bestofk.learners.joint.shared_table import SharedTable


@dataclass(frozen=True, eq=False)
class PartColumns:
    """The columns of the parts of one repeat.

    A row of part f is ``X[:, :n] + X[:, n:] * gap_fill[f]``, added to the columns `gaps`: where
    a value is missing, parts differ in what they fill in.

    Parameters
    ----------
    X : ndarray of shape (n_samples, n_columns + n_gaps), float64
        All rows; the last of the n_columns is the intercept's. Then 1 where a value is missing.
    ridge : ndarray of shape (n_parts, n_columns), float64
        Penalty weights of each part.
    gaps : ndarray of shape (n_gaps,), int64
        Columns that parts fill differently.
    gap_fill : ndarray of shape (n_parts, n_gaps), float64
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
        W : ndarray of shape (n_parts, n_scores, n_columns), float64

        Returns
        -------
        ndarray of shape (n_parts, n_scores, n_columns + n_gaps), float64
        """
        if not len(self.gaps):
            return W
        return np.concatenate([W, W[..., self.gaps] * self.gap_fill[:, None, :]], axis=2)

    def narrowed(self, gradient: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the gradient by coefficients of the columns of parts, from that by those of X."""
        if not len(self.gaps):
            return gradient
        n_columns = self.ridge.shape[1]
        narrow = gradient[..., :n_columns].copy()
        narrow[..., self.gaps] += gradient[..., n_columns:] * self.gap_fill[:, None, :]
        return narrow

    def of(self, parts: NDArray[np.int64]) -> PartColumns:
        """Return the columns of some of the parts."""
        return PartColumns(self.X, self.ridge[parts], self.gaps, self.gap_fill[parts])


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
        encoded = table.encoded
        self._encoded, self._C = encoded, C
        matrix = encoded.matrix
        every_nth = (np.arange(table.n_samples) % n_folds).astype(np.int32)
        parts = table.parts(every_nth[None, :], n_folds)
        self._fill = None if parts.fill is None else parts.fill[0].mean(axis=0)
        is_number = np.array([not step.is_nominal for step in encoded.steps], dtype=bool)
        if self._fill is not None and encoded.is_missing is not None:
            self._fill = np.where(is_number, self._fill, np.rint(self._fill))
            matrix = matrix.copy()
            rows, places = np.nonzero(encoded.is_missing)
            matrix[rows, places] = self._fill[places]
        with np.errstate(over="ignore", invalid="ignore"):
            center = np.where(is_number, matrix.mean(axis=0), 0.0)
            spread = np.where(is_number, matrix.std(axis=0), 1.0)
        self._spread = np.where(spread > 0, spread, 1.0)
        ones = np.ones((len(matrix), 1))
        self.X = np.hstack([(matrix - center) / self._spread, ones])
        self._usual = np.ones(matrix.shape[1])
        if parts.scale is not None:
            known = parts.scale[0] != encoded.spread
            weights = np.where(known, parts.scale[0], 1.0) ** -2.0
            means = (weights * known).sum(axis=0) / np.maximum(known.sum(axis=0), 1)
            self._usual = np.where(known.any(axis=0), means, encoded.spread**-2.0)
        self.ridge = self._penalty(self._usual[None, :])[0]

    def of_parts(self, parts: Parts, repeat: int, members: NDArray[np.int64]) -> PartColumns:
        """Return the columns of some parts of a repeat."""
        if parts.scale is None:
            ridge = np.tile(self.ridge, (len(members), 1))
        else:
            scale = parts.scale[repeat, members]
            # A column that is constant in a part gets coefficient 0 with any penalty.
            is_constant = scale == self._encoded.spread
            weights = np.where(is_constant, self._usual, np.where(is_constant, 1, scale) ** -2.0)
            ridge = self._penalty(weights)
        gaps, gap_fill = np.empty(0, dtype=np.int64), np.empty((len(members), 0))
        X, missing = self.X, self._encoded.is_missing
        if missing is not None and parts.fill is not None:
            more = (parts.fill[repeat, members] - self._fill) / self._spread
            gaps = np.flatnonzero((more != 0).any(axis=0))
            gap_fill = more[:, gaps]
            X = np.hstack([X, missing[:, gaps]])
        return PartColumns(X, ridge, gaps, gap_fill)

    def _penalty(self, weights: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return penalty weights in the units of X, and 0 for the intercept."""
        return np.pad(weights / (self._C * self._spread**2), ((0, 0), (0, 1)))
