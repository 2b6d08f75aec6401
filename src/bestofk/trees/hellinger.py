"""The Hellinger distance tree, whose tests do not depend on class shares."""

from dataclasses import dataclass

from bestofk.trees.base import TreeClassifier
from bestofk.trees.growth_rules import CLASS_RULES, GrowthRules
from bestofk.trees.parameters import ORDINAL_SPLITS, choice, documented, flag, least_weight


@documented
@dataclass(kw_only=True, eq=False, repr=False)
class HellingerTreeClassifier(TreeClassifier):
    """Decision tree by Hellinger distance, HDDT (Cieslak and Chawla 2008).

    The worth of a test is the distance between the shares of two classes over its branches:
    sqrt(sum_j (sqrt(P_j / P) - sqrt(N_j / N))^2), from 0 (same shares) to sqrt(2) (no branch
    has both). The distance does not depend on class sizes, so rare classes are not neglected. The
    tree is not pruned, and its leaves use Laplace's correction.

    Parameters
    ----------
    nominal_splits : {"binary", "multiway"}, default="binary"
        The best level against all others; or a branch for each level.
    ordinal_splits : {"cut", "multiway"}, default="cut"
        Division of columns with an order: after a level; or a branch for each, if columns without
        an order have that, too.
    multiclass : {"mean-over-pairs", "mean-over-rest", "max-over-rest"}, \
default="mean-over-pairs"
        With more than two classes at a node: mean distance over the pairs of classes there;
        mean or largest distance of a class to all others together.
    laplace : bool, default=True
        Whether leaves add one row of each class to their counts.
    min_samples_leaf : float, default=2
        Minimum weight of the rows of a branch; for a multiway test, of two branches. Small weights,
        such as those of boosting, need a smaller minimum.
    min_impurity_decrease : float, default=0.0
        Minimum distance, times the node's share of all weight.

    Attributes
    ----------
    feature_importances_ : ndarray of shape (n_features_in_,)
        Share of each column in the decrease of entropy.

    Notes
    -----
    The distance at a node is between the classes present there. It is multiplied by the share of
    rows whose value is known. Ties go to the first attribute, then to the lowest threshold or the
    first level; thresholds are midpoints. Nodes are split until they are pure, even by tests of
    distance 0.

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

    nominal_splits: str = choice(
        "binary",
        ("binary", "multiway"),
        rule="a split of HDDT, which does not search subsets of levels",
    )
    ordinal_splits: str = choice("cut", ORDINAL_SPLITS)
    multiclass: str = choice("mean-over-pairs", tuple(CLASS_RULES))
    laplace: bool = flag(True)
    min_samples_leaf: float = least_weight(2)

    def growth_rules(self) -> GrowthRules:
        """Return the rules, after a check of all parameters."""
        self.check_parameters()
        return self.rules_with(
            criterion="hellinger", nominal_splits=self.nominal_splits, class_rule=self.multiclass
        )
