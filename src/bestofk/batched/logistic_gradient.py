"""Gradients of the log loss of many training parts at once."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from bestofk.batched.logistic_columns import PartColumns

# Scores that are computed at once: some arrays of that size fit the second cache of a core.
BLOCK = 1 << 15
# Up to that many parts share so few rows that rows are taken fold by fold, if they are many.
_FEW_PARTS, _MANY_NUMBERS = 4, 1 << 17


@dataclass(frozen=True, eq=False)
class _Block:
    """Rows that are multiplied at once.

    `X_turned` is ``X.T`` in C order: products with it are up to three times as fast as with X.
    `is_train` of shape (n_repeats, n_parts, n_rows) holds 1 where a row trains; None: every row
    trains all of `parts`, a mask of shape (n_parts,); None: all.
    """

    X_turned: NDArray[np.float64]
    target: NDArray[np.float64]
    is_train: NDArray[np.float64] | None = None
    parts: NDArray[np.bool_] | None = None


class PartGradients:
    """Gradients of the penalized log loss over training parts of the same rows.

    The loss of a part is
    ``weight * sum over its rows of log loss + sum(ridge[part] * W[part]**2) / 2``.

    Parameters
    ----------
    columns : PartColumns
        All rows, and what parts make of them.
    target : ndarray of shape (n_scores, n_samples), float64
        1 for the class of a row, else 0. One row of it for two classes: that of the second.
    folds : ndarray of shape (n_repeats, n_samples), int32, or None
        A part trains on the rows of other folds than its own. None: on all rows.
    weight : float, default=1
        Weight of the rows.
    """

    def __init__(
        self,
        columns: PartColumns,
        target: NDArray[np.float64],
        folds: NDArray[np.int32] | None = None,
        weight: float = 1.0,
    ) -> None:
        self._columns, self._weight, self._n_scores = columns, weight, len(target)
        n_parts = columns.ridge.shape[1]
        if folds is None:
            self._blocks = _blocks_together(columns.X, target, None, n_parts)
        elif are_apart(columns.X.size, n_parts):
            self._blocks = _blocks_apart(columns.X, target, folds[0], n_parts)
        else:
            is_train = (folds[:, None, :] != np.arange(n_parts)[:, None]).astype(np.float64)
            self._blocks = _blocks_together(columns.X, target, is_train, n_parts)

    def of(self, repeats: NDArray[np.bool_], parts: NDArray[np.bool_]) -> PartGradients:
        """Return the gradients of some repeats and parts alone, by masks."""
        some = PartGradients.__new__(PartGradients)
        some._weight, some._n_scores = self._weight, self._n_scores
        some._columns = self._columns.of(repeats, parts)
        some._blocks = [
            _Block(
                block.X_turned,
                block.target,
                None if block.is_train is None else block.is_train[repeats][:, parts],
                None if block.parts is None else block.parts[parts],
            )
            for block in self._blocks
        ]
        return some

    def __call__(self, W: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the gradients at the coefficients of all parts.

        Parameters
        ----------
        W : ndarray of shape (n_repeats, n_parts, n_scores * n_columns), float64
            Coefficients, those of one score after those of another.

        Returns
        -------
        ndarray of the shape of W, float64
        """
        coefficients = W.reshape(*W.shape[:2], self._n_scores, -1)
        wide = self._columns.widened(coefficients)
        total = self._of_block(self._blocks[0], wide)
        for block in self._blocks[1:]:
            total += self._of_block(block, wide)
        gradient = self._columns.narrowed(total)
        if self._weight != 1:
            gradient *= self._weight
        gradient += self._columns.ridge[:, :, None, :] * coefficients
        return gradient.reshape(W.shape)

    def _of_block(self, block: _Block, wide: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the gradients over some rows, without penalties."""
        if block.parts is None:
            return _of_rows(block, wide)
        gradient = np.zeros_like(wide)
        if block.parts.any():
            gradient[:, block.parts] = _of_rows(block, wide[:, block.parts])
        return gradient


def are_apart(n_numbers: int, n_parts: int) -> bool:
    """Return whether the rows of each fold are taken by themselves: without others' rows."""
    return n_parts <= _FEW_PARTS and n_numbers > _MANY_NUMBERS


def _of_rows(block: _Block, wide: NDArray[np.float64]) -> NDArray[np.float64]:
    n_repeats, n_parts, n_scores, n_columns = wide.shape
    # One product per repeat: its size, and so its rounding, is the same in every block.
    scores = np.matmul(wide.reshape(n_repeats, n_parts * n_scores, n_columns), block.X_turned)
    residuals = probabilities_of(scores.reshape(n_repeats * n_parts, n_scores, -1))
    residuals -= block.target
    residuals = residuals.reshape(n_repeats, n_parts, n_scores, -1)
    if block.is_train is not None:
        residuals *= block.is_train[:, :, None, :]
    gradient: NDArray[np.float64] = np.matmul(residuals.reshape(scores.shape), block.X_turned.T)
    return gradient.reshape(wide.shape)


def probabilities_of(scores: NDArray[np.float64]) -> NDArray[np.float64]:
    """Turn scores into probabilities, in place.

    Parameters
    ----------
    scores : ndarray of shape (n_parts, n_scores, n_samples), float64
        One score per row: log odds of the second class. More: one per class, up to a constant.

    Returns
    -------
    ndarray of the same shape, float64
        The scores, overwritten: of the second class, or of all.
    """
    if scores.shape[1] == 1:
        np.negative(scores, out=scores)
        np.exp(scores, out=scores)
        scores += 1.0
        return np.reciprocal(scores, out=scores)
    scores -= scores.max(axis=1, keepdims=True)
    np.exp(scores, out=scores)
    scores /= scores.sum(axis=1, keepdims=True)
    return scores


def _blocks_together(
    X: NDArray[np.float64],
    target: NDArray[np.float64],
    is_train: NDArray[np.float64] | None,
    n_parts: int,
) -> list[_Block]:
    """Return blocks of rows, each for all parts: rows that do not train count 0."""
    size = max(BLOCK // (n_parts * len(target)), 64)
    blocks = []
    for start in range(0, len(X), size):
        rows = slice(start, start + size)
        trains = None if is_train is None else is_train[..., rows]
        blocks.append(_Block(_turned(X[rows]), target[:, rows], trains))
    return blocks


def _blocks_apart(
    X: NDArray[np.float64],
    target: NDArray[np.float64],
    folds: NDArray[np.int32],
    n_parts: int,
) -> list[_Block]:
    """Return blocks of rows of one fold each, for the parts that these rows train."""
    size = max(BLOCK // len(target), 64)
    blocks = []
    for fold in range(n_parts):
        rows, others = np.flatnonzero(folds == fold), np.arange(n_parts) != fold
        for start in range(0, len(rows), size):
            chosen = rows[start : start + size]
            those = np.ascontiguousarray(target[:, chosen])
            blocks.append(_Block(_turned(X[chosen]), those, parts=others))
    return blocks


def _turned(X: NDArray[np.float64]) -> NDArray[np.float64]:
    return np.ascontiguousarray(X.T)
