"""Trees pruned at many costs of a leaf, and boosting with many rounds, each grown once."""

from collections.abc import Sequence
from typing import Any, ClassVar

import numpy as np
from sklearn.base import clone

from bestofk.array_types import Values
from bestofk.trees.prediction import probabilities
from bestofk.trees.pruning_methods import prune_path
from bestofk.tuning.training_parts import Setting, SettingPath, SettingPredictions, TrainingParts


class PrunedTreePath(SettingPath):
    """CART, pruned at given costs of a leaf; a setting without a cost is trained separately.

    The trees of all costs are nested (Breiman et al. 1984, chapter 3).
    """

    parameters: ClassVar[frozenset[str]] = frozenset({"ccp_alpha", "min_samples_leaf"})
    takes_tables: ClassVar[bool] = True

    @classmethod
    def supports(cls, parts: TrainingParts, settings: Sequence[Setting]) -> bool:
        """Return whether trees are pruned by cost complexity and grown on all rows."""
        learner = parts.learner
        is_plain = learner.pruning == "cost-complexity" and learner.flavor == "breiman"
        return super().supports(parts, settings) and is_plain

    def predict(self, X: Any, y: Values, asked: Any, n_classes: int) -> SettingPredictions | None:
        """Grow one tree for each size of leaves, and prune it; see `SettingPath.predict`."""
        shares = np.empty((len(self.settings), len(asked), n_classes))
        tree = clone(self.learner)
        columns, codes, _, weight = tree._sorted_training(X, y)
        every = np.arange(len(codes))  # growing on row numbers does not copy the columns
        grown: dict[Any, Any] = {}
        rows = None
        alphas, sizes = self.values("ccp_alpha"), self.values("min_samples_leaf")
        for index, (alpha, size) in enumerate(zip(alphas, sizes, strict=True)):
            tree.min_samples_leaf = size
            rules = tree.completed_rules(tree.growth_rules())
            if alpha is None:
                tree.ccp_alpha = None
                tree.tree_ = tree._grow_and_prune(columns, codes, rules, weight)
            else:
                if size not in grown:
                    whole = tree.grow_on(columns, codes, rules, weight, every)
                    grown[size] = prune_path(whole)
                tree.tree_ = grown[size].tree_at(float(alpha))
            rows = tree._read(asked) if rows is None else rows
            shares[index] = probabilities(tree.tree_, rows, tree._answers())
        return SettingPredictions(shares.argmax(axis=2), shares)


class ScikitTreePath(SettingPath):
    """Trees of scikit-learn, pruned at given costs of a leaf."""

    parameters: ClassVar[frozenset[str]] = frozenset({"ccp_alpha", "min_samples_leaf"})
    takes_tables: ClassVar[bool] = True
    is_random: ClassVar[bool] = True

    @classmethod
    def supports(cls, parts: TrainingParts, settings: Sequence[Setting]) -> bool:
        """Return whether no monotonic constraint is set."""
        return super().supports(parts, settings) and parts.learner.monotonic_cst is None

    def predict(self, X: Any, y: Values, asked: Any, n_classes: int) -> SettingPredictions | None:
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
            fitted._prune_tree()  # the last step of `fit`
            ask = fitted.predict_proba if n_classes else fitted.predict
            predicted.append(ask(asked, check_input=False))
        values = np.stack(predicted)
        if n_classes:
            return SettingPredictions(values.argmax(axis=2), values)
        return SettingPredictions(values)


# Above this many rows, scikit-learn's boosters stop early by default.
_LARGEST_WHOLE = 10_000


class BoostingPath(SettingPath):
    """scikit-learn's `HistGradientBoosting` learners without early stopping.

    Rounds are sequential, so the model with the most rounds contains all others.
    """

    parameters: ClassVar[frozenset[str]] = frozenset({"learning_rate", "max_iter"})
    takes_tables: ClassVar[bool] = True
    is_random: ClassVar[bool] = True

    @classmethod
    def supports(cls, parts: TrainingParts, settings: Sequence[Setting]) -> bool:
        """Return whether boosting is without early stopping."""
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
