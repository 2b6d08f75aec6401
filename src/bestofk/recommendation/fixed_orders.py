"""Recommenders, and orders that no result of a test changes.

- Random order, as a reference without any advice.
- Average ranking: by the mean rank over earlier data sets.
- Greedy portfolio: learners that cover the earlier data sets best together, times ignored.
- Significant wins: by significant wins minus significant losses on earlier data sets.

References
----------
Abdulrahman, Brazdil, van Rijn & Vanschoren (2018), Speeding up algorithm selection using average
ranking and active testing by introducing runtime, Machine Learning 107, 79-108; Abdulrahman &
Brazdil (2016), Effect of incomplete meta-dataset on average ranking method, arXiv:1608.06845 (the
weights of incomplete rows); Feurer, Eggensperger, Falkner, Lindauer & Hutter (2022), Auto-sklearn
2.0: hands-free AutoML via meta-learning, Journal of Machine Learning Research 23 (portfolios built
greedily); Salinas & Erickson (2024), TabRepo: a large scale repository of tabular model
evaluations and its AutoML applications, AutoML Conference (zero-shot portfolios); Brazdil & Soares
(2000), A comparison of ranking methods for classification algorithm selection, ECML, LNCS 1810
(ranking by significant wins); Nadeau & Bengio (2003), Inference for the generalization error,
Machine Learning 52 (the test).
"""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from functools import lru_cache

import numpy as np
from numpy.typing import ArrayLike

from bestofk.array_types import Floats, Positions
from bestofk.checks import check_number
from bestofk.errors import DesignError, InvalidArgumentError
from bestofk.inference.many_data_sets.ranks import (
    rank_within_data_sets,
    ranking_order,
    weighted_average_ranks,
)
from bestofk.inference.sampling import Sampling
from bestofk.inference.two_learners.t_tests import CorrectedT
from bestofk.measures.ties import is_noise, tied_values
from bestofk.randomness import derive_seed
from bestofk.recommendation.history import History
from bestofk.recommendation.loss_time import (
    POWERS,
    Window,
    as_fraction,
    check_power,
    interval_losses,
)


class Advisor(ABC):
    """Advisor on the next learner to test, for one new data set."""

    @abstractmethod
    def next(self) -> int:
        """Return the position of the learner to test next; each comes once."""

    @abstractmethod
    def tell(self, learner: int, score: float, seconds: float) -> None:
        """Record the result of the test of a learner.

        Parameters
        ----------
        learner : int
            Its position.
        score : float
            What it reached; nan for a test that failed.
        seconds : float
            What the test took, on this machine.
        """


class Recommender(ABC):
    """Recommender, the same for every new data set.

    Attributes
    ----------
    name : str
        As users type it.
    title : str
        As tables and legends print it.
    needs_seconds : bool
        Whether it works on a history with times only.
    needs_window : bool
        Whether the seconds that count change its order.
    """

    name: str
    title: str
    needs_seconds: bool
    needs_window: bool = False

    def weight_of_time(self, history: History, window: Window) -> float | None:
        """Return P of A3R, the weight of time, on a history; None for a method that has none."""
        return None

    @abstractmethod
    def start(self, history: History, default_score: float, window: Window) -> Advisor:
        """Start on a new data set.

        Parameters
        ----------
        history : History
            Earlier data sets; the new one is not among them.
        default_score : float
            What the new data set gives before any test.
        window : Window
            The seconds that count.

        Returns
        -------
        Advisor
            To be asked until it is exhausted, or time is over.
        """


class FixedOrder(Advisor):
    """Advice in a fixed order, which no result changes.

    Parameters
    ----------
    order : sequence of int
        The learners, first to last.
    """

    def __init__(self, order: Sequence[int] | Positions) -> None:
        self._order = [int(learner) for learner in order]
        self._tested: set[int] = set()

    def next(self) -> int:
        """Return the first that was not tested yet."""
        return next(learner for learner in self._order if learner not in self._tested)

    def tell(self, learner: int, score: float, seconds: float) -> None:
        """Record that the learner was tested."""
        self._tested.add(learner)


class RandomOrder(Recommender):
    """Test learners in random order.

    Every learner's place follows from its name and the random state alone: the order is the
    same on all data sets, and one learner more or less leaves the order of the others.

    Parameters
    ----------
    random_state : int or str, default=0
        Names the order.

    Notes
    -----
    Right as the floor of a comparison.  One order may be lucky: several random states, and
    their mean, show what luck there is.

    Examples
    --------
    >>> from bestofk.recommendation.loss_time import USUAL_WINDOW
    >>> history = History.from_arrays([[0.9, 0.8, 0.7]], learners=["tree", "knn", "svm"])
    >>> RandomOrder(0).start(history, 0.5, USUAL_WINDOW).next()
    1
    """

    title = "random order"
    needs_seconds = False

    def __init__(self, random_state: int | str = 0) -> None:
        self.random_state = random_state
        self.name = f"random-order-{random_state}"

    def start(self, history: History, default_score: float, window: Window) -> Advisor:
        """Draw the order; see `Recommender.start`."""
        draws = [derive_seed(self.random_state, "order", name) for name in history.learners]
        return FixedOrder(sorted(range(history.n_learners), key=draws.__getitem__))


class AverageRanking(Recommender):
    """Try learners by their mean rank on earlier data sets, time counted by A3R.

    Parameters
    ----------
    power : float
        P of A3R: 0 ranks by score alone.

    Raises
    ------
    InvalidArgumentError
        If `power` is negative, infinite or no number.
    """

    def __init__(self, power: float) -> None:
        check_power(power)
        self.power = power
        self.name = f"average-ranking-{as_fraction(power)}"
        self.title = f"average ranking, P = {as_fraction(power)}"
        self.needs_seconds = power > 0

    def start(self, history: History, default_score: float, window: Window) -> Advisor:
        """Rank the learners; see `Recommender.start`."""
        return FixedOrder(average_ranking_order(history, self.power))

    def weight_of_time(self, history: History, window: Window) -> float:
        """Return P; see `Recommender.weight_of_time`."""
        return self.power


class ChosenPowerRanking(Recommender):
    """Average ranking with the P that loses least on the earlier data sets themselves.

    Each candidate is judged by leaving out one data set at a time; equal losses go to the
    larger P.
    """

    name = "average-ranking-chosen"
    title = "average ranking, P chosen"
    needs_seconds = True
    needs_window = True

    def start(self, history: History, default_score: float, window: Window) -> Advisor:
        """Choose P on the history, then rank; see `Recommender.start`."""
        return FixedOrder(average_ranking_order(history, chosen_power(history, window)))

    def weight_of_time(self, history: History, window: Window) -> float:
        """Return the P that is chosen on the history; see `Recommender.weight_of_time`."""
        return chosen_power(history, window)


@lru_cache(maxsize=2)
def chosen_power(history: History, window: Window) -> float:
    """Return the P of the grid with the lowest mean interval loss, leaving one out."""
    losses = [_left_out_losses(history, power, window).sum() for power in POWERS]
    means = np.array(losses) / max(history.n_data_sets, 1)
    # losses are differences of scores
    scale = np.nanmax(np.abs(history.scores), initial=0.0)
    return POWERS[int(np.argmin(tied_values(means, scale)))]


def average_ranking_order(history: History, power: float) -> Positions:
    """Return the learners by mean rank of A3R over the history, best first.

    Parameters
    ----------
    history : History
        Earlier data sets.
    power : float
        P of A3R.

    Returns
    -------
    ndarray of int
        Positions of the learners; those never ranked come last, ties as in the history.

    Examples
    --------
    >>> history = History.from_arrays([[0.9, 0.7], [0.8, 0.75]], [[90.0, 0.1], [80.0, 0.1]])
    >>> average_ranking_order(history, 0).tolist(), average_ranking_order(history, 0.25).tolist()
    ([0, 1], [1, 0])
    """
    return ranking_order(weighted_average_ranks(a3r_ranks(history, power)))


@lru_cache(maxsize=len(POWERS) * 2)
def a3r_ranks(history: History, power: float) -> Floats:
    """Return the ranks by A3R within each data set of the history, computed once."""
    return history.ranks(power)


def _left_out_losses(history: History, power: float, window: Window) -> Floats:
    """Return the interval loss on each data set of the ranking that the others give."""
    ranks = a3r_ranks(history, power)
    there = ~np.isnan(ranks)
    weights = (there.sum(axis=1) - 1) / max(history.n_learners - 1, 1)
    weighted = np.where(there, ranks * weights[:, None], 0.0)
    total = np.where(there, weights[:, None], 0.0)
    summed = weighted.sum(axis=0) - weighted
    counted = total.sum(axis=0) - total
    counted[is_noise(counted, 1.0)] = 0.0
    means = np.divide(summed, counted, out=np.full(ranks.shape, np.nan), where=counted > 0)
    orders = np.argsort(tied_values(means), axis=1, kind="stable")
    return interval_losses(
        np.take_along_axis(history.scores, orders, axis=1),
        np.take_along_axis(history.floored_seconds(), orders, axis=1),
        history.default_scores,
        np.fmax.reduce(history.scores, axis=1, initial=0.0),
        window,
    )


_USUAL_POWER = 1 / 64  # of the average ranking, where times are known


class GreedyPortfolio(Recommender):
    """Test next the learner that adds most to the best of the portfolio, on average.

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


class SignificantWins(Recommender):
    """Try learners by their mean rank over earlier data sets, ranked by significant wins.

    Parameters
    ----------
    alpha : float in (0, 1), default=0.05
        Level of each test; see `significant_wins`.

    Examples
    --------
    >>> from bestofk.recommendation.history import FoldScores
    >>> from bestofk.recommendation.loss_time import USUAL_WINDOW
    >>> folds = np.array([[[0.6, 0.7, 0.6], [0.8, 0.91, 0.79], [0.8, 0.8, 0.9]]])
    >>> scores = FoldScores(folds, test_shares=np.array([1 / 2]))
    >>> history = History.from_arrays(folds.mean(axis=2), fold_scores=scores)
    >>> history_wins(history).tolist()
    [[-1.0, 1.0, 0.0]]
    >>> SignificantWins().start(history, 0.5, USUAL_WINDOW).next()
    1
    """

    name = "significant-wins"
    title = "average ranking, significant wins"
    needs_seconds = False

    def __init__(self, alpha: float = 0.05) -> None:
        self.alpha = alpha

    def start(self, history: History, default_score: float, window: Window) -> Advisor:
        """Test all pairs on each data set, then rank; see `Recommender.start`.

        Raises
        ------
        InvalidArgumentError
            If the history has data sets and none with the scores of two folds.
        """
        if not history.n_data_sets:
            return FixedOrder(range(history.n_learners))
        ranks = rank_within_data_sets(history_wins(history, alpha=self.alpha))
        return FixedOrder(ranking_order(weighted_average_ranks(ranks)))


def history_wins(history: History, *, alpha: float = 0.05) -> Floats:
    """Return significant wins minus losses of each learner on each data set of a history.

    Parameters
    ----------
    history : History
        With the scores of folds: read from stores, or from tables with one row per fold.
    alpha : float in (0, 1), default=0.05
        Level of each test.

    Returns
    -------
    ndarray of shape (n_data_sets, n_learners)
        nan where a learner lacks a fold, and on data sets with one split or without folds.

    Raises
    ------
    InvalidArgumentError
        If no data set has the scores of two folds, or `alpha` is not in (0, 1).
    """
    folds = history.fold_scores
    wins = np.full(history.scores.shape, np.nan)
    usable = [] if folds is None else np.flatnonzero(~np.isnan(folds.test_shares)).tolist()
    if folds is None or not usable:
        raise InvalidArgumentError(
            "history of significant-wins must have the scores of at least two folds of a data "
            "set; got means alone. Give stores, or tables with one row per fold (--history)."
        )
    for i in usable:
        values = folds.values[i]
        there = values[:, ~np.isnan(values).all(axis=0)]
        if there.shape[1] > 1:
            share = float(folds.test_shares[i])
            wins[i] = significant_wins([there], n_train=1.0, n_test=share, alpha=alpha)[0]
    return wins


def significant_wins(
    scores: ArrayLike, *, n_train: float, n_test: float, alpha: float = 0.05
) -> Floats:
    """Return wins minus losses of each learner, every pair tested on each data set.

    A pair is a win of the learner with the higher mean score if the corrected resampled t
    test (two-sided) rejects at `alpha`; else it counts for neither.  The figures are values for
    `rank_within_data_sets`, as scores are.

    Parameters
    ----------
    scores : array-like of shape (n_data_sets, n_learners, n_folds)
        Higher is better; fold j of a data set is the same split for all learners.  Folds of
        repeats follow each other.  A learner with a fold missing (nan) takes no part there.
    n_train, n_test : float
        Mean numbers of rows trained and tested on; only their ratio matters, so 9 and 1 are
        right for ten folds of any size.
    alpha : float in (0, 1), default=0.05
        Level of each test; there is no correction for their number.

    Returns
    -------
    ndarray of shape (n_data_sets, n_learners)
        From -(n_learners - 1) to n_learners - 1; nan where a learner takes no part.

    Raises
    ------
    DesignError
        If `scores` has not three dimensions or fewer than two folds.
    InvalidArgumentError
        If `alpha` is not in (0, 1), a score is infinite or a size not positive.

    Notes
    -----
    Right where small differences should not count as wins.  On few folds little is
    significant, most learners tie at 0 and the ranking says little.

    Examples
    --------
    >>> good, same, bad = [0.90, 0.91, 0.92, 0.93], [0.91, 0.90, 0.93, 0.92], [0.6, 0.7, 0.6, 0.7]
    >>> significant_wins([[good, same, bad]], n_train=3, n_test=1).tolist()
    [[1.0, 1.0, -2.0]]
    """
    table = _checked(scores, alpha)
    sampling = Sampling("custom", 1, table.shape[2], n_train, n_test)
    wins = np.full(table.shape[:2], np.nan)
    for row, of_data_set in zip(wins, table, strict=True):
        takes_part = ~np.isnan(of_data_set).any(axis=1)
        row[takes_part] = _wins_less_losses(of_data_set[takes_part], sampling, alpha)
    return wins


def _wins_less_losses(scores: Floats, sampling: Sampling, alpha: float) -> Floats:
    """Return the figure of each learner, given the complete scores on one data set."""
    n_learners = len(scores)
    first, second = np.triu_indices(n_learners, k=1)
    largest = np.abs(scores).max(axis=1)
    result = CorrectedT().compare(
        scores[first] - scores[second], sampling, scale=np.maximum(largest[first], largest[second])
    )
    is_shown = (result.p_two_sided < alpha) & ~result.zero_variance
    outcome = np.where(is_shown, np.sign(result.mean), 0.0)
    totals = np.bincount(first, outcome, n_learners) - np.bincount(second, outcome, n_learners)
    return np.asarray(totals, dtype=np.float64)


def _checked(scores: ArrayLike, alpha: float) -> Floats:
    check_number(
        alpha, "alpha of significant_wins", low=0, high=1, is_open="both", way_out="0.05 is usual."
    )
    table = np.asarray(scores, dtype=np.float64)
    if table.ndim != 3 or table.shape[2] < 2:
        raise DesignError(
            "scores of significant_wins must be data sets x learners x folds with at least two "
            f"folds; got shape {table.shape}. Hand over the score of every fold."
        )
    if np.isinf(table).any():
        raise InvalidArgumentError(
            "scores of significant_wins must be finite; got an infinite one. Use nan where a fold "
            "is missing."
        )
    return table
