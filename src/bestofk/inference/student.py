"""Student's t and the normal distribution: p values, intervals and their limits."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import ndtr, ndtri, stdtr, stdtrit

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


def one_sided_limits(
    low: float, high: float, alternative: str, *, least: float = -np.inf, most: float = np.inf
) -> tuple[float, float]:
    """Return limits as plain numbers, open on the side that a one-sided test leaves open.

    Parameters
    ----------
    low, high : float
        Limits, made with `tail` of the same side.
    alternative : {"two-sided", "greater", "less"}
        Side of the test.
    least, most : float
        What stands for an open side.

    Returns
    -------
    low, high : float
        (low, most) for "greater", (least, high) for "less".
    """
    open_low, open_high = alternative == "less", alternative == "greater"
    return (least if open_low else float(low)), (most if open_high else float(high))


def tail(level: float, alternative: str) -> float:
    """Return the probability that an interval leaves out beyond each of its limits.

    Parameters
    ----------
    level : float in (0, 1)
        Confidence.
    alternative : {"two-sided", "greater", "less"}
        Side of the test.

    Returns
    -------
    float
        (1 - level)/2, or 1 - level for a one-sided test.

    Raises
    ------
    InvalidArgumentError
        If `level` or `alternative` is not allowed.

    Examples
    --------
    >>> round(tail(0.95, "two-sided"), 3), round(tail(0.95, "less"), 3)
    (0.025, 0.05)
    """
    outside = 1 - check_share(level, "level")
    return outside / 2 if check_alternative(alternative) == "two-sided" else outside


def normal_quantile(level: float, alternative: str = "two-sided") -> float:
    """Return how many standard errors an interval reaches, by the normal distribution.

    Parameters
    ----------
    level : float in (0, 1)
        Confidence.
    alternative : {"two-sided", "greater", "less"}
        Side of the test.

    Returns
    -------
    float
        1.96 for 0.95, two-sided.

    Raises
    ------
    InvalidArgumentError
        If `level` or `alternative` is not allowed.
    """
    return float(-ndtri(tail(level, alternative)))


def z_statistic(difference: float, standard_error: float) -> float:
    """Return their quotient; without an error the limit, and 0 for no difference."""
    if standard_error > 0:
        return difference / standard_error
    return math.copysign(math.inf, difference) if difference else 0.0


def normal_p_value(z: float, alternative: str) -> float:
    """Return the p value of a statistic that is standard normal where learners do not differ."""
    if alternative == "two-sided":
        return float(2 * ndtr(-abs(z)))
    return float(ndtr(-z if alternative == "greater" else z))
