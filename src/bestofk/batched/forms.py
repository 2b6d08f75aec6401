"""Registry of the batched forms of learners."""

from __future__ import annotations

from dataclasses import dataclass
from importlib import import_module
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bestofk.batched.form import BatchedForm
from bestofk.batched.preparation import Preparation, read_preparation, split_pipeline
from bestofk.batched.shared_table import SharedTable
from bestofk.batched.subset_form import SubsetForm
from bestofk.learners import traits_of

# Class of the learner -> module and class of its form for any subsets of the rows.
SUBSET_FORMS: dict[str, str] = {
    "bestofk.learners.majority_classifier.MajorityClassifier": "subset_moments.MajoritySubsets",
    "bestofk.learners.nearest_mean_classifier.NearestMeanClassifier": (
        "subset_moments.NearestMeanSubsets"
    ),
    "sklearn.GaussianNB": "subset_moments.GaussianNaiveBayesSubsets",
    "sklearn.LogisticRegression": "logistic.LogisticSubsets",
    "bestofk.trees.c45.C45Classifier": "subset_trees.TreeSubsets",
    "bestofk.trees.cart.CARTClassifier": "subset_trees.TreeSubsets",
    "bestofk.trees.hellinger.HellingerTreeClassifier": "subset_trees.TreeSubsets",
    "bestofk.trees.id3.ID3Classifier": "subset_trees.TreeSubsets",
    "bestofk.learners.nearest_neighbors_classifier.NearestNeighborsClassifier": (
        "subset_neighbors.NearestNeighborsSubsets"
    ),
    "sklearn.KNeighborsClassifier": "subset_neighbors.NearestNeighborsSubsets",
    "sklearn.KNeighborsRegressor": "subset_neighbors.NearestNeighborsSubsets",
}
_HERE = "bestofk.batched"


def form_class(learner: Any) -> type[BatchedForm] | None:
    """Return the form that the traits of a learner's class name, or None.

    A learner may bring its own: a method ``batched_form()`` that returns a `BatchedForm` class.
    """
    own = getattr(learner, "batched_form", None)
    traits = traits_of(learner)
    form: Any = None
    if callable(own):
        form = own()
    elif traits.batched_form and traits.names(type(learner)):
        module, _, name = traits.batched_form.rpartition(".")
        form = getattr(import_module(module), name)
    return form if isinstance(form, type) and issubclass(form, BatchedForm) else None


def subset_form_class(learner: Any) -> type[SubsetForm] | None:
    """Return the form for any subsets that was made for a learner's class, or None.

    A learner may bring its own: a method ``subset_form()`` that returns a `SubsetForm` class.
    """
    result: type[SubsetForm] | None = _registered(learner, "subset_form", SubsetForm, SUBSET_FORMS)
    return result


def _registered(learner: Any, method: str, kind: Any, names: dict[str, str]) -> Any:
    own = getattr(learner, method, None)
    if callable(own):
        result = own()
        return result if isinstance(result, type) and issubclass(result, kind) else None
    cls = type(learner)
    name = names.get(f"{cls.__module__}.{cls.__qualname__}")
    if name is None:
        name = names.get(f"{cls.__module__.split('.')[0]}.{cls.__qualname__}")
    if name is None:
        return None
    module, _, form = name.rpartition(".")
    return getattr(import_module(f"{_HERE}.{module}"), form)


@dataclass(frozen=True, eq=False)
class FormChoice:
    """A batched form that suits a learner and a data set, not made yet."""

    form: type[BatchedForm]
    learner: Any
    table: SharedTable
    n_folds: int

    def make(self) -> BatchedForm:
        """Compute what all repeats share."""
        return self.form(self.learner, self.table, self.n_folds)


def choose_form(
    estimator: Any,
    features: Any,
    target: NDArray[Any],
    y: NDArray[Any],
    classes: NDArray[Any],
    n_folds: int,
    *,
    even_if_slower: bool = False,
    tables: dict[Preparation | None, SharedTable] | None = None,
) -> FormChoice | None:
    """Return the batched form that suits a learner and a data set; None where there is none.

    Arguments are those of `batched_form`; `tables` keeps what learners of one data set share.
    """
    front, learner = split_pipeline(estimator)
    cls = form_class(learner)
    if cls is None:
        return None
    table = _table_for(cls, front, features, target, y, classes, tables)
    if table is None or not cls.supports(learner, table):
        return None
    if not even_if_slower and not cls.is_faster(learner, table, n_folds):
        return None
    return FormChoice(cls, learner, table, n_folds)


def subset_form(
    estimator: Any,
    features: Any,
    target: NDArray[Any],
    y: NDArray[Any],
    classes: NDArray[Any],
    *,
    tables: dict[Preparation | None, SharedTable] | None = None,
) -> SubsetForm | None:
    """Return the form of a learner for any subsets of a data set; None where there is none.

    Arguments are those of `batched_form`; `tables` keeps what learners of one data set share.
    """
    front, learner = split_pipeline(estimator)
    cls = subset_form_class(learner)
    if cls is None:
        return None
    table = _table_for(cls, front, features, target, y, classes, tables)
    return cls(learner, table) if table is not None and cls.supports(learner, table) else None


def _table_for(
    cls: type[BatchedForm] | type[SubsetForm],
    front: list[Any],
    features: Any,
    target: NDArray[Any],
    y: NDArray[Any],
    classes: NDArray[Any],
    tables: dict[Preparation | None, SharedTable] | None,
) -> SharedTable | None:
    """Return the table as a form gets it; None where what stands in front cannot be shared."""
    front = [step for step in front if not cls.does_itself(step)]
    preparation = read_preparation(front, features) if front else None
    if front and preparation is None:
        return None
    table = SharedTable(features, np.asarray(target), y, classes, preparation)
    if tables is not None:
        table = tables.setdefault(preparation, table)
    return None if front and not table.is_faithful else table


# What prepares the table that a form gets.
TABLE_CODE = (split_pipeline, _table_for)


def batched_form(
    estimator: Any,
    features: Any,
    target: NDArray[Any],
    y: NDArray[Any],
    classes: NDArray[Any],
    n_folds: int,
    *,
    even_if_slower: bool = False,
) -> BatchedForm | None:
    """Return the batched form of a learner on a data set, or None where there is none.

    Parameters
    ----------
    estimator : estimator
        A learner, or a pipeline that prepares the columns in front of one.
    features, target, y, classes
        The data set; see `SharedTable`.
    n_folds : int
        Folds of every repeat.
    even_if_slower : bool, default=False
        Whether a form is also wanted where the plain way costs less.

    Returns
    -------
    BatchedForm or None
        Never one that fails to reproduce the plain learner.
    """
    choice = choose_form(
        estimator, features, target, y, classes, n_folds, even_if_slower=even_if_slower
    )
    return None if choice is None else choice.make()
