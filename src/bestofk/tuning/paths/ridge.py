"""Ridge regression under many penalties, by one eigendecomposition."""

from __future__ import annotations

from collections.abc import Sequence
from numbers import Real
from typing import Any, ClassVar

import numpy as np

from bestofk.array_types import Values
from bestofk.tuning.paths.setting_path import Setting, SettingPath, SettingPredictions
from bestofk.tuning.training_parts import TrainingParts


class RidgePath(SettingPath):
    """scikit-learn's `Ridge` and `RidgeClassifier` with the direct solver.

    With the eigenvectors of the scatter of the columns, or of the rows where these are fewer,
    every penalty is a division (Hastie, Tibshirani and Friedman 2009, section 3.4.1).
    """

    parameters: ClassVar[frozenset[str]] = frozenset({"alpha"})

    @classmethod
    def supports(cls, parts: TrainingParts, settings: Sequence[Setting]) -> bool:
        """Return whether there are an intercept, positive penalties and the direct solver."""
        learner = parts.learner
        alphas = [setting.get("alpha", learner.alpha) for setting in settings]
        return (
            super().supports(parts, settings)
            and all(isinstance(alpha, Real) and float(alpha) > 0 for alpha in alphas)
            and bool(learner.fit_intercept)
            and not learner.positive
            and learner.solver in ("auto", "cholesky")
            and getattr(learner, "class_weight", None) is None
        )

    def predict(self, X: Any, y: Values, asked: Any, n_classes: int) -> SettingPredictions | None:
        """Divide by eigenvalues and penalties; see `SettingPath.predict`."""
        targets = y[:, None].astype(np.float64)
        if n_classes:
            codes = np.arange(n_classes)[1 if n_classes == 2 else 0 :]
            targets = np.where(y[:, None] == codes, 1.0, -1.0)
        center, level = X.mean(axis=0), targets.mean(axis=0)
        rows, right, asked = X - center, targets - level, asked - center
        if len(rows) < rows.shape[1]:
            asked, rows = asked @ rows.T, rows @ rows.T
        else:
            right, rows = rows.T @ right, rows.T @ rows
        values, vectors = np.linalg.eigh(rows)
        alphas = np.array(self.values("alpha"), dtype=np.float64)
        shares = 1 / (np.maximum(values, 0.0) + alphas[:, None])
        weights = shares[:, :, None] * (vectors.T @ right)
        predicted = (asked @ vectors) @ weights + level
        if not n_classes:
            return SettingPredictions(predicted[..., 0])
        if n_classes == 2:
            decision = predicted[..., 0]
            return SettingPredictions((decision > 0).astype(np.int64), decision=decision)
        return SettingPredictions(predicted.argmax(axis=2), decision=predicted)
