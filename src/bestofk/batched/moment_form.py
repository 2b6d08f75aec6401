"""Batched forms of learners that need means and variances of classes."""

from __future__ import annotations

from abc import abstractmethod
from typing import Any, ClassVar

import numpy as np

from bestofk.array_types import Bools, Floats, Folds, Ints
from bestofk.batched.form import BatchedForm, BatchedPredictions
from bestofk.batched.moments import ClassMoments, PartMoments, is_summable
from bestofk.batched.shared_table import SharedTable
from bestofk.batched.subsets import Subsets


class MomentForm(BatchedForm):
    """A classifier that is trained by the moments of the classes of a part.

    Parts of k-fold cross-validation are all rows less a fold; where that loses digits, and for
    any other subset of the rows, training rows are added up in two passes.
    """

    releases_lock: ClassVar[bool] = True
    #: Whether rows far from 0 are added as they are, to lose the digits that numpy loses.
    is_plain: ClassVar[bool] = False

    def __init__(self, estimator: Any, table: SharedTable, n_folds: int = 0) -> None:
        super().__init__(estimator, table, n_folds)
        self._moments = ClassMoments(table, is_plain=self.is_plain)

    @classmethod
    def supports(cls, estimator: Any, table: SharedTable) -> bool:
        """Return whether the table is finite numbers."""
        return is_summable(table)

    def predict(self, folds: Folds, random_states: Ints | None = None) -> BatchedPredictions:
        """Predict by the moments of every part; see `BatchedForm.predict`."""
        if not self._moments.is_additive:
            return super().predict(folds)
        n_classes = self.table.n_classes
        labels = np.empty(folds.size, dtype=np.int64)
        shares = np.empty((folds.size, n_classes))
        is_done = np.empty((len(folds), self.n_folds), dtype=bool)
        for block in self._moments.of_folds(folds, self.n_folds):
            labels[block.asked], shares[block.asked], is_sure = self._classify(block)
            is_done.ravel()[block.parts] = is_sure & ~block.is_lost
        result = BatchedPredictions(
            labels.reshape(folds.shape), shares.reshape(*folds.shape, n_classes), is_done=is_done
        )
        left = [(repeat, fold) for repeat, fold in np.argwhere(~is_done).tolist()]
        return self.predict_parts(folds, left, result=result)

    def predict_subsets(
        self, subsets: Subsets, random_states: Ints | None = None
    ) -> BatchedPredictions:
        """Predict by the moments of every subset; see `BatchedForm.predict_subsets`."""
        labels = np.empty(len(subsets.rows), dtype=np.int64)
        shares = np.empty((len(subsets.rows), self.table.n_classes))
        is_done = np.empty(len(subsets), dtype=bool)
        for block in self._moments.of_subsets(subsets):
            result = self._classify(block)
            labels[block.asked], shares[block.asked], is_done[block.parts] = result
        return BatchedPredictions(labels, shares, is_done=is_done)

    @abstractmethod
    def _classify(self, block: PartMoments) -> tuple[Ints, Floats, Bools]:
        """Return labels and probabilities of the rows asked for, and which parts are done."""
