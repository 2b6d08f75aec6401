"""Linear models: logistic regression, least squares, ridge and elastic net."""

from dataclasses import replace

from bestofk.learners.entry import LearnerEntry, Traits, linear_count
from bestofk.learners.operations import decomposition, penalty_path
from bestofk.scikit_internals import LINEAR_MODEL

# Traits of ridge, elastic net and all others on the same base class.
LINEAR_TRAITS = Traits((LINEAR_MODEL, "sklearn.linear_model.LogisticRegression"), linear_count)
_ALPHAS = [
    0.001, 0.01, 0.1, 0.3, 1.0, 3.0, 10.0, 30.0, 100.0, 300.0, 1000.0, 3000.0, 10_000.0, 30_000.0,
    100_000.0,
]  # fmt: skip
LOGISTIC = LearnerEntry(
    name="logistic",
    task="classification",
    title="logistic regression",
    description="Multinomial logistic regression, L2 penalty with C=1. Numeric columns "
    "standardized, nominal 1-of-n.",
    estimator="sklearn.linear_model.LogisticRegression",
    # With standardized columns, some tens of steps are usual; this allows for the worst case.
    settings={"max_iter": 5_000},
    columns="standardized",
    traits=LINEAR_TRAITS,
    space={"C": [0.001, 0.01, 0.1, 1.0, 10.0, 100.0, 1000.0]},
    tuned_level=0.042,
)
RIDGE_CLASSIFIER = replace(
    LOGISTIC,
    name="ridge-classifier",
    title="ridge classifier",
    description="Linear regression on 1 (the class) and -1 for each class, L2 penalty with "
    "alpha=1; gives decision values, not probabilities. Numeric columns standardized, nominal "
    "1-of-n.",
    estimator="sklearn.linear_model.RidgeClassifier",
    settings={},
    space={"alpha": _ALPHAS},
    tuned_level=None,
    gives_probabilities=False,
    n_operations=decomposition,
)
RIDGE = LearnerEntry(
    name="ridge",
    task="regression",
    title="ridge regression",
    description="Linear regression, L2 penalty with alpha=1. Numeric columns standardized, "
    "nominal 1-of-n.",
    estimator="sklearn.linear_model.Ridge",
    columns="standardized",
    traits=LINEAR_TRAITS,
    space={"alpha": _ALPHAS},
    tuned_level=0.051,
    n_operations=decomposition,
)
LEAST_SQUARES = replace(
    RIDGE,
    name="least-squares",
    title="least squares",
    description="Linear regression by least squares, without a penalty. Numeric columns "
    "standardized, nominal 1-of-n.",
    estimator="sklearn.linear_model.LinearRegression",
    space=(),
    tuned_level=None,
)
# These two choose their penalty within the training rows, so there is nothing left to tune.
RIDGE_CV = replace(
    LEAST_SQUARES,
    name="ridge-cv",
    title="ridge, penalty chosen inside",
    description="Linear regression, L2 penalty chosen among 15 from 0.001 to 100,000 by the "
    "leave-one-out error of the training rows, in one fit. Numeric columns standardized, nominal "
    "1-of-n.",
    estimator="sklearn.linear_model.RidgeCV",
    settings={"alphas": tuple(_ALPHAS)},
)
ELASTIC_NET = replace(
    LEAST_SQUARES,
    name="elastic-net",
    title="elastic net, penalty chosen inside",
    description="Linear regression, half L1 and half L2 penalty, its size chosen among 100 along a "
    "path by 5-fold cross-validation of the training rows. Numeric columns standardized, nominal "
    "1-of-n.",
    estimator="bestofk.learners.adapted_regressors.ShuffledElasticNetCV",
    # Correlated columns take many passes; this allows for them.
    settings={"max_iter": 10_000},
    n_operations=penalty_path,
)
