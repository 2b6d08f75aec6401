"""The forests of this package: columns sorted once for the trees of all parts."""

from copy import copy
from typing import Any, ClassVar

import numpy as np

from bestofk.array_types import Ints
from bestofk.batched.form import BatchedForm, BatchedPredictions
from bestofk.batched.shared_table import SharedTable, Subsets
from bestofk.trees._forest import SortedTable
from bestofk.trees.parameters import check_fields
from bestofk.trees.random_forest import grow_trees


class ForestForm(BatchedForm):
    """`ForestClassifier` and `ForestRegressor` on many parts of a table.

    Trees are those of the plain learner to the last bit. Parts that lack a class, or whose rows
    are not in the order of the table, are left to the plain learner.
    """

    is_random: ClassVar[bool] = True

    def __init__(self, estimator: Any, table: SharedTable, n_folds: int = 0) -> None:
        super().__init__(estimator, table, n_folds)
        self._matrix = np.ascontiguousarray(table.encoded.matrix, dtype=np.float64)
        self._sorted = SortedTable(self._matrix)

    @classmethod
    def supports(cls, estimator: Any, table: SharedTable) -> bool:
        """Return whether the learner receives numbers unchanged, and filled levels.

        Means of parts differ from those of the plain learner in the last bits.
        """
        try:
            check_fields(estimator)
        except ValueError:
            return False
        if table.preparation is None and not table.is_numeric:
            return False
        if estimator.oob_score or table.has_other_floats:
            return False
        missing = table.encoded.is_missing
        gaps = set() if missing is None else set(np.flatnonzero(missing.any(axis=0)).tolist())
        return all(
            step.scale is None and (step.is_nominal or index not in gaps)
            for index, step in enumerate(table.encoded.steps)
        )

    def predict_subsets(
        self, subsets: Subsets, random_states: Ints | None = None
    ) -> BatchedPredictions:
        """Grow a forest on every subset; see `BatchedForm.predict_subsets`."""
        n_classes, y = self.table.n_classes, np.zeros(self.table.n_samples)
        shares = np.zeros((len(subsets.rows), n_classes)) if n_classes else None
        labels: Any = np.zeros(len(subsets.rows), dtype=np.int64 if n_classes else np.float64)
        is_done = np.zeros(len(subsets), dtype=bool)
        parts, matrix, ordered = subsets.parts(self.table), self._matrix, self._sorted
        for s, train in enumerate(subsets.train):
            learner = copy(self.estimator)
            if random_states is not None:
                learner.random_state = int(random_states[s])
            y[train] = learner._target(self.table.y[train])
            has_all = not n_classes or len(learner.classes_) == n_classes
            is_done[s] = has_all and bool((np.diff(train) > 0).all())
            if not is_done[s]:
                continue
            own = parts.matrix(s, 0)
            if not np.array_equal(own, matrix):  # levels that are filled in, or missing in the part
                matrix, ordered = own, SortedTable(own)
            learner.n_features_in_ = matrix.shape[1]
            settings, seeds = learner._settings(len(train)), learner._seeds()
            part = np.asarray(train, dtype=np.int32)
            forest = grow_trees(ordered, part, y, None, settings, seeds)
            asked = slice(subsets.start[s], subsets.start[s + 1])
            answers = forest.mean_answers(matrix[subsets.rows[asked]])
            if shares is None:
                labels[asked] = learner._values(answers)
            else:
                shares[asked] = learner._probabilities(answers)
                labels[asked] = shares[asked].argmax(axis=1)
        return BatchedPredictions(labels, shares, is_done=is_done)
