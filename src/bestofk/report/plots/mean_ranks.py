"""Picture of mean ranks of learners over a history, with their spread."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final, Protocol

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from numpy.typing import ArrayLike, NDArray

from bestofk.errors import DesignError, InvalidArgumentError
from bestofk.inference.many_data_sets.ranks import ranking_order, weighted_average_ranks
from bestofk.report.plots.base import Display, name_list
from bestofk.report.plots.drawing import BLUE, VERMILION, ink
from bestofk.report.plots.labels import headline, label_scale, name_lanes, short_name, write_in_lane
from bestofk.words import times

_LANE_INCHES: Final = 0.25
_SPREAD: Final = (0.1, 0.25, 0.5, 0.75, 0.9)


class RankedHistory(Protocol):
    """Scores of learners on earlier data sets, as far as ranks need them."""

    @property
    def learners(self) -> Sequence[str]:
        """Names of the learners."""

    def ranks(self, power: float) -> NDArray[np.float64]:
        """Return the ranks by A3R within each data set."""


class MeanRanksDisplay(Display):
    """Mean rank of each learner over data sets, best first, with the spread of its ranks.

    The spread says how ranks differ from data set to data set.  It is no interval of the mean
    and no test: see `CriticalDifferenceDisplay` for one.

    Parameters
    ----------
    ranks : array-like of shape (n_data_sets, n_learners), float
        Within each row, 1 is best; nan where a learner was not tested.
    names : sequence of str
        Learners.
    n_shown : int, default=20
        How many of the best are drawn.

    Raises
    ------
    DesignError
        If the ranks are no table.
    InvalidArgumentError
        If names do not fit, or `n_shown` is below 1.

    Notes
    -----
    A row with gaps weighs less in the mean; see `weighted_average_ranks`.

    References
    ----------
    Abdulrahman, Brazdil, van Rijn & Vanschoren (2018), Speeding up algorithm selection using
    average ranking and active testing by introducing runtime, Machine Learning 107, 79-108.

    Examples
    --------
    >>> display = MeanRanksDisplay([[2, 1, 3], [1, 2, 3], [3, 1, 2]], ["lda", "cart", "1nn"])
    >>> display.frame()[["learner", "mean_rank"]].round(2).values.tolist()
    [['cart', 1.33], ['lda', 2.0], ['1nn', 2.67]]
    """

    def __init__(self, ranks: ArrayLike, names: Sequence[str], *, n_shown: int = 20) -> None:
        self.ranks = np.asarray(ranks, dtype=float)
        if self.ranks.ndim != 2 or not self.ranks.size:
            raise DesignError(
                "ranks must be a table of data sets by learners; got shape "
                f"{self.ranks.shape}. Give one row per data set."
            )
        if n_shown < 1:
            raise InvalidArgumentError(f"n_shown must be at least 1; got {n_shown}. 20 fit a page.")
        self.names = name_list(names, self.ranks.shape[1], "learners")
        self.n_shown = n_shown

    @classmethod
    def from_history(
        cls, history: RankedHistory, *, power: float = 0.0, n_shown: int = 20
    ) -> MeanRanksDisplay:
        """Rank the learners of a history within its data sets.

        Parameters
        ----------
        history : History
            Scores, and times unless `power` is 0.
        power : float, default=0
            P of A3R: how much time counts.
        n_shown : int, default=20
            How many of the best are drawn.

        Returns
        -------
        MeanRanksDisplay
        """
        return cls(history.ranks(power), history.learners, n_shown=n_shown)

    def frame(self) -> pd.DataFrame:
        """Return a DataFrame with one row per learner, best first.

        Returns
        -------
        DataFrame
            Columns learner, mean_rank, lowest_tenth, lower_quartile, median, upper_quartile,
            highest_tenth (quantiles of its ranks), n_data_sets (where it was ranked).  Those
            without a rank come last.
        """
        means = weighted_average_ranks(self.ranks)
        spread = np.full((len(_SPREAD), len(self.names)), np.nan)
        is_ranked = ~np.isnan(self.ranks).all(axis=0)
        spread[:, is_ranked] = np.nanquantile(self.ranks[:, is_ranked], _SPREAD, axis=0)
        columns = ("lowest_tenth", "lower_quartile", "median", "upper_quartile", "highest_tenth")
        table = pd.DataFrame(
            {
                "learner": self.names,
                "mean_rank": means,
                **dict(zip(columns, spread, strict=True)),
                "n_data_sets": (~np.isnan(self.ranks)).sum(axis=0),
            }
        )
        return table.iloc[ranking_order(means)].reset_index(drop=True)

    @property
    def size(self) -> tuple[float, float]:
        """Width and height in inches at which all of it can be read."""
        shown = [short_name(name) for name in self._shown()["learner"]]
        return 4.6 + 0.08 * max(map(len, shown)), 1.6 + _LANE_INCHES * len(shown)

    def _shown(self) -> Any:
        """Return the rows that are drawn."""
        return self.frame().head(self.n_shown)

    def _draw(self, ax: Axes) -> None:
        table = self._shown()
        indices = np.arange(len(table))
        ax.hlines(indices, table["lowest_tenth"], table["highest_tenth"], color=BLUE, lw=1.2)
        ax.hlines(
            indices, table["lower_quartile"], table["upper_quartile"], color=BLUE, lw=6, alpha=0.45
        )
        ax.vlines(table["median"], indices - 0.3, indices + 0.3, color=ink(), lw=1.6, zorder=3)
        mean: dict[str, Any] = {"ms": 6, "color": VERMILION, "mec": ink(), "mew": 0.8, "zorder": 4}
        ax.plot(table["mean_rank"], indices, "D", **mean)
        for index, rank in zip(indices, table["mean_rank"], strict=True):
            write_in_lane(ax, f"{rank:.1f}", 1.02, index)
        name_lanes(ax, list(table["learner"]))
        ax.set_xlim(left=0)
        label_scale(
            ax, "rank on a data set (1 is best)",
            "diamond and number: mean; line: median; bars: middle half, and middle 80%",
        )  # fmt: skip
        n_sets, n_learners = self.ranks.shape
        ranked = times(n_learners, "learner")
        ranked = f"The best {len(table)} of {ranked}" if len(table) < n_learners else ranked
        headline(ax, f"{ranked} on {times(n_sets, 'data set')}")
