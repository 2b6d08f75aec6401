"""Logistic regression under many penalties, each penalty on all parts at once."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, ClassVar

import numpy as np
from sklearn.base import clone

from bestofk.batched.logistic import LogisticForm
from bestofk.tuning.paths.setting_path import Setting, SettingPath, SettingPredictions
from bestofk.tuning.training_parts import Rows, TrainingParts


class LogisticPath(SettingPath):
    """Logistic regression as its batched form does it.

    Under every penalty all parts start from the optimum of all rows. What does not converge from
    there, such as classes that hardly overlap under a weak penalty, goes the plain way.
    """

    parameters: ClassVar[frozenset[str]] = frozenset({"C"})

    def __init__(self, learner: Any, settings: Sequence[Setting]) -> None:
        super().__init__(learner, settings)
        self._forms: list[LogisticForm] = []

    @classmethod
    def supports(cls, parts: TrainingParts, settings: Sequence[Setting]) -> bool:
        """Return whether the form does every setting on the table."""
        table = parts.table
        if not super().supports(parts, settings) or table is None:
            return False
        tried = [clone(parts.learner).set_params(**setting) for setting in settings]
        return all(LogisticForm.supports(learner, table) for learner in tried)

    def predict_parts(
        self, parts: TrainingParts, train_rows: Sequence[Rows], asked_rows: Sequence[Rows]
    ) -> Iterator[SettingPredictions | None]:
        """Predict all parts under one setting after another; see `SettingPath.predict_parts`."""
        assert parts.table is not None
        if not self._forms:
            tried = [clone(self.learner).set_params(**setting) for setting in self.settings]
            self._forms = [LogisticForm(learner, parts.table) for learner in tried]
        results = [form.predict_splits(train_rows, asked_rows) for form in self._forms]
        labels, probabilities, _ = (
            None if values[0] is None else np.stack(values)
            for values in zip(*(result.take() for result in results), strict=True)
        )
        assert labels is not None
        assert probabilities is not None
        stops = np.cumsum([len(rows) for rows in asked_rows])
        for part, (rows, asked, stop) in enumerate(zip(train_rows, asked_rows, stops, strict=True)):
            left = [
                index
                for index, result in enumerate(results)
                if result.is_done is not None and not result.is_done[part]
            ]
            here = np.s_[:, stop - len(asked) : stop]
            if left and len(np.unique(parts.y[rows])) < parts.n_classes:
                yield None
                continue
            if left:
                X, others = next(parts.prepared([rows], [asked]))
            for index in left:
                plain = clone(self.learner).set_params(**self.settings[index])
                shares = plain.fit(X, parts.y[rows]).predict_proba(others)
                probabilities[index][here[1]] = shares
                labels[index][here[1]] = shares.argmax(axis=1)
            yield SettingPredictions(labels[here], probabilities[here])
