"""Gaussian naive Bayes under many smoothings, by one set of moments."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar

import numpy as np

from bestofk.array_types import Values
from bestofk.tuning.paths.setting_path import (
    Setting,
    SettingPath,
    SettingPredictions,
    probabilities_of_scores,
)
from bestofk.tuning.training_parts import TrainingParts


class GaussianNaiveBayesPath(SettingPath):
    """scikit-learn's `GaussianNB` without given priors."""

    parameters: ClassVar[frozenset[str]] = frozenset({"var_smoothing"})

    @classmethod
    def supports(cls, parts: TrainingParts, settings: Sequence[Setting]) -> bool:
        """Return whether no priors are given."""
        return super().supports(parts, settings) and parts.learner.priors is None

    def predict(self, X: Any, y: Values, asked: Any, n_classes: int) -> SettingPredictions | None:
        """Add every smoothing to the variances of the classes; see `SettingPath.predict`."""
        members = [X[y == code] for code in range(n_classes)]
        means = np.stack([rows.mean(axis=0) for rows in members])
        variances = np.stack([rows.var(axis=0) for rows in members])
        added = np.array(self.values("var_smoothing"), dtype=np.float64) * X.var(axis=0).max()
        squares = (asked[:, None] - means) ** 2
        logs = np.log([len(rows) / len(X) for rows in members])
        scores = np.empty((len(added), len(asked), n_classes))
        with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
            for score, smoothing in zip(scores, added, strict=True):
                smoothed = variances + smoothing
                normalizers = np.log(2.0 * np.pi * smoothed).sum(axis=1)
                score[:] = logs - 0.5 * (normalizers + (squares / smoothed).sum(axis=2))
        if not np.isfinite(scores).all():
            return None
        return SettingPredictions(scores.argmax(axis=2), probabilities_of_scores(scores))
