"""Support vector machines: kernel values of the rows that matter, and starts from all rows."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bestofk.learners.joint.form import JointForm, JointPredictions
from bestofk.learners.joint.shared_table import SharedTable

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

# Memory for kernel values of one part.
_MOST_BYTES = 200_000_000
# Kernel values of test rows computed at once.
_CHUNK = 2_000_000
# Rows of kernel values added at once, at least.
_BATCH = 8
_NEAR = 0.3
_MOST_C = 1e4
_MOST_STEPS = 10_000_000
_FIRST_ROWS = 1000
_MOST_SINGLE = 100.0
_KERNELS = ("linear", "poly", "rbf", "sigmoid")


class _Kernel:
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
        if self.name != "rbf":
            self.left = self.right = matrix
            return
        squares *= self.gamma
        is_single = squares.max() <= _MOST_SINGLE and estimator.C <= _MOST_C * estimator.tol
        shape = (len(matrix), len(center) + 2)
        self.right = np.empty(shape, dtype=np.float32 if is_single else np.float64)
        self.right[:, :-2], self.right[:, -2], self.right[:, -1] = centered, 1.0, -squares
        self.left = np.empty_like(self.right)
        np.multiply(self.right[:, :-2], 2 * self.gamma, out=self.left[:, :-2])
        self.left[:, -2], self.left[:, -1] = -squares, 1.0

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
        if self.name == "sigmoid":
            return np.tanh(values, out=values)
        power = np.ones_like(values)
        for _ in range(self.degree):
            power *= values
        return power


def _gamma(gamma: Any, n_columns: int, variance: float) -> float:
    if gamma == "scale":
        return 1 / (n_columns * variance) if variance > 0 else 1.0
    return 1 / n_columns if gamma == "auto" else float(gamma)


class _Machine:
    """Two classes of a training part: the rows of the first come first, then the others.

    Parameters
    ----------
    kernel : _Kernel
        Of the part.
    rows : ndarray of shape (n_rows,)
        Numbers of the rows in the table.
    n_first : int
        How many of them belong to the first class.
    estimator : SVC
        Gives C and tol.
    """

    def __init__(self, kernel: _Kernel, rows: Ints, n_first: int, estimator: Any) -> None:
        self.kernel, self.rows, self.tol = kernel, rows, estimator.tol
        self.signs = np.ones(len(rows))
        self.signs[n_first:] = -1.0
        self.bounds = np.zeros((2, len(rows)))
        self.bounds[1, :n_first] = estimator.C
        self.bounds[0, n_first:] = -estimator.C

    def train(self, beta: Floats, working: NDArray[np.bool_]) -> bool:
        """Optimize coefficients on a growing set of rows, until no row outside it objects.

        Parameters
        ----------
        beta : ndarray of shape (n_rows,)
            Coefficients to start from, which add up to 0; overwritten.
        working : ndarray of shape (n_rows,), bool
            The set; overwritten. It holds all rows whose coefficient is not 0.

        Returns
        -------
        bool
            False if that takes too long.
        """
        from bestofk.learners.joint._smo_kernels import _optimize

        error = np.empty(len(beta))
        while True:
            inside, outside = np.flatnonzero(working), np.flatnonzero(~working)
            gram = self.kernel.between(self.rows[inside], self.rows[inside])
            gram = gram.astype(np.float32, order="C", copy=False)
            part, part_error = beta[inside], -self.signs[inside]
            bounds = self.bounds[:, inside]
            if _optimize(gram, bounds, part, part_error, self.tol, _MOST_STEPS) == _MOST_STEPS:
                return False
            beta[inside], error[inside] = part, part_error
            error[outside] = self.values(beta, self.rows[outside]) - self.signs[outside]
            more = _objecting(self.bounds, beta, error, working, self.tol)
            if len(more) == 0:
                break
            working[more] = True
        self.offset = _offset(beta, error, self.bounds)
        self.slack = (error - self.offset) * self.signs
        return True

    def values(self, beta: Floats, rows: Ints) -> Floats:
        """Return what the machine gives for rows of the table, without its offset."""
        used = np.flatnonzero(beta)
        vectors, weights = self.rows[used], beta[used].astype(self.kernel.left.dtype)
        size = max(1, _CHUNK // max(len(used), 1))
        chunks = [
            self.kernel.between(rows[i : i + size], vectors) @ weights
            for i in range(0, len(rows), size)
        ]
        return np.concatenate(chunks) if chunks else np.empty(0)


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
    grows, shrinks = beta < bounds[1], beta > bounds[0]
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
    return np.clip(beta - surplus * weights / total, bounds[0], bounds[1])


class SupportVectorForm(JointForm):
    """`SVC` on many parts: trained on all rows once, and from there on every part.

    A part needs kernel values between the rows that matter and all of its rows: those that
    are support vectors on all rows, and the few more that its own optimization comes upon.
    """

    def __init__(self, estimator: Any, table: SharedTable, n_folds: int) -> None:
        super().__init__(estimator, table, n_folds)
        self._order = np.argsort(table.y, kind="stable")
        self._pairs = list(combinations(range(table.n_classes), 2))
        none_left_out = np.ones((1, table.n_samples), dtype=np.int32)
        matrix = table.parts(none_left_out, 2).matrix(0, 0)
        counts = np.bincount(table.y, minlength=table.n_classes)
        shape = (len(self._pairs), table.n_samples)
        self._start = np.zeros(shape)
        self._is_near = np.zeros(shape, dtype=bool)
        self._is_near[:, :: 1 + table.n_samples // _FIRST_ROWS] = True
        kernel = _Kernel(estimator, matrix, self._order)
        everything = np.ones(table.n_samples, dtype=bool)
        start, is_near = self._start.copy(), self._is_near.copy()
        for number, rows, machine in self._machines(kernel, everything, counts):
            beta, working = start[number, rows], is_near[number, rows]
            if machine.train(beta, working):
                start[number, rows] = beta
                is_near[number, rows] = machine.slack < _NEAR
        self._start, self._is_near = start, is_near

    @classmethod
    def supports(cls, estimator: Any, table: SharedTable) -> bool:
        """Return whether every parameter is one that the form honors."""
        return table.n_classes > 1 and estimator.kernel in _KERNELS

    def _machines(
        self, kernel: _Kernel, is_train: NDArray[np.bool_], counts: Ints
    ) -> Iterator[tuple[int, Ints, _Machine]]:
        """Yield the number of each pair that a part has, its places in order, its machine."""
        places = np.flatnonzero(is_train)
        ends = np.cumsum(counts)
        for number, (first, second) in enumerate(self._pairs):
            if counts[first] and counts[second]:
                of_first = places[ends[first] - counts[first] : ends[first]]
                of_second = places[ends[second] - counts[second] : ends[second]]
                own = np.concatenate([of_first, of_second])
                yield number, own, _Machine(
                    kernel, self._order[own], len(of_first), self.estimator
                )

    def predict(
        self, folds: NDArray[np.int32], random_states: NDArray[np.int64] | None = None
    ) -> JointPredictions:
        """Train on every part from the solution on all rows; see `JointForm.predict`."""
        parts = self.table.parts(folds, self.n_folds)
        n_repeats, n_samples = folds.shape
        n_classes = self.table.n_classes
        labels = np.zeros((n_repeats, n_samples), dtype=np.int64)
        shape = (n_repeats, n_samples) if n_classes == 2 else (n_repeats, n_samples, n_classes)
        decision = np.zeros(shape)
        is_done = np.zeros((n_repeats, self.n_folds), dtype=bool)
        for repeat in range(n_repeats):
            for fold in range(self.n_folds):
                votes = self._part(parts, repeat, fold)
                if votes is None:
                    continue
                test = np.flatnonzero(folds[repeat] == fold)
                labels[repeat, test], decision[repeat, test] = votes
                is_done[repeat, fold] = True
        return JointPredictions(labels, decision=decision, is_done=is_done)

    def _part(self, parts: Any, repeat: int, fold: int) -> tuple[Ints, Floats] | None:
        is_train = parts.is_train(repeat, fold)[self._order]
        counts = parts.class_counts[repeat, fold]
        if (counts > 0).sum() < min(3, len(counts)):
            return None
        kernel = _Kernel(self.estimator, parts.matrix(repeat, fold), self._order[is_train])
        test = np.flatnonzero(parts.folds[repeat] == fold)
        values = np.zeros((len(test), len(self._pairs)))
        for number, places, machine in self._machines(kernel, is_train, counts):
            beta = _repaired(self._start[number, places], machine.bounds)
            if not machine.train(beta, self._is_near[number, places] | (beta != 0)):
                return None
            values[:, number] = machine.values(beta, test) - machine.offset
        return _voted(values, self._pairs, counts > 0)


def _voted(values: Floats, pairs: Any, is_present: NDArray[np.bool_]) -> tuple[Ints, Floats]:
    """Return labels and decision values, as libsvm and scikit-learn count the votes of pairs."""
    n_classes = len(is_present)
    if n_classes == 2:
        return (values[:, 0] <= 0).astype(np.int64), -values[:, 0]
    votes = np.zeros((len(values), n_classes), dtype=np.int64)
    counted = np.zeros((len(values), n_classes))
    sums = np.zeros((len(values), n_classes))
    for number, (first, second) in enumerate(pairs):
        if not (is_present[first] and is_present[second]):
            continue
        value = values[:, number]
        votes[:, first] += value > 0
        votes[:, second] += value <= 0
        counted[:, first] += value >= 0
        counted[:, second] += value < 0
        sums[:, first] += value
        sums[:, second] -= value
    votes[:, ~is_present] = -1
    decision = counted + sums / (3 * (np.abs(sums) + 1))
    decision[:, ~is_present] = -np.inf
    return votes.argmax(axis=1), decision
