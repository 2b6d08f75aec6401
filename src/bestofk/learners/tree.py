"""Decision trees and rules."""

from __future__ import annotations

from typing import Any

from bestofk.learners.entry import LearnerEntry

_TABLE = "Reads numeric and nominal columns and missing values as they are."


def _pipeline(estimator: Any) -> Any:
    """Put the columns that have a value before a tree, which reads them as they are."""
    from bestofk.learners.pipeline import LearnerPipeline
    from bestofk.trees.known_columns import KnownColumns

    return LearnerPipeline([("prepare", KnownColumns()), ("learner", estimator)])


def _id3() -> Any:
    from bestofk.trees.id3 import ID3Classifier

    return _pipeline(ID3Classifier())


def _c45() -> Any:
    from bestofk.trees.c45 import C45Classifier

    return _pipeline(C45Classifier())


def _c45_unpruned() -> Any:
    from bestofk.trees.c45 import C45Classifier

    return _pipeline(C45Classifier(pruning=None))


def _c45_rules() -> Any:
    from bestofk.trees.c45_rules import C45RulesClassifier

    return _pipeline(C45RulesClassifier())


def _cart() -> Any:
    from bestofk.trees.cart import CARTClassifier

    return _pipeline(CARTClassifier())


def _hddt() -> Any:
    from bestofk.trees.hellinger import HellingerTreeClassifier

    return _pipeline(HellingerTreeClassifier())


def _sklearn_cart() -> Any:
    from sklearn.tree import DecisionTreeClassifier

    from bestofk.learners.pipeline import learner_pipeline

    return learner_pipeline(DecisionTreeClassifier())


def _cart_regressor() -> Any:
    from sklearn.tree import DecisionTreeRegressor

    from bestofk.learners.pipeline import learner_pipeline

    return learner_pipeline(DecisionTreeRegressor())


ID3 = LearnerEntry(
    name="id3",
    task="classification",
    title="ID3 tree",
    description="Decision tree by information gain, one branch per level, not pruned "
    f"(Quinlan 1986). {_TABLE}",
    make=_id3,
)
C45 = LearnerEntry(
    name="c45",
    task="classification",
    title="C4.5 tree",
    description="Decision tree by gain ratio, pruned by error bounds with subtree raising "
    f"(Quinlan 1993). {_TABLE}",
    make=_c45,
)
C45_UNPRUNED = LearnerEntry(
    name="c45-unpruned",
    task="classification",
    title="C4.5 tree, unpruned",
    description=f"Decision tree by gain ratio, as it has grown. {_TABLE}",
    make=_c45_unpruned,
)
C45_RULES = LearnerEntry(
    name="c45rules",
    task="classification",
    title="C4.5 rules",
    description="Ordered rules from a C4.5 tree, shortened by error bounds and selected by "
    f"description length (Quinlan 1993). {_TABLE}",
    make=_c45_rules,
)
CART = LearnerEntry(
    name="cart",
    task="classification",
    title="CART tree",
    description="Binary tree by Gini impurity, pruned by cost complexity with "
    "cross-validation and the one-standard-error rule (Breiman et al. 1984). "
    f"{_TABLE}",
    make=_cart,
    is_default=True,
)
HDDT = LearnerEntry(
    name="hddt",
    task="classification",
    title="Hellinger distance tree",
    description="Decision tree by Hellinger distance, which class shares do not move, not "
    f"pruned (Cieslak et al. 2012). {_TABLE}",
    make=_hddt,
)
SKLEARN_CART = LearnerEntry(
    name="sklearn-cart",
    task="classification",
    title="scikit-learn's decision tree",
    description="Binary tree by Gini impurity, grown until its leaves are pure, not pruned. "
    "Numeric columns as they are, nominal 1-of-n.",
    make=_sklearn_cart,
)
CART_REGRESSOR = LearnerEntry(
    name="cart-regressor",
    task="regression",
    title="regression tree",
    description="Binary tree by squared error, grown until its leaves are pure, not pruned. "
    "Numeric columns as they are, nominal 1-of-n.",
    make=_cart_regressor,
    is_default=True,
)
