"""Linear discriminant analysis of every training part."""

from __future__ import annotations

from typing import Any

import numpy as np

from bestofk.array_types import Bools, Floats, Folds
from bestofk.batched.discriminants import decompose_part, lost_degrees, solve_parts
from bestofk.batched.scatter import (
    CenteredRows,
    DiscriminantForm,
    PartBlock,
    are_constants_exact,
    filled_products,
    is_in_doubles,
)
from bestofk.batched.shared_table import SharedTable

# Eigenvalues of a scatter matrix that are 0 but for rounding, per column.
_LEAST_SQUARE = 2e-12


class LinearDiscriminantForm(DiscriminantForm):
    """scikit-learn's `LinearDiscriminantAnalysis` with its solver ``svd``, on many parts.

    The scatter of every part is that of all rows less that of the fold. Predictions do not
    depend on shift and scale of the columns, so that scaling needs nothing, and filling
    missing cells is linear in what they are filled with.
    """

    def __init__(self, estimator: Any, table: SharedTable, n_folds: int) -> None:
        super().__init__(estimator, table, n_folds)
        self.rows, self.tol = CenteredRows(table), float(estimator.tol)
        is_class = 1.0 * (table.y[:, None] == np.arange(table.n_classes))
        n_values = self.rows.values.shape[1]
        self.multiply(np.hstack([self.rows.values, is_class]), n_values)

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

    def _score(
        self, here: PartBlock, counts: Floats, folds: Folds, scores: Floats
    ) -> tuple[Floats, Bools]:
        scatter, gaps, n_columns = here.products[:, 0], here.gaps, self.rows.n_columns
        if gaps is not None:
            scatter = filled_products(scatter, gaps, n_columns)
        weights, intercepts, is_sure = solve_parts(scatter, counts, self.rows.is_binary, self.tol)
        n_train, n_present = counts.sum(axis=1), (counts > 0).sum(axis=1)
        is_done = (n_present > 1) & (n_train > n_present)
        for number in np.flatnonzero(is_done > is_sure).tolist():
            repeat, fold = divmod(here.parts.start + number, self.n_folds)
            is_train = folds[repeat] != fold
            part = self.rows.values[is_train]
            if gaps is not None:
                part[:, :n_columns] += part[:, n_columns:] @ gaps[number]
            is_done[number] = decompose_part(
                part[:, :n_columns], self.table.y[is_train], self.rows, self.tol,
                weights[number], intercepts[number],
            )  # fmt: skip
        if not is_done.all():
            weights[~is_done], intercepts[~is_done] = 0.0, 0.0
        if lost_degrees():
            ratio = (n_train - n_present) / n_train
            weights *= ratio[:, None, None]
            intercepts *= ratio[:, None]
        with np.errstate(divide="ignore"):
            intercepts += np.log(counts / n_train[:, None])
        if gaps is not None:
            weights = np.concatenate([weights, weights @ np.swapaxes(gaps, -1, -2)], axis=-1)
        np.matmul(weights, here.rows[..., : weights.shape[2]].swapaxes(1, 2), out=scores)
        return intercepts, is_done
