"""Which class makes the values most probable, column by column."""

from __future__ import annotations

from typing import Any

from bestofk.learners.entry import LearnerEntry


def _naive_bayes() -> Any:
    from sklearn.naive_bayes import GaussianNB

    from bestofk.learners.pipeline import learner_pipeline

    return learner_pipeline(GaussianNB())


NAIVE_BAYES = LearnerEntry(
    name="naive-bayes",
    task="classification",
    title="Gaussian naive Bayes",
    description="One normal distribution per class and column, columns taken as independent. "
    "Numeric columns as they are, nominal 1-of-n.",
    make=_naive_bayes,
    is_default=True,
)
