"""Gradient-boosted trees."""

from dataclasses import replace

from bestofk.learners.entry import LearnerEntry, Traits
from bestofk.learners.operations import boosting

# scikit-learn's booster on histograms: with five rows in a leaf, it is as accurate on small data as
# the other one and faster, and many times faster on large data. On one thread, results are
# reproducible to the bit. Its default of 20 rows would never split a training set of fewer than 40.
GRADIENT_BOOSTING = LearnerEntry(
    name="gradient-boosting",
    task="classification",
    title="gradient-boosted trees",
    description="Up to 100 boosted trees per class on binned columns, at least 5 rows in a leaf; "
    "stops early above 10,000 rows. Numeric columns as they are, nominal 1-of-n.",
    estimator="sklearn.ensemble.HistGradientBoostingClassifier",
    settings={"min_samples_leaf": 5},
    traits=Traits(
        (
            "sklearn.ensemble.HistGradientBoostingClassifier",
            "sklearn.ensemble.HistGradientBoostingRegressor",
        )
    ),
    space={
        "learning_rate": [0.03, 0.1, 0.3],
        "max_iter": [10, 20, 30, 50, 70, 100, 140, 200],
    },
    n_operations=boosting,
    on_few_rows="shallow-boosting",
    fewest_rows=250,
)
GRADIENT_BOOSTING_REGRESSOR = replace(
    GRADIENT_BOOSTING,
    name="gradient-boosting-regressor",
    task="regression",
    description="Up to 100 boosted trees on binned columns, at least 5 rows in a leaf; stops early "
    "above 10,000 rows. Numeric columns as they are, nominal 1-of-n.",
    estimator="sklearn.ensemble.HistGradientBoostingRegressor",
    on_few_rows="shallow-boosting-regressor",
    fewest_rows=0,
)
# On few rows, trees of 31 leaves follow the noise: with 8, and half of the stages, a fit takes a
# fifth of the time, and errors are lower by 1.0 points on 450 rows of 52 tables for classes, by 3.2
# hundredths of the target's standard deviation on 450 rows of 76 tables for numbers. On 3,000 rows
# both are alike. Without the penalty this rate fails where a class is rare.
_SHALLOW = {
    "learning_rate": 0.2, "max_iter": 50, "max_leaf_nodes": 8, "min_samples_leaf": 5,
    "l2_regularization": 1.0,
}  # fmt: skip
SHALLOW_BOOSTING = replace(
    GRADIENT_BOOSTING,
    name="shallow-boosting",
    title="boosted trees of eight leaves",
    description="Up to 50 boosted trees per class with 8 leaves of at least 5 rows, learning rate "
    "0.2, L2 penalty 1; stops early above 10,000 rows. Numeric columns as they are, nominal "
    "1-of-n.",
    settings=_SHALLOW,
    on_few_rows="",
)
SHALLOW_BOOSTING_REGRESSOR = replace(
    GRADIENT_BOOSTING_REGRESSOR,
    name="shallow-boosting-regressor",
    title=SHALLOW_BOOSTING.title,
    description=SHALLOW_BOOSTING.description.replace(" per class", ""),
    settings=_SHALLOW,
    on_few_rows="",
)
# From packages that may be missing.  Each learner has one thread, like all others, and LightGBM has
# leaves of five rows, for the reason above.
_BOOSTED = "boosted trees, with its own defaults. Numeric columns as they are, nominal 1-of-n."
_XGBOOST = {"n_jobs": 1, "verbosity": 0}
_LIGHTGBM = {
    "min_child_samples": 5, "n_jobs": 1, "verbosity": -1, "deterministic": True,
    "force_row_wise": True,
}  # fmt: skip
_CATBOOST = {"thread_count": 1, "verbose": False, "allow_writing_files": False}
XGBOOST = LearnerEntry(
    name="xgboost",
    task="classification",
    title="XGBoost",
    description=f"100 {_BOOSTED}",
    estimator="bestofk.learners.xgboost_classifier.XGBoostClassifier",
    settings=_XGBOOST,
    space={"learning_rate": [0.03, 0.1, 0.3], "n_estimators": [30, 100, 300], "max_depth": [3, 6]},
    extra="boosting",
    n_operations=boosting,
)
LIGHTGBM = LearnerEntry(
    name="lightgbm",
    task="classification",
    title="LightGBM",
    description="100 boosted trees on binned columns, at least 5 rows in a leaf. Numeric columns "
    "as they are, nominal 1-of-n.",
    estimator="lightgbm.LGBMClassifier",
    settings=_LIGHTGBM,
    space={"learning_rate": [0.03, 0.1, 0.3], "n_estimators": [30, 100, 300]},
    extra="boosting",
    n_operations=boosting,
)
CATBOOST = LearnerEntry(
    name="catboost",
    task="classification",
    title="CatBoost",
    description=f"1,000 symmetric {_BOOSTED}",
    estimator="bestofk.learners.catboost_learners.CatBoostSeededClassifier",
    settings=_CATBOOST,
    space={"depth": [4, 6, 8], "l2_leaf_reg": [1.0, 3.0, 10.0]},
    extra="boosting",
    n_operations=boosting,
)
XGBOOST_REGRESSOR = replace(
    XGBOOST, name="xgboost-regressor", task="regression", estimator="xgboost.XGBRegressor"
)
LIGHTGBM_REGRESSOR = replace(
    LIGHTGBM, name="lightgbm-regressor", task="regression", estimator="lightgbm.LGBMRegressor"
)
CATBOOST_REGRESSOR = replace(
    CATBOOST,
    name="catboost-regressor",
    task="regression",
    estimator="bestofk.learners.catboost_learners.CatBoostSeededRegressor",
)
