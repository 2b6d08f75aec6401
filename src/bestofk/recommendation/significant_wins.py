"""Significant wins minus significant losses of each learner, and the ranking by them.

References
----------
Brazdil & Soares (2000), A comparison of ranking methods for classification algorithm
selection, ECML, LNCS 1810 (ranking by significant wins); Nadeau & Bengio (2003), Inference
for the generalization error, Machine Learning 52 (the test).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from bestofk.array_types import Floats
from bestofk.checks import check_number
from bestofk.errors import DesignError, InvalidArgumentError
from bestofk.inference.many_data_sets.ranks import (
    rank_within_data_sets,
    ranking_order,
    weighted_average_ranks,
)
from bestofk.inference.sampling import Sampling
from bestofk.inference.two_learners.t_tests import CorrectedT
from bestofk.recommendation.history import History
from bestofk.recommendation.loss_time import Window
from bestofk.recommendation.recommender import Advisor, FixedOrder, Recommender


class SignificantWins(Recommender):
    """Try learners by their mean rank over earlier data sets, ranked by significant wins.

    Parameters
    ----------
    alpha : float in (0, 1), default=0.05
        Level of each test; see `significant_wins`.

    Examples
    --------
    >>> from bestofk.recommendation.fold_scores import FoldScores
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
        scores[first] - scores[second],
        sampling,
        scale=np.maximum(largest[first], largest[second]),
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
