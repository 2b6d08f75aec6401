"""Counts of wins, ties and losses of every pair of learners."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from bestofk.array_types import Ints
from bestofk.errors import DesignError
from bestofk.inference.checks import Names, learner_table
from bestofk.measures.ties import tied_values

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True, eq=False)
class WinTieLoss:
    """Counts of wins, ties and losses of every pair of learners.

    Parameters
    ----------
    names : tuple of str
        Learners.
    n_cases : int
        Splits or data sets that were counted.
    wins, ties : ndarray of shape (n_learners, n_learners), int
        [i, j]: cases where learner i has the smaller loss than j, and where they are tied;
        0 on the diagonal. Losses of i are wins of j.
    shown_wins : ndarray of shape (n_learners, n_learners), int
        Cases where i is significantly better than j; all others but `shown_wins` of j are
        undecided, which is not tied.
    has_tests : bool
        Whether tests were given; if not, `shown_wins` holds zeros.
    """

    names: tuple[str, ...]
    n_cases: int
    wins: Ints
    ties: Ints
    shown_wins: Ints
    has_tests: bool

    def to_frame(self) -> pd.DataFrame:
        """Return one row per pair of learners.

        Returns
        -------
        DataFrame
            Columns first, second, wins, ties, losses (of the first, by the raw losses); with
            tests also shown_wins, undecided, shown_losses.
        """
        import pandas as pd

        first, second = np.triu_indices(len(self.names), k=1)
        columns: dict[str, object] = {
            "first": [self.names[i] for i in first],
            "second": [self.names[j] for j in second],
            "wins": self.wins[first, second],
            "ties": self.ties[first, second],
            "losses": self.wins[second, first],
        }
        if self.has_tests:
            won, lost = self.shown_wins[first, second], self.shown_wins[second, first]
            columns |= {
                "shown_wins": won,
                "undecided": self.n_cases - won - lost,
                "shown_losses": lost,
            }
        return pd.DataFrame(columns)


def win_tie_loss(
    losses: ArrayLike, *, names: Names = None, shown_worse: ArrayLike | None = None
) -> WinTieLoss:
    """Count wins, ties and losses of every pair of learners.

    Parameters
    ----------
    losses : array-like of shape (n_cases, n_learners)
        Lower is better; cases are data sets, or splits of one data set.
    names : sequence of str, optional
        Learners, needed where they are more than the cases; "learner 1" and so on if left out.
    shown_worse : array-like of shape (n_cases, n_learners, n_learners), bool, optional
        [c, i, j]: whether learner i is shown to have the greater loss than j in case c.

    Returns
    -------
    WinTieLoss
        Losses of one case that differ by rounding only (12 digits) are tied. Counts on splits
        of one data set depend on each other: they describe, and no sign test may be made of
        them.

    Raises
    ------
    DesignError
        If losses are no table of finite numbers of at least 2 learners, or have more learners
        than cases and no names, or the tests do not fit.
    InvalidArgumentError
        If names do not fit.

    Examples
    --------
    >>> counted = win_tie_loss([[0.1, 0.2], [0.3, 0.3], [0.1, 0.4]], names=["cart", "1nn"])
    >>> counted.to_frame().values.tolist()
    [['cart', '1nn', 2, 1, 0]]
    """
    what = "losses of win_tie_loss"
    table, labels = learner_table(losses, what, row="case", names=names, min_rows=1)
    n_cases, k = table.shape
    joined = tied_values(table)
    wins = np.array([(joined[:, [i]] < joined).sum(axis=0) for i in range(k)])
    worse = np.zeros((1, k, k), dtype=bool)
    if shown_worse is not None:
        worse = np.asarray(shown_worse, dtype=bool)
        if worse.shape != (n_cases, k, k):
            raise DesignError(
                f"shown_worse of win_tie_loss must have the shape {(n_cases, k, k)}; got "
                f"{worse.shape}. Give one answer per case and ordered pair of learners."
            )
    ties = n_cases - wins - wins.T
    np.fill_diagonal(ties, 0)
    shown_wins, has_tests = worse.sum(axis=0).T, shown_worse is not None
    return WinTieLoss(labels, n_cases, wins, ties, shown_wins, has_tests)
