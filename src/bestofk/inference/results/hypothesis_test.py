"""Result of a test of two learners, with cautions."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar

from bestofk.inference.checks import check_share
from bestofk.inference.results.result import Result, degrees, number
from bestofk.inference.student import student_interval


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class HypothesisTestResult(Result):
    """The outcome of one test of two learners.

    Parameters
    ----------
    statistic : float
        May be infinite where the variance is zero.
    symbol : str
        What the statistic is called: t, F, z, chi2, W+ ...
    df : float or tuple of two floats
        Degrees of freedom of the statistic; nan where its distribution has none.
    p_value : float in [0, 1]
        Probability, under the null hypothesis, of a statistic at least as extreme.
    alternative : {"two-sided", "greater", "less"}
        Side of the test, for the first minus the second.
    estimate : float
        First minus second, in the unit of the scores.
    estimate_of : str
        What is estimated, such as "mean difference".
    standard_error : float
        Of the estimate; 0 where the variance is zero, nan where the interval is not made
        from one.
    interval_df : float
        Degrees of freedom of the interval; inf for the normal distribution.
    effect_size : float
        nan where the procedure has none.
    effect_size_of : str
        Its name.
    n_of : str
        What `n` counts.
    distribution : str
        Reference distribution of the statistic.

    Examples
    --------
    >>> from bestofk.inference import paired_t_test
    >>> result = paired_t_test([0.16, 0.18, 0.20, 0.18], [0.20, 0.21, 0.25, 0.18])
    >>> result
    HypothesisTestResult(paired t test: t = -2.777, df = 3, p = 0.06914 two-sided, estimate = -0.03)
    >>> low, high = result.confidence_interval(0.9)
    >>> print(round(low, 4), round(high, 4), result.reject(0.1))
    -0.0554 -0.0046 True
    """

    pictures: ClassVar[tuple[tuple[str, str], ...]] = (("difference", "DifferenceDisplay"),)

    statistic: float
    df: float | tuple[float, float] = math.nan
    p_value: float
    alternative: str
    estimate: float
    standard_error: float = math.nan
    interval_df: float = math.inf
    effect_size: float = math.nan
    effect_size_of: str = ""
    symbol: str = "t"
    estimate_of: str = "mean difference"
    n_of: str = "pairs of scores"
    distribution: str = "Student t"

    def confidence_interval(self, level: float = 0.95) -> tuple[float, float]:
        """Return the limits of what is estimated.

        Parameters
        ----------
        level : float in (0, 1), default=0.95
            Confidence.

        Returns
        -------
        low, high : float
            One-sided tests have one-sided intervals: (low, inf) for "greater",
            (-inf, high) for "less". Without variance the interval has no width; (nan, nan)
            where the procedure has no interval.

        Raises
        ------
        InvalidArgumentError
            If `level` is not inside (0, 1).
        """
        low, high = student_interval(
            self.estimate,
            self.standard_error,
            self.interval_df,
            level=level,
            alternative=self.alternative,
        )
        if math.isnan(self.standard_error):
            return math.nan, math.nan
        return float(low), float(high)

    def reject(self, alpha: float) -> bool:
        """Return whether the null hypothesis is rejected: p value at most `alpha`.

        Parameters
        ----------
        alpha : float in (0, 1)
            Level of the test.

        Returns
        -------
        bool
            False means "can't tell", never "equal".

        Raises
        ------
        InvalidArgumentError
            If `alpha` is not inside (0, 1).
        """
        return self.p_value <= check_share(alpha, "alpha")

    def rows(self) -> list[tuple[str, str]]:
        """Return what `str` shows, as pairs of a short label and a text."""
        low, high = self.confidence_interval()
        rows = [(self.estimate_of, number(self.estimate))]
        if not math.isnan(low):
            rows.append(("95% interval", " to ".join(map(self._limit, (low, high)))))
        if self.symbol != self.estimate_of:  # of some procedures they are the same
            rows.append((self.symbol, number(self.statistic)))
        if isinstance(self.df, tuple) or not math.isnan(self.df):
            rows.append(("df", degrees(self.df)))
        rows.append(("p value", f"{self._probability(self.p_value)} ({self.alternative})"))
        if self.effect_size_of:
            rows.append((self.effect_size_of, number(self.effect_size)))
        return [*rows, *self._size_rows(self.n_of)]

    def _limit(self, value: float) -> str:
        """Return a limit of the interval."""
        return number(value)

    def __repr__(self) -> str:
        has_df = isinstance(self.df, tuple) or not math.isnan(self.df)
        df = f"df = {degrees(self.df)}, " if has_df else ""
        return (
            f"{type(self).__name__}({self.procedure}: {self.symbol} = {number(self.statistic)}, "
            f"{df}p = {self._probability(self.p_value)} {self.alternative}, "
            f"estimate = {number(self.estimate)})"
        )
