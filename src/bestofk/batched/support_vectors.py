"""Support vector machines on many parts, each started from the solution on all rows."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bestofk.batched.form import BatchedForm, BatchedPredictions
from bestofk.batched.kernel_machine import Kernel, KernelMachine
from bestofk.batched.linear_support_vectors import InteriorMachine
from bestofk.batched.parts import Parts
from bestofk.batched.shared_table import SharedTable

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Bools = NDArray[np.bool_]
Machine = KernelMachine | InteriorMachine

# Not the sigmoid: its optimum depends on where one starts.
_KERNELS = ("linear", "poly", "rbf")
# Rows of two classes whose kernel values, 4 bytes each, still take less than 200 MB.
_MOST_ROWS = 7_000
# Rows that the first solution begins with.
_FIRST_ROWS = 1_000
# Rows no further than this from the border are solved for in every part: with few folds, borders
# move more, and those of linear machines most.
_NEAR, _NEAR_PLANE, _NEAR_PLANE_FEW_FOLDS = 0.3, 0.5, 1.0
_FEW_FOLDS = 4
# Products of an interior point step, rows times columns squared, beyond which libsvm is faster.
_MOST_PRODUCTS = 5e7
# Pairs of classes whose linear machines are still worth sharing among few folds.
_MOST_PAIRS = 21
# Where sequential optimization gives up; libsvm would not.
_MOST_STEPS = 1_000_000


class SupportVectorForm(BatchedForm):
    """`SVC` on many parts: trained on all rows once, and from there on every part.

    A part looks at the rows near the border of all rows and at those that turn out to be near
    its own; all others keep the multiplier 0 or C, which is checked. Radial and other kernels
    go by sequential minimal optimization up to the tolerance of the learner, as in libsvm.
    A linear machine goes by an interior point method where counted operations are fewer.
    """

    def __init__(self, estimator: Any, table: SharedTable, n_folds: int) -> None:
        super().__init__(estimator, table, n_folds)
        self._order = np.argsort(table.y, kind="stable")
        self._pairs = list(combinations(range(table.n_classes), 2))
        shape = (len(self._pairs), table.n_samples)
        self._start, self._is_near = np.zeros(shape), np.zeros(shape, dtype=bool)
        self._offsets = np.zeros(len(self._pairs))
        self._is_plane = np.zeros(len(self._pairs), dtype=bool)
        self._is_known = self._solve_all()

    @classmethod
    def supports(cls, estimator: Any, table: SharedTable) -> bool:
        """Return whether every parameter is one that the form honors."""
        has_gaps = table.preparation is None or any(step.fill is None for step in table.preparation)
        return (
            table.n_classes > 1
            and table.n_columns > 0
            and not (has_gaps and not table.is_numeric)
            and estimator.kernel in _KERNELS
            and estimator.class_weight is None
            and estimator.probability in (False, "deprecated")
            and estimator.max_iter == -1
            and not estimator.break_ties
            and not estimator.verbose
            and (table.n_classes == 2 or estimator.decision_function_shape == "ovr")
        )

    @classmethod
    def is_faster(cls, estimator: Any, table: SharedTable, n_folds: int) -> bool:
        """Return whether kernel values of the two largest classes fit into memory.

        Linear machines need few of these, but products of columns; and where there are many,
        small and solved at once by libsvm, the first solution has to be shared by more folds.
        """
        n_rows = int(np.sort(np.bincount(table.y))[-2:].sum())
        if estimator.kernel == "linear":
            n_pairs = table.n_classes * (table.n_classes - 1) // 2
            is_shared = n_folds >= _FEW_FOLDS or n_pairs <= _MOST_PAIRS
            return is_shared and n_rows * table.n_columns**2 <= _MOST_PRODUCTS
        return n_rows <= _MOST_ROWS

    def predict(
        self, folds: NDArray[np.int32], random_states: NDArray[np.int64] | None = None
    ) -> BatchedPredictions:
        """Train on every part from the solution on all rows; see `BatchedForm.predict`."""
        n_repeats, n_samples = folds.shape
        n_classes = self.table.n_classes
        labels = np.zeros((n_repeats, n_samples), dtype=np.int64)
        shape = (n_repeats, n_samples) if n_classes == 2 else (n_repeats, n_samples, n_classes)
        decision = np.zeros(shape)
        is_done = np.zeros((n_repeats, self.n_folds), dtype=bool)
        parts = self.table.parts(folds, self.n_folds)
        for repeat, fold in np.ndindex(is_done.shape) if self._is_known else ():
            with np.errstate(all="ignore"):
                result = self._part(parts, repeat, fold)
            if result is None:
                continue
            test = folds[repeat] == fold
            labels[repeat, test], decision[repeat, test] = result
            is_done[repeat, fold] = True
        return BatchedPredictions(labels, decision=decision, is_done=is_done)

    def _part(self, parts: Parts, repeat: int, fold: int) -> tuple[Ints, Floats] | None:
        """Return labels and decision values of the rows left out; None to go the plain way."""
        is_train = parts.is_train(repeat, fold)[self._order]
        counts = parts.class_counts[repeat, fold]
        if (counts > 0).sum() < min(3, len(counts)):
            return None
        matrix = parts.matrix(repeat, fold)
        if matrix.shape[1] == 0:
            return None
        test = np.flatnonzero(parts.folds[repeat] == fold)
        values = np.zeros((len(test), len(self._pairs)))
        kernel = Kernel(self.estimator, matrix, self._order[is_train])
        for number, indices, n_first in self._parts_of_pairs(is_train, counts):
            machine = self._trained(kernel, matrix, number, indices, n_first)
            if machine is None:
                return None
            values[:, number] = machine.values(test)
        if not np.isfinite(values).all():
            return None
        return _voted(values, self._pairs, counts > 0)

    def _trained(
        self, kernel: Kernel, matrix: Floats, number: int, places: Ints, n_first: int
    ) -> Machine | None:
        """Return the machine of one pair of a part; None if it cannot be had."""
        rows, beta = self._order[places], self._start[number, places]
        is_near = self._is_near[number, places]
        if not self._is_plane[number]:
            machine = KernelMachine(kernel, rows, n_first, self.estimator)
            most_steps = _MOST_STEPS
            if self.estimator.kernel == "linear":
                most_steps = _most_steps(len(rows), matrix.shape[1] + 1)
            if machine.train(beta, is_near, most_steps):
                return machine
            if self.estimator.kernel != "linear":
                return None
            is_near = np.ones(len(rows), dtype=bool)
        # the plane of all rows, in the units of this part
        used = np.flatnonzero(self._start[number])
        weights = self._start[number, used] @ matrix[self._order[used]]
        plane = InteriorMachine(matrix, rows, n_first, self.estimator)
        is_trained = plane.train(beta, is_near, np.append(weights, -self._offsets[number]))
        return plane if is_trained else None

    def _solve_all(self) -> bool:
        """Train every pair on all rows; return whether that worked."""
        # of three folds nobody is in the last: its part has all rows
        folds = (np.arange(self.table.n_samples, dtype=np.int32) % 2)[None]
        matrix = self.table.parts(folds, 3).matrix(0, 2)
        counts = np.bincount(self.table.y, minlength=self.table.n_classes)
        kernel = Kernel(self.estimator, matrix, self._order)
        all_rows = np.ones(self.table.n_samples, dtype=bool)
        reach = _NEAR_PLANE if self.n_folds >= _FEW_FOLDS else _NEAR_PLANE_FEW_FOLDS
        with np.errstate(all="ignore"):
            for number, indices, n_first in self._parts_of_pairs(all_rows, counts):
                machine = self._cheaper(kernel, matrix, self._order[indices], n_first, reach)
                if machine is None:
                    return False
                self._start[number, indices] = machine.beta
                self._offsets[number] = machine.offset
                self._is_plane[number] = isinstance(machine, InteriorMachine)
                near = (
                    np.abs(machine.slack) < reach
                    if self._is_plane[number]
                    else machine.slack < _NEAR
                )
                self._is_near[number, indices] = near
        return True

    def _cheaper(
        self, kernel: Kernel, matrix: Floats, rows: Ints, n_first: int, reach: float
    ) -> Machine | None:
        """Return the machine of a pair on all rows that parts are cheaper to train with."""
        machine = KernelMachine(kernel, rows, n_first, self.estimator)
        nothing = np.zeros(len(rows))
        first = np.zeros(len(rows), dtype=bool)
        first[:: 1 + len(rows) // _FIRST_ROWS] = True
        if self.estimator.kernel != "linear":
            return machine if machine.train(nothing, first, _MOST_STEPS) else None
        n_columns = matrix.shape[1] + 1
        most_steps = _most_steps(len(rows), n_columns)
        is_trained = len(rows) <= _MOST_ROWS and machine.train(nothing, first, most_steps)
        if is_trained:
            n_near = int((np.abs(machine.slack) < reach).sum())
            if machine.cost < _plane_cost(n_near, n_columns):
                return machine
        plane = InteriorMachine(matrix, rows, n_first, self.estimator)
        everything = np.ones(len(rows), dtype=bool)
        if plane.train(nothing, everything, np.zeros(n_columns)):
            return plane
        return machine if is_trained else None

    def _parts_of_pairs(self, is_train: Bools, counts: Ints) -> Iterator[tuple[int, Ints, int]]:
        """Yield number, places in order and rows of the first class of each pair of a part."""
        indices = np.flatnonzero(is_train)
        ends = np.cumsum(counts)
        for number, (first, second) in enumerate(self._pairs):
            if counts[first] and counts[second]:
                of_first = indices[ends[first] - counts[first] : ends[first]]
                of_second = indices[ends[second] - counts[second] : ends[second]]
                yield number, np.concatenate([of_first, of_second]), len(of_first)


def _most_steps(n_rows: int, n_columns: int) -> int:
    """Return after how many steps an interior point would have cost less."""
    return int(_plane_cost(n_rows, n_columns) / min(n_rows, _FIRST_ROWS)) + 100


def _plane_cost(n_rows: int, n_columns: int) -> float:
    """Return what an interior point costs, in what one row of one step of the other way costs.

    Twelve steps: the matrix of normal equations, its inverse, vectors, and calls of NumPy.
    """
    products = 0.03 * n_rows * n_columns**2 + 0.1 * n_columns**3
    return 12 * (products + 8 * n_rows + 12_000)


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
