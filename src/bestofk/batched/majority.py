"""The most frequent class of every set of training rows."""

from typing import Any

import numpy as np

from bestofk.array_types import Folds, Ints
from bestofk.batched.form import BatchedForm, BatchedPredictions
from bestofk.batched.parts import class_counts
from bestofk.batched.shared_table import SharedTable, Subsets


class MajorityForm(BatchedForm):
    """`MajorityClassifier` on many sets of rows, by class counts.

    Ties go to the first class, as in the plain learner.
    """

    @classmethod
    def supports(cls, estimator: Any, table: SharedTable) -> bool:
        """Return whether there are classes to count."""
        return table.n_classes > 0

    def predict(self, folds: Folds, random_states: Ints | None = None) -> BatchedPredictions:
        """Count the classes of every part; see `BatchedForm.predict`."""
        counts = class_counts(self.table.y, self.table.n_classes, folds, self.n_folds)
        n_train = counts.sum(axis=2, keepdims=True)
        shares = np.divide(counts, n_train, out=np.zeros(counts.shape), where=n_train > 0)
        repeats = np.arange(len(folds))[:, None]
        return BatchedPredictions(counts.argmax(axis=2)[repeats, folds], shares[repeats, folds])

    def predict_subsets(
        self, subsets: Subsets, random_states: Ints | None = None
    ) -> BatchedPredictions:
        """Count the classes of every subset; see `BatchedForm.predict_subsets`."""
        counts, n_rows = subsets.class_counts(self.table), np.diff(subsets.start)
        shares = counts / subsets.train.shape[1]
        labels = np.repeat(counts.argmax(axis=1), n_rows)
        return BatchedPredictions(labels, np.repeat(shares, n_rows, axis=0))
