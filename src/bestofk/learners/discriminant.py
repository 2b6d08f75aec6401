"""Linear and quadratic discriminant analysis."""

from __future__ import annotations

from typing import Any

from bestofk.learners.entry import LearnerEntry

# Levels that exclude each other make every covariance matrix singular. Of 0.001, 0.01 and 0.1
# this gave the fewest errors on most of the data sets tried.
_TOWARDS_IDENTITY = 0.1


def _lda() -> Any:
    from sklearn.discriminant_analysis import LinearDiscriminantAnalysis

    from bestofk.learners.pipeline import learner_pipeline

    return learner_pipeline(LinearDiscriminantAnalysis(), standardize=True)


def _qda() -> Any:
    from sklearn.discriminant_analysis import QuadraticDiscriminantAnalysis

    from bestofk.learners.pipeline import learner_pipeline

    return learner_pipeline(
        QuadraticDiscriminantAnalysis(reg_param=_TOWARDS_IDENTITY), standardize=True
    )


LDA = LearnerEntry(
    name="lda",
    task="classification",
    title="linear discriminant analysis",
    description="Normal classes with one covariance matrix, by singular value decomposition. "
    "Numeric columns standardized, nominal 1-of-n.",
    make=_lda,
)
QDA = LearnerEntry(
    name="qda",
    task="classification",
    title="quadratic discriminant analysis",
    description="Normal classes with a covariance matrix each, 0.9 of it and 0.1 of the identity. "
    "Numeric columns standardized, nominal 1-of-n. Fails where a class has fewer training rows "
    "than there are columns then.",
    make=_qda,
)
