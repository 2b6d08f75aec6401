"""Optima of logistic regression on all parts of a repeat, by compiled loops over tiles of rows."""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray

from bestofk.batched.lines import zeros_in_lines
from bestofk.batched.logistic_gradient import probabilities_of
from bestofk.batched.logistic_reference import Reference

# Rows of a tile, and sums of every column, as the loops have them.
_TILE: Final = 128
_SUMS: Final = 32
# Columns that the loops take at once.
_COLUMNS: Final = 4


class TiledOptima:
    """The way of `Descent` down for every part by itself, where columns are the same for all.

    Parameters
    ----------
    X : ndarray of shape (n_samples, n_columns), float64
        All rows; the last column is the intercept's.
    target : ndarray of shape (n_scores, n_samples), float64
        As in `PartGradients`.
    reference : Reference
        Where parts start, and how curved their losses are.
    tolerance, max_steps
        As in `Descent`.
    """

    def __init__(
        self,
        X: NDArray[np.float64],
        target: NDArray[np.float64],
        reference: Reference,
        tolerance: float,
        max_steps: int,
    ) -> None:
        n_scores, n_columns = len(target), X.shape[1]
        self._width = -(-n_columns // _COLUMNS) * _COLUMNS
        size = n_scores * self._width
        self._X = np.zeros((self._width, len(X)))
        self._X[:n_columns] = X.T
        self._target, self._limits = np.ascontiguousarray(target), (tolerance, max_steps)
        optimum = reference.optimum.reshape(n_scores, n_columns)
        errors = probabilities_of((optimum @ X.T)[None])[0] - target
        inverse = reference.inverse.reshape(n_scores, n_columns, n_scores, n_columns)
        wide = np.zeros((n_scores, self._width, n_scores, self._width))
        wide[:, :n_columns, :, :n_columns] = inverse
        self._start = (
            self._widened(optimum).ravel(),
            self._widened(errors @ X).ravel(),
            wide.reshape(size, size),
        )

    def find(
        self, folds: NDArray[np.int32], ridge: NDArray[np.float64], is_wanted: NDArray[np.bool_]
    ) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
        """Return the scores of all rows, by the model that was not trained on them, and is_done.

        Parameters
        ----------
        folds : ndarray of shape (n_repeats, n_samples), int32
            The fold that tests each row.
        ridge : ndarray of shape (n_repeats, n_folds, n_columns), float64
            Penalty weights of each part.
        is_wanted : ndarray of shape (n_repeats, n_folds), bool
            The others are not looked at.

        Returns
        -------
        scores : ndarray of shape (n_repeats, n_scores, n_samples), float64
            Those of parts that are not wanted are 0.
        is_done : ndarray of shape (n_repeats, n_folds), bool
            Whether the optimum was found.
        """
        from bestofk.batched._logistic_kernels import _find_optima, _lay_out

        n_scores, n_rows = self._target.shape
        size, n_tiles = len(self._start[0]), -(-n_rows // _TILE)
        tiles = zeros_in_lines(n_tiles, self._width + n_scores, _TILE)
        room = (
            tiles, zeros_in_lines(6, size), zeros_in_lines(size, size),
            zeros_in_lines(n_scores + 2, _TILE), zeros_in_lines(size, _SUMS),
        )  # fmt: skip
        scores = np.zeros((len(folds), n_scores, n_rows))
        is_done, ridge = is_wanted.copy(), self._widened(ridge)
        # numbers of one byte are sorted by radix
        small = folds.astype(np.uint8) if is_done.shape[1] <= 256 else folds
        for repeat, order in enumerate(np.argsort(small, axis=1, kind="stable")):
            bounds = np.searchsorted(folds[repeat, order], np.arange(is_done.shape[1] + 1))
            _lay_out(self._X, self._target, order, tiles)
            _find_optima(
                self._start, room, order, bounds, ridge[repeat], self._limits,
                scores[repeat], is_done[repeat],
            )  # fmt: skip
        return scores, is_done

    def _widened(self, values: NDArray[np.float64]) -> NDArray[np.float64]:
        wide = np.zeros((*values.shape[:-1], self._width))
        wide[..., : values.shape[-1]] = values
        return wide
