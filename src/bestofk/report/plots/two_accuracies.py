"""Picture of two accuracies on independent test sets, and the overlap of their intervals."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, Self

import numpy as np
import pandas as pd
from matplotlib.axes import Axes

from bestofk.errors import InvalidArgumentError
from bestofk.inference.checks import check_share
from bestofk.inference.student import student_interval
from bestofk.report.plots.base import Display, name_list
from bestofk.report.plots.drawing import BLUE, GRAY, SMALL, VERMILION, ink
from bestofk.report.plots.labels import headline, label_scale, name_letters, short_name
from bestofk.report.plots.scales import scale_title, show_scale
from bestofk.words import percent

NO_TEST = (
    "Whether two intervals overlap is no test: it asks for a larger difference than the interval "
    "of the difference does. Ask the latter."
)
NO_WIDTH = " Normal intervals of accuracies of 0 or 1 have no width; take Wilson's."
_POINTS = 301
# Where the two curves stand, each one high.
_BASES = (1.25, 0.0)


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
        return [
            math.sqrt(share * (1 - share) / n)
            for share, n in zip(self.accuracies, self.n_rows, strict=True)
        ]

    def intervals(self) -> list[tuple[float, float]]:
        """Return low and high of the normal interval of each accuracy."""
        return [
            _normal_interval(share, error, self.level)
            for share, error in zip(self.accuracies, self._standard_errors(), strict=True)
        ]

    @property
    def overlap(self) -> bool:
        """Return whether the two intervals overlap; this is not a test."""
        (low_a, high_a), (low_b, high_b) = self.intervals()
        return low_a <= high_b and low_b <= high_a

    def difference_interval(self) -> tuple[float, float]:
        """Return low and high of the interval of first minus second (Wald, unpooled)."""
        error = math.hypot(*self._standard_errors())
        return _normal_interval(self.accuracies[0] - self.accuracies[1], error, self.level)

    def frame(self) -> pd.DataFrame:
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
        both = list(zip(self.accuracies, self._standard_errors(), self.intervals(), strict=True))
        low = min(share - 3.6 * error for share, error, _ in both)
        high = max(share + 3.6 * error for share, error, _ in both)
        margin = 0.02 * ((high - low) or 1.0)
        low, high = low - margin, high + margin
        labels = []
        for index, (share, error, limits) in enumerate(both):
            color, base = (BLUE, VERMILION)[index], _BASES[index]
            if error > 0:
                x = np.union1d(np.linspace(low, high, _POINTS), limits)
                heights = base + np.exp(-(((x - share) / error) ** 2) / 2)
                inside = (x >= limits[0]) & (x <= limits[1])
                ax.fill_between(x[inside], base, heights[inside], color=color, alpha=0.5, lw=0)
                ax.plot(x, heights, color=color, lw=1.3)
            ax.plot([share, share], [base, base + 1], color=color, lw=1.8)
            ax.axhline(base, color=ink(), lw=0.8)
            labels.append(
                f"{short_name(self.names[index], name_letters(ax))}\n"
                f"{percent(share)}% of {self.n_rows[index]:,} rows\n"
                f"{percent(limits[0])} to {percent(limits[1])}%"
            )
        if self.overlap:
            (low_a, high_a), (low_b, high_b) = self.intervals()
            ax.axvspan(max(low_a, low_b), min(high_a, high_b), color=GRAY, alpha=0.35, lw=0)
        ax.set_yticks([base + 0.45 for base in _BASES], labels, parse_math=False, fontsize=SMALL)
        ax.tick_params(axis="y", length=0)
        ax.set_xlim(low, high)
        ax.set_ylim(-0.02, _BASES[0] + 1.08)
        show_scale(ax.xaxis, "accuracy")
        label_scale(
            ax, scale_title("accuracy"),
            f"colored: {100 * self.level:g}% interval; gray: where both overlap",
        )  # fmt: skip
        headline(ax, self.verdict())

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


def _normal_interval(estimate: float, error: float, level: float) -> tuple[float, float]:
    low, high = student_interval(estimate, error, math.inf, level=level, alternative="two-sided")
    return float(low), float(high)
