"""The CART learner: binary trees, pruned by what a leaf costs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from bestofk.errors import InvalidArgumentError
from bestofk.trees.arrays import Codes, Floats
from bestofk.trees.growth_rules import GrowthRules
from bestofk.trees.pruning import PrunedTreeClassifier
from bestofk.trees.simple_cart import grow_simple_cart
from bestofk.trees.sorting import Columns
from bestofk.trees.tree import Tree

_CHOICES: Final = {
    "flavor": ("breiman", "simplecart"),
    "criterion": ("gini", "entropy", "gain"),
}
# What the flavor "simplecart" does not know, and what stands for not asking for it.
_UNKNOWN_TO_SIMPLECART: Final = {
    "criterion": "gini",
    "max_depth": None,
    "min_samples_split": None,
    "min_impurity_decrease": 0,
    "missing_values": "fractional",
    "chi_squared_alpha": None,
    "costs": None,
    "discretization": None,
    "oblique": None,
}


@dataclass(kw_only=True, eq=False, repr=False)
class CARTClassifier(PrunedTreeClassifier):
    """Decision tree by CART (Breiman, Friedman, Olshen and Stone 1984).

    Every test has two branches: a threshold, or the two subsets of levels that are best
    apart. The grown tree is pruned at the cost of a leaf that cross-validation finds.

    Parameters
    ----------
    flavor : {"breiman", "simplecart"}, default="breiman"
        Growth by the book; or as in Weka's SimpleCart, with a leaf where a side of the best of
        all tests is too small, node by node and slow: it is for comparisons.
    criterion : {"gini", "entropy", "gain"}, default="gini"
        Whose decrease a test is worth; that of entropy, in bits, is the gain.
    pruning : {"reduced-error", "pessimistic", "cost-complexity", "mdl", None}, \
default="cost-complexity"
        By the errors on rows kept away from growing; by half an error more for each leaf; by
        errors and leaves; by description length; not at all, which "none" means too.
    ccp_alpha : float or None, default=None
        What a leaf costs, as a share of errors on training rows (unlike in scikit-learn, where
        it is impurity); None to choose it by cross-validation.
    cv : int, splitter of scikit-learn, or iterable of pairs of ndarray of int, default=5
        Of this cross-validation: how many stratified folds, or which rows grow and test.
    one_standard_error : bool, default=True
        Whether the smallest tree is chosen whose error is within one standard error of the
        least, not the tree of the least error.
    pruning_folds : int, default=3
        Of reduced-error pruning: the last of so many stratified folds prunes, the others grow.
        These folds are not drawn: the order of the rows decides, as in J48.
    pruning_fraction : float or None, default=None
        Share of the rows that prune, drawn at random in each class, instead of folds.
    min_samples_leaf : float, default=1
        Weight of rows that a branch needs; of a multiway test, two of its branches. Weights
        that add up to little, such as those of boosting, need a smaller one.
    max_depth : int or None, default=None
        Most tests above a leaf; None for any number.
    min_samples_split : float or None, default=None
        Weight of rows that a node needs to be split; None for twice `min_samples_leaf`.
    min_impurity_decrease : float, default=0.0
        Least decrease of impurity, times the node's share of all weight.
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
        Once, on the training table: tests cut between intervals. Or anew at each node, from up
        to 256 fine intervals of the table: a branch for each.
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
        Seed of the folds of cost-complexity pruning, and of `pruning_fraction`.

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
        Their shares in the decrease of the criterion.
    ccp_alpha_ : float
        What a leaf costs; with cost-complexity pruning.

    Notes
    -----
    The two subsets are the best for two classes (Breiman et al., section 9.4), and for more up
    to ten levels; beyond, levels are put in the order of the share of each class in turn.
    Thresholds are in the middle. Growth goes on until a node is pure, also by tests that gain
    nothing. Rows with a missing value go down both branches, in parts.
    DEVIATION: the book sends them by surrogate tests.

    References
    ----------
    .. [1] Breiman, Friedman, Olshen and Stone (1984), Classification and Regression Trees.

    Examples
    --------
    >>> import pandas as pd
    >>> from bestofk.trees import CARTClassifier
    >>> X = pd.DataFrame({"color": ["red", "blue", "green", "gray"] * 5})
    >>> y = ["warm", "cold", "cold", "cold"] * 5
    >>> learner = CARTClassifier(random_state=0).fit(X, y)
    >>> learner.get_n_leaves(), learner.predict(X[:2]).tolist()
    (2, ['warm', 'cold'])
    """

    flavor: str = "breiman"
    criterion: str = "gini"
    pruning: str | None = "cost-complexity"

    def growth_rules(self) -> GrowthRules:
        """Return the rules, after a check of all parameters."""
        self.check_parameters(choices=_CHOICES)
        if self.flavor == "simplecart":
            for name, unused in _UNKNOWN_TO_SIMPLECART.items():
                if (value := getattr(self, name)) != unused:
                    raise InvalidArgumentError(
                        f"{name} of CARTClassifier must be {unused!r} with flavor='simplecart'; "
                        f"got {value!r}. Use flavor='breiman'."
                    )
        criterion = "gini" if self.criterion == "gini" else "entropy"
        return self.rules_with(criterion=criterion, nominal_splits="subset")

    def grow_on(
        self,
        columns: Columns,
        y: Codes,
        rules: GrowthRules,
        weight: Floats | None,
        rows: NDArray[np.intp] | None = None,
    ) -> Tree:
        """Return the unpruned tree of some rows, None for all; see `growing.grow`."""
        if self.flavor == "breiman":
            return super().grow_on(columns, y, rules, weight, rows)
        kept = np.arange(len(y)) if rows is None else rows
        part = None if weight is None else weight[kept]
        matrix, attributes = columns.matrix()[kept], columns.attributes
        least = rules.min_branch
        return grow_simple_cart(matrix, attributes, y[kept], self.classes_, part, min_rows=least)

    def _grows_once(self) -> bool:
        return self.flavor == "breiman" and super()._grows_once()
