"""Baselines that ignore the features: the most frequent class and the mean."""

from __future__ import annotations

from typing import Any

from bestofk.learners.entry import LearnerEntry


def _majority() -> Any:
    from bestofk.learners.majority_classifier import MajorityClassifier
    from bestofk.learners.pipeline import learner_pipeline

    return learner_pipeline(MajorityClassifier())


def _mean() -> Any:
    from sklearn.dummy import DummyRegressor

    from bestofk.learners.pipeline import learner_pipeline

    return learner_pipeline(DummyRegressor(strategy="mean"))


MAJORITY = LearnerEntry(
    name="majority",
    task="classification",
    title="most frequent class",
    description="Predicts the most frequent class of the training rows, with the class shares as "
    "probabilities. The features are read but not used.",
    make=_majority,
    is_default=True,
    is_baseline=True,
)
MEAN = LearnerEntry(
    name="mean",
    task="regression",
    title="mean of the target",
    description="Predicts the mean of the training targets. The features are read but not used.",
    make=_mean,
    is_default=True,
    is_baseline=True,
)
