"""Greedy portfolio: learners that cover the earlier data sets best together, times ignored.

References
----------
Feurer, Eggensperger, Falkner, Lindauer & Hutter (2022), Auto-sklearn 2.0: hands-free AutoML
via meta-learning, Journal of Machine Learning Research 23 (portfolios built greedily);
Salinas & Erickson (2024), TabRepo: a large scale repository of tabular model evaluations and
its AutoML applications, AutoML Conference (zero-shot portfolios).
"""

from __future__ import annotations

import numpy as np

from bestofk.array_types import Positions
from bestofk.measures.ties import tied_values
from bestofk.recommendation.average_ranking import average_ranking_order
from bestofk.recommendation.history import History
from bestofk.recommendation.loss_time import Window
from bestofk.recommendation.recommender import Advisor, FixedOrder, Recommender

_USUAL_POWER = 1 / 64  # of the average ranking, where times are known


class GreedyPortfolio(Recommender):
    """Test next what adds most to the best of the portfolio, on average over data sets.

    The gain of a learner is the mean over data sets of max(0, its score - the best score of
    those before it), which starts at the score before any test.  A learner without a score
    on a data set gains nothing there.  Equal gains, and all learners after the last gain, go
    by place in the average ranking (P = 1/64, or by score alone where a time is missing).

    Notes
    -----
    Right where tests are counted and not timed: all take about the same time, or all that
    matters is the best of the first few.  Where times differ it begins with slow learners and
    loses what an average ranking by score alone loses; take `GainPerLogDelay` then.

    Examples
    --------
    >>> from bestofk.recommendation.loss_time import USUAL_WINDOW
    >>> scores = [[0.9, 0.8, 0.5], [0.9, 0.8, 0.5], [0.6, 0.5, 0.9]]
    >>> advisor = GreedyPortfolio().start(History.from_arrays(scores), 0.5, USUAL_WINDOW)
    >>> advisor.next()
    0
    >>> advisor.tell(0, 0.7, 1.0)
    >>> advisor.next()
    2
    """

    name = "greedy-portfolio"
    title = "greedy portfolio, time ignored"
    needs_seconds = False

    def start(self, history: History, default_score: float, window: Window) -> Advisor:
        """Build the portfolio; see `Recommender.start`."""
        return FixedOrder(greedy_portfolio_order(history))


def greedy_portfolio_order(history: History) -> Positions:
    """Return all learners in the order in which they join the portfolio.

    Parameters
    ----------
    history : History
        Earlier data sets.

    Returns
    -------
    ndarray of shape (n_learners,), int
        Positions of the learners.

    Examples
    --------
    >>> scores = [[0.9, 0.8, 0.5], [0.9, 0.8, 0.5], [0.6, 0.5, 0.9]]
    >>> greedy_portfolio_order(History.from_arrays(scores)).tolist()
    [0, 2, 1]
    """
    ranked = usual_ranking_order(history)
    scores = history.scores[:, ranked]  # the first of equal gains is the better ranked
    best = history.default_scores[:, None]
    joined: list[int] = []
    while len(joined) < len(ranked):
        gains = tied_values(np.fmax(scores - best, 0.0).sum(axis=0), len(scores))
        learner = int(np.argmax(gains))  # no learner of the portfolio has a gain above 0
        if gains[learner] <= 0:
            break
        joined.append(learner)
        best = np.fmax(best, scores[:, [learner]])
    last = np.setdiff1d(np.arange(len(ranked)), joined)
    return np.asarray(ranked[[*joined, *last]])


def usual_ranking_order(history: History) -> Positions:
    """Return the average ranking with P = 1/64, or by score alone where a time is missing."""
    return average_ranking_order(history, _USUAL_POWER if history.has_seconds else 0.0)
