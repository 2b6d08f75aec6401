"""Ridge regression and least squares on every training part, and the classifier of ridge."""

from numbers import Real
from typing import Any

import numpy as np

from bestofk.array_types import Bools, Floats, Folds, Ints
from bestofk.batched.form import BatchedPredictions
from bestofk.batched.scatter import (
    CenteredRows,
    PartBlock,
    ScatterForm,
    filled_products,
    is_in_doubles,
)
from bestofk.batched.shared_table import SharedTable

# Systems of equations with a larger growth of rounding errors are left to the plain learner.
_LARGEST_CONDITION = 1e7
# So are parts without a penalty in which a column, of variance 1 in all rows, has a smaller sum of
# squares: it may be constant there up to rounding.
_LEAST_SUM = 1e-4


class RidgeForm(ScatterForm):
    """scikit-learn's `Ridge` with its solver for dense tables, on many parts.

    The normal equations of every part are those of all rows minus those of the fold.
    """

    needs_scales = True

    def __init__(self, estimator: Any, table: SharedTable, n_folds: int) -> None:
        super().__init__(estimator, table, n_folds)
        self.rows = CenteredRows(table)
        self.targets, self.base = self._read_targets()
        ones = np.ones((table.n_samples, 1))
        values = np.hstack([self.rows.values, ones, self.targets])
        self.multiply(values, values.shape[1])

    @classmethod
    def supports(cls, estimator: Any, table: SharedTable) -> bool:
        """Return whether there is one penalty, an intercept and the direct solver."""
        alpha = getattr(estimator, "alpha", 1.0)  # least squares has no penalty
        return (
            cls._has_target(estimator, table)
            and is_in_doubles(table)
            and isinstance(alpha, Real)
            and float(alpha) > 0
            and bool(estimator.fit_intercept)
            and not estimator.positive
            and getattr(estimator, "solver", "auto") in ("auto", "cholesky")
        )

    def predict(self, folds: Folds, random_states: Ints | None = None) -> BatchedPredictions:
        """Solve the normal equations of every part; see `BatchedForm.predict`."""
        n_repeats, n_samples = folds.shape
        n_targets = self.targets.shape[1]
        predicted = np.empty((n_repeats, n_samples + 1, n_targets))
        is_done = np.empty(n_repeats * self.n_folds, dtype=bool)
        for here in self.blocks(folds):
            weights, is_done[here.parts] = self._train(here)
            values = here.rows[..., :-n_targets] @ weights
            predicted.reshape(-1, n_targets)[here.places] = values
        predicted += self.base
        return self._result(predicted[:, :-1], folds, is_done.reshape(n_repeats, -1))

    def _train(self, here: PartBlock) -> tuple[Floats, Bools]:
        """Return the weights of values and of the constant, and which parts are done."""
        n_columns, products = self.rows.n_columns, here.products[:, 0]
        gaps, scales = here.gaps, here.scales
        assert scales is not None
        if gaps is not None:
            products = filled_products(products, gaps, n_columns)
        sums = products[..., n_columns, :]
        n_train = sums[..., n_columns]
        means = sums / n_train[..., None]
        left = products[..., :n_columns, :n_columns]
        left = left - sums[..., :n_columns, None] * means[..., None, :n_columns]
        right = products[..., :n_columns, n_columns + 1 :]
        right = right - sums[..., :n_columns, None] * means[..., None, n_columns + 1 :]
        penalty = float(getattr(self.estimator, "alpha", 0.0))
        weights, is_done = _solve(left, right, scales, penalty)
        levels = means[..., n_columns + 1 :] - (means[..., None, :n_columns] @ weights)[..., 0, :]
        parts = [weights] if gaps is None else [weights, gaps @ weights]
        weights = np.concatenate([*parts, levels[..., None, :]], axis=1)
        return weights, is_done

    def _read_targets(self) -> tuple[Floats, float]:
        """Return the target of the regression, and the shift subtracted from it."""
        base = float(self.table.y.mean())
        return (self.table.y - base)[:, None], base

    @staticmethod
    def _has_target(estimator: Any, table: SharedTable) -> bool:
        return table.n_classes == 0

    def _result(self, predicted: Floats, folds: Folds, is_done: Bools) -> BatchedPredictions:
        return BatchedPredictions(labels=predicted[..., 0].copy(), is_done=is_done)


def _solve(left: Floats, right: Floats, scales: Floats, alpha: float) -> tuple[Floats, Bools]:
    """Return the weights of unscaled columns, and where they are exact enough."""
    diagonal = np.arange(left.shape[-1])
    sums = np.maximum(left[..., diagonal, diagonal], 0.0)
    squares = sums * scales**2 + alpha
    squares[squares == 0] = 1.0  # a part without the column
    # with ones on the diagonal, so that rounding does not depend on units
    units = scales / np.sqrt(squares)
    left *= units[..., :, None]
    left *= units[..., None, :]
    left[..., diagonal, diagonal] = 1.0
    is_done = squares.max(axis=1) * len(diagonal) < alpha * _LARGEST_CONDITION
    unclear = np.nonzero(~is_done)
    is_done[unclear] = np.linalg.eigvalsh(left[unclear])[:, 0] > 1 / _LARGEST_CONDITION
    is_done &= (alpha > 0) | (sums.min(axis=1) > _LEAST_SUM)
    left[~is_done] = np.eye(len(diagonal))
    return np.linalg.solve(left, right * units[..., None]) * units[..., None], is_done


class LeastSquaresForm(RidgeForm):
    """scikit-learn's `LinearRegression` for linearly independent columns."""

    @classmethod
    def supports(cls, estimator: Any, table: SharedTable) -> bool:
        """Return whether there is an intercept, and no column is a level.

        The columns of all levels of an attribute add up to the intercept column.
        """
        has_levels = any(step.is_nominal for step in table.encoded.steps)
        return not has_levels and super().supports(estimator, table)


class RidgeClassifierForm(RidgeForm):
    """scikit-learn's `RidgeClassifier`: one regression per class on 1 (the class) and -1."""

    def _read_targets(self) -> tuple[Floats, float]:
        codes = np.arange(self.table.n_classes)[1 if self.table.n_classes == 2 else 0 :]
        return np.where(self.table.y[:, None] == codes, 1.0, -1.0), 0.0

    @staticmethod
    def _has_target(estimator: Any, table: SharedTable) -> bool:
        return table.n_classes > 1 and estimator.class_weight is None

    def _result(self, predicted: Floats, folds: Folds, is_done: Bools) -> BatchedPredictions:
        class_counts = self.table.class_counts(folds, self.n_folds)
        n_present = (class_counts > 0).sum(axis=2)
        if self.table.n_classes == 2:
            decision = predicted[..., 0].copy()
            labels = (decision > 0).astype(np.int64)
            return BatchedPredictions(labels, decision=decision, is_done=is_done & (n_present == 2))
        absent = np.where(class_counts > 0, 0.0, -np.inf)
        predicted += absent[np.arange(len(folds))[:, None], folds]
        # with two remaining classes, the plain learner makes one regression
        return BatchedPredictions(
            predicted.argmax(axis=2), decision=predicted, is_done=is_done & (n_present > 2)
        )
