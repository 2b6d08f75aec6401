"""Average ranking: learners by their mean rank over earlier data sets.

References
----------
Abdulrahman, Brazdil, van Rijn & Vanschoren (2018), Speeding up algorithm selection using
average ranking and active testing by introducing runtime, Machine Learning 107, 79-108;
Abdulrahman & Brazdil (2016), Effect of incomplete meta-dataset on average ranking method,
arXiv:1608.06845 (the weights of incomplete rows).
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from bestofk.array_types import Floats, Positions
from bestofk.inference.many_data_sets.ranks import ranking_order, weighted_average_ranks
from bestofk.measures.ties import is_noise, tied_values
from bestofk.recommendation.a3r import POWERS, as_fraction, check_power
from bestofk.recommendation.history import History
from bestofk.recommendation.loss_time import Window, interval_losses
from bestofk.recommendation.recommender import Advisor, FixedOrder, Recommender


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
