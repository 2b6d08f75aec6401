"""Support vector machines."""

from __future__ import annotations

from typing import Any

from bestofk.learners.entry import LearnerEntry


def _svm() -> Any:
    from sklearn.svm import SVC

    from bestofk.learners.pipeline import learner_pipeline

    return learner_pipeline(SVC(), standardize=True)


def _linear_svm() -> Any:
    """Return the machine with hinge loss: what the literature trains as SMO.

    `LinearSVC` would be faster by itself, but it squares the hinge, shrinks the offset and sets
    one class against the rest; its figures compare with no published ones. This one takes tens
    of seconds on 20,000 noisy rows; in repeated folds its batched form needs hundredths.
    """
    from sklearn.svm import SVC

    from bestofk.learners.pipeline import learner_pipeline

    return learner_pipeline(SVC(kernel="linear"), standardize=True)


SVM = LearnerEntry(
    name="svm",
    task="classification",
    title="support vector machine",
    description="Support vector machine with radial kernel, C=1, gamma by the variance; gives "
    "decision values, not probabilities. Numeric columns standardized, nominal 1-of-n.",
    make=_svm,
)
LINEAR_SVM = LearnerEntry(
    name="linear-svm",
    task="classification",
    title="linear support vector machine",
    description="Support vector machine without kernel, hinge loss, C=1, one class against one; "
    "gives decision values, not probabilities. Numeric columns standardized, nominal 1-of-n.",
    make=_linear_svm,
)
