"""Quadratic discriminant analysis of every training part."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bestofk.batched.lines import fours, zeros_in_lines
from bestofk.batched.scatter import (
    PartBlock,
    are_constants_exact,
    filled_products,
    filled_sums,
    is_in_doubles,
)
from bestofk.batched.scatter_form import DiscriminantForm
from bestofk.batched.shared_table import SharedTable

# Rounding errors may grow by this much.
_LARGEST_GROWTH = 1e6


class QuadraticDiscriminantForm(DiscriminantForm):
    """scikit-learn's `QuadraticDiscriminantAnalysis` with its solver ``svd``, on many parts.

    The scatter of a class in a part is that of its rows in the table less that of its rows in
    the fold. Parts where the plain learner finds a class too small or its covariance matrix
    singular, and says so, are left to it.
    """

    needs_scales = True

    def __init__(self, estimator: Any, table: SharedTable, n_folds: int) -> None:
        super().__init__(estimator, table, n_folds)
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

    def _train(
        self, here: PartBlock, folds: NDArray[np.int32]
    ) -> tuple[Any, NDArray[np.float64], NDArray[np.bool_]]:
        """Return what makes values independent, the intercepts, and which parts are done."""
        from bestofk.batched._covariance_kernels import SIDE, factor_classes

        products, sums, counts, scales = here.products, here.sums, here.counts, here.scales
        assert scales is not None
        n_columns = self.rows.n_columns
        if here.gaps is not None:
            gaps = here.gaps[:, None]
            products = filled_products(products, gaps, n_columns)
            sums = filled_sums(sums, here.gaps, n_columns)
        width = fours(n_columns)
        lead = fours(self.values.shape[1] - n_columns)  # indicators come first
        factors, shifts = (
            np.zeros((counts.size, lead + width, width)),
            np.zeros((counts.size, width)),
        )
        facts = np.empty((counts.size, 3))
        stack = zeros_in_lines(width // 4 + 2, width // 4 + 1, 16 * SIDE)
        products, sums = (item.reshape(counts.size, *item.shape[2:]) for item in (products, sums))
        factor_classes(
            products, sums, counts.ravel(), scales, self.settings, factors, shifts, facts, stack
        )
        factors, shifts = (
            item.reshape(*counts.shape, *item.shape[1:]) for item in (factors, shifts)
        )
        intercepts, growth, smallest = facts.T.reshape(3, *counts.shape).copy()
        is_there = counts > 0
        n_active = (scales > 0).sum(axis=1)[:, None]
        is_sure = (growth < _LARGEST_GROWTH) & (counts >= np.maximum(n_active, 2))
        is_doubtful = is_there & is_sure & (smallest <= self.tol)
        for index in zip(*np.nonzero(is_doubtful), strict=True):
            is_sure[index] = self._is_regular(factors[index][lead:], scales[index[0]])
        is_done = (is_sure | ~is_there).all(axis=1) & (is_there.sum(axis=1) > 1)
        if not is_done.all():
            factors[~is_done], shifts[~is_done], intercepts[~is_done] = 0.0, 0.0, 0.0
        with np.errstate(divide="ignore"):
            intercepts += np.log(counts / counts.sum(axis=1, keepdims=True))
        if here.gaps is not None:
            n_gaps = gaps.shape[-2]
            factors[..., :n_gaps, :] = gaps @ factors[..., lead : lead + n_columns, :]
        return (factors, shifts), intercepts, is_done

    def _is_regular(self, factors: NDArray[np.float64], scales: NDArray[np.float64]) -> bool:
        """Return whether the smallest eigenvalue of a class is beyond doubt large enough."""
        there = np.flatnonzero(scales)
        inverse = factors[np.ix_(there, there)] / scales[there, None]
        smallest = 1 / np.linalg.norm(inverse, 2) ** 2
        return bool(smallest > self.tol * (1 + 1e-6))

    def _score(self, here: PartBlock, factors: Any, scores: NDArray[np.float64]) -> None:
        """Write how far every row is from every class."""
        from bestofk.batched._quadratic_kernels import score_squares
        from bestofk.batched._tile_kernels import LANES

        tile = zeros_in_lines(factors[0].shape[2] + 1, LANES)
        score_squares(here.rows, here.bounds, self.rows.n_columns, *factors, tile, scores)


@cache
def _lost_degrees() -> int:
    """Return 1 where scikit-learn divides by rows less 1, 0 where it divides by rows."""
    from sklearn.discriminant_analysis import QuadraticDiscriminantAnalysis

    rows = np.array([[0.0], [2.0], [10.0], [12.0]])
    plain = QuadraticDiscriminantAnalysis().fit(rows, [0, 0, 1, 1])
    return 0 if plain.scalings_[0][0] < 1.5 else 1  # the variance is 1 or 2
