"""Catalogue of batched forms, and the choice for a learner and a data set."""

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from sklearn.base import clone

from bestofk.array_types import Values
from bestofk.batched.form import BatchedForm
from bestofk.batched.preparation import read_preparation, split_pipeline
from bestofk.batched.shared_table import SharedTable
from bestofk.data.table_columns import DATES, TEXT, prepared_role, table_columns
from bestofk.learners.entry import entry_of_class
from bestofk.registry import Registry

# Form of this package -> the classes of learners that it trains; subclasses may train differently,
# so they have no form.
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
    "ridge.LeastSquaresForm": ["sklearn.linear_model.LinearRegression"],
    "ridge.RidgeClassifierForm": ["sklearn.linear_model.RidgeClassifier"],
    "nearest_neighbors.NearestNeighborsForm": [
        "bestofk.learners.nearest_neighbors_classifier.NearestNeighborsClassifier",
        "sklearn.neighbors.KNeighborsClassifier",
        "sklearn.neighbors.KNeighborsRegressor",
    ],
    "random_forest.ForestForm": [
        "bestofk.trees.random_forest.ForestClassifier",
        "bestofk.trees.random_forest.ForestRegressor",
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


def form_class(learner: Any) -> type[BatchedForm] | None:
    """Return the form for a learner's class, or None.

    A learner may define its own by a method ``batched_form()`` that returns a `BatchedForm` class.
    """
    own = getattr(learner, "batched_form", None)
    form = own() if callable(own) else entry_of_class(BATCHED_FORMS, type(learner))
    return form if isinstance(form, type) and issubclass(form, BatchedForm) else None


@dataclass(frozen=True, eq=False)
class FormChoice:
    """A batched form for a learner and a data set, made when first used.

    Parameters
    ----------
    form_type : type of BatchedForm
        Its class.
    learner : estimator
        The learner, without the preparation in front of it.
    table : SharedTable
        The data and their preparation.
    n_folds : int
        Folds of every repeat; 0 for any subsets of the rows.
    """

    form_type: type[BatchedForm]
    learner: Any
    table: SharedTable
    n_folds: int

    @cached_property
    def form(self) -> BatchedForm:
        """The form; making it may take as long as some runs."""
        return self.form_type(self.learner, self.table, self.n_folds)


def choose_form(
    estimator: Any,
    features: Any,
    target: Values,
    y: Values,
    classes: Values,
    n_folds: int,
    *,
    even_if_slower: bool = False,
    tables: dict[Any, SharedTable] | None = None,
) -> FormChoice | None:
    """Return the batched form for a learner and a data set; None if there is none.

    Arguments are those of `batched_form`; `tables` stores what learners of one data set share.
    """
    front, learner = split_pipeline(estimator)
    cls = form_class(learner)
    if cls is None or TEXT in map(prepared_role, table_columns(features)):
        return None
    own = [step for step in front if cls.does_itself(step)]
    if not set(DATES).isdisjoint(map(prepared_role, table_columns(features))):
        for step in own:  # constant parts of dates do not change trees
            features = clone(step).fit_transform(features)
    front = [step for step in front if not cls.does_itself(step)]
    preparation = read_preparation(front, features) if front else None
    if front and preparation is None:
        return None  # it cannot be shared
    table = SharedTable(features, np.asarray(target), y, classes, preparation)
    if tables is not None:
        table = tables.setdefault((preparation, bool(own)), table)
    if (front and not table.is_faithful) or not cls.supports(learner, table):
        return None
    if n_folds == 0:
        is_chosen = cls.supports_subsets(learner, table)
    else:
        is_chosen = even_if_slower or cls.is_faster(learner, table, n_folds)
    return FormChoice(cls, learner, table, n_folds) if is_chosen else None


def batched_form(
    estimator: Any,
    features: Any,
    target: Values,
    y: Values,
    classes: Values,
    n_folds: int = 0,
    *,
    even_if_slower: bool = False,
) -> BatchedForm | None:
    """Return the batched form of a learner on a data set, or None where there is none.

    Parameters
    ----------
    estimator : estimator
        A learner, perhaps after preparation of the columns in a pipeline.
    features, target, y, classes
        The data set; see `SharedTable`.
    n_folds : int, default=0
        Folds of every repeat; 0 for a form that trains on any subsets of the rows.
    even_if_slower : bool, default=False
        Whether to return a form for folds even if the plain learner costs less.

    Returns
    -------
    BatchedForm or None
        A form that reproduces the plain learner.
    """
    choice = choose_form(
        estimator, features, target, y, classes, n_folds, even_if_slower=even_if_slower
    )
    return None if choice is None else choice.form
