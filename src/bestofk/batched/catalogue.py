"""Catalogue of batched forms, by the class that each trains on all parts at once."""

from __future__ import annotations

from bestofk.batched.form import BatchedForm
from bestofk.registry import Registry

# Path of the learner's class -> its form; a subclass has none, for it may train otherwise.
BATCHED_FORMS: Registry[type[BatchedForm]] = Registry(
    "batched form",
    {
        "bestofk.learners.majority_classifier.MajorityClassifier": (
            "bestofk.batched.majority.MajorityForm"
        ),
        "bestofk.learners.nearest_mean_classifier.NearestMeanClassifier": (
            "bestofk.batched.nearest_mean.NearestMeanForm"
        ),
        "sklearn.naive_bayes.GaussianNB": (
            "bestofk.batched.gaussian_naive_bayes.GaussianNaiveBayesForm"
        ),
        "bestofk.learners.kernel_naive_bayes_classifier.KernelNaiveBayesClassifier": (
            "bestofk.batched.kernel_naive_bayes.KernelNaiveBayesForm"
        ),
        "sklearn.discriminant_analysis.LinearDiscriminantAnalysis": (
            "bestofk.batched.linear_discriminant.LinearDiscriminantForm"
        ),
        "sklearn.discriminant_analysis.QuadraticDiscriminantAnalysis": (
            "bestofk.batched.quadratic_discriminant.QuadraticDiscriminantForm"
        ),
        "sklearn.linear_model.LogisticRegression": "bestofk.batched.logistic.LogisticForm",
        "sklearn.linear_model.Ridge": "bestofk.batched.ridge.RidgeForm",
        "sklearn.linear_model.RidgeClassifier": "bestofk.batched.ridge.RidgeClassifierForm",
        **dict.fromkeys(
            [
                "bestofk.learners.nearest_neighbors_classifier.NearestNeighborsClassifier",
                "sklearn.neighbors.KNeighborsClassifier",
                "sklearn.neighbors.KNeighborsRegressor",
            ],
            "bestofk.batched.nearest_neighbors.NearestNeighborsForm",
        ),
        **dict.fromkeys(
            [
                "bestofk.trees.c45.C45Classifier",
                "bestofk.trees.hellinger.HellingerTreeClassifier",
                "bestofk.trees.id3.ID3Classifier",
                "bestofk.trees.cart.CARTClassifier",
            ],
            "bestofk.batched.trees.TreeForm",
        ),
    },
)
