"""Distributions behind tests: Student's t, the normal, the studentized range."""

import math
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import ndtr, ndtri, stdtr, stdtrit

from bestofk.array_types import Floats
from bestofk.errors import InvalidArgumentError
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


# Trapezoid rules: both integrands are smooth and vanish at both ends, so that equal steps of
# these widths leave errors near the rounding of floats.
_STEP = 0.125
# Where the integrand ends; far tails of a known variance are largest at half the range.
_END, _FAR_END = 12.5, 45.0
# exp(-45) of the largest weight is where the scale is cut off.
_CUT = 45.0
# Numbers held at once while statistics are worked off in blocks.
_BLOCK = 2_000_000


def studentized_range_tail(statistic: ArrayLike, n_means: int, df: float) -> Floats:
    """Return P(Q > statistic) for the studentized range Q of several means.

    Parameters
    ----------
    statistic : array-like of float
        Range of the means over their standard error; inf gives 0, at most 0 gives 1.
    n_means : int, at least 2
        How many means the range spans.
    df : float above 0
        Degrees of freedom of the standard error; inf where it is known.

    Returns
    -------
    ndarray of float
        Probabilities, absolute error below 1e-11.

    Raises
    ------
    InvalidArgumentError
        If `n_means` is below 2, `df` is not above 0, or a statistic is nan.

    Notes
    -----
    With infinite df, P(Q > q) = k int phi(z) [Phi(z)^(k-1) - (Phi(z) - Phi(z - q))^(k-1)] dz;
    with finite df this is averaged over s = sqrt(chi2_df / df), q replaced by q s [1]_.

    References
    ----------
    .. [1] Copenhaver & Holland (1988), Computation of the distribution of the maximum
       studentized range statistic, Journal of Statistical Computation and Simulation 30.

    Examples
    --------
    >>> round(float(studentized_range_tail(3.7727, 4, 45)), 4)
    0.05
    """
    _check(n_means, df)
    values = np.asarray(statistic, dtype=float)
    if np.isnan(values).any():
        raise InvalidArgumentError(
            "statistic of studentized_range_tail must be a number; got nan. "
            "Leave out pairs that were not tested."
        )
    infinite = np.isinf(values.ravel())
    flat = np.where(infinite, 0.0, np.maximum(values.ravel(), 0.0))
    scales, weights = _scales(float(df))
    grid = _grid(_FAR_END if math.isinf(df) else _END)
    step = max(1, _BLOCK // (len(scales) * len(grid[0])))
    tails = [
        _normal_tail(np.outer(flat[i : i + step], scales), n_means, *grid) @ weights
        for i in range(0, len(flat), step)
    ]
    tail = np.concatenate(tails) if tails else flat
    tail = np.where(infinite, values.ravel() < 0, tail)
    return np.asarray(np.clip(tail, 0, 1)).reshape(values.shape)


@lru_cache(maxsize=4096)
def studentized_range_quantile(n_means: int, df: float, *, alpha: float = 0.05) -> float:
    """Return the value that the studentized range exceeds with probability `alpha`.

    Parameters
    ----------
    n_means : int, at least 2
        How many means the range spans.
    df : float above 0
        Degrees of freedom of the standard error; inf where it is known.
    alpha : float in (0, 1), default=0.05
        Upper tail.

    Returns
    -------
    float
        The quantile; relative error below 1e-8.

    Raises
    ------
    InvalidArgumentError
        If an argument is out of its range.

    Examples
    --------
    >>> [round(studentized_range_quantile(p, 45), 3) for p in (2, 3, 4, 5)]
    [2.848, 3.428, 3.773, 4.018]
    >>> round(studentized_range_quantile(3, float("inf")), 4)
    3.3145
    """
    from scipy.optimize import brentq

    _check(n_means, df)
    alpha = check_share(alpha, "alpha")

    def excess(q: float) -> float:
        return float(studentized_range_tail(q, n_means, df)) - alpha

    high = 8.0
    while excess(high) > 0:
        high *= 2
    return float(brentq(excess, 0.0, high, xtol=1e-12, rtol=1e-12))


def _check(n_means: int, df: float) -> None:
    if not n_means >= 2 or n_means % 1 != 0:
        raise InvalidArgumentError(
            f"n_means of the studentized range must be a whole number of at least 2; got "
            f"{n_means}. A range needs two means."
        )
    if not df > 0:
        raise InvalidArgumentError(
            f"df of the studentized range must be above 0; got {df}. "
            "It is K(L-1) for K learners on L splits; inf where the variance is known."
        )


@lru_cache(maxsize=2)
def _grid(end: float) -> tuple[Floats, Floats, Floats]:
    """Return standard normal values with their densities and probabilities below."""
    z = np.arange(-6.5, end, _STEP)
    return z, _STEP * np.exp(-(z**2) / 2) / math.sqrt(2 * math.pi), ndtr(z)


def _normal_tail(ranges: Floats, n_means: int, z: Floats, density: Floats, below: Floats) -> Floats:
    """Return P(range of standard normal values > each of some ranges)."""
    share = ndtr(z - ranges[..., None]) / below
    # 1 - (1 - share)^(k-1), exact for small shares; log1p(-1) would warn
    missed = -np.expm1((n_means - 1) * np.log1p(-np.minimum(share, 1 - 1e-16)))
    return np.asarray(missed @ (n_means * density * below ** (n_means - 1)))


def _scales(df: float) -> tuple[Floats, Floats]:
    """Return values of sqrt(chi2_df / df) and their weights, which add up to 1."""
    if math.isinf(df):
        return np.ones(1), np.ones(1)
    ratio = _CUT / df
    left, right = -(ratio + 1.5 * math.sqrt(ratio)), math.log1p(math.sqrt(2 * ratio))
    step = min(0.1, 0.35 / math.sqrt(df))
    logs = np.arange(left, right + step, step)
    weights = np.exp(df * (logs - np.expm1(2 * logs) / 2))
    return np.exp(logs), weights / weights.sum()
