"""Picture of the difference of every learner to the pick."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, Final, Self

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from numpy.typing import ArrayLike, NDArray

from bestofk.errors import InvalidArgumentError
from bestofk.inference.checks import check_share
from bestofk.report.findings import Findings
from bestofk.report.plots.base import FindingsDisplay, finite_list, name_list
from bestofk.report.plots.drawing import BLUE, GRAY, GREEN, VERMILION, ink
from bestofk.report.plots.labels import headline, label_scale, name_lanes, short_name, write_in_lane
from bestofk.report.plots.scales import (
    difference_text,
    is_rate,
    mark_outside,
    near_range,
    show_scale,
)
from bestofk.report.versus_pick import (
    BETTER,
    EQUIVALENT,
    IN_WORDS,
    LIKE,
    PICK,
    UNDECIDED,
    WORSE,
    versus_pick,
)

# Color and marker of every answer, by its words.
_DRAWN: Final = {BETTER: (BLUE, "^"), EQUIVALENT: (GREEN, "s"), UNDECIDED: (GRAY, "o")} | {
    WORSE: (VERMILION, "D")
}
_STYLES: Final = {IN_WORDS[answer]: _DRAWN[LIKE.get(answer, answer)] for answer in (*_DRAWN, *LIKE)}


class DifferencesDisplay(FindingsDisplay):
    """Difference of every learner to the pick, with its interval and what does not matter.

    Differences are means over the splits that both learners have, so they may not equal the
    difference of their means. A learner far off the others is an arrowhead at the edge; its
    difference is written behind it.

    Parameters
    ----------
    names : sequence of str
        The other learners, best first.
    differences : array-like of shape (n_others,), float
        Score of each minus score of the pick, in the unit of the measure.
    lows, highs : array-like of shape (n_others,), float
        Limits of the interval of each; nan where there is none.
    answers : sequence of str
        Each compared with the pick: "better", "about the same", "can't tell", "worse", or where a
        preference decides "overridden", "not better", "not tested".
    pick : str
        The learner that is picked.
    measure_title : str
        What the scores are.
    greater_is_better : bool, default=False
        Direction of the measure.
    rope : float, default=0
        Differences up to this do not matter, in the unit of the measure.
    level : float in (0, 1), default=0.95
        Confidence of the intervals.

    Raises
    ------
    InvalidArgumentError
        If numbers, names and answers are not as many as each other, a difference is not finite,
        or an answer is another.

    Examples
    --------
    >>> display = DifferencesDisplay(
    ...     ["cart", "majority"], [0.01, 0.6], [-0.02, 0.5], [0.04, 0.7],
    ...     ["can't tell", "worse"], pick="lda", measure_title="error rate", rope=0.01,
    ... )
    >>> display.frame()[["learner", "difference", "answer"]].values.tolist()
    [['lda', 0.0, 'pick'], ['cart', 0.01, "can't tell"], ['majority', 0.6, 'worse']]
    """

    hidden_sides = ("top", "right", "left")

    def __init__(
        self,
        names: Sequence[str],
        differences: ArrayLike,
        lows: ArrayLike,
        highs: ArrayLike,
        answers: Sequence[str],
        *,
        pick: str,
        measure_title: str,
        greater_is_better: bool = False,
        rope: float = 0.0,
        level: float = 0.95,
    ) -> None:
        self.differences = finite_list(differences, "differences")
        self.names = name_list(names, len(self.differences), "differences")
        self.lows, self.highs = np.asarray(lows, dtype=float), np.asarray(highs, dtype=float)
        self.answers, self.pick = list(answers), pick
        if {len(self.lows), len(self.highs), len(self.answers)} != {len(self.names)}:
            raise InvalidArgumentError(
                f"lows, highs and answers must be {len(self.names)} each; got {len(self.lows)}, "
                f"{len(self.highs)} and {len(self.answers)}. Give one of each per learner."
            )
        if other := sorted(set(self.answers) - set(_STYLES)):
            raise InvalidArgumentError(
                f"answers must be {', '.join(_STYLES)}; got {', '.join(other)}. Compare each "
                "learner with the pick."
            )
        self.measure_title, self.greater_is_better = measure_title, greater_is_better
        self.rope, self.level = float(rope), check_share(level, "level")

    @classmethod
    def from_findings(cls, findings: Findings) -> Self:
        """Take the differences of a verdict.

        Parameters
        ----------
        findings : Findings
            Of a comparison.

        Returns
        -------
        DifferencesDisplay
            Learners in the order of the verdict, then baselines that take no part in it.

        Raises
        ------
        InvalidArgumentError
            If no learner was picked, or there is no other.
        """
        verdict, measure = findings.verdict, findings.measure
        others = [
            item
            for item in versus_pick(findings).values()
            if item.answer not in (PICK, "") and math.isfinite(item.difference)
        ]
        if verdict.best is None or not others:
            raise InvalidArgumentError(
                "findings of DifferencesDisplay must hold a pick and another learner; got "
                f"{verdict.best or 'no pick'}. Compare at least two learners."
            )
        table = np.array([(item.difference, item.low, item.high) for item in others])
        if measure.greater_is_better:
            table = -table[:, [0, 2, 1]]
        return cls(
            [item.learner for item in others], table[:, 0], table[:, 1], table[:, 2],
            [IN_WORDS[item.answer] for item in others], pick=verdict.best,
            measure_title=measure.title, greater_is_better=measure.greater_is_better,
            rope=verdict.rope, level=1 - verdict.alpha,
        )  # fmt: skip

    def frame(self) -> pd.DataFrame:
        """Return a DataFrame with one row per learner, the pick first.

        Returns
        -------
        DataFrame
            Columns learner, difference (score minus score of the pick), low, high, answer.
        """
        return pd.DataFrame(
            {
                "learner": [self.pick, *self.names],
                "difference": [0.0, *self.differences],
                "low": [math.nan, *self.lows],
                "high": [math.nan, *self.highs],
                "answer": ["pick", *self.answers],
            }
        )

    @property
    def size(self) -> tuple[float, float]:
        """Width and height in inches at which all of it can be read."""
        return 6.4, 1.3 + 0.27 * (len(self.names) + 1)

    def _limits(self) -> tuple[float, float]:
        """Return the ends of the axis: zero, the region, and all learners that are near."""
        ends = np.vstack([self.differences, self.lows, self.highs])
        reach = near_range(np.nanmax(np.where(np.isfinite(ends), np.abs(ends), 0), axis=0))
        seen = np.append(ends[np.abs(ends) <= reach * (1 + 1e-9)], [0, -self.rope, self.rope])
        low, high = float(seen.min()), float(seen.max())
        margin = 0.06 * (high - low) or 0.01
        return low - margin, high + margin

    def _draw(self, ax: Axes) -> None:
        low, high = self._limits()
        ax.set_xlim(low, high)
        ax.axvspan(-self.rope, self.rope, color=GREEN, alpha=0.13, lw=0)
        ax.axvline(0, color=ink(), lw=1, ls="--", zorder=1)
        ax.plot(0, 0, "*", ms=13, color=ink(), zorder=4)
        write_in_lane(ax, "pick", 1, 0, xytext=(9, 0))
        for index, answer in enumerate(self.answers):
            self._draw_learner(ax, index, answer)
        name_lanes(ax, [self.pick, *self.names])
        self._name_axis(ax)

    def _draw_learner(self, ax: Axes, index: int, answer: str) -> None:
        (low, high), lane = ax.get_xlim(), index + 1
        color, marker = _STYLES[answer]
        difference, interval = self.differences[index], self._interval(index)
        if not np.isnan(interval).any():
            start, end = np.clip(interval, low, high)
            ax.plot([start, end], [lane, lane], color=color, lw=2.2, solid_capstyle="butt")
        style: dict[str, Any] = {"ms": 7, "mec": color, "mew": 1.6, "zorder": 4}
        style |= {"mfc": "none" if marker == _DRAWN[UNDECIDED][1] else color}
        if low <= difference <= high:
            ax.plot(difference, lane, marker, **style)
        else:
            mark_outside(ax, difference, lane, color)
        text = difference_text(float(difference), self.measure_title)
        write_in_lane(ax, f"{text}  {answer}", 1, lane, xytext=(9, 0))

    def _interval(self, index: int) -> NDArray[np.float64]:
        return np.array([self.lows[index], self.highs[index]])

    def _name_axis(self, ax: Axes) -> None:
        unit = " in points" if is_rate(self.measure_title) else ""
        show_scale(ax.xaxis, self.measure_title)
        side = "right" if self.greater_is_better else "left"
        notes = []
        if np.isfinite(self.lows + self.highs).any():
            notes.append(f"bars: {100 * self.level:g}% interval of each difference alone")
        if self.rope:
            size = 100 * self.rope if unit else self.rope
            points = f" point{'' if size == 1 else 's'}" if unit else ""
            notes.append(f"shaded: within {size:.3g}{points}, which counts as about the same")
        low, high = ax.get_xlim()
        if ((self.differences < low) | (self.differences > high)).any():
            notes.append("arrowheads: off the axis")
        said = f"difference in {self.measure_title}{unit}; {side} is better"
        label_scale(ax, said, "; ".join(notes))
        headline(ax, f"Difference to {short_name(self.pick)} on shared splits")
