"""Boosted trees with many numbers of rounds, each boosted once."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar

import numpy as np
from sklearn.base import clone

from bestofk.array_types import Values
from bestofk.tuning.paths.setting_path import Setting, SettingPath, SettingPredictions
from bestofk.tuning.training_parts import TrainingParts

# Above so many rows scikit-learn's boosters stop early by themselves.
_LARGEST_WHOLE = 10_000


class BoostingPath(SettingPath):
    """scikit-learn's `HistGradientBoosting` learners without early stopping.

    Rounds come one after another, so that the model of the most rounds holds all others.
    """

    parameters: ClassVar[frozenset[str]] = frozenset({"learning_rate", "max_iter"})
    takes_tables: ClassVar[bool] = True
    is_random: ClassVar[bool] = True

    @classmethod
    def supports(cls, parts: TrainingParts, settings: Sequence[Setting]) -> bool:
        """Return whether nothing ends boosting early."""
        learner = parts.learner
        is_whole = learner.early_stopping is False or (
            learner.early_stopping == "auto" and len(parts.y) <= _LARGEST_WHOLE
        )
        return super().supports(parts, settings) and is_whole and not learner.warm_start

    def predict(self, X: Any, y: Values, asked: Any, n_classes: int) -> SettingPredictions | None:
        """Boost once for each learning rate; see `SettingPath.predict`."""
        rates, rounds = self.values("learning_rate"), self.values("max_iter")
        shape = (len(self.settings), len(asked))
        values = np.empty((*shape, n_classes) if n_classes else shape)
        for rate in dict.fromkeys(rates):
            wanted = {i: rounds[i] for i, own in enumerate(rates) if own == rate}
            fitted = clone(self.learner)
            fitted.set_params(learning_rate=rate, max_iter=max(wanted.values())).fit(X, y)
            stages = fitted.staged_predict_proba if n_classes else fitted.staged_predict
            for n_rounds, stage in enumerate(stages(asked), 1):
                for index in [i for i, own in wanted.items() if own == n_rounds]:
                    values[index] = stage
        if not n_classes:
            return SettingPredictions(values)
        return SettingPredictions(values.argmax(axis=2), values)
