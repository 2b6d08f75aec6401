"""Catalogue of shared computations of settings, by class of learner."""

from bestofk.registry import Registry
from bestofk.tuning.training_parts import SettingPath

# Path of this package -> the classes of learners that it trains; subclasses may train differently,
# so they have no path.
_CLASSES = {
    "closed_forms.GaussianNaiveBayesPath": ["sklearn.naive_bayes.GaussianNB"],
    "closed_forms.LinearDiscriminantPath": [
        "sklearn.discriminant_analysis.LinearDiscriminantAnalysis"
    ],
    "closed_forms.QuadraticDiscriminantPath": [
        "sklearn.discriminant_analysis.QuadraticDiscriminantAnalysis"
    ],
    "batched_forms.LogisticPath": ["sklearn.linear_model.LogisticRegression"],
    "closed_forms.RidgePath": [
        "sklearn.linear_model.Ridge",
        "sklearn.linear_model.RidgeClassifier",
    ],
    "batched_forms.NearestNeighborsPath": [
        "bestofk.learners.nearest_neighbors_classifier.NearestNeighborsClassifier",
        "sklearn.neighbors.KNeighborsClassifier",
        "sklearn.neighbors.KNeighborsRegressor",
    ],
    "tree_paths.PrunedTreePath": ["bestofk.trees.cart.CARTClassifier"],
    "tree_paths.ScikitTreePath": [
        "sklearn.tree.DecisionTreeClassifier",
        "sklearn.tree.DecisionTreeRegressor",
    ],
    "tree_paths.BoostingPath": [
        "sklearn.ensemble.HistGradientBoostingClassifier",
        "sklearn.ensemble.HistGradientBoostingRegressor",
    ],
}

SETTING_PATHS: Registry[type[SettingPath]] = Registry(
    "setting path",
    {path: f"bestofk.tuning.paths.{home}" for home, paths in _CLASSES.items() for path in paths},
)
