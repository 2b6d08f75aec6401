"""Which way is down, for the log loss of many training parts at once."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from bestofk.learners.joint.logistic_columns import PartColumns

# Numbers of a block of scores: some blocks of that size fit the second cache of a core.
_BLOCK = 1 << 15
# Parts that share so few rows are taken rows by rows, if these are many.
_FEW_PARTS, _MANY_NUMBERS = 4, 1 << 17


@dataclass(frozen=True, eq=False)
class _Block:
    """Rows that are multiplied at once.

    `is_train` of shape (n_parts, n_rows) holds 1 where a row trains; None: every row trains
    all of `parts`. `parts` None: all.
    """

    X: NDArray[np.float64]
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
    folds : ndarray of shape (n_samples,), int32, or None
        Part i trains on the rows of other folds than ``members[i]``. None: on all rows.
    members : ndarray of shape (n_parts,), int64, or None
        None: parts are numbered as folds are.
    weight : float, default=1
        Weight of the rows.
    """

    def __init__(
        self,
        columns: PartColumns,
        target: NDArray[np.float64],
        folds: NDArray[np.int32] | None = None,
        members: NDArray[np.int64] | None = None,
        weight: float = 1.0,
    ) -> None:
        self._columns, self._weight, self._n_scores = columns, weight, len(target)
        n_parts, X = len(columns.ridge), columns.X
        if folds is None or members is None:
            self._blocks = _blocks_together(X, target, None, n_parts)
        elif n_parts <= _FEW_PARTS and X.size > _MANY_NUMBERS:
            self._blocks = _blocks_apart(X, target, folds, members)
        else:
            is_train = (folds != members[:, None]).astype(np.float64)
            self._blocks = _blocks_together(X, target, is_train, n_parts)

    def __call__(
        self, W: NDArray[np.float64], parts: NDArray[np.int64] | None = None
    ) -> NDArray[np.float64]:
        """Return the gradients at the coefficients of some parts.

        Parameters
        ----------
        W : ndarray of shape (n_parts, n_scores * n_columns), float64
            Coefficients, those of one score after those of another.
        parts : ndarray of int64 or None
            Positions of these parts; None: all.

        Returns
        -------
        ndarray of the shape of W, float64
        """
        columns = self._columns if parts is None else self._columns.of(parts)
        coefficients = W.reshape(len(W), self._n_scores, -1)
        wide = columns.widened(coefficients)
        total = self._of_block(self._blocks[0], wide, parts)
        for block in self._blocks[1:]:
            total += self._of_block(block, wide, parts)
        gradient = columns.narrowed(total)
        if self._weight != 1:
            gradient *= self._weight
        gradient += columns.ridge[:, None, :] * coefficients
        return gradient.reshape(W.shape)

    def _of_block(
        self, block: _Block, wide: NDArray[np.float64], parts: NDArray[np.int64] | None
    ) -> NDArray[np.float64]:
        """Return the gradients over some rows, without penalties."""
        if block.parts is None:
            return self._of_rows(block, wide, parts)
        gradient = np.zeros_like(wide)
        chosen = block.parts if parts is None else block.parts[parts]
        if chosen.any():
            gradient[chosen] = self._of_rows(block, wide[chosen], parts)
        return gradient

    def _of_rows(
        self, block: _Block, wide: NDArray[np.float64], parts: NDArray[np.int64] | None
    ) -> NDArray[np.float64]:
        n_parts, n_scores, n_columns = wide.shape
        scores = (wide.reshape(-1, n_columns) @ block.X.T).reshape(n_parts, n_scores, -1)
        residuals = probabilities_of(scores)
        residuals -= block.target
        if block.is_train is not None:
            residuals *= (block.is_train if parts is None else block.is_train[parts])[:, None, :]
        gradient: NDArray[np.float64] = residuals.reshape(n_parts * n_scores, -1) @ block.X
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
        with np.errstate(over="ignore"):
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
    size = max(_BLOCK // (n_parts * len(target)), 64)
    blocks = []
    for start in range(0, len(X), size):
        rows = slice(start, start + size)
        trains = None if is_train is None else is_train[:, rows]
        blocks.append(_Block(X[rows], target[:, rows], trains))
    return blocks


def _blocks_apart(
    X: NDArray[np.float64],
    target: NDArray[np.float64],
    folds: NDArray[np.int32],
    members: NDArray[np.int64],
) -> list[_Block]:
    """Return blocks of rows of one fold each, for the parts that these rows train."""
    size = max(_BLOCK // len(target), 64)
    blocks = []
    for fold in range(int(folds.max()) + 1):
        rows, others = np.flatnonzero(folds == fold), members != fold
        for start in range(0, len(rows), size):
            chosen = rows[start : start + size]
            blocks.append(_Block(X[chosen], target[:, chosen], parts=others))
    return blocks
