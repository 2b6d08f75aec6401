"""Ties of two values: the rule of this package for scores, means, differences and p values.

Two values tie if they agree in 12 significant digits: if they differ by at most 1e-12 of the larger
numbers behind them. These are the values themselves or, for a difference or a mean, the scores that
it was computed from: the noise of .92 - .90 comes from .92, not from .02. Ties are extended to
groups, so that "ties with" is transitive, and each value of a group is replaced by one float.

Gaps are compared instead of rounded digits, because after some change of units two floats that
differ by one bit would be rounded differently. Neighbors further apart than 1e-11 never tie, those
that differ by a few bits always do, and multiplying all values by a constant changes neither. The
tolerance depends on the values compared, not on the largest in a table: a learner that diverged (a
squared error of 1e25) must not make all others tie, and two learners tie in a table exactly if they
tie as a pair.
"""

import numpy as np
from numpy.typing import ArrayLike

from bestofk.array_types import Bools, Floats, Positions

# Differences up to this share of the numbers behind them are rounding noise.
NOISE = 1e-12


def tied_values(values: ArrayLike, scale: ArrayLike | None = None, *, axis: int = -1) -> Floats:
    """Return values in which ties are replaced by the same float.

    They can then be sorted, ranked and compared exactly.

    Parameters
    ----------
    values : array-like of float
        Values in any unit, compared along `axis`. nan ties with nothing.
    scale : array-like that broadcasts to the shape of `values`, optional
        Largest absolute number behind each value, at least 0; by default the value itself. Values
        tie if they differ by at most 1e-12 of the mean of their two scales.
    axis : int, default=-1
        Axis along which they are compared.

    Returns
    -------
    ndarray of float
        In the shape of `values`. Chains of neighbors that span more than a tie are split.

    Examples
    --------
    >>> tied_values([0.3, 0.1 + 0.2, 0.31]).tolist()
    [0.3, 0.3, 0.31]
    >>> len(set(tied_values([0.81 - 0.79, 0.92 - 0.90, 0.03], scale=0.92).tolist()))
    2
    """
    given = np.asarray(values, dtype=float)
    sizes = np.abs(given) if scale is None else np.asarray(scale, dtype=float)
    width = np.where(np.isfinite(given), NOISE / 2 * sizes, 0.0)
    if given.size == 0:
        return given
    given, width = np.moveaxis(given, axis, -1), np.moveaxis(width, axis, -1)
    # Without scales, the order of equal values does not matter.
    order = np.argsort(given, axis=-1, kind=None if scale is None else "stable")
    ascending = np.take_along_axis(given, order, axis=-1)
    width = np.take_along_axis(width, order, axis=-1)
    with np.errstate(invalid="ignore"):  # inf - inf
        apart = ~(np.diff(ascending, axis=-1) <= width[..., 1:] + width[..., :-1])
    edge = np.ones((*given.shape[:-1], 1), dtype=bool)
    starts = np.flatnonzero(np.concatenate([edge, apart], axis=-1))
    joined = _join_runs(ascending.ravel(), width.ravel(), starts).reshape(given.shape)
    result = np.empty(given.shape)
    np.put_along_axis(result, order, joined, axis=-1)
    return np.moveaxis(result, -1, axis)


def _join_runs(ascending: Floats, width: Floats, starts: Positions) -> Floats:
    """Join chains of neighbors that agree; split those that span more than their least noise."""
    ends = np.append(starts[1:], len(ascending))
    joined = np.repeat(ascending[starts], ends - starts)
    with np.errstate(invalid="ignore"):
        length = ascending[ends - 1] - ascending[starts]
    for run in np.flatnonzero(length > 2 * np.minimum.reduceat(width, starts)):
        inside = slice(starts[run], ends[run])
        joined[inside] = _join_to_nearest(ascending[inside], width[inside])
    return joined


def _join_to_nearest(values: Floats, width: Floats) -> Floats:
    """Join each value, the least noisy first, to the nearest earlier one that it agrees with."""
    joined, exact = np.empty(len(values)), np.zeros(len(values), dtype=bool)
    for i in np.argsort(width, kind="stable"):
        known = np.flatnonzero(exact)
        distance = np.abs(values[known] - values[i])
        nearest = known[np.argmin(distance)] if len(known) else i
        exact[i] = nearest == i or distance.min() > width[i] + width[nearest]
        joined[i] = values[i] if exact[i] else values[nearest]
    return joined


def tied_differences(differences: ArrayLike, scale: ArrayLike) -> Floats:
    """Return differences of scores; sizes that tie are replaced by the same float.

    Parameters
    ----------
    differences : array-like of float
        First minus second score, compared along the last axis.
    scale : array-like that broadcasts to the shape of `differences`
        Largest absolute score behind each difference.

    Returns
    -------
    ndarray of float
        In the shape of `differences`; exactly 0 where the scores tie.

    Examples
    --------
    >>> tied_differences([0.1 + 0.2 - 0.3, 0.2 - 0.3, 0.5], [0.3, 0.3, 0.5]).round(4).tolist()
    [0.0, -0.1, 0.5]
    """
    signed = np.asarray(differences, dtype=float)
    noise = 2 * np.broadcast_to(np.asarray(scale, dtype=float), signed.shape)  # of two scores
    nothing = np.zeros((*signed.shape[:-1], 1))  # what agrees with exactly 0 becomes 0
    joined = tied_values(
        np.concatenate([nothing, np.abs(signed)], axis=-1),
        np.concatenate([nothing, noise], axis=-1),
    )[..., 1:]
    return np.where(joined > 0, np.sign(signed) * joined, joined)


def is_noise(values: ArrayLike, scale: ArrayLike) -> Bools:
    """Return whether differences or standard deviations are 0 up to rounding.

    Parameters
    ----------
    values : array-like of float
        Any shape.
    scale : array-like that broadcasts to that shape
        Largest absolute score behind each value.

    Returns
    -------
    ndarray of bool
        False for nan.

    Examples
    --------
    >>> is_noise([0.1 + 0.2 - 0.3, 1e-9], 0.3).tolist()
    [True, False]
    """
    return np.asarray(np.abs(values) <= NOISE * np.asarray(scale, dtype=float))


def at_most(values: ArrayLike, limit: ArrayLike, scale: ArrayLike | None = None) -> Bools:
    """Return where values are below a limit or tie with it.

    Parameters
    ----------
    values, limit : array-like of float
        Of shapes that broadcast.
    scale : array-like that broadcasts to that shape, optional
        Largest absolute number behind them; by default the limit itself.

    Returns
    -------
    ndarray of bool
        False for nan.

    Examples
    --------
    >>> at_most([0.1, 0.1 + 0.2, 0.31], 0.3).tolist()
    [True, True, False]
    """
    bound = np.asarray(limit, dtype=float)
    size = np.abs(bound) if scale is None else np.asarray(scale, dtype=float)
    return np.asarray(np.asarray(values, dtype=float) <= bound + NOISE * size)


def standard_deviation(values: ArrayLike) -> float:
    """Return the standard deviation of scores, with n - 1; 0 if it is only rounding noise.

    Parameters
    ----------
    values : array-like of shape (n_scores,), float
        Finite scores.

    Returns
    -------
    float
        nan for fewer than two.

    Examples
    --------
    >>> standard_deviation([2 / 3] * 5), standard_deviation([1.0, 3.0]) ** 2
    (0.0, 2.0000000000000004)
    """
    scores = np.asarray(values, dtype=float)
    if len(scores) < 2:
        return float("nan")
    spread = float(scores.std(ddof=1))
    return 0.0 if is_noise(spread, np.abs(scores).max()) else spread
