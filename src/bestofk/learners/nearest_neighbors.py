"""Nearest neighbors for classification and regression."""

from dataclasses import replace

from bestofk.learners.entry import LearnerEntry, Traits, stored_rows_count

NEIGHBORS_TRAITS = Traits(
    (
        "bestofk.learners.nearest_neighbors_classifier.NearestNeighborsClassifier",
        "sklearn.neighbors.KNeighborsClassifier",
        "sklearn.neighbors.KNeighborsRegressor",
    ),
    n_parameters=stored_rows_count,
    is_unstable=lambda estimator: bool(estimator.n_neighbors == 1),
)
ONE_NEIGHBOR = LearnerEntry(
    name="1nn",
    task="classification",
    title="nearest neighbor",
    description="Predicts the class of the nearest training row in Euclidean distance; all rows "
    "at that distance vote. Numeric columns standardized, nominal 1-of-n.",
    estimator="bestofk.learners.nearest_neighbors_classifier.NearestNeighborsClassifier",
    settings={"n_neighbors": 1},
    columns="standardized",
    traits=NEIGHBORS_TRAITS,
    space={"n_neighbors": list(range(1, 51)), "weights": ["uniform", "distance"]},
    tuned_level=0.041,
    takes_weights=False,
)
FIVE_NEIGHBORS = replace(
    ONE_NEIGHBOR,
    name="5nn",
    title="five nearest neighbors",
    description="Majority of the five nearest training rows in Euclidean distance, including "
    "ties with the fifth; needs at least five. Numeric columns standardized, nominal 1-of-n.",
    settings={"n_neighbors": 5},
    tuned_name="knn",
)
KNN_REGRESSOR = replace(
    FIVE_NEIGHBORS,
    name="knn-regressor",
    task="regression",
    description="Mean of the five nearest training rows in Euclidean distance; needs at least "
    "five. Numeric columns standardized, nominal 1-of-n.",
    estimator="sklearn.neighbors.KNeighborsRegressor",
    tuned_level=0.020,
    tuned_name="",
)
ONE_NEIGHBOR_REGRESSOR = replace(
    KNN_REGRESSOR,
    name="1nn-regressor",
    title="nearest neighbor",
    description="Value of the nearest training row in Euclidean distance. Numeric columns "
    "standardized, nominal 1-of-n.",
    settings={"n_neighbors": 1},
)
