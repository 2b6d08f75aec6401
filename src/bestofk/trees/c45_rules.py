"""The C4.5rules learner: an unpruned C4.5 tree, turned into rules."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Self

import numpy as np
from sklearn.utils.validation import check_is_fitted

from bestofk.array_types import Floats
from bestofk.data.data_set import take_rows
from bestofk.trees.base import TreeClassifier
from bestofk.trees.c45 import C45Classifier
from bestofk.trees.growth_rules import GrowthRules
from bestofk.trees.parameters import check_fields, most_levels
from bestofk.trees.reading import checked_table, checked_weights
from bestofk.trees.rules import RuleSet


@dataclass(kw_only=True, eq=False, repr=False)
class C45RulesClassifier(TreeClassifier):
    """Rules by C4.5rules (Quinlan 1993): those of an unpruned C4.5 tree, pruned one by one.

    Takes tables as they are, as `C45Classifier` does. A missing value meets no condition.
    Predictions come from the rules; attributes about nodes, leaves and importances describe
    the tree that they come from.

    Parameters
    ----------
    flavor : {"j48", "r8"}, default="j48"
        Whose trees and error bounds: those of Weka's J48, or of the original program, Release 8.
    criterion : {"gain_ratio", "gain", "entropy"}, default="gain_ratio"
        As for `C45Classifier`.
    nominal_splits : {"multiway", "binary", "group"}, default="multiway"
        As for `C45Classifier`.
    min_samples_leaf : float, default=2
        Weight of rows that a branch of the tree needs.
    max_depth : int or None, default=None
        Most tests above a leaf, so most conditions of a rule.
    confidence : float, default=0.25
        Of the bound of a rule's error, above 0 to 1: smaller drops more conditions.
    fisher_alpha : float or None, default=None
        Drop conditions also if Fisher's exact test has a larger p value.
    order : {"class", "accuracy"}, default="class"
        As for `RuleSet.from_tree`.
    select : {"mdl", None}, default="mdl"
        As for `RuleSet.from_tree`.
    classes : sequence or None, default=None
        All labels in the order that decides ties; None for the sorted labels of the training
        rows.
    categorical_features : "from_dtype" or sequence of str, int or bool, default="from_dtype"
        Columns that are levels.
    ordinal_features : sequence, mapping or None, default=None
        Columns whose levels have an order; ordered categories have one by their type.
    max_categories : int, default=1000
        Most levels of a column.
    random_state : int, RandomState or None, default=None
        Draws where the selection begins to search if a class has more than 10 rules.

    Attributes
    ----------
    rule_set_ : RuleSet
        The rules.
    tree_ : Tree
        The unpruned tree.
    classes_ : ndarray of shape (n_classes,)
        The labels.
    n_classes_, n_features_in_ : int
        How many classes and columns there are.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the columns, if the table had texts for names.
    attributes_ : tuple of Attribute
        What the columns are.

    References
    ----------
    .. [1] Quinlan (1993), C4.5: Programs for Machine Learning, chapter 5.

    Examples
    --------
    >>> import numpy as np
    >>> X, y = np.arange(12.0)[:, None], np.repeat(["low", "high"], 6)
    >>> C45RulesClassifier(random_state=0).fit(X, y).predict([[3.0], [8.0]])
    array(['low', 'high'], dtype='<U4')
    """

    flavor: str = "j48"
    criterion: str = "gain_ratio"
    nominal_splits: str = "multiway"
    min_samples_leaf: float = 2
    max_depth: int | None = None
    confidence: float = 0.25
    fisher_alpha: float | None = None
    order: str = "class"
    select: str | None = "mdl"
    classes: Any = None
    categorical_features: Any = "from_dtype"
    ordinal_features: Any = None
    max_categories: int = most_levels()
    random_state: Any = None
    rule_set_: RuleSet = field(init=False)

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Grow the tree, then make, prune and select the rules.

        Parameters
        ----------
        X : ndarray or DataFrame of shape (n_samples, n_features)
            Training rows: numbers, texts, categories, booleans; missing values are welcome.
        y : array-like of shape (n_samples,)
            Labels.
        sample_weight : array-like of shape (n_samples,) or None, default=None
            What each row counts; rows that count nothing are left out.

        Returns
        -------
        C45RulesClassifier
            Itself.

        Raises
        ------
        ValueError
            If a parameter, a column, the weights or the labels break a rule that the
            message states.
        """
        if sample_weight is not None:
            X = checked_table(self, X, reset=True)
            sample_weight = checked_weights(sample_weight, X)
            kept = np.flatnonzero(sample_weight)
            X, y, sample_weight = take_rows(X, kept), np.asarray(y)[kept], sample_weight[kept]
        super().fit(X, y, sample_weight)
        self.rule_set_ = RuleSet.from_tree(
            self,
            X,
            y,
            sample_weight=sample_weight,
            order=self.order,
            select=self.select,
            confidence=self.confidence,
            fisher_alpha=self.fisher_alpha,
            random_state=self.random_state,
        )
        return self

    def predict(self, X: Any) -> np.ndarray:
        """Return the class that the first rule met names, else the default.

        Parameters
        ----------
        X : ndarray or DataFrame of shape (n_samples, n_features)
            Rows with the columns of the training table.

        Returns
        -------
        ndarray of shape (n_samples,)
            Labels.
        """
        check_is_fitted(self)
        return self.rule_set_.predict(checked_table(self, X, reset=False))

    def predict_proba(self, X: Any) -> Floats:
        """Return the shares of the classes among the training rows that the same rule decides.

        Parameters
        ----------
        X : ndarray or DataFrame of shape (n_samples, n_features)
            Rows with the columns of the training table.

        Returns
        -------
        ndarray of shape (n_samples, n_classes), float64
            Columns as in `classes_`; see `RuleSet.predict_proba`.
        """
        check_is_fitted(self)
        return self.rule_set_.predict_proba(checked_table(self, X, reset=False))

    def to_text(self) -> str:
        """Return the rules as readable text; see `RuleSet.to_text`."""
        check_is_fitted(self)
        return self.rule_set_.to_text()

    def growth_rules(self) -> GrowthRules:
        """Return the rules, after a check of all parameters."""
        check_fields(self)
        return self._grower().growth_rules()

    def pruned_tree(self, *grown: Any) -> Any:
        """Return the tree after pruning."""
        return self._grower().pruned_tree(*grown)

    def _grower(self) -> C45Classifier:
        """Return the learner of the unpruned tree."""
        return C45Classifier(
            flavor=self.flavor,
            criterion=self.criterion,
            nominal_splits=self.nominal_splits,
            min_samples_leaf=self.min_samples_leaf,
            max_depth=self.max_depth,
            pruning=None,
        )
