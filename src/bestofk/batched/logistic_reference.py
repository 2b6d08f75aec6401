"""Reference optimum over all rows, and the curvature of the loss there."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from bestofk.batched.logistic_columns import PartColumns
from bestofk.batched.logistic_descent import Descent
from bestofk.batched.logistic_gradient import PartGradients, probabilities_of

# Rows whose Hessian is summed at once.
_ROWS = 1024
_ROUGH, _FINE = 1.0, 1e-3
_ROUGH_STEPS, _FEW_STEPS, _ROUNDS = 15, 8, 6


@dataclass(frozen=True, eq=False)
class Reference:
    """The optimum over all rows, each with the weight of the share of rows that train.

    Parameters
    ----------
    optimum : ndarray of shape (n_scores * n_columns,), float64
        Coefficients, column by column within each score; roughly the optimum.
    inverse : ndarray of shape (n_scores * n_columns, n_scores * n_columns), float64
        Inverse Hessian of the penalized loss there.
    """

    optimum: NDArray[np.float64]
    inverse: NDArray[np.float64]

    def precondition(self, gradients: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the inverse Hessian times vectors, shape (..., n_scores * n_columns)."""
        product: NDArray[np.float64] = np.matmul(gradients, self.inverse)
        return product


def find_reference(
    X: NDArray[np.float64], target: NDArray[np.float64], ridge: NDArray[np.float64], weight: float
) -> Reference | None:
    """Fit all rows at once; None where that fails, as it may for numbers near overflow.

    Parameters
    ----------
    X : ndarray of shape (n_samples, n_columns), float64
        All rows; the last column is the intercept's.
    target : ndarray of shape (n_scores, n_samples), float64
        As in `PartGradients`.
    ridge : ndarray of shape (n_columns,), float64
        Penalty weights; 0 for the intercept.
    weight : float
        Weight of every row.
    """
    nothing = np.empty(0, dtype=np.int64)
    columns = PartColumns(X, ridge[None, None, :], nothing, np.empty((1, 1, 0)))
    gradients = PartGradients(columns, target, weight=weight)
    start = np.zeros((1, 1, len(target) * len(ridge)))
    flat = _flat_inverse(X, len(target), ridge, weight)
    if flat is None:
        return None

    def flatly(gradient: NDArray[np.float64]) -> NDArray[np.float64]:
        return np.asarray(gradient.reshape(-1, len(ridge)) @ flat).reshape(gradient.shape)

    def descend(
        precondition: Callable[[NDArray[np.float64]], NDArray[np.float64]],
        start: NDArray[np.float64],
        tolerance: float,
        max_steps: int,
    ) -> Descent:
        is_wanted = np.ones((1, 1), dtype=bool)
        return Descent(
            gradients, precondition, start, is_wanted, tolerance, max_steps, leave_singly=True
        )

    descent = descend(flatly, start, _ROUGH, _ROUGH_STEPS)
    for _ in range(_ROUNDS):
        W = descent.at.reshape(len(target), -1)
        inverse = _inverse(hessian(X, W, ridge, weight))
        if inverse is None:
            return None
        reference = Reference(descent.at[0, 0], inverse)
        descent = descend(reference.precondition, descent.at, _FINE, _FEW_STEPS)
        if descent.is_done.all():
            break
    return Reference(descent.at[0, 0], reference.inverse)


def hessian(
    X: NDArray[np.float64], W: NDArray[np.float64], ridge: NDArray[np.float64], weight: float
) -> NDArray[np.float64]:
    """Return the Hessian of the penalized loss of all rows.

    Classes share one direction in which nothing changes, that of all intercepts together:
    it is given the curvature 1.

    Parameters
    ----------
    X, ridge, weight
        As in `find_reference`.
    W : ndarray of shape (n_scores, n_columns), float64
        Coefficients.

    Returns
    -------
    ndarray of shape (n_scores * n_columns, n_scores * n_columns), float64
    """
    n_scores, n_columns = W.shape
    size = n_scores * n_columns
    total = np.zeros((size, size))
    blocks = total.reshape(n_scores, n_columns, n_scores, n_columns)
    for start in range(0, len(X), _ROWS):
        rows = X[start : start + _ROWS]
        shares = probabilities_of((W @ rows.T)[None])[0]
        if n_scores == 1:
            weighted = rows * np.sqrt(shares * (1 - shares)).T
            total += weighted.T @ weighted
            continue
        weighted = (shares.T[:, :, None] * rows[:, None, :]).reshape(len(rows), size)
        total -= weighted.T @ weighted
        for k in range(n_scores):
            blocks[k, :, k, :] += (rows * shares[k][:, None]).T @ rows
    total *= weight
    for k in range(n_scores):
        blocks[k, np.arange(n_columns), k, np.arange(n_columns)] += ridge
    if n_scores > 1:
        blocks[:, -1, :, -1] += 1.0
    return total


def _flat_inverse(
    X: NDArray[np.float64], n_scores: int, ridge: NDArray[np.float64], weight: float
) -> NDArray[np.float64] | None:
    """Return the inverse Hessian of one score where all probabilities are equal."""
    share = 1 / max(n_scores, 2)
    curvature = weight * share * (1 - share if n_scores == 1 else 1.0)
    return _inverse(curvature * (X.T @ X) + np.diag(ridge))


def _inverse(matrix: NDArray[np.float64]) -> NDArray[np.float64] | None:
    """Return the inverse of a positive definite matrix; None where it is not."""
    from scipy.linalg.lapack import dpotrf, dpotri

    factor, failed = dpotrf(matrix, lower=1, clean=0)
    if failed:
        return None
    half, _ = dpotri(factor, lower=1, overwrite_c=1)
    lower = np.tril(half)
    inverse: NDArray[np.float64] = lower + np.tril(half, -1).T
    return inverse if np.isfinite(inverse).all() else None
