"""Logistic regression on many training parts, each from the optimum of all rows."""

from __future__ import annotations

from math import inf
from numbers import Integral, Real
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bestofk.learners.joint.form import JointForm, JointPredictions
from bestofk.learners.joint.logistic_columns import LogisticColumns
from bestofk.learners.joint.logistic_descent import Descent
from bestofk.learners.joint.logistic_gradient import PartGradients, probabilities_of
from bestofk.learners.joint.logistic_reference import find_reference
from bestofk.learners.joint.parts import Parts
from bestofk.learners.joint.shared_table import SharedTable

# What a last step may still promise, in units of log loss.
_TOLERANCE = 1e-8
_MAX_STEPS = 200
# Parameters that may have any valid value: they change how near to the optimum one gets.
_FREE = ("C", "tol", "max_iter", "random_state", "warm_start")


class LogisticForm(JointForm):
    """`LogisticRegression` (L2 penalty, solver lbfgs) on many parts.

    The optimum of a part is near that of all rows, if these count as much as the part's rows
    do. There the search starts, with the Hessian found there; scaling within a part is a
    penalty weight of its own for every column. Predictions are those of the optimum: nearer to
    it than scikit-learn's at its default tolerance.
    """

    @classmethod
    def supports(cls, estimator: Any, table: SharedTable) -> bool:
        """Return whether the table is a matrix of classes, and the learner the plain one."""
        if table.n_classes < 2 or (table.preparation is None and not table.is_numeric):
            return False
        given, usual = estimator.get_params(), type(estimator)().get_params()
        if any(given[name] is not usual[name] and given[name] != usual[name]
               for name in given if name not in _FREE):  # fmt: skip
            return False
        is_valid = all(isinstance(given[name], Real) for name in ("C", "tol"))
        is_valid = is_valid and isinstance(given["max_iter"], Integral)
        return is_valid and 0 < given["C"] < inf and given["tol"] > 0 and given["max_iter"] > 0

    def __init__(self, estimator: Any, table: SharedTable, n_folds: int) -> None:
        super().__init__(estimator, table, n_folds)
        self._columns = LogisticColumns(table, n_folds, float(estimator.C))
        if table.n_classes == 2:
            target = (table.y == 1)[None, :].astype(np.float64)
        else:
            target = (table.y == np.arange(table.n_classes)[:, None]).astype(np.float64)
        self._target = target
        columns = self._columns
        self._reference = find_reference(columns.X, target, columns.ridge, 1 - 1 / n_folds)

    def predict(
        self, folds: NDArray[np.int32], random_states: NDArray[np.int64] | None = None
    ) -> JointPredictions:
        """Find the optimum of every part; see `JointForm.predict`."""
        shape = (*folds.shape, self.table.n_classes)
        labels = np.zeros(shape[:2], dtype=np.int64)
        probabilities = np.zeros(shape)
        parts = self.table.parts(folds, self.n_folds)
        is_done: NDArray[np.bool_] = np.all(parts.class_counts > 0, axis=2)
        for repeat in range(len(folds)):
            self._predict_one(parts, repeat, is_done[repeat], labels[repeat], probabilities[repeat])
        return JointPredictions(labels, probabilities, is_done=is_done)

    def _predict_one(
        self,
        parts: Parts,
        repeat: int,
        is_done: NDArray[np.bool_],
        labels: NDArray[np.int64],
        probabilities: NDArray[np.float64],
    ) -> None:
        """Fill in one repeat."""
        members, folds = np.flatnonzero(is_done), parts.folds[repeat]
        if self._reference is None or not len(members):
            is_done[:] = False
            return
        part_columns = self._columns.of_parts(parts, repeat, members)
        gradients = PartGradients(part_columns, self._target, folds, members)
        start = np.tile(self._reference.optimum, (len(members), 1))
        descent = Descent(gradients, self._reference.precondition, start, _TOLERANCE, _MAX_STEPS)
        is_done[members] = descent.is_done
        W = part_columns.widened(descent.at.reshape(len(members), len(self._target), -1))
        for member, coefficients in zip(members, W, strict=True):
            rows = np.flatnonzero(folds == member)
            scores = coefficients @ part_columns.X[rows].T
            labels[rows] = scores[0] > 0 if len(scores) == 1 else scores.argmax(axis=0)
            shares = probabilities_of(scores[None])[0].T
            probabilities[rows] = shares if len(scores) > 1 else np.hstack([1 - shares, shares])
