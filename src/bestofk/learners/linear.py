"""Linear models: logistic regression and ridge regression."""

from __future__ import annotations

from typing import Any

from bestofk.learners.entry import LearnerEntry

# Where columns are standardized, some tens of steps are usual; this leaves room for the worst.
_MAX_STEPS = 5_000


def _logistic() -> Any:
    from sklearn.linear_model import LogisticRegression

    from bestofk.learners.pipeline import learner_pipeline

    return learner_pipeline(LogisticRegression(max_iter=_MAX_STEPS), standardize=True)


def _ridge() -> Any:
    from sklearn.linear_model import Ridge

    from bestofk.learners.pipeline import learner_pipeline

    return learner_pipeline(Ridge(), standardize=True)


LOGISTIC = LearnerEntry(
    name="logistic",
    task="classification",
    title="logistic regression",
    description="Multinomial logistic regression, L2 penalty with C=1. Numeric columns "
    "standardized, nominal 1-of-n.",
    make=_logistic,
    is_default=True,
)
RIDGE = LearnerEntry(
    name="ridge",
    task="regression",
    title="ridge regression",
    description="Linear regression, L2 penalty with alpha=1. Numeric columns standardized, "
    "nominal 1-of-n.",
    make=_ridge,
    is_default=True,
)
