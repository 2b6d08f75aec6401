"""Catalogue of learners; every family is registered here and nowhere else."""

from __future__ import annotations

from typing import Any

from bestofk.checks import nearest_name
from bestofk.errors import InvalidArgumentError
from bestofk.learners import (
    baseline,
    boosting,
    discriminant,
    forest,
    linear,
    naive_bayes,
    nearest_mean,
    nearest_neighbors,
    neural_network,
    support_vectors,
    tree,
)
from bestofk.learners.entry import TASKS, LearnerEntry
from bestofk.learners.traits import NO_TRAITS, Traits

# From simple to involved; the default set keeps this order.
_ENTRIES: list[LearnerEntry] = [
    baseline.MAJORITY,
    nearest_mean.NEAREST_MEAN,
    naive_bayes.NAIVE_BAYES,
    naive_bayes.KERNEL_NAIVE_BAYES,
    discriminant.LDA,
    discriminant.QDA,
    linear.LOGISTIC,
    tree.CART,
    tree.C45,
    tree.C45_UNPRUNED,
    tree.C45_RULES,
    tree.ID3,
    tree.HDDT,
    tree.SKLEARN_CART,
    nearest_neighbors.ONE_NEIGHBOR,
    nearest_neighbors.FIVE_NEIGHBORS,
    support_vectors.SVM,
    support_vectors.LINEAR_SVM,
    neural_network.MLP,
    forest.RANDOM_FOREST,
    boosting.GRADIENT_BOOSTING,
    baseline.MEAN,
    linear.RIDGE,
    nearest_neighbors.KNN_REGRESSOR,
    tree.CART_REGRESSOR,
    forest.RANDOM_FOREST_REGRESSOR,
]
_OPTIONAL = (
    boosting.XGBOOST,
    boosting.LIGHTGBM,
    boosting.CATBOOST,
    boosting.XGBOOST_REGRESSOR,
    boosting.LIGHTGBM_REGRESSOR,
    boosting.CATBOOST_REGRESSOR,
)
# Of classes that no entry makes, but users may hand over.
_OTHER_TRAITS = (
    nearest_mean.NEAREST_CENTROID_TRAITS,
    linear.RIDGE_CLASSIFIER_TRAITS,
    linear.OTHER_LINEAR_TRAITS,
)


def learner_catalogue(
    task: str | None = None, *, optional: bool = False
) -> dict[str, LearnerEntry]:
    """Return the learners that can be asked for by name.

    Parameters
    ----------
    task : {"classification", "regression"} or None, default=None
        Only the learners of this task; None for all.
    optional : bool, default=False
        Whether to add those of packages that may not be installed.

    Returns
    -------
    dict of str to LearnerEntry
        The entries by name, from simple to involved.

    Raises
    ------
    InvalidArgumentError
        If `task` is neither of the two.

    Examples
    --------
    >>> list(learner_catalogue("regression"))
    ['mean', 'ridge', 'knn-regressor', 'cart-regressor', 'random-forest-regressor']
    """
    if task is not None and task not in TASKS:
        raise InvalidArgumentError(
            f"task of learner_catalogue must be one of {', '.join(TASKS)}; got {task!r}. "
            + nearest_name(str(task), TASKS)
        )
    entries = [*_ENTRIES, *(_OPTIONAL if optional else ())]
    return {entry.name: entry for entry in entries if task in (None, entry.task)}


def register_learner(entry: LearnerEntry) -> None:
    """Add a learner, of this package or of another, to those that can be asked for by name.

    Parameters
    ----------
    entry : LearnerEntry
        Its name must be new.

    Raises
    ------
    InvalidArgumentError
        If the catalogue has a learner of that name.

    Examples
    --------
    >>> register_learner(learner_catalogue()["cart"])
    Traceback (most recent call last):
        ...
    bestofk.errors.InvalidArgumentError: name of a learner must be new; got 'cart'. Choose another.
    """
    if entry.name in learner_catalogue(optional=True):
        raise InvalidArgumentError(
            f"name of a learner must be new; got {entry.name!r}. Choose another."
        )
    _ENTRIES.append(entry)


def traits_of(estimator: Any) -> Traits:
    """Return the traits of an estimator; of a pipeline the last step counts.

    Parameters
    ----------
    estimator : object
        Any learner.

    Returns
    -------
    Traits
        Those of the first family that includes it; without any fact where no family does.

    Examples
    --------
    >>> from sklearn.dummy import DummyClassifier
    >>> traits_of(DummyClassifier()).is_baseline, traits_of(object()).is_baseline
    (True, False)
    """
    steps = getattr(estimator, "steps", None)
    last = steps[-1][1] if steps else estimator
    return next((traits for traits in _families() if traits.includes(last)), NO_TRAITS)


def cost_rank(estimator: Any) -> int:
    """Return a rough rank of what it costs to train an estimator, before any run is timed.

    Parameters
    ----------
    estimator : object
        Any learner; of a pipeline the last step counts.

    Returns
    -------
    int
        0 for baselines, then by the position of the family in the catalogue, which goes from
        simple to involved; the largest without a family, as of ensembles and networks.

    Examples
    --------
    >>> from sklearn.dummy import DummyClassifier
    >>> from sklearn.ensemble import RandomForestClassifier
    >>> from sklearn.svm import SVC
    >>> cost_rank(DummyClassifier()) < cost_rank(SVC()) < cost_rank(RandomForestClassifier())
    True
    """
    traits, families = traits_of(estimator), _families()
    if traits.is_baseline:
        return 0
    return len(families) if traits == NO_TRAITS else 1 + families.index(traits)


def _families() -> list[Traits]:
    return [*(entry.traits for entry in _ENTRIES), *_OTHER_TRAITS]
