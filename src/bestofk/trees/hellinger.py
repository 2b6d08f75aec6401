"""The Hellinger distance tree: tests that do not care how rare a class is."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from bestofk.trees.growth_rules import CLASS_RULES, GrowthRules
from bestofk.trees.pruning import PrunedTreeClassifier

_CHOICES: Final = {
    "nominal_splits": ("binary", "multiway"),
    "multiclass": tuple(CLASS_RULES),
}


@dataclass(kw_only=True, eq=False, repr=False)
class HellingerTreeClassifier(PrunedTreeClassifier):
    """Decision tree by Hellinger distance, HDDT (Cieslak and Chawla 2008).

    A test is worth the distance between the shares of two classes over its branches:
    sqrt(sum_j (sqrt(P_j / P) - sqrt(N_j / N))^2), from 0 (same shares) to sqrt(2) (no branch
    has both). How rare a class is does not enter, so rare classes are not drowned. The tree is
    left unpruned, and its leaves answer by Laplace.

    Parameters
    ----------
    nominal_splits : {"binary", "multiway"}, default="binary"
        The level best set apart from all others; or a branch for each level.
    ordinal_splits : {"cut", "multiway"}, default="cut"
        How columns with an order are divided: after a level; or a branch for each, where others
        have that too.
    multiclass : {"mean-over-pairs", "mean-over-rest", "max-over-rest"}, \
default="mean-over-pairs"
        With more than two classes at a node: mean distance over the pairs of classes there;
        mean or largest distance of a class to all others together.
    laplace : bool, default=True
        Whether leaves add one row of each class to what they counted.
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
    min_samples_leaf : float, default=2
        Weight of rows that a branch needs; of a multiway test, two of its branches. Weights
        that add up to little, such as those of boosting, need a smaller one.
    max_depth : int or None, default=None
        Most tests above a leaf; None for any number.
    min_samples_split : float or None, default=None
        Weight of rows that a node needs to be split; None for twice `min_samples_leaf`.
    min_impurity_decrease : float, default=0.0
        Least distance, times the node's share of all weight.
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
        Once, on the training table: intervals are levels, with a branch each if nominal ones
        have, else in their order. Or anew at each node, from up to 256 fine intervals of the
        table: a branch for each.
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
    The distance at a node is between the classes that the node has; one that is absent is in no
    pair. It is multiplied by the share of rows whose value is known. Of equal tests the one of
    the first attribute is taken, and of it the lowest threshold or the first level; thresholds
    are in the middle. Tests are taken until a node is pure, also such of distance 0.

    References
    ----------
    .. [1] Cieslak and Chawla (2008), Learning decision trees for unbalanced data, ECML PKDD.
    .. [2] Cieslak, Hoens, Chawla and Kegelmeyer (2012), Hellinger distance decision trees are
       robust and skew-insensitive, Data Mining and Knowledge Discovery 24.
    .. [3] Hoens, Qian, Chawla and Zhou (2012), Building decision trees for the multi-class
       imbalance problem, PAKDD.

    Examples
    --------
    >>> from bestofk.trees import HellingerTreeClassifier
    >>> X = [[1], [2], [3], [4], [5], [6]]
    >>> learner = HellingerTreeClassifier().fit(X, list("aaaabb"))
    >>> learner.predict_proba([[1.5], [5.5]]).round(3).tolist()
    [[0.833, 0.167], [0.25, 0.75]]
    """

    nominal_splits: str = "binary"
    ordinal_splits: str = "cut"
    multiclass: str = "mean-over-pairs"
    laplace: bool = True
    min_samples_leaf: float = 2

    def growth_rules(self) -> GrowthRules:
        """Return the rules, after a check of all parameters."""
        self.check_parameters(choices=_CHOICES, flags=("laplace",))
        return self.rules_with(
            criterion="hellinger",
            nominal_splits=self.nominal_splits,
            class_rule=self.multiclass,
        )
