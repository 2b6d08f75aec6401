"""The CART learner: binary trees, pruned by cost complexity."""

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

# Parameters without effect for the flavor "simplecart", and their neutral values.
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

    Every test has two branches: the sides of a threshold, or the best two subsets of levels. The
    grown tree is pruned at a cost of a leaf found by cross-validation.

    Parameters
    ----------
    flavor : {"breiman", "simplecart"}, default="breiman"
        Growth as in the book; or as in Weka's SimpleCart, where a node is a leaf if a side of its
        best test is too small. The latter is slow and meant for comparisons.
    criterion : {"gini", "entropy", "gain"}, default="gini"
        Impurity whose decrease is the worth of a test; the decrease of entropy, in bits, is the
        gain.
    nominal_splits : {"subset"}, default="subset"
        The best two subsets of levels, as a test of CART has two branches.
    ordinal_splits : {"cut"}, default="cut"
        Division after a level of columns with an order, for the same reason.
    pruning : {"reduced-error", "pessimistic", "cost-complexity", "mdl", None}, \
default="cost-complexity"
        Pruning by the errors on held-out rows; by half an error more for each leaf; by errors and
        leaves; by description length; or no pruning ("none" is the same).
    min_impurity_decrease : float, default=0.0
        Minimum decrease of impurity, times the node's share of all weight.
    discretize_at : {"table", "node"}, default="table"
        Once, on the training table: tests cut between intervals. Or again at each node, from up to
        256 fine intervals of the table, with a branch each.

    Attributes
    ----------
    feature_importances_ : ndarray of shape (n_features_in_,)
        Share of each column in the decrease of the criterion.

    Notes
    -----
    The two subsets are optimal for two classes (Breiman et al., section 9.4), and for more classes
    up to ten levels; beyond, levels are ordered by the share of each class in turn. Thresholds are
    midpoints. Nodes are split until they are pure, even by tests without gain. Rows with a missing
    value go down both branches, in parts. DEVIATION: the book uses surrogate tests for them.

    References
    ----------
    .. [1] Breiman, Friedman, Olshen and Stone (1984), Classification and Regression
       Trees.

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
                        f"got {value!r}. Weka's SimpleCart has no other: use flavor='breiman'."
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
