"""Picture of the posterior of a difference: better, equivalent and worse."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, Self

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from numpy.typing import NDArray

from bestofk.errors import InvalidArgumentError
from bestofk.report.plots.base import Display, name_list
from bestofk.report.plots.drawing import BLUE, GRAY, SMALL, VERMILION, hide_scale, ink
from bestofk.report.plots.labels import better_names, label_scale, short_name
from bestofk.words import percent

_POINTS = 401


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
        self.measure_title = measure_title
        self.greater_is_better = greater_is_better

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
            return (
                float(self.mean < -self.rope),
                float(abs(self.mean) <= self.rope),
                float(self.mean > self.rope),
            )
        less = float(upper_tail((self.mean + self.rope) / self.scale, self.df))
        greater = float(upper_tail((self.rope - self.mean) / self.scale, self.df))
        return less, max(1 - less - greater, 0.0), greater

    def frame(self) -> pd.DataFrame:
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

    def _grid(self) -> NDArray[np.float64]:
        from scipy.special import stdtrit

        if self.scale == 0:
            return np.array([self.mean])
        # far enough for all but two in a thousand, and not beyond what can be seen
        reach = min(float(stdtrit(self.df, 0.999)), 6.0) * self.scale
        low = min(self.mean - reach, -1.5 * self.rope)
        high = max(self.mean + reach, 1.5 * self.rope)
        return np.union1d(np.linspace(low, high, _POINTS), [-self.rope, self.rope])

    def _density(self, x: NDArray[np.float64]) -> NDArray[np.float64]:
        from scipy.special import gammaln

        if self.scale == 0:
            return np.full(len(x), math.inf)
        df, t = self.df, (x - self.mean) / self.scale
        log = gammaln((df + 1) / 2) - gammaln(df / 2) - 0.5 * math.log(df * math.pi)
        return np.asarray(np.exp(log - (df + 1) / 2 * np.log1p(t * t / df)) / self.scale)

    def _draw(self, ax: Axes) -> None:
        less, inside, greater = self.probabilities()
        frame = self.frame()
        x, density = frame["difference"].to_numpy(), frame["density"].to_numpy()
        left, right = better_names(self.names, greater_is_better=self.greater_is_better)
        regions = (
            (-math.inf, -self.rope, BLUE, f"{short_name(left)} better", less),
            (-self.rope, self.rope, GRAY, f"about the same (within {self.rope:g})", inside),
            (self.rope, math.inf, VERMILION, f"{short_name(right)} better", greater),
        )
        for low, high, color, says, share in regions:
            part = (x >= low) & (x <= high)
            heights = np.where(np.isfinite(density), density, 0)[part]
            label = f"{says}: {percent(share)}%"
            ax.fill_between(x[part], heights, color=color, alpha=0.75, lw=0, label=label)
        if self.scale == 0:
            ax.axvline(self.mean, color=ink(), lw=2.5)
            span = max(abs(self.mean), self.rope, 1e-3) * 1.6
            ax.set_xlim(-span, span)
        else:
            ax.plot(x, density, color=ink(), lw=1.2)
        for edge in {-self.rope, self.rope}:
            ax.axvline(edge, color=ink(), lw=0.9, ls="--")
        ax.set_ylim(bottom=0)
        first, second = (short_name(name) for name in self.names)
        label_scale(ax, f"difference in {self.measure_title}: {first} - {second}")
        hide_scale(ax, "y")
        ax.legend(loc="lower left", bbox_to_anchor=(0.0, 1.0), frameon=False, fontsize=SMALL)
