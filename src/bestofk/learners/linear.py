"""Linear models: logistic regression and ridge regression."""

from bestofk.learners.entry import LearnerEntry, Traits, linear_count
from bestofk.scikit_internals import LINEAR_MODEL

RIDGE_CLASSIFIER_TRAITS = Traits(
    ("sklearn.linear_model.RidgeClassifier",),
)
OTHER_LINEAR_TRAITS = Traits((LINEAR_MODEL,), n_parameters=linear_count)
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
    # Where columns are standardized, some tens of steps are usual; this leaves room for the worst.
    settings={"max_iter": 5_000},
    columns="standardized",
    traits=Traits(("sklearn.linear_model.LogisticRegression",), n_parameters=linear_count),
    space={"C": [0.001, 0.01, 0.1, 1.0, 10.0, 100.0, 1000.0]},
    tuned_level=0.042,
    is_default=True,
)
RIDGE = LearnerEntry(
    name="ridge",
    task="regression",
    title="ridge regression",
    description="Linear regression, L2 penalty with alpha=1. Numeric columns standardized, "
    "nominal 1-of-n.",
    estimator="sklearn.linear_model.Ridge",
    columns="standardized",
    traits=Traits(("sklearn.linear_model.Ridge",), n_parameters=linear_count),
    space={"alpha": _ALPHAS},
    tuned_level=0.051,
    is_default=True,
)
