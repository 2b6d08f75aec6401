"""Picture of the ten possible numerators of the 5x2cv t test."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, Self

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from numpy.typing import ArrayLike, NDArray

from bestofk.errors import InvalidArgumentError
from bestofk.inference import five_by_two_cv_t_numerators
from bestofk.inference.checks import check_alternative, check_share
from bestofk.report.plots.base import Display
from bestofk.report.plots.drawing import BLUE, GRAY, VERMILION, ink
from bestofk.report.plots.labels import headline, label_scale, short_name

SHAPE = (5, 2)
_DF = 5


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
        self.statistics: NDArray[np.float64] = np.asarray(statistics, dtype=float)
        if self.statistics.shape != SHAPE or np.isnan(self.statistics).any():
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

    def _rejects(self) -> NDArray[np.bool_]:
        if self.alternative == "two-sided":
            return np.asarray(np.abs(self.statistics) >= self.critical_value)
        sign = 1 if self.alternative == "greater" else -1
        return np.asarray(sign * self.statistics >= self.critical_value)

    @property
    def n_rejected(self) -> int:
        """Return the number of the ten numerators that reject."""
        return int(self._rejects().sum())

    def frame(self) -> pd.DataFrame:
        """Return a DataFrame with one row per numerator.

        Returns
        -------
        DataFrame
            Columns repeat and fold (from 0), statistic, is_published (the test takes the
            first), rejects.
        """
        repeats, folds = np.indices(SHAPE)
        return pd.DataFrame(
            {
                "repeat": repeats.ravel(),
                "fold": folds.ravel(),
                "statistic": self.statistics.ravel(),
                "is_published": np.arange(self.statistics.size) == 0,
                "rejects": self._rejects().ravel(),
            }
        )

    def _draw(self, ax: Axes) -> None:
        critical = self.critical_value
        finite = self.statistics[np.isfinite(self.statistics)]
        reach = 1.15 * max(critical, float(np.abs(finite).max(initial=0.0)))
        shown = np.clip(self.statistics, -reach, reach)
        rejects = self._rejects()
        for i in range(SHAPE[0]):
            for j in range(SHAPE[1]):
                color = VERMILION if rejects[i, j] else BLUE
                position, mark = i + (0.16 if j else -0.16), "s" if j else "o"
                if math.isinf(self.statistics[i, j]):
                    mark = ">" if self.statistics[i, j] > 0 else "<"
                ax.plot(shown[i, j], position, mark, ms=8, color=color, mew=0, zorder=3)
        ax.plot(shown[0, 0], -0.16, "o", ms=15, mfc="none", mec=ink(), mew=1.3, zorder=2)
        if self.alternative != "less":
            ax.axvspan(critical, 1.1 * reach, color=GRAY, alpha=0.25, lw=0)
        if self.alternative != "greater":
            ax.axvspan(-1.1 * reach, -critical, color=GRAY, alpha=0.25, lw=0)
        ax.axvline(0, color=ink(), lw=0.8, ls=":")
        ax.set_xlim(-1.1 * reach, 1.1 * reach)
        ax.set_ylim(SHAPE[0] - 0.5, -0.5)
        ax.set_yticks(range(SHAPE[0]), [f"repeat {i + 1}" for i in range(SHAPE[0])])
        ax.tick_params(axis="y", length=0)
        first, second = (short_name(name) for name in self.names)
        label_scale(
            ax, f"t with 5 df ({self.alternative}): {first} - {second}",
            "circle: first fold; square: second; ringed: the published numerator",
        )  # fmt: skip
        headline(
            ax,
            f"{self.n_rejected} of 10 numerators reject at {self.alpha:g} "
            f"(shaded: beyond {critical:.3f})",
        )
