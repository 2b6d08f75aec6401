"""Critical-difference diagram: average ranks, with bars joining similar learners."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import pandas as pd
from matplotlib.axes import Axes

from bestofk.errors import InvalidArgumentError
from bestofk.report.plots.base import Display, finite_list, name_list
from bestofk.report.plots.drawing import joined_runs
from bestofk.report.plots.labels import caption, headline
from bestofk.report.plots.level_axis import (
    draw_level_axis,
    draw_reach,
    group_numbers,
    level_axis_size,
)
from bestofk.words import number

# Said below every diagram, whatever its numbers.
POOL_WARNING = (
    "Average ranks depend on the pool: whether two learners are joined here can change when a "
    "third one is added or taken out (Benavoli, Corani & Mangili 2016). Read a pair by its own "
    "test, such as Wilcoxon's. Joined says no significant difference, which is not equality."
)


class CriticalDifferenceDisplay(Display):
    """Average ranks on an axis; bars join learners without a significant difference.

    The warning that such verdicts depend on which learners are in the pool is part of the
    picture.

    Parameters
    ----------
    names : sequence of str
        Learners, at least two.
    average_ranks : sequence of float
        One per learner; 1 is best.
    critical_difference : float
        Ranks that differ by at least this are significantly different.
    alpha : float, default=0.05
        Level of the critical difference.
    control : str, default=""
        The learner that all others are held against (Bonferroni-Dunn): one bar, as far as the
        critical difference reaches on both sides of it. Empty: all pairs (Nemenyi).
    n_data_sets : int, optional
        How many data sets were ranked, for the headline.
    warnings : sequence of str
        What else to distrust, such as which verdict changes without which learner.

    Raises
    ------
    InvalidArgumentError
        If there are fewer than two learners, numbers and names do not fit, the critical
        difference is no positive number, or the control is no learner.

    References
    ----------
    Demsar (2006), Statistical comparisons of classifiers over multiple data sets, JMLR 7.
    Benavoli, Corani & Mangili (2016), Should we really use post-hoc tests based on mean-ranks?,
    JMLR 17(5).

    Examples
    --------
    The average ranks of Demsar (2006), four versions of C4.5 on 14 data sets, at level 0.1:

    >>> names = ["C4.5", "C4.5+m", "C4.5+cf", "C4.5+m+cf"]
    >>> display = CriticalDifferenceDisplay(names, [3.143, 2.0, 2.893, 1.964], 1.12, alpha=0.1)
    >>> display.groups()
    [['C4.5+m+cf', 'C4.5+m', 'C4.5+cf'], ['C4.5+cf', 'C4.5']]
    """

    hidden_sides = ("left", "right", "bottom")

    def __init__(
        self,
        names: Sequence[str],
        average_ranks: Sequence[float],
        critical_difference: float,
        *,
        alpha: float = 0.05,
        control: str = "",
        n_data_sets: int | None = None,
        warnings: Sequence[str] = (),
    ) -> None:
        self.average_ranks = finite_list(average_ranks, "average_ranks")
        self.names = name_list(names, len(self.average_ranks), "average ranks", at_least=2)
        self.critical_difference = float(critical_difference)
        self.alpha = alpha
        self.control = control
        self.n_data_sets = n_data_sets
        self.warnings = tuple(str(warning) for warning in warnings)
        self._check()

    def _check(self) -> None:
        if not 0 < self.critical_difference < math.inf:
            raise InvalidArgumentError(
                f"critical_difference must be a positive number; got {self.critical_difference}. "
                "Take it from nemenyi_critical_difference."
            )
        if self.control and self.control not in self.names:
            raise InvalidArgumentError(
                f"control must be one of the learners; got {self.control!r}. "
                f"Known: {', '.join(self.names)}."
            )

    @classmethod
    def from_result(cls, result: Any) -> CriticalDifferenceDisplay:
        """Take the result of a test by average ranks.

        Parameters
        ----------
        result : PairwiseResult
            With mean ranks as levels and a critical difference: of `nemenyi_test` or
            `bonferroni_dunn_test`.

        Returns
        -------
        CriticalDifferenceDisplay

        Raises
        ------
        InvalidArgumentError
            If the result has no critical difference.
        """
        if math.isnan(getattr(result, "critical_difference", math.nan)):
            raise InvalidArgumentError(
                f"result must have a critical difference; got {result!r}. "
                "Use nemenyi_test or bonferroni_dunn_test."
            )
        about = [
            warning for warning in result.warnings if getattr(warning, "code", "") == "mean-ranks"
        ]
        return cls(
            result.names,
            result.levels,
            result.critical_difference,
            alpha=result.alpha,
            control=result.control,
            n_data_sets=result.n,
            warnings=about,
        )

    def groups(self) -> list[list[str]]:
        """Return the longest groups of learners that are joined, best first.

        Returns
        -------
        list of list of str
            With a control: itself and all without a significant difference to it.
        """
        if self.control:
            order = sorted(range(len(self.names)), key=lambda i: self.average_ranks[i])
            level = self.average_ranks[self.names.index(self.control)]
            near = [
                self.names[i]
                for i in order
                if abs(self.average_ranks[i] - level) < self.critical_difference
            ]
            return [near] if len(near) > 1 else []
        runs = joined_runs(self.average_ranks, self.critical_difference)
        return [[self.names[i] for i in run] for run in runs]

    def frame(self) -> pd.DataFrame:
        """Return a DataFrame with one row per learner, best first.

        Returns
        -------
        DataFrame
            Columns learner, average_rank, and groups: the numbers (from 1) of the groups in
            which it is, as a text.
        """
        groups = self.groups()
        rows = [
            (name, rank, group_numbers(name, groups))
            for name, rank in zip(self.names, self.average_ranks, strict=True)
        ]
        frame = pd.DataFrame(rows, columns=["learner", "average_rank", "groups"])
        return frame.sort_values("average_rank", kind="stable", ignore_index=True)

    @property
    def size(self) -> tuple[float, float]:
        """Width and height in inches at which all of it can be read."""
        width, height = level_axis_size(self.names, self._bars())
        n_lines = sum(len(text) // 100 + 1 for text in (POOL_WARNING, *self.warnings))
        return width, height + 0.16 * n_lines

    def _bars(self) -> list[tuple[float, float]]:
        if self.control:
            level = float(self.average_ranks[self.names.index(self.control)])
            reach = self.critical_difference
            return [(max(level - reach, 1), min(level + reach, len(self.names)))]
        ranks = dict(zip(self.names, self.average_ranks.tolist(), strict=True))
        return [(ranks[group[0]], ranks[group[-1]]) for group in self.groups()]

    def _draw(self, ax: Axes) -> None:
        k, reach = len(self.names), self.critical_difference
        limits = (1 - 0.02 * (k - 1), k + 0.02 * (k - 1))
        ranks = self.average_ranks.tolist()
        draw_level_axis(
            ax,
            self.names,
            ranks,
            self._bars(),
            limits=limits,
            text_of="{:.2f}".format,
            headroom=2.2,
        )
        step = -(-k // 10)
        ax.set_xticks([*range(1, k + 1, step)])
        if reach <= k - 1:
            draw_reach(ax, 1, 1 + reach, f"critical difference {number(reach, 2)}")
        over = f" over {self.n_data_sets} data sets" if self.n_data_sets else ""
        joined = (
            f"the bar ends where ranks differ from {self.control} by more"
            if self.control
            else "a bar joins learners that differ by less"
        )
        headline(
            ax,
            f"Average rank{over} (1 is best); critical difference at {self.alpha:g}; {joined}",
        )
        caption(ax, "\n".join([POOL_WARNING, *self.warnings]))
