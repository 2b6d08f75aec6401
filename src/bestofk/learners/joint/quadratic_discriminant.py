"""Quadratic discriminant analysis of every training part."""

from __future__ import annotations

import math
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bestofk.learners.joint.scatter import (
    CenteredRows,
    SortedRepeat,
    are_constants_exact,
    cross_products,
    filled_products,
    is_in_doubles,
    sorted_repeat,
)
from bestofk.learners.joint.scatter_form import DiscriminantForm
from bestofk.learners.joint.shared_table import SharedTable

# Rounding errors may grow by this much.
_LARGEST_GROWTH = 1e6
# Columns that are made independent at once.
_WIDTH = 16


class QuadraticDiscriminantForm(DiscriminantForm):
    """scikit-learn's `QuadraticDiscriminantAnalysis` with its solver ``svd``, on many parts.

    The scatter of a class in a part is that of its rows in the table less that of its rows in
    the fold. Parts where the plain learner finds a class too small or its covariance matrix
    singular, and says so, are left to it.
    """

    def __init__(self, estimator: Any, table: SharedTable, n_folds: int) -> None:
        super().__init__(estimator, table, n_folds)
        self.rows = CenteredRows(table)
        ones = np.ones((table.n_samples, 1))
        self.values = np.ascontiguousarray(np.hstack([self.rows.values, ones]))
        members = [self.values[table.y == code] for code in range(table.n_classes)]
        self.total = np.stack([rows.T @ rows for rows in members])
        self.settings = np.array([float(estimator.reg_param), float(_lost_degrees())])
        self.tol = float(estimator.tol)

    @classmethod
    def supports(cls, estimator: Any, table: SharedTable) -> bool:
        """Return whether solver and priors are the usual ones."""
        return (
            table.n_classes > 1
            and is_in_doubles(table)
            and getattr(estimator, "solver", "svd") == "svd"
            and getattr(estimator, "shrinkage", None) is None
            and getattr(estimator, "covariance_estimator", None) is None
            and estimator.priors is None
            and 0 <= estimator.reg_param < 1
            and are_constants_exact(table)
        )

    @classmethod
    def is_faster(cls, estimator: Any, table: SharedTable, n_folds: int) -> bool:
        """Return whether the smallest class has more rows in a part than there are columns."""
        n_train = int(np.bincount(table.y).min()) * (n_folds - 1) // n_folds
        return n_train > table.n_columns

    def _sum(
        self, folds: NDArray[np.int32], rows: NDArray[np.float64], products: NDArray[np.float64]
    ) -> list[SortedRepeat]:
        """Sort rows by fold and class, and sum the products of each class by itself."""
        n_classes = self.table.n_classes
        repeats = []
        for one, out, sums in zip(folds, rows, products, strict=False):
            cells = one * n_classes + self.table.y
            here = sorted_repeat(self.values, cells, self.n_folds * n_classes, out)
            flat = sums.reshape(-1, *sums.shape[2:])
            for cell, where in here.by_fold():
                cross_products(here.rows[where], flat[cell])
            repeats.append(SortedRepeat(here.order, here.bounds[::n_classes].copy(), here.rows))
        np.subtract(self.total, products, out=products)
        return repeats

    def _train(
        self, folds: NDArray[np.int32], products: NDArray[np.float64]
    ) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.bool_]]:
        """Return what makes values independent, the intercepts, and which parts are done."""
        from bestofk.learners.joint._quadratic_kernels import factor_classes

        n_columns = self.rows.n_columns
        fill = self.rows.fill(folds, self.n_folds)
        gaps = None if fill is None else self.rows.spread_fill(fill)[:, :, None]
        if gaps is not None:
            products = filled_products(products, gaps, n_columns)
        shape = products.shape[:3]
        scales = self.rows.scales(folds, self.n_folds)
        factors = np.zeros((*shape, n_columns + 1, n_columns))
        intercepts, bounds = np.zeros(shape), np.zeros((*shape, 2))
        factor_classes(
            _parts(products), _parts(scales), self.settings, _parts(factors),
            _parts(intercepts), _parts(bounds),
        )  # fmt: skip
        counts = products[..., -1, -1]
        is_there = counts > 0
        n_active = (scales > 0).sum(axis=2)[..., None]
        is_sure = (bounds[..., 0] < _LARGEST_GROWTH) & (counts >= np.maximum(n_active, 2))
        for place in map(tuple, np.argwhere(is_there & is_sure & (bounds[..., 1] <= self.tol))):
            is_sure[place] = self._is_regular(factors[place], scales[place[:2]])
        is_done = (is_sure | ~is_there).all(axis=2) & (is_there.sum(axis=2) > 1)
        factors[~is_done], intercepts[~is_done] = 0.0, 0.0
        with np.errstate(divide="ignore"):
            intercepts += np.log(counts / counts.sum(axis=2, keepdims=True))
        if gaps is not None:
            filled = gaps @ factors[..., :-1, :]
            factors = np.concatenate([factors[..., :-1, :], filled, factors[..., -1:, :]], axis=-2)
        return factors, intercepts, is_done

    def _is_regular(self, factors: NDArray[np.float64], scales: NDArray[np.float64]) -> bool:
        """Return whether the smallest eigenvalue of a class is beyond doubt large enough."""
        there = scales > 0
        inverse = factors[:-1][there][:, there] / scales[there, None]
        smallest = 1 / np.linalg.norm(inverse, 2) ** 2
        return bool(smallest > self.tol * (1 + 1e-6))

    def _score(
        self, here: SortedRepeat, factors: NDArray[np.float64], scores: NDArray[np.float64]
    ) -> None:
        """Write how far every row is from every class."""
        from bestofk.learners.joint._quadratic_kernels import add_squares

        n_columns, end = self.rows.n_columns, self.values.shape[1] - 1
        scores[:] = 0.0
        n_rows, n_classes = scores.shape
        work, spare = np.empty(n_rows), np.empty(n_rows * n_classes * _WIDTH)
        for fold, where in here.by_fold():
            rows = np.ascontiguousarray(here.rows[where].T)
            for start in range(0, n_columns, _WIDTH):
                stop = min(start + _WIDTH, n_columns)
                # a column needs no columns after it, but all indicators
                n_used = stop if end == n_columns else end
                used = np.swapaxes(factors[fold, :, :n_used, start:stop], 1, 2)
                used = used.reshape(-1, n_used)
                independent = spare[: len(used) * rows.shape[1]].reshape(len(used), -1)
                np.matmul(used, rows[:n_used], out=independent)
                shift = np.ascontiguousarray(factors[fold, :, end, start:stop])
                add_squares(independent, shift, work, scores[where])


def _parts(stack: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return a stack over repeats and folds as one over parts."""
    return np.ascontiguousarray(stack).reshape(math.prod(stack.shape[:2]), *stack.shape[2:])


@cache
def _lost_degrees() -> int:
    """Return 1 where scikit-learn divides by rows less 1, 0 where it divides by rows."""
    from sklearn.discriminant_analysis import QuadraticDiscriminantAnalysis

    rows = np.array([[0.0], [2.0], [10.0], [12.0]])
    plain = QuadraticDiscriminantAnalysis().fit(rows, [0, 0, 1, 1])
    return 0 if plain.scalings_[0][0] < 1.5 else 1  # the variance is 1 or 2
