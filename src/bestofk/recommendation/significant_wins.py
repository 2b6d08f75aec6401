"""Significant wins minus significant losses of each learner on each data set.

References
----------
Brazdil & Soares (2000), A comparison of ranking methods for classification algorithm
selection, ECML, LNCS 1810 (ranking by significant wins); Nadeau & Bengio (2003), Inference
for the generalization error, Machine Learning 52 (the test).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bestofk.errors import DesignError, InvalidArgumentError
from bestofk.inference.sampling import Sampling
from bestofk.inference.two_learners.corrected_resampled_t import CorrectedT


def significant_wins(
    scores: ArrayLike, *, n_train: float, n_test: float, alpha: float = 0.05
) -> NDArray[np.float64]:
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


def _wins_less_losses(
    scores: NDArray[np.float64], sampling: Sampling, alpha: float
) -> NDArray[np.float64]:
    """Return the figure of each learner, given the complete scores on one data set."""
    n_learners = len(scores)
    first, second = np.triu_indices(n_learners, k=1)
    largest = np.abs(scores).max(axis=1)
    result = CorrectedT().compare(
        scores[first] - scores[second],
        sampling,
        scale=np.maximum(largest[first], largest[second]),
    )
    outcome = np.where(result.p_two_sided < alpha, np.sign(result.mean), 0.0)
    totals = np.bincount(first, outcome, n_learners) - np.bincount(second, outcome, n_learners)
    return np.asarray(totals, dtype=np.float64)


def _checked(scores: ArrayLike, alpha: float) -> NDArray[np.float64]:
    if not 0 < alpha < 1:
        raise InvalidArgumentError(
            f"alpha of significant_wins must be above 0 and below 1; got {alpha!r}. 0.05 is usual."
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
