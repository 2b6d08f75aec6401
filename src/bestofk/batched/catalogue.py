"""Catalogue of batched forms, by the class that each trains on all parts at once."""

from __future__ import annotations

from bestofk.batched.form import BatchedForm
from bestofk.registry import Registry

# Form of this package -> the classes of learners that it trains; a subclass of one may train
# otherwise, so it has no form.
_CLASSES = {
    "majority.MajorityForm": ["bestofk.learners.majority_classifier.MajorityClassifier"],
    "nearest_mean.NearestMeanForm": [
        "bestofk.learners.nearest_mean_classifier.NearestMeanClassifier"
    ],
    "gaussian_naive_bayes.GaussianNaiveBayesForm": ["sklearn.naive_bayes.GaussianNB"],
    "kernel_naive_bayes.KernelNaiveBayesForm": [
        "bestofk.learners.kernel_naive_bayes_classifier.KernelNaiveBayesClassifier"
    ],
    "linear_discriminant.LinearDiscriminantForm": [
        "sklearn.discriminant_analysis.LinearDiscriminantAnalysis"
    ],
    "quadratic_discriminant.QuadraticDiscriminantForm": [
        "sklearn.discriminant_analysis.QuadraticDiscriminantAnalysis"
    ],
    "logistic.LogisticForm": ["sklearn.linear_model.LogisticRegression"],
    "ridge.RidgeForm": ["sklearn.linear_model.Ridge"],
    "ridge.RidgeClassifierForm": ["sklearn.linear_model.RidgeClassifier"],
    "nearest_neighbors.NearestNeighborsForm": [
        "bestofk.learners.nearest_neighbors_classifier.NearestNeighborsClassifier",
        "sklearn.neighbors.KNeighborsClassifier",
        "sklearn.neighbors.KNeighborsRegressor",
    ],
    "trees.TreeForm": [
        "bestofk.trees.c45.C45Classifier",
        "bestofk.trees.hellinger.HellingerTreeClassifier",
        "bestofk.trees.id3.ID3Classifier",
        "bestofk.trees.cart.CARTClassifier",
    ],
}

BATCHED_FORMS: Registry[type[BatchedForm]] = Registry(
    "batched form",
    {path: f"bestofk.batched.{form}" for form, paths in _CLASSES.items() for path in paths},
)
