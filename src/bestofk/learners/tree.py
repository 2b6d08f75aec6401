"""Decision trees and rules."""

from dataclasses import replace
from typing import Any

from bestofk.learners.entry import LearnerEntry, Traits, tree_count

_TABLE = "Reads numeric and nominal columns and missing values as they are."


def _is_grown_out(tree: Any) -> bool:
    return bool(tree.max_depth is None and tree.min_samples_leaf == 1 and tree.ccp_alpha == 0)


TREE_TRAITS = Traits(
    (
        "bestofk.trees.c45.C45Classifier",
        "bestofk.trees.hellinger.HellingerTreeClassifier",
        "bestofk.trees.id3.ID3Classifier",
    ),
    n_parameters=tree_count,
    is_unstable=lambda tree: not tree.is_pruned and tree.max_depth is None,
)
CART_TRAITS = replace(TREE_TRAITS, classes=("bestofk.trees.cart.CARTClassifier",))
SKLEARN_TREE_TRAITS = Traits(
    (
        "sklearn.tree.DecisionTreeClassifier",
        "sklearn.tree.DecisionTreeRegressor",
        "sklearn.tree.BaseDecisionTree",
    ),
    n_parameters=tree_count,
    is_unstable=_is_grown_out,
)
# The other trees of this package have similar entries.
ID3 = LearnerEntry(
    name="id3",
    task="classification",
    title="ID3 tree",
    description="Decision tree by information gain, one branch per level, not pruned "
    f"(Quinlan 1986). {_TABLE}",
    estimator="bestofk.trees.id3.ID3Classifier",
    columns="as-is",
    traits=TREE_TRAITS,
)
C45 = replace(
    ID3,
    name="c45",
    title="C4.5 tree",
    description="Decision tree by gain ratio, pruned by error bounds with subtree raising "
    f"(Quinlan 1993). {_TABLE}",
    estimator="bestofk.trees.c45.C45Classifier",
    space={"confidence": [0.01, 0.05, 0.1, 0.25, 0.5], "min_samples_leaf": [2, 5, 10]},
)
C45_UNPRUNED = replace(
    C45,
    name="c45-unpruned",
    title="C4.5 tree, unpruned",
    description=f"Decision tree by gain ratio, without pruning. {_TABLE}",
    settings={"pruning": None},
    space=(),
)
C45_RULES = replace(
    ID3,
    name="c45rules",
    title="C4.5 rules",
    description="Ordered rules from a C4.5 tree, shortened by error bounds and selected by "
    f"description length (Quinlan 1993). {_TABLE}",
    estimator="bestofk.trees.c45_rules.C45RulesClassifier",
)
CART = replace(
    ID3,
    name="cart",
    title="CART tree",
    description="Binary tree by Gini impurity, pruned by cost complexity with "
    f"cross-validation and the one-standard-error rule (Breiman et al. 1984). {_TABLE}",
    estimator="bestofk.trees.cart.CARTClassifier",
    traits=CART_TRAITS,
    space=[
        {"ccp_alpha": [None], "min_samples_leaf": [1]},
        {"ccp_alpha": [0.0, 0.001, 0.003, 0.01, 0.02, 0.05], "min_samples_leaf": [1, 5]},
    ],
    tuned_level=0.047,
)
HDDT = replace(
    ID3,
    name="hddt",
    title="Hellinger distance tree",
    description="Decision tree by Hellinger distance, which does not depend on class shares, not "
    f"pruned (Cieslak et al. 2012). {_TABLE}",
    estimator="bestofk.trees.hellinger.HellingerTreeClassifier",
)
SKLEARN_CART = LearnerEntry(
    name="sklearn-cart",
    task="classification",
    title="scikit-learn's decision tree",
    description="Binary tree by Gini impurity, grown until its leaves are pure, not pruned. "
    "Numeric columns as they are, nominal 1-of-n.",
    estimator="sklearn.tree.DecisionTreeClassifier",
    traits=SKLEARN_TREE_TRAITS,
    space={
        "ccp_alpha": [0.0, 0.001, 0.002, 0.005, 0.01, 0.02, 0.05],
        "min_samples_leaf": [1, 2, 5, 10],
    },
    tuned_level=0.028,
)
CART_REGRESSOR = LearnerEntry(
    name="cart-regressor",
    task="regression",
    title="regression tree",
    description="Binary tree by squared error, grown until its leaves are pure, not pruned. "
    "Numeric columns as they are, nominal 1-of-n.",
    estimator="sklearn.tree.DecisionTreeRegressor",
    traits=SKLEARN_TREE_TRAITS,
    space={"min_samples_leaf": [1, 2, 5, 10, 20, 50]},
)
