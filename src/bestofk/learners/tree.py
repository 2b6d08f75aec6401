"""Which leaf of a binary decision tree."""

from __future__ import annotations

from typing import Any

from bestofk.learners.entry import LearnerEntry


def _cart() -> Any:
    from sklearn.tree import DecisionTreeClassifier

    from bestofk.learners.pipeline import learner_pipeline

    return learner_pipeline(DecisionTreeClassifier())


def _cart_regressor() -> Any:
    from sklearn.tree import DecisionTreeRegressor

    from bestofk.learners.pipeline import learner_pipeline

    return learner_pipeline(DecisionTreeRegressor())


CART = LearnerEntry(
    name="cart",
    task="classification",
    title="decision tree",
    description="Binary tree by Gini impurity, grown until its leaves are pure, not pruned. "
    "Numeric columns as they are, nominal 1-of-n.",
    make=_cart,
    is_default=True,
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
