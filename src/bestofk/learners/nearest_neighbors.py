"""Nearest neighbors for classification and regression."""

from __future__ import annotations

from typing import Any

from bestofk.learners.entry import LearnerEntry


def _classifier(n_neighbors: int) -> Any:
    from bestofk.learners.nearest_neighbors_classifier import NearestNeighborsClassifier
    from bestofk.learners.pipeline import learner_pipeline

    return learner_pipeline(NearestNeighborsClassifier(n_neighbors), standardize=True)


def _one_neighbor() -> Any:
    return _classifier(1)


def _five_neighbors() -> Any:
    return _classifier(5)


def _knn_regressor() -> Any:
    from sklearn.neighbors import KNeighborsRegressor

    from bestofk.learners.pipeline import learner_pipeline

    return learner_pipeline(KNeighborsRegressor(5), standardize=True)


ONE_NEIGHBOR = LearnerEntry(
    name="1nn",
    task="classification",
    title="nearest neighbor",
    description="Predicts the class of the nearest training row in Euclidean distance; rows "
    "equally far all have a vote. Numeric columns standardized, nominal 1-of-n.",
    make=_one_neighbor,
)
FIVE_NEIGHBORS = LearnerEntry(
    name="5nn",
    task="classification",
    title="five nearest neighbors",
    description="Majority of the five nearest training rows in Euclidean distance, and of those "
    "as far as the fifth; needs at least five. Numeric columns standardized, nominal 1-of-n.",
    make=_five_neighbors,
    is_default=True,
)
KNN_REGRESSOR = LearnerEntry(
    name="knn-regressor",
    task="regression",
    title="five nearest neighbors",
    description="Mean of the five nearest training rows in Euclidean distance; needs at least "
    "five. Numeric columns standardized, nominal 1-of-n.",
    make=_knn_regressor,
    is_default=True,
)
