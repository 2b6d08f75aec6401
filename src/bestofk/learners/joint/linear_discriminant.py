"""Linear discriminant analysis of every training part."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from bestofk.learners.joint.discriminants import decompose_part, lost_degrees, solve_parts
from bestofk.learners.joint.form import JointForm, JointPredictions
from bestofk.learners.joint.scatter import (
    CenteredRows,
    are_constants_exact,
    block_size,
    filled_products,
    is_in_doubles,
    sorted_repeat,
    train_products,
)
from bestofk.learners.joint.shared_table import SharedTable

# Eigenvalues of a scatter matrix that are 0 but for rounding, per column.
_LEAST_SQUARE = 2e-12


class LinearDiscriminantForm(JointForm):
    """scikit-learn's `LinearDiscriminantAnalysis` with its solver ``svd``, on many parts.

    The scatter of every part is that of all rows less that of the fold. Predictions do not
    depend on shift and scale of the columns, so that scaling needs nothing, and filling
    missing cells is linear in what they are filled with.
    """

    def __init__(self, estimator: Any, table: SharedTable, n_folds: int) -> None:
        super().__init__(estimator, table, n_folds)
        self.rows = CenteredRows(table)
        is_class = table.y[:, None] == np.arange(table.n_classes)
        self.values = np.ascontiguousarray(np.hstack([self.rows.values, is_class]))
        self.total = self.values.T @ self.values
        self.tol = float(estimator.tol)

    @classmethod
    def supports(cls, estimator: Any, table: SharedTable) -> bool:
        """Return whether solver and priors are the usual ones."""
        return (
            table.n_classes > 1
            and is_in_doubles(table)
            and estimator.solver == "svd"
            and estimator.shrinkage is None
            and estimator.priors is None
            and estimator.covariance_estimator is None
            and estimator.n_components is None
            and estimator.tol**2 > _LEAST_SQUARE * table.n_columns
            and are_constants_exact(table)
        )

    @classmethod
    def is_faster(cls, estimator: Any, table: SharedTable, n_folds: int) -> bool:
        """Return whether a training part has more rows than the table has columns."""
        return table.n_columns < table.n_samples * (n_folds - 1) // n_folds

    def predict(
        self, folds: NDArray[np.int32], random_states: NDArray[np.int64] | None = None
    ) -> JointPredictions:
        """Solve with the scatter of every part; see `JointForm.predict`."""
        from bestofk.learners.joint._probability_kernels import divide_by_sum, find_best

        n_repeats, n_samples = folds.shape
        n_classes, n_values = self.table.n_classes, self.values.shape[1]
        labels = np.empty((n_repeats, n_samples), dtype=np.int64)
        probabilities = np.empty((n_repeats, n_samples, n_classes))
        is_done = np.empty((n_repeats, self.n_folds), dtype=bool)
        scores = np.empty((n_samples, n_classes))
        step = block_size(self.n_folds * self.total.size * 2 + self.values.size, n_repeats)
        rows = np.empty((step, n_samples, n_values))
        products = np.empty((step, self.n_folds, n_values, n_values))
        for start in range(0, n_repeats, step):
            block = slice(start, min(start + step, n_repeats))
            repeats = [
                sorted_repeat(self.values, one, self.n_folds, out)
                for one, out in zip(folds[block], rows, strict=False)
            ]
            train_products(repeats, self.total, products[: len(repeats)])
            weights, intercepts, is_done[block] = self._train(
                folds[block], products[: len(repeats)]
            )
            for place, here in enumerate(repeats):
                for fold, where in here.by_fold():
                    factors = weights[place, fold]
                    np.matmul(here.rows[where, : factors.shape[1]], factors.T, out=scores[where])
                repeat = start + place
                find_best(scores, intercepts[place], here.bounds, here.order, labels[repeat])
                np.exp(scores, out=scores)
                divide_by_sum(scores, here.order, probabilities[repeat])
        return JointPredictions(labels, probabilities, is_done=is_done)

    def _train(
        self, folds: NDArray[np.int32], products: NDArray[np.float64]
    ) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.bool_]]:
        """Return the weights of all values, the intercepts, and which parts are done."""
        n_columns = self.rows.n_columns
        fill = self.rows.fill(folds, self.n_folds)
        gaps = None if fill is None else self.rows.spread_fill(fill)
        if gaps is not None:
            products = filled_products(products, gaps, n_columns)
        counts = np.diagonal(products, axis1=2, axis2=3)[..., n_columns:]
        weights, intercepts, is_sure = solve_parts(products, self.rows.is_binary, self.tol)
        n_train, n_present = counts.sum(axis=2), (counts > 0).sum(axis=2)
        is_done = (n_present > 1) & (n_train > n_present)
        for repeat, fold in np.argwhere(is_done & ~is_sure):
            is_train = folds[repeat] != fold
            part = self.rows.values[is_train]
            if gaps is not None:
                part[:, :n_columns] += part[:, n_columns:] @ gaps[repeat, fold]
            is_done[repeat, fold] = decompose_part(
                part[:, :n_columns], self.table.y[is_train], self.rows, self.tol,
                weights[repeat, fold], intercepts[repeat, fold],
            )  # fmt: skip
        weights[~is_done], intercepts[~is_done] = 0.0, 0.0
        ratio = (n_train - lost_degrees() * n_present) / n_train
        weights *= ratio[..., None, None]
        intercepts *= ratio[..., None]
        with np.errstate(divide="ignore"):
            intercepts += np.log(counts / n_train[..., None])
        if gaps is not None:
            weights = np.concatenate([weights, weights @ np.swapaxes(gaps, -1, -2)], axis=-1)
        return weights, intercepts, is_done
