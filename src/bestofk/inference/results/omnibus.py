"""Result of a test of K learners: whether any of them differ."""

from __future__ import annotations

import math
from dataclasses import dataclass

from bestofk.inference.checks import check_share
from bestofk.inference.results.result import Result, degrees, number


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

    def __repr__(self) -> str:
        return (
            f"{type(self).__name__}({self.procedure}: {self.symbol} = {number(self.statistic)}, "
            f"df = {degrees(self.df)}, p = {self._probability(self.p_value)}, "
            f"{len(self.names)} learners)"
        )
