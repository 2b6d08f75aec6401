"""Learners with closed forms for all settings, from one decomposition or set of moments."""

from collections.abc import Sequence
from numbers import Real
from typing import Any, ClassVar, Final

import numpy as np
from sklearn.base import clone

from bestofk.array_types import Floats, Ints, Values
from bestofk.batched.linear_discriminant import lost_degrees
from bestofk.batched.quadratic_discriminant import lost_degrees as degrees_lost_by_quadratic
from bestofk.tuning.training_parts import (
    Setting,
    SettingPath,
    SettingPredictions,
    TrainingParts,
    probabilities_of_scores,
)


class RidgePath(SettingPath):
    """scikit-learn's `Ridge` and `RidgeClassifier` with the direct solver.

    With the eigenvectors of the scatter of the columns, or of the rows if these are fewer, every
    penalty is a division (Hastie, Tibshirani and Friedman 2009, section 3.4.1).
    """

    parameters: ClassVar[frozenset[str]] = frozenset({"alpha"})

    @classmethod
    def supports(cls, parts: TrainingParts, settings: Sequence[Setting]) -> bool:
        """Return whether settings have an intercept, positive penalties and the direct solver."""
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


# Ratio of eigenvalues below which scikit-learn may drop a direction.
_FAINT: Final = 1e-6


class LinearDiscriminantPath(SettingPath):
    """scikit-learn's `LinearDiscriminantAnalysis`, by default or shrunk (solver ``lsqr``).

    Shrinkage adds a constant to all eigenvalues of the covariance within classes (Ledoit and Wolf
    2004) and keeps the eigenvectors.
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
        # the divisor of the default solver depends on the version of scikit-learn
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
        """Return whether the default solver keeps all directions of the spread and of the means."""
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


class QuadraticDiscriminantPath(SettingPath):
    """scikit-learn's `QuadraticDiscriminantAnalysis` with its solver ``svd``.

    `reg_param` mixes the eigenvalues of the covariance of each class with 1 (Friedman 1989);
    the eigenvectors do not change. A part with a class that is too small, or a covariance that is
    singular in some setting, is trained separately.
    """

    parameters: ClassVar[frozenset[str]] = frozenset({"reg_param"})

    @classmethod
    def supports(cls, parts: TrainingParts, settings: Sequence[Setting]) -> bool:
        """Return whether solver and priors are the default ones."""
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
            mixed = (1 - shares) * values**2 / (len(rows) - degrees_lost_by_quadratic()) + shares
            if (mixed <= self.learner.tol).any():
                return None
            squares = ((asked - mean) @ vectors.T) ** 2
            scores[..., code] = np.log(len(rows) / len(X)) - 0.5 * (
                (1 / mixed) @ squares.T + np.log(mixed).sum(axis=1)[:, None]
            )
        return SettingPredictions(scores.argmax(axis=2), probabilities_of_scores(scores))


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
