"""Catalogue of shared computations of settings, by the class of learner that each trains."""

from __future__ import annotations

from bestofk.registry import Registry
from bestofk.tuning.paths.setting_path import SettingPath

# Path of the learner's class -> its computation; a subclass has none, for it may train otherwise.
SETTING_PATHS: Registry[type[SettingPath]] = Registry(
    "setting path",
    {
        "sklearn.naive_bayes.GaussianNB": (
            "bestofk.tuning.paths.gaussian_naive_bayes.GaussianNaiveBayesPath"
        ),
        "sklearn.discriminant_analysis.LinearDiscriminantAnalysis": (
            "bestofk.tuning.paths.linear_discriminant.LinearDiscriminantPath"
        ),
        "sklearn.discriminant_analysis.QuadraticDiscriminantAnalysis": (
            "bestofk.tuning.paths.quadratic_discriminant.QuadraticDiscriminantPath"
        ),
        "sklearn.linear_model.LogisticRegression": "bestofk.tuning.paths.logistic.LogisticPath",
        "sklearn.linear_model.Ridge": "bestofk.tuning.paths.ridge.RidgePath",
        "sklearn.linear_model.RidgeClassifier": "bestofk.tuning.paths.ridge.RidgePath",
        **dict.fromkeys(
            [
                "bestofk.learners.nearest_neighbors_classifier.NearestNeighborsClassifier",
                "sklearn.neighbors.KNeighborsClassifier",
                "sklearn.neighbors.KNeighborsRegressor",
            ],
            "bestofk.tuning.paths.nearest_neighbors.NearestNeighborsPath",
        ),
        "bestofk.trees.cart.CARTClassifier": "bestofk.tuning.paths.pruned_tree.PrunedTreePath",
        **dict.fromkeys(
            ["sklearn.tree.DecisionTreeClassifier", "sklearn.tree.DecisionTreeRegressor"],
            "bestofk.tuning.paths.pruned_tree.ScikitTreePath",
        ),
        **dict.fromkeys(
            [
                "sklearn.ensemble.HistGradientBoostingClassifier",
                "sklearn.ensemble.HistGradientBoostingRegressor",
            ],
            "bestofk.tuning.paths.boosting.BoostingPath",
        ),
    },
)
