"""What a recommendation gives back: the order, what was tried, and the pick."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import pandas as pd

from bestofk.comparison import Comparison
from bestofk.measures import Measure


class Forecast(NamedTuple):
    """What the history expects of a learner when its turn comes.

    Attributes
    ----------
    learner : str
        Its name.
    gain : float
        What it is expected to add to the best score so far; of the history's measure.
    seconds : float
        How long its test is expected to take on this data set; nan if nobody knows.
    """

    learner: str
    gain: float
    seconds: float


class TriedLearner(NamedTuple):
    """How the test of a learner went.

    Attributes
    ----------
    learner : str
        Its name.
    state : {"done", "ended early", "cut off", "failed"}
        Whether all folds were done; ended early because it could not win, or cut off because
        the budget was spent.
    loss : float
        Mean loss of the deciding measure over the folds done; nan if there is none.
    n_folds : int
        Folds done.
    seconds : float
        Fit and predict, all folds.
    expected_gain, expected_seconds : float
        What the history made expect before it.
    best_so_far : str
        The learner with the lowest mean loss after this test; "" before the first.
    """

    learner: str
    state: str
    loss: float
    n_folds: int
    seconds: float
    expected_gain: float
    expected_seconds: float
    best_so_far: str


@dataclass(frozen=True, eq=False)
class Recommendation:
    """What earlier data sets recommend for a new one, and what came of it.

    Attributes
    ----------
    data_name, task : str
        The new data set.
    measure : Measure
        What decides.
    planned : tuple of Forecast
        The order before anything was tried.
    tried : tuple of TriedLearner
        In the order tried; empty after a dry run.
    untried : tuple of (str, str)
        Learners that were left out, and why.
    comparison : Comparison or None
        The verdict among the learners tested in full; None if there are fewer than two.
    budget_seconds : float or None
        None where there was no limit.
    seconds : float
        From the call to its end.
    notes : tuple of str
        What a reader should know about the history.
    """

    data_name: str
    task: str
    measure: Measure
    planned: tuple[Forecast, ...]
    tried: tuple[TriedLearner, ...]
    untried: tuple[tuple[str, str], ...]
    comparison: Comparison | None
    budget_seconds: float | None
    seconds: float
    notes: tuple[str, ...]

    @property
    def best(self) -> str | None:
        """The pick; None if no learner was tested in full."""
        if self.comparison is not None:
            return str(self.comparison.best)
        return self.tried[-1].best_so_far or None if self.tried else None

    def frame(self) -> pd.DataFrame:
        """Return one row per learner: those tried in their order, then the others.

        Columns: learner, state ("planned" before anything was tried, "left out" afterwards),
        loss, n_folds, seconds, expected_gain, expected_seconds, best_so_far.
        """
        rows = [one._asdict() for one in self.tried]
        names = {one.learner for one in self.tried}
        state = "left out" if self.tried or self.untried else "planned"
        rows += [
            TriedLearner(one.learner, state, np.nan, 0, np.nan, one.gain, one.seconds, "")._asdict()
            for one in self.planned
            if one.learner not in names
        ]
        return pd.DataFrame(rows, columns=TriedLearner._fields)
