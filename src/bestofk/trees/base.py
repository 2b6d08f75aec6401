"""Base of all tree classifiers: reading tables, growing, pruning, predicting."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import replace
from numbers import Integral
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_matrix
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.validation import check_is_fitted

from bestofk.array_types import Codes, Floats, Positions
from bestofk.data.table_columns import table_columns
from bestofk.errors import InvalidArgumentError
from bestofk.trees.attributes import (
    NOMINAL,
    NUMERIC,
    ORDINAL,
    Attribute,
    encode_table,
    find_attributes,
    is_plain_matrix,
)
from bestofk.trees.discretization import level_means, with_intervals
from bestofk.trees.growing import grow
from bestofk.trees.growth_rules import GrowthRules
from bestofk.trees.json_form import classifier_from_json, classifier_to_json
from bestofk.trees.parameters import NO_PRUNING, TreeParameters, check_fields, cost_array
from bestofk.trees.prediction import leaves, main_leaves, probabilities
from bestofk.trees.pruning_methods import (
    choose_alpha,
    dealt_folds,
    prune_by_description_length,
    prune_by_reduced_error,
    prune_path,
    prune_pessimistically,
    split_by_folds,
    split_by_fraction,
)
from bestofk.trees.reading import (
    check_columns,
    checked_labels,
    checked_table,
    checked_weights,
    chosen_columns,
    coded_labels,
    ordinal_columns,
    raw_column,
)
from bestofk.trees.sorting import Columns, sort_columns
from bestofk.trees.text_form import learner_html, tree_dot, tree_text
from bestofk.trees.tree import Tree


class TreeClassifier(TreeParameters, ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """Base of the tree classifiers, which grow one `Tree` from a table with any columns.

    A subclass defines the rules of growth, and adds parameters and kinds of pruning.

    Attributes
    ----------
    tree_ : Tree
        The tree.
    classes_ : ndarray of shape (n_classes,)
        Labels.
    n_classes_ : int
        Their number.
    attributes_ : tuple of Attribute
        What the columns are.
    n_features_in_ : int
        Their number.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Their names, if the table had any.
    ccp_alpha_ : float
        Cost of a leaf; with cost-complexity pruning.
    """

    code_version = 1

    laplace: bool = False
    nominal_splits: str
    ordinal_splits: str = "cut"
    tree_: Tree
    n_classes_: int
    classes_: np.ndarray
    attributes_: tuple[Attribute, ...]

    @abstractmethod
    def growth_rules(self) -> GrowthRules:
        """Return the rules, after a check of all parameters."""

    @property
    def ordinal_kind(self) -> str:
        """Kind of columns with an order during growth: nominal if they get a branch per level."""
        return NOMINAL if self.ordinal_splits == "multiway" else ORDINAL

    def grow_on(
        self,
        columns: Columns,
        y: Codes,
        rules: GrowthRules,
        weight: Floats | None,
        rows: Positions | None = None,
    ) -> Tree:
        """Return the unpruned tree of some rows, None for all; see `growing.grow`."""
        return grow(columns, y, self.classes_, rules, weight, rows)

    @property
    def is_pruned(self) -> bool:
        """Whether grown trees are pruned."""
        return self.pruning not in NO_PRUNING

    @property
    def chooses_alpha(self) -> bool:
        """Whether cross-validation chooses the cost of a leaf."""
        return self.pruning == "cost-complexity" and self.ccp_alpha is None

    def check_parameters(self) -> None:
        """Check the parameters, each by itself and all together."""
        check_fields(self)
        if self.ordinal_splits == "multiway" and self.nominal_splits != "multiway":
            raise InvalidArgumentError(
                f"ordinal_splits of {type(self).__name__} must be 'cut' together with "
                f"nominal_splits={self.nominal_splits!r}; got 'multiway'. If ordered levels have a "
                "branch each, levels without an order must, too."
            )

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Grow and prune the tree.

        Parameters
        ----------
        X : ndarray or DataFrame of shape (n_samples, n_features)
            Training rows: numbers, texts, categories, booleans; values may be missing.
        y : array-like of shape (n_samples,)
            Labels.
        sample_weight : array-like of shape (n_samples,) or None, default=None
            Weights of the rows; rows of weight 0 are left out.

        Returns
        -------
        TreeClassifier
            Itself.

        Raises
        ------
        ValueError
            If a parameter, a column, the weights or the labels are not valid.
        """
        self.tree_ = self._grow_and_prune(*self._sorted_training(X, y, sample_weight))
        return self

    def pruned_tree(self, tree: Tree, columns: Columns, y: Codes, weight: Floats | None) -> Tree:
        """Return the tree after pruning, if pruning needs only its counts."""
        if self.pruning == "pessimistic":
            return prune_pessimistically(tree)
        if self.pruning == "mdl":
            return prune_by_description_length(tree, columns.n_levels)
        if self.pruning == "cost-complexity" and self.ccp_alpha is not None:
            self.ccp_alpha_ = float(self.ccp_alpha)
            return prune_path(tree).tree_at(self.ccp_alpha_)
        return tree

    def _grows_once(self) -> bool:
        """Tell whether one tree is grown on all rows, with no other pruning than `pruned_tree`."""
        return self.pruning != "reduced-error" and not self.chooses_alpha

    def _grow_and_prune(
        self, columns: Columns, y: Codes, rules: GrowthRules, weight: Floats | None
    ) -> Tree:
        if self.pruning == "reduced-error":
            growing, pruning = self.pruning_split(y)
            tree = self.grow_on(columns, y, rules, weight, growing)
            kept = None if weight is None else weight[pruning]
            return prune_by_reduced_error(tree, columns.matrix()[pruning], y[pruning], kept)
        if not self.chooses_alpha:
            return self.pruned_tree(self.grow_on(columns, y, rules, weight), columns, y, weight)
        path = prune_path(self.grow_on(columns, y, rules, weight, np.arange(len(y))))
        self.ccp_alpha_ = choose_alpha(
            path,
            lambda rows: self.grow_on(columns, y, rules, weight, rows),
            columns.matrix(),
            y,
            weight,
            splits=self.alpha_splits(y),
            one_standard_error=self.one_standard_error,
        ).alpha
        return path.tree_at(self.ccp_alpha_)

    def pruning_split(self, y: Codes) -> tuple[Positions, Positions]:
        """Return the growing and the pruning rows of reduced-error pruning, sorted."""
        if self.pruning_fraction is None:
            return split_by_folds(y, self.pruning_folds)
        return split_by_fraction(y, self.pruning_fraction, self.random_state)

    def alpha_splits(self, y: Codes) -> list[tuple[Positions, Positions]]:
        """Return the growing and the held-out rows of each split for the choice of alpha."""
        is_counted = self.__dict__.pop("_is_counted", np.ones(len(y), np.bool_))
        if isinstance(self.cv, Integral):
            return dealt_folds(y, min(int(self.cv), len(y)), self.random_state)
        number = np.cumsum(is_counted) - 1
        if hasattr(self.cv, "split"):
            return list(self.cv.split(np.zeros((len(y), 1)), y))
        splits = [(np.asarray(growing), np.asarray(held)) for growing, held in self.cv]
        return [
            (number[growing[is_counted[growing]]], number[held[is_counted[held]]])
            for growing, held in splits
        ]

    def predict_proba(self, X: Any) -> Floats:
        """Return the probabilities of the classes.

        Parameters
        ----------
        X : ndarray or DataFrame of shape (n_samples, n_features)
            Rows with the columns of the training table.

        Returns
        -------
        ndarray of shape (n_samples, n_classes), float64
            Columns as in `classes_`.
        """
        matrix = self._read(X)
        return probabilities(self.tree_, matrix, self._answers())

    def predict(self, X: Any) -> np.ndarray:
        """Return the most probable class of each row, the first on ties.

        Parameters
        ----------
        X : ndarray or DataFrame of shape (n_samples, n_features)
            Rows with the columns of the training table.

        Returns
        -------
        ndarray of shape (n_samples,)
            Labels.
        """
        matrix = self._read(X)
        result = leaves(self.tree_, matrix)
        best = self._best_answers().take(result)
        if result.min() < 0:
            in_parts = np.flatnonzero(result < 0)
            rows = probabilities(self.tree_, matrix[in_parts], self._answers())
            best[in_parts] = rows.argmax(axis=1)
        return np.asarray(self.classes_.take(best))

    def apply(self, X: Any) -> NDArray[np.int32]:
        """Return the number of the leaf of each row.

        Parameters
        ----------
        X : ndarray or DataFrame of shape (n_samples, n_features)
            Rows with the columns of the training table.

        Returns
        -------
        ndarray of shape (n_samples,), int32
            For a row with a missing value, the leaf of its heaviest part.
        """
        return main_leaves(self.tree_, self._read(X))

    def decision_path(self, X: Any) -> csr_matrix:
        """Return the nodes on the path of each row.

        Parameters
        ----------
        X : ndarray or DataFrame of shape (n_samples, n_features)
            Rows with the columns of the training table.

        Returns
        -------
        csr_matrix of shape (n_samples, n_nodes)
            1 where a row passes a node.
        """
        parent = self.tree_.parent
        at = self.apply(X).astype(np.int64)
        rows, nodes = [], []
        here = np.arange(len(at))
        while here.size:
            rows.append(here)
            nodes.append(at)
            at = parent[at].astype(np.int64)
            here, at = here[at >= 0], at[at >= 0]
        indices = (np.concatenate(rows), np.concatenate(nodes))
        shape = (len(rows[0]), self.tree_.n_nodes)
        return csr_matrix((np.ones(len(indices[0]), np.int8), indices), shape=shape)

    def get_depth(self) -> int:
        """Return the largest number of tests above a leaf."""
        check_is_fitted(self)
        return self.tree_.depth

    def get_n_leaves(self) -> int:
        """Return the number of leaves, empty ones included."""
        check_is_fitted(self)
        return self.tree_.n_leaves

    def to_text(self) -> str:
        """Return the tree as indented text, in the form of J48; see `text_form.tree_text`."""
        check_is_fitted(self)
        return tree_text(self.tree_)

    def node_table(self, node: int, X: Any, y: Any, sample_weight: Any = None) -> Any:
        """Return the worth of each attribute at a node; see `node_table.node_table`."""
        from bestofk.trees.node_table import node_table

        return node_table(self, node, X, y, sample_weight)

    def to_graphviz(self) -> str:
        """Return the tree in the language of Graphviz; see `text_form.tree_dot`."""
        check_is_fitted(self)
        return tree_dot(self.tree_)

    def to_json(self) -> str:
        """Return the fitted learner as JSON; see `json_form.classifier_to_json`."""
        return classifier_to_json(self)

    @staticmethod
    def from_json(text: str) -> TreeClassifier:
        """Return the fitted learner from JSON text; see `json_form.classifier_from_json`."""
        classifier: TreeClassifier = classifier_from_json(text, Tree)
        return classifier

    @property
    def feature_importances_(self) -> Floats:
        """Share of each column in the decrease of entropy or Gini impurity, shape (n_features,)."""
        check_is_fitted(self)
        return self.tree_.importances(
            "gini" if self.growth_rules().criterion == "gini" else "entropy"
        )

    def plot(self, ax: Any = None) -> Any:
        """Draw the tree; see `displays.TreeDisplay`."""
        from bestofk.trees.displays import TreeDisplay

        return TreeDisplay.from_estimator(self).plot(ax)

    def plot_boundaries(
        self, X: Any, y: Any = None, *, columns: Sequence[Any], ax: Any = None
    ) -> Any:
        """Draw the regions of two columns; see `displays.BoundaryDisplay`."""
        from bestofk.trees.displays import BoundaryDisplay

        return BoundaryDisplay.from_estimator(self, X, y, columns=columns).plot(ax)

    def plot_pruning(self, rows: Mapping[str, tuple[Any, Any]], ax: Any = None) -> Any:
        """Draw errors by the size of the pruned tree; see `displays.PruningEffectDisplay`."""
        from bestofk.trees.displays import PruningEffectDisplay

        return PruningEffectDisplay.from_estimator(self, rows).plot(ax)

    def _repr_html_inner(self) -> str:

        return learner_html(self)

    def _repr_mimebundle_(self, **kwargs: Any) -> dict[str, str]:
        bundle: dict[str, str] = super()._repr_mimebundle_(**kwargs)
        return bundle | ({"text/html": self._repr_html_inner()} if "text/html" in bundle else {})

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        return tags

    def _answers(self) -> Floats:
        return self.tree_.answers[bool(self.laplace)]

    def _best_answers(self) -> Positions:
        return self.tree_.best_answers[bool(self.laplace)]

    def _read(self, X: Any) -> Floats:
        if "tree_" not in vars(self):  # the check looks at all attributes
            check_is_fitted(self)
        X = checked_table(self, X, reset=False)
        return encode_table(X, self.attributes_)

    def _sorted_training(
        self, X: Any, y: Any, sample_weight: Any = None
    ) -> tuple[Columns, Codes, GrowthRules, Floats | None]:
        """Return sorted columns, classes, rules and weights, the input of growth."""
        rules = self.growth_rules()
        columns, codes, weight = self._read_training(X, y, sample_weight)
        rules = self.completed_rules(rules)
        return self._sort(columns, codes, rules, may_list=weight is None), codes, rules, weight

    def _read_training(
        self, X: Any, y: Any, sample_weight: Any
    ) -> tuple[list[Any], Codes, Floats | None]:
        """Check table, labels and weights; set the attributes that describe columns and classes.

        Returns the columns, codes of the classes, and weights if they differ.
        """
        if self.oblique and (self.discretization or self.costs is not None):
            other = "discretization" if self.discretization else "costs"
            raise InvalidArgumentError(
                f"oblique of {type(self).__name__} must be None together with {other}; got "
                f"{self.oblique!r}. Oblique tests use all numeric columns unchanged: leave out one "
                "of the two."
            )
        if y is None:
            raise ValueError(
                f"{type(self).__name__} requires y to be passed, but the target y is None."
            )
        X = checked_table(self, X, reset=True)
        labels = checked_labels(y, X)
        weight = None
        if sample_weight is not None:
            weight = checked_weights(sample_weight, X)
            kept = np.flatnonzero(weight > 0)
            if len(kept) < len(weight):
                if self.chooses_alpha:  # pairs of cv count all rows
                    self._is_counted = weight > 0
                X = X.iloc[kept] if hasattr(X, "iloc") else X[kept]
                labels, weight = labels[kept], weight[kept]
            if (weight == 1).all():
                weight = None
        self.classes_, codes = coded_labels(labels, self.classes)
        self.n_classes_ = len(self.classes_)
        names = getattr(self, "feature_names_in_", None)
        names = [f"x{i}" for i in range(X.shape[1])] if names is None else [str(n) for n in names]
        columns = list(table_columns(X))
        self.attributes_ = find_attributes(
            columns,
            names,
            nominal=chosen_columns(self.categorical_features, names, "categorical_features"),
            ordinal=ordinal_columns(self.ordinal_features, names),
            ordinal_kind=self.ordinal_kind,
        )
        if self.discretization is not None:
            self.attributes_ = with_intervals(
                self.attributes_,
                columns,
                codes,
                weight,
                method=self.discretization,
                n_bins=self.n_bins,
                is_fine=self.discretize_at == "node",
                keeps_order=self.growth_rules().nominal_splits != "multiway",
            )
        return columns, codes, weight

    def completed_rules(self, rules: GrowthRules) -> GrowthRules:
        """Return the rules with the cost of measuring each column."""
        costs = cost_array(
            what=f"costs of {type(self).__name__}",
            value=self.costs,
            names=[attribute.name for attribute in self.attributes_],
            may_be_zero=rules.cost_rule == "nunez",
        )
        return replace(rules, costs=costs)

    def _sort(
        self, columns: Sequence[Any], y: Codes, rules: GrowthRules, *, may_list: bool
    ) -> Columns:
        """Encode and sort the columns of the training table."""
        is_plain = is_plain_matrix(columns[0])
        is_declared = not isinstance(self.ordinal_features, Mapping)
        raw = [
            column
            if is_plain and attribute.kind == NUMERIC
            else raw_column(column, attribute, is_declared=is_declared)
            for column, attribute in zip(columns, self.attributes_, strict=True)
        ]
        check_columns(raw, self.attributes_, self.max_categories)
        if rules.in_32_bits:
            raw = [x.astype(np.float32) if x.dtype.kind == "f" else x for x in raw]
        level_values = {}
        if rules.intervals is not None:
            pairs = zip(columns, self.attributes_, strict=True)
            level_values = {
                a: level_means(column, attribute)
                for a, (column, attribute) in enumerate(pairs)
                if attribute.edges is not None
            }
        return sort_columns(
            self.attributes_,
            raw,
            y,
            gap=rules.gap,
            may_list=may_list,
            in_32_bits=rules.in_32_bits,
            level_values=level_values,
        )
