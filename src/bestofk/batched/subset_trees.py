"""The decision trees of this package on many subsets of one table."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from bestofk.batched.shared_table import SharedTable
from bestofk.batched.subset_form import SubsetForm, SubsetPredictions, Subsets
from bestofk.batched.trees import TreeForm, TreeParts, TreeTask


class TreeSubsets(SubsetForm):
    """`ID3Classifier`, `C45Classifier`, `CARTClassifier`, `HellingerTreeClassifier` on subsets.

    The table is read, encoded and sorted once; see `TreeForm`.
    """

    is_random: ClassVar[bool] = True

    def __init__(self, estimator: Any, table: SharedTable) -> None:
        super().__init__(estimator, table)
        self._parts = TreeParts(estimator, table)

    @classmethod
    def does_itself(cls, step: Any) -> bool:
        """Return whether a step leaves out columns without a value: such subsets go plain."""
        return TreeForm.does_itself(step)

    @classmethod
    def supports(cls, estimator: Any, table: SharedTable) -> bool:
        """Return whether batches grow trees of this kind on these data as plain fits do."""
        return TreeForm.supports(estimator, table)

    def predict(
        self, subsets: Subsets, random_states: NDArray[np.int64] | None = None
    ) -> SubsetPredictions:
        """Grow a tree on every subset and send rows down; see `SubsetForm.predict`."""
        start, n_classes = subsets.start, self.table.n_classes
        shown = np.zeros((len(subsets.rows), n_classes))
        is_done = np.zeros(len(subsets), dtype=bool)
        tasks = (
            TreeTask(
                (s,), self._parts.learner_with(None if random_states is None else random_states[s]),
                train, subsets.rows[start[s] : start[s + 1]],
            )
            for s, train in enumerate(subsets.train)
        )  # fmt: skip
        for task, result in self._parts.answers(tasks):
            if result is not None:
                is_done[task.place] = True
                s = task.place[0]
                shown[start[s] : start[s + 1]] = result
        return SubsetPredictions(shown.argmax(axis=1), shown, is_done=is_done)
