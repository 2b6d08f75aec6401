"""Results of a family of tests, one for every pair of K learners."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from bestofk.array_types import Bools, Floats, Positions
from bestofk.inference.adjust import reject_adjusted
from bestofk.inference.results.result import Result, number
from bestofk.words import p_text

if TYPE_CHECKING:
    import pandas as pd

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

    def __repr__(self) -> str:
        shown = int(self.reject(self.alpha)[self.pairs].sum())
        return (
            f"{type(self).__name__}({self.procedure}: {shown} of {self.n_hypotheses} pairs shown "
            f"to differ at {self.alpha:g}, {self.correction})"
        )
