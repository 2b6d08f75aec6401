"""Gaussian naive Bayes on every set of training rows."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from bestofk.batched.form import BatchedForm, BatchedPredictions
from bestofk.batched.moments import ClassMoments, PartMoments, is_summable, normalize_logs
from bestofk.batched.shared_table import SharedTable
from bestofk.batched.subsets import Subsets

# Log densities below this are far larger than 1: their rounding, and that of the smoothed
# variances behind them, reaches the probabilities, so that it must be the plain learner's own.
_EXTREME = -1e4


class GaussianNaiveBayesForm(BatchedForm):
    """`GaussianNB` of scikit-learn on many parts, by sums and squares of each fold and class.

    Any `var_smoothing`, no `priors`. Where a test row is very far from all classes, such as
    one with a level that no class has, the whole part is done in the plain learner's order of
    operations; with scaled columns it is left to the plain way.
    """

    releases_lock: ClassVar[bool] = True

    def __init__(self, estimator: Any, table: SharedTable, n_folds: int = 0) -> None:
        super().__init__(estimator, table, n_folds)
        self._smoothing = float(estimator.var_smoothing)
        if n_folds > 0:
            self._moments = ClassMoments(table, n_folds)

    @classmethod
    def supports(cls, estimator: Any, table: SharedTable) -> bool:
        """Return whether there are no priors, and the table is finite numbers."""
        return _has_plain_settings(estimator) and is_summable(table)

    @classmethod
    def supports_subsets(cls, estimator: Any, table: SharedTable) -> bool:
        """Return whether no number is missing."""
        return not table.has_missing

    def predict_subsets(
        self, subsets: Subsets, random_states: NDArray[np.int64] | None = None
    ) -> BatchedPredictions:
        """Predict by the moments of every subset; see `BatchedForm.predict_subsets`."""
        from bestofk.batched._subset_kernels import _normal_classes

        table, n_rows = self.table, len(subsets.rows)
        is_done, is_extreme = np.ones(len(subsets), dtype=bool), np.zeros(len(subsets), dtype=bool)
        labels, shares = np.zeros(n_rows, dtype=np.int64), np.zeros((n_rows, table.n_classes))
        shift, scale = subsets.scaling(table)
        X = np.ascontiguousarray(table.encoded.matrix)
        _normal_classes(
            X, table.y.astype(np.int64), subsets.train, subsets.rows, subsets.start, shift, scale,
            self._smoothing, _EXTREME, is_done, is_extreme, labels, shares,
        )  # fmt: skip
        normalize_logs(shares[None])
        for s in np.flatnonzero(is_extreme & is_done):
            rows = slice(subsets.start[s], subsets.start[s + 1])
            is_done[s] = not shift[s].any() and np.isin(scale[s], (0, 1)).all()
            if is_done[s]:
                shares[rows], is_done[s] = self._shares_in_order(
                    X, subsets.train[s], subsets.rows[rows], scale[s] > 0
                )
                labels[rows] = shares[rows].argmax(axis=1)
        return BatchedPredictions(labels, shares, is_done=is_done)

    def predict(
        self, folds: NDArray[np.int32], random_states: NDArray[np.int64] | None = None
    ) -> BatchedPredictions:
        """Predict by the moments of every part; see `BatchedForm.predict`."""
        labels = np.empty(folds.shape, dtype=np.int64)
        probabilities = np.empty((*folds.shape, self.table.n_classes))
        is_done = np.ones((len(folds), self.n_folds), dtype=bool)
        for block in self._moments.blocks(folds):
            result = labels[block.repeats], probabilities[block.repeats]
            weights, constants, is_sound = self._model(block)
            is_extreme = self._predict(block, weights, constants, *result)
            is_done[block.repeats] = is_sound
            for repeat, fold in np.argwhere(is_extreme & is_sound):
                is_done[block.repeats.start + repeat, fold] = self._predict_in_order(
                    block, repeat, fold, *result
                )
        return BatchedPredictions(labels, probabilities, is_done=is_done)

    def _model(
        self, block: PartMoments
    ) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.bool_]]:
        """Return half the inverse variances, the constants, and where no variance is 0."""
        from bestofk.batched._moment_kernels import _normal_model

        weights, constants = np.empty(block.means.shape), np.empty(block.counts.shape)
        is_sound = np.ones(constants.shape[:2], dtype=bool)
        _normal_model(
            block.counts, block.means, block.variances, block.joined()[1], block.scales,
            self._smoothing, weights, constants, is_sound,
        )  # fmt: skip
        return weights, constants, is_sound

    def _predict(
        self,
        block: PartMoments,
        weights: NDArray[np.float64],
        constants: NDArray[np.float64],
        labels: NDArray[np.int64],
        probabilities: NDArray[np.float64],
    ) -> NDArray[np.bool_]:
        """Predict all rows; return which parts have rows far from all classes."""
        from bestofk.batched._cell_kernels import _log_shares_of_normals

        is_rough = self._moments.is_rough and block.parts.scale is None
        is_extreme = np.full(constants.shape[:2], is_rough)
        buffers = self._moments.buffers(1)
        for some, matrix in self._moments.tables(block):
            _log_shares_of_normals(
                block.order[some], block.bounds[some], matrix, block.means[some], weights[some],
                constants[some], _EXTREME, *buffers, is_extreme[some], labels[some],
                probabilities[some],
            )  # fmt: skip
        normalize_logs(probabilities)
        return is_extreme

    def _predict_in_order(
        self,
        block: PartMoments,
        repeat: int,
        fold: int,
        labels: NDArray[np.int64],
        probabilities: NDArray[np.float64],
    ) -> bool:
        """Predict one part with the plain learner's operations; False where that needs itself."""
        if block.parts.scale is not None:
            return False
        is_test, is_active = block.parts.folds[repeat] == fold, block.scales[repeat, fold] > 0
        rows, matrix = np.flatnonzero(is_test), self._filled_in_order(block, repeat, fold)
        shares, is_finite = self._shares_in_order(matrix, np.flatnonzero(~is_test), rows, is_active)
        labels[repeat, rows] = shares.argmax(axis=1)
        probabilities[repeat, rows] = shares
        return is_finite

    def _filled_in_order(self, block: PartMoments, repeat: int, fold: int) -> NDArray[np.float64]:
        """Return all rows, means of incomplete columns added up row by row as in the plain way."""
        parts, moments = block.parts, self._moments
        matrix = moments.filled(parts, repeat, fold)
        if moments.is_missing is None:
            return matrix
        is_train = parts.is_train(repeat, fold)
        known = ~moments.is_missing
        sums = np.where(known, matrix, 0.0)[is_train].sum(axis=0)
        means = sums / np.maximum(known[is_train].sum(axis=0), 1)
        steps = self.table.encoded.steps
        for index in np.flatnonzero(moments.is_missing.any(axis=0)):
            if steps[index].fill == "mean" and not steps[index].is_nominal:
                matrix[moments.is_missing[:, index], index] = means[index]
        return matrix

    def _shares_in_order(
        self,
        matrix: NDArray[np.float64],
        train: NDArray[np.intp],
        rows: NDArray[np.intp],
        is_active: NDArray[np.bool_],
    ) -> tuple[NDArray[np.float64], bool]:
        """Return probabilities by the plain learner's operations, and whether all logs are finite.

        Parameters
        ----------
        matrix : ndarray of shape (n_samples, n_columns)
            All rows, prepared.
        train, rows : ndarray of int
            Rows that train, and rows to predict.
        is_active : ndarray of shape (n_columns,), bool
            Which columns there are.
        """
        # the order in memory is that of sums
        X = np.ascontiguousarray(matrix[train][:, is_active])
        asked = np.ascontiguousarray(matrix[rows][:, is_active])
        y, smoothing = self.table.y[train], self._smoothing * np.var(X, axis=0).max()
        logs = np.full((len(rows), self.table.n_classes), -np.inf)
        for index in np.unique(y):
            members = X[y == index]
            mean, variance = members.mean(axis=0), members.var(axis=0) + smoothing
            log = -0.5 * np.sum(np.log(2.0 * np.pi * variance))
            log = log - 0.5 * np.sum((asked - mean) ** 2 / variance, axis=1)
            logs[:, index] = np.log(len(members) / len(y)) + log
        return _normalized(logs), bool(np.isfinite(logs.max(axis=1)).all())


def _has_plain_settings(estimator: Any) -> bool:
    """Return whether there are no priors, and smoothing is a number that can be used."""
    smoothing = estimator.var_smoothing
    is_known = isinstance(smoothing, int | float | np.number) and 0 <= smoothing < np.inf
    return estimator.priors is None and bool(is_known)


def _normalized(logs: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return probabilities from log densities, rounded where the plain learner rounds."""
    highest = logs.max(axis=1, keepdims=True)
    is_highest = logs == highest
    n_highest = is_highest.sum(axis=1, keepdims=True)
    others = np.exp(np.where(is_highest, -np.inf, logs) - highest).sum(axis=1, keepdims=True)
    probabilities: NDArray[np.float64] = np.exp(
        logs - (np.log1p(others / n_highest) + np.log(n_highest) + highest)
    )
    return probabilities
