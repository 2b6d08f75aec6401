"""The C4.5rules learner: an unpruned C4.5 tree, turned into rules."""

from dataclasses import dataclass, field
from typing import Any, Self

import numpy as np
from sklearn.utils.validation import check_is_fitted

from bestofk.array_types import Floats
from bestofk.trees.c45 import C45Classifier
from bestofk.trees.parameters import NO_PRUNING, choice, documented
from bestofk.trees.reading import checked_table
from bestofk.trees.rules import RuleSet


@documented
@dataclass(kw_only=True, eq=False, repr=False)
class C45RulesClassifier(C45Classifier):
    """Rules by C4.5rules (Quinlan 1993), from an unpruned C4.5 tree and pruned one by one.

    Tables need no preparation, as for `C45Classifier`. A missing value meets no condition.
    Predictions come from the rules; attributes on nodes, leaves and importances describe the tree
    behind them.

    Parameters
    ----------
    pruning : None, default=None
        The tree is never pruned, only its rules.
    confidence : float, default=0.25
        Confidence of the bound of a rule's error, above 0 to 1: smaller values drop more
        conditions.
    fisher_alpha : float or None, default=None
        Drop conditions also if Fisher's exact test has a larger p value.
    order : {"class", "accuracy"}, default="class"
        As for `RuleSet.from_tree`.
    select : {"mdl", None}, default="mdl"
        As for `RuleSet.from_tree`.
    oblique : None, default=None
        Conditions test single columns.
    random_state : int, RandomState or None, default=None
        Seed of the start of the search for rules, if a class has more than 10.

    Attributes
    ----------
    rule_set_ : RuleSet
        The rules.
    tree_ : Tree
        The unpruned tree.

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

    pruning: str | None = choice(None, NO_PRUNING, rule="None: rules are pruned, not their tree")
    fisher_alpha: float | None = None
    order: str = "class"
    select: str | None = "mdl"
    oblique: str | None = choice(None, (None,), rule="None: conditions are of single columns")
    rule_set_: RuleSet = field(init=False)

    @property
    def is_pruned(self) -> bool:
        """True: rules are always shortened."""
        return True

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Grow the tree, then make, prune and select the rules.

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
        C45RulesClassifier
            Itself.

        Raises
        ------
        ValueError
            If a parameter, a column, the weights or the labels are not valid.
        """
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
        """Return the class of the first rule that a row meets, else the default.

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
        """Return the class shares of the training rows that the same rule decides.

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
