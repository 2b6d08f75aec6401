"""Logistic regression on many training parts, each from the optimum of all rows."""

from __future__ import annotations

from dataclasses import replace
from math import inf
from numbers import Integral, Real
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bestofk.batched.form import BatchedForm, BatchedPredictions
from bestofk.batched.logistic_columns import LogisticColumns
from bestofk.batched.logistic_descent import Descent
from bestofk.batched.logistic_gradient import (
    BLOCK,
    PartGradients,
    are_apart,
    probabilities_of,
)
from bestofk.batched.logistic_reference import Reference, find_reference
from bestofk.batched.logistic_tiles import TiledOptima
from bestofk.batched.parts import Parts
from bestofk.batched.shared_table import SharedTable

# Numbers of all parts of some repeats that are worked on at once: fewer calls, and they nearly
# fit the second cache of a core. Beside its scores, a part keeps vectors of its last steps.
_BATCH, _KEPT_VECTORS = 3 << 16, 32
# What a last step may still promise, in units of log loss and per parameter: predictions are
# then within some 1e-5 of the optimum's.
_TOLERANCE = 2e-7
_MAX_STEPS = 200
# Tables that loops are compiled for, which takes longer than all else does for a smaller one; more
# parameters are for the products of a library.
_FEWEST_NUMBERS, _MOST_PARAMETERS = 10_000, 256
# What scikit-learn does, in operations: to call it, per cell of text, and its steps. The
# large products of Hessians run that much faster than the others.
_PLAIN_CALLS, _PLAIN_TEXT, _PLAIN_STEPS, _FAST = 3e7, 1000, 46, 8
# Operations are counted with an error of some tenth, and one plain fit in ten is done all the same:
# it tells what the learner costs by itself.
_MARGIN = 1.2
# Steps that the plain learner must be allowed, and what makes a column uneven: a mean or a
# deviation above this, or a deviation below its inverse.
_FEWEST_STEPS, _MANY_STEPS, _EVEN = 100, 10_000, 3.0
# Parts that lack some classes have an optimum of all other rows to start from, if this share of
# parts is expected to lack them: it costs about what a plain fit does.
_OFTEN = 0.1
# Parameters that may have any valid value: they change how near to the optimum one gets.
_FREE = ("C", "tol", "max_iter", "random_state", "warm_start")


class LogisticForm(BatchedForm):
    """`LogisticRegression` (L2 penalty, solver lbfgs) on many parts.

    The optimum of a part is near that of all rows, if these count as much as the part's rows
    do. There the search starts, with the Hessian found there; scaling within a part is a
    penalty weight of its own for every column. Predictions are those of the optimum: nearer to
    it than scikit-learn's at its default tolerance.
    """

    @classmethod
    def supports(cls, estimator: Any, table: SharedTable) -> bool:
        """Return whether the table is a matrix of classes, and the learner the plain one.

        The plain learner must be given the steps to get to the optimum: its usual hundred
        where columns are of a size, a hundred times as many where nothing scales them.
        """
        if table.n_classes < 2 or (table.preparation is None and not table.is_numeric):
            return False
        if table.n_columns == 0 or _has_lasting_gaps(table):
            return False
        given, usual = estimator.get_params(), type(estimator)().get_params()
        if any(given[name] is not usual[name] and given[name] != usual[name]
               for name in given if name not in _FREE):  # fmt: skip
            return False
        is_valid = all(isinstance(given[name], Real) for name in ("C", "tol"))
        is_valid = is_valid and isinstance(given["max_iter"], Integral)
        if not (is_valid and 0 < given["C"] < inf and given["tol"] > 0):
            return False
        return bool(given["max_iter"] >= (_MANY_STEPS if _is_uneven(table) else _FEWEST_STEPS))

    @classmethod
    def is_faster(cls, estimator: Any, table: SharedTable, n_folds: int) -> bool:
        """Return whether ten fits cost no more operations, what is shared included.

        The steps of either way, what a cell of text costs the plain way and what calling
        scikit-learn costs are averages over some sixty data sets.
        """
        n_scores = table.n_classes if table.n_classes > 2 else 1
        size, n_rows = n_scores * (table.n_columns + 1), table.n_samples
        n_train = n_rows * (1 - 1 / n_folds)
        encoded = table.encoded
        is_text = np.array([step.is_nominal for step in encoded.steps], dtype=bool)
        n_texts = len(np.unique(encoded.attribute[is_text])) * n_rows
        plain = _PLAIN_CALLS + _PLAIN_TEXT * n_texts + _PLAIN_STEPS * 4 * n_train * size
        n_steps = min(10 + 100 * size / (n_train * n_folds), 50)
        batched = n_steps * (4 * n_train * size + 2 * size**2 + 4 * n_steps * size)
        shared = (2 * n_rows * size**2 + 2.6 * size**3) / _FAST + 35 * 4 * n_rows * size
        return bool(_MARGIN * (10 * batched + shared) <= 10 * plain)

    def __init__(self, estimator: Any, table: SharedTable, n_folds: int) -> None:
        super().__init__(estimator, table, n_folds)
        target = self._target = _targets(table.y, np.arange(table.n_classes))
        # By the classes that are present, found when first needed: whoever asks, and in which
        # order, finds the same.
        self._without: dict[bytes, Reference | None] = {}
        with np.errstate(all="ignore"):
            self._columns = LogisticColumns(table, n_folds, float(estimator.C))
            X, ridge = self._columns.X, self._columns.ridge
            self._reference = find_reference(X, target, ridge, 1 - 1 / n_folds)
        self._is_large = target.size * n_folds > BLOCK or are_apart(X.size, n_folds)
        self._tiled: TiledOptima | None = None
        reference, size = self._reference, len(target) * X.shape[1]
        is_tiled = size <= _MOST_PARAMETERS and size * len(X) >= _FEWEST_NUMBERS
        if is_tiled and reference is not None and not self._columns.has_gaps:
            limits = _TOLERANCE / size, _MAX_STEPS
            self._tiled = TiledOptima(X, target, reference, *limits)

    def predict(
        self, folds: NDArray[np.int32], random_states: NDArray[np.int64] | None = None
    ) -> BatchedPredictions:
        """Find the optimum of every part; see `BatchedForm.predict`."""
        shape = (*folds.shape, self.table.n_classes)
        labels, probabilities = np.zeros(shape[:2], dtype=np.int64), np.zeros(shape)
        parts = self.table.parts(folds, self.n_folds)
        is_done: NDArray[np.bool_] = np.all(parts.class_counts > 0, axis=2)
        if parts.is_active is not None:
            is_done &= parts.is_active.any(axis=2)
        if self._reference is None:
            is_done[:] = False
            return BatchedPredictions(labels, probabilities, is_done=is_done)
        with np.errstate(all="ignore"):
            for repeats in self._blocks(parts):
                result, is_done[repeats] = self._optima(
                    self._reference, parts, repeats, is_done[repeats]
                )
                labels[repeats] = _best(result)
                probabilities[repeats] = _shares(result)
            for repeat, fold in np.argwhere(self._often_lacks(parts)):
                chosen = folds[repeat] == fold
                is_present = parts.class_counts[repeat, fold] > 0
                result, is_done[repeat, fold] = self._optimum_without(parts, repeat, fold)
                present = np.flatnonzero(is_present)
                labels[repeat, chosen] = present[_best(result)[0]]
                probabilities[repeat, chosen] = 0.0
                probabilities[repeat, np.flatnonzero(chosen)[:, None], present] = _shares(result)[0]
        return BatchedPredictions(labels, probabilities, is_done=is_done)

    def _blocks(self, parts: Parts) -> list[NDArray[np.int64]]:
        """Return which repeats are computed at once."""
        if self._tiled is not None:
            return [np.arange(parts.n_repeats)]
        is_usual = self._columns.is_usual(parts)
        usual, alone = np.flatnonzero(is_usual), np.flatnonzero(~is_usual)
        kept = _KEPT_VECTORS * len(self._target) * self._columns.X.shape[1]
        size = max(_BATCH // (self.n_folds * (self._target.size + kept)), 1)
        n_blocks = len(usual) if self._is_large else -(-len(usual) // size)
        blocks = np.array_split(usual, n_blocks) if n_blocks else []
        return blocks + [alone[index : index + 1] for index in range(len(alone))]

    def _optima(
        self,
        reference: Reference,
        parts: Parts,
        repeats: NDArray[np.int64],
        is_wanted: NDArray[np.bool_],
    ) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
        """Return the scores of all rows, by the model that was not trained on them, and is_done.

        Scores have shape (n_repeats, n_scores, n_samples).
        """
        columns, folds = self._columns.of_parts(parts, repeats), parts.folds[repeats]
        if self._tiled is not None:
            return self._tiled.find(folds, columns.ridge, is_wanted)
        start = np.tile(reference.optimum, (*is_wanted.shape, 1))
        descent = Descent(
            PartGradients(columns, self._target, folds), reference.precondition, start,
            is_wanted, _TOLERANCE / start.shape[2], _MAX_STEPS, leave_singly=self._is_large,
        )  # fmt: skip
        W = columns.widened(descent.at.reshape(*is_wanted.shape, len(self._target), -1))
        scores = _scores_left_out(columns.X, W, folds, at_once=not self._is_large)
        return scores, descent.is_done

    def _often_lacks(self, parts: Parts) -> NDArray[np.bool_]:
        """Return which parts lack classes that are so rare that many parts do."""
        lacks = parts.class_counts == 0
        n_lacking = (lacks * np.bincount(self.table.y, minlength=lacks.shape[2])).sum(axis=2)
        is_often = lacks.any(axis=2) & (float(self.n_folds) ** -n_lacking >= _OFTEN)
        is_often &= lacks.shape[2] - lacks.sum(axis=2) >= 2
        if parts.is_active is not None:
            is_often &= parts.is_active.any(axis=2)
        return np.asarray(is_often)

    def _optimum_without(
        self, parts: Parts, repeat: int, fold: int
    ) -> tuple[NDArray[np.float64], bool]:
        """Return the scores of the rows left out by a part that lacks classes, and if it is done.

        Scores are those of the classes that it has, of shape (1, n_scores, n_rows).
        """
        is_present = parts.class_counts[repeat, fold] > 0
        present, y, X = np.flatnonzero(is_present), self.table.y, self._columns.X
        key = is_present.tobytes()
        if key not in self._without:
            kept, ridge, weight = is_present[y], self._columns.ridge, 1 - 1 / self.n_folds
            self._without[key] = find_reference(X[kept], _targets(y[kept], present), ridge, weight)
        reference, is_test = self._without[key], parts.folds[repeat] == fold
        target = _targets(y[~is_test], present)
        if reference is None:
            return np.zeros((1, len(target), int(is_test.sum()))), False
        all_rows = self._columns.of_parts(parts, np.array([repeat]))
        here = np.arange(self.n_folds) == fold
        columns = replace(all_rows.of(np.array([True]), here), X=all_rows.X[~is_test])
        descent = Descent(
            PartGradients(columns, target), reference.precondition,
            reference.optimum[None, None], np.ones((1, 1), dtype=bool),
            _TOLERANCE / len(reference.optimum), _MAX_STEPS, leave_singly=True,
        )  # fmt: skip
        W = columns.widened(descent.at.reshape(1, 1, len(target), -1))
        return W[0] @ all_rows.X[is_test].T, bool(descent.is_done[0, 0])


def _targets(y: NDArray[Any], present: NDArray[np.int64]) -> NDArray[np.float64]:
    """Return 1 for the class of each row, else 0: one line for two classes, the second's."""
    wanted = present[1:] if len(present) == 2 else present
    return np.asarray(y == wanted[:, None], dtype=np.float64)


def _has_lasting_gaps(table: SharedTable) -> bool:
    """Return whether values are missing that nothing fills in."""
    missing = table.encoded.is_missing
    if missing is None:
        return False
    is_filled = [step.fill is not None for step in table.encoded.steps]
    return bool(missing[:, ~np.array(is_filled, dtype=bool)].any())


def _is_uneven(table: SharedTable) -> bool:
    """Return whether columns reach the learner in such sizes that it stops before the optimum."""
    is_raw = np.array([step.scale is None for step in table.encoded.steps], dtype=bool)
    columns = table.encoded.matrix[:, is_raw]
    with np.errstate(over="ignore", invalid="ignore"):
        means, deviations = np.abs(columns.mean(axis=0)), columns.std(axis=0)
    is_far = ~(means <= _EVEN) | ~(deviations <= _EVEN)
    is_flat = (deviations > 0) & (deviations < 1 / _EVEN) & ~_is_binary(columns)
    return bool((is_far | is_flat).any())


def _is_binary(columns: NDArray[np.float64]) -> NDArray[np.bool_]:
    return np.asarray(((columns == 0) | (columns == 1)).all(axis=0))


def _scores_left_out(
    X: NDArray[np.float64], W: NDArray[np.float64], folds: NDArray[np.int32], *, at_once: bool
) -> NDArray[np.float64]:
    """Return the scores of every row by the part of its own fold.

    `at_once`: from those by all parts, which takes few calls.
    """
    n_repeats, n_parts, n_scores, n_columns = W.shape
    if at_once:
        everything = np.matmul(W.reshape(n_repeats, n_parts * n_scores, n_columns), X.T)
        everything = everything.reshape(n_repeats, n_parts, n_scores, -1)
        return np.take_along_axis(everything, folds[:, None, None, :].astype(np.int64), 1)[:, 0]
    scores = np.empty((n_repeats, n_scores, len(X)))
    for repeat, fold in np.ndindex(n_repeats, n_parts):
        rows = np.flatnonzero(folds[repeat] == fold)
        scores[repeat][:, rows] = W[repeat, fold] @ X[rows].T
    return scores


def _best(scores: NDArray[np.float64]) -> NDArray[np.int64]:
    """Return the classes with the highest scores, shape (n_repeats, n_samples)."""
    best: NDArray[np.int64] = (
        (scores[:, 0] > 0).astype(np.int64) if scores.shape[1] == 1 else scores.argmax(axis=1)
    )
    return best


def _shares(scores: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the probabilities of all classes, shape (n_repeats, n_samples, n_classes)."""
    shares = probabilities_of(scores)
    if shares.shape[1] == 1:
        return np.stack([1 - shares[:, 0], shares[:, 0]], axis=2)
    return shares.swapaxes(1, 2)
