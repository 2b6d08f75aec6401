"""Linear support vector machines of two classes, by an interior point method."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

# The duality gap beside the loss, and the distance from what must hold, that count as optimal.
_GAP, _RESIDUAL = 1e-6, 1e-5
# Far more steps than are ever needed unless numbers break down.
_MOST_STEPS = 60
# The part of the way to the nearest bound that a step may go.
_NEARLY = 0.995
# A start keeps this distance from the bounds: multipliers as a share of C, slacks as they are.
_INSIDE = 0.1
# A multiplier nearer than this to 0 or C, as a share of C, counts as there.
_BOUND = 1e-3


def interior_point(
    B: Floats, alpha: Floats, v: Floats, fixed: Floats, C: float
) -> tuple[Floats, Floats] | None:
    """Train a linear support vector machine with hinge loss and a free offset.

    Minimizes ``|w|^2 / 2 + C sum max(0, 1 - B v)`` over ``v = (w, offset)``, by predictor and
    corrector steps on the dual (Mehrotra 1992) whose equations have the size of the columns,
    not of the rows [1]_: a step costs O(n_rows n_columns^2), and 8 to 20 steps do.

    Parameters
    ----------
    B : ndarray of shape (n_rows, n_columns + 1)
        Rows with 1 behind them, times their sign.
    alpha : ndarray of shape (n_rows,)
        Multipliers to start near, from 0 to C.
    v : ndarray of shape (n_columns + 1,)
        Weights and offset to start near.
    fixed : ndarray of shape (n_columns + 1,)
        Sum of ``C`` times the signed rows, 1 behind them, of further rows whose multiplier is
        held at C.
    C : float
        Weight of the loss.

    Returns
    -------
    tuple of ndarray, or None
        Multipliers, which are strictly between 0 and C, and v. None where the numbers break
        down before the optimum.

    References
    ----------
    .. [1] Ferris, Munson (2002), Interior-point methods for massive support vector machines,
       SIAM Journal on Optimization 13(3).
    """
    from bestofk.batched._interior_kernels import _advance, _measure

    v = v.copy()
    state = np.empty((5, len(B)))
    beyond = B @ v - 1
    np.clip(alpha, _INSIDE * C, (1 - _INSIDE) * C, out=state[0])
    state[1] = np.maximum(beyond, 0) + _INSIDE
    state[2] = np.maximum(-beyond, 0) + _INSIDE
    largest = max(1.0, C) * max(1.0, float(np.abs(B).max(initial=0.0)))
    limits = np.array([C, _GAP, _RESIDUAL, largest])
    pull, weighted = np.empty(len(v)), np.empty_like(B)
    for _ in range(_MOST_STEPS):
        gap = _measure(B, state, v, fixed, pull, limits)
        if gap == 0:
            return state[0], v
        np.multiply(B, state[4, :, None], out=weighted)
        if not _advance(B, weighted.T @ B, state, v, pull, C, gap, _NEARLY):
            return None
    return None


class InteriorMachine:
    """Two classes of a training part, apart by a plane.

    Rows far on one side of the border keep their multiplier, 0 or C; the others are solved
    for, and all rows are checked.

    Parameters
    ----------
    matrix : ndarray of shape (n_samples, n_columns)
        All rows of the table, as the part prepares them.
    rows : ndarray of shape (n_rows,)
        Those that train: rows of the first class come first, then the others.
    n_first : int
        How many of them belong to the first class.
    estimator : SVC
        Gives C and tol.
    """

    def __init__(self, matrix: Floats, rows: Ints, n_first: int, estimator: Any) -> None:
        self.matrix, self.C, self.tol = matrix, float(estimator.C), estimator.tol
        self.signs = np.ones(len(rows))
        self.signs[n_first:] = -1.0
        self.signed = np.empty((len(rows), matrix.shape[1] + 1))
        np.take(matrix, rows, axis=0, out=self.signed[:, :-1])
        self.signed[:, -1] = 1.0
        self.signed[n_first:] *= -1.0

    def train(self, beta: Floats, is_near: NDArray[np.bool_], v: Floats) -> bool:
        """Solve for the rows near the border, and for those that turn out to be.

        Parameters
        ----------
        beta : ndarray of shape (n_rows,)
            Multipliers of nearly the same rows, times -1 in the second class.
        is_near : ndarray of shape (n_rows,), bool
            Rows whose multiplier is solved for.
        v : ndarray of shape (n_columns + 1,)
            Weights to start near, and what is added to their sum.

        Returns
        -------
        bool
            Whether the machine is trained: `beta`, `offset` and `slack` (how far rows are
            beyond the border on their side) are there then. False if numbers break down.
        """
        alpha, is_free = beta * self.signs, is_near.copy()
        is_held = alpha > self.C / 2
        while True:
            fixed = self.C * self.signed[is_held & ~is_free].sum(axis=0)
            result = interior_point(self.signed[is_free], alpha[is_free], v, fixed, self.C)
            if result is None:
                if is_free.all():
                    return False
                is_free[:] = True
                continue
            slack = self.signed @ result[1] - 1
            objects = ~is_free & np.where(is_held, slack > self.tol, slack < -self.tol)
            if not objects.any():
                break
            is_free |= objects
        alpha = np.where(is_held, self.C, 0.0)
        alpha[is_free] = result[0]
        self._weights = result[1][:-1]
        self.offset, self.slack = -self._added(alpha, result[1]), slack
        self.beta = alpha * self.signs
        return True

    def values(self, rows: Ints) -> Floats:
        """Return what the trained machine gives for rows of the table."""
        values: Floats = self.matrix[rows] @ self._weights - self.offset
        return values

    def _added(self, alpha: Floats, v: Floats) -> float:
        """Return what is added to sums: the middle of what is optimal, as in libsvm."""
        margin = _BOUND * self.C
        if ((alpha > margin) & (alpha < self.C - margin)).any():
            return float(v[-1])
        # what each row wants the offset to be, at least or at most
        wanted = self.signs - self.signs * (self.signed[:, :-1] @ v[:-1])
        is_least = (self.signs > 0) == (alpha < self.C / 2)
        return float((wanted[is_least].max() + wanted[~is_least].min()) / 2)
