"""Results of procedures: frozen classes, one per kind of answer.

- `HypothesisTestResult`: two learners, one hypothesis, a statistic and a p value.
- `OmnibusResult`: K learners, one hypothesis.
- `PairwiseResult`: K learners, a hypothesis for every pair, adjusted together.
- `PosteriorResult`: probabilities that one is better, both are equivalent, the other is better.
- `IntervalResult`: an estimate with its interval.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from bestofk.array_types import Bools, Floats, Positions
from bestofk.checks import check_known
from bestofk.errors import InvalidArgumentError
from bestofk.inference.adjust import reject_adjusted
from bestofk.inference.checks import check_share
from bestofk.inference.student import student_interval
from bestofk.registry import FROM_ABOVE
from bestofk.words import QUANTILE_ERROR, drawn, drawn_mean, joined_lines, p_text, printable

if TYPE_CHECKING:
    import pandas as pd

    from bestofk.trees.display import Display


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class Result:
    """The outcome of a procedure; base of all results.

    Parameters
    ----------
    procedure : str
        Title of the procedure.
    n : int
        Sample size: pairs of scores, rows or data sets, as the procedure counts.
    assumptions : tuple of str
        What must hold for the figures to mean what they say, one sentence each.
    flags : tuple of str
        Degenerate input, such as ``"zero_variance"``; empty as a rule.
    warnings : tuple of str
        What to distrust, one sentence each.
    n_draws : int
        Random draws that its figures come from; 0 where nothing was drawn. `str` prints such
        figures with the digits that so many draws give.
    """

    procedure: str
    n: int
    assumptions: tuple[str, ...] = ()
    flags: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()
    n_draws: int = 0

    # Kinds of pictures with their displays, the usual one first.
    pictures: ClassVar[tuple[tuple[str, str], ...]] = ()
    # Fields that are too long for a cell of the frame.
    not_in_frame: ClassVar[tuple[str, ...]] = ()

    def plot(self, kind: str | None = None, *, ax: Any = None, **options: Any) -> Display:
        """Draw a picture of the result.

        Parameters
        ----------
        kind : str, optional
            One of `pictures`; the first if left out.
        ax : matplotlib Axes, optional
            Where to draw; a new figure if left out.
        **options
            For `from_result` of the display, such as `names` of two learners.

        Returns
        -------
        Display
            With `to_frame()`, the numbers that are drawn, `ax_` and `figure_`.

        Raises
        ------
        InvalidArgumentError
            If there is no such picture, or none of this result.

        Examples
        --------
        >>> from bestofk.inference import paired_t_test
        >>> result = paired_t_test([0.16, 0.18, 0.20, 0.18], [0.20, 0.21, 0.25, 0.18])
        >>> result.plot(names=("lda", "cart")).contains_zero
        True
        """
        displays = dict(self.pictures)
        if not displays:
            raise InvalidArgumentError(
                f"result of plot must be one that can be drawn; got that of {self.procedure}. "
                "Use to_frame()."
            )
        kind = kind or next(iter(displays))
        check_known(kind, "kind of plot", displays, rule="a picture of the result")
        display = FROM_ABOVE["display"](displays[kind])
        drawn: Display = display.from_result(self, **options).plot(ax)
        return drawn

    def rows(self) -> list[tuple[str, str]]:
        """Return what `str` shows, as pairs of a short label and a text."""
        raise NotImplementedError

    def _probability(self, value: float) -> str:
        """Return a p value, or another probability, with the digits that are known."""
        return drawn(value, self._n_independent) if self.n_draws else p_text(value)

    @property
    def _n_independent(self) -> float:
        """Effective number of independent draws."""
        return self.n_draws

    def _size_rows(self, n_of: str) -> list[tuple[str, str]]:
        """Return the rows on the sample and on the draws."""
        draws = [("random draws", f"{self.n_draws:,}")] if self.n_draws else []
        return [("n", f"{self.n} {n_of}"), *draws]

    def to_frame(self) -> pd.DataFrame:
        """Return the result as a table of one row, a column per field.

        Returns
        -------
        DataFrame
            Columns as the fields; several sentences are joined to one text, and a pair of
            degrees of freedom stays a pair.
        """
        import pandas as pd

        names = [field.name for field in fields(self) if field.name not in self.not_in_frame]
        return pd.DataFrame([{name: _cell(getattr(self, name)) for name in names}])

    def __repr__(self) -> str:
        return printable(f"{type(self).__name__}({self.procedure}: {self._summary()})")

    def _summary(self) -> str:
        """Return what `repr` says of the result."""
        raise NotImplementedError

    def __str__(self) -> str:
        width = max((len(label) for label, _ in self.rows()), default=0)
        lines = [self.procedure]
        lines += [f"  {label:<{width}}  {text}" for label, text in self.rows()]
        return joined_lines(lines + [f"  ! {warning}" for warning in self.warnings])


def _cell(value: Any) -> Any:
    if isinstance(value, tuple) and all(isinstance(item, str) for item in value):
        return " ".join(value)
    return value


def number(value: float) -> str:
    """Return a figure with four digits.

    Examples
    --------
    >>> number(0.0691412), number(float("inf"))
    ('0.06914', 'inf')
    """
    return f"{value:.4g}"


def degrees(df: float | tuple[float, float]) -> str:
    """Return degrees of freedom, one or two.

    Examples
    --------
    >>> degrees(9.0), degrees((10.0, 5.0))
    ('9', '10, 5')
    """
    return ", ".join(f"{item:.5g}" for item in (df if isinstance(df, tuple) else (df,)))


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
        of_estimate = self.estimate, self.standard_error, self.interval_df
        low, high = student_interval(*of_estimate, level=level, alternative=self.alternative)
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
        if self._has_df:
            rows.append(("df", degrees(self.df)))
        rows.append(("p value", f"{self._probability(self.p_value)} ({self.alternative})"))
        if self.effect_size_of:
            rows.append((self.effect_size_of, number(self.effect_size)))
        return [*rows, *self._size_rows(self.n_of)]

    def _limit(self, value: float) -> str:
        """Return a limit of the interval."""
        return number(value)

    def _summary(self) -> str:
        df = f"df = {degrees(self.df)}, " if self._has_df else ""
        return (
            f"{self.symbol} = {number(self.statistic)}, {df}p = {self._probability(self.p_value)} "
            f"{self.alternative}, estimate = {number(self.estimate)}"
        )

    @property
    def _has_df(self) -> bool:
        return isinstance(self.df, tuple) or not math.isnan(self.df)


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class OmnibusResult(Result):
    """The outcome of one test of K learners; it names no best.

    Parameters
    ----------
    statistic : float
        May be infinite where only the error variance is zero.
    symbol : str
        What the statistic is called: F, H, chi2, Q ...
    df : float or tuple of two floats
        Degrees of freedom.
    p_value : float in [0, 1]
        Probability, under the null hypothesis, of a statistic at least as large.
    effect_size : float
        nan where the procedure has none.
    effect_size_of : str
        Its name.
    names : tuple of str
        Learners.
    levels : tuple of float
        Mean score or mean rank of each learner.
    level_of : str
        What `levels` are: "mean score" or "mean rank" (1 is best).
    n_of : str
        What `n` counts.
    distribution : str
        Reference distribution of the statistic.
    """

    statistic: float
    df: float | tuple[float, float]
    p_value: float
    names: tuple[str, ...]
    levels: tuple[float, ...]
    symbol: str = "F"
    effect_size: float = math.nan
    effect_size_of: str = ""
    level_of: str = "mean score"
    n_of: str = "scores of each learner"
    distribution: str = "F"

    def reject(self, alpha: float) -> bool:
        """Return whether "all learners are alike" is rejected: p value at most `alpha`.

        Parameters
        ----------
        alpha : float in (0, 1)
            Level of the test.

        Returns
        -------
        bool
            False means "can't tell", never "equal"; True names no best.

        Raises
        ------
        InvalidArgumentError
            If `alpha` is not inside (0, 1).
        """
        return self.p_value <= check_share(alpha, "alpha")

    def rows(self) -> list[tuple[str, str]]:
        """Return what `str` shows, as pairs of a short label and a text."""
        rows = [(self.symbol, number(self.statistic)), ("df", degrees(self.df))]
        rows.append(("p value", self._probability(self.p_value)))
        if self.effect_size_of:
            rows.append((self.effect_size_of, number(self.effect_size)))
        rows += self._size_rows(self.n_of)
        listed = zip(self.names, self.levels, strict=True)
        return [*rows, *((f"{self.level_of} of {name}", number(value)) for name, value in listed)]

    def _summary(self) -> str:
        return (
            f"{self.symbol} = {number(self.statistic)}, df = {degrees(self.df)}, "
            f"p = {self._probability(self.p_value)}, {len(self.names)} learners"
        )


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class IntervalResult(Result):
    """An estimate with its confidence interval.

    Parameters
    ----------
    estimate : float
        In the unit of the scores.
    low, high : float
        Limits.
    level : float in (0, 1)
        Confidence.
    standard_error : float
        nan where the limits are not made from one.
    estimate_of : str
        What is estimated.
    n_of : str
        What `n` counts.
    """

    estimate: float
    low: float
    high: float
    level: float
    standard_error: float = math.nan
    estimate_of: str = "mean"
    n_of: str = "rows"

    def rows(self) -> list[tuple[str, str]]:
        """Return what `str` shows, as pairs of a short label and a text."""
        return [
            (self.estimate_of, number(self.estimate)),
            (f"{100 * self.level:g}% interval", f"{number(self.low)} to {number(self.high)}"),
            ("n", f"{self.n} {self.n_of}"),
        ]

    def _summary(self) -> str:
        limits = f"{number(self.low)} to {number(self.high)}"
        return f"{number(self.estimate)}, {limits} at {self.level:g}"


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class PosteriorResult(Result):
    """The posterior of a difference of two learners, first minus second.

    Parameters
    ----------
    p_less, p_rope, p_greater : float in [0, 1]
        Probability that the difference is below the region of practical equivalence, inside
        it, above it; they add up to 1. Losses: "less" says that the first is better.
    rope : float
        Half the width of the region, in the unit of the scores; differences from -rope to
        rope do not matter to the user.
    estimate : float
        Posterior mean or median of the difference.
    low, high : float
        Limits of the central interval of probability `level`.
    level : float
        Of the interval.
    n_of : str
        What `n` counts.
    """

    p_less: float
    p_rope: float
    p_greater: float
    rope: float
    estimate: float
    low: float = math.nan
    high: float = math.nan
    level: float = 0.95
    n_of: str = "pairs of scores"

    def rows(self) -> list[tuple[str, str]]:
        """Return what `str` shows, as pairs of a short label and a text."""
        below = f"P(below {-self.rope or 0.0:g})"  # 0, not -0
        low, high = (drawn_mean(end, QUANTILE_ERROR * self._error) for end in (self.low, self.high))
        return [
            ("difference", drawn_mean(self.estimate, self._error)),
            (f"{100 * self.level:g}% interval", f"{low} to {high}"),
            (below, self._probability(self.p_less)),
            (f"P(within {self.rope:g})", self._probability(self.p_rope)),
            (f"P(above {self.rope:g})", self._probability(self.p_greater)),
            *self._size_rows(self.n_of),
        ]

    @staticmethod
    def probabilities(shares: Iterable[Any]) -> dict[str, Any]:
        """Return the fields of the probabilities below, within and above the region."""
        return dict(zip(("p_less", "p_rope", "p_greater"), map(float, shares), strict=True))

    @property
    def _error(self) -> float:
        """Monte Carlo standard error of the estimate; a 95% interval is four deviations wide."""
        return (self.high - self.low) / 4 / self._n_independent**0.5 if self.n_draws else 0.0

    def _summary(self) -> str:
        less, inside, greater = map(self._probability, (self.p_less, self.p_rope, self.p_greater))
        return f"below {less}, within {self.rope:g} {inside}, above {greater}"


Pairs = tuple[Positions, Positions]

_MOST_PAIRS = 50  # that a text shows; the frame has all


def tested_pairs(n_learners: int, control: int | None) -> Pairs:
    """Return the first and the second learner of each pair: all pairs, or those of a control."""
    if control is None:
        return np.triu_indices(n_learners, k=1)
    others = np.delete(np.arange(n_learners), control)
    return np.full_like(others, control), others


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class PairwiseResult(Result):
    """The outcome of a family of tests, one for every pair of learners.

    Parameters
    ----------
    names : tuple of str
        Learners.
    levels : tuple of float
        Mean score or mean rank of each learner.
    level_of : str
        What `levels` are: "mean score" or "mean rank" (1 is best).
    estimate, statistic, p_value, p_adjusted : ndarray of shape (n_learners, n_learners)
        For the first (row) minus the second (column); nan where no hypothesis was tested
        (the diagonal; without the control in a family against a control). Two-sided p values
        are symmetric.
    symbol : str
        What the statistic is called.
    correction : str
        How the family was adjusted.
    control : str
        Name of the learner that all others are held against; empty for all pairs.
    critical_difference : float
        Difference of two levels that is significant at `alpha`; nan where there is none.
    alpha : float
        Level of `critical_difference` and of `str`.
    n_of : str
        What `n` counts.
    """

    pictures = (("ranks", "CriticalDifferenceDisplay"),)

    names: tuple[str, ...]
    levels: tuple[float, ...]
    estimate: Floats
    statistic: Floats
    p_value: Floats
    p_adjusted: Floats
    correction: str
    symbol: str = "z"
    control: str = ""
    critical_difference: float = math.nan
    alpha: float = 0.05
    level_of: str = "mean score"
    n_of: str = "scores of each learner"

    @property
    def n_hypotheses(self) -> int:
        """Number of pairs tested together."""
        return len(self.pairs[0])

    def reject(self, alpha: float) -> Bools:
        """Return which pairs are shown to differ: adjusted p value at most `alpha`.

        Parameters
        ----------
        alpha : float in (0, 1)
            Level that the family keeps.

        Returns
        -------
        ndarray of shape (n_learners, n_learners), bool
            False where no hypothesis was tested; False means "can't tell".

        Raises
        ------
        InvalidArgumentError
            If `alpha` is not inside (0, 1).
        """
        return reject_adjusted(self.p_adjusted, alpha)

    def to_frame(self) -> pd.DataFrame:
        """Return one row per tested pair.

        Returns
        -------
        DataFrame
            Columns first, second, estimate (first minus second), statistic, p_value,
            p_adjusted, correction.
        """
        import pandas as pd

        first, second = ([self.names[i] for i in indices] for indices in self.pairs)
        tables = ("estimate", "statistic", "p_value", "p_adjusted")
        columns = {name: getattr(self, name)[self.pairs] for name in tables}
        frame = pd.DataFrame({"first": first, "second": second, **columns})
        return frame.assign(correction=self.correction)

    @property
    def pairs(self) -> Pairs:
        """First and second learner of each tested pair, counted from 0; a control comes first."""
        control = self.names.index(self.control) if self.control else None
        first, second = tested_pairs(len(self.names), control)
        is_tested = ~np.isnan(self.p_adjusted[first, second])
        return first[is_tested], second[is_tested]

    def rows(self) -> list[tuple[str, str]]:
        """Return what `str` shows, as pairs of a short label and a text."""
        if math.isnan(self.critical_difference):
            return self._rows_with()
        label = f"critical difference at {self.alpha:g}"
        return self._rows_with((label, number(self.critical_difference)))

    def _rows_with(self, *further: tuple[str, str]) -> list[tuple[str, str]]:
        """Return what `str` shows, with further rows after the levels."""
        levels = zip(self.names, self.levels, strict=True)
        shown = zip(*(indices[:_MOST_PAIRS].tolist() for indices in self.pairs), strict=True)
        n_more = self.n_hypotheses - _MOST_PAIRS
        more = (f"{n_more:,} more pairs", "in to_frame(), and in JSON (--json)")
        return [
            *((f"{self.level_of} of {name}", number(value)) for name, value in levels),
            *further,
            *((f"{self.names[i]} - {self.names[j]}", self._pair_text(i, j)) for i, j in shown),
            *((more,) if n_more > 0 else ()),
            ("correction", self.correction),
            *self._size_rows(self.n_of),
        ]

    def _pair_text(self, i: int, j: int) -> str:
        """Return what `str` says of a pair."""
        return f"p = {p_text(self.p_value[i, j])}, adjusted {p_text(self.p_adjusted[i, j])}"

    def _summary(self) -> str:
        shown, n = int(self.reject(self.alpha)[self.pairs].sum()), self.n_hypotheses
        return f"{shown} of {n} pairs differ significantly at {self.alpha:g}, {self.correction}"
