"""The ID3 learner: gain, a branch for each level, grown to the end."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from bestofk.trees.arrays import Floats
from bestofk.trees.growth_rules import GrowthRules
from bestofk.trees.pruning import PrunedTreeClassifier

_CHOICES: Final = {
    "criterion": ("gain", "entropy"),
    "nominal_splits": ("multiway", "binary", "subset"),
    "empty_branches": ("majority", "none"),
}


@dataclass(kw_only=True, eq=False, repr=False)
class ID3Classifier(PrunedTreeClassifier):
    """Decision tree by ID3 (Quinlan 1986): the test of most gain, a branch for each level.

    Grows until a node is pure or no attribute is left, also by tests that gain nothing by
    themselves, so that it learns parity. An attribute with a branch for each level is
    tested once on a path.

    Parameters
    ----------
    criterion : {"gain", "entropy"}, default="gain"
        What a test is worth: by how much it lowers the entropy. Both words mean that.
    nominal_splits : {"multiway", "binary", "subset"}, default="multiway"
        A branch for each level; one level against the rest; or the two subsets that gain most,
        found as by `CARTClassifier`.
    ordinal_splits : {"cut", "multiway"}, default="cut"
        How columns with an order are divided: after a level; or a branch for each, where others
        have that too.
    empty_branches : {"majority", "none"}, default="majority"
        What a branch answers that no training row went down: what its parent would as a leaf;
        or nothing: all probabilities are 0, and the first class is predicted. With "none"
        growth also stops where no test gains anything, and rounding decides between equal
        gains: the ways of Weka's Id3.
    pruning : {"reduced-error", "pessimistic", "cost-complexity", "mdl", None}, default=None
        By the errors on rows kept away from growing; by half an error more for each leaf; by
        errors and leaves; by description length; not at all, which "none" means too.
    pruning_folds : int, default=3
        Of reduced-error pruning: the last of so many stratified folds prunes, the others grow.
        These folds are not drawn: the order of the rows decides, as in J48.
    pruning_fraction : float or None, default=None
        Share of the rows that prune, drawn at random in each class, instead of folds.
    ccp_alpha : float or None, default=None
        Of cost-complexity pruning: what a leaf costs, as a share of errors on training rows;
        None to choose it by cross-validation.
    cv : int, splitter of scikit-learn, or iterable of pairs of ndarray of int, default=5
        Of this cross-validation: how many stratified folds, or which rows grow and test.
    one_standard_error : bool, default=True
        Whether the smallest tree is chosen whose error is within one standard error of the
        least, not the tree of the least error.
    min_samples_leaf : float, default=1
        Weight of rows that a branch needs; of a multiway test, two of its branches. Weights
        that add up to little, such as those of boosting, need a smaller one.
    max_depth : int or None, default=None
        Most tests above a leaf; None for any number.
    min_samples_split : float or None, default=None
        Weight of rows that a node needs to be split; None for twice `min_samples_leaf`.
    min_impurity_decrease : float, default=0.0
        Least gain in bits, times the node's share of all weight.
    missing_values : {"fractional", "most-frequent", "most-frequent-in-class"}, \
default="fractional"
        Rows unknown at a test go down all branches, in parts; or the node's most frequent value
        takes the place of the missing one, among all its rows or those of the same class.
    chi_squared_alpha : float or None, default=None
        Level of the chi-squared test of independence that a test must pass; None for no test.
    chi_squared_bonferroni : bool, default=False
        Whether the p value of a numeric test is multiplied by the number of possible cuts.
    costs : mapping of str to float, sequence of float, or None, default=None
        What it costs to measure each column, by name or in order, above 0 (0 passes with
        "nunez").
    cost_rule : {"tan-schlimmer", "nunez", "idx"}, default="tan-schlimmer"
        Worth squared by cost; (2 ** worth - 1) / (cost + 1) ** cost_weight; worth by cost.
    cost_weight : float in [0, 1], default=1.0
        Exponent of the cost in the rule "nunez".
    costs_paid_once : bool, default=False
        Whether an attribute tested above costs nothing any more.
    discretization : {"equal-width", "equal-frequency", "kmeans", "mdl"} or None, default=None
        Into which intervals numeric columns are divided: of one width, of nearly one weight,
        clusters, or those that shorten the description of the classes (Fayyad & Irani 1993);
        None to look for thresholds.
    n_bins : int, default=5
        Most intervals of a column; "mdl" finds their number itself.
    discretize_at : {"table", "node"}, default="table"
        Once, on the training table: intervals are levels with a branch each. Or anew at each
        node, from up to 256 fine intervals of the table: a branch for each.
    oblique : {"lda", "logistic"} or None, default=None
        Which direction through the numeric columns competes at every node with the best test of
        one column: that of linear discriminant analysis or of logistic regression, or, where
        one of these leaves few rows on the wrong side, one that leaves none. Missing values
        count as the mean of the node. Not with `costs` or `discretization`.
    classes : sequence or None, default=None
        All labels in the order in which ties are decided; None for those in y, sorted.
    categorical_features : "from_dtype", sequence of str, int or bool, or None, \
default="from_dtype"
        Columns without an order: names, numbers or a mask.
    ordinal_features : mapping, sequence or None, default=None
        Columns with an order: names or numbers, with their levels from the lowest where given.
        Ordered categories have one by their type, with `categorical_features="from_dtype"`.
    max_categories : int, default=1000
        Most levels of a column.
    random_state : int, RandomState or None, default=None
        Seed of `pruning_fraction`, and of the folds of cost-complexity pruning.

    Attributes
    ----------
    tree_ : Tree
        The tree.
    classes_ : ndarray of shape (n_classes,)
        Labels.
    n_classes_ : int
        How many there are.
    attributes_ : tuple of Attribute
        What the columns are.
    n_features_in_ : int
        How many there are.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Their names, where the table had some.
    feature_importances_ : ndarray of shape (n_features_in_,)
        Their shares in the decrease of entropy.
    ccp_alpha_ : float
        What a leaf costs; with cost-complexity pruning.

    Notes
    -----
    DEVIATION: the paper knows no numbers and no weights. Numeric columns get the threshold of
    most gain, and may be tested again.

    References
    ----------
    .. [1] Quinlan (1986), Induction of decision trees, Machine Learning 1.

    Examples
    --------
    >>> import pandas as pd
    >>> from bestofk.trees import ID3Classifier
    >>> X = pd.DataFrame({"a": list("0011"), "b": list("0101")})
    >>> learner = ID3Classifier().fit(X, ["even", "odd", "odd", "even"])
    >>> learner.get_n_leaves(), learner.predict(X).tolist()
    (4, ['even', 'odd', 'odd', 'even'])
    """

    criterion: str = "gain"
    nominal_splits: str = "multiway"
    ordinal_splits: str = "cut"
    empty_branches: str = "majority"

    def growth_rules(self) -> GrowthRules:
        """Return the rules, after a check of all parameters."""
        self.check_parameters(choices=_CHOICES)
        if self.empty_branches == "none":
            return self.rules_with(nominal_splits=self.nominal_splits, takes_zero=False, tie=0.0)
        return self.rules_with(nominal_splits=self.nominal_splits)

    def _answers(self) -> Floats:
        answers = super()._answers()
        if self.empty_branches == "none":
            answers = np.where(self.tree_.weight[:, None] > 0, answers, 0.0)
        return answers

    def _best_answers(self) -> NDArray[np.intp]:
        if self.empty_branches == "none":
            return np.asarray(self._answers().argmax(axis=1))
        return super()._best_answers()
