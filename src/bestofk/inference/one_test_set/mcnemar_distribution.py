"""Distribution of McNemar's statistic: p values from the rows only one classifier gets wrong."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.special import bdtr, ndtr

from bestofk.inference.student import Floats


def p_values(n01: Any, n10: Any, method: str) -> dict[str, Floats]:
    """Return the p values of all three sides.

    Parameters
    ----------
    n01, n10 : array-like of int
        Rows that only the first learner got wrong, and only the second.
    method : {"mid-p", "exact", "chi2", "chi2-corrected"}
        See `mcnemar_test`.

    Returns
    -------
    dict of str to ndarray
        By side; 1 where no row is discordant.
    """
    n01, n10 = np.asarray(n01), np.asarray(n10)
    n = n01 + n10
    if method.startswith("chi2"):
        root = signed_root(n01, n10, method)
        greater, less, both = ndtr(-root), ndtr(root), 2 * ndtr(-np.abs(root))
    else:
        # By symmetry of the distribution, P(X >= n01) is P(X <= n10).
        greater, less = (_binomial_tail(count, n, method) for count in (n10, n01))
        both = np.minimum(1.0, 2 * np.minimum(greater, less))
    sides = {"greater": greater, "less": less, "two-sided": both}
    return {side: np.where(n == 0, 1.0, p) for side, p in sides.items()}


def _binomial_tail(count: Any, n: Any, method: str) -> Floats:
    """Return P(X <= count) of the binomial distribution (n, 1/2); mid-p: P(X = count) by half."""
    at_most = bdtr(count.astype(float), n, 0.5)
    if method == "exact":
        return np.asarray(at_most)
    below = np.where(count > 0, bdtr(np.maximum(count - 1, 0).astype(float), n, 0.5), 0.0)
    return np.asarray((at_most + below) / 2)


def signed_root(n01: Any, n10: Any, method: str) -> Floats:
    """Return the root of chi2 with the sign of n01 - n10.

    Parameters
    ----------
    n01, n10 : array-like of int
        Rows that only the first learner got wrong, and only the second.
    method : {"chi2", "chi2-corrected"}
        See `mcnemar_test`.

    Returns
    -------
    ndarray of float
        0 where no row is discordant.
    """
    difference, n = np.subtract(n01, n10), np.add(n01, n10)
    size = np.abs(difference)
    if method == "chi2-corrected":
        size = np.maximum(size - 1, 0)
    return np.asarray(np.sign(difference) * size / np.sqrt(np.maximum(n, 1)))
