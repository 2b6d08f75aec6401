"""Loss-time curves of learners tested in some order.

The loss is the best score that any learner reaches on the data set minus the best so far.
It falls when a test ends, and is averaged over the logarithm of time.

References
----------
Abdulrahman, Brazdil, van Rijn & Vanschoren (2018), Speeding up algorithm selection using
average ranking and active testing by introducing runtime, Machine Learning 107, 79-108.
"""

from __future__ import annotations

from dataclasses import dataclass
from numbers import Real
from typing import NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from bestofk.array_types import Floats
from bestofk.errors import InvalidArgumentError
from bestofk.recommendation.a3r import SHORTEST_SECONDS

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
