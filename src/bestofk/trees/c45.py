"""The C4.5 learner: gain ratio, multiway splits, fractional instances, error-based pruning."""

from dataclasses import dataclass
from typing import Final

from bestofk.array_types import Codes, Floats
from bestofk.trees.base import TreeClassifier
from bestofk.trees.growth_rules import GrowthRules
from bestofk.trees.parameters import (
    ORDINAL_SPLITS,
    PRUNINGS,
    choice,
    documented,
    flag,
    least_weight,
    share,
)
from bestofk.trees.pruning_methods import (
    bound_parts,
    collapsed,
    prune_by_estimated_errors,
    without_impossible_branches,
)
from bestofk.trees.sorting import Columns
from bestofk.trees.tree import Tree

_GROUPS: Final = "a split of C4.5, whose subsets of levels are groups"


@documented
@dataclass(kw_only=True, eq=False, repr=False)
class C45Classifier(TreeClassifier):
    """Decision tree by C4.5 (Quinlan 1993), as in Weka's J48 or Release 8.

    Tables need no preparation: texts and categories get a branch for each level, and rows with a
    missing value go down all branches in parts.

    Parameters
    ----------
    flavor : {"j48", "r8"}, default="j48"
        Trees of Weka's J48, or of the original program, Release 8, which computes in 32 bits, tests
        levels without gain if nothing is better, and has another normal quantile for pruning.
    criterion : {"gain_ratio", "gain", "entropy"}, default="gain_ratio"
        Comparison of attributes: gain divided by split information, among those of at least average
        gain; or gain, the decrease of entropy ("gain" and "entropy" are the same).
    nominal_splits : {"multiway", "binary", "group"}, default="multiway"
        A branch for each level; one level against the rest; groups of levels, joined as
        Release 8 does.
    ordinal_splits : {"cut", "multiway"}, default="cut"
        Division of columns with an order: after a level; or a branch for each, if columns without
        an order have that, too.
    min_samples_leaf : float, default=2
        Minimum weight of the rows of a branch; for a multiway test, of two branches.
    mdl_correction : bool, default=True
        Whether the gain of a numeric test is reduced for the choice of its threshold (Quinlan
        1996).
    threshold : {"value", "midpoint", "value-within-1e-6"}, default="value"
        Threshold of a numeric test: the largest training value that is not above the middle of the
        cut; the middle; or that value, where a difference below 1e-6 counts as none, as in Weka
        up to 3.8.2. If training values are that near, its threshold depends on the order of the
        rows; here it is the largest.
    collapse : bool, default=True
        Whether subtrees that save no training error are removed first, also with `pruning=None`. No
        effect with reduced-error pruning (never) and cost-complexity pruning (always).
    pruning : {"error-based", "reduced-error", "pessimistic", "cost-complexity", "mdl", None}, \
default="error-based"
        Pruning by the upper bound of each leaf's errors; by the errors on held-out rows; by half an
        error more for each leaf; by errors and leaves; by description length; or no pruning ("none"
        is the same).
    confidence : float, default=0.25
        Confidence of error-based pruning, above 0 to 1: smaller values prune more. J48 adds no
        errors above 0.5.
    subtree_raising : bool, default=True
        Whether error-based pruning may replace a node by its largest branch.
    laplace : bool, default=False
        Whether leaves add one row of each class to their counts.
    costs : mapping of str to float, sequence of float, or None, default=None
        Cost of measuring each column, by name or in order, above 0 (0 is valid with "nunez"). With
        costs, the average gain is ignored.
    cost_rule : {"tan-schlimmer", "nunez", "idx"}, default="tan-schlimmer"
        Squared gain divided by cost; (2 ** gain - 1) / (cost + 1) ** cost_weight; gain divided by
        cost. With "gain_ratio", gain means the gain ratio.
    classes : sequence or None, default=None
        All labels in the order that decides ties; None for those in y, sorted. Labels that do not
        occur count in the numeric minimum and in Laplace's leaves.

    Attributes
    ----------
    feature_importances_ : ndarray of shape (n_features_in_,)
        Share of each column in the decrease of entropy.

    Notes
    -----
    A numeric cut needs, on both sides, a tenth of the mean known weight of a class, but no more
    than 25 and no less than `min_samples_leaf`. After reduced-error pruning, predictions come only
    from the growing rows; rows are divided for it, not weights, so a row of weight two is not the
    same as two rows.

    References
    ----------
    .. [1] Quinlan (1993), C4.5: Programs for Machine Learning.
    .. [2] Quinlan (1996), Improved use of continuous attributes in C4.5, Journal of Artificial
       Intelligence Research 4.
    .. [3] Tan and Schlimmer (1990), Two case studies in cost-sensitive concept acquisition,
       AAAI-90.
    .. [4] Nunez (1991), The use of background knowledge in decision tree induction, Machine
       Learning 6.

    Examples
    --------
    >>> import pandas as pd
    >>> from bestofk.trees import C45Classifier
    >>> X = pd.DataFrame({"sky": ["sun", "sun", "rain", "rain"] * 3, "wind": [1, 9, 2, 8] * 3})
    >>> y = ["play", "play", "play", "stay"] * 3
    >>> learner = C45Classifier().fit(X, y)
    >>> learner.get_n_leaves(), learner.tree_.attributes[learner.tree_.attribute[0]].name
    (3, 'sky')
    >>> learner.predict(pd.DataFrame({"sky": ["rain", None], "wind": [7, 7]})).tolist()
    ['stay', 'play']
    """

    code_version = 2

    flavor: str = choice("j48", ("j48", "r8"))
    criterion: str = choice("gain_ratio", ("gain_ratio", "gain", "entropy"))
    nominal_splits: str = choice("multiway", ("multiway", "binary", "group"), rule=_GROUPS)
    ordinal_splits: str = choice("cut", ORDINAL_SPLITS)
    min_samples_leaf: float = least_weight(2)
    mdl_correction: bool = flag(True)
    threshold: str = choice("value", ("value", "midpoint", "value-within-1e-6"))
    collapse: bool = flag(True)
    pruning: str | None = choice("error-based", ("error-based", *PRUNINGS))
    confidence: float = share(
        0.25, "low", "Smaller values prune more; use pruning=None for no pruning."
    )
    subtree_raising: bool = flag(True)
    laplace: bool = flag(False)

    @property
    def error_bound(self) -> tuple[float, float, bool]:
        """Bound of the errors of a leaf; see `pruning_methods.bound_parts`."""
        return bound_parts(self.confidence, self.flavor)

    def growth_rules(self) -> GrowthRules:
        """Return the rules, after a check of all parameters."""
        self.check_parameters()
        is_r8 = self.flavor == "r8"
        threshold = self.threshold
        if is_r8 and threshold == "value":
            threshold = "value-in-32-bits"
        return self.rules_with(
            criterion="entropy",
            choice="ratio-above-average" if self.criterion == "gain_ratio" else "worth",
            nominal_splits=self.nominal_splits,
            tenth_rule=True,
            counts_weight=is_r8,
            takes_zero=False,
            takes_zero_levels=is_r8,
            least_info=1e-3 if is_r8 else 0.0,
            gap=1e-5,
            tie=1e-6,
            numeric_penalty=self.mdl_correction,
            threshold=threshold,
            in_32_bits=is_r8,
        )

    def pruned_tree(self, tree: Tree, columns: Columns, y: Codes, weight: Floats | None) -> Tree:
        """Return the tree after pruning."""
        if self.collapse:
            tree = collapsed(tree)
        if self.pruning != "error-based":
            return super().pruned_tree(tree, columns, y, weight)
        raises, bound = self.subtree_raising, self.error_bound
        tree = prune_by_estimated_errors(
            tree, columns.matrix(), y, weight, bound=bound, raises=raises
        )
        return without_impossible_branches(tree) if self.nominal_splits == "group" else tree
