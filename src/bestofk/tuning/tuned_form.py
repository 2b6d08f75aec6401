"""Tuned learners on many training sets at once, where settings share their work."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np

from bestofk.array_types import Folds, Ints
from bestofk.batched.form import BatchedForm, BatchedPredictions
from bestofk.batched.shared_table import SharedTable
from bestofk.errors import InvalidArgumentError
from bestofk.learners.learner import text_of_choice
from bestofk.tuning.inner_losses import inner_losses, inner_measure
from bestofk.tuning.training_parts import TrainingParts
from bestofk.tuning.trial import path_of, try_settings


class TunedForm(BatchedForm):
    """`Tuned` with a space whose settings share work, on all folds of some repeats."""

    is_random: ClassVar[bool] = True

    def __init__(self, estimator: Any, table: SharedTable, n_folds: int = 0) -> None:
        super().__init__(estimator, table, n_folds)
        self._parts = _parts_of(estimator, table)
        self._settings = estimator.settings()
        self._path = path_of(self._parts, self._settings)
        self._measure = inner_measure(estimator.measure, table.classes)

    @classmethod
    def supports(cls, estimator: Any, table: SharedTable) -> bool:
        """Return whether all settings share work on this table, the same in every run."""
        try:
            parts, settings = _parts_of(estimator, table), estimator.settings()
        except InvalidArgumentError:
            return False  # the plain way says why
        path = path_of(parts, settings)
        return parts.table is not None and path is not None and not path.is_random

    def predict(self, folds: Folds, random_states: Ints | None = None) -> BatchedPredictions:
        """Choose a setting in every part, and predict with it; see `BatchedForm.predict`."""
        assert random_states is not None
        tuned, parts, settings = self.estimator, self._parts, self._settings
        runs = list(np.ndindex(len(folds), self.n_folds))
        train = [np.flatnonzero(folds[repeat] != fold) for repeat, fold in runs]
        test = [np.flatnonzero(folds[repeat] == fold) for repeat, fold in runs]
        splits = [
            (rows, tuned.inner_folds(parts, rows, None, int(random_states[run])))
            for rows, run in zip(train, runs, strict=True)
        ]
        tried = inner_losses(parts, settings, self._measure, splits, path=self._path)
        chosen = [
            tuned.choice(settings, losses, inner)
            for losses, (_, inner) in zip(tried, splits, strict=True)
        ]
        of_all = try_settings(parts, settings, train, test, path=self._path)
        arrays: list[Any] = [None, None, None]
        # `Tuned.fit` refuses a single class
        trainable = [not parts.n_classes or np.ptp(parts.y[rows]) > 0 for rows in train]
        is_done = np.reshape(trainable, (len(folds), self.n_folds))
        for run, rows, choice, predictions in zip(runs, test, chosen, of_all, strict=True):
            is_done[run] &= choice["index"] not in predictions.failures  # the plain way says why
            for i, values in enumerate(predictions[:3]):
                if values is None:
                    continue
                own = values[choice["index"]]
                if arrays[i] is None:
                    arrays[i] = np.zeros((*folds.shape, *own.shape[1:]), own.dtype)
                arrays[i][run[0], rows] = own
        messages = {
            run: losses.message(settings)
            for run, losses in zip(runs, tried, strict=True)
            if losses.failures
        }
        choices = {run: text_of_choice(choice) for run, choice in zip(runs, chosen, strict=True)}
        labels, probabilities, decision = arrays
        return BatchedPredictions(labels, probabilities, decision, is_done, messages, choices)


def _parts_of(estimator: Any, table: SharedTable) -> TrainingParts:
    return TrainingParts(estimator.learner, table.features, table.target, table.y, table.classes)
