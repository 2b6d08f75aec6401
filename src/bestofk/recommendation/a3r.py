"""A3R: the ratio of scores over a root of the ratio of times.

A3R of learner j against a reference r is (SR_j / SR_r) / (T_j / T_r)**P, with success rate SR
and time T; with P = 0 time does not count.

References
----------
Abdulrahman, Brazdil, van Rijn & Vanschoren (2018), Speeding up algorithm selection using
average ranking and active testing by introducing runtime, Machine Learning 107, 79-108;
van Rijn, Abdulrahman, Brazdil & Vanschoren (2015), Fast algorithm selection using learning
curves, IDA.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from bestofk.array_types import Floats
from bestofk.checks import check_number

SHORTEST_SECONDS = 0.001  # clocks tick; a time of zero has no logarithm and no ratio
LOWEST_SCORE = 0.001  # where a score is a divisor
POWERS = (1 / 4, 1 / 16, 1 / 64, 1 / 128, 1 / 256, 0.0)  # the grid of the paper


def a3r(scores: ArrayLike, seconds: ArrayLike, *, power: float) -> Floats:
    """Return each score over its time to the power P, without a reference (A3R').

    Within one data set a reference divides all values by the same number, so ranks by this
    are ranks by A3R.

    Parameters
    ----------
    scores : array-like of float
        Success rates, any shape; nan stays nan.
    seconds : array-like of float
        Times of the same shape; below a millisecond they count as a millisecond.
    power : float
        P, at least 0.

    Returns
    -------
    ndarray of float
        Higher is better.

    Raises
    ------
    InvalidArgumentError
        If `power` is negative, infinite or no number.

    Examples
    --------
    >>> a3r([0.9, 0.95], [2.0, 2000.0], power=1 / 64).round(4).tolist()
    [0.8903, 0.8436]
    """
    check_power(power)
    rates = np.asarray(scores, dtype=np.float64)
    if power == 0:
        return rates.copy()
    times = np.maximum(np.asarray(seconds, dtype=np.float64), SHORTEST_SECONDS)
    return np.asarray(rates / times**power)


def a3r_against(scores: ArrayLike, seconds: ArrayLike, reference: int, *, power: float) -> Floats:
    """Return A3R of every learner against one of them.

    Parameters
    ----------
    scores : array-like of shape (..., n_learners)
        Success rates; a rate of the reference below 0.001 counts as 0.001.
    seconds : array-like of shape (..., n_learners)
        Times; below a millisecond they count as a millisecond.
    reference : int
        The column that the others are compared with.
    power : float
        P, at least 0.

    Returns
    -------
    ndarray of shape (..., n_learners)
        1 for the reference itself; above 1 for learners that are better for their time.

    Raises
    ------
    InvalidArgumentError
        If `power` is negative, infinite or no number.

    Examples
    --------
    >>> a3r_against([0.9, 0.85, 0.7], [2.0, 1.0, 0.1], 1, power=1 / 4).round(4).tolist()
    [0.8904, 1.0, 1.4645]
    """
    check_power(power)
    rates = np.asarray(scores, dtype=np.float64)
    ratios = rates / np.maximum(rates[..., reference, None], LOWEST_SCORE)
    if power == 0:
        return np.asarray(ratios)
    times = np.maximum(np.asarray(seconds, dtype=np.float64), SHORTEST_SECONDS)
    return np.asarray(ratios / (times / times[..., reference, None]) ** power)


def check_power(power: float) -> None:
    """Raise unless P is a finite number of at least 0."""
    check_number(power, "power of A3R", low=0, way_out="0 ignores time, 1/4 weighs it much.")


def as_fraction(power: float) -> str:
    """Return P as names and titles have it: 1/n where it is a unit fraction.

    Examples
    --------
    >>> as_fraction(1 / 64), as_fraction(0.3), as_fraction(0)
    ('1/64', '0.3', '0')
    """
    if 0 < power < 1 and abs(1 / power - round(1 / power)) < 1e-9:
        return f"1/{round(1 / power)}"
    return f"{power:g}"
