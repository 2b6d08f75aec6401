"""Distribution of the range of k normal numbers: studentized range with infinite df."""

from __future__ import annotations

from functools import lru_cache

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import ndtr

from bestofk.inference.student import Floats

STEP = 0.1  # of the trapezoid rule; for so smooth an integrand the error is below rounding
REACH = 9.0  # standard deviations beyond which a normal distribution holds nothing
BLOCK = 4096  # ranges at a time, so that memory stays small


def range_tail(ranges: ArrayLike, n_learners: int) -> Floats:
    """Return the probability that k standard normal numbers span more than each range.

    Parameters
    ----------
    ranges : array-like of float, at least 0
        In standard deviations.
    n_learners : int
        k, at least 2.

    Returns
    -------
    ndarray of float
        In the shape of the input; absolute error below 1e-12.

    Notes
    -----
    k times the integral of phi(z) (Phi(z)^(k-1) - (Phi(z) - Phi(z - q))^(k-1)).

    Examples
    --------
    >>> float(range_tail(2.7718, 2).round(5))
    0.05
    """
    given = np.asarray(ranges, dtype=float)
    flat, indices = np.unique(given.ravel(), return_inverse=True)
    tails = np.empty_like(flat)
    for start in range(0, flat.size, BLOCK):
        block = flat[start : start + BLOCK]
        # Without the density the integrand is largest at most near half the range.
        top = REACH + min(block[-1], 80.0) / 2
        z = np.arange(-REACH, top, STEP)
        density = np.exp(-(z**2) / 2) / np.sqrt(2 * np.pi)
        below = ndtr(z)
        share = np.minimum(ndtr(z - block[:, np.newaxis]) / below, 1.0)
        with np.errstate(divide="ignore"):
            missed = -np.expm1((n_learners - 1) * np.log1p(-share))
        tails[start : start + BLOCK] = missed @ (density * below ** (n_learners - 1))
    return np.clip(STEP * n_learners * tails[indices], 0.0, 1.0).reshape(given.shape)


@lru_cache(maxsize=256)
def range_quantile(n_learners: int, alpha: float) -> float:
    """Return the range that k standard normal numbers exceed with probability alpha.

    Parameters
    ----------
    n_learners : int
        k, at least 2.
    alpha : float in (0, 1)
        Probability.

    Returns
    -------
    float
        In standard deviations: q of the tables, for infinitely many degrees of freedom.

    Examples
    --------
    >>> round(range_quantile(5, 0.05), 4)
    3.8577
    """
    low, high = 0.0, 80.0
    for _ in range(60):  # halves 80 to below 1e-16
        middle = (low + high) / 2
        low, high = (middle, high) if range_tail(middle, n_learners) > alpha else (low, middle)
    return (low + high) / 2
