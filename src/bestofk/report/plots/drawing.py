"""Colors, curves and levels that pictures share."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, Final, cast

import numpy as np
from matplotlib import rcParams
from matplotlib.axes import Axes
from numpy.typing import ArrayLike

from bestofk.array_types import Floats

# Okabe & Ito (2008): distinguished by color-blind readers, and visible on white and on black.
BLUE: Final = "#0072B2"
VERMILION: Final = "#D55E00"
GREEN: Final = "#009E73"
PURPLE: Final = "#CC79A7"
GRAY: Final = "#999999"
SERIES: Final = (BLUE, VERMILION, GREEN, PURPLE, "#56B4E9", "#E69F00")
MOST_EMPHASIZED: Final = 7  # curves that have a color of their own; all others are gray
SMALL: Final = 8.5
# Dash, marker and color repeat after different counts.
DASHES: Final = ("-", (0, (5, 1.5)), (0, (1.2, 1.2)), (0, (6, 1.5, 1.2, 1.5)))
MARKERS: Final = ("o", "s", "^", "D", "v")
LETTER_INCHES: Final = 0.07
_BELL_POINTS: Final = 301
MOST_BANDS: Final = 3  # more would hide the curves


def ink() -> str:
    """Return the color of text and lines that fits the surroundings."""
    return cast(str, rcParams["text.color"])


def hide_sides(ax: Axes, *sides: str) -> None:
    """Remove lines around the axes."""
    for side in sides:
        ax.spines[side].set_visible(False)


def joined_runs(values: Sequence[float] | Floats, limit: float) -> list[list[int]]:
    """Return the longest runs of neighbours whose ends differ by less than a limit.

    Parameters
    ----------
    values : sequence of float
        In any order.
    limit : float
        Critical difference.

    Returns
    -------
    list of list of int
        Indices of the members in ascending order of value; only runs of two or more that are
        no part of another run.

    Examples
    --------
    >>> joined_runs([1.0, 3.0, 1.5, 2.2], 1.0)
    [[0, 2], [2, 3], [3, 1]]
    """
    array = np.asarray(values, dtype=float)
    order = np.argsort(array, kind="stable")
    ranked = array[order]
    runs: list[list[int]] = []
    reached = 0
    for start in range(len(ranked)):
        end = int(np.searchsorted(ranked, ranked[start] + limit, side="left"))
        if end > max(reached, start + 1):
            runs.append([int(i) for i in order[start:end]])
            reached = end
    return runs


def spread(wanted: ArrayLike, gap: float) -> Floats:
    """Return positions near those that are wanted, none closer to another than a gap.

    Parameters
    ----------
    wanted : array-like of shape (n,), float
        From 0 to 1.
    gap : float
        Least distance.

    Returns
    -------
    ndarray of shape (n,), float
        In the order of what was wanted, from 0 to 1 where there is room, with the least sum of
        squared moves.

    Examples
    --------
    >>> spread([0.5, 0.5, 0.9], 0.2).round(3).tolist()
    [0.4, 0.6, 0.9]
    """
    positions = np.asarray(wanted, dtype=float)
    order = np.argsort(positions, kind="stable")
    shifts = gap * np.arange(len(positions))
    # neighbors that would stand too close share one level, less what the gap adds
    runs: list[list[float]] = []
    for level in positions[order] - shifts:
        runs.append([level])
        while len(runs) > 1 and np.mean(runs[-2]) > np.mean(runs[-1]):
            runs[-2:] = [runs[-2] + runs[-1]]
    levels = np.concatenate([np.full(len(run), np.mean(run)) for run in runs] or [np.empty(0)])
    highest = max(1.0 - (shifts[-1] if len(shifts) else 0.0), 0.0)
    result = np.empty(len(positions))
    result[order] = np.clip(levels, 0.0, highest) + shifts
    return result


def curve_style(index: int) -> dict[str, Any]:
    """Return color, dashes and level of a curve by its index; gray from the eighth on."""
    if index >= MOST_EMPHASIZED:
        return {"color": GRAY, "ls": "-", "lw": 0.8, "zorder": 1.5}
    color = SERIES[index] if index < len(SERIES) else ink()
    return {"color": color, "ls": DASHES[index % len(DASHES)], "lw": 1.6, "zorder": 2.5}


def curve_marker(index: int) -> str:
    """Return the marker of a curve by its index; none from the eighth on."""
    return MARKERS[index % len(MARKERS)] if index < MOST_EMPHASIZED else ""


def draw_band(ax: Axes, color: str, x: np.ndarray, means: Floats, errors: ArrayLike) -> None:
    """Shade one error to both sides of a curve, nothing where it is nan."""
    band = np.nan_to_num(errors)
    ax.fill_between(x, means - band, means + band, color=color, alpha=0.15, lw=0)


def draw_bell(
    ax: Axes,
    center: float,
    scale: float,
    *,
    df: float = math.inf,
    limits: tuple[float, float],
    interval: tuple[float, float],
    color: str,
    base: float = 0,
) -> None:
    """Draw a density of Student's t, one high above its base, and shade an interval below it.

    Parameters
    ----------
    ax : matplotlib Axes
        Where to draw.
    center, scale, df : float
        Of the distribution; normal where df is infinite.
    limits, interval : pair of float
        Ends of the curve, and of what is shaded.
    color : str
        Of both.
    base : float, default=0
        Height on which the curve stands.
    """
    x = np.union1d(np.linspace(*limits, _BELL_POINTS), interval)
    t = (x - center) / scale
    shape = np.exp(-t * t / 2) if math.isinf(df) else (1 + t * t / df) ** (-(df + 1) / 2)
    heights, inside = base + shape, (x >= interval[0]) & (x <= interval[1])
    ax.fill_between(x[inside], heights[inside], base, color=color, alpha=0.45, lw=0)
    ax.plot(x, heights, color=color, lw=1.4)


def scattered(count: int) -> Floats:
    """Return heights from 0 to 1, at which points of one value do not hide each other.

    They have low discrepancy and are not random.
    """
    return np.asarray((np.arange(count) * 0.618034) % 1)
