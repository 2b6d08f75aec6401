"""Nearest-mean classification."""

from bestofk.learners.entry import LearnerEntry, Traits


def _count(n_rows: int, n_features: int, n_classes: int) -> float:
    return n_classes * n_features


NEAREST_CENTROID_TRAITS = Traits(("sklearn.neighbors.NearestCentroid",), n_parameters=_count)
NEAREST_MEAN = LearnerEntry(
    name="nearest-mean",
    task="classification",
    title="nearest class mean",
    description="Predicts the class whose mean is nearest in Euclidean distance; probabilities "
    "assume round normal classes with a common spread. Numeric columns standardized, nominal "
    "1-of-n.",
    estimator="bestofk.learners.nearest_mean_classifier.NearestMeanClassifier",
    columns="standardized",
    traits=Traits(
        ("bestofk.learners.nearest_mean_classifier.NearestMeanClassifier",), n_parameters=_count
    ),
    takes_weights=False,
)
