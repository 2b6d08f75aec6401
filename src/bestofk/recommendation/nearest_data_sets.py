"""Nearest data sets: learners by their results on the most similar earlier data sets.

References
----------
Brazdil, Soares & da Costa (2003), Ranking learning algorithms: using IBL and meta-learning on
accuracy and time results, Machine Learning 50 (nearest data sets, score against time);
Fuernkranz & Petrak (2001), An evaluation of landmarking variants, ECML/PKDD workshop on
integrating aspects of data mining, decision support and meta-learning (scores of learners as
what describes a data set).
"""

from __future__ import annotations

import numpy as np

from bestofk.array_types import Floats
from bestofk.checks import check_number
from bestofk.measures.ties import tied_values
from bestofk.recommendation.a3r import LOWEST_SCORE, a3r
from bestofk.recommendation.average_ranking import average_ranking_order, chosen_power
from bestofk.recommendation.history import History
from bestofk.recommendation.loss_time import Window
from bestofk.recommendation.recommender import Advisor, Recommender


class NearestDataSets(Recommender):
    """Test next what has the best mean on the k earlier data sets nearest to the new one.

    Distance is the mean squared difference of gains (score minus the score before any test)
    of the learners tested so far.  What is averaged is A3R as a share of the best of its data
    set; with P = 0 that is the score as a share of the best score.  The first test, and
    equal means, go by the average ranking with the same P.

    Parameters
    ----------
    power : float or None, default=None
        P of A3R: 0 ignores time, None chooses it on the history.
    n_nearest : int, default=10
        k; all data sets where there are fewer.

    Raises
    ------
    InvalidArgumentError
        If `power` is negative or `n_nearest` below 1.

    Notes
    -----
    Right where the history is large and data sets come in kinds.  Before the first test all
    data sets are equally near, so it goes by the average ranking.  Whether one, three or five
    tests come first made little difference where it was tried (time ignored), and 5, 10 and
    20 neighbors are about as good as each other.

    Examples
    --------
    >>> from bestofk.recommendation.loss_time import USUAL_WINDOW
    >>> scores = [[0.9, 0.6, 0.7], [0.9, 0.6, 0.7], [0.5, 0.9, 0.6]]
    >>> history = History.from_arrays(scores, default_scores=[0.5] * 3)
    >>> advisor = NearestDataSets(0, n_nearest=1).start(history, 0.5, USUAL_WINDOW)
    >>> advisor.next()
    0
    >>> advisor.tell(0, 0.52, 1.0)
    >>> advisor.next()
    1
    """

    def __init__(self, power: float | None = None, *, n_nearest: int = 10) -> None:
        check_number(
            power,
            "power of NearestDataSets",
            low=0,
            or_none=True,
            way_out="0 ignores time, None chooses it on the history.",
        )
        check_number(n_nearest, "n_nearest of NearestDataSets", low=1, way_out="10 is usual.")
        self.power = power
        self.n_nearest = n_nearest
        self.name = "nearest-data-sets" if power != 0 else "nearest-data-sets-by-score"
        self.title = "nearest data sets" if power != 0 else "nearest data sets, time ignored"
        self.needs_seconds = power is None or power > 0
        self.needs_window = power is None

    def start(self, history: History, default_score: float, window: Window) -> Advisor:
        """Begin with no data set nearer than another; see `Recommender.start`."""
        power = self.power
        if power is None:
            power = chosen_power(history, window)
        return _NearestAdvisor(history, default_score, power, self.n_nearest)


class _NearestAdvisor(Advisor):
    """Advisor with the distances to all earlier data sets."""

    def __init__(
        self, history: History, default_score: float, power: float, n_nearest: int
    ) -> None:
        self._untested = average_ranking_order(history, power)
        self._gains = history.scores - history.default_scores[:, None]
        values = a3r(history.scores, history.seconds, power=power)
        best = np.fmax.reduce(values, axis=1, keepdims=True)
        self._shares = values / np.maximum(best, LOWEST_SCORE)
        self._default_score = default_score
        self._n_nearest = n_nearest
        self._has_begun = False
        self._squares = np.zeros(history.n_data_sets)
        self._counts = np.zeros(history.n_data_sets)

    def next(self) -> int:
        """Return the first of the ranking first, then the best among the nearest."""
        if not self._has_begun:
            return int(self._untested[0])
        return int(self._untested[np.argmax(self._means()[self._untested])])

    def tell(self, learner: int, score: float, seconds: float) -> None:
        """Move the earlier data sets nearer or away; see `Advisor.tell`."""
        self._has_begun = True
        self._untested = self._untested[self._untested != learner]
        squares = (self._gains[:, learner] - (score - self._default_score)) ** 2
        is_known = ~np.isnan(squares)
        self._squares += np.where(is_known, squares, 0.0)
        self._counts += is_known

    def _means(self) -> Floats:
        """Return the mean of each learner where it was tested; -inf if on none of the nearest."""
        far = np.full(len(self._squares), np.inf)  # nothing in common with the new one
        distances = np.divide(self._squares, self._counts, out=far, where=self._counts > 0)
        nearest = np.argsort(distances, kind="stable")[: self._n_nearest]
        shares = self._shares[nearest]
        n_known = (~np.isnan(shares)).sum(axis=0)
        nowhere = np.full(shares.shape[1], -np.inf)
        means = np.divide(np.nansum(shares, axis=0), n_known, out=nowhere, where=n_known > 0)
        return tied_values(means)
