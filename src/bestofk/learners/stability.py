"""Traits of learners that affect a verdict: unstable, baseline, or tuned inside."""

from __future__ import annotations

import sys
from typing import Any

from bestofk.learners.catalogue import traits_of


def is_unstable(estimator: Any) -> bool:
    """Return whether a learner is known to change much with its training rows.

    One nearest neighbor and unpruned single trees: measured error rates of paired tests
    exceed their nominal level with such learners.

    Parameters
    ----------
    estimator : object
        An estimator; of a pipeline the last step counts.

    Returns
    -------
    bool

    References
    ----------
    .. [1] Breiman (1996), Heuristics of instability and stabilization in model selection,
       Annals of Statistics 24(6).

    Examples
    --------
    >>> from sklearn.neighbors import KNeighborsClassifier
    >>> is_unstable(KNeighborsClassifier(1)), is_unstable(KNeighborsClassifier(5))
    (True, False)
    """
    is_unstable = traits_of(estimator).is_unstable
    steps = getattr(estimator, "steps", None)
    return is_unstable is not None and is_unstable(steps[-1][1] if steps else estimator)


def is_baseline(estimator: Any) -> bool:
    """Return whether a learner is a baseline that ignores the inputs: scikit-learn's dummies.

    Parameters
    ----------
    estimator : object
        An estimator; of a pipeline the last step counts.

    Returns
    -------
    bool

    Examples
    --------
    >>> from bestofk.learners import learner_catalogue
    >>> [is_baseline(learner_catalogue()[name].make()) for name in ("majority", "cart")]
    [True, False]
    """
    return traits_of(estimator).is_baseline


def has_inner_search(estimator: Any) -> bool:
    """Return whether a learner chooses settings by itself, inside every training set.

    Parameters
    ----------
    estimator : object
        An estimator; a search of scikit-learn, or a pipeline that holds one.

    Returns
    -------
    bool

    Examples
    --------
    >>> from sklearn.model_selection import GridSearchCV
    >>> from sklearn.neighbors import KNeighborsClassifier
    >>> has_inner_search(GridSearchCV(KNeighborsClassifier(), {"n_neighbors": [1, 5]}))
    True
    """
    search = sys.modules.get("sklearn.model_selection._search")  # else there is no search yet
    parts = [estimator, *(step for _, step in getattr(estimator, "steps", None) or [])]
    return search is not None and any(isinstance(part, search.BaseSearchCV) for part in parts)
