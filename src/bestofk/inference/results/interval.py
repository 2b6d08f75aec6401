"""Estimate with its confidence interval."""

from __future__ import annotations

import math
from dataclasses import dataclass

from bestofk.inference.results.result import Result, number


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

    def __repr__(self) -> str:
        return (
            f"{type(self).__name__}({self.procedure}: {number(self.estimate)}, "
            f"{number(self.low)} to {number(self.high)} at {self.level:g})"
        )
