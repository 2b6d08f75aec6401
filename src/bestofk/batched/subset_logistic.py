"""Logistic regression on many subsets, by Newton's method on a block of them at a time."""

from __future__ import annotations

from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from bestofk.batched.logistic import LogisticForm
from bestofk.batched.parts import Parts
from bestofk.batched.shared_table import SharedTable
from bestofk.batched.subset_form import SubsetForm, SubsetPredictions, Subsets

# Numbers of a block of subsets: what is computed at once stays in the processor's cache.
_BLOCK: Final = 2**17
# Coefficients beyond which solving for a step costs more than the plain way's many small ones.
_MOST_COEFFICIENTS: Final = 100
# What a last step may still promise, in units of log loss: it squares the error, and is taken.
_PROMISE: Final = 1e-7
_MAX_STEPS: Final = 100
# Of the slope at its start a step may leave that share, on the other side of the lowest point.
_MOST_BEYOND: Final = 0.9
# Shares of all rows for which an optimum is known to start from.
_SHARES: Final = (1.0, 0.5, 0.25, 0.125, 0.0625)


class LogisticSubsets(SubsetForm):
    """`LogisticRegression` (L2 penalty, solver lbfgs) on many subsets.

    Scaling within a subset is a penalty weight of its own for every column. Predictions are
    those of the optimum: nearer to it than scikit-learn's at its default tolerance. A subset
    that lacks a class is left to the plain way.
    """

    @classmethod
    def supports(cls, estimator: Any, table: SharedTable) -> bool:
        """Return whether there are few coefficients, no gaps, and usual settings."""
        if not LogisticForm.supports(estimator, table) or table.has_missing:
            return False
        n_scores = table.n_classes if table.n_classes > 2 else 1
        return n_scores * (table.n_columns + 1) <= _MOST_COEFFICIENTS

    def __init__(self, estimator: Any, table: SharedTable) -> None:
        super().__init__(estimator, table)
        matrix = table.encoded.matrix
        is_number = np.array([not step.is_nominal for step in table.encoded.steps], dtype=bool)
        center = np.where(is_number, matrix.mean(axis=0), 0.0)
        spread = np.where(is_number, matrix.std(axis=0), 1.0)
        spread[spread == 0] = 1.0
        self._X = np.hstack([(matrix - center) / spread, np.ones((len(matrix), 1))])
        self._spread, self._C = spread, float(estimator.C)
        self._target = np.asarray(table.y[:, None] == np.arange(table.n_classes), dtype=np.float64)
        if table.n_classes == 2:  # one score is enough
            self._target = self._target[:, 1:]
        everything = np.arange(table.n_samples)[None]
        nothing = np.empty(0, dtype=np.int64)
        with np.errstate(invalid="ignore"):  # no row is left out
            ridge = self._ridge(Subsets(everything, nothing, np.zeros(2, np.int64)).parts(table))
        self._starts = np.zeros((len(_SHARES), self._target.shape[1], self._X.shape[1]))
        for index, share in enumerate(_SHARES):
            result, _ = _optima(
                self._X[None], self._target[None], ridge / share, self._starts[index - 1][None]
            )
            self._starts[index] = result[0]

    def predict(
        self, subsets: Subsets, random_states: NDArray[np.int64] | None = None
    ) -> SubsetPredictions:
        """Find the optimum of every subset; see `SubsetForm.predict`."""
        n_train = subsets.train.shape[1]
        share = np.log(np.array(_SHARES) * self.table.n_samples / n_train)
        start = self._starts[np.abs(share).argmin()]
        ridge = self._ridge(subsets.parts(self.table))
        is_done = np.asarray((subsets.class_counts(self.table) > 0).all(axis=1))
        W = np.tile(start, (len(subsets), 1, 1))
        size = max(1, _BLOCK // (n_train * start.size))
        wanted = np.flatnonzero(is_done)
        for first in range(0, len(wanted), size):
            block = wanted[first : first + size]
            train = subsets.train[block]
            W[block], is_done[block] = _optima(
                self._X[train], self._target[train], ridge[block], W[block]
            )
        shares = _shares(_scores(self._X, W, subsets))
        if shares.shape[1] == 1:
            shares = np.hstack([1 - shares, shares])
        return SubsetPredictions(shares.argmax(axis=1), shares, is_done=is_done)

    def _ridge(self, parts: Parts) -> NDArray[np.float64]:
        """Return the penalty weights of each subset in the units of X; 0 for the intercept."""
        ridge = np.zeros((parts.n_repeats, self._X.shape[1]))
        ridge[:, :-1] = 1 / (self._C * self._spread**2)
        if parts.scale is not None:
            ridge[:, :-1] /= parts.scale[:, 0] ** 2
        return ridge


def _optima(
    X: NDArray[np.float64],
    target: NDArray[np.float64],
    ridge: NDArray[np.float64],
    start: NDArray[np.float64],
) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
    """Return the coefficients with the least penalized loss, and where they were found.

    Parameters
    ----------
    X : ndarray of shape (n_subsets, n_train, n_columns)
        Rows of each subset; the last column is the intercept's.
    target : ndarray of shape (n_subsets, n_train, n_scores)
        1 for the class of a row, else 0; one score for two classes, that of the second.
    ridge : ndarray of shape (n_subsets, n_columns)
        Penalty weights.
    start : ndarray of shape (n_subsets, n_scores, n_columns)
        Where to start.
    """
    W, result = start.copy(), np.zeros(len(X), dtype=bool)
    open_ = np.arange(len(X))
    gradient, shares = _slopes(X, target, ridge, W)
    for _ in range(_MAX_STEPS):
        step = _steps(_curvatures(X, shares, ridge), gradient.reshape(len(X), -1))
        step = step.reshape(gradient.shape)
        promise = np.einsum("skq,skq->s", gradient, step)
        here, length = W[open_], np.ones(len(open_))
        for _ in range(_MAX_STEPS):
            tried = here - length[:, None, None] * step
            gradient, shares = _slopes(X, target, ridge, tried)
            is_beyond = -np.einsum("skq,skq->s", gradient, step) > _MOST_BEYOND * promise
            is_beyond &= promise > _PROMISE
            if not is_beyond.any():
                break
            length[is_beyond] /= 2
        W[open_] = tried
        is_over = ~(promise > _PROMISE)  # or not a number, where there is no step
        result[open_[is_over]] = np.isfinite(tried[is_over]).all(axis=(1, 2))
        if is_over.all():
            break
        goes_on = ~is_over
        if is_over.any():
            open_, X, target, ridge = open_[goes_on], X[goes_on], target[goes_on], ridge[goes_on]
            gradient, shares = gradient[goes_on], shares[goes_on]
    return W, result


def _slopes(
    X: NDArray[np.float64],
    target: NDArray[np.float64],
    ridge: NDArray[np.float64],
    W: NDArray[np.float64],
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the gradient by coefficients, and the probabilities of all rows."""
    shares = _shares(np.matmul(X, W.swapaxes(1, 2)))
    gradient = np.matmul((shares - target).swapaxes(1, 2), X) + ridge[:, None, :] * W
    return gradient, shares


def _shares(scores: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the probabilities that scores stand for, over the last axis."""
    if scores.shape[-1] == 1:
        with np.errstate(over="ignore"):
            return np.asarray(1 / (1 + np.exp(-scores)))
    shares = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return np.asarray(shares / shares.sum(axis=-1, keepdims=True))


def _curvatures(
    X: NDArray[np.float64], shares: NDArray[np.float64], ridge: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Return the second derivatives by all coefficients of each subset."""
    n_subsets, _, n_scores = shares.shape
    n_columns = X.shape[2]
    curvature = np.empty((n_subsets, n_scores, n_columns, n_scores, n_columns))
    for i in range(n_scores):
        for j in range(i + 1):
            weight = shares[:, :, i] * ((i == j) - shares[:, :, j])
            block = np.matmul((X * weight[:, :, None]).swapaxes(1, 2), X)
            curvature[:, i, :, j] = block
            curvature[:, j, :, i] = block
    size = n_scores * n_columns
    result = curvature.reshape(n_subsets, size, size)
    # intercepts have no penalty: where all rows are told apart, and of the sum of several,
    # nothing else holds them
    penalty = ridge.copy()
    penalty[:, -1] += 1e-10
    diagonal = np.arange(size)
    result[:, diagonal, diagonal] += np.tile(penalty, (1, n_scores))
    return result


def _steps(curvature: NDArray[np.float64], gradient: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return Newton's step of each subset; nan where its curvature has no inverse."""
    try:
        return np.asarray(np.linalg.solve(curvature, gradient[:, :, None])[:, :, 0])
    except np.linalg.LinAlgError:
        if len(gradient) == 1:
            return np.full(gradient.shape, np.nan)
    pairs = zip(curvature, gradient, strict=True)
    return np.concatenate([_steps(item[None], slope[None]) for item, slope in pairs])


def _scores(
    X: NDArray[np.float64], W: NDArray[np.float64], subsets: Subsets
) -> NDArray[np.float64]:
    """Return the scores of each row to predict, by the coefficients of its subset."""
    start = subsets.start
    results = [X[subsets.rows[start[s] : start[s + 1]]] @ W[s].T for s in range(len(subsets))]
    return np.concatenate(results) if results else np.empty((0, W.shape[1]))
