"""Low-rank completion: predicted scores from a few latent factors.

The table of scores is taken as a mean per learner plus a product of few latent factors; tests
on the new data set tell its factors, and the factors tell the scores of all other learners.

References
----------
Yang, Akimoto, Kim & Udell (2019), OBOE: collaborative filtering for AutoML model selection,
KDD (low rank, experiment design under a time limit); Tipping & Bishop (1999), Probabilistic
principal component analysis, Journal of the Royal Statistical Society B 61 (the prior);
Snoek, Larochelle & Adams (2012), Practical Bayesian optimization of machine learning
algorithms, NIPS (expected improvement for its time).
"""

from __future__ import annotations

import numpy as np
from scipy.special import ndtr

from bestofk.array_types import Floats
from bestofk.recommendation.a3r import SHORTEST_SECONDS
from bestofk.recommendation.greedy_portfolio import usual_ranking_order
from bestofk.recommendation.history import History
from bestofk.recommendation.latent_factors import fill_gaps, leading_factors, logit_scores
from bestofk.recommendation.loss_time import Window
from bestofk.recommendation.recommender import Advisor, Recommender

_LEAST_NOISE = 1e-6  # variance; a learner that fits without error still has some
_N_NODES = 21  # of the quadrature over the time that a test may take
_SMALLEST_DELAY = 0.001  # decades; keeps the index finite where a test costs no time


class LowRankCompletion(Recommender):
    """Find the new data set's latent factors by a few quick tests, then test what they promise.

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
        """Return how uncertain the factors leave each expected value, noise not counted."""
        return np.asarray(((self._loadings @ self._covariance) * self._loadings).sum(axis=1))

    def tell(self, learner: int, value: float) -> None:
        """Condition the latent factors on a value: recursive ridge regression."""
        loading = self._loadings[learner]
        reach = self._covariance @ loading
        gain = reach / (self.noise[learner] + loading @ reach)
        self._latent += gain * (value - self._mean[learner] - loading @ self._latent)
        self._covariance -= np.outer(gain, reach)
