"""Orders that change with the result of every test on the new data set.

- Active testing: learners are chosen by past duels against the best so far.
- Low-rank completion: the table of scores is taken as a mean per learner plus a product of few
  latent factors; tests on the new data set tell its factors, and the factors tell the scores of
  all other learners.

References
----------
Leite, Brazdil & Vanschoren (2012), Selecting classification algorithms with active testing, MLDM,
LNCS 7376; Abdulrahman, Brazdil, van Rijn & Vanschoren (2018), Speeding up algorithm selection
using average ranking and active testing by introducing runtime, Machine Learning 107, 79-108
(duels decided by A3R); Yang, Akimoto, Kim & Udell (2019), OBOE: collaborative
filtering for AutoML model selection, KDD (low rank, experiment design under a time limit); Tipping
& Bishop (1999), Probabilistic principal component analysis, Journal of the Royal Statistical
Society B 61 (the prior); Snoek, Larochelle & Adams (2012), Practical Bayesian optimization of
machine learning algorithms, NIPS (expected improvement for its time).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy.special import ndtr

from bestofk.array_types import Floats, Positions
from bestofk.checks import check_known, check_number
from bestofk.measures.ties import tied_values
from bestofk.recommendation.fixed_orders import (
    Advisor,
    Recommender,
    average_ranking_order,
    usual_ranking_order,
)
from bestofk.recommendation.history import History
from bestofk.recommendation.latent_factors import fill_gaps, leading_factors, logit_scores
from bestofk.recommendation.loss_time import (
    LOWEST_SCORE,
    SHORTEST_SECONDS,
    Window,
    a3r,
    as_fraction,
)

USUAL_START_POWER = 1 / 64  # of the ranking whose first learner opens the tournament
WEIGHTS = ("equal", "duels")


class Duel(NamedTuple):
    """One round: the best learner, its challenger, and the gain promised by past duels."""

    current_best: int
    candidate: int
    gain: float


class ActiveTesting(Recommender):
    """Test next the learner that gained most over the best so far on earlier data sets.

    The first learner of the average ranking is tested first and is the current best.  Then
    the untested learner with the largest gain is tested: the sum over data sets of how far
    its A3R against the current best is above 1.  It becomes the current best if its score
    is strictly higher.  Equal gains go by place in the average ranking.

    Parameters
    ----------
    power : float
        P of A3R in the gains; 0 ignores time.
    start_power : float, default=1/64
        P of the average ranking.
    weights : {"equal", "duels"}, default="equal"
        How much an earlier data set counts: all alike, or by the share of pairs of tested
        learners whose scores compare there as on the new one.

    Raises
    ------
    InvalidArgumentError
        If a power is negative or `weights` is unknown.

    Notes
    -----
    Right for comparison with the published method.  It adds gains over the best so far alone,
    so it forgets what other tested learners cover already, and its first test may be slow:
    `AverageRanking` at a chosen P is often as good.  Where a learner or the current best has
    no score or time, the data set adds nothing to the gain.

    Examples
    --------
    >>> from bestofk.recommendation.loss_time import LOWEST_SCORE
    >>> from bestofk.recommendation.history import History
    >>> from bestofk.recommendation.loss_time import USUAL_WINDOW
    >>> scores = [[0.8, 0.7, 0.9], [0.8, 0.9, 0.6], [0.9, 0.8, 0.7]]
    >>> history = History.from_arrays(scores, [[1.0, 0.5, 8.0]] * 3)
    >>> advisor = ActiveTesting(1 / 4).start(history, 0.5, USUAL_WINDOW)
    >>> for score, seconds in [(0.7, 1.0), (0.8, 0.5), (0.6, 8.0)]:
    ...     advisor.tell(advisor.next(), score, seconds)
    >>> [(duel.current_best, duel.candidate, round(duel.gain, 4)) for duel in advisor.trace]
    [(0, 1, 0.4355), (1, 2, 0.0)]
    """

    def __init__(
        self, power: float, *, start_power: float = USUAL_START_POWER, weights: str = "equal"
    ) -> None:
        for what, value in (("power", power), ("start_power", start_power)):
            check_number(value, f"{what} of ActiveTesting", low=0, way_out="0 ignores time.")
        check_known(weights, "weights of ActiveTesting", WEIGHTS)
        self.power = power
        self.start_power = start_power
        self.weights = weights
        self.name, self.title = _names(power, start_power, weights)
        self.needs_seconds = power > 0 or start_power > 0

    def start(self, history: History, default_score: float, window: Window) -> ActiveTest:
        """Rank the learners; see `Recommender.start`."""
        order = average_ranking_order(history, self.start_power)
        return ActiveTest(history, order, self.power, weigh_by_duels=self.weights == "duels")

    def weight_of_time(self, history: History, window: Window) -> float:
        """Return P of the duels; see `Recommender.weight_of_time`."""
        return self.power


class ActiveTest(Advisor):
    """The tournament on one new data set.

    Parameters
    ----------
    history : History
        Earlier data sets.
    order : ndarray of shape (n_learners,), int
        The average ranking.
    power : float
        P of A3R in the gains.
    weigh_by_duels : bool
        Whether earlier data sets count by the share of duels with equal outcome.

    Attributes
    ----------
    current_best : int
        The tested learner with the highest score, the earlier one of equals.
    trace : list of Duel
        Every test but the first.
    """

    def __init__(
        self, history: History, order: Positions, power: float, *, weigh_by_duels: bool
    ) -> None:
        self.current_best = int(order[0])
        self.trace: list[Duel] = []
        self._order = self._untested = order
        self._has_begun = False
        # A3R of any pair is a ratio of two of these, so that roots of times are taken once
        self._rates = a3r(history.scores, history.seconds, power=power)
        floored = np.maximum(history.scores, LOWEST_SCORE)
        self._divisors = a3r(floored, history.seconds, power=power)
        self._best_score = -np.inf
        self._wins: Floats | None = None
        self._sums: Floats | None = None  # of wins; with weights, of this round
        self._duels = _SharedDuels(history.scores) if weigh_by_duels else None

    def next(self) -> int:
        """Return the top of the ranking first, then the untested learner with most gain."""
        if not self._has_begun:
            return int(self._order[0])
        return int(self._untested[np.argmax(self._gains()[self._untested])])

    def tell(self, learner: int, score: float, seconds: float) -> None:
        """Record the duel and the best learner so far; see `Advisor.tell`."""
        if self._has_begun:
            self.trace.append(Duel(self.current_best, learner, float(self._gains()[learner])))
        if self._duels is not None:
            self._duels.add(learner, score)
            self._sums = None
        self._has_begun = True
        self._untested = self._untested[self._untested != learner]
        if score > self._best_score:
            self._best_score = score
            if learner != self.current_best:
                self.current_best = learner
                self._wins = self._sums = None

    def _gains(self) -> Floats:
        """Return for each learner the weighted sum over data sets of max(0, A3R - 1)."""
        if self._wins is None:
            ratios = self._rates / self._divisors[:, [self.current_best]]
            self._wins = np.fmax(ratios - 1.0, 0.0)  # fmax: nothing where a figure is missing
        if self._sums is None:
            summed = (
                self._wins.sum(axis=0) if self._duels is None else self._duels.shares() @ self._wins
            )
            self._sums = tied_values(summed, len(self._wins) + np.abs(summed))
        return self._sums


class _SharedDuels:
    """Counts of duels that end on each earlier data set as on the new one."""

    def __init__(self, past: Floats) -> None:
        self._past = np.ascontiguousarray(past.T)  # a row per learner
        self._is_known = ~np.isnan(self._past)
        self._counts = np.zeros(len(past))
        self._equal = np.zeros(len(past))
        self._rivals: list[int] = []
        self._results: list[float] = []
        self._n_known = np.zeros(len(past))  # rivals that have a score on each data set

    def add(self, learner: int, score: float) -> None:
        """Count the duels of a learner with all that were tested before it."""
        if np.isnan(score):
            return
        rivals, results, there = np.array(self._rivals, dtype=np.intp), self._results, self._past
        others = np.array(results)
        self._counts += np.where(self._is_known[learner], self._n_known, 0.0)
        self._equal += (there[learner] > there[rivals[others < score]]).sum(axis=0)
        self._equal += (there[learner] < there[rivals[others > score]]).sum(axis=0)
        self._equal += (there[learner] == there[rivals[others == score]]).sum(axis=0)
        self._n_known += self._is_known[learner]
        self._rivals.append(learner)
        results.append(score)

    def shares(self) -> Floats:
        """Return the share of equal outcomes of each data set; 1 where there was no duel."""
        return np.divide(
            self._equal, self._counts, out=np.ones(len(self._counts)), where=self._counts > 0
        )


def _names(power: float, start_power: float, weights: str) -> tuple[str, str]:
    """Return the name and the title: P always, the rest where it is not the usual."""
    name = f"active-testing-{as_fraction(power)}"
    title = f"active testing, P = {as_fraction(power)}"
    if start_power != USUAL_START_POWER:
        start = as_fraction(start_power)
        name, title = f"{name}-start-{start}", f"{title}, start at P = {start}"
    if weights == "duels":
        name, title = f"{name}-duels", f"{title}, weighted by duels"
    return name, title


_LEAST_NOISE = 1e-6  # variance; a learner that fits without error still has some
_N_NODES = 21  # of the quadrature over the time that a test may take
_SMALLEST_DELAY = 0.001  # decades; keeps the index finite where a test costs no time


class LowRankCompletion(Recommender):
    """Find latent factors of the new data set by a few quick tests, then follow them.

    Logits of scores and logarithms of times are each modeled as learner mean + factors +
    noise, with the fewest factors that explain 90 % of the variance.  As many tests as scores
    have factors are a design: next is what tells most about the latent factors per predicted
    second (greedy D-optimality).  Then next is the learner with the largest expected
    improvement of the best score so far per expected decade of waiting.  Every test updates
    factors of scores and of times (ridge regression with the factors' prior and the
    learners' noise).

    Notes
    -----
    Right where tables are large and little is missing.  Factors of a small history are
    noise.  Gaps of the history are filled by the factors themselves; a learner without any
    score comes last.

    DEVIATION: Oboe designs tests for half of a time limit, then fits least squares and takes
    the highest predictions, whatever they cost.  Here there is no limit, and the loss counts
    from the first second.  On parts of the two tables tried, these lost more: the highest
    prediction, with time or without; expected improvement from the first test on; a design
    per decade of waiting; times taken for certain.  Scores without logit and noise alike for
    all learners were no better.

    Examples
    --------
    >>> from bestofk.recommendation.loss_time import USUAL_WINDOW
    >>> scores = [[0.9, 0.8, 0.6], [0.6, 0.7, 0.9], [0.9, 0.8, 0.5], [0.5, 0.7, 0.9]]
    >>> history = History.from_arrays(scores, [[9.0, 30.0, 20.0]] * 4)
    >>> advisor = LowRankCompletion().start(history, 0.5, USUAL_WINDOW)
    >>> advisor.next()
    0
    >>> advisor.tell(0, 0.55, 8.0)
    >>> advisor.next()
    2
    """

    name = "low-rank"
    title = "low rank, designed start"
    needs_seconds = True
    needs_window = True

    def start(self, history: History, default_score: float, window: Window) -> Advisor:
        """Factor the history; see `Recommender.start`."""
        return _LowRankAdvisor(history, default_score, window)


class _LowRankAdvisor(Advisor):
    """Advisor with two Gaussian models of the new data set."""

    def __init__(self, history: History, default_score: float, window: Window) -> None:
        self._untested = usual_ranking_order(history)  # best of the ranking first
        self._scores = _Factors(logit_scores(history.scores))
        self._log_seconds = _Factors(np.log(history.floored_seconds()))
        self._is_known = ~np.isnan(history.scores).all(axis=0)
        self._best = float(logit_scores(default_score))
        self._elapsed = 0.0
        self._first = window.first
        self._n_tested = 0
        nodes, weights = np.polynomial.hermite_e.hermegauss(_N_NODES)
        self._nodes, self._node_weights = nodes, weights / weights.sum()

    def next(self) -> int:
        """Return the best of the design, then the largest gain; ties by the average ranking."""
        is_design = self._n_tested < self._scores.rank
        worth = self._information_per_second() if is_design else self._gain_per_delay()
        worth[~self._is_known] = 0.0
        return int(self._untested[np.argmax(worth[self._untested])])

    def tell(self, learner: int, score: float, seconds: float) -> None:
        """Move both models; see `Advisor.tell`."""
        self._untested = self._untested[self._untested != learner]
        self._n_tested += 1
        taken = max(seconds, SHORTEST_SECONDS)
        self._elapsed += taken
        self._log_seconds.tell(learner, float(np.log(taken)))
        if not np.isnan(score):
            self._scores.tell(learner, float(logit_scores(score)))
            self._best = max(self._best, float(logit_scores(score)))

    def _information_per_second(self) -> Floats:
        """Return the growth of the log determinant of the information, per second."""
        gain = np.log1p(self._scores.variance() / self._scores.noise)
        return np.asarray(gain / np.exp(self._log_seconds.expected()))

    def _gain_per_delay(self) -> Floats:
        """Return the expected improvement, in logits, per expected decade of waiting."""
        spread = np.sqrt(self._scores.variance() + self._scores.noise)
        lead = (self._scores.expected() - self._best) / spread
        density = np.exp(-(lead**2) / 2) / np.sqrt(2 * np.pi)
        improvement = spread * np.maximum(lead * ndtr(lead) + density, 0.0)
        return np.asarray(improvement / (self._expected_delay() + _SMALLEST_DELAY))

    def _expected_delay(self) -> Floats:
        """Return the mean over the uncertain time of the decades that each test takes."""
        times = self._log_seconds
        spread = np.sqrt(times.variance() + times.noise)
        seconds = np.exp(times.expected()[:, None] + spread[:, None] * self._nodes)
        ends = np.maximum(self._elapsed + seconds, self._first)
        return np.asarray(np.log10(ends / max(self._elapsed, self._first)) @ self._node_weights)


class _Factors:
    """Values of one more row of a table: mean + loadings @ latent + noise, latent normal.

    Parameters
    ----------
    table : ndarray of shape (n_data_sets, n_learners)
        nan where a value is missing.

    Attributes
    ----------
    rank : int
        Number of latent factors.
    noise : ndarray of shape (n_learners,)
        Variance of what the factors leave.
    """

    def __init__(self, table: Floats) -> None:
        is_known = ~np.isnan(table)
        self._mean, latents, self._loadings = leading_factors(fill_gaps(table))
        self.rank = self._loadings.shape[1]
        left = np.where(is_known, table - self._mean - latents @ self._loadings.T, 0.0)
        self.noise = _LEAST_NOISE + (left**2).sum(axis=0) / np.maximum(
            is_known.sum(axis=0) - self.rank, 1
        )
        self._latent = np.zeros(self.rank)
        self._covariance = np.eye(self.rank)

    def expected(self) -> Floats:
        """Return the expected value of each learner."""
        return np.asarray(self._mean + self._loadings @ self._latent)

    def variance(self) -> Floats:
        """Return the variance of each expected value due to the factors, without noise."""
        return np.asarray(((self._loadings @ self._covariance) * self._loadings).sum(axis=1))

    def tell(self, learner: int, value: float) -> None:
        """Condition the latent factors on a value: recursive ridge regression."""
        loading = self._loadings[learner]
        reach = self._covariance @ loading
        gain = reach / (self.noise[learner] + loading @ reach)
        self._latent += gain * (value - self._mean[learner] - loading @ self._latent)
        self._covariance -= np.outer(gain, reach)
