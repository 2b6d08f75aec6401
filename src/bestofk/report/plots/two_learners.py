"""Pictures of the difference of two learners: its interval, posterior, and other numerators."""

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
from bestofk.report import axis_ranges
from bestofk.report.plots import drawing
from bestofk.report.plots.drawing import BLUE, GRAY, VERMILION, Display, finite_list, ink, name_list
from bestofk.words import number, percent

_SHAPE: Final = (5, 2)
_DF: Final = 5
_REGIONS: Final = ("less", "rope", "greater")
_POINTS: Final = 401
# Corners of the regions.
_CORNERS: Final = np.array([[0.0, 0.0], [0.5, math.sqrt(3) / 2], [1.0, 0.0]])
_ROUNDING: Final = 1e-6
_BINS: Final = 45


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
            drawing.draw_bell(
                ax, self.estimate, self.standard_error, df=self.df, limits=limits,
                interval=(low, high), color=BLUE,
            )  # fmt: skip
        ax.plot([low, high], [-0.1, -0.1], color=BLUE, lw=4, solid_capstyle="butt")
        ax.plot(self.estimate, -0.1, "D", ms=8, color=BLUE, mec=ink(), mew=0.8, zorder=4)
        if has_points:
            heights = -0.48 + 0.2 * axis_ranges.scattered(len(self.differences))
            ax.plot(self.differences, heights, "o", ms=4.5, color=BLUE, alpha=0.8, mew=0)
        ax.axvline(0, color=VERMILION, lw=1.8, ls="--", zorder=3)
        ax.set_xlim(*limits)
        ax.set_ylim(-0.55 if has_points else -0.25, 1.08 if has_curve else 0.2)
        interval = f"{100 * self.level:g}% interval"
        points = "; points: single differences" if has_points else ""
        drawing.x_label(
            ax, f"difference in {self.measure_title}: {drawing.first_minus_second(self.names)}",
            f"bar: {interval}; dashed: zero{points}",
        )  # fmt: skip
        drawing.hide_heights(ax)
        says = "inside: can't tell which is better" if self.contains_zero else "outside"
        estimate, low_text, high_text = map(number, (self.estimate, self.low, self.high))
        drawing.headline(ax, f"{estimate}, {interval} {low_text} to {high_text}: zero lies {says}")


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
        drawing.x_label(
            ax, f"t with {_DF} df ({self.alternative}): {drawing.first_minus_second(self.names)}",
            "circle: first fold; square: second; ringed: the published numerator",
        )  # fmt: skip
        said = f"{self.n_rejected} of {table.shape[0]} numerators reject at {self.alpha:g}"
        drawing.headline(ax, f"{said} (shaded: beyond {critical:.3f})")


class PosteriorDensityDisplay(Display):
    """Density of the difference of two learners, with the region of practical equivalence.

    Parameters
    ----------
    mean, scale, df : float
        Of the Student t distribution of the difference, first minus second, in the unit of the
        measure. A scale of 0 is a spike: scores without variance.
    rope : float
        Half the width of the region of practical equivalence.
    names : pair of str
        The two learners.
    measure_title : str
        What the scores are.
    greater_is_better : bool, default=False
        Direction of the measure.

    Raises
    ------
    InvalidArgumentError
        If a number is not finite or negative where it must not be, or names are not two
        different ones.

    References
    ----------
    Corani & Benavoli (2015), A Bayesian approach for comparing cross-validated algorithms on
    multiple data sets, Machine Learning 100.

    Examples
    --------
    >>> display = PosteriorDensityDisplay(
    ...     -0.03, 0.0165, 3, rope=0.01, names=("a", "b"), measure_title="error rate"
    ... )
    >>> [round(p, 2) for p in display.probabilities()]
    [0.84, 0.11, 0.05]
    """

    hidden_sides = ("top", "right", "left")
    size = (6.0, 3.6)

    def __init__(
        self,
        mean: float,
        scale: float,
        df: float,
        *,
        rope: float,
        names: Sequence[str] = ("first", "second"),
        measure_title: str = "score",
        greater_is_better: bool = False,
    ) -> None:
        self.mean, self.scale, self.df = float(mean), float(scale), float(df)
        self.rope = float(rope)
        known = all(math.isfinite(item) for item in (self.mean, self.scale, self.rope))
        if not known or self.scale < 0 or self.rope < 0 or not self.df > 0:
            raise InvalidArgumentError(
                "mean, scale and rope must be finite, scale and rope not negative, df positive; "
                f"got mean {mean}, scale {scale}, rope {rope}, df {df}. "
                "Take them from bayesian_correlated_t."
            )
        self.names = name_list(names, 2, "two learners")
        self.measure_title, self.greater_is_better = measure_title, greater_is_better

    @classmethod
    def from_result(cls, result: Any, **options: Any) -> Self:
        """Take the posterior of the Bayesian correlated t test.

        Parameters
        ----------
        result : CorrelatedPosterior
            Of `bayesian_correlated_t`: estimate, scale, df, rope.
        **options
            Further arguments of the class; `names` in the order in which the learners were given
            to the test.

        Returns
        -------
        PosteriorDensityDisplay
        """
        return cls(result.estimate, result.scale, result.df, rope=result.rope, **options)

    def probabilities(self) -> tuple[float, float, float]:
        """Return the probabilities below, inside and above the region; they add up to 1."""
        from bestofk.inference.student import upper_tail

        if self.scale == 0:
            less, greater = float(self.mean < -self.rope), float(self.mean > self.rope)
        else:
            less = float(upper_tail((self.mean + self.rope) / self.scale, self.df))
            greater = float(upper_tail((self.rope - self.mean) / self.scale, self.df))
        return less, max(1 - less - greater, 0.0), greater

    def to_frame(self) -> pd.DataFrame:
        """Return a DataFrame with one row per point of the curve.

        Returns
        -------
        DataFrame
            Columns difference, density, region: "less", "rope" or "greater". A spike has one
            row of infinite density.
        """
        x = self._grid()
        region = np.where(x < -self.rope, "less", np.where(x > self.rope, "greater", "rope"))
        return pd.DataFrame({"difference": x, "density": self._density(x), "region": region})

    def _grid(self) -> Floats:
        """@@"""
        from scipy.special import stdtrit

        if self.scale == 0:
            return np.array([self.mean])
        # far enough for all but two in a thousand, and not beyond what can be seen
        reach = min(float(stdtrit(self.df, 0.999)), 6.0) * self.scale
        low = min(self.mean - reach, -1.5 * self.rope)
        high = max(self.mean + reach, 1.5 * self.rope)
        return np.union1d(np.linspace(low, high, _POINTS), [-self.rope, self.rope])

    def _density(self, x: Floats) -> Floats:
        from scipy.special import gammaln

        if self.scale == 0:
            return np.full(len(x), math.inf)
        df, t = self.df, (x - self.mean) / self.scale
        log = gammaln((df + 1) / 2) - gammaln(df / 2) - 0.5 * math.log(df * math.pi)
        return np.asarray(np.exp(log - (df + 1) / 2 * np.log1p(t * t / df)) / self.scale)

    def _draw(self, ax: Axes) -> None:
        x = self._grid()
        density, is_spike = self._density(x), self.scale == 0
        left, right = drawing.better_names(self.names, greater_is_better=self.greater_is_better)
        answers = (
            f"{drawing.short_name(left)} better",
            f"about the same (within {self.rope:g})",
            f"{drawing.short_name(right)} better",
        )
        edges = (-math.inf, -self.rope, self.rope, math.inf)
        for i, share in enumerate(self.probabilities()):
            part = (x >= edges[i]) & (x <= edges[i + 1])
            heights = np.zeros(part.sum()) if is_spike else density[part]
            style: dict[str, Any] = {"color": (BLUE, GRAY, VERMILION)[i], "alpha": 0.75, "lw": 0}
            ax.fill_between(x[part], heights, label=f"{answers[i]}: {percent(share)}%", **style)
        if is_spike:
            ax.axvline(self.mean, color=ink(), lw=2.5)
            span = max(abs(self.mean), self.rope, 1e-3) * 1.6
            ax.set_xlim(-span, span)
        else:
            ax.plot(x, density, color=ink(), lw=1.2)
        for edge in {-self.rope, self.rope}:
            ax.axvline(edge, color=ink(), lw=0.9, ls="--")
        ax.set_ylim(bottom=0)
        drawing.x_label(
            ax, f"difference in {self.measure_title}: {drawing.first_minus_second(self.names)}"
        )
        drawing.hide_heights(ax)
        ax.legend(
            loc="lower left", bbox_to_anchor=(0.0, 1.0), frameon=False, fontsize=drawing.SMALL
        )


class PosteriorTriangleDisplay(Display):
    """Draws of the Bayesian signed-rank posterior in a triangle of three regions.

    A draw near a corner gives that answer nearly all probability. The three parts of the
    triangle are those in which each answer is the most probable one; the share of draws in
    them is the posterior probability of the answer.

    Parameters
    ----------
    draws : array-like of shape (n_draws, 3), float
        In each row the probabilities that the difference (first minus second) is below,
        inside and above the region of practical equivalence.
    rope : float
        Half the width of the region, in the unit of the scores.
    names : pair of str
        The two learners.
    greater_is_better : bool, default=False
        Direction of the measure.

    Raises
    ------
    InvalidArgumentError
        If there is no draw, a row is no set of three probabilities that add up to 1, or names
        are not two different ones.

    References
    ----------
    Benavoli, Corani, Demsar & Zaffalon (2017), Time for a change: a tutorial for comparing
    multiple classifiers through Bayesian analysis, JMLR 18(77).

    Examples
    --------
    >>> draws = [[0.7, 0.2, 0.1], [0.3, 0.6, 0.1], [0.8, 0.2, 0.0], [0.5, 0.3, 0.2]]
    >>> display = PosteriorTriangleDisplay(draws, rope=0.01, names=("lda", "cart"))
    >>> display.to_frame()[["says", "share"]].values.tolist()
    [['lda better', 0.75], ['about the same', 0.25], ['cart better', 0.0]]
    """

    size = (5.6, 4.6)

    def __init__(
        self,
        draws: ArrayLike,
        *,
        rope: float,
        names: Sequence[str] = ("first", "second"),
        greater_is_better: bool = False,
    ) -> None:
        self.draws = np.asarray(draws, dtype=float)
        is_table = self.draws.ndim == 2 and self.draws.shape[1] == 3 and len(self.draws) > 0
        sums = self.draws.sum(axis=1) if is_table else np.nan
        if not np.allclose(sums, 1, atol=_ROUNDING) or self.draws.min() < -_ROUNDING:
            raise InvalidArgumentError(
                "draws must be rows of three probabilities that add up to 1; got an array of "
                f"shape {self.draws.shape}. Take them from bayesian_signed_rank."
            )
        self.rope = float(rope)
        self.names = name_list(names, 2, "two learners")
        self.greater_is_better = greater_is_better

    @classmethod
    def from_result(cls, result: Any, **options: Any) -> Self:
        """Take the draws of a result.

        Parameters
        ----------
        result : PosteriorDraws
            Of `bayesian_signed_rank`: draws and rope.
        **options
            Further arguments of the class; `names` in the order in which the learners were given
            to the test.

        Returns
        -------
        PosteriorTriangleDisplay
        """
        return cls(result.draws, rope=result.rope, **options)

    def to_frame(self) -> pd.DataFrame:
        """Return a DataFrame with one row per region.

        Returns
        -------
        DataFrame
            Columns region ("less", "rope", "greater"), says, share: of the draws in which it
            is the most probable one; ties are split.
        """
        largest = self.draws >= self.draws.max(axis=1, keepdims=True)
        left, right = drawing.better_names(self.names, greater_is_better=self.greater_is_better)
        return pd.DataFrame(
            {
                "region": _REGIONS,
                "says": [f"{left} better", "about the same", f"{right} better"],
                "share": (largest / largest.sum(axis=1, keepdims=True)).mean(axis=0),
            }
        )

    def _draw(self, ax: Axes) -> None:
        ax.hexbin(
            *(self.draws @ _CORNERS).T, gridsize=(_BINS, round(_BINS / 2)), mincnt=1, bins="log",
            extent=(0, 1, 0, 0.866), cmap="viridis_r", linewidths=0.1, zorder=1,
        )  # fmt: skip
        line: dict[str, Any] = {"color": ink(), "zorder": 3}
        ax.plot(*_CORNERS[[0, 1, 2, 0]].T, lw=1.3, **line)
        for i in range(3):
            middle = (_CORNERS[i] + _CORNERS[(i + 1) % 3]) / 2
            ax.plot(*np.vstack([_CORNERS.mean(axis=0), middle]).T, lw=0.9, ls="--", **line)
        places = ((0.0, -0.03, "center"), (0.57, 0.87, "left"), (1.0, -0.03, "center"))
        for (x, y, side), answer in zip(places, self.to_frame().itertuples(), strict=True):
            says = f"{drawing.short_name(answer.says)}\n{percent(answer.share)}%"
            ax.text(x, y, says, ha=side, va="top", fontsize=9, parse_math=False)
        ax.set_xlim(-0.05, 1.05)
        ax.set_ylim(-0.02, 0.89)
        ax.set_aspect("equal")
        ax.set_axis_off()
        drawing.headline(
            ax,
            f"{len(self.draws):,} draws of the posterior; about the same: within {self.rope:g}. "
            "Percentages: probability of each answer; darker: more draws.",
        )
