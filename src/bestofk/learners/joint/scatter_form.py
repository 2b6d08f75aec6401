"""How do the forms that need sums of products of columns go through many repeats."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from bestofk.learners.joint.form import JointForm, JointPredictions
from bestofk.learners.joint.scatter import (
    CenteredRows,
    SortedRepeat,
    block_size,
    sorted_repeat,
    train_products,
)


class ScatterForm(JointForm):
    """A learner that is trained by the sums of products of the columns of a part.

    Attributes
    ----------
    rows : CenteredRows
        The columns of the table.
    values : ndarray of shape (n_samples, n_values)
        These columns, and what else is multiplied.
    total : ndarray of shape (..., n_values, n_values)
        The sums over all rows, of each class by itself where they are wanted so.
    """

    rows: CenteredRows
    values: NDArray[np.float64]
    total: NDArray[np.float64]

    def blocks(
        self, folds: NDArray[np.int32]
    ) -> Iterator[tuple[slice, list[SortedRepeat], NDArray[np.float64]]]:
        """Yield repeats, their rows fold after fold, and the sums of their training parts."""
        (n_repeats, n_samples), n_values = folds.shape, self.values.shape[1]
        step = block_size(self.n_folds * self.total.size * 2 + self.values.size, n_repeats)
        rows = np.empty((step, n_samples, n_values))
        products = np.empty((step, self.n_folds, *self.total.shape))
        for start in range(0, n_repeats, step):
            block = slice(start, min(start + step, n_repeats))
            found = products[: block.stop - start]
            yield block, self._sum(folds[block], rows, found), found

    def _sum(
        self, folds: NDArray[np.int32], rows: NDArray[np.float64], products: NDArray[np.float64]
    ) -> list[SortedRepeat]:
        """Sort the rows of some repeats into `rows`, and write the sums of their parts."""
        repeats = [
            sorted_repeat(self.values, one, self.n_folds, out)
            for one, out in zip(folds, rows, strict=False)
        ]
        train_products(repeats, self.total, products)
        return repeats


class DiscriminantForm(ScatterForm):
    """A classifier whose scores are those of densities with such scatter."""

    def predict(
        self, folds: NDArray[np.int32], random_states: NDArray[np.int64] | None = None
    ) -> JointPredictions:
        """Train by the scatter of every part; see `JointForm.predict`."""
        from bestofk.learners.joint._probability_kernels import divide_by_sum, find_best

        n_repeats, n_samples = folds.shape
        n_classes = self.table.n_classes
        labels = np.empty((n_repeats, n_samples), dtype=np.int64)
        probabilities = np.empty((n_repeats, n_samples, n_classes))
        is_done = np.empty((n_repeats, self.n_folds), dtype=bool)
        scores = np.empty((n_samples, n_classes))
        for block, repeats, products in self.blocks(folds):
            factors, intercepts, is_done[block] = self._train(folds[block], products)
            for place, here in enumerate(repeats):
                self._score(here, factors[place], scores)
                repeat = block.start + place
                find_best(scores, intercepts[place], here.bounds, here.order, labels[repeat])
                np.exp(scores, out=scores)
                divide_by_sum(scores, here.order, probabilities[repeat])
        return JointPredictions(labels, probabilities, is_done=is_done)

    @abstractmethod
    def _train(
        self, folds: NDArray[np.int32], products: NDArray[np.float64]
    ) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.bool_]]:
        """Return what multiplies values, the intercepts, and which parts are done."""

    @abstractmethod
    def _score(
        self, here: SortedRepeat, factors: NDArray[np.float64], scores: NDArray[np.float64]
    ) -> None:
        """Write the score of every row for every class, but for the intercepts."""
