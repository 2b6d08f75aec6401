"""Training parts as the learner gets them: prepared together where they can, else one by one."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
from sklearn.base import clone

from bestofk.array_types import Bools, Ints, Values
from bestofk.batched.preparation import read_preparation, split_pipeline
from bestofk.batched.shared_table import SharedTable
from bestofk.scikit_internals import rows_of

Rows = Ints


class TrainingParts:
    """Rows of a table, and what stands in front of a learner.

    Parameters
    ----------
    pipeline : estimator
        The learner with what prepares its columns.
    features : ndarray or DataFrame of shape (n_samples, n_features)
        All rows.
    target : ndarray of shape (n_samples,)
        Labels or values, as handed to learners.
    y : ndarray of shape (n_samples,)
        Positions in `classes`, or values.
    classes : ndarray of shape (n_classes,)
        Sorted labels; empty for regression.
    """

    def __init__(
        self, pipeline: Any, features: Any, target: Values, y: Values, classes: Values
    ) -> None:
        self.pipeline, self.features, self.target, self.y = pipeline, features, target, y
        self.classes = classes
        self.front, self.learner = split_pipeline(pipeline)
        self.table = self._shared_table()

    @property
    def n_classes(self) -> int:
        """Number of classes; 0 for regression."""
        return len(self.classes)

    def prepared(
        self, train_rows: Sequence[Rows], asked_rows: Sequence[Rows]
    ) -> Iterator[tuple[Any, Any]]:
        """Yield the training rows of each part as the learner gets them, and others.

        Parameters
        ----------
        train_rows, asked_rows : sequence of ndarray of int
            Of each part.
        """
        if self.table is not None:
            parts = self.table.parts(self.are_trained(train_rows).astype(np.int32), 2)
            for part, (rows, asked) in enumerate(zip(train_rows, asked_rows, strict=True)):
                matrix = parts.matrix(part, 0)
                yield matrix[rows], matrix[asked]
            return
        for rows, asked in zip(train_rows, asked_rows, strict=True):
            yield self.prepared_by(self.front, rows, asked)

    def prepared_by(self, front: Sequence[Any], rows: Rows, asked: Rows) -> tuple[Any, Any]:
        """Return training rows and others as some steps leave them."""
        X, others = rows_of(self.features, rows), rows_of(self.features, asked)
        for step in front:
            fitted, target = clone(step, safe=False), self.target[rows]
            if hasattr(fitted, "fit_transform"):
                X = fitted.fit_transform(X, target)
            else:
                X = fitted.fit(X, target).transform(X)
            others = fitted.transform(others)
        return X, others

    def own(self, settings: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]] | None:
        """Return the settings by the learner's names; None if all steps must be fitted together.

        They must where a setting changes a step in front of the learner, or a random state,
        which a pipeline hands on, and where its steps draw from one generator.

        Parameters
        ----------
        settings : sequence of mapping
            Full names of parameters.
        """
        is_alone = self.learner is self.pipeline
        prefix = "" if is_alone else f"{self.pipeline.steps[-1][0]}__"
        names = {name for setting in settings for name in setting}
        if not all(name.startswith(prefix) for name in names):
            return None
        states = any(name.endswith("random_state") for name in names)
        seed = getattr(self.pipeline, "random_state", None)
        if not is_alone and (states or isinstance(seed, np.random.RandomState)):
            return None
        return [{n.removeprefix(prefix): v for n, v in setting.items()} for setting in settings]

    def are_trained(self, train_rows: Sequence[Rows]) -> Bools:
        """Return which rows train in each part, shape (n_parts, n_samples)."""
        is_train = np.zeros((len(train_rows), len(self.y)), dtype=bool)
        for part, rows in enumerate(train_rows):
            is_train[part, rows] = True
        return is_train

    def _shared_table(self) -> SharedTable | None:
        """Return the table if all parts can be prepared together; else None."""
        preparation = read_preparation(self.front, self.features) if self.front else None
        if self.front and preparation is None:
            return None
        table = SharedTable(self.features, self.target, self.y, self.classes, preparation)
        is_shared = table.is_faithful if self.front else table.is_numeric
        return table if is_shared else None
