"""Picture of the mean interval losses of each method over data sets."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from numpy.typing import ArrayLike

from bestofk.report.plots.base import Display, name_list
from bestofk.report.plots.drawing import BLUE, VERMILION, ink
from bestofk.report.plots.labels import label_scale, name_lanes
from bestofk.report.plots.mean_losses import (
    LOSS_UNIT,
    RecommenderLosses,
    loss_table,
    method_label,
    scale_losses,
)

_LANE_INCHES: Final = 0.36


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
    >>> display.frame()[["method", "mean", "median"]].values.tolist()
    [['P = 1/4', 2.0, 2.0], ['P = 0', 5.0, 5.0]]
    """

    def __init__(self, losses: ArrayLike, names: Sequence[str]) -> None:
        self.losses = loss_table(losses, 2)
        self.names = name_list(names, self.losses.shape[1], "methods")

    @classmethod
    def from_losses(cls, losses: RecommenderLosses) -> IntervalLossesDisplay:
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

    def frame(self) -> pd.DataFrame:
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

    @property
    def size(self) -> tuple[float, float]:
        """Width and height in inches at which all of it can be read."""
        lines = "\n".join(map(method_label, self.names)).splitlines()
        return 4.6 + 0.08 * max(map(len, lines)), 1.2 + _LANE_INCHES * len(self.names)

    def _draw(self, ax: Axes) -> None:
        points = 100 * self.losses
        indices = range(len(self.names))
        line = {"color": ink(), "lw": 1.0}
        ax.boxplot(
            points, positions=indices, orientation="horizontal", widths=0.6, manage_ticks=False,
            patch_artist=True, boxprops={"facecolor": BLUE, "alpha": 0.45, "lw": 0},
            whiskerprops=line, capprops=line, medianprops={"color": ink(), "lw": 1.8},
            flierprops={"marker": "o", "ms": 3, "mew": 0, "markerfacecolor": BLUE, "alpha": 0.6},
        )  # fmt: skip
        ax.plot(
            points.mean(axis=0), indices, "D", ms=6.5, color=VERMILION, mec=ink(), mew=0.8, zorder=4
        )
        name_lanes(ax, list(map(method_label, self.names)))
        scale_losses(ax, "x", float(points.max()))
        label_scale(
            ax, f"mean interval loss on {len(points)} data sets ({LOSS_UNIT})",
            "diamond: mean; line: median; box: middle half",
        )  # fmt: skip
