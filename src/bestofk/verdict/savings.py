"""Learners that are clearly cheaper than others in training and prediction time."""

from __future__ import annotations

import numpy as np

from bestofk.array_types import Floats
from bestofk.verdict.preference import COST_FACTOR

TRAINING, PREDICTING = "training", "predicting"
# The middle 80 % of the runs stand for a learner; with fewer than five runs there is no middle.
_QUANTILES, _FEWEST_RUNS = (0.1, 0.9), 5
# Few runs may be off by this factor either way: first calls load libraries, machines are busy.
_FACTOR_OF_FEW = 3.0


def savings(first: Floats, other: Floats) -> tuple[str, ...]:
    """Return in what a learner takes less than half the seconds of another, as the runs show.

    Parameters
    ----------
    first, other : ndarray of shape (n_runs, 2)
        Seconds of training and of predicting, of each run of the two learners; nan where unknown.

    Returns
    -------
    tuple of str
        "training", "predicting" or both; empty unless training and predicting together take less
        than half.

    Examples
    --------
    >>> quick, slow = np.array([[0.1, 0.2]] * 5), np.array([[5.0, 0.1]] * 5)
    >>> savings(quick, slow), savings(slow, quick)
    (('training',), ())
    """
    if not _is_cheaper(first.sum(axis=1), other.sum(axis=1)):
        return ()
    uses = (TRAINING, PREDICTING)
    shown = tuple(
        use for index, use in enumerate(uses) if _is_cheaper(first[:, index], other[:, index])
    )
    return shown or uses  # together alone, where each varies too much


def _is_cheaper(first: Floats, other: Floats) -> bool:
    """Return whether the high end of some seconds, doubled, is below the low end of others."""
    first, other = first[~np.isnan(first)], other[~np.isnan(other)]
    if not len(first) or not len(other):
        return False
    return COST_FACTOR * _ends(first)[1] < _ends(other)[0]


def _ends(seconds: Floats) -> tuple[float, float]:
    """Return between which seconds a usual run takes."""
    if len(seconds) < _FEWEST_RUNS:
        return float(seconds.min() / _FACTOR_OF_FEW), float(seconds.max() * _FACTOR_OF_FEW)
    low, high = np.quantile(seconds, _QUANTILES)
    return float(low), float(high)
