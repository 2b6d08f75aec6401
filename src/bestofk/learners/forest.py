"""Random forests."""

from __future__ import annotations

from typing import Any

from bestofk.learners.entry import LearnerEntry


def _random_forest() -> Any:
    from sklearn.ensemble import RandomForestClassifier

    from bestofk.learners.pipeline import learner_pipeline

    return learner_pipeline(RandomForestClassifier())


def _random_forest_regressor() -> Any:
    from sklearn.ensemble import RandomForestRegressor

    from bestofk.learners.pipeline import learner_pipeline

    return learner_pipeline(RandomForestRegressor())


RANDOM_FOREST = LearnerEntry(
    name="random-forest",
    task="classification",
    title="random forest",
    description="Mean of the class shares of 100 trees, each on a bootstrap sample, square root of "
    "the columns tried at each split. Numeric columns as they are, nominal 1-of-n.",
    make=_random_forest,
    is_default=True,
)
RANDOM_FOREST_REGRESSOR = LearnerEntry(
    name="random-forest-regressor",
    task="regression",
    title="random forest",
    description="Mean of 100 regression trees, each on a bootstrap sample, all columns tried at "
    "each split. Numeric columns as they are, nominal 1-of-n.",
    make=_random_forest_regressor,
    is_default=True,
)
