"""Linear discriminant analysis under many shrinkages, by one eigendecomposition."""

from __future__ import annotations

from collections.abc import Sequence
from numbers import Real
from typing import Any, ClassVar, Final

import numpy as np
from sklearn.base import clone

from bestofk.array_types import Floats, Ints, Values
from bestofk.batched.linear_discriminant import lost_degrees
from bestofk.tuning.paths.setting_path import (
    Setting,
    SettingPath,
    SettingPredictions,
    probabilities_of_scores,
)
from bestofk.tuning.training_parts import TrainingParts

# Ratio of eigenvalues below which scikit-learn may drop a direction.
_FAINT: Final = 1e-6


class LinearDiscriminantPath(SettingPath):
    """scikit-learn's `LinearDiscriminantAnalysis`, by default or shrunk (solver ``lsqr``).

    Shrinking adds the same to all eigenvalues of the covariance within classes (Ledoit and
    Wolf 2004), whose vectors stay as they are.
    """

    parameters: ClassVar[frozenset[str]] = frozenset({"solver", "shrinkage"})

    @classmethod
    def supports(cls, parts: TrainingParts, settings: Sequence[Setting]) -> bool:
        """Return whether each setting is ``svd`` or a shrinkage above 0 with ``lsqr``."""
        learner = parts.learner
        return (
            super().supports(parts, settings)
            and learner.priors is None
            and learner.covariance_estimator is None
            and learner.n_components is None
            and all(_is_known(learner, setting) for setting in settings)
        )

    def predict(self, X: Any, y: Values, asked: Any, n_classes: int) -> SettingPredictions | None:
        """Solve with shrunk eigenvalues; see `SettingPath.predict`."""
        counts = np.bincount(y, minlength=n_classes)
        if len(X) <= n_classes:
            return None
        means = np.stack([X[y == code].mean(axis=0) for code in range(n_classes)])
        within = X - means[y]
        values, vectors = np.linalg.eigh(within.T @ within / len(X))
        values = np.maximum(values, 0.0)
        shrinkages = self.values("shrinkage")
        shares = np.array([0.0 if share is None else share for share in shrinkages])[:, None]
        # the divisor of the default solver differs in some versions of scikit-learn
        factor = np.where(
            [share is None for share in shrinkages],
            (len(X) - lost_degrees() * n_classes) / len(X), 1.0,
        )  # fmt: skip
        with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
            shrunk = (1 - shares) * values + shares * values.mean()
            center = counts @ means / len(X)
            inside = (means - center) @ vectors
            weights = (factor[:, None] / shrunk)[:, :, None] * inside.T
            scores = ((asked - center) @ vectors) @ weights
            scores -= 0.5 * (inside.T * weights).sum(axis=1)[:, None]
            scores += np.log(counts / len(X))
            probabilities = probabilities_of_scores(scores)
        if None in shrinkages and not self._is_plain(within, means, counts):
            plain = clone(self.learner).set_params(solver="svd", shrinkage=None).fit(X, y)
            own = [index for index, share in enumerate(shrinkages) if share is None]
            probabilities[own] = plain.predict_proba(asked)
        if not np.isfinite(probabilities).all():
            return None
        return SettingPredictions(probabilities.argmax(axis=2), probabilities)

    def _is_plain(self, within: Floats, means: Floats, counts: Ints) -> bool:
        """Return whether the default solver drops no direction, of the spread or of the means."""
        spread = within.std(axis=0)
        if not (spread > 0).all():
            return False
        scaled = within / spread
        values, vectors = np.linalg.eigh(scaled.T @ scaled / len(within))
        if values[0] < _FAINT * max(values[-1], 1.0):
            return False
        center = counts @ means / counts.sum()
        inside = ((means - center) / spread @ vectors) / np.sqrt(values) * np.sqrt(counts)[:, None]
        between = np.linalg.svd(inside, compute_uv=False)
        n_directions = min(len(counts) - 1, len(values))
        return bool(between[n_directions - 1] ** 2 > _FAINT * between[0] ** 2)


def _is_known(learner: Any, setting: Setting) -> bool:
    solver = setting.get("solver", learner.solver)
    shrinkage = setting.get("shrinkage", learner.shrinkage)
    if solver == "svd":
        return shrinkage is None
    return solver == "lsqr" and isinstance(shrinkage, Real) and 0 < float(shrinkage) <= 1
