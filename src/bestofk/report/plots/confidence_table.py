"""Picture of a table of z scores and confidences, with one z looked up."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, Self

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.transforms import Bbox

from bestofk.errors import InvalidArgumentError
from bestofk.inference.checks import check_share
from bestofk.report.plots.base import Display
from bestofk.report.plots.drawing import SMALL, ink
from bestofk.report.plots.labels import headline

# The levels that textbooks print; their 68 % is what lies within one standard deviation.
LEVELS = (0.50, 0.6827, 0.80, 0.90, 0.95, 0.98, 0.99)


class ConfidenceTableDisplay(Display):
    """Table of z scores and confidences, two-sided and one-sided, with one z looked up.

    A table gives the highest level that a z reaches, so it gives only a lower bound; the exact
    confidence stands next to it. Confidence here is 1 minus the p value, as textbooks say.

    Parameters
    ----------
    z : float, optional
        Size of a statistic to look up; its sign is not used.
    levels : sequence of float in (0, 1), default=(0.5, 0.6827, 0.8, 0.9, 0.95, 0.98, 0.99)
        Two-sided confidences in the table.

    Raises
    ------
    InvalidArgumentError
        If `z` is nan, there is no level, or one is not inside (0, 1).

    Examples
    --------
    >>> ConfidenceTableDisplay().frame()["z"].tolist()
    [0.67, 1.0, 1.28, 1.64, 1.96, 2.33, 2.58]
    >>> print(ConfidenceTableDisplay(0.848).says())
    z = 0.848: the table says at least 50% (one-sided 75%), exact are 60.4% and 80.2%
    """

    def __init__(self, z: float | None = None, *, levels: Sequence[float] = LEVELS) -> None:
        self.z = None if z is None else abs(float(z))
        self.levels = sorted(check_share(level, "levels") for level in levels)
        if not self.levels or (self.z is not None and math.isnan(self.z)):
            raise InvalidArgumentError(
                f"z must be a number and levels not empty; got {z} and {list(levels)}. "
                "Without z only the table is drawn."
            )

    @classmethod
    def from_result(cls, result: Any, **options: Any) -> Self:
        """Look up the statistic of a z test.

        Parameters
        ----------
        result : HypothesisTestResult
            Of a test with the normal distribution, such as `two_proportion_z_test`.
        **options
            Further arguments of the class.

        Returns
        -------
        ConfidenceTableDisplay

        Raises
        ------
        InvalidArgumentError
            If the statistic is no z.
        """
        if result.symbol != "z":
            raise InvalidArgumentError(
                f"result must be that of a z test; got the statistic {result.symbol} of "
                f"{result.procedure}. Read its own p value."
            )
        return cls(result.statistic, **options)

    def reached(self) -> float:
        """Return the highest level of the table that z reaches; 0 below all, nan without z."""
        if self.z is None:
            return math.nan
        # z scores are compared as printed, with two decimals
        return max(
            (level for level in self.levels if self.z >= round(_z_of(level), 2)), default=0.0
        )

    def exact(self) -> float:
        """Return the two-sided confidence of z; nan without z."""
        from scipy.special import ndtr

        return math.nan if self.z is None else float(1 - 2 * ndtr(-self.z))

    def frame(self) -> pd.DataFrame:
        """Return a DataFrame with one row per level.

        Returns
        -------
        DataFrame
            Columns confidence (two-sided), z (two decimals, as tables print it), one_sided:
            1 - (1 - confidence) / 2.
        """
        return pd.DataFrame(
            {
                "confidence": self.levels,
                "z": [round(_z_of(level), 2) for level in self.levels],
                "one_sided": [round(1 - (1 - level) / 2, 12) for level in self.levels],
            }
        )

    def says(self) -> str:
        """Return in words what the table and the exact distribution say of z; empty without z."""
        if self.z is None:
            return ""
        reached, exact = self.reached(), self.exact()
        table = (
            f"at least {_percent(reached)}% (one-sided {_percent((1 + reached) / 2)}%)"
            if reached
            else "less than its lowest level"
        )
        return (
            f"z = {self.z:.4g}: the table says {table}, exact are {_percent(exact)}% and "
            f"{_percent((1 + exact) / 2)}%"
        )

    @property
    def size(self) -> tuple[float, float]:
        """Width and height in inches at which all of it can be read."""
        return 2.2 + 0.62 * len(self.levels), 1.7

    def _draw(self, ax: Axes) -> None:
        frame = self.frame()
        cells = [
            [f"{_percent(level)}%" for level in frame["confidence"]],
            [f"{z:.2f}" for z in frame["z"]],
            [f"{_percent(level)}%" for level in frame["one_sided"]],
        ]
        table = ax.table(
            cells,
            rowLabels=["two-sided", "z", "one-sided"],
            cellLoc="center",
            rowLoc="right",
            bbox=Bbox.from_bounds(0.2, 0, 0.8, 1),
        )
        table.auto_set_font_size(False)
        table.set_fontsize(SMALL)
        reached = self.reached()
        for (_, column), cell in table.get_celld().items():
            cell.set_facecolor("none")
            cell.set_edgecolor(ink())
            cell.set_linewidth(0.5 if column >= 0 else 0)
            cell.get_text().set_color(ink())
            if column >= 0 and self.levels[column] == reached:
                cell.set_linewidth(2.2)
                cell.get_text().set_fontweight("bold")
                cell.set_zorder(3)
        ax.set_axis_off()
        headline(ax, self.says() or "Confidence that a z score reaches")


def _z_of(level: float) -> float:
    from scipy.special import ndtri

    return float(ndtri((1 + level) / 2))


def _percent(share: float) -> str:
    return f"{100 * share:.3g}" if share < 0.9995 else "over 99.9"
