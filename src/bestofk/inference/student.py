"""Student's t: p values and intervals of a mean difference, for one pair or many."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import stdtr, stdtrit

from bestofk.array_types import Floats
from bestofk.inference.checks import check_alternative, check_share


def upper_tail(statistic: ArrayLike, df: ArrayLike) -> Floats:
    """Return P(T > statistic) for Student's t.

    Parameters
    ----------
    statistic : array-like of float
        Finite or infinite.
    df : array-like of float
        Degrees of freedom, above 0.

    Returns
    -------
    ndarray of float
        Probabilities; infinite statistics give exactly 0 or 1.

    Examples
    --------
    >>> float(upper_tail(4.03, 5).round(4))
    0.005
    """
    statistic = np.asarray(statistic, dtype=float)
    finite = np.isfinite(statistic)
    inside = stdtr(df, -np.where(finite, statistic, 0.0))
    return np.where(finite, inside, np.where(statistic > 0, 0.0, 1.0))


def student_interval(
    estimate: Any, standard_error: Any, df: Any, *, level: float, alternative: str
) -> tuple[Floats, Floats]:
    """Return the confidence limits of a mean difference.

    Parameters
    ----------
    estimate, standard_error, df : array-like of float, shapes that broadcast
        The difference, its standard error (0 gives an interval without width) and the
        degrees of freedom.
    level : float in (0, 1)
        Confidence.
    alternative : {"two-sided", "greater", "less"}
        A one-sided test has a one-sided interval: from `low` to inf for "greater", from
        -inf to `high` for "less".

    Returns
    -------
    low, high : ndarray of float
        The limits, in the unit of the estimate.

    Raises
    ------
    InvalidArgumentError
        If `level` or `alternative` is not allowed.

    Examples
    --------
    >>> low, high = student_interval(-0.03, 0.0108, 3, level=0.9, alternative="two-sided")
    >>> print(low.round(4), high.round(4))
    -0.0554 -0.0046
    """
    level = check_share(level, "level")
    two_sided = check_alternative(alternative) == "two-sided"
    estimate = np.asarray(estimate, dtype=float)
    quantile = stdtrit(df, (1 + level) / 2 if two_sided else level)
    margin = quantile * np.asarray(standard_error, dtype=float)
    low, high = estimate - margin, estimate + margin
    if alternative == "greater":
        high = np.full_like(high, np.inf)
    if alternative == "less":
        low = np.full_like(low, -np.inf)
    return low, high
