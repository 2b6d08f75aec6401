"""Misclassified test rows of a learner on every split of a temporary data set."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bestofk.data import DataSet
from bestofk.errors import RunError
from bestofk.evaluation.run import RunnableLearner, fit_learner
from bestofk.randomness import derive_seed

Rows = tuple[NDArray[np.int64], NDArray[np.int64]]
Wrong = list[NDArray[np.bool_]]


def wrong_rows(
    learner: RunnableLearner, data: DataSet, splits: Sequence[Rows], *, seed: int
) -> Wrong:
    """Train and test a learner on every split and keep nothing but its errors.

    Parameters
    ----------
    learner : RunnableLearner
        A clone is fitted for every split. A bare `NearestMeanClassifier` and a bare
        `KNeighborsClassifier` with one neighbor and Euclidean distance do all splits at
        once, with the same predicted classes but for exact ties.
    data : DataSet
        Of classes.
    splits : sequence of (ndarray, ndarray)
        Training and test rows of every split.
    seed : int
        All randomness of learner comes from it and the number of the split.

    Returns
    -------
    list of ndarray of bool
        For every split, which of its test rows were given a wrong class.

    Raises
    ------
    RunError
        If the learner fails on a split.
    """
    at_once = _all_at_once(learner.estimator) if isinstance(data.features, np.ndarray) else None
    if at_once is not None:
        codes = at_once(np.asarray(data.features, dtype=float), data.y, splits)
        return [code != data.y[test] for code, (_, test) in zip(codes, splits, strict=True)]
    return [
        _one_split(learner, data, rows, derive_seed(seed, number), number)
        for number, rows in enumerate(splits)
    ]


def _one_split(
    learner: RunnableLearner, data: DataSet, rows: Rows, seed: int, number: int
) -> NDArray[np.bool_]:
    train, test = rows
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            fitted = fit_learner(learner, data, train, seed=seed)
            labels = np.asarray(fitted.predict(data.feature_rows(test)))
        except Exception as error:
            raise RunError(
                f"learner {learner.name!r} must run on every split; got {type(error).__name__} on "
                f"split {number + 1} ({' '.join(str(error).split())[:200]}). Leave it out, or ask "
                "for more rows or fewer folds."
            ) from error
    return np.asarray(labels != data.target_array[test])


def _all_at_once(estimator: Any) -> Any:
    from sklearn.neighbors import KNeighborsClassifier

    from bestofk.learners.nearest_mean_classifier import NearestMeanClassifier

    if type(estimator) is NearestMeanClassifier:
        return _nearest_means
    if type(estimator) is KNeighborsClassifier and estimator.get_params() == (
        KNeighborsClassifier(1, n_jobs=estimator.n_jobs).get_params()
    ):
        return _nearest_neighbors
    return None


def _nearest_means(
    features: NDArray[np.float64], y: NDArray[np.int64], splits: Sequence[Rows]
) -> list[NDArray[np.int64]]:
    is_train = np.zeros((len(splits), len(y)))
    for row, (train, _) in zip(is_train, splits, strict=True):
        np.add.at(row, train, 1.0)  # a bootstrap trains on a row more than once
    closeness = np.full((y.max() + 1, len(splits), len(y)), -np.inf)
    for code in range(len(closeness)):
        members = y == code
        counts = is_train[:, members].sum(axis=1)
        known = counts > 0
        means = is_train[known][:, members] @ features[members] / counts[known, np.newaxis]
        closeness[code, known] = means @ features.T - (means**2).sum(axis=1, keepdims=True) / 2
    codes = closeness.argmax(axis=0)
    return [codes[number, test] for number, (_, test) in enumerate(splits)]


def _nearest_neighbors(
    features: NDArray[np.float64], y: NDArray[np.int64], splits: Sequence[Rows]
) -> list[NDArray[np.int64]]:
    squares = (features**2).sum(axis=1)
    # without the square of the tested row, which is the same for all its neighbors
    distances = squares[np.newaxis, :] - 2 * features @ features.T
    return [y[train[distances[np.ix_(test, train)].argmin(axis=1)]] for train, test in splits]
