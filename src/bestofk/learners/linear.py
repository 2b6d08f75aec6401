"""Linear models: logistic regression and ridge regression."""

from bestofk.learners.entry import LearnerEntry
from bestofk.learners.traits import Traits, linear_count

LOGISTIC_TRAITS = Traits(
    ("sklearn.linear_model.LogisticRegression",),
    n_parameters=linear_count,
    batched_form="bestofk.batched.logistic.LogisticForm",
)
RIDGE_TRAITS = Traits(
    ("sklearn.linear_model.Ridge",),
    n_parameters=linear_count,
    batched_form="bestofk.batched.ridge.RidgeForm",
)
RIDGE_CLASSIFIER_TRAITS = Traits(
    ("sklearn.linear_model.RidgeClassifier",),
    batched_form="bestofk.batched.ridge.RidgeClassifierForm",
)
OTHER_LINEAR_TRAITS = Traits(("sklearn.linear_model._base.LinearModel",), n_parameters=linear_count)
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
    traits=LOGISTIC_TRAITS,
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
    traits=RIDGE_TRAITS,
    is_default=True,
)
