"""Gain over the logarithm of time, by two models of the new data set that are averaged.

One model: the new data set is like some earlier ones (`gain_per_log_delay`).  It needs few of
them, and knows a learner that wins on a few data sets from one that is never bad.  The other:
results of learners are jointly normal, so that each test tells what similar learners will do
(`new_row`).  It interpolates where no earlier data set is alike.  They err in different places.

References
----------
Ledoit & Wolf (2004), A well-conditioned estimator for large-dimensional covariance matrices,
Journal of Multivariate Analysis 88, 365-411; Snoek, Larochelle & Adams (2012), Practical
Bayesian optimization of machine learning algorithms, NIPS (expected improvement for its time).
"""

from __future__ import annotations

import math

import numpy as np
from scipy.special import expit

from bestofk.array_types import Bools, Floats, Positions
from bestofk.measures.ties import at_most, tied_values
from bestofk.recommendation.a3r import SHORTEST_SECONDS
from bestofk.recommendation.gain_per_log_delay import (
    NO_GAIN,
    SMALLEST_DELAY,
    AdaptiveGainAdvisor,
    GainAdvisor,
)
from bestofk.recommendation.history import History
from bestofk.recommendation.latent_factors import logit_scores
from bestofk.recommendation.loss_time import Window
from bestofk.recommendation.new_row import NewRow
from bestofk.recommendation.recommender import Recommender

_LEAST_DATA_SETS = 5  # with fewer nothing can be said of how learners vary together
_N_NODES = 21  # of the quadrature over a score or a time that is uncertain
_FAR = 50.0  # logits and logarithms of seconds are kept within, so that exp stays finite
_N_AT_ONCE = 16  # learners whose delay is computed together


class BlendedGain(Recommender):
    """Try what gains most per decade of waiting, by the mean of two models.

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
    needs_seconds = True
    needs_window = True

    def start(self, history: History, default_score: float, window: Window) -> GainAdvisor:
        """Fit both models to the history; see `Recommender.start`."""
        if history.n_data_sets < _LEAST_DATA_SETS:
            return AdaptiveGainAdvisor(history, default_score, window)
        return _BlendedAdvisor(history, default_score, window)


class _BlendedAdvisor(AdaptiveGainAdvisor):
    """Advisor that takes the mean of both models."""

    def __init__(self, history: History, default_score: float, window: Window) -> None:
        super().__init__(history, default_score, window)
        self._new_scores = NewRow(logit_scores(history.scores))
        self._new_log_seconds = NewRow(np.log(history.floored_seconds()))
        self._is_known: Bools = np.isfinite(self._scores).any(axis=1)
        self._best_here = default_score
        nodes, weights = np.polynomial.hermite_e.hermegauss(_N_NODES)
        self._nodes, self._node_weights = nodes, weights / weights.sum()

    def next(self) -> int:
        """Return the learner with the largest ratio; ties go to the earlier in the history."""
        learners = np.flatnonzero(self._is_open & self._is_known)
        if len(learners) == 0:
            return self._next_without_gain()
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
        ratios = tied_values(ratios)
        return (
            int(learners[np.argmax(ratios)])
            if ratios.max() > NO_GAIN
            else self._next_without_gain()
        )

    def expected_gain(self, learner: int) -> float:
        """Return what a learner is expected to add to the best score so far."""
        by_alike = super().expected_gain(learner)
        if not self._is_known[learner]:
            return by_alike
        return (by_alike + float(self._normal_gains(np.array([learner]))[0])) / 2

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
        if not math.isnan(whole):
            self._new_log_seconds.tell(learner, math.log(max(whole, SHORTEST_SECONDS)))
        if not math.isnan(score):
            self._new_scores.tell(learner, float(logit_scores(score)))
            self._best_here = max(self._best_here, score)

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
        return np.asarray(np.maximum(scores - self._best_here, 0.0) @ self._node_weights)

    def _uncertain(self, row: NewRow, learners: Positions) -> Floats:
        """Return the values at the nodes, shape (n_learners, n_nodes)."""
        center, spread = row.expected()[learners], row.spread()[learners]
        return np.clip(center[:, None] + spread[:, None] * self._nodes, -_FAR, _FAR)
