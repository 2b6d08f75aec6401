"""Picture of the difference of two learners: its distribution, its interval, and zero."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, Self

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from numpy.typing import ArrayLike, NDArray

from bestofk.errors import InvalidArgumentError
from bestofk.inference.checks import check_share
from bestofk.report.plots.base import Display, finite_list, name_list
from bestofk.report.plots.drawing import BLUE, VERMILION, hide_scale, ink
from bestofk.report.plots.labels import headline, label_scale, short_name
from bestofk.words import number

_POINTS = 301


class DifferenceDisplay(Display):
    """Distribution of the mean difference, its interval shaded, zero marked.

    Parameters
    ----------
    estimate : float
        First minus second, in the unit of the measure.
    low, high : float
        Limits of the interval; one of them is infinite for a one-sided test.
    level : float in (0, 1), default=0.95
        Confidence of the interval.
    standard_error, df : float
        Of the estimate, for the curve; no curve where the standard error is nan or 0.
    differences : array-like of float, optional
        The single differences, drawn as points below the curve.
    names : pair of str
        The two learners.
    measure_title : str
        What the scores are.

    Raises
    ------
    InvalidArgumentError
        If the estimate is not finite, a limit is nan, the limits do not stand around the
        estimate, a difference is not finite, or names are not two different ones.

    Examples
    --------
    >>> display = DifferenceDisplay(
    ...     -0.03, -0.0644, 0.0044, names=("a", "b"), measure_title="error rate"
    ... )
    >>> display.contains_zero
    True
    """

    hidden_sides = ("top", "right", "left")
    size = (6.0, 3.3)

    def __init__(
        self,
        estimate: float,
        low: float,
        high: float,
        *,
        level: float = 0.95,
        standard_error: float = math.nan,
        df: float = math.inf,
        differences: ArrayLike | None = None,
        names: Sequence[str] = ("first", "second"),
        measure_title: str = "score",
    ) -> None:
        self.estimate, self.low, self.high = float(estimate), float(low), float(high)
        if not (math.isfinite(self.estimate) and self.low <= self.estimate <= self.high):
            raise InvalidArgumentError(
                f"estimate must be finite and inside its interval; got {estimate} in "
                f"{low} to {high}. A result without an interval cannot be drawn."
            )
        self.level = check_share(level, "level")
        self.standard_error, self.df = float(standard_error), float(df)
        self.differences = (
            np.empty(0) if differences is None else finite_list(differences, "differences")
        )
        self.names = name_list(names, 2, "two learners")
        self.measure_title = measure_title

    @classmethod
    def from_result(cls, result: Any, *, level: float = 0.95, **options: Any) -> Self:
        """Take estimate and interval of a test of two learners.

        Parameters
        ----------
        result : HypothesisTestResult or IntervalResult
            An `IntervalResult` keeps the level that it was made for.
        level : float in (0, 1), default=0.95
            Confidence of the interval of a test.
        **options
            Further arguments of the class, such as `names`.

        Returns
        -------
        DifferenceDisplay

        Raises
        ------
        InvalidArgumentError
            If the result has no interval.
        """
        if hasattr(result, "confidence_interval"):
            low, high = result.confidence_interval(level)
        else:
            low, high, level = result.low, result.high, result.level
        options |= {"standard_error": result.standard_error}
        options |= {"df": getattr(result, "interval_df", math.inf)}
        return cls(result.estimate, low, high, level=level, **options)

    @property
    def contains_zero(self) -> bool:
        """Return whether zero lies in the interval: the difference is not significant."""
        return self.low <= 0 <= self.high

    def frame(self) -> pd.DataFrame:
        """Return a DataFrame with one row and the numbers of the picture.

        Returns
        -------
        DataFrame
            Columns estimate, low, high, level, standard_error, df, contains_zero.
        """
        names = ("estimate", "low", "high", "level", "standard_error", "df", "contains_zero")
        return pd.DataFrame([{name: getattr(self, name) for name in names}])

    def _limits(self) -> tuple[float, float]:
        """Return what must be seen: interval, zero, points, most of the curve."""
        seen = [item for item in (self.low, self.high, 0.0, self.estimate) if math.isfinite(item)]
        seen += [float(difference) for difference in self.differences]
        if self.standard_error > 0:
            seen += [self.estimate + sign * 3.5 * self.standard_error for sign in (-1, 1)]
        low, high = min(seen), max(seen)
        margin = 0.06 * ((high - low) or 1.0)
        return low - margin, high + margin

    def _draw(self, ax: Axes) -> None:
        limits = self._limits()
        low, high = max(self.low, limits[0]), min(self.high, limits[1])
        if self.standard_error > 0:
            x = np.union1d(np.linspace(*limits, _POINTS), [low, high])
            heights = _student_shape((x - self.estimate) / self.standard_error, self.df)
            inside = (x >= low) & (x <= high)
            ax.fill_between(x[inside], heights[inside], color=BLUE, alpha=0.45, lw=0)
            ax.plot(x, heights, color=BLUE, lw=1.4)
        ax.plot([low, high], [-0.1, -0.1], color=BLUE, lw=4, solid_capstyle="butt")
        ax.plot(self.estimate, -0.1, "D", ms=8, color=BLUE, mec=ink(), mew=0.8, zorder=4)
        if len(self.differences):
            spread = 0.1 * (2 * ((np.arange(len(self.differences)) * 0.618034) % 1) - 1)
            ax.plot(self.differences, -0.38 + spread, "o", ms=4.5, color=BLUE, alpha=0.8, mew=0)
        ax.axvline(0, color=VERMILION, lw=1.8, ls="--", zorder=3)
        ax.set_xlim(*limits)
        ax.set_ylim(
            -0.55 if len(self.differences) else -0.25, 1.08 if self.standard_error > 0 else 0.2
        )
        first, second = (short_name(name) for name in self.names)
        points = "; points: single differences" if len(self.differences) else ""
        label_scale(
            ax, f"difference in {self.measure_title}: {first} - {second}",
            f"bar: {100 * self.level:g}% interval; dashed: zero{points}",
        )  # fmt: skip
        hide_scale(ax, "y")
        says = (
            "zero lies inside: can't tell which is better"
            if self.contains_zero
            else "zero lies outside"
        )
        headline(
            ax,
            f"{number(self.estimate)}, {100 * self.level:g}% interval {number(self.low)} to "
            f"{number(self.high)}: {says}",
        )


def _student_shape(t: NDArray[np.float64], df: float) -> NDArray[np.float64]:
    """Return the density of Student's t over its highest value."""
    if math.isinf(df):
        return np.asarray(np.exp(-t * t / 2))
    return np.asarray((1 + t * t / df) ** (-(df + 1) / 2))
