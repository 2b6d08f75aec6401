"""A support vector machine of two classes with any kernel, trained from a start nearby."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

# Kernel values between other rows and support vectors that are computed at once.
_CHUNK = 2_000_000
# Rows taken into the working set at once, at least.
_BATCH = 16
# Single precision is enough for radial kernels while squared distances times gamma, and C beside
# the tolerance, are no larger: sums are then off by a few percent of the tolerance at most.
_MOST_SINGLE, _MOST_C = 100.0, 1e4
# The part of the tolerance of the plain learner that is used up here, so that both ways together
# stay within twice its own error; less of it for kernels whose values grow, where optima are flat.
_SHARE_RADIAL, _SHARE_OTHER = 0.7, 0.25
# A coefficient this near to 0 or C, as a share of C, is there but for rounding.
_ROUNDING = 1e-9


class Kernel:
    """The kernel of a part, its scale learned from the training rows, and the rows made ready.

    Parameters
    ----------
    estimator : SVC
        Gives kernel, gamma, degree and coef0.
    matrix : ndarray of shape (n_samples, n_columns)
        All rows, as the part prepares them.
    train : ndarray of shape (n_train,)
        The rows that train.
    """

    def __init__(self, estimator: Any, matrix: Floats, train: Ints) -> None:
        self.name, self.degree, self.coef0 = estimator.kernel, estimator.degree, estimator.coef0
        weights = np.zeros(len(matrix))
        weights[train] = 1 / len(train)
        center = weights @ matrix
        centered = matrix - center
        squares = np.einsum("ij,ij->i", centered, centered)
        variance = weights @ squares / len(center) + center.var()
        self.gamma = _gamma(estimator.gamma, len(center), variance)
        self.left = self.right = matrix
        if self.name != "rbf":
            return
        squares *= self.gamma
        is_single = squares.max() <= _MOST_SINGLE and _MOST_C * estimator.tol >= estimator.C
        shape = (len(matrix), len(center) + 2)
        self.right = np.empty(shape, dtype=np.float32 if is_single else np.float64)
        self.right[:, :-2], self.right[:, -2], self.right[:, -1] = centered, 1.0, -squares
        self.left = np.empty_like(self.right)
        np.multiply(self.right[:, :-2], 2 * self.gamma, out=self.left[:, :-2])
        self.left[:, -2], self.left[:, -1] = -squares, 1.0

    @property
    def dtype(self) -> np.dtype[np.floating]:
        """Type in which kernel values are computed."""
        return self.left.dtype

    def between(self, rows: Ints, others: Ints) -> NDArray[np.floating]:
        """Return the kernel of some rows with others, given by their numbers in the table."""
        values = self.left[rows] @ self.right[others].T
        if self.name == "rbf":
            return np.exp(values, out=values)
        return self._of_products(values)

    def _of_products(self, values: Floats) -> Floats:
        if self.name == "linear":
            return values
        values *= self.gamma
        values += self.coef0
        power = np.ones_like(values)
        for _ in range(self.degree):
            power *= values
        return power


def _gamma(gamma: Any, n_columns: int, variance: float) -> float:
    if gamma == "scale":
        return 1 / (n_columns * variance) if variance > 0 else 1.0
    return 1 / n_columns if gamma == "auto" else float(gamma)


class KernelMachine:
    """Two classes of a training part: the rows of the first come first, then the others.

    Parameters
    ----------
    kernel : Kernel
        Of the part.
    rows : ndarray of shape (n_rows,)
        Numbers of the rows in the table.
    n_first : int
        How many of them belong to the first class.
    estimator : SVC
        Gives C and tol.
    """

    def __init__(self, kernel: Kernel, rows: Ints, n_first: int, estimator: Any) -> None:
        self.kernel, self.rows = kernel, rows
        self.tol = estimator.tol * (_SHARE_RADIAL if kernel.name == "rbf" else _SHARE_OTHER)
        self.signs = np.ones(len(rows))
        self.signs[n_first:] = -1.0
        self.bounds = np.zeros((2, len(rows)))
        self.bounds[1, :n_first] = estimator.C
        self.bounds[0, n_first:] = -estimator.C

    def train(self, beta: Floats, is_near: NDArray[np.bool_], most_steps: int) -> bool:
        """Optimize coefficients on a growing set of rows, until no row outside it objects.

        Parameters
        ----------
        beta : ndarray of shape (n_rows,)
            Coefficients of nearly the same rows to start from, which need not add up to 0.
        is_near : ndarray of shape (n_rows,), bool
            Rows to begin with, in addition to those whose coefficient is not 0.
        most_steps : int
            Where to give up.

        Returns
        -------
        bool
            Whether the machine is trained: `beta`, `offset`, `slack` (how far rows are beyond
            the border on their side) and `cost` (steps times rows) are there then.
        """
        from bestofk.batched._smo_kernels import _optimize

        beta = _repaired(beta, self.bounds)
        error = np.empty(len(beta))
        working = is_near | (beta != 0)
        self.cost = 0
        while True:
            inside, outside = np.flatnonzero(working), np.flatnonzero(~working)
            gram = self.kernel.between(self.rows[inside], self.rows[inside])
            gram = gram.astype(np.float32, order="C", copy=False)
            part, part_error = beta[inside], -self.signs[inside]
            steps = _optimize(gram, self.bounds[:, inside], part, part_error, self.tol, most_steps)
            self.cost += steps * len(inside)
            if steps == most_steps or not np.isfinite(part_error).all():
                return False
            beta[inside], error[inside] = part, part_error
            self._use(beta)
            error[outside] = self._sums(self.rows[outside]) - self.signs[outside]
            more = _objecting(self.bounds, beta, error, working, self.tol)
            if len(more) == 0:
                break
            working[more] = True
        self.beta, self.offset = beta, _offset(beta, error, self.bounds)
        self.slack = (error - self.offset) * self.signs
        return True

    def values(self, rows: Ints) -> Floats:
        """Return what the trained machine gives for rows of the table."""
        return self._sums(rows) - self.offset

    def _use(self, beta: Floats) -> None:
        used = np.flatnonzero(beta)
        self._vectors, self._weights = self.rows[used], beta[used].astype(self.kernel.dtype)

    def _sums(self, rows: Ints) -> Floats:
        size = max(1, _CHUNK // max(len(self._vectors), 1))
        sums = np.empty(len(rows))
        for i in range(0, len(rows), size):
            values = self.kernel.between(rows[i : i + size], self._vectors)
            sums[i : i + size] = values @ self._weights
        return sums


def _objecting(
    bounds: Floats, beta: Floats, error: Floats, working: NDArray[np.bool_], tol: float
) -> Ints:
    """Return the rows outside the working set that would move, the worst of them if many."""
    grows, shrinks = beta < bounds[1], beta > bounds[0]
    lowest = error.min(where=grows, initial=np.inf)
    highest = error.max(where=shrinks, initial=-np.inf)
    if highest - lowest < tol:
        return np.empty(0, dtype=np.int64)
    violation = np.maximum(
        np.where(grows, highest - error, 0.0), np.where(shrinks, error - lowest, 0.0)
    )
    violation[working] = 0.0
    outside = np.flatnonzero(violation >= tol)
    most = max(_BATCH, int(working.sum()) // 2)
    return outside[np.argsort(-violation[outside], kind="stable")[:most]]


def _offset(beta: Floats, error: Floats, bounds: Floats) -> float:
    """Return the offset as libsvm has it: the mean error of free rows, or the middle."""
    margin = _ROUNDING * (bounds[1] - bounds[0])
    grows, shrinks = beta < bounds[1] - margin, beta > bounds[0] + margin
    free = grows & shrinks
    if free.any():
        return float(error[free].mean())
    return float((error[grows].min() + error[shrinks].max()) / 2)


def _repaired(beta: Floats, bounds: Floats) -> Floats:
    """Return coefficients that add up to 0 again: free ones give way by the room they have."""
    surplus = beta.sum()
    if surplus == 0:
        return beta
    room = beta - bounds[0] if surplus > 0 else bounds[1] - beta
    free = (beta > bounds[0]) & (beta < bounds[1])
    for weights in (np.where(free, room, 0.0), np.where(beta != 0, room, 0.0), room):
        total = weights.sum()
        if total >= abs(surplus):
            break
    repaired: Floats = np.clip(beta - surplus * weights / total, bounds[0], bounds[1])
    return repaired
