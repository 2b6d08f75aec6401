"""Names, captions and headlines in pictures."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence
from typing import Any, Final, cast

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from numpy.typing import NDArray

from bestofk.report.plots.drawing import SMALL, curve_style, hide_sides, spread

# Width of a letter of the default font over its size, on average.
_LETTER: Final = 0.52
_LABEL_INCHES: Final = 0.185
_LONGEST_NAME: Final = 28
_SHORTEST_NAME: Final = 10
# Letters of a name per inch of the axes, and their size.
_NAME_SHARE: Final = 5
_NAME_SIZE: Final = 9


def name_lanes(ax: Axes, names: Sequence[str], top: float = -0.6) -> None:
    """Write names left of lanes that stand below each other, without ticks and a line."""
    longest = min(_LONGEST_NAME, max(_SHORTEST_NAME, int(_NAME_SHARE * _inches(ax))))
    shown = [short_name(name, longest) for name in names]
    ax.set_yticks(range(len(names)), shown, parse_math=False, fontsize=_NAME_SIZE)
    ax.tick_params(axis="y", length=0)
    ax.set_ylim(len(names) - 0.4, top)
    hide_sides(ax, "left")


def name_cells(ax: Axes, rows: Sequence[str], columns: Sequence[str]) -> None:
    """Write names to the left of a table and above it, and white lines between its cells."""
    turn: dict[str, Any] = {"rotation": 35, "ha": "left", "rotation_mode": "anchor"}
    ax.set_yticks(range(len(rows)), rows, parse_math=False)
    ax.set_xticks(range(len(columns)), columns, parse_math=False, **turn)
    ax.tick_params(length=0, top=True, labeltop=True, bottom=False, labelbottom=False)
    ax.set_xticks(np.arange(1, len(columns)) - 0.5, minor=True)
    ax.set_yticks(np.arange(1, len(rows)) - 0.5, minor=True)
    ax.grid(which="minor", color="white", lw=2)
    ax.tick_params(which="minor", length=0, top=False)
    hide_sides(ax, *ax.spines)


def wrapped(ax: Axes, text: str, margin: float = 0) -> str:
    """Return a text in lines that are as wide as the axes, less a margin in inches."""
    width = max(32, int(72 * (_inches(ax) - margin) / (_LETTER * SMALL)))
    return "\n".join(textwrap.fill(line, width) for line in text.splitlines())


def caption(ax: Axes, text: str, margin: float = 0) -> None:
    """Write sentences below axes that have no numbers at their lower side."""
    ax.annotate(
        wrapped(ax, text, margin),
        (0, 0),
        xytext=(0, -6),
        xycoords="axes fraction",
        textcoords="offset points",
        ha="left",
        va="top",
        fontsize=SMALL,
        parse_math=False,
    )


def caption_axis(ax: Axes, text: str) -> None:
    """Write what the x axis shows, and how to read the picture, below its numbers."""
    ax.set_xlabel(wrapped(ax, text), fontsize=SMALL, parse_math=False)


def headline(ax: Axes, text: str, margin: float = 0) -> None:
    """Write what the picture says above it."""
    ax.set_title(wrapped(ax, text, margin), fontsize=SMALL, loc="left", parse_math=False)


def better_names(names: Sequence[str], *, greater_is_better: bool) -> tuple[str, str]:
    """Return the better learner if the first minus the second is negative, and if positive.

    Examples
    --------
    >>> better_names(["lda", "cart"], greater_is_better=False)
    ('lda', 'cart')
    """
    first, second = names
    return (second, first) if greater_is_better else (first, second)


def short_name(name: str, longest: int = _LONGEST_NAME) -> str:
    """Return a name that fits next to an axis; long names lose their middle.

    Examples
    --------
    >>> short_name("random-forest(n_estimators=500)", 14)
    'random…rs=500)'
    """
    line = " ".join(name.split())
    half = longest // 2
    return line if len(line) <= longest else f"{line[: half - 1]}…{line[-half:]}"


def _inches(ax: Axes) -> float:
    """Return the width of axes."""
    return float(ax.bbox.width / cast(Figure, ax.get_figure(root=True)).dpi)


def name_ends(
    ax: Axes,
    x: NDArray[np.float64],
    curves: NDArray[np.float64],
    names: Sequence[str],
    *,
    inches: float,
) -> None:
    """Write each name right of the axes at the height of its curve's end, none over another.

    Parameters
    ----------
    ax : matplotlib Axes
        With the curves drawn, and a linear axis of heights.
    x : ndarray of shape (n_points,), float
        Places of the points.
    curves : ndarray of shape (n_curves, n_points), float
        Heights; a curve ends at its last finite one, and without any it gets no name.
    names : sequence of str
        Of the curves.
    inches : float
        Height of the picture.
    """
    low, high = ax.get_ylim()
    known = np.isfinite(curves)
    ends = [(k, int(np.flatnonzero(item)[-1])) for k, item in enumerate(known) if item.any()]
    wanted = [(float(curves[end]) - low) / (high - low) for end in ends]
    for (k, last), height in zip(ends, spread(wanted, _LABEL_INCHES / inches), strict=True):
        color = curve_style(k)["color"]
        ax.annotate(
            short_name(names[k]),
            (x[last], curves[k, last]),
            xytext=(1.03, height),
            textcoords="axes fraction",
            color=color,
            fontsize=SMALL,
            va="center",
            parse_math=False,
            annotation_clip=False,
            arrowprops={"arrowstyle": "-", "lw": 0.4, "color": color},
        )
