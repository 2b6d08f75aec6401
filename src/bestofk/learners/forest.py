"""Random forests."""

from bestofk.learners.entry import LearnerEntry

RANDOM_FOREST = LearnerEntry(
    name="random-forest",
    task="classification",
    title="random forest",
    description="Mean of the class shares of 100 trees, each on a bootstrap sample, square root of "
    "the columns tried at each split. Numeric columns as they are, nominal 1-of-n.",
    estimator="sklearn.ensemble.RandomForestClassifier",
    space={"max_features": ["sqrt", 0.33, 0.67], "min_samples_leaf": [1, 2, 5, 10]},
    is_default=True,
)
RANDOM_FOREST_REGRESSOR = LearnerEntry(
    name="random-forest-regressor",
    task="regression",
    title="random forest",
    description="Mean of 100 regression trees, each on a bootstrap sample, all columns tried at "
    "each split. Numeric columns as they are, nominal 1-of-n.",
    estimator="sklearn.ensemble.RandomForestRegressor",
    space={"max_features": [0.33, 0.67, 1.0], "min_samples_leaf": [1, 2, 5, 10]},
    is_default=True,
)
