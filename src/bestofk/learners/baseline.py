"""Baselines that ignore the features: the most frequent class, the mean and the median."""

from dataclasses import replace

from bestofk.learners.entry import LearnerEntry, Traits


def _count(n_rows: int, n_features: int, n_classes: int) -> float:
    return n_classes


MAJORITY = LearnerEntry(
    name="majority",
    task="classification",
    title="most frequent class",
    description="Predicts the most frequent class of the training rows, with the class shares as "
    "probabilities. The features are read but not used.",
    estimator="bestofk.learners.majority_classifier.MajorityClassifier",
    traits=Traits(
        ("bestofk.learners.majority_classifier.MajorityClassifier",),
        n_parameters=_count,
        is_baseline=True,
    ),
)
MEAN = LearnerEntry(
    name="mean",
    task="regression",
    title="mean of the target",
    description="Predicts the mean of the training targets. The features are read but not used.",
    estimator="sklearn.dummy.DummyRegressor",
    settings={"strategy": "mean"},
    traits=Traits(
        ("sklearn.dummy.DummyClassifier", "sklearn.dummy.DummyRegressor"),
        n_parameters=_count,
        is_baseline=True,
    ),
)
MEDIAN = replace(
    MEAN,
    name="median",
    title="median of the target",
    description="Predicts the median of the training targets, which has the lowest absolute error "
    "of all constants. The features are read but not used.",
    settings={"strategy": "median"},
)
