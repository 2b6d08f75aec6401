"""Student's t: p values and intervals of a mean difference, for one pair or many."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import stdtr, stdtrit

from bestofk.checks import nearest_name
from bestofk.errors import InvalidArgumentError

Floats = NDArray[np.float64]

ALTERNATIVES = ("two-sided", "greater", "less")


def as_number(value: Any) -> float:
    """Return a value as a float, nan if it is no number."""
    try:
        return float(value)
    except (TypeError, ValueError):
        return float("nan")


def check_alternative(alternative: str) -> str:
    """Return the side of a test, or raise if there is no such side.

    Parameters
    ----------
    alternative : {"two-sided", "greater", "less"}
        What the test is to show about the first minus the second.

    Returns
    -------
    str
        The same word.

    Raises
    ------
    InvalidArgumentError
        If it is none of the three.
    """
    if alternative not in ALTERNATIVES:
        raise InvalidArgumentError(
            f"alternative must be one of three words; got {alternative!r}. "
            + nearest_name(alternative, ALTERNATIVES)
        )
    return alternative


def check_share(value: float, what: str) -> float:
    """Return a level (`alpha`, confidence) as a float, or raise if it is not inside (0, 1).

    Parameters
    ----------
    value : float
        A probability.
    what : str
        Its name in the error message.

    Returns
    -------
    float
        The value.

    Raises
    ------
    InvalidArgumentError
        If it is no number above 0 and below 1.
    """
    number = as_number(value)
    if not 0 < number < 1:
        raise InvalidArgumentError(
            f"{what} must be a number above 0 and below 1; got {value!r}. "
            "Write 5 percent as 0.05 and 95 percent as 0.95."
        )
    return number


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
