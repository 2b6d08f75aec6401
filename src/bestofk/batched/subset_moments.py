"""Learners that need no more than class means and variances of each subset."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from bestofk.batched.gaussian_naive_bayes import EXTREME, has_plain_settings, shares_in_order
from bestofk.batched.moments import is_summable, normalize_logs
from bestofk.batched.shared_table import SharedTable
from bestofk.batched.subset_form import SubsetForm, SubsetPredictions, Subsets
from bestofk.learners.nearest_mean_classifier import NO_SPREAD


class _MomentSubsets(SubsetForm):
    """A learner of class moments, on columns without gaps."""

    releases_lock: ClassVar[bool] = True

    def __init__(self, estimator: Any, table: SharedTable) -> None:
        super().__init__(estimator, table)
        self._X = np.ascontiguousarray(table.encoded.matrix)
        self._y = np.ascontiguousarray(table.y, dtype=np.int64)

    @classmethod
    def supports(cls, estimator: Any, table: SharedTable) -> bool:
        """Return whether the table is finite numbers, none missing."""
        return is_summable(table) and not table.has_missing

    def _scaling(self, subsets: Subsets) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Return what columns are moved and multiplied by, 0 where a subset has no such column."""
        parts, shape = subsets.parts(self.table), (len(subsets), self._X.shape[1])
        shift = np.zeros(shape) if parts.shift is None else parts.shift[:, 0]
        scale = np.ones(shape) if parts.scale is None else parts.scale[:, 0].copy()
        if parts.is_active is not None:
            scale *= parts.is_active[:, 0]
        return np.ascontiguousarray(shift), np.ascontiguousarray(scale)

    def _room(self, subsets: Subsets) -> tuple[NDArray[np.bool_], NDArray[Any], NDArray[Any]]:
        n_rows = len(subsets.rows)
        labels, result = np.zeros(n_rows, dtype=np.int64), np.zeros((n_rows, self.table.n_classes))
        return np.ones(len(subsets), dtype=bool), labels, result


class NearestMeanSubsets(_MomentSubsets):
    """`NearestMeanClassifier` on many subsets."""

    def predict(
        self, subsets: Subsets, random_states: NDArray[np.int64] | None = None
    ) -> SubsetPredictions:
        """Predict by the means of every subset; see `SubsetForm.predict`."""
        from bestofk.batched._subset_kernels import _nearest_means

        is_done, labels, result = self._room(subsets)
        _, scale = self._scaling(subsets)
        _nearest_means(
            self._X, self._y, subsets.train, subsets.rows, subsets.start, scale, NO_SPREAD,
            is_done, labels, result,
        )  # fmt: skip
        normalize_logs(result[None])
        return SubsetPredictions(labels, result, is_done=is_done)


class GaussianNaiveBayesSubsets(_MomentSubsets):
    """`GaussianNB` of scikit-learn on many subsets; any `var_smoothing`, no `priors`.

    Where a row is so far from all classes that the rounding of its log densities reaches the
    probabilities, a subset is done in the plain learner's order of operations; with scaled
    columns it is left to the plain way.
    """

    @classmethod
    def supports(cls, estimator: Any, table: SharedTable) -> bool:
        """Return whether there are no priors, and the table is finite numbers, none missing."""
        return has_plain_settings(estimator) and super().supports(estimator, table)

    def predict(
        self, subsets: Subsets, random_states: NDArray[np.int64] | None = None
    ) -> SubsetPredictions:
        """Predict by the moments of every subset; see `SubsetForm.predict`."""
        from bestofk.batched._subset_kernels import _normal_classes

        is_done, labels, result = self._room(subsets)
        is_extreme = np.zeros_like(is_done)
        shift, scale = self._scaling(subsets)
        _normal_classes(
            self._X, self._y, subsets.train, subsets.rows, subsets.start, shift, scale,
            float(self.estimator.var_smoothing), EXTREME, is_done, is_extreme, labels, result,
        )  # fmt: skip
        normalize_logs(result[None])
        for s in np.flatnonzero(is_extreme & is_done):
            here = slice(subsets.start[s], subsets.start[s + 1])
            is_done[s] = not shift[s].any() and np.isin(scale[s], (0, 1)).all()
            if is_done[s]:
                train, rows = subsets.train[s], subsets.rows[here]
                result[here], is_done[s] = self._in_order(train, rows, scale[s] > 0)
                labels[here] = result[here].argmax(axis=1)
        return SubsetPredictions(labels, result, is_done=is_done)

    def _in_order(
        self, train: NDArray[np.int64], rows: NDArray[np.int64], is_active: NDArray[np.bool_]
    ) -> tuple[NDArray[np.float64], bool]:
        """Return the probabilities of one subset by the plain learner's operations."""
        X, y = np.ascontiguousarray(self._X[train][:, is_active]), self._y[train]
        counts = np.bincount(y, minlength=self.table.n_classes)
        means, variances = np.zeros((2, len(counts), X.shape[1]))
        for index in np.flatnonzero(counts):
            means[index] = np.mean(X[y == index], axis=0)
            variances[index] = np.var(X[y == index], axis=0)
        variances += float(self.estimator.var_smoothing) * np.var(X, axis=0).max()
        asked = np.ascontiguousarray(self._X[rows][:, is_active])
        return shares_in_order(asked, counts, means, variances)


class MajoritySubsets(SubsetForm):
    """`MajorityClassifier` on many subsets: class counts are all it needs."""

    releases_lock: ClassVar[bool] = True

    @classmethod
    def supports(cls, estimator: Any, table: SharedTable) -> bool:
        """Return whether there are classes to count."""
        return table.n_classes > 0

    def predict(
        self, subsets: Subsets, random_states: NDArray[np.int64] | None = None
    ) -> SubsetPredictions:
        """Count the classes of every subset; see `SubsetForm.predict`."""
        counts = subsets.class_counts(self.table)
        n_rows = np.diff(subsets.start)
        shares = counts / subsets.train.shape[1]
        return SubsetPredictions(
            np.repeat(counts.argmax(axis=1), n_rows), np.repeat(shares, n_rows, axis=0)
        )
