"""Support vector machines: kernel values of the rows that matter, and starts from all rows."""

from __future__ import annotations

from dataclasses import dataclass
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
_KERNELS = ("linear", "poly", "rbf", "sigmoid")


@dataclass(frozen=True)
class _Kernel:
    """The kernel of a part, its scale learned from the training rows."""

    name: str
    gamma: float
    degree: float
    coef0: float

    def between(self, A: Floats, B: Floats) -> Floats:
        """Return the kernel of every row of A with every row of B."""
        values: Floats = A @ B.T
        if self.name == "linear":
            return values
        if self.name == "rbf":
            values *= 2 * self.gamma
            values -= self.gamma * _squares(A)[:, None]
            values -= self.gamma * _squares(B)
            np.minimum(values, 0.0, out=values)
            return np.exp(values, out=values)
        values *= self.gamma
        values += self.coef0
        return np.tanh(values, out=values) if self.name == "sigmoid" else values**self.degree

    def diagonal(self, A: Floats) -> Floats:
        """Return the kernel of every row of A with itself."""
        if self.name == "rbf":
            return np.ones(len(A))
        values = _squares(A)
        if self.name == "linear":
            return values
        values = self.gamma * values + self.coef0
        return np.tanh(values) if self.name == "sigmoid" else values**self.degree


def _squares(A: Floats) -> Floats:
    squares: Floats = np.einsum("ij,ij->i", A, A)
    return squares


class _KernelRows:
    """Kernel values between some of the training rows and all of them, more when asked."""

    def __init__(self, kernel: _Kernel, X: Floats, first: Ints) -> None:
        self.kernel, self.X = kernel, X
        self.diagonal = kernel.diagonal(X)
        self.slot = np.full(len(X), -1, dtype=np.int64)
        self.values = np.empty((0, len(X)))
        self.n_rows = 0
        if len(first):
            self.add(first)

    def add(self, places: Ints) -> None:
        """Compute the values of more rows."""
        end = self.n_rows + len(places)
        found = self.kernel.between(self.X[places], self.X)
        if self.n_rows == 0:
            self.values = found
        else:
            if end > len(self.values):
                room = min(len(self.X), max(2 * len(self.values), end))
                values = np.empty((room, len(self.X)))
                values[: self.n_rows] = self.values[: self.n_rows]
                self.values = values
            self.values[self.n_rows : end] = found
        self.slot[places] = np.arange(self.n_rows, end)
        self.n_rows = end


@dataclass(frozen=True)
class _Pair:
    """Two classes of a training part whose rows stand in order of class."""

    spans: Ints
    places: Ints

    @classmethod
    def of(cls, starts: Ints, first: int, second: int) -> _Pair:
        spans = np.array([starts[first], starts[first + 1], starts[second], starts[second + 1]])
        places = np.r_[spans[0] : spans[1], spans[2] : spans[3]]
        return cls(spans.astype(np.int64), places)

    @property
    def n_first(self) -> int:
        return int(self.spans[1] - self.spans[0])


def _solve(rows: _KernelRows, pair: _Pair, start: Floats, C: float, tol: float) -> Any:
    """Return coefficients and offset of one pair; None if that takes too long."""
    from bestofk.learners.joint._smo_kernels import DONE, TOO_LONG, _optimize

    beta, n_first = start.copy(), pair.n_first
    error = _errors(rows, pair, beta)
    limits = np.array([C, tol, 1e7])
    while True:
        missing = _optimize(rows.values, rows.slot, rows.diagonal, pair.spans, beta, error, limits)
        if missing == TOO_LONG:
            return None
        if missing == DONE:
            break
        rows.add(_next_rows(rows, pair, beta, error, C, missing))
    return beta, _offset(beta, error, n_first, C)


def _errors(rows: _KernelRows, pair: _Pair, beta: Floats) -> Floats:
    error = np.full(len(beta), -1.0)
    error[pair.n_first :] = 1.0
    used = np.flatnonzero(beta)
    if len(used):
        places = pair.places[used]
        lacking = places[rows.slot[places] < 0]
        if len(lacking):
            rows.add(lacking)
        error += (beta[used] @ rows.values[rows.slot[places]])[pair.places]
    return error


def _next_rows(
    rows: _KernelRows, pair: _Pair, beta: Floats, error: Floats, C: float, missing: int
) -> Ints:
    """Return the row that is missing and those likely to be missed soon: the worst errors."""
    size = max(_BATCH, rows.n_rows // 4)
    is_first = np.arange(len(beta)) < pair.n_first
    most, least = np.where(is_first, C, 0.0), np.where(is_first, 0.0, -C)
    lacks = rows.slot[pair.places] < 0
    up = np.flatnonzero(lacks & (beta < most))
    down = np.flatnonzero(lacks & (beta > least))
    up = up[np.argsort(error[up], kind="stable")[:size]]
    down = down[np.argsort(-error[down], kind="stable")[:size]]
    return np.union1d(pair.places[np.r_[up, down]], [missing])


def _offset(beta: Floats, error: Floats, n_first: int, C: float) -> float:
    """Return the offset as libsvm has it: the mean error of free rows, or the middle."""
    size = np.abs(beta)
    free = (size > 0) & (size < C)
    if free.any():
        return float(error[free].mean())
    is_first = np.arange(len(beta)) < n_first
    can_grow = np.where(is_first, beta < C, beta < 0)
    can_shrink = np.where(is_first, beta > 0, beta > -C)
    return float((error[can_grow].min() + error[can_shrink].max()) / 2)


def _repaired(beta: Floats, n_first: int, C: float) -> Floats:
    """Return coefficients that add up to 0 again: free ones give way by the room they have."""
    surplus = beta.sum()
    if surplus == 0:
        return beta
    room = beta.copy() if surplus > 0 else C - beta
    room[n_first:] = beta[n_first:] + C if surplus > 0 else -beta[n_first:]
    free = (beta != 0) & (np.abs(beta) < C)
    weights = np.where(free, room, 0.0)
    if weights.sum() < abs(surplus):
        weights = np.where(beta != 0, room, 0.0)
    if weights.sum() < abs(surplus):
        weights = room
    beta = beta - surplus * weights / weights.sum()
    beta[:n_first] = np.clip(beta[:n_first], 0.0, C)
    beta[n_first:] = np.clip(beta[n_first:], -C, 0.0)
    return beta


class SupportVectorForm(JointForm):
    """`SVC` on many parts: trained on all rows once, and from there on every part.

    A part needs kernel values between the rows that matter and all of its rows: those that
    are support vectors on all rows, and the few more that its own optimization comes upon.
    """

    def __init__(self, estimator: Any, table: SharedTable, n_folds: int) -> None:
        super().__init__(estimator, table, n_folds)
        self._order = np.argsort(table.y, kind="stable")
        self._y = table.y[self._order]
        self._pairs = list(combinations(range(table.n_classes), 2))
        none_left_out = np.ones((1, table.n_samples), dtype=np.int32)
        X = table.parts(none_left_out, 2).matrix(0, 0)[self._order]
        counts = np.bincount(self._y, minlength=table.n_classes)
        self._start = np.zeros((len(X), len(self._pairs)))
        found = self._train(X, counts, self._start)
        if found is not None:
            self._start = found[0]

    @classmethod
    def supports(cls, estimator: Any, table: SharedTable) -> bool:
        """Return whether every parameter is one that the form honors."""
        return table.n_classes > 1 and estimator.kernel in _KERNELS

    def _train(self, X: Floats, counts: Ints, start: Floats) -> tuple[Floats, Floats] | None:
        """Return coefficients (n_train, n_pairs) and offsets of one part, or None."""
        starts = np.r_[0, np.cumsum(counts)]
        kernel = self._kernel(X)
        rows = _KernelRows(kernel, X, np.flatnonzero(start.any(axis=1)))
        betas = np.zeros(start.shape)
        offsets = np.zeros(len(self._pairs))
        for number, (first, second) in enumerate(self._pairs):
            if not (counts[first] and counts[second]):
                continue
            pair = _Pair.of(starts, first, second)
            beta = _repaired(start[pair.places, number], pair.n_first, self.estimator.C)
            solved = _solve(rows, pair, beta, self.estimator.C, self.estimator.tol)
            if solved is None:
                return None
            betas[pair.places, number], offsets[number] = solved
        return betas, offsets

    def _kernel(self, X: Floats) -> _Kernel:
        gamma = self.estimator.gamma
        if gamma == "scale":
            variance = X.var()
            gamma = 1 / (X.shape[1] * variance) if variance else 1.0
        elif gamma == "auto":
            gamma = 1 / X.shape[1]
        return _Kernel(self.estimator.kernel, float(gamma), self.estimator.degree, self.estimator.coef0)

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
        matrix = parts.matrix(repeat, fold)
        X = matrix[self._order[is_train]]
        found = self._train(X, counts, self._start[is_train])
        if found is None:
            return None
        betas, offsets = found
        used = np.flatnonzero(betas.any(axis=1))
        test = matrix[parts.folds[repeat] == fold]
        values = self._kernel(X).between(test, X[used]) @ betas[used] - offsets
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
