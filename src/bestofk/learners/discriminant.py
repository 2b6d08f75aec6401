"""Which side of the best linear border, if classes are normal with one covariance."""

from __future__ import annotations

from typing import Any

from bestofk.learners.entry import LearnerEntry


def _lda() -> Any:
    from sklearn.discriminant_analysis import LinearDiscriminantAnalysis

    from bestofk.learners.pipeline import learner_pipeline

    return learner_pipeline(LinearDiscriminantAnalysis(), standardize=True)


LDA = LearnerEntry(
    name="lda",
    task="classification",
    title="linear discriminant analysis",
    description="Normal classes with one covariance matrix, by singular value decomposition. "
    "Numeric columns standardized, nominal 1-of-n.",
    make=_lda,
)
