"""Posterior probabilities that one learner is better, both are equivalent, the other is better."""

from __future__ import annotations

import math
from dataclasses import dataclass

from bestofk.inference.results.result import Result
from bestofk.words import QUANTILE_ERROR, drawn_mean


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

    @property
    def _error(self) -> float:
        """Monte Carlo standard error of the estimate; a 95% interval is four deviations wide."""
        return (self.high - self.low) / 4 / self._n_independent**0.5 if self.n_draws else 0.0

    def __repr__(self) -> str:
        less, inside, greater = map(self._probability, (self.p_less, self.p_rope, self.p_greater))
        return (
            f"{type(self).__name__}({self.procedure}: below {less}, within {self.rope:g} {inside}, "
            f"above {greater})"
        )
