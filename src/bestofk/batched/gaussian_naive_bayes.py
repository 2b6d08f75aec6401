"""Gaussian naive Bayes on every set of training rows."""

from typing import Any, ClassVar

import numpy as np

from bestofk.array_types import Bools, Floats, Ints
from bestofk.batched.form import BatchedPredictions
from bestofk.batched.moments import MomentForm, PartMoments, is_summable, normalize_logs
from bestofk.batched.shared_table import SharedTable, Subsets

# Log densities below this are large in size: their rounding, and that of the smoothed variances
# behind them, affects the probabilities, so the plain learner's operations are needed.
_EXTREME = -1e4
# Share of the squares of all numbers below which variances are only rounding.
_NO_VARIANCE = 1e-24


class GaussianNaiveBayesForm(MomentForm):
    """`GaussianNB` of scikit-learn on many parts, by the moments of each class.

    Any `var_smoothing`, no `priors`. If a test row is very far from all classes, such as one with a
    level that no class has, the whole part is done in the plain learner's order of operations; with
    scaled columns it is left to the plain learner.
    """

    is_plain: ClassVar[bool] = True

    def __init__(self, estimator: Any, table: SharedTable, n_folds: int = 0) -> None:
        super().__init__(estimator, table, n_folds)
        self._smoothing = float(estimator.var_smoothing)

    @classmethod
    def supports(cls, estimator: Any, table: SharedTable) -> bool:
        """Return whether there are no priors, and the table is finite numbers."""
        return _has_plain_settings(estimator) and is_summable(table)

    def predict_subsets(
        self, subsets: Subsets, random_states: Ints | None = None
    ) -> BatchedPredictions:
        """Predict by the moments of every subset; see `BatchedForm.predict_subsets`."""
        result = super().predict_subsets(subsets)
        columns = self.table.encoded
        if len(columns.standardized) + len(columns.ranged) == 0:
            assert result.is_done is not None
            for s in np.flatnonzero(~result.is_done).tolist():
                result.is_done[s] = self._predict_in_order(subsets, s, result)
        return result

    def _classify(self, block: PartMoments) -> tuple[Ints, Floats, Bools]:
        """Predict by log densities, except parts with a row far from all classes."""
        with np.errstate(all="ignore"):
            weights, constants, is_sound = self._model(block)
            logs = np.take(constants, block.part_of_row, axis=0)
            logs -= block.squared_distances(weights)
            labels = logs.argmax(axis=1)
            highest = np.take_along_axis(logs, labels[:, None], axis=1)
            logs -= highest
        is_sound[block.part_of_row[~(highest[:, 0] >= _EXTREME)]] = False
        normalize_logs(logs)
        return labels, logs, is_sound

    def _model(self, block: PartMoments) -> tuple[Floats, Floats, Bools]:
        """Return half the inverse variances, log prior minus log normalizers, and which are valid.

        Shapes (n_parts, n_classes, n_columns), (n_parts, n_classes) and (n_parts,).
        """
        squares, counts = block.scale[:, None] ** 2, block.counts
        widest = (block.total_variances() * squares[:, 0]).max(axis=1)
        largest = (block.means**2 * squares).max(axis=(1, 2))
        variances = block.variances * squares + self._smoothing * widest[:, None, None]
        is_used = (squares > 0) & (counts > 0)[..., None]
        is_sound = ((variances > 0) | ~is_used).all(axis=(1, 2))
        is_sound &= widest > _NO_VARIANCE * largest
        variances[~is_used] = np.inf
        weights = 0.5 * squares / variances
        variances[~is_used] = 0.5 / np.pi  # whose normalizer is 1
        constants = np.log(counts / counts.sum(axis=1, keepdims=True))
        constants -= 0.5 * np.log(2.0 * np.pi * variances).sum(axis=2)
        return weights, constants, is_sound

    def _predict_in_order(self, subsets: Subsets, s: int, result: BatchedPredictions) -> bool:
        """Predict one subset with the plain learner's operations; return False if these fail."""
        train, asked = subsets.train[s : s + 1], slice(subsets.start[s], subsets.start[s + 1])
        rows = subsets.rows[asked]
        parts = Subsets(train, rows, np.array([0, len(rows)])).parts(self.table)
        matrix, y = parts.matrix(0, 0), self.table.y[train[0]]
        X = matrix[train[0]]
        widest = np.var(X, axis=0).max(initial=0.0)
        if not widest > _NO_VARIANCE * (X**2).max(initial=0.0):
            return False
        logs = np.full((len(rows), self.table.n_classes), -np.inf)
        for index in np.unique(y):
            members = X[y == index]
            mean, variance = members.mean(axis=0), members.var(axis=0) + self._smoothing * widest
            if not (variance > 0).all():
                return False
            log = -0.5 * np.sum(np.log(2.0 * np.pi * variance))
            log = log - 0.5 * np.sum((matrix[rows] - mean) ** 2 / variance, axis=1)
            logs[:, index] = np.log(len(members) / len(y)) + log
        result.labels[asked] = logs.argmax(axis=1)
        assert result.probabilities is not None
        result.probabilities[asked] = _normalized(logs)
        return bool(np.isfinite(logs.max(axis=1)).all())


def _has_plain_settings(estimator: Any) -> bool:
    """Return whether there are no priors, and smoothing is a valid number."""
    smoothing = estimator.var_smoothing
    is_known = isinstance(smoothing, int | float | np.number) and 0 <= smoothing < np.inf
    return estimator.priors is None and bool(is_known)


def _normalized(logs: Floats) -> Floats:
    """Return probabilities from log densities, rounded where the plain learner rounds."""
    highest = logs.max(axis=1, keepdims=True)
    is_highest = logs == highest
    n_highest = is_highest.sum(axis=1, keepdims=True)
    others = np.exp(np.where(is_highest, -np.inf, logs) - highest).sum(axis=1, keepdims=True)
    return np.asarray(np.exp(logs - (np.log1p(others / n_highest) + np.log(n_highest) + highest)))
