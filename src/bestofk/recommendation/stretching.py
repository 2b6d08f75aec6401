"""Scaling of the times in a history to a data set of another size."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from bestofk.array_types import Bools, Floats
from bestofk.recommendation.history import History

_PENALTY = 1.0  # of slopes of one learner that differ from those of all, as one data set more
_SMALL_PENALTY = 0.01  # of the slopes of all; only keeps a constant size from dividing by zero
_LEAST_DATA_SETS = 5  # fewer sizes say nothing about slopes


def stretch_seconds(history: History, n_samples: int, n_features: int) -> History:
    """Return the history with all times moved to the size of a new data set.

    The logarithm of the time of each learner is taken to be linear in the logarithms of rows
    and features, with slopes that are drawn towards those of all learners together; what
    a data set took beyond that stays as it is.

    Parameters
    ----------
    history : History
        With times; data sets whose rows or features are not known stay as they are.
    n_samples, n_features : int
        The size of the new data set.

    Returns
    -------
    History
        The same where fewer than five data sets have times and a known size.

    Examples
    --------
    >>> n = [100, 200, 400, 800, 1600]
    >>> seconds, shapes = [[s / 100] for s in n], [[s, 9] for s in n]
    >>> history = History.from_arrays([[0.9]] * 5, seconds, shapes=shapes)
    >>> stretch_seconds(history, 3200, 9).seconds.round().ravel().tolist()
    [32.0, 32.0, 32.0, 32.0, 32.0]
    """
    logs = np.log(history.floored_seconds())
    is_sized = ~np.isnan(history.shapes).any(axis=1, keepdims=True)
    is_known = ~np.isnan(logs) & is_sized
    if is_known.any(axis=1).sum() < _LEAST_DATA_SETS:
        return history
    sizes = np.log(np.maximum(history.shapes, 1))
    distance = np.log([max(n_samples, 1), max(n_features, 1)]) - sizes
    slopes = _slopes(sizes, logs, is_known)
    factors = np.exp(np.where(is_sized, distance, 0.0) @ slopes.T)
    seconds = history.floored_seconds() * factors
    seconds.setflags(write=False)
    return replace(history, seconds=seconds)


def _slopes(sizes: Floats, logs: Floats, is_known: Bools) -> Floats:
    """Return the slopes of each learner in log rows and log features, shape (n_learners, 2)."""
    parts = [_centered(sizes[known], logs[known, j]) for j, known in enumerate(is_known.T)]
    together = _ridge(
        np.concatenate([x for x, _ in parts]),
        np.concatenate([y for _, y in parts]),
        np.zeros(2),
        _SMALL_PENALTY,
    )
    return np.array([_ridge(x, y, together, _PENALTY) for x, y in parts])


def _centered(x: Floats, y: Floats) -> tuple[Floats, Floats]:
    return (x - x.mean(axis=0), y - y.mean()) if len(x) else (x, y)


def _ridge(x: Floats, y: Floats, center: Floats, penalty: float) -> Floats:
    """Return least squares slopes drawn towards the center."""
    gram = x.T @ x + penalty * np.eye(x.shape[1])
    return center + np.asarray(np.linalg.solve(gram, x.T @ (y - x @ center)))
