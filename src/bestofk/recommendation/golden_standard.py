"""Rank correlation of recommended and true rankings, leaving one data set out.

A high correlation says that the whole order is right, not that the first tests are: a ranking
by score alone correlates best and may wait longest.

References
----------
Abdulrahman, Brazdil, van Rijn & Vanschoren (2018), Speeding up algorithm selection using
average ranking and active testing by introducing runtime, Machine Learning 107, 79-108.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd
from scipy.stats import kendalltau, rankdata

from bestofk.array_types import Floats
from bestofk.inference.many_data_sets.ranks import rank_within_data_sets, weighted_average_ranks
from bestofk.recommendation.average_ranking import a3r_ranks
from bestofk.recommendation.history import History


@dataclass(frozen=True, eq=False)
class RankAgreement:
    """Correlation of the recommended with the true ranks, one value per data set left out.

    Attributes
    ----------
    data_sets : tuple of str
        What was left out in turn.
    spearman, kendall : ndarray of shape (n_data_sets,)
        Spearman's rho and Kendall's tau-b; nan where all learners score the same.
    """

    data_sets: tuple[str, ...]
    spearman: Floats
    kendall: Floats

    @property
    def n_undefined(self) -> int:
        """Return the number of data sets without a correlation, left out of the means."""
        return int(np.isnan(self.spearman).sum())

    def means(self) -> tuple[float, float]:
        """Return the means of Spearman's rho and Kendall's tau-b; nan where there is none."""
        if self.n_undefined == len(self.data_sets):
            return float("nan"), float("nan")
        return float(np.nanmean(self.spearman)), float(np.nanmean(self.kendall))

    def to_frame(self) -> pd.DataFrame:
        """Return one row per data set: data_set, spearman, kendall."""
        return pd.DataFrame(
            {"data_set": self.data_sets, "spearman": self.spearman, "kendall": self.kendall}
        )


def rank_agreement(history: History, *, power: float) -> RankAgreement:
    """Compare average rankings of the other data sets with the ranks on the one left out.

    Parameters
    ----------
    history : History
        Scores, and times unless `power` is 0.
    power : float
        P of A3R in the average ranking; the true ranks are by score alone.

    Returns
    -------
    RankAgreement
        One correlation per data set, over the learners that were tested there.

    Examples
    --------
    >>> history = History.from_arrays([[0.9, 0.8, 0.7], [0.8, 0.7, 0.6], [0.9, 0.6, 0.7]])
    >>> rank_agreement(history, power=0).spearman.round(2).tolist()
    [0.87, 0.87, 0.5]
    """
    recommended = a3r_ranks(history, power)
    true = rank_within_data_sets(history.scores)
    pairs = [
        _correlations(weighted_average_ranks(np.delete(recommended, i, axis=0)), true[i])
        for i in range(history.n_data_sets)
    ]
    spearman, kendall = np.array(pairs).reshape(-1, 2).T
    return RankAgreement(history.data_sets, spearman, kendall)


def _correlations(mean_ranks: Floats, true_ranks: Floats) -> tuple[float, float]:
    there = ~(np.isnan(mean_ranks) | np.isnan(true_ranks))
    first, second = rankdata(mean_ranks[there]), rankdata(true_ranks[there])
    if len(first) < 2 or np.ptp(first) == 0 or np.ptp(second) == 0:
        return float("nan"), float("nan")
    return float(np.corrcoef(first, second)[0, 1]), float(kendalltau(first, second).statistic)
