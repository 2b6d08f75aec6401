"""Smallest detectable difference of two learners when many are compared."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import stdtrit

from bestofk.errors import InvalidArgumentError
from bestofk.inference.student import Floats, check_share


def smallest_detectable_difference(
    standard_error: ArrayLike, df: ArrayLike, *, n_hypotheses: int, alpha: float = 0.05
) -> Floats:
    """Return the mean difference that a pair needs to be shown first among many hypotheses.

    Parameters
    ----------
    standard_error : array-like of float, at least 0
        Of the mean difference of each pair.
    df : array-like of float that broadcasts
        Degrees of freedom of its t test.
    n_hypotheses : int, at least 1
        One-sided tests that are corrected together: K (K - 1) for all ordered pairs, half of
        that for those of MultiTest.
    alpha : float in (0, 1), default=0.05
        Level of the family.

    Returns
    -------
    ndarray of float
        In the unit of the scores, one for each pair: the maximum is what the weakest pair
        needs, the median what a usual one does. By Holm's correction later pairs need less.

    Raises
    ------
    InvalidArgumentError
        If a standard error is negative or nan, `n_hypotheses` is below 1, or `alpha` is not
        inside (0, 1).

    Examples
    --------
    >>> smallest_detectable_difference([0.01, 0.02], 9, n_hypotheses=1).round(4).tolist()
    [0.0183, 0.0367]
    >>> smallest_detectable_difference([0.01, 0.02], 9, n_hypotheses=190).round(4).tolist()
    [0.0525, 0.105]
    """
    errors = np.asarray(standard_error, dtype=float)
    if not (errors >= 0).all():
        raise InvalidArgumentError(
            f"standard_error of smallest_detectable_difference must not be negative or nan; got "
            f"{errors[~(errors >= 0)][0]}. Leave out pairs that were not tested."
        )
    if not n_hypotheses >= 1:
        raise InvalidArgumentError(
            f"n_hypotheses of smallest_detectable_difference must be at least 1; got "
            f"{n_hypotheses}. Count the tests that are corrected together."
        )
    level = check_share(alpha, "alpha") / n_hypotheses
    return np.asarray(stdtrit(df, 1 - level) * errors)
