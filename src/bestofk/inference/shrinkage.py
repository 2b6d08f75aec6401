"""Draws of the losses of K learners, those near the best shrunken towards each other."""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray

from bestofk.inference.student import Floats

# Learners within so many standard errors of the best are taken as alike before they were seen.
_NEAR: Final = 2.0
DIGITS: Final = 12  # losses that agree in so many are equal but for rounding
_FEWEST: Final = 3  # of two learners, one difference says nothing of how far differences spread
# Spreads of their long-run losses, in standard errors; a step of the grid is 15 %.
_SPREADS: Final = np.geomspace(0.05, 100, 55)


def draw_losses(
    means: Floats,
    covariance: Floats,
    df: float,
    *,
    n_draws: int,
    rng: np.random.Generator,
    is_shrunken: bool = True,
) -> Floats:
    """Draw losses in the long run from a multivariate t around shrunken means.

    A flat prior takes all losses as unrelated.  So of many learners that are equally good it
    expects one to be far ahead: the noise of K means has a low minimum.  Learners within two
    standard errors of the best are therefore taken as exchangeable: normal around a common mean,
    with a spread that is uniform a priori [1]_ and learned from their means.  With fewer than
    three such learners the prior stays flat, as it does for learners farther behind.

    Parameters
    ----------
    means : ndarray of shape (n_learners,)
        Observed mean losses.
    covariance : ndarray of shape (n_learners, n_learners)
        Their scale, positive definite.
    df : float
        Degrees of freedom.
    n_draws : int
        How many, even.
    rng : Generator
        Source of randomness.
    is_shrunken : bool, default=True
        False leaves the prior flat for all learners.

    Returns
    -------
    ndarray of shape (n_draws, n_learners)

    References
    ----------
    .. [1] Gelman (2006), Prior distributions for variance parameters in hierarchical models,
       Bayesian Analysis 1(3).

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> means, covariance = np.linspace(0.1, 0.102, 12), np.eye(12) / 40**2
    >>> drawn = draw_losses(means, covariance, 50, n_draws=2000, rng=rng)
    >>> bool(drawn.std(axis=0).max() < 1 / 40)
    True
    """
    half = rng.standard_normal((n_draws // 2, len(means))) @ np.linalg.cholesky(covariance).T
    variance = df / rng.chisquare(df, (n_draws, 1))
    # mirrored pairs make the figures steadier
    drawn: Floats = means + np.vstack([half, -half]) * np.sqrt(variance)
    near = _near_the_best(means, covariance)
    if not is_shrunken or len(near) < _FEWEST:
        return drawn
    differences = _contrasts(len(near))
    scale, axes = np.linalg.eigh(differences @ covariance[np.ix_(near, near)] @ differences.T)
    axes = axes.T @ differences  # uncorrelated differences, shape (n_near - 1, n_near)
    spread = _draw_spread(axes @ means[near], scale, df, n_draws, rng)
    # normal draws conditioned on differences being 0 but for a noise of that spread
    # noise of learners, not of axes: axes of equal scale are chosen by rounding
    off = (drawn[:, near] + spread * rng.standard_normal((n_draws, len(near)))) @ axes.T
    drawn -= variance * (off / (variance * scale + spread**2)) @ (axes @ covariance[near])
    return drawn


def _near_the_best(means: Floats, covariance: Floats) -> NDArray[np.int64]:
    """Return the learners within two standard errors of the lowest mean."""
    best = int(np.argmin(means.round(DIGITS)))
    variances = np.diag(covariance) + covariance[best, best] - 2 * covariance[best]
    return np.flatnonzero(means - means[best] <= _NEAR * np.sqrt(np.maximum(variances, 0)))


def _contrasts(n: int) -> Floats:
    """Return orthonormal differences of n numbers, shape (n - 1, n)."""
    rows = np.tril(np.ones((n - 1, n)))
    rows[np.arange(n - 1), np.arange(1, n)] = -np.arange(1.0, n)
    return np.asarray(rows / np.linalg.norm(rows, axis=1, keepdims=True))


def _draw_spread(
    differences: Floats, scale: Floats, df: float, n_draws: int, rng: np.random.Generator
) -> Floats:
    """Draw the spread of long-run losses given uncorrelated differences, shape (n_draws, 1)."""
    spreads = _SPREADS * np.sqrt(scale.mean())
    variances = scale + spreads[:, None] ** 2
    distance = (differences**2 / variances).sum(axis=1)
    log_weights = np.log(spreads)  # uniform, on a grid of equal ratios
    log_weights -= np.log(variances).sum(axis=1) / 2
    log_weights -= (df + len(scale)) / 2 * np.log1p(distance / df)
    weights = np.exp(log_weights - log_weights.max())
    return np.asarray(rng.choice(spreads, (n_draws, 1), p=weights / weights.sum()))
