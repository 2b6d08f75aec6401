"""Pictures of accuracies: the curves of two of them, and the table of confidences of a z score."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, Final, Self

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.transforms import Bbox

from bestofk.errors import InvalidArgumentError
from bestofk.inference.checks import check_share
from bestofk.inference.student import student_interval
from bestofk.report.plots import drawing
from bestofk.report.plots.drawing import BLUE, GRAY, SMALL, VERMILION, Display, ink, name_list
from bestofk.words import percent

Interval = tuple[float, float]
NO_TEST: Final = (
    "Whether two intervals overlap is no test: it asks for a larger difference than the interval "
    "of the difference does. Ask the latter."
)
NO_WIDTH: Final = " Normal intervals of accuracies of 0 or 1 have no width; take Wilson's."
# Where the two curves stand, each one high.
_BASES: Final = (1.25, 0.0)
# The levels that textbooks print; their 68 % is what lies within one standard deviation.
LEVELS: Final = (0.50, 0.6827, 0.80, 0.90, 0.95, 0.98, 0.99)


class TwoAccuraciesDisplay(Display):
    """Normal curves of two accuracies on independent test sets, with their intervals shaded.

    Parameters
    ----------
    accuracies : pair of float in [0, 1]
        Share of rows that each learner got right.
    n_rows : pair of int
        Rows of each test set; the test sets share no rows.
    names : pair of str
        The two learners.
    level : float in (0, 1), default=0.95
        Confidence of the intervals.

    Raises
    ------
    InvalidArgumentError
        If an accuracy is not in [0, 1], a test set is empty, or names are not two different
        ones.

    Examples
    --------
    Two intervals that overlap, though the difference is significant:

    >>> display = TwoAccuraciesDisplay((0.85, 0.75), (200, 200), names=("a", "b"))
    >>> display.overlap, [round(limit, 3) for limit in display.difference_interval()]
    (True, [0.022, 0.178])
    """

    hidden_sides = ("top", "right", "left")
    size = (6.4, 3.6)

    def __init__(
        self,
        accuracies: Sequence[float],
        n_rows: Sequence[int],
        *,
        names: Sequence[str] = ("first", "second"),
        level: float = 0.95,
    ) -> None:
        self.accuracies = [float(accuracy) for accuracy in accuracies]
        self.n_rows = [int(item) for item in n_rows]
        if len(self.accuracies) != 2 or not all(0 <= accuracy <= 1 for accuracy in self.accuracies):
            raise InvalidArgumentError(
                f"accuracies must be two shares from 0 to 1; got {list(accuracies)}. "
                "Write 85 percent as 0.85."
            )
        if len(self.n_rows) != 2 or min(self.n_rows) < 1:
            raise InvalidArgumentError(
                f"n_rows must be two numbers of rows, at least 1; got {list(n_rows)}. "
                "Give the size of each test set."
            )
        self.names = name_list(names, 2, "two learners")
        self.level = check_share(level, "level")

    @classmethod
    def from_result(cls, result: Any, **options: Any) -> Self:
        """Take the error rates of the z test of two of them.

        Parameters
        ----------
        result : TwoProportionResult
            Of `two_proportion_z_test`: rates and sizes.
        **options
            Further arguments of the class, such as `names`.

        Returns
        -------
        TwoAccuraciesDisplay
        """
        return cls([1 - rate for rate in result.rates], result.sizes, **options)

    def _standard_errors(self) -> list[float]:
        both = zip(self.accuracies, self.n_rows, strict=True)
        return [math.sqrt(share * (1 - share) / n) for share, n in both]

    def intervals(self) -> list[Interval]:
        """Return low and high of the normal interval of each accuracy."""
        both = zip(self.accuracies, self._standard_errors(), strict=True)
        return [self._interval(share, error) for share, error in both]

    @property
    def overlap(self) -> bool:
        """Return whether the two intervals overlap; this is not a test."""
        (low_a, high_a), (low_b, high_b) = self.intervals()
        return low_a <= high_b and low_b <= high_a

    def difference_interval(self) -> Interval:
        """Return low and high of the interval of first minus second (Wald, unpooled)."""
        error = math.hypot(*self._standard_errors())
        return self._interval(self.accuracies[0] - self.accuracies[1], error)

    def _interval(self, estimate: float, error: float) -> Interval:
        """Return the normal interval of an estimate."""
        low, high = student_interval(
            estimate, error, math.inf, level=self.level, alternative="two-sided"
        )
        return float(low), float(high)

    def to_frame(self) -> pd.DataFrame:
        """Return a DataFrame with one row per learner and one for the difference.

        Returns
        -------
        DataFrame
            Columns of (a name, or "difference"), estimate, n_rows, standard_error, low, high.
        """
        errors = self._standard_errors()
        limits = [*self.intervals(), self.difference_interval()]
        return pd.DataFrame(
            {
                "of": [*self.names, "difference"],
                "estimate": [*self.accuracies, self.accuracies[0] - self.accuracies[1]],
                "n_rows": [*self.n_rows, sum(self.n_rows)],
                "standard_error": [*errors, math.hypot(*errors)],
                "low": [low for low, _ in limits],
                "high": [high for _, high in limits],
            }
        )

    def _draw(self, ax: Axes) -> None:
        errors, intervals = self._standard_errors(), self.intervals()
        ends = np.add.outer([-3.6, 3.6], np.zeros(2)) * errors + self.accuracies
        low, high = float(ends.min()), float(ends.max())
        margin = 0.02 * ((high - low) or 1.0)
        limits = low - margin, high + margin
        labels = []
        for index, (share, error) in enumerate(zip(self.accuracies, errors, strict=True)):
            color, base, interval = (BLUE, VERMILION)[index], _BASES[index], intervals[index]
            if error > 0:
                drawing.draw_bell(
                    ax, share, error, limits=limits, interval=interval, color=color, base=base
                )
            ax.plot([share, share], [base, base + 1], color=color, lw=1.8)
            ax.axhline(base, color=ink(), lw=0.8)
            labels.append(
                f"{drawing.fitting_name(ax, self.names[index])}\n"
                f"{percent(share)}% of {self.n_rows[index]:,} rows\n"
                f"{percent(interval[0])} to {percent(interval[1])}%"
            )
        if self.overlap:
            lows, highs = zip(*intervals, strict=True)
            ax.axvspan(max(lows), min(highs), color=GRAY, alpha=0.35, lw=0)
        ax.set_yticks([base + 0.45 for base in _BASES], labels, parse_math=False, fontsize=SMALL)
        ax.tick_params(axis="y", length=0)
        ax.set_xlim(*limits)
        ax.set_ylim(-0.02, _BASES[0] + 1.08)
        drawing.show_scale(ax.xaxis, "accuracy")
        note = f"colored: {100 * self.level:g}% interval; gray: where both overlap"
        drawing.x_label(ax, drawing.scale_title("accuracy"), note)
        drawing.headline(ax, self.verdict())

    def verdict(self) -> str:
        """Return in words whether the intervals overlap and what the difference says."""
        low, high = self.difference_interval()
        overlap = "overlap" if self.overlap else "do not overlap"
        says = "no significant difference" if low <= 0 <= high else "a significant difference"
        narrow = NO_WIDTH if 0 in self._standard_errors() else ""
        return (
            f"The intervals {overlap}. The {100 * self.level:g}% interval of the difference is "
            f"{percent(low)} to {percent(high)} points: {says}. {NO_TEST}{narrow}"
        )


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
    >>> ConfidenceTableDisplay().to_frame()["z"].tolist()
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
        self.size = 2.2 + 0.62 * len(self.levels), 1.7

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
        table = zip(self.levels, self.to_frame()["z"], strict=True)
        return max((level for level, z in table if self.z >= z), default=0.0)

    def exact(self) -> float:
        """Return the two-sided confidence of z; nan without z."""
        from scipy.special import ndtr

        return math.nan if self.z is None else float(1 - 2 * ndtr(-self.z))

    def to_frame(self) -> pd.DataFrame:
        """Return a DataFrame with one row per level.

        Returns
        -------
        DataFrame
            Columns confidence (two-sided), z (two decimals, as tables print it), one_sided:
            1 - (1 - confidence) / 2.
        """
        from scipy.special import ndtri

        levels = np.array(self.levels)
        return pd.DataFrame(
            {
                "confidence": levels,
                # z scores are compared as printed, with two decimals
                "z": ndtri((1 + levels) / 2).round(2),
                "one_sided": (1 - (1 - levels) / 2).round(12),
            }
        )

    def says(self) -> str:
        """Return in words what the table and the exact distribution say of z; empty without z."""
        if self.z is None:
            return ""
        reached, exact = self.reached(), self.exact()
        table = "less than its lowest level"
        if reached:
            one_sided = _percent((1 + reached) / 2)
            table = f"at least {_percent(reached)}% (one-sided {one_sided}%)"
        return (
            f"z = {self.z:.4g}: the table says {table}, exact are {_percent(exact)}% and "
            f"{_percent((1 + exact) / 2)}%"
        )

    def _draw(self, ax: Axes) -> None:
        frame = self.to_frame()
        cells = [
            [f"{_percent(level)}%" for level in frame["confidence"]],
            [f"{z:.2f}" for z in frame["z"]],
            [f"{_percent(level)}%" for level in frame["one_sided"]],
        ]
        table = ax.table(
            cells, rowLabels=["two-sided", "z", "one-sided"], cellLoc="center", rowLoc="right",
            bbox=Bbox.from_bounds(0.2, 0, 0.8, 1),
        )  # fmt: skip
        table.auto_set_font_size(False)
        table.set_fontsize(SMALL)
        reached = self.reached()
        for (_, column), cell in table.get_celld().items():
            is_reached = column >= 0 and self.levels[column] == reached
            cell.set(fc="none", ec=ink(), lw=2.2 if is_reached else 0.5 if column >= 0 else 0)
            cell.get_text().set(color=ink(), weight="bold" if is_reached else "normal")
            if is_reached:
                cell.set_zorder(3)
        ax.set_axis_off()
        drawing.headline(ax, self.says() or "Confidence that a z score reaches")


def _percent(share: float) -> str:
    return f"{100 * share:.3g}" if share < 0.9995 else "over 99.9"
