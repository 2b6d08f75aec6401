"""Weights and groups that `fit` of an estimator takes besides rows and target."""

from __future__ import annotations

from typing import Any

# What a run keeps as its message.
UNWEIGHTED = "the learner takes no sample_weight; fitted without weights"


def weight_parameter(estimator: Any) -> str | None:
    """Return the name under which `fit` of an estimator takes weights of rows, or None.

    Parameters
    ----------
    estimator : object
        Of a pipeline its last step counts.

    Returns
    -------
    str or None
        "sample_weight", or "STEP__sample_weight" of a pipeline.

    Examples
    --------
    >>> from bestofk.learners import learner_catalogue
    >>> weight_parameter(learner_catalogue()["naive-bayes"].make())
    'learner__sample_weight'
    >>> weight_parameter(learner_catalogue()["lda"].make()) is None
    True
    """
    from sklearn.pipeline import Pipeline
    from sklearn.utils.validation import has_fit_parameter

    prefix, last = "", estimator
    if isinstance(estimator, Pipeline):
        name, last = estimator.steps[-1]
        prefix = f"{name}__"
    takes_weights = hasattr(last, "fit") and has_fit_parameter(last, "sample_weight")
    return f"{prefix}sample_weight" if takes_weights else None


def consumes_in_fit(estimator: Any, name: str) -> bool:
    """Return whether metadata routing of scikit-learn leads something from `fit` to a consumer.

    Parameters
    ----------
    estimator : object
        With `get_metadata_routing`; anything else consumes nothing.
    name : str
        As "groups", which splitters by groups inside a search consume.

    Returns
    -------
    bool

    Examples
    --------
    >>> from sklearn.model_selection import GridSearchCV, GroupKFold
    >>> from sklearn.neighbors import KNeighborsClassifier
    >>> search = GridSearchCV(KNeighborsClassifier(), {"n_neighbors": [1, 5]}, cv=GroupKFold())
    >>> consumes_in_fit(search, "groups")
    True
    """
    from sklearn.utils.metadata_routing import get_routing_for_object

    try:
        return name in get_routing_for_object(estimator).consumes("fit", [name])
    except NotImplementedError:  # of scikit-learn's estimators without routing
        return False
