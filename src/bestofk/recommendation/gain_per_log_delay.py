"""Orders by the expected gain over the logarithm of waiting time.

A test is worth what it is expected to add to the best score so far, and costs the piece of
the logarithmic time axis during which one waits for it.  Learners that are covered by others
already tested add nothing, and slow ones come when time has gone by anyway.

The index is of this package; it is a greedy way to lower the mean interval loss of
Abdulrahman, Brazdil, van Rijn & Vanschoren (2018), Speeding up algorithm selection using
average ranking and active testing by introducing runtime, Machine Learning 107, 79-108.

`BlendedGain` averages two models of the new data set. One: it is like some earlier ones. It needs
few of them, and knows a learner that wins on a few data sets from one that is never bad. The
other: results of learners are jointly normal, so that each test tells what similar learners will
do (`NewRow`). It interpolates where no earlier data set is alike.  They err in different places.

References
----------
Ledoit & Wolf (2004), A well-conditioned estimator for large-dimensional covariance matrices,
Journal of Multivariate Analysis 88, 365-411; Snoek, Larochelle & Adams (2012), Practical Bayesian
optimization of machine learning algorithms, NIPS (expected improvement for its time).
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from scipy.special import expit

from bestofk.array_types import Bools, Floats, Positions
from bestofk.measures.ties import at_most, tied_values
from bestofk.recommendation.fixed_orders import Advisor, Recommender, average_ranking_order
from bestofk.recommendation.history import History
from bestofk.recommendation.latent_factors import NewRow, fill_gaps, logit_scores
from bestofk.recommendation.loss_time import SHORTEST_SECONDS, Window

SMALLEST_DELAY = 0.001  # decades; keeps the index finite where a test costs no time
NO_GAIN = 5e-10  # of a score per decade: what integrals and means leave where nothing is gained
_SCORE_WIDTH = 0.2  # data sets that differ by this much in a score count for less by 40 %
_TIME_WIDTH = 2.0  # the same for times, as a natural logarithm of their ratio
_UNIFORM_SHARE = 0.1  # of the weight stays equal, so that no data set is lost for good
_LAST_POWER = 1 / 64  # of the average ranking that is followed where no gain is left


class _OfGains(Recommender):
    """Base of the methods by gains over waiting times."""

    needs_seconds = True
    needs_window = True


class GainPerLogDelay(_OfGains):
    """Try the learner that gains most per decade of waiting on the earlier data sets.

    Fixed order: time is followed on the earlier data sets, nothing is learned on the new one.
    The right one where an order must be known beforehand.
    """

    name = "gain-per-log-delay-fixed"
    title = "gain per log-delay, fixed order"

    def start(self, history: History, default_score: float, window: Window) -> GainAdvisor:
        """Begin with all earlier data sets weighing the same; see `Recommender.start`."""
        return _FixedAdvisor(history, window)


class AdaptiveGainPerLogDelay(_OfGains):
    """Try the learner that gains most per decade of waiting, updated after each test.

    Earlier data sets weigh more the more alike their scores and times are to those seen so
    far, and their times are stretched to the pace of the new data set and machine.

    Examples
    --------
    >>> from bestofk.recommendation.loss_time import USUAL_WINDOW
    >>> history = History.from_arrays([[0.7, 0.9], [0.6, 0.9]], [[20.0, 900.0], [30.0, 800.0]])
    >>> advisor = AdaptiveGainPerLogDelay().start(history, 0.5, USUAL_WINDOW)
    >>> advisor.next()
    1
    """

    name = "gain-per-log-delay"
    title = "gain per log-delay"

    def start(self, history: History, default_score: float, window: Window) -> GainAdvisor:
        """Begin with all earlier data sets weighing the same; see `Recommender.start`."""
        return AdaptiveGainAdvisor(history, default_score, window)


class GainAdvisor(Advisor):
    """Shared base of both advisors: remaining gains, delays, and the best ratio of the two.

    A gain that would come after the end of the window is none.  A learner that the history does
    not know is expected to gain what the known ones gain on average, in their mean time.
    """

    def __init__(self, history: History, window: Window) -> None:
        self._window = window
        # a row per learner: what is asked of a learner lies together
        known = ~np.isnan(history.scores).T
        self._scores = np.ascontiguousarray(np.where(known, history.scores.T, -np.inf))
        self._is_scored = _but_if_all(known)
        self._is_new: Bools = np.asarray(~known.any(axis=1) & bool(known.any()))
        self._seconds = np.ascontiguousarray(history.floored_seconds().T)
        if self._is_new.any():
            known[self._is_new] = known.any(axis=0)
            self._seconds[self._is_new] = np.exp(fill_gaps(np.log(self._seconds.T)).T[self._is_new])
        self._is_timed = _but_if_all(~np.isnan(self._seconds))
        self._best = history.default_scores.copy()
        self._weights = np.full(history.n_data_sets, 1 / max(history.n_data_sets, 1))
        self._is_open = np.ones(history.n_learners, dtype=bool)
        self._history = history
        self._elapsed: Any = np.zeros(history.n_data_sets)  # seconds, there or here
        self._log_pace = np.zeros(history.n_data_sets)  # of times here over those there
        self._last_order: Positions | None = None

    def next(self) -> int:
        """Return the learner with the largest ratio; ties go to the earlier in the history."""
        learners = np.flatnonzero(self._is_open)
        gains, decades = self._gains_and_delays(learners, self._gains(learners))
        return self._largest(learners, gains / (decades + SMALLEST_DELAY))

    def _largest(self, learners: Positions, ratios: Floats) -> int:
        ratios = tied_values(ratios)
        if ratios.max() > NO_GAIN:
            return int(learners[np.argmax(ratios)])
        return self._next_without_gain()

    def _gains(self, learners: Positions) -> Floats:
        """Return the gain of each learner on each earlier data set, shape (n, n_data_sets)."""
        gains = self._scores[learners] - self._best
        np.maximum(gains, 0.0, out=gains)
        if (is_new := self._is_new[learners]).any():
            known = np.flatnonzero(~self._is_new)
            gains[is_new] = self._gains(known).sum(0) / np.isfinite(self._scores).sum(0).clip(1)
        return np.asarray(gains)

    def _gains_and_delays(self, learners: Positions, gains: Floats) -> tuple[Floats, Floats]:
        """Return the mean gain of each learner within the window, and its mean delay in decades."""
        first, spent = self._window.first, np.full(len(self._weights), self._elapsed)
        ends = self._seconds[learners]
        ends *= np.exp(self._log_pace)
        ends += spent
        counted = gains * (ends <= self._window.last)
        decades = np.log10(np.maximum(ends, first, out=ends), out=ends)
        decades -= np.log10(np.maximum(spent, first))
        return (
            self._mean(counted, learners, self._is_scored),
            self._mean(decades, learners, self._is_timed),
        )

    def expected_gain(self, learner: int) -> float:
        """Return the expected gain of a learner over the best score so far."""
        item = np.array([learner])
        return float(self._mean(self._gains(item), item, self._is_scored)[0])

    def expected_seconds(self, learner: int) -> float:
        """Return the expected time of the test of a learner; nan if unknown.

        The geometric mean over the earlier data sets, at the pace of the new one.
        """
        logs = np.log(self._seconds[[learner]] * np.exp(self._log_pace))
        if np.isnan(logs).all():
            return float("nan")
        return float(np.exp(self._mean(logs, np.array([learner]), self._is_timed)[0]))

    def _mean(self, values: Floats, learners: Positions, is_known: Bools | None) -> Floats:
        """Return the weighted mean of each learner over the data sets where it is known."""
        if is_known is None:
            return np.asarray(values @ self._weights / self._weights.sum())
        known = is_known[learners]
        summed = np.where(known, values, 0.0) @ self._weights
        total = known @ self._weights
        means = np.zeros(len(values))
        np.divide(summed, total, out=means, where=total > 0)
        return means

    def _next_without_gain(self) -> int:
        if self._last_order is None:
            order = average_ranking_order(self._history, _LAST_POWER)
            self._last_order = order[np.argsort(~self._is_new[order], kind="stable")]
        return int(next(learner for learner in self._last_order if self._is_open[learner]))

    def skip(self, learner: int) -> None:
        """Leave a learner out for good, as if it had been tested without a gain."""
        self._is_open[learner] = False

    def tell(
        self, learner: int, score: float, seconds: float, whole_seconds: float | None = None
    ) -> None:
        """Take a result; the earlier data sets are taken to be as far.

        Parameters
        ----------
        learner, score, seconds
            See `Advisor.tell`.
        whole_seconds : float, optional
            What the test would have taken to its end, where it ended before; nan if none
            knows.
        """
        self._is_open[learner] = False
        np.maximum(self._best, self._scores[learner], out=self._best)


class _FixedAdvisor(GainAdvisor):
    """Advisor that uses the times on the earlier data sets."""

    def tell(
        self, learner: int, score: float, seconds: float, whole_seconds: float | None = None
    ) -> None:
        super().tell(learner, score, seconds)
        self._elapsed += np.nan_to_num(self._seconds[learner])


class AdaptiveGainAdvisor(GainAdvisor):
    """Advisor that uses the times on the new data set, and its similarity to earlier ones."""

    def __init__(self, history: History, default_score: float, window: Window) -> None:
        super().__init__(history, window)
        self._default_score = default_score
        self._elapsed = 0.0
        n = history.n_data_sets
        self._squares, self._n_scores = np.zeros(n), np.zeros(n)
        self._log_ratios = np.empty((n, 0))  # of times here over those there

    def tell(
        self, learner: int, score: float, seconds: float, whole_seconds: float | None = None
    ) -> None:
        """Weigh the earlier data sets again; see `GainAdvisor.tell`."""
        super().tell(learner, score, seconds)
        self._elapsed += max(seconds, SHORTEST_SECONDS)
        whole = np.maximum(seconds if whole_seconds is None else whole_seconds, SHORTEST_SECONDS)
        ratios = np.log(whole / self._history.floored_seconds()[:, learner])
        self._log_ratios = np.column_stack([self._log_ratios, ratios])
        self._log_pace = _medians(self._log_ratios)
        gain = score - self._default_score  # nan where the test failed, which tells nothing
        differences = self._scores[learner] - self._history.default_scores - gain
        is_scored = np.isfinite(differences)
        self._squares += np.where(is_scored, differences, 0.0) ** 2
        self._n_scores += is_scored
        self._weigh()

    def _weigh(self) -> None:
        """Weight each earlier data set by its similarity to the new one so far."""
        squares = self._squares / np.maximum(self._n_scores, 1)
        exponents = squares / (2 * _SCORE_WIDTH**2)
        exponents += self._log_pace**2 / (2 * _TIME_WIDTH**2)
        alike = np.exp(exponents.min(initial=np.inf) - exponents)
        alike /= alike.sum()
        self._weights = (1 - _UNIFORM_SHARE) * alike + _UNIFORM_SHARE / max(len(alike), 1)


def _but_if_all(is_known: Bools) -> Bools | None:
    """Return the mask of known values; None, the usual case, if all are known."""
    return None if is_known.size and is_known.all() else is_known


def _medians(ratios: Floats) -> Floats:
    """Return the median of each row, 0 where nothing is known.

    A test that was slow for another reason, such as loading a library, moves no median far.
    """
    n = ratios.shape[1]
    is_known = ~np.isnan(ratios)
    if is_known.all():
        middle = np.partition(ratios, [(n - 1) // 2, n // 2], axis=1)
        return np.asarray((middle[:, (n - 1) // 2] + middle[:, n // 2]) / 2)
    with_any = is_known.any(axis=1)
    medians = np.zeros(len(ratios))
    medians[with_any] = np.nanmedian(ratios[with_any], axis=1)
    return medians


_LEAST_DATA_SETS = 5  # with fewer nothing can be said of how learners vary together
_N_NODES = 21  # of the quadrature over a score or a time that is uncertain
_FAR = 50.0  # logits and logarithms of seconds are kept within, so that exp stays finite
_N_AT_ONCE = 16  # learners whose delay is computed together


class BlendedGain(_OfGains):
    """Try the learner that gains most per decade of waiting, by the mean of two models.

    Expected gains and delays are the means of those by alike data sets
    (`AdaptiveGainPerLogDelay`) and by a joint normal distribution of the logits of scores, and
    of the logarithms of times, with a shrunken covariance.  The default: it loses least on the
    tables that it was compared on.  With fewer than five data sets the first model alone.

    Examples
    --------
    >>> from bestofk.recommendation.loss_time import USUAL_WINDOW
    >>> scores = [[0.9, 0.8, 0.6], [0.6, 0.7, 0.9], [0.9, 0.8, 0.5], [0.5, 0.7, 0.9]] * 2
    >>> history = History.from_arrays(scores, [[9.0, 30.0, 20.0]] * 8)
    >>> advisor = BlendedGain().start(history, 0.5, USUAL_WINDOW)
    >>> advisor.next()
    0
    >>> advisor.tell(0, 0.55, 8.0)
    >>> advisor.next()
    2
    """

    name = "blended-gain"
    title = "gain per log-delay, two models"

    def start(self, history: History, default_score: float, window: Window) -> GainAdvisor:
        """Fit both models to the history; see `Recommender.start`."""
        is_short = history.n_data_sets < _LEAST_DATA_SETS
        chosen = AdaptiveGainAdvisor if is_short else _BlendedAdvisor
        return chosen(history, default_score, window)


class _BlendedAdvisor(AdaptiveGainAdvisor):
    """Advisor that takes the mean of both models."""

    def __init__(self, history: History, default_score: float, window: Window) -> None:
        super().__init__(history, default_score, window)
        self._new_scores = NewRow(logit_scores(history.scores))
        self._new_log_seconds = NewRow(np.log(history.floored_seconds()))
        self._best_here = default_score
        nodes, weights = np.polynomial.hermite_e.hermegauss(_N_NODES)
        self._nodes, self._node_weights = nodes, weights / weights.sum()

    def next(self) -> int:
        """Return the learner with the largest ratio; ties go to the earlier in the history."""
        learners = np.flatnonzero(self._is_open)
        by_normal, delays = self._normal_gains_and_delays(learners)
        gains = self._gains(learners)
        by_alike = self._mean(gains, learners, self._is_scored)
        bounds = (by_alike + by_normal) / (delays + 2 * SMALLEST_DELAY)
        # delays by alike data sets are dear: only of those that can still be the largest
        ratios = np.full(len(learners), -np.inf)
        order = np.argsort(-bounds)
        for begin in range(0, len(order), _N_AT_ONCE):
            some = order[begin : begin + _N_AT_ONCE]
            if not at_most(ratios.max(), bounds[some[0]]):
                break
            alike_gains, alike_delays = self._gains_and_delays(learners[some], gains[some])
            waits = alike_delays + delays[some] + 2 * SMALLEST_DELAY
            ratios[some] = (alike_gains + by_normal[some]) / waits
        return self._largest(learners, ratios)

    def expected_gain(self, learner: int) -> float:
        """Return the expected gain of a learner over the best score so far."""
        by_normal = self._normal_gains(np.array([learner])).item()
        return (super().expected_gain(learner) + float(by_normal)) / 2

    def expected_seconds(self, learner: int) -> float:
        """Return the expected time of the test of a learner; nan if unknown.

        The geometric mean of what the two models say.
        """
        by_alike = super().expected_seconds(learner)
        by_normal = math.exp(np.clip(self._new_log_seconds.expected()[learner], -_FAR, _FAR))
        return math.sqrt(by_alike * by_normal)

    def tell(
        self, learner: int, score: float, seconds: float, whole_seconds: float | None = None
    ) -> None:
        """Take a result into both models; see `GainAdvisor.tell`."""
        super().tell(learner, score, seconds, whole_seconds)
        whole = seconds if whole_seconds is None else whole_seconds
        self._best_here = float(np.fmax(self._best_here, score))
        tells = not self._is_new[learner]  # of others, by how they vary together
        if tells and not math.isnan(whole):
            self._new_log_seconds.tell(learner, math.log(max(whole, SHORTEST_SECONDS)))
        if tells and not math.isnan(score):
            self._new_scores.tell(learner, float(logit_scores(score)))

    def _normal_gains_and_delays(self, learners: Positions) -> tuple[Floats, Floats]:
        """Return the expected gain within the window and the expected decades of waiting."""
        times = self._new_log_seconds
        seconds = np.exp(self._uncertain(times, learners))
        ends, first = self._elapsed + seconds, self._window.first
        decades = np.log10(np.maximum(ends, first) / max(self._elapsed, first))
        in_time = (ends <= self._window.last) @ self._node_weights
        return self._normal_gains(learners) * in_time, decades @ self._node_weights

    def _normal_gains(self, learners: Positions) -> Floats:
        scores = expit(self._uncertain(self._new_scores, learners))
        gains = np.maximum(scores - self._best_here, 0.0) @ self._node_weights
        if (is_new := self._is_new[learners]).any():
            gains[is_new] = self._normal_gains(np.flatnonzero(~self._is_new)).mean()
        return np.asarray(gains)

    def _uncertain(self, row: NewRow, learners: Positions) -> Floats:
        """Return the values at the nodes, shape (n_learners, n_nodes)."""
        center, spread = row.expected()[learners], row.spread()[learners]
        return np.clip(center[:, None] + spread[:, None] * self._nodes, -_FAR, _FAR)
