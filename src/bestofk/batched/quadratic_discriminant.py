"""Quadratic discriminant analysis of every training part."""

from functools import cache
from typing import Any

import numpy as np

from bestofk.array_types import Bools, Floats, Folds
from bestofk.batched import scatter
from bestofk.batched.shared_table import SharedTable

# Rounding errors may grow by this much.
_LARGEST_GROWTH = 1e6


class QuadraticDiscriminantForm(scatter.DiscriminantForm):
    """scikit-learn's `QuadraticDiscriminantAnalysis` with its solver ``svd``, on many parts.

    The scatter of a class in a part is that of its rows in the table minus that of its rows in the
    fold. Parts in which the plain learner warns of a class that is too small, or of a singular
    covariance matrix, are left to it.
    """

    needs_scales = True

    def __init__(self, estimator: Any, table: SharedTable, n_folds: int) -> None:
        super().__init__(estimator, table, n_folds)
        self.share, self.tol = float(estimator.reg_param), float(estimator.tol)
        self.rows = scatter.CenteredRows(table)
        ones = np.ones((table.n_samples, 1))
        n_values = self.rows.values.shape[1]
        self.multiply(np.hstack([self.rows.values, ones]), n_values, table.y)

    @classmethod
    def supports(cls, estimator: Any, table: SharedTable) -> bool:
        """Return whether solver and priors are the default ones."""
        return (
            table.n_classes > 1
            and scatter.is_in_doubles(table)
            and getattr(estimator, "solver", "svd") == "svd"
            and getattr(estimator, "shrinkage", None) is None
            and getattr(estimator, "covariance_estimator", None) is None
            and estimator.priors is None
            and 0 <= estimator.reg_param < 1
            and scatter.are_constants_exact(table)
        )

    @classmethod
    def is_faster(cls, estimator: Any, table: SharedTable, n_folds: int) -> bool:
        """Return whether the smallest class has more rows in a part than there are columns."""
        n_train = int(np.bincount(table.y).min()) * (n_folds - 1) // n_folds
        return n_train > table.n_columns

    def _score(
        self, here: scatter.PartBlock, counts: Floats, folds: Folds, scores: Floats
    ) -> tuple[Floats, Bools]:
        from bestofk.batched._scatter import factor_classes

        products, scales = here.products, here.scales
        assert scales is not None
        if here.gaps is not None:
            products = scatter.filled_products(products, here.gaps[:, None], self.rows.n_columns)
        n_columns = self.rows.n_columns
        factors = np.zeros((*counts.shape, n_columns + 1, n_columns))
        facts = np.empty((*counts.shape, 3))
        factor_classes(products, counts, scales, self.share, lost_degrees(), factors, facts)
        intercepts, growth, smallest = np.moveaxis(facts, 2, 0)
        is_there = counts > 0
        n_active = (scales > 0).sum(axis=1)[:, None]
        is_sure = (growth < _LARGEST_GROWTH) & (counts >= np.maximum(n_active, 2))
        is_doubtful = is_there & is_sure & (smallest <= self.tol)
        for index in zip(*np.nonzero(is_doubtful), strict=True):
            is_sure[index] = self._is_regular(factors[index][:-1], scales[index[0]])
        is_done = (is_sure | ~is_there).all(axis=1) & (is_there.sum(axis=1) > 1)
        if not is_done.all():
            factors[~is_done], intercepts[~is_done] = 0.0, 0.0
        with np.errstate(divide="ignore"):
            intercepts += np.log(counts / counts.sum(axis=1, keepdims=True))
        if here.gaps is not None:
            own, shifts = factors[:, :, :-1], factors[:, :, -1:]
            factors = np.concatenate([own, here.gaps[:, None] @ own, shifts], axis=2)
        independent = np.empty((*here.rows.shape[:2], n_columns))
        for code in range(scores.shape[1]):
            np.matmul(here.rows, factors[:, code], out=independent)
            np.einsum("pij,pij->pi", independent, independent, out=scores[:, code])
        scores *= -0.5
        return intercepts, is_done

    def _is_regular(self, factors: Floats, scales: Floats) -> bool:
        """Return whether the smallest eigenvalue of a class is certainly large enough."""
        there = np.flatnonzero(scales)
        inverse = factors[np.ix_(there, there)] / scales[there, None]
        smallest = 1 / np.linalg.norm(inverse, 2) ** 2
        return bool(smallest > self.tol * (1 + 1e-6))


@cache
def lost_degrees() -> int:
    """Return 1 if scikit-learn divides by rows minus 1, 0 if by rows."""
    from sklearn.discriminant_analysis import QuadraticDiscriminantAnalysis

    rows = np.array([[0.0], [2.0], [10.0], [12.0]])
    plain = QuadraticDiscriminantAnalysis().fit(rows, [0, 0, 1, 1])
    return 0 if plain.scalings_[0][0] < 1.5 else 1  # the variance is 1 or 2
