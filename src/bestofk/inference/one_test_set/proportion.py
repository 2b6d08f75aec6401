"""Confidence limits of an accuracy (or an error rate) measured on n rows."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import betaincinv

from bestofk.array_types import Floats
from bestofk.checks import check_known
from bestofk.errors import InvalidArgumentError
from bestofk.inference.cautions import Caution
from bestofk.inference.checks import as_number, check_share
from bestofk.inference.one_test_set.rows import OWN_ROWS
from bestofk.inference.results import IntervalResult
from bestofk.inference.student import normal_quantile

INTERVALS = ("wilson", "clopper-pearson", "normal")


def wilson_limits(share: Any, n: Any, z: float) -> tuple[Floats, Floats]:
    """Return the shares from which the one found is at most z standard errors away.

    Parameters
    ----------
    share : array-like of float in [0, 1]
        Share of successes found.
    n : array-like of float above 0
        Number of rows.
    z : float
        How many standard errors.

    Returns
    -------
    low, high : ndarray of float
        Inside [0, 1].

    Examples
    --------
    >>> low, high = wilson_limits(0.8, 100, 1.959964)
    >>> print(low.round(4), high.round(4))
    0.7112 0.8666
    """
    share, n = np.asarray(share, dtype=float), np.asarray(n, dtype=float)
    center = share + z**2 / (2 * n)
    margin = z * np.sqrt(share * (1 - share) / n + z**2 / (4 * n**2))
    scale = 1 + z**2 / n
    low = np.where(share == 0, 0.0, (center - margin) / scale)
    high = np.where(share == 1, 1.0, (center + margin) / scale)
    return low, high


def newcombe_limits(
    rates: Floats, n: ArrayLike, z: float, correlation: float = 0.0
) -> tuple[float, float]:
    """Return Newcombe's limits of the first of two rates minus the second.

    Parameters
    ----------
    rates : ndarray of shape (2,), float
        From 0 to 1.
    n : array-like that broadcasts to (2,), int
        Rows of each rate.
    z : float
        Quantile of the normal distribution.
    correlation : float
        Of the rows of both rates; 0 for independent test sets.

    Returns
    -------
    low, high : float
        Limits of the difference.
    """
    low, high = wilson_limits(rates, n, z)
    below, above = rates - low, high - rates
    down = below[0] ** 2 - 2 * correlation * below[0] * above[1] + above[1] ** 2
    up = above[0] ** 2 - 2 * correlation * above[0] * below[1] + below[1] ** 2
    difference = float(rates[0] - rates[1])
    return difference - math.sqrt(max(down, 0.0)), difference + math.sqrt(max(up, 0.0))


def clopper_pearson_limits(n_successes: float, n: float, outside: float) -> tuple[float, float]:
    """Return the shares for which the count found is not too large or too small.

    Parameters
    ----------
    n_successes, n : float
        Successes among n rows.
    outside : float in (0, 1)
        Probability left out beyond each limit.

    Returns
    -------
    low, high : float
        0 without successes, 1 without failures.
    """
    n_failures = n - n_successes
    low = betaincinv(n_successes, n_failures + 1, outside) if n_successes > 0 else 0.0
    high = betaincinv(n_successes + 1, n_failures, 1 - outside) if n_failures > 0 else 1.0
    return float(low), float(high)


def proportion_interval(
    n_successes: int, n: int, *, method: str = "wilson", level: float = 0.95
) -> IntervalResult:
    """Return the confidence interval of an accuracy (or error rate) on one test set.

    Parameters
    ----------
    n_successes : int from 0 to n
        Rows that were classified rightly (wrongly, for an error rate).
    n : int, at least 1
        Rows of the test set.
    method : {"wilson", "clopper-pearson", "normal"}, default="wilson"
        Wilson [1]_ inverts the normal test, Clopper-Pearson [2]_ the binomial one and is
        never too short; "normal" adds and subtracts standard errors and is cut to [0, 1].
    level : float in (0, 1), default=0.95
        Confidence.

    Returns
    -------
    IntervalResult
        Limits as proportions. By "normal" without a success or without a failure the
        interval has no width: flagged ``"zero_variance"``.

    Raises
    ------
    InvalidArgumentError
        If a count is negative, no whole number or nan, there are no rows, there are more
        successes than rows, or `method` or `level` is not allowed.

    Notes
    -----
    When not to trust it: rows pooled over the folds of cross-validation. Their models differ
    and share training rows, which no binomial distribution knows.

    References
    ----------
    .. [1] Wilson (1927), Probable inference, the law of succession, and statistical
       inference, Journal of the American Statistical Association 22.
    .. [2] Clopper & Pearson (1934), The use of confidence or fiducial limits illustrated in
       the case of the binomial, Biometrika 26.

    Examples
    --------
    >>> result = proportion_interval(80, 100)
    >>> print(round(result.low, 4), round(result.high, 4))
    0.7112 0.8666
    """
    check_known(method, "method of proportion_interval", INTERVALS)
    n = whole_count(n, "n of proportion_interval", least=1)
    n_successes = whole_count(n_successes, "n_successes of proportion_interval", most=n)
    check_share(level, "level")
    share, z = n_successes / n, normal_quantile(level)
    standard_error = float(np.sqrt(share * (1 - share) / n))
    if method == "wilson":
        low, high = map(float, wilson_limits(share, n, z))
    elif method == "clopper-pearson":
        low, high = clopper_pearson_limits(n_successes, n, (1 - level) / 2)
    else:
        low, high = max(0.0, share - z * standard_error), min(1.0, share + z * standard_error)
    no_width = method == "normal" and standard_error == 0
    return IntervalResult(
        procedure=f"interval of a proportion ({method})",
        n=n,
        estimate=share,
        low=low,
        high=high,
        level=float(level),
        standard_error=standard_error,
        estimate_of="proportion",
        n_of=f"rows, {n_successes} of them counted",
        assumptions=(OWN_ROWS,),
        flags=("zero_variance",) if no_width else (),
        warnings=(_NO_WIDTH,) if no_width else (),
    )


_NO_WIDTH = Caution(
    "degenerate",
    "All rows agree, so the normal interval has no width and says nothing; Wilson's and "
    "Clopper-Pearson's have one.",
)


def whole_count(value: Any, what: str, *, least: int = 0, most: int | None = None) -> int:
    """Return a number of rows as an int, or raise if it is none.

    Parameters
    ----------
    value : int, or a float without a fraction
        The count.
    what : str
        Its name in the error message.
    least, most : int
        Its limits; None for no upper one.

    Returns
    -------
    int
        The count.

    Raises
    ------
    InvalidArgumentError
        If it is no whole number or outside its limits.

    Examples
    --------
    >>> whole_count(3.0, "n")
    3
    """
    number = as_number(value)
    top = float("inf") if most is None else most
    if not (least <= number <= top) or number % 1 != 0:
        rule = f"from {least} to {most}" if most is not None else f"of at least {least}"
        raise InvalidArgumentError(
            f"{what} must be a whole number {rule}; got {value!r}. Count the rows of one test set."
        )
    return int(number)
