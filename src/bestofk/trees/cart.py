"""The CART learner: binary trees, pruned by what a leaf costs."""

from dataclasses import dataclass
from typing import Final

import numpy as np

from bestofk.array_types import Codes, Floats, Positions
from bestofk.errors import InvalidArgumentError
from bestofk.trees.base import TreeClassifier
from bestofk.trees.growth_rules import GrowthRules
from bestofk.trees.parameters import PRUNINGS, choice, documented
from bestofk.trees.simple_cart import grow_simple_cart
from bestofk.trees.sorting import Columns
from bestofk.trees.tree import Tree

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


@documented
@dataclass(kw_only=True, eq=False, repr=False)
class CARTClassifier(TreeClassifier):
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
    nominal_splits : {"subset"}, default="subset"
        The two subsets of levels that are best apart, as a test of CART has two branches.
    ordinal_splits : {"cut"}, default="cut"
        Columns with an order are divided after a level, for the same reason.
    pruning : {"reduced-error", "pessimistic", "cost-complexity", "mdl", None}, \
default="cost-complexity"
        By the errors on rows kept away from growing; by half an error more for each leaf; by
        errors and leaves; by description length; not at all, which "none" means too.
    min_impurity_decrease : float, default=0.0
        Least decrease of impurity, times the node's share of all weight.
    discretize_at : {"table", "node"}, default="table"
        Once, on the training table: tests cut between intervals. Or anew at each node, from up
        to 256 fine intervals of the table: a branch for each.

    Attributes
    ----------
    feature_importances_ : ndarray of shape (n_features_in_,)
        Their shares in the decrease of the criterion.

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

    flavor: str = choice("breiman", ("breiman", "simplecart"))
    criterion: str = choice("gini", ("gini", "entropy", "gain"))
    nominal_splits: str = choice(
        "subset", ("subset",), rule="subset: a test of CART has two branches"
    )
    ordinal_splits: str = choice("cut", ("cut",), rule="a cut: a test of CART has two branches")
    pruning: str | None = choice("cost-complexity", PRUNINGS)

    def growth_rules(self) -> GrowthRules:
        """Return the rules, after a check of all parameters."""
        self.check_parameters()
        if self.flavor == "simplecart":
            for name, unused in _UNKNOWN_TO_SIMPLECART.items():
                if (value := getattr(self, name)) != unused:
                    raise InvalidArgumentError(
                        f"{name} of CARTClassifier must be {unused!r} with flavor='simplecart'; "
                        f"got {value!r}. Weka's SimpleCart has nothing else: use flavor='breiman'."
                    )
        criterion = "gini" if self.criterion == "gini" else "entropy"
        return self.rules_with(criterion=criterion, nominal_splits=self.nominal_splits)

    def grow_on(
        self,
        columns: Columns,
        y: Codes,
        rules: GrowthRules,
        weight: Floats | None,
        rows: Positions | None = None,
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
