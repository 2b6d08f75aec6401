"""Trees pruned at many costs of a leaf, each grown once."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone

from bestofk.trees.cost_complexity import prune_path
from bestofk.trees.prediction import probabilities
from bestofk.tuning.paths.setting_path import Setting, SettingPath, SettingPredictions
from bestofk.tuning.training_parts import TrainingParts


class PrunedTreePath(SettingPath):
    """CART, pruned at given costs of a leaf; a setting without one goes the plain way.

    The trees of all costs are parts of one another (Breiman et al. 1984, chapter 3).
    """

    parameters: ClassVar[frozenset[str]] = frozenset({"ccp_alpha", "min_samples_leaf"})

    @classmethod
    def supports(cls, parts: TrainingParts, settings: Sequence[Setting]) -> bool:
        """Return whether trees are pruned by cost complexity, and grow from all rows."""
        learner = parts.learner
        is_plain = learner.pruning == "cost-complexity" and learner.flavor == "breiman"
        return super().supports(parts, settings) and is_plain

    def predict(
        self, X: Any, y: NDArray[Any], asked: Any, n_classes: int
    ) -> SettingPredictions | None:
        """Grow one tree for each size of leaves, and prune it; see `SettingPath.predict`."""
        shares = np.empty((len(self.settings), len(asked), n_classes))
        grown: dict[Any, Any] = {}
        alphas, sizes = self.values("ccp_alpha"), self.values("min_samples_leaf")
        for index, (alpha, size) in enumerate(zip(alphas, sizes, strict=True)):
            if alpha is None:
                plain = clone(self.learner).set_params(**self.settings[index]).fit(X, y)
                shares[index] = plain.predict_proba(asked)
                continue
            if size not in grown:
                whole = clone(self.learner).set_params(pruning=None, min_samples_leaf=size)
                whole.fit(X, y)
                grown[size] = whole, prune_path(whole.tree_), whole._read(asked)
            fitted, path, rows = grown[size]
            fitted.tree_ = path.tree_at(float(alpha))
            shares[index] = probabilities(fitted.tree_, rows, fitted._answers())
        return SettingPredictions(shares.argmax(axis=2), shares)


class ScikitTreePath(SettingPath):
    """Trees of scikit-learn, pruned at given costs of a leaf."""

    parameters: ClassVar[frozenset[str]] = frozenset({"ccp_alpha", "min_samples_leaf"})

    @classmethod
    def supports(cls, parts: TrainingParts, settings: Sequence[Setting]) -> bool:
        """Return whether no column must rise or fall with the target."""
        return super().supports(parts, settings) and parts.learner.monotonic_cst is None

    def predict(
        self, X: Any, y: NDArray[Any], asked: Any, n_classes: int
    ) -> SettingPredictions | None:
        """Grow one tree for each size of leaves, and prune it; see `SettingPath.predict`."""
        predicted: list[Any] = []
        grown: dict[Any, Any] = {}
        alphas, sizes = self.values("ccp_alpha"), self.values("min_samples_leaf")
        asked = np.ascontiguousarray(asked, dtype=np.float32)
        for alpha, size in zip(alphas, sizes, strict=True):
            if size not in grown:
                whole = clone(self.learner).set_params(ccp_alpha=0.0, min_samples_leaf=size)
                grown[size] = whole.fit(X, y), whole.tree_
            fitted, tree = grown[size]
            fitted.tree_, fitted.ccp_alpha = tree, alpha
            fitted._prune_tree()  # what `fit` does last
            ask = fitted.predict_proba if n_classes else fitted.predict
            predicted.append(ask(asked, check_input=False))
        values = np.stack(predicted)
        if n_classes:
            return SettingPredictions(values.argmax(axis=2), values)
        return SettingPredictions(values)
