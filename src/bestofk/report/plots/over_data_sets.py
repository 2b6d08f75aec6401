"""Pictures of what spreads over data sets, one lane per learner or method: ranks, and losses."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from numpy.typing import ArrayLike

from bestofk.errors import DesignError, InvalidArgumentError
from bestofk.inference.many_data_sets.ranks import ranking_order, weighted_average_ranks
from bestofk.report.plots.base import Display, name_list
from bestofk.report.plots.drawing import BLUE, ink
from bestofk.report.plots.labels import headline, short_name, x_label
from bestofk.report.plots.lanes import draw_means, draw_medians, name_lanes, write_in_lane
from bestofk.report.plots.loss_curves import LOSS_UNIT, loss_table, method_label, scale_losses
from bestofk.words import times

# Columns of the spread of ranks, and the quantiles that they hold.
_SPREAD: Final = {
    "lowest_tenth": 0.1,
    "lower_quartile": 0.25,
    "median": 0.5,
    "upper_quartile": 0.75,
    "highest_tenth": 0.9,
}


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
    >>> display.to_frame()[["learner", "mean_rank"]].round(2).values.tolist()
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
        shown = [short_name(name) for name in self._shown()["learner"]]
        self.size = 4.6 + 0.08 * max(map(len, shown)), 1.6 + 0.25 * len(shown)

    @classmethod
    def from_history(
        cls, history: Any, *, power: float = 0.0, n_shown: int = 20
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

    def to_frame(self) -> pd.DataFrame:
        """Return a DataFrame with one row per learner, best first.

        Returns
        -------
        DataFrame
            Columns learner, mean_rank, lowest_tenth, lower_quartile, median, upper_quartile,
            highest_tenth (quantiles of its ranks), n_data_sets (where it was ranked).  Those
            without a rank come last.
        """
        ranks = pd.DataFrame(self.ranks, columns=self.names)
        table = pd.DataFrame(
            {
                "learner": self.names,
                "mean_rank": weighted_average_ranks(self.ranks),
                **{name: ranks.quantile(share).to_numpy() for name, share in _SPREAD.items()},
                "n_data_sets": ranks.count().to_numpy(),
            }
        )
        return table.iloc[ranking_order(table["mean_rank"].to_numpy())].reset_index(drop=True)

    def _shown(self) -> Any:
        return self.to_frame().head(self.n_shown)

    def _draw(self, ax: Axes) -> None:
        table = self._shown()
        lanes = np.arange(len(table))
        ax.hlines(lanes, table["lowest_tenth"], table["highest_tenth"], color=BLUE, lw=1.2)
        ax.hlines(
            lanes, table["lower_quartile"], table["upper_quartile"], color=BLUE, lw=6, alpha=0.45
        )
        draw_medians(ax, table["median"], lanes - 0.3, lanes + 0.3)
        draw_means(ax, table["mean_rank"], lanes)
        for lane, rank in zip(lanes, table["mean_rank"], strict=True):
            write_in_lane(ax, f"{rank:.1f}", 1.02, lane)
        name_lanes(ax, list(table["learner"]))
        ax.set_xlim(left=0)
        x_label(
            ax, "rank on a data set (1 is best)",
            "diamond and number: mean; line: median; bars: middle half, and middle 80%",
        )  # fmt: skip
        n_sets, n_learners = self.ranks.shape
        ranked = times(n_learners, "learner")
        ranked = f"The best {len(table)} of {ranked}" if len(table) < n_learners else ranked
        headline(ax, f"{ranked} on {times(n_sets, 'data set')}")


class IntervalLossesDisplay(Display):
    """Box plots of the mean interval loss, one lane per method, mean and median marked.

    A box is the middle half of the data sets, its whiskers reach the outermost losses within
    one and a half lengths of the box, and points are beyond.  Losses are drawn by their
    logarithm above a tenth of a point.

    Parameters
    ----------
    losses : array-like of shape (n_data_sets, n_methods), float
        Differences of scores.
    names : sequence of str
        Methods, or settings of one.

    Raises
    ------
    DesignError
        If the losses are no table, below 0 or no numbers.
    InvalidArgumentError
        If names do not fit.

    References
    ----------
    Abdulrahman, Brazdil, van Rijn & Vanschoren (2018), Speeding up algorithm selection using
    average ranking and active testing by introducing runtime, Machine Learning 107, 79-108,
    figure 4.

    Examples
    --------
    >>> display = IntervalLossesDisplay([[0.01, 0.1], [0.03, 0.0]], ["P = 1/4", "P = 0"])
    >>> display.to_frame()[["method", "mean", "median"]].values.tolist()
    [['P = 1/4', 2.0, 2.0], ['P = 0', 5.0, 5.0]]
    """

    def __init__(self, losses: ArrayLike, names: Sequence[str]) -> None:
        self.losses = loss_table(losses, 2)
        self.names = name_list(names, self.losses.shape[1], "methods")
        lines = "\n".join(map(method_label, self.names)).splitlines()
        self.size = 4.6 + 0.08 * max(map(len, lines)), 1.2 + 0.36 * len(self.names)

    @classmethod
    def from_losses(cls, losses: Any) -> IntervalLossesDisplay:
        """Take what methods lost on data sets that were left out in turn.

        Parameters
        ----------
        losses : RecommenderLosses
            Result of `bestofk.recommendation.leave_one_out.leave_one_out`.

        Returns
        -------
        IntervalLossesDisplay
        """
        return cls(losses.losses, losses.titles)

    def to_frame(self) -> pd.DataFrame:
        """Return a DataFrame with one row per method.

        Returns
        -------
        DataFrame
            Columns method, mean, median, lower_quartile, upper_quartile, largest, n_data_sets;
            losses in percentage points.
        """
        points = 100 * self.losses
        low, middle, high = np.quantile(points, [0.25, 0.5, 0.75], axis=0)
        return pd.DataFrame(
            {
                "method": self.names,
                "mean": points.mean(axis=0),
                "median": middle,
                "lower_quartile": low,
                "upper_quartile": high,
                "largest": points.max(axis=0),
                "n_data_sets": len(points),
            }
        )

    def _draw(self, ax: Axes) -> None:
        points, lanes = 100 * self.losses, range(len(self.names))
        line = {"color": ink(), "lw": 1.0}
        ax.boxplot(
            points, positions=lanes, orientation="horizontal", widths=0.6, manage_ticks=False,
            patch_artist=True, boxprops={"facecolor": BLUE, "alpha": 0.45, "lw": 0},
            whiskerprops=line, capprops=line, medianprops={"color": ink(), "lw": 1.8},
            flierprops={"marker": "o", "ms": 3, "mew": 0, "markerfacecolor": BLUE, "alpha": 0.6},
        )  # fmt: skip
        draw_means(ax, points.mean(axis=0), lanes)
        name_lanes(ax, list(map(method_label, self.names)))
        scale_losses(ax, "x", float(points.max()))
        x_label(
            ax, f"mean interval loss on {len(points)} data sets ({LOSS_UNIT})",
            "diamond: mean; line: median; box: middle half",
        )  # fmt: skip
