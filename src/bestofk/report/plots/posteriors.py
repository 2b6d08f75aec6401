"""Pictures of the posterior of a difference: better, about the same and worse."""

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
from bestofk.report.plots import labels
from bestofk.report.plots.base import Display, name_list
from bestofk.report.plots.drawing import BLUE, GRAY, SMALL, VERMILION, ink
from bestofk.words import percent

_REGIONS: Final = ("less", "rope", "greater")
_POINTS: Final = 401
# Corners of the regions.
_CORNERS: Final = np.array([[0.0, 0.0], [0.5, math.sqrt(3) / 2], [1.0, 0.0]])
_ROUNDING: Final = 1e-6
_BINS: Final = 45


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
        left, right = labels.better_names(self.names, greater_is_better=self.greater_is_better)
        answers = (
            f"{labels.short_name(left)} better",
            f"about the same (within {self.rope:g})",
            f"{labels.short_name(right)} better",
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
        labels.x_label(
            ax, f"difference in {self.measure_title}: {labels.first_minus_second(self.names)}"
        )
        labels.hide_heights(ax)
        ax.legend(loc="lower left", bbox_to_anchor=(0.0, 1.0), frameon=False, fontsize=SMALL)


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
        left, right = labels.better_names(self.names, greater_is_better=self.greater_is_better)
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
            says = f"{labels.short_name(answer.says)}\n{percent(answer.share)}%"
            ax.text(x, y, says, ha=side, va="top", fontsize=9, parse_math=False)
        ax.set_xlim(-0.05, 1.05)
        ax.set_ylim(-0.02, 0.89)
        ax.set_aspect("equal")
        ax.set_axis_off()
        labels.headline(
            ax,
            f"{len(self.draws):,} draws of the posterior; about the same: within {self.rope:g}. "
            "Percentages: probability of each answer; darker: more draws.",
        )
