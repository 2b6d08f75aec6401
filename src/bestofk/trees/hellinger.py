"""The Hellinger distance tree: tests that do not care how rare a class is."""

from dataclasses import dataclass

from bestofk.trees.base import TreeClassifier
from bestofk.trees.growth_rules import CLASS_RULES, GrowthRules
from bestofk.trees.parameters import ORDINAL_SPLITS, choice, documented, flag, least_weight


@documented
@dataclass(kw_only=True, eq=False, repr=False)
class HellingerTreeClassifier(TreeClassifier):
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
    min_samples_leaf : float, default=2
        Weight of rows that a branch needs; of a multiway test, two of its branches. Weights
        that add up to little, such as those of boosting, need a smaller one.
    min_impurity_decrease : float, default=0.0
        Least distance, times the node's share of all weight.

    Attributes
    ----------
    feature_importances_ : ndarray of shape (n_features_in_,)
        Their shares in the decrease of entropy.

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

    nominal_splits: str = choice(
        "binary", ("binary", "multiway"), rule="a way of HDDT, which seeks no subsets of levels"
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
