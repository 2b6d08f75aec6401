"""Pictures of the difference of two learners, and of what another numerator would have said."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, Final, Self

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from numpy.typing import ArrayLike

from bestofk.array_types import Floats
from bestofk.errors import InvalidArgumentError
from bestofk.inference import five_by_two_cv_t_numerators
from bestofk.inference.checks import check_alternative, check_share
from bestofk.report.plots.base import Display, finite_list, name_list
from bestofk.report.plots.drawing import BLUE, GRAY, VERMILION, draw_bell, ink, scattered
from bestofk.report.plots.labels import first_minus_second, headline, hide_heights, x_label
from bestofk.words import number

_SHAPE: Final = (5, 2)
_DF: Final = 5


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
        self.differences = np.empty(0)
        if differences is not None:
            self.differences = finite_list(differences, "differences")
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

    def to_frame(self) -> pd.DataFrame:
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
        seen += self.differences.tolist()
        if self.standard_error > 0:
            seen += [self.estimate + sign * 3.5 * self.standard_error for sign in (-1, 1)]
        low, high = min(seen), max(seen)
        margin = 0.06 * ((high - low) or 1.0)
        return low - margin, high + margin

    def _draw(self, ax: Axes) -> None:
        limits = self._limits()
        low, high = max(self.low, limits[0]), min(self.high, limits[1])
        has_curve, has_points = self.standard_error > 0, len(self.differences) > 0
        if has_curve:
            draw_bell(
                ax, self.estimate, self.standard_error, df=self.df, limits=limits,
                interval=(low, high), color=BLUE,
            )  # fmt: skip
        ax.plot([low, high], [-0.1, -0.1], color=BLUE, lw=4, solid_capstyle="butt")
        ax.plot(self.estimate, -0.1, "D", ms=8, color=BLUE, mec=ink(), mew=0.8, zorder=4)
        if has_points:
            heights = -0.48 + 0.2 * scattered(len(self.differences))
            ax.plot(self.differences, heights, "o", ms=4.5, color=BLUE, alpha=0.8, mew=0)
        ax.axvline(0, color=VERMILION, lw=1.8, ls="--", zorder=3)
        ax.set_xlim(*limits)
        ax.set_ylim(-0.55 if has_points else -0.25, 1.08 if has_curve else 0.2)
        interval = f"{100 * self.level:g}% interval"
        points = "; points: single differences" if has_points else ""
        x_label(
            ax, f"difference in {self.measure_title}: {first_minus_second(self.names)}",
            f"bar: {interval}; dashed: zero{points}",
        )  # fmt: skip
        hide_heights(ax)
        says = "inside: can't tell which is better" if self.contains_zero else "outside"
        estimate, low_text, high_text = map(number, (self.estimate, self.low, self.high))
        headline(ax, f"{estimate}, {interval} {low_text} to {high_text}: zero lies {says}")


class TenNumeratorsDisplay(Display):
    """The ten t values that 5 repeats of 2 folds offer, against the critical value.

    The published test takes the first one; which of the ten is first is chance.

    Parameters
    ----------
    statistics : array-like of shape (5, 2), float
        t with the difference of each fold as numerator, row = repeat, column = fold. May be
        infinite where the variance is zero.
    names : pair of str
        The two learners; the difference is the first minus the second.
    alpha : float, default=0.05
        Level of the critical value.
    alternative : {"two-sided", "greater", "less"}, default="two-sided"
        Side of the test.

    Raises
    ------
    InvalidArgumentError
        If there are not 5 x 2 numbers, one of them is nan, or level or side are not allowed.

    References
    ----------
    Dietterich (1998), Approximate statistical tests for comparing supervised classification
    learning algorithms, Neural Computation 10(7).
    Alpaydin (1999), Combined 5x2 cv F test, Neural Computation 11(8).

    Examples
    --------
    >>> a = [[0.30, 0.28], [0.29, 0.31], [0.27, 0.30], [0.31, 0.29], [0.30, 0.30]]
    >>> b = [[0.25, 0.26], [0.26, 0.27], [0.25, 0.24], [0.26, 0.27], [0.27, 0.25]]
    >>> display = TenNumeratorsDisplay.from_scores(a, b, names=("cart", "lda"))
    >>> display.n_rejected, round(display.critical_value, 3)
    (1, 2.571)
    """

    hidden_sides = ("top", "right", "left")
    size = (6.0, 3.4)

    def __init__(
        self,
        statistics: ArrayLike,
        *,
        names: Sequence[str] = ("first", "second"),
        alpha: float = 0.05,
        alternative: str = "two-sided",
    ) -> None:
        self.statistics: Floats = np.asarray(statistics, dtype=float)
        if self.statistics.shape != _SHAPE or np.isnan(self.statistics).any():
            raise InvalidArgumentError(
                "statistics must be 5 repeats (rows) of 2 folds (columns), none of them nan; got "
                f"{self.statistics.tolist()!r}. Use from_scores for scores."
            )
        self.names = (str(names[0]), str(names[1]))
        self.alpha = check_share(alpha, "alpha")
        self.alternative = check_alternative(alternative)

    @classmethod
    def from_scores(
        cls, a: ArrayLike, b: ArrayLike, *, alternative: str = "two-sided", **options: Any
    ) -> Self:
        """Compute the ten statistics from the scores of both learners.

        Parameters
        ----------
        a, b : array-like of shape (5, 2), float
            Scores, row = repeat, column = fold.
        alternative : {"two-sided", "greater", "less"}, default="two-sided"
            Side of the test, for a - b.
        **options
            Further arguments of the class, such as `names`.

        Returns
        -------
        TenNumeratorsDisplay

        Raises
        ------
        DesignError
            If the shape is not (5, 2), or a score is nan or infinite.
        """
        result = five_by_two_cv_t_numerators(a, b, alternative=alternative)
        return cls.from_result(result, **options)

    @classmethod
    def from_result(cls, result: Any, **options: Any) -> Self:
        """Take the ten statistics.

        Parameters
        ----------
        result : FiveByTwoCvNumerators
            Of `five_by_two_cv_t_numerators`.
        **options
            Further arguments of the class, such as `names`.

        Returns
        -------
        TenNumeratorsDisplay
        """
        return cls(result.statistic, alternative=result.alternative, **options)

    @property
    def critical_value(self) -> float:
        """The t value with 5 degrees of freedom from which on the test rejects."""
        from scipy.special import stdtrit

        tail = self.alpha / 2 if self.alternative == "two-sided" else self.alpha
        return float(-stdtrit(_DF, tail))

    @property
    def n_rejected(self) -> int:
        """Return the number of the ten numerators that reject."""
        return int(self.to_frame()["rejects"].sum())

    def to_frame(self) -> pd.DataFrame:
        """Return a DataFrame with one row per numerator.

        Returns
        -------
        DataFrame
            Columns repeat and fold (from 0), statistic, is_published (the test takes the
            first), rejects.
        """
        statistics = self.statistics.ravel()
        against = {"two-sided": np.abs(statistics), "greater": statistics, "less": -statistics}
        repeats, folds = np.indices(_SHAPE)
        return pd.DataFrame(
            {
                "repeat": repeats.ravel(),
                "fold": folds.ravel(),
                "statistic": statistics,
                "is_published": np.arange(statistics.size) == 0,
                "rejects": against[self.alternative] >= self.critical_value,
            }
        )

    def _draw(self, ax: Axes) -> None:
        critical, table = self.critical_value, self.to_frame()
        finite = self.statistics[np.isfinite(self.statistics)]
        reach = 1.15 * max(critical, float(np.abs(finite).max(initial=0.0)))
        lanes = table["repeat"] + np.where(table["fold"], 0.16, -0.16)
        for row, lane in zip(table.itertuples(), lanes, strict=True):
            t = float(row.statistic)
            mark = ("<" if t < 0 else ">") if math.isinf(t) else "os"[row.fold]
            color = VERMILION if row.rejects else BLUE
            ax.plot(np.clip(t, -reach, reach), lane, mark, ms=8, color=color, mew=0, zorder=3)
        ring: dict[str, Any] = {"ms": 15, "mfc": "none", "mec": ink(), "mew": 1.3, "zorder": 2}
        ax.plot(np.clip(self.statistics[0, 0], -reach, reach), lanes[0], "o", **ring)
        sides = {"two-sided": (1, -1), "greater": (1,), "less": (-1,)}
        for side in sides[self.alternative]:
            ends = sorted((side * critical, side * 1.1 * reach))
            ax.axvspan(*ends, color=GRAY, alpha=0.25, lw=0)
        ax.axvline(0, color=ink(), lw=0.8, ls=":")
        ax.set_xlim(-1.1 * reach, 1.1 * reach)
        n_repeats = len(self.statistics)
        ax.set_ylim(n_repeats - 0.5, -0.5)
        ax.set_yticks(range(n_repeats), [f"repeat {i + 1}" for i in range(n_repeats)])
        ax.tick_params(axis="y", length=0)
        x_label(
            ax, f"t with {_DF} df ({self.alternative}): {first_minus_second(self.names)}",
            "circle: first fold; square: second; ringed: the published numerator",
        )  # fmt: skip
        said = f"{self.n_rejected} of {table.shape[0]} numerators reject at {self.alpha:g}"
        headline(ax, f"{said} (shaded: beyond {critical:.3f})")
