"""Posterior probabilities that one learner is better, both are equivalent, the other is better."""

from __future__ import annotations

import math
from dataclasses import dataclass

from bestofk.inference.results.result import Result, number


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
        return [
            ("difference", number(self.estimate)),
            (f"{100 * self.level:g}% interval", f"{number(self.low)} to {number(self.high)}"),
            (below, number(self.p_less)),
            (f"P(within {self.rope:g})", number(self.p_rope)),
            (f"P(above {self.rope:g})", number(self.p_greater)),
            ("n", f"{self.n} {self.n_of}"),
        ]

    def __repr__(self) -> str:
        return (
            f"{type(self).__name__}({self.procedure}: below {number(self.p_less)}, within "
            f"{self.rope:g} {number(self.p_rope)}, above {number(self.p_greater)})"
        )
