"""Which side of the border with the widest margin."""

from __future__ import annotations

from typing import Any

from bestofk.learners.entry import LearnerEntry


def _svm() -> Any:
    from sklearn.svm import SVC

    from bestofk.learners.pipeline import learner_pipeline

    return learner_pipeline(SVC(), standardize=True)


SVM = LearnerEntry(
    name="svm",
    task="classification",
    title="support vector machine",
    description="Support vector machine with radial kernel, C=1, gamma by the variance; gives "
    "decision values, not probabilities. Numeric columns standardized, nominal 1-of-n.",
    make=_svm,
)
