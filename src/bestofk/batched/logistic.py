"""Logistic regression on many training sets of a table, each from the optimum of all rows."""

from __future__ import annotations

from math import inf
from numbers import Integral, Real
from typing import Any, Final

import numpy as np

from bestofk.array_types import Bools, Floats, Folds, Ints
from bestofk.batched.form import BatchedForm, BatchedPredictions
from bestofk.batched.logistic_optima import (
    LogLosses,
    Reference,
    class_sums,
    find_optima,
    find_reference,
    probabilities_of,
)
from bestofk.batched.parts import Parts
from bestofk.batched.shared_table import SharedTable
from bestofk.batched.subsets import Subsets

# Scores, or columns where each set has its own, that are worked on at once: fewer calls, and
# they nearly fit the second cache of a core.
_BATCH: Final = 3 << 16
# Folds whose training parts are what subsets are on average, and shares of all rows that subsets
# start from the optimum of.
_USUAL_FOLDS: Final = 10
_SHARES: Final = [1.0, 0.5, 0.25, 0.125, 0.0625]
# Coefficients of a subset, beyond which the plain learner's steps cost less.
_MOST_COEFFICIENTS: Final = 100
# What a last step may still promise in a subset, whose curvature the reference knows less of.
_TOLERANCE: Final = 1e-10
# What scikit-learn does, in operations: to call it, per cell of text, and its steps. The
# large products of Hessians run that much faster than the others.
_PLAIN_CALLS, _PLAIN_TEXT, _PLAIN_STEPS, _FAST = 3e7, 1000, 46, 8
# Operations are counted with an error of some tenth, and one plain fit in ten is done all the same:
# it tells what the learner costs by itself.
_MARGIN = 1.2
# Steps that the plain learner must be allowed, and what makes a column uneven: a mean or a
# deviation above this, or a deviation below its inverse.
_FEWEST_STEPS, _MANY_STEPS, _EVEN = 100, 10_000, 3.0
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

    @classmethod
    def supports_subsets(cls, estimator: Any, table: SharedTable) -> bool:
        """Return whether there are few coefficients."""
        n_scores = table.n_classes if table.n_classes > 2 else 1
        return n_scores * (table.n_columns + 1) <= _MOST_COEFFICIENTS

    def __init__(self, estimator: Any, table: SharedTable, n_folds: int = 0) -> None:
        super().__init__(estimator, table, n_folds)
        self._shares = [1 - 1 / n_folds] if n_folds else _SHARES
        with np.errstate(all="ignore"):
            self._columns = _Columns(table, float(estimator.C), n_folds or _USUAL_FOLDS)
            self._references = [self._columns.reference(share) for share in self._shares]

    def predict(self, folds: Folds, random_states: Ints | None = None) -> BatchedPredictions:
        """Find the optimum of every part; see `BatchedForm.predict`."""
        parts = self.table.parts(folds, self.n_folds)
        is_present = parts.class_counts > 0
        is_done: Bools = is_present.sum(axis=2) > 1
        if parts.is_active is not None:
            is_done &= parts.is_active.any(axis=2)
        n_lines = self._columns.X.shape[0] if self._columns.has_gaps else len(self._columns.target)
        size = max(_BATCH // (self.n_folds * self.table.n_samples * n_lines), 1)
        scores = np.zeros((len(folds), len(self._columns.target), self.table.n_samples))
        with np.errstate(all="ignore"):
            for first in range(0, len(folds), size):
                repeats = slice(first, first + size)
                is_done[repeats] = self._score(parts, repeats, is_done[repeats], scores[repeats])
            lacking = ~np.take_along_axis(is_present, folds[:, :, None].astype(np.int64), 1)
            return BatchedPredictions(*_predictions(scores, lacking), is_done=is_done)

    def _score(self, parts: Parts, repeats: slice, is_wanted: Bools, scores: Floats) -> Bools:
        """Write the scores of all rows by the part that left them out; return which are done."""
        columns, folds = self._columns, parts.folds[repeats]
        is_train = (folds[:, None, None, :] != np.arange(self.n_folds)[:, None, None]) * 1.0
        X, ridge = columns.X[None], columns.penalties(parts)[repeats]
        is_absent = parts.class_counts[repeats] == 0
        # parts of a repeat share the rows, unless each fills their gaps by itself
        shape = is_wanted.shape
        if parts.fill is not None:
            n_sets, n_rows = is_wanted.size, scores.shape[2]
            all_rows = np.broadcast_to(np.arange(n_rows), (n_sets, n_rows))
            X = columns.rows(all_rows, parts.fill[repeats].reshape(n_sets, -1))
            shape = n_sets, 1
        losses = columns.losses(
            X, columns.target[None], ridge.reshape(*shape, -1), is_absent.reshape(*shape, -1),
            is_train.reshape(*shape, *is_train.shape[2:]),
        )  # fmt: skip
        W, is_done = find_optima(losses, self._references[0], is_wanted.reshape(shape))
        of_all = np.matmul(W.reshape(len(W), -1, X.shape[1]), X)
        of_all = of_all.reshape(*is_wanted.shape, scores.shape[1], -1)
        scores[:] = np.take_along_axis(of_all, folds[:, None, None].astype(np.int64), 1)[:, 0]
        return is_done.reshape(is_wanted.shape)

    def predict_subsets(
        self, subsets: Subsets, random_states: Ints | None = None
    ) -> BatchedPredictions:
        """Find the optimum of every subset; see `BatchedForm.predict_subsets`."""
        columns, start = self._columns, subsets.start
        n_samples, n_train = self.table.n_samples, subsets.train.shape[1]
        off = np.log(np.array(self._shares) * n_samples / n_train)
        reference = self._references[np.abs(off).argmin()]
        class_counts = subsets.class_counts(self.table)
        is_done: Bools = (class_counts > 0).sum(axis=1) > 1
        scores = np.zeros((1, len(columns.target), len(subsets.rows)))
        size = max(1, _BATCH // (n_train * len(columns.X)))
        parts = subsets.parts(self.table)
        ridge, fill = columns.penalties(parts)[:, :1], None
        with np.errstate(all="ignore"):
            for first in range(0, len(subsets), size):
                some = slice(first, first + size)
                if parts.fill is not None:
                    fill = parts.fill[some, 0]
                X = columns.rows(subsets.train[some], fill)
                target = columns.target[:, subsets.train[some]].swapaxes(0, 1)
                is_absent = class_counts[some, None] == 0
                losses = columns.losses(X, target, ridge[some], is_absent)
                W, done = find_optima(losses, reference, is_done[some, None], _TOLERANCE)
                is_done[some] = done[:, 0]
                for s, coefficients in enumerate(W[:, 0], first):
                    rows = slice(start[s], start[s + 1])
                    W_s = coefficients.reshape(len(columns.target), -1)
                    own = None if fill is None else fill[s - first : s - first + 1]
                    scores[0][:, rows] = W_s @ columns.rows(subsets.rows[None, rows], own)[0]
            lacking = np.repeat(class_counts == 0, np.diff(start), axis=0)
            labels, shares = _predictions(scores, lacking[None])
        return BatchedPredictions(labels[0], shares[0], is_done=is_done)


class _Columns:
    """The columns of a table in units that suit all training sets, and the target.

    Standardizing within a set is a change of units: the same coefficients result from the
    shared units if the penalty of each is multiplied by the square of the set's unit; the
    shift is the intercept's affair.

    Parameters
    ----------
    table : SharedTable
        The data.
    C : float
        Inverse strength of the penalty.
    n_folds : int
        Folds whose training parts are what sets are on average.

    Attributes
    ----------
    X : ndarray of shape (n_columns + 1, n_samples), float64
        All rows, missing values filled as sets do on average; the last line is 1.
    target : ndarray of shape (n_scores, n_samples), float64
        1 for the class of a row, else 0. One line for two classes: the second's.
    """

    def __init__(self, table: SharedTable, C: float, n_folds: int) -> None:
        self._encoded, self._C, self.has_gaps = table.encoded, C, table.has_missing
        is_number = np.array([not step.is_nominal for step in self._encoded.steps], dtype=bool)
        matrix = self._encoded.matrix
        every_nth = (np.arange(table.n_samples) % n_folds).astype(np.int32)
        self._usual = usual = table.parts(every_nth[None], n_folds)
        if usual.fill is not None and self._encoded.is_missing is not None:
            matrix = np.where(self._encoded.is_missing, usual.fill[0].mean(axis=0), matrix)
        self._center = np.where(is_number, matrix.mean(axis=0), 0.0)
        self._spread = np.where(is_number, matrix.std(axis=0), 1.0)
        self._spread[self._spread == 0] = 1.0
        self.X = np.vstack([((matrix - self._center) / self._spread).T, np.ones(len(matrix))])
        classes = (
            np.arange(table.n_classes)[-1:] if table.n_classes == 2 else range(table.n_classes)
        )
        self.target = np.asarray(table.y == np.array(classes)[:, None], dtype=np.float64)

    def reference(self, share: float) -> Reference:
        """Return the optimum of all rows, each with the weight of the share that trains."""
        ridge = self.penalties(self._usual)[0].mean(axis=0)
        return find_reference(self.X, self.target, ridge, share)

    def penalties(self, parts: Parts) -> Floats:
        """Return the penalty weights of sets in the units of X, and 0 for the intercept.

        Shape (n_repeats, n_folds, n_columns + 1).
        """
        penalties = np.zeros((parts.n_repeats, parts.n_folds, len(self.X)))
        penalties[..., :-1] = 1 / (self._C * self._spread**2)
        if parts.scale is not None and parts.is_constant is not None:
            # A column that is constant in a set gets the coefficient 0 with any penalty.
            penalties[..., :-1] /= np.where(parts.is_constant, 1.0, parts.scale) ** 2
        return penalties

    def rows(self, rows: Ints, fill: Floats | None) -> Floats:
        """Return rows of X as each set fills them, shape (n_sets, n_columns + 1, n_rows).

        Parameters
        ----------
        rows : ndarray of shape (n_sets, n_rows)
            Of each set.
        fill : ndarray of shape (n_sets, n_columns), or None
            What `Parts.fill` says; None where no value is missing.
        """
        X = np.ascontiguousarray(self.X[:, rows].swapaxes(0, 1))
        if fill is not None and self._encoded.is_missing is not None:
            is_missing = self._encoded.is_missing.T[:, rows].swapaxes(0, 1)
            units = (fill - self._center) / self._spread
            np.copyto(X[:, :-1], units[:, :, None], where=is_missing)
        return X

    def losses(
        self,
        X: Floats,
        target: Floats,
        ridge: Floats,
        is_absent: Bools,
        is_train: Floats | None = None,
    ) -> LogLosses:
        """Return the losses of sets that may lack classes; see `LogLosses`."""
        pull = class_sums(X, target, is_train)
        if len(self.target) == 1 or not is_absent.any():
            return LogLosses(X, pull, ridge, is_train)
        # Of two classes the plain learner has one score: half of the penalty of two.
        is_pair = is_absent.shape[2] - is_absent.sum(axis=2) == 2
        ridge = np.where(is_pair[..., None], 2 * ridge, ridge)
        return LogLosses(X, pull, ridge, is_train, is_absent)


def _predictions(scores: Floats, lacking: Bools) -> tuple[Ints, Floats]:
    """Return labels and probabilities of all classes, (.., n_rows) and (.., n_rows, n_classes).

    Parameters
    ----------
    scores : ndarray of shape (n_repeats, n_scores, n_rows)
        Overwritten.
    lacking : ndarray of shape (n_repeats, n_rows, n_classes), bool
        Classes that the training set of a row lacks.
    """
    if scores.shape[1] == 1:
        labels = (scores[:, 0] > 0).astype(np.int64)
        second = probabilities_of(scores)[:, 0]
        return labels, np.stack([1 - second, second], axis=2)
    scores[lacking.swapaxes(1, 2)] = -np.inf
    return scores.argmax(axis=1), probabilities_of(scores).swapaxes(1, 2)


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


def _is_binary(columns: Floats) -> Bools:
    return np.asarray(((columns == 0) | (columns == 1)).all(axis=0))
