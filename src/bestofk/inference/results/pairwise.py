"""Results of a family of tests, one for every pair of K learners."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from bestofk.inference.adjust import reject_adjusted
from bestofk.inference.checks import Bools, Floats
from bestofk.inference.results.result import Result, number
from bestofk.words import p_text

if TYPE_CHECKING:
    import pandas as pd

MOST_PAIRS = 50  # that a text shows; the frame has all


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
        return len(self._pairs())

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

        pairs = self._pairs()
        rows = tuple(np.array(pairs, dtype=int).reshape(-1, 2).T)
        return pd.DataFrame(
            {
                "first": [self.names[i] for i, _ in pairs],
                "second": [self.names[j] for _, j in pairs],
                "estimate": self.estimate[rows],
                "statistic": self.statistic[rows],
                "p_value": self.p_value[rows],
                "p_adjusted": self.p_adjusted[rows],
                "correction": self.correction,
            }
        )

    def _pairs(self) -> list[tuple[int, int]]:
        """Return the tested pairs, each once: first before second, or control first."""
        k = len(self.names)
        if self.control:
            control = self.names.index(self.control)
            pairs = [(control, j) for j in range(k) if j != control]
        else:
            pairs = [(i, j) for i in range(k) for j in range(i + 1, k)]
        return [(i, j) for i, j in pairs if not np.isnan(self.p_adjusted[i, j])]

    def _further_pairs(self) -> list[tuple[str, str]]:
        """Return how many pairs `str` leaves out, and where they are."""
        n_more = len(self._pairs()) - MOST_PAIRS
        if n_more <= 0:
            return []
        return [(f"{n_more:,} more pairs", "in to_frame(), and in JSON (--json)")]

    def rows(self) -> list[tuple[str, str]]:
        """Return what `str` shows, as pairs of a short label and a text."""
        rows = [
            (f"{self.level_of} of {name}", number(value))
            for name, value in zip(self.names, self.levels, strict=True)
        ]
        if not math.isnan(self.critical_difference):
            rows.append(
                (f"critical difference at {self.alpha:g}", number(self.critical_difference))
            )
        for i, j in self._pairs()[:MOST_PAIRS]:
            raw, adjusted = p_text(self.p_value[i, j]), p_text(self.p_adjusted[i, j])
            rows.append((f"{self.names[i]} - {self.names[j]}", f"p = {raw}, adjusted {adjusted}"))
        return [
            *rows,
            *self._further_pairs(),
            ("correction", self.correction),
            *self._size_rows(self.n_of),
        ]

    def __repr__(self) -> str:
        shown = int(sum(self.reject(self.alpha)[i, j] for i, j in self._pairs()))
        return (
            f"{type(self).__name__}({self.procedure}: {shown} of {self.n_hypotheses} pairs shown "
            f"to differ at {self.alpha:g}, {self.correction})"
        )
