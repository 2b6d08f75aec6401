"""Nearest-mean classification."""

from __future__ import annotations

from typing import Any

from bestofk.learners.entry import LearnerEntry


def _nearest_mean() -> Any:
    from bestofk.learners.nearest_mean_classifier import NearestMeanClassifier
    from bestofk.learners.pipeline import learner_pipeline

    return learner_pipeline(NearestMeanClassifier(), standardize=True)


NEAREST_MEAN = LearnerEntry(
    name="nearest-mean",
    task="classification",
    title="nearest class mean",
    description="Predicts the class whose mean is nearest in Euclidean distance; probabilities as "
    "for round normal classes of one common spread. Numeric columns standardized, nominal 1-of-n.",
    make=_nearest_mean,
    is_default=True,
)
