"""Quadratic discriminant analysis under many shares of the identity, by one decomposition."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar

import numpy as np

from bestofk.array_types import Values
from bestofk.batched.quadratic_discriminant import lost_degrees
from bestofk.tuning.paths.setting_path import (
    Setting,
    SettingPath,
    SettingPredictions,
    probabilities_of_scores,
)
from bestofk.tuning.training_parts import TrainingParts


class QuadraticDiscriminantPath(SettingPath):
    """scikit-learn's `QuadraticDiscriminantAnalysis` with its solver ``svd``.

    `reg_param` mixes the eigenvalues of the covariance of each class with 1 (Friedman 1989);
    the vectors stay as they are. A part with a class too small, or with a covariance that is
    singular in some setting, goes the plain way.
    """

    parameters: ClassVar[frozenset[str]] = frozenset({"reg_param"})

    @classmethod
    def supports(cls, parts: TrainingParts, settings: Sequence[Setting]) -> bool:
        """Return whether solver and priors are the usual ones."""
        learner = parts.learner
        return (
            super().supports(parts, settings)
            and learner.priors is None
            and getattr(learner, "solver", "svd") == "svd"
            and getattr(learner, "shrinkage", None) is None
            and getattr(learner, "covariance_estimator", None) is None
        )

    def predict(self, X: Any, y: Values, asked: Any, n_classes: int) -> SettingPredictions | None:
        """Mix eigenvalues with 1 in every setting; see `SettingPath.predict`."""
        n_columns = X.shape[1]
        shares = np.array(self.values("reg_param"), dtype=np.float64)[:, None]
        scores = np.empty((len(shares), len(asked), n_classes))
        for code in range(n_classes):
            rows = X[y == code]
            if len(rows) <= max(n_columns, 1):
                return None
            mean = rows.mean(axis=0)
            _, values, vectors = np.linalg.svd(rows - mean, full_matrices=False)
            mixed = (1 - shares) * values**2 / (len(rows) - lost_degrees()) + shares
            if (mixed <= self.learner.tol).any():
                return None
            squares = ((asked - mean) @ vectors.T) ** 2
            scores[..., code] = np.log(len(rows) / len(X)) - 0.5 * (
                (1 / mixed) @ squares.T + np.log(mixed).sum(axis=1)[:, None]
            )
        return SettingPredictions(scores.argmax(axis=2), probabilities_of_scores(scores))
