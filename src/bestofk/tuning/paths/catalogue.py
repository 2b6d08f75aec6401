"""Catalogue of shared computations of settings, by the class of learner that each trains."""

from __future__ import annotations

from bestofk.registry import Registry
from bestofk.tuning.paths.setting_path import SettingPath

# Path of this package -> the classes of learners that it trains; a subclass of one may train
# otherwise, so it has no path.
_CLASSES = {
    "gaussian_naive_bayes.GaussianNaiveBayesPath": ["sklearn.naive_bayes.GaussianNB"],
    "linear_discriminant.LinearDiscriminantPath": [
        "sklearn.discriminant_analysis.LinearDiscriminantAnalysis"
    ],
    "quadratic_discriminant.QuadraticDiscriminantPath": [
        "sklearn.discriminant_analysis.QuadraticDiscriminantAnalysis"
    ],
    "logistic.LogisticPath": ["sklearn.linear_model.LogisticRegression"],
    "ridge.RidgePath": ["sklearn.linear_model.Ridge", "sklearn.linear_model.RidgeClassifier"],
    "nearest_neighbors.NearestNeighborsPath": [
        "bestofk.learners.nearest_neighbors_classifier.NearestNeighborsClassifier",
        "sklearn.neighbors.KNeighborsClassifier",
        "sklearn.neighbors.KNeighborsRegressor",
    ],
    "pruned_tree.PrunedTreePath": ["bestofk.trees.cart.CARTClassifier"],
    "pruned_tree.ScikitTreePath": [
        "sklearn.tree.DecisionTreeClassifier",
        "sklearn.tree.DecisionTreeRegressor",
    ],
    "boosting.BoostingPath": [
        "sklearn.ensemble.HistGradientBoostingClassifier",
        "sklearn.ensemble.HistGradientBoostingRegressor",
    ],
}

SETTING_PATHS: Registry[type[SettingPath]] = Registry(
    "setting path",
    {path: f"bestofk.tuning.paths.{home}" for home, paths in _CLASSES.items() for path in paths},
)
