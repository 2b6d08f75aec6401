"""Names, captions and headlines in pictures."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Sequence
from typing import Any, Final, cast

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.text import Annotation
from matplotlib.ticker import PercentFormatter
from matplotlib.transforms import Bbox, ScaledTranslation

from bestofk.array_types import Floats
from bestofk.report.plots.drawing import LETTER_INCHES, SMALL, curve_style, hide_sides, spread

# Width of a letter of the default font over its size, on average.
_LETTER: Final = 0.55
# Names of what is written below and above axes.
_NOTES: Final = ("caption", "headline")
_LABEL_INCHES: Final = 0.185
_LONGEST_NAME: Final = 28
_SHORTEST_NAME: Final = 10
# Letters of a name per inch of the picture, and their size.
_NAME_SHARE: Final = 4
NAME_SIZE: Final = 9
_NAME_INCHES: Final = 0.078
# Inches of a column from which on its name is slanted, not upright.
_SLANTED: Final = 0.45
_LABEL_SHARE: Final = 0.7  # of the width of the picture, for what the x axis shows
_NUMBER_INCHES: Final = 0.6  # of a number on an axis with the gap to the next
_USUAL_WIDTH: Final = 6.1
_LEGEND_DROP: Final = 0.62  # inches from the axes to a legend below their label


def name_cells(ax: Axes, rows: Sequence[str], columns: Sequence[str]) -> float:
    """Write names to the left of a table and above it, and white lines between its cells.

    Returns
    -------
    float
        Width of a cell in inches, about.
    """
    inches = cell_inches(ax)
    longest = int(np.clip(3 * inches, 8, _LONGEST_NAME))
    left, above = ([short_name(name, longest) for name in names] for names in (rows, columns))
    width = inches - 0.15 - _NAME_INCHES * max(map(len, left))
    angle = 35 if width / len(columns) > _SLANTED else 90
    # a slanted name reaches out to the right of its column
    width -= 0.8 * _NAME_INCHES * max(len(above[-1]), 2) if angle < 90 else 0
    turn: dict[str, Any] = {"rotation": angle, "ha": "left", "rotation_mode": "anchor"}
    turn |= {"va": "center"} if angle == 90 else {}
    style: dict[str, Any] = {"parse_math": False, "fontsize": NAME_SIZE}
    ax.set_yticks(range(len(rows)), left, **style)
    ax.set_xticks(range(len(columns)), above, **turn, **style)
    ax.tick_params(length=0, top=True, labeltop=True, bottom=False, labelbottom=False)
    ax.set_xticks(np.arange(1, len(columns)) - 0.5, minor=True)
    ax.set_yticks(np.arange(1, len(rows)) - 0.5, minor=True)
    ax.grid(which="minor", color="white", lw=2)
    ax.tick_params(which="minor", length=0, top=False)
    hide_sides(ax, *ax.spines)
    return width / len(columns)


def figure_of(ax: Axes) -> Figure:
    """Return the figure that axes stand in, however deep."""
    return cast(Figure, ax.get_figure(root=True))


def height_inches(ax: Axes) -> float:
    """Return the height of axes, as far as it is known before the layout."""
    return float(ax.bbox.height) / figure_of(ax).dpi


def cell_inches(ax: Axes) -> float:
    """Return the width of axes with their names: all of the figure, or their share of it."""
    figure, spec = figure_of(ax), ax.get_subplotspec()
    if spec is None:
        return float(ax.bbox.width / figure.dpi)
    ratios = np.asarray(spec.get_gridspec().get_width_ratios(), dtype=float)
    own = ratios[list(spec.colspan)].sum()
    return float(figure.bbox.width / figure.dpi * own / ratios.sum())


def wrapped(ax: Axes, text: str, share: float = 1) -> str:
    """Return a text in lines as wide as the axes with their names, or a share of that."""
    width = max(24, int(share * 72 * (cell_inches(ax) - 0.2) / (_LETTER * SMALL)))
    return "\n".join(textwrap.fill(line, width) for line in text.splitlines())


def caption(ax: Axes, text: str) -> None:
    """Write how to read the picture below it."""
    _write_note(ax, text, above=False)


def headline(ax: Axes, text: str) -> None:
    """Write what the picture says above it."""
    _write_note(ax, text, above=True)


def x_label(ax: Axes, text: str, note: str = "") -> None:
    """Write what the x axis shows below its numbers, and how to read the picture below that."""
    ax.set_xlabel(wrapped(ax, text, _LABEL_SHARE), fontsize=NAME_SIZE, parse_math=False)
    if note:
        caption(ax, note)


def y_label(ax: Axes, text: str) -> None:
    """Write what the y axis shows."""
    ax.set_ylabel(text, fontsize=NAME_SIZE, parse_math=False)


def hide_heights(ax: Axes) -> None:
    """Remove ticks and numbers of the y axis."""
    ax.tick_params(axis="y", length=0, labelleft=False)


def first_minus_second(names: Sequence[str]) -> str:
    """Return whose score is subtracted from whose."""
    return " - ".join(map(short_name, names))


def unit_axes(ax: Axes, x: str, y: str, note: str = "") -> None:
    """Give square axes of shares from 0 to 1 their limits, numbers in percent, and labels."""
    ax.set_xlim(-0.02, 1.02)
    ax.set_ylim(-0.02, 1.02)
    ax.set_aspect("equal")
    for axis in (ax.xaxis, ax.yaxis):
        axis.set_major_formatter(PercentFormatter(1))
    x_label(ax, x, note)
    y_label(ax, y)


def _write_note(ax: Axes, text: str, *, above: bool) -> None:
    """Write above or below axes and their names, from the left end of the names on."""

    def surroundings(renderer: Any) -> Bbox:
        parts = [child.get_tightbbox(renderer) for child in ax.child_axes]
        parts += [
            text.get_window_extent(renderer)
            for text in ax.texts
            if text.get_in_layout() and text.get_gid() not in _NOTES
        ]
        if ax.axison:
            parts += [ax.yaxis.get_tightbbox(renderer), ax.xaxis.get_tightbbox(renderer)]
        return Bbox.union([ax.bbox, *(part for part in parts if part is not None)])

    beyond: dict[str, Any] = {"xytext": (2, 6 if above else -6), "va": "bottom" if above else "top"}
    note = write(ax, wrapped(ax, text), (0, float(above)), xycoords=surroundings, **beyond)
    note.set_gid(_NOTES[above])


def write(ax: Axes, text: str, at: tuple[Any, Any], **style: Any) -> Annotation:
    """Write a small text at the middle of its left side; `xytext` shifts it by points."""
    usual: dict[str, Any] = {"va": "center", "fontsize": SMALL, "textcoords": "offset points"}
    usual |= {"xytext": (0, 0), "annotation_clip": False, "parse_math": False}
    return ax.annotate(text, at, **{**usual, **style})


def legend_below(ax: Axes, **options: Any) -> None:
    """Draw a legend below axes and their label, in as many columns as there is room for."""
    labels = ax.get_legend_handles_labels()[1]
    n_columns = _legend_columns(labels, cell_inches(ax) - 0.3)
    drop = ScaledTranslation(0, -_LEGEND_DROP, figure_of(ax).dpi_scale_trans)
    ax.legend(
        loc="upper left", bbox_to_anchor=(0, 0), bbox_transform=ax.transAxes + drop,
        ncols=n_columns, frameon=False, fontsize=SMALL, handlelength=2.4, borderaxespad=0,
        columnspacing=1, alignment="left", title_fontsize=SMALL, **options,
    )  # fmt: skip


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


def fitting_name(ax: Axes, name: str) -> str:
    """Return a name that fits next to these axes."""
    return short_name(name, name_letters(ax))


def longest_name(names: Iterable[str]) -> int:
    """Return how many letters the longest of names has next to an axis."""
    return max(len(short_name(name)) for name in names)


def name_letters(ax: Axes) -> int:
    """Return how many letters a name next to axes may have."""
    return int(np.clip(_NAME_SHARE * cell_inches(ax), _SHORTEST_NAME, _LONGEST_NAME))


def legend_inches(labels: Sequence[str]) -> float:
    """Return the height of a legend below axes in a picture of usual width, about."""
    n_rows = -(-len(labels) // _legend_columns(labels, _USUAL_WIDTH))
    return 0.4 + 0.18 * n_rows * max(len(label.splitlines()) for label in labels)


def _legend_columns(labels: Sequence[str], inches: float) -> int:
    longest = max(len(line) for label in labels for line in label.splitlines())
    return int(np.clip(inches / (LETTER_INCHES * longest + 0.6), 1, 4))


def name_ends(ax: Axes, x: Floats, curves: Floats, names: Sequence[str]) -> None:
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
    """
    low, high = ax.get_ylim()
    known = np.isfinite(curves)
    ends = [(k, int(np.flatnonzero(item)[-1])) for k, item in enumerate(known) if item.any()]
    wanted = [(float(curves[end]) - low) / (high - low) for end in ends]
    heights = spread(wanted, line_share(ax))
    for (k, last), height in zip(ends, heights, strict=True):
        color = curve_style(k)["color"]
        write(
            ax, fitting_name(ax, names[k]), (x[last], curves[k, last]),
            xytext=(1.03, height), textcoords="axes fraction", color=color,
            arrowprops={"arrowstyle": "-", "lw": 0.4, "color": color},
        )  # fmt: skip


def with_room(positions: Floats, inches: float) -> list[int]:
    """Return which of ascending positions are numbered: from the largest, those with room.

    Examples
    --------
    >>> with_room(np.array([0.0, 0.1, 0.5, 1.0]), 4.0)
    [1, 2, 3]
    """
    gap = _NUMBER_INCHES / inches * float(positions[-1] - positions[0])
    shown = [len(positions) - 1]
    for index in range(len(positions) - 2, -1, -1):
        if positions[shown[-1]] - positions[index] >= gap:
            shown.append(index)
    return shown[::-1]


def line_share(ax: Axes) -> float:
    """Return the height of a line of text as a share of that of the axes, about."""
    return _LABEL_INCHES / (0.92 * height_inches(ax))
