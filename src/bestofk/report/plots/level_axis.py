"""Axis with the means or ranks of many learners, and bars that join some of them."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from typing import Any, ClassVar

import numpy as np
import pandas as pd
from matplotlib.axes import Axes

from bestofk.report.plots.base import Display, finite_list, name_list
from bestofk.report.plots.drawing import VERMILION, ink
from bestofk.report.plots.labels import cell_inches, longest_name, short_name, write

# Heights below the axis, in lines of text.
_FIRST_BAR, _BAR_STEP, _ABOVE_NAMES = 0.5, 0.42, 0.6
# Height above the axis, clear of its numbers.
_REACH = -1.5
_INCHES_PER_LINE, _INCHES_PER_LETTER = 0.24, 0.08
# Letters of a name on either side, by the width of the picture.
_LETTERS_PER_INCH = 3


class LevelAxisDisplay(Display):
    """Base of displays of learners on an axis of levels, where bars join those alike."""

    hidden_sides = ("left", "right", "bottom")
    _columns: ClassVar[tuple[str, str]]  # of the frame: levels, and numbers of groups

    def __init__(self, names: Sequence[str], levels: Sequence[float], what: str) -> None:
        self._levels = finite_list(levels, what)
        self.names = name_list(names, len(self._levels), what.replace("_", " "), at_least=2)
        order = np.argsort(self._levels, kind="stable")
        self._ascending = {self.names[i]: float(self._levels[i]) for i in order}

    @abstractmethod
    def _groups(self) -> list[list[str]]:
        """Return the learners that are joined, each group in ascending order of level."""

    @abstractmethod
    def _text(self, level: float) -> str:
        """Return a level as it is written next to its learner."""

    def _bars(self) -> list[tuple[float, float]]:
        """Return the ends of the bars."""
        ends = [(group[0], group[-1]) for group in self._groups() if len(group) > 1]
        return [(self._ascending[first], self._ascending[last]) for first, last in ends]

    def to_frame(self) -> pd.DataFrame:
        """Return a DataFrame with one row per learner, smallest level first.

        Returns
        -------
        DataFrame
            Columns learner, average_rank or mean, and groups or underlines: the numbers (from 1)
            of those that the learner is in, as a text.
        """
        groups = list(enumerate(self._groups(), 1))
        rows = [
            (name, level, " ".join(str(number) for number, group in groups if name in group))
            for name, level in self._ascending.items()
        ]
        return pd.DataFrame(rows, columns=["learner", *self._columns])

    def _axis_size(self) -> tuple[float, float]:
        """Return width and height in inches for the axis, without what is written around it."""
        n_lines = (len(self.names) + 1) // 2 + _BAR_STEP * max(_floors(self._bars()), default=0)
        width = 5.8 + 2 * _INCHES_PER_LETTER * longest_name(self.names)
        return width, 1.9 + _INCHES_PER_LINE * n_lines

    def _draw_axis(self, ax: Axes, low: float, high: float, *, headroom: float = 0) -> None:
        """Draw an axis on top, bars below it, and a line from each level to its name.

        Parameters
        ----------
        ax : matplotlib Axes
            Where to draw.
        low, high : float
            Ends of the axis; the lower half of the learners is named on the left.
        headroom : float, default=0
            Lines of text that are kept free above the axis.
        """
        bars, count = self._bars(), len(self.names)
        floors = _floors(bars)
        top = _FIRST_BAR + _BAR_STEP * (max(floors, default=-1) + 1) + _ABOVE_NAMES
        n_left = (count + 1) // 2
        longest = max(6, int(_LETTERS_PER_INCH * cell_inches(ax)))
        for rank, (name, level) in enumerate(self._ascending.items()):
            is_left = rank < n_left
            height, end = (top + rank, low) if is_left else (top + (count - 1 - rank), high)
            ax.plot([level, level, end], [0, height, height], color=ink(), lw=0.9, zorder=2)
            label = [short_name(name, longest), self._text(level)]
            _write_label(ax, "  ".join(label if is_left else label[::-1]), end, height, is_left)
        reach = 0.006 * (high - low)
        bar: dict[str, Any] = {"color": ink(), "lw": 4.5, "solid_capstyle": "butt", "zorder": 3}
        for floor, (start, stop) in zip(floors, bars, strict=True):
            height = _FIRST_BAR + _BAR_STEP * floor
            ax.plot([start - reach, stop + reach], [height] * 2, **bar)
        ax.set_xlim(low, high)
        ax.set_ylim(top + n_left - 0.5, -headroom)
        ax.spines["top"].set_position(("data", 0))
        ax.xaxis.set_ticks_position("top")
        ax.set_yticks([])


def draw_reach(ax: Axes, start: float, stop: float, text: str) -> None:
    """Draw how long a difference is, from one value to another, above the axis."""
    ax.plot([start, stop], [_REACH] * 2, "|-", color=VERMILION, lw=2.5, ms=9, mew=2)
    _write_label(ax, text, stop, _REACH, is_left=False)


def _write_label(ax: Axes, text: str, x: float, y: float, is_left: bool) -> None:
    side = "right" if is_left else "left"
    write(ax, text, (x, y), xytext=(-5 if is_left else 5, 0), ha=side)


def _floors(bars: Sequence[tuple[float, float]]) -> list[int]:
    """Return for each bar the highest floor on which it meets no earlier bar."""
    gap = 0.02 * (max((stop for _, stop in bars), default=0) - min((b for b, _ in bars), default=0))
    ends: list[float] = []
    floors = []
    for start, stop in bars:
        floor = next((i for i, end in enumerate(ends) if start > end + gap), len(ends))
        ends[floor : floor + 1] = [stop]
        floors.append(floor)
    return floors
