"""Active testing: learners chosen by past duels against the best so far.

References
----------
Leite, Brazdil & Vanschoren (2012), Selecting classification algorithms with active testing,
MLDM, LNCS 7376; Abdulrahman, Brazdil, van Rijn & Vanschoren (2018), Speeding up algorithm
selection using average ranking and active testing by introducing runtime, Machine Learning
107, 79-108 (duels decided by A3R).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from bestofk.array_types import Floats, Positions
from bestofk.checks import check_known, check_number
from bestofk.measures.ties import tied_values
from bestofk.recommendation.a3r import LOWEST_SCORE, a3r, as_fraction
from bestofk.recommendation.average_ranking import average_ranking_order, chosen_power
from bestofk.recommendation.history import History
from bestofk.recommendation.loss_time import Window
from bestofk.recommendation.recommender import Advisor, Recommender

USUAL_START_POWER = 1 / 64  # of the ranking whose first learner opens the tournament
WEIGHTS = ("equal", "duels")


class Duel(NamedTuple):
    """One round: the best learner, its challenger, and the gain promised by past duels."""

    current_best: int
    candidate: int
    gain: float


class ActiveTesting(Recommender):
    """Test next what gained most over the best so far on earlier data sets.

    The first learner of the average ranking is tested first and is the current best.  Then
    the untested learner with the largest gain is tested: the sum over data sets of how far
    its A3R against the current best is above 1.  It becomes the current best if its score
    is strictly higher.  Equal gains go by place in the average ranking.

    Parameters
    ----------
    power : float
        P of A3R in the gains; 0 ignores time.
    start_power : float or None, default=1/64
        P of the average ranking; None chooses it on the history.
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
    >>> from bestofk.recommendation.a3r import LOWEST_SCORE
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
        self,
        power: float,
        *,
        start_power: float | None = USUAL_START_POWER,
        weights: str = "equal",
    ) -> None:
        for what, value in (("power", power), ("start_power", start_power)):
            check_number(
                value, f"{what} of ActiveTesting", low=0, or_none=True, way_out="0 ignores time."
            )
        check_known(weights, "weights of ActiveTesting", WEIGHTS)
        self.power = power
        self.start_power = start_power
        self.weights = weights
        self.name, self.title = _names(power, start_power, weights)
        self.needs_seconds = power > 0 or start_power is None or start_power > 0
        self.needs_window = start_power is None

    def start(self, history: History, default_score: float, window: Window) -> ActiveTest:
        """Rank the learners; see `Recommender.start`."""
        start_power = self.start_power
        if start_power is None:
            start_power = chosen_power(history, window)
        order = average_ranking_order(history, start_power)
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


def _names(power: float, start_power: float | None, weights: str) -> tuple[str, str]:
    """Return the name and the title: P always, the rest where it is not the usual."""
    name = f"active-testing-{as_fraction(power)}"
    title = f"active testing, P = {as_fraction(power)}"
    if start_power is None:
        name, title = f"{name}-chosen-start", f"{title}, start chosen"
    elif start_power != USUAL_START_POWER:
        start = as_fraction(start_power)
        name, title = f"{name}-start-{start}", f"{title}, start at P = {start}"
    if weights == "duels":
        name, title = f"{name}-duels", f"{title}, weighted by duels"
    return name, title
