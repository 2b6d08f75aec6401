"""Linear discriminant analysis of every training part."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bestofk.learners.joint.form import JointForm, JointPredictions
from bestofk.learners.joint.scatter import (
    CenteredRows,
    SortedRepeat,
    blocks,
    filled_products,
    softmax,
    sorted_repeat,
    train_products,
)
from bestofk.learners.joint.shared_table import SharedTable

# A variance within classes this small beside that of all rows may be rounding alone.
_DOUBTFUL = 1e-9
# Scatter matrices whose inverse is larger lose too many digits.
_LARGEST_INVERSE = 1e6
# The part of a class mean that is outside the scatter leaks by rounding.
_LARGEST_LEAK = 1e6
# How near to its threshold a singular value may come before rounding could decide.
_NEAR = 1e-6


@dataclass(frozen=True, eq=False)
class _Means:
    """Of all training parts: classes and the spread within them."""

    counts: NDArray[np.float64]
    means: NDArray[np.float64]
    within: NDArray[np.float64]


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

    @classmethod
    def supports(cls, estimator: Any, table: SharedTable) -> bool:
        """Return whether solver and priors are the usual ones."""
        return (
            table.n_classes > 1
            and table.n_columns > 0
            and (table.preparation is not None or table.is_numeric)
            and estimator.solver == "svd"
            and estimator.shrinkage is None
            and estimator.priors is None
            and estimator.covariance_estimator is None
            and estimator.n_components is None
        )

    @classmethod
    def is_faster(cls, estimator: Any, table: SharedTable, n_folds: int) -> bool:
        """Return whether a training part has more rows than the table has columns."""
        return table.n_columns < table.n_samples * (n_folds - 1) // n_folds

    def predict(
        self, folds: NDArray[np.int32], random_states: NDArray[np.int64] | None = None
    ) -> JointPredictions:
        """Solve with the scatter of every part; see `JointForm.predict`."""
        n_repeats, n_samples = folds.shape
        labels = np.empty((n_repeats, n_samples), dtype=np.int64)
        probabilities = np.empty((n_repeats, n_samples, self.table.n_classes))
        is_done = np.empty((n_repeats, self.n_folds), dtype=bool)
        size = self.n_folds * self.total.size * 3 + self.values.size
        for block in blocks(n_repeats, size):
            repeats = [sorted_repeat(self.values, one, self.n_folds) for one in folds[block]]
            weights, intercepts, is_done[block] = self._train(folds[block], repeats)
            scores = self._scores(repeats, weights, intercepts)
            best = scores.argmax(axis=1)
            softmax(scores)
            for place, here in enumerate(repeats):
                labels[block.start + place, here.order] = best[place]
                probabilities[block.start + place, here.order] = scores[place].T
        return JointPredictions(labels, probabilities, is_done=is_done)

    def _train(
        self, folds: NDArray[np.int32], repeats: list[SortedRepeat]
    ) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.bool_]]:
        """Return the weights of all values, the intercepts, and which parts are done."""
        n_columns = self.rows.n_columns
        products = train_products(repeats, self.total, self.n_folds)
        fill = self.rows.fill(folds, self.n_folds)
        spread_fill = None if fill is None else self.rows.spread_fill(fill)
        if spread_fill is not None:
            products = filled_products(products, spread_fill, n_columns)
        weights, intercepts, is_done = _solve(products, n_columns, self.rows.is_binary)
        if spread_fill is not None:
            weights = np.concatenate(
                [weights, weights @ np.swapaxes(spread_fill, -1, -2)], axis=-1
            )
        return weights, intercepts, is_done

    def _scores(
        self,
        repeats: list[SortedRepeat],
        weights: NDArray[np.float64],
        intercepts: NDArray[np.float64],
    ) -> NDArray[np.float64]:
        """Return the scores of all rows in sorted order, (n_repeats, n_classes, n_samples)."""
        n_values = weights.shape[-1]
        scores = np.empty((len(repeats), weights.shape[2], self.table.n_samples))
        for repeat, here in enumerate(repeats):
            for fold in range(self.n_folds):
                part = scores[repeat, :, here.bounds[fold] : here.bounds[fold + 1]]
                np.matmul(weights[repeat, fold], here.of_fold(fold)[:, :n_values].T, out=part)
                part += intercepts[repeat, fold][:, None]
        return scores


def _solve(
    products: NDArray[np.float64], n_columns: int, is_binary: NDArray[np.bool_]
) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.bool_]]:
    from bestofk.learners.joint._scatter_kernels import solve_scatters

    tol = 1e-4
    counts = np.diagonal(products, axis1=2, axis2=3)[..., n_columns:]
    sums = products[..., n_columns:, :n_columns]
    n_train = counts.sum(axis=2)
    n_present = (counts > 0).sum(axis=2)
    means = sums / np.maximum(counts, 1)[..., None]
    within = products[..., :n_columns, :n_columns] - np.swapaxes(sums, 2, 3) @ means
    squares = np.diagonal(within, axis1=2, axis2=3)
    variances = np.where(is_binary & (squares < 0.25), 0.0, squares) / n_train[..., None]
    is_done = (n_present > 1) & (n_train > n_present)
    is_done &= ~((variances < _DOUBTFUL) & (variances != 0)).any(axis=2)
    spread = np.sqrt(np.maximum(variances, 0))
    inverse = np.divide(1.0, spread, out=np.zeros_like(spread), where=spread > 0)
    center = (counts[..., None, :] @ means)[..., 0, :] / n_train[..., None]
    offsets = np.where(counts[..., None] > 0, means - center[..., None, :], 0.0)
    offsets *= inverse[..., None, :]
    within *= (inverse / n_train[..., None])[..., :, None]
    within *= inverse[..., None, :]
    shape = (-1, *offsets.shape[2:])
    solved = np.zeros(offsets.shape)
    bounds, ranks = np.empty(is_done.shape), np.empty(is_done.shape, dtype=np.int64)
    singular = within.copy()
    solve_scatters(
        within.reshape(-1, n_columns, n_columns), offsets.reshape(shape),
        solved.reshape(shape), bounds.reshape(-1), ranks.reshape(-1),
    )  # fmt: skip
    is_done &= bounds < _LARGEST_INVERSE
    ratio = (n_train - _lost_degrees() * n_present) / n_train
    solved *= ratio[..., None, None]
    with np.errstate(divide="ignore"):
        priors = np.log(counts / n_train[..., None])
    intercepts = priors - 0.5 * (solved * offsets).sum(axis=3)
    weights = solved * inverse[..., None, :]
    intercepts -= (weights @ center[..., None])[..., 0]
    return weights, intercepts, is_done


@cache
def _lost_degrees() -> int:
    """Return 1 where scikit-learn divides the scatter by rows less classes, 0 by rows."""
    from sklearn.discriminant_analysis import LinearDiscriminantAnalysis

    rows = np.array([[0.0], [2.0], [10.0], [12.0]])
    plain = LinearDiscriminantAnalysis().fit(rows, [0, 0, 1, 1])
    return 0 if plain.coef_[0, 0] > 7.5 else 1  # 10 over the variance, which is 1 or 2
