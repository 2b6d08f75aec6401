"""Weights of time: A3R of scores and seconds, and loss-time curves of learners in some order.

A3R is the ratio of scores over a root of the ratio of times. That of learner j against a
reference r is (SR_j / SR_r) / (T_j / T_r)**P, with success rate SR and time T; with P = 0 time
does not count.

The loss of learners tested in some order is the best score that any learner reaches on the data
set minus the best so far. It falls when a test ends, and is averaged over the logarithm of time.

References
----------
Abdulrahman, Brazdil, van Rijn & Vanschoren (2018), Speeding up algorithm selection using average
ranking and active testing by introducing runtime, Machine Learning 107, 79-108; van Rijn,
Abdulrahman, Brazdil & Vanschoren (2015), Fast algorithm selection using learning curves, IDA.
"""

from __future__ import annotations

from dataclasses import dataclass
from numbers import Real
from typing import NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from bestofk.array_types import Floats
from bestofk.checks import check_number
from bestofk.errors import InvalidArgumentError

SHORTEST_SECONDS = 0.001  # clocks tick; a time of zero has no logarithm and no ratio
LOWEST_SCORE = 0.001  # where a score is a divisor
POWERS = (1 / 4, 1 / 16, 1 / 64, 1 / 128, 1 / 256, 0.0)  # the grid of the paper


def a3r(scores: ArrayLike, seconds: ArrayLike, *, power: float) -> Floats:
    """Return each score over its time to the power P, without a reference (A3R').

    Within one data set a reference divides all values by the same number, so ranks by this
    are ranks by A3R.

    Parameters
    ----------
    scores : array-like of float
        Success rates, any shape; nan stays nan.
    seconds : array-like of float
        Times of the same shape; below a millisecond they count as a millisecond.
    power : float
        P, at least 0.

    Returns
    -------
    ndarray of float
        Higher is better.

    Raises
    ------
    InvalidArgumentError
        If `power` is negative, infinite or no number.

    Examples
    --------
    >>> a3r([0.9, 0.95], [2.0, 2000.0], power=1 / 64).round(4).tolist()
    [0.8903, 0.8436]
    """
    check_power(power)
    rates = np.asarray(scores, dtype=np.float64)
    if power == 0:
        return rates.copy()
    times = np.maximum(np.asarray(seconds, dtype=np.float64), SHORTEST_SECONDS)
    return np.asarray(rates / times**power)


def a3r_against(scores: ArrayLike, seconds: ArrayLike, reference: int, *, power: float) -> Floats:
    """Return A3R of every learner against one of them.

    Parameters
    ----------
    scores : array-like of shape (..., n_learners)
        Success rates; a rate of the reference below 0.001 counts as 0.001.
    seconds : array-like of shape (..., n_learners)
        Times; below a millisecond they count as a millisecond.
    reference : int
        The column that the others are compared with.
    power : float
        P, at least 0.

    Returns
    -------
    ndarray of shape (..., n_learners)
        1 for the reference itself; above 1 for learners that are better for their time.

    Raises
    ------
    InvalidArgumentError
        If `power` is negative, infinite or no number.

    Examples
    --------
    >>> a3r_against([0.9, 0.85, 0.7], [2.0, 1.0, 0.1], 1, power=1 / 4).round(4).tolist()
    [0.8904, 1.0, 1.4645]
    """
    check_power(power)
    rates = np.asarray(scores, dtype=np.float64)
    ratios = rates / np.maximum(rates[..., reference, None], LOWEST_SCORE)
    if power == 0:
        return np.asarray(ratios)
    times = np.maximum(np.asarray(seconds, dtype=np.float64), SHORTEST_SECONDS)
    return np.asarray(ratios / (times / times[..., reference, None]) ** power)


def check_power(power: float) -> None:
    """Raise unless P is a finite number of at least 0."""
    check_number(power, "power of A3R", low=0, way_out="0 ignores time, 1/4 weighs it much.")


def as_fraction(power: float) -> str:
    """Return P as names and titles have it: 1/n where it is a unit fraction.

    Examples
    --------
    >>> as_fraction(1 / 64), as_fraction(0.3), as_fraction(0)
    ('1/64', '0.3', '0')
    """
    if 0 < power < 1 and abs(1 / power - round(1 / power)) < 1e-9:
        return f"1/{round(1 / power)}"
    return f"{power:g}"


_POINTS_PER_DECADE = 10


class Window(NamedTuple):
    """The seconds over which a loss is averaged; both above 0, the first below the second."""

    first: float
    last: float

    @classmethod
    def of(cls, first: float, last: float) -> Window:
        """Check and make a window.

        Raises
        ------
        InvalidArgumentError
            If they are no numbers with 0 < first < last, or the last is infinite.

        Examples
        --------
        >>> Window.of(10, 10_000)
        Window(first=10.0, last=10000.0)
        """
        are_times = isinstance(first, Real) and isinstance(last, Real)
        if not (are_times and 0 < first < last < float("inf")):
            raise InvalidArgumentError(
                "window must be two times in seconds, the first above 0 and below the second; "
                f"got {first!r} and {last!r}. The usual one is 10 and 10000."
            )
        return cls(float(first), float(last))


USUAL_WINDOW = Window(10.0, 10_000.0)  # of the paper: from ten seconds to some three hours


@dataclass(frozen=True, eq=False)
class LossTimeCurve:
    """The loss after each moment at which it fell: a right-continuous step function.

    Attributes
    ----------
    seconds : ndarray of shape (n_steps,)
        0, then the ends of the tests that lowered the loss.
    losses : ndarray of shape (n_steps,)
        The loss from that moment on, as a difference of scores; the first is the default's.
    """

    seconds: Floats
    losses: Floats

    @classmethod
    def of_tests(
        cls,
        scores: ArrayLike,
        seconds: ArrayLike,
        *,
        default_score: float,
        best_score: float | None = None,
    ) -> LossTimeCurve:
        """Follow tests in the order in which they were done.

        Parameters
        ----------
        scores : array-like of shape (n_tests,)
            Higher is better; nan for a test that failed, which costs its time.
        seconds : array-like of shape (n_tests,)
            The time of each test; below a millisecond they count as a millisecond.  nan for a
            test that was not done.
        default_score : float
            What one has before the first test ends.
        best_score : float, optional
            The best that any learner reaches; the best of the tests where it is not given.

        Returns
        -------
        LossTimeCurve

        Raises
        ------
        InvalidArgumentError
            If there are not as many times as scores.

        Examples
        --------
        >>> curve = LossTimeCurve.of_tests([0.7, 0.9, 0.95], [0.1, 2, 2000], default_score=0.55)
        >>> curve.seconds.tolist(), curve.losses.round(2).tolist()
        ([0.0, 0.1, 2.1, 2002.1], [0.4, 0.25, 0.05, 0.0])
        >>> round(curve.mean_interval_loss(Window.of(10, 10_000)), 6)
        0.038358
        """
        reached, taken = np.asarray(scores, np.float64), np.asarray(seconds, np.float64)
        if reached.shape != taken.shape:
            raise InvalidArgumentError(
                f"seconds of a loss-time curve must be as many as its scores ({reached.size}); got "
                f"{taken.size}. Use nan for a test that was not done."
            )
        reached, taken = reached[~np.isnan(taken)], taken[~np.isnan(taken)]
        best = float(np.nanmax([default_score, *reached])) if best_score is None else best_score
        ends = np.cumsum(np.maximum(taken, SHORTEST_SECONDS))
        so_far = np.fmax.accumulate(np.concatenate([[default_score], reached]))
        falls = np.concatenate([[True], so_far[1:] > so_far[:-1]])
        times = np.concatenate([[0.0], ends])
        return cls(times[falls], (best - so_far)[falls])

    def at(self, seconds: ArrayLike) -> Floats:
        """Return the loss at given moments; a test counts from the moment it ends."""
        moments = np.maximum(np.asarray(seconds, dtype=np.float64), 0.0)
        return np.asarray(self.losses[np.searchsorted(self.seconds, moments, "right") - 1])

    def mean_interval_loss(self, window: Window = USUAL_WINDOW) -> float:
        """Return the exact mean over the logarithm of time in the window."""
        return float(self.losses @ _log_shares(np.append(self.seconds, np.inf), window))

    def mean_at_points(self, window: Window = USUAL_WINDOW) -> float:
        """Return the mean at about ten points per decade, both ends included, as papers do."""
        low, high = np.log10(window.first), np.log10(window.last)
        n_steps = max(round((high - low) * _POINTS_PER_DECADE), 1)
        moments = 10.0 ** (low + (high - low) * np.arange(n_steps + 1) / n_steps)
        moments[[0, -1]] = window  # exactly: a test may end with it
        return float(self.at(moments).mean())

    def to_frame(self) -> pd.DataFrame:
        """Return the steps as a table with the columns seconds and loss."""
        return pd.DataFrame({"seconds": self.seconds, "loss": self.losses})


def interval_losses(
    scores: Floats, seconds: Floats, default_scores: Floats, best_scores: Floats, window: Window
) -> Floats:
    """Return the mean interval losses of many orders at once.

    Parameters
    ----------
    scores, seconds : ndarray of shape (n_orders, n_tests)
        Tests in the order in which they are done, the times floored.  A score of nan gives
        nothing and costs its time; without a time it was not done.
    default_scores, best_scores : ndarray of shape (n_orders,)
        The score before any test, and the best there is.
    window : Window
        The seconds that count.

    Returns
    -------
    ndarray of shape (n_orders,)
        As `LossTimeCurve.mean_interval_loss` of each.
    """
    is_timed = ~np.isnan(seconds)
    ends = np.cumsum(np.where(is_timed, seconds, 0.0), axis=1)
    reached = np.where(is_timed & ~np.isnan(scores), scores, -np.inf)
    so_far = np.maximum.accumulate(np.column_stack([default_scores, reached]), axis=1)
    bounds = np.empty((len(scores), scores.shape[1] + 2))
    bounds[:, 0], bounds[:, 1:-1], bounds[:, -1] = 0.0, ends, np.inf
    shares = _log_shares(bounds, window)
    return np.asarray(((best_scores[:, None] - so_far) * shares).sum(axis=1))


def _log_shares(bounds: Floats, window: Window) -> Floats:
    """Return which share of the window, on a logarithmic axis, is between bounds in turn."""
    low, high = np.log10(window.first), np.log10(window.last)
    return np.asarray(np.diff(np.log10(np.clip(bounds, *window))) / (high - low))
