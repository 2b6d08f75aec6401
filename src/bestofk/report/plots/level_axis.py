"""Axis with the means or ranks of many learners, and bars that join some of them."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from matplotlib.axes import Axes

from bestofk.report.plots.drawing import VERMILION, ink
from bestofk.report.plots.labels import cell_inches, short_name, write

# Heights below the axis, in lines of text.
_FIRST_BAR, _BAR_STEP, _ABOVE_NAMES = 0.5, 0.42, 0.6
# Height above the axis, clear of its numbers.
_REACH = -1.5
_INCHES_PER_LINE, _INCHES_PER_LETTER = 0.24, 0.08
# Letters of a name on either side, by the width of the picture.
_LETTERS_PER_INCH = 3


def level_axis_size(
    labels: Sequence[str], bars: Sequence[tuple[float, float]]
) -> tuple[float, float]:
    """Return width and height in inches for these names and bars."""
    n_lines = (len(labels) + 1) // 2 + _BAR_STEP * max(_floors(bars), default=0)
    return 5.0 + 2 * name_width(labels), 1.9 + _INCHES_PER_LINE * n_lines


def name_width(labels: Sequence[str]) -> float:
    """Return how many inches the longest name takes on one side of the axis."""
    return _INCHES_PER_LETTER * max(len(short_name(label)) for label in labels) + 0.4


def group_numbers(name: str, groups: Sequence[Sequence[str]]) -> str:
    """Return the numbers of the groups that a learner is in, counted from 1."""
    return " ".join(str(number) for number, group in enumerate(groups, 1) if name in group)


def draw_level_axis(
    ax: Axes,
    names: Sequence[str],
    levels: Sequence[float],
    bars: Sequence[tuple[float, float]],
    *,
    limits: tuple[float, float],
    text_of: Callable[[float], str],
    headroom: float = 0,
) -> None:
    """Draw an axis on top, bars below it, and a line from each level to its name.

    Parameters
    ----------
    ax : matplotlib Axes
        Where to draw.
    names : sequence of str
        Learners.
    levels : sequence of float
        Position of each on the axis; the lower half is named on the left.
    bars : sequence of pairs of float
        From and to, in ascending order; bars that overlap stand below each other.
    limits : pair of float
        Ends of the axis.
    text_of : callable
        Makes the text of a level behind each name.
    headroom : float, default=0
        Lines of text that must fit above the axis, under its headline.
    """
    floors = _floors(bars)
    top = _FIRST_BAR + _BAR_STEP * (max(floors, default=-1) + 1) + _ABOVE_NAMES
    n_left = (len(names) + 1) // 2
    longest = max(6, int(_LETTERS_PER_INCH * cell_inches(ax)))
    for rank, index in enumerate(np.argsort(np.asarray(levels), kind="stable")):
        is_left = rank < n_left
        height = top + (rank if is_left else len(names) - 1 - rank)
        end = limits[0] if is_left else limits[1]
        ax.plot([levels[index]] * 2 + [end], [0, height, height], color=ink(), lw=0.9, zorder=2)
        label = [short_name(names[index], longest), text_of(levels[index])]
        _write_label(ax, "  ".join(label if is_left else label[::-1]), end, height, is_left)
    reach = 0.006 * (limits[1] - limits[0])
    for floor, (start, stop) in zip(floors, bars, strict=True):
        ends, height = [start - reach, stop + reach], _FIRST_BAR + _BAR_STEP * floor
        ax.plot(ends, [height] * 2, color=ink(), lw=4.5, solid_capstyle="butt", zorder=3)
    ax.set_xlim(*limits)
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
