"""Lanes that stand below each other, one per learner: their names, marks, and texts in them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from numpy.typing import ArrayLike

from bestofk.report.plots.drawing import VERMILION, hide_sides, ink
from bestofk.report.plots.labels import NAME_SIZE, fitting_name, write


def name_lanes(ax: Axes, names: Sequence[str], top: float = -0.6) -> None:
    """Write names left of lanes that stand below each other, without ticks and a line."""
    shown = [fitting_name(ax, name) for name in names]
    ax.set_yticks(range(len(names)), shown, parse_math=False, fontsize=NAME_SIZE)
    ax.tick_params(axis="y", length=0)
    ax.set_ylim(len(names) - 0.4, top)
    hide_sides(ax, "left")


def write_in_lane(
    ax: Axes, text: str, x: float, lane: float | np.integer[Any], **style: Any
) -> None:
    """Write a small text as high as a lane, x counted in widths of the axes; see `write`."""
    write(ax, text, (x, lane), xycoords=ax.get_yaxis_transform(), **style)


def draw_means(ax: Axes, means: ArrayLike, lanes: ArrayLike) -> None:
    """Draw a diamond at each mean."""
    ax.plot(means, lanes, "D", ms=6.5, color=VERMILION, mec=ink(), mew=0.8, zorder=4)


def draw_medians(ax: Axes, medians: ArrayLike, tops: ArrayLike, bottoms: ArrayLike) -> None:
    """Draw a line across the lane at each median."""
    ax.vlines(medians, tops, bottoms, color=ink(), lw=1.6, zorder=3)


def mark_outside(ax: Axes, sign: float, lane: float, color: str) -> None:
    """Draw an arrowhead at the side of the axes beyond which something lies."""
    ax.plot(
        [float(sign > 0)], [lane], ">" if sign > 0 else "<", transform=ax.get_yaxis_transform(),
        color=color, ms=7, clip_on=False, zorder=5,
    )  # fmt: skip


def side_by_side(ax: Axes, left_end: float, right_start: float) -> tuple[Axes, Axes]:
    """Return two axes inside the given one, in which the lanes of a learner keep one height."""
    ax.set_axis_off()
    left = ax.inset_axes((0, 0, left_end, 1))
    right = ax.inset_axes((right_start, 0, 1 - right_start, 1))
    for half in (left, right):
        half.set_facecolor("none")
    return left, right
