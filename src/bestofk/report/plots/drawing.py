"""Base of displays, and what their pictures share: colors, names, axes of scores, lanes."""

from __future__ import annotations

import math
import textwrap
from abc import abstractmethod
from collections.abc import Iterable, Sequence
from typing import Any, Final, Protocol, Self, cast

import numpy as np
from matplotlib import rcParams
from matplotlib.axes import Axes
from matplotlib.axis import Axis
from matplotlib.figure import Figure
from matplotlib.text import Annotation
from matplotlib.ticker import PercentFormatter
from matplotlib.transforms import Bbox, ScaledTranslation
from numpy.typing import ArrayLike

from bestofk.array_types import Floats
from bestofk.errors import InvalidArgumentError
from bestofk.measures import Measure
from bestofk.report.findings import Findings
from bestofk.trees.display import Display as Display
from bestofk.words import number, percent, significant

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
# Titles of measures that are shown in percent.
_RATES: Final = ("error rate", "accuracy", "mean absolute percentage error")


class HasFindings(Protocol):
    """A comparison, as far as displays need it."""

    @property
    def findings(self) -> Findings:
        """The plain numbers and sentences of its report."""


class FindingsDisplay(Display):
    """Base of displays that are made from the findings of a comparison."""

    @classmethod
    @abstractmethod
    def from_findings(cls, findings: Findings) -> Self:
        """Take what is drawn from findings."""

    @classmethod
    def from_comparison(cls, comparison: HasFindings) -> Self:
        """Take what is drawn from the findings of a comparison.

        Parameters
        ----------
        comparison : Comparison
            Result of `bestofk.compare`.

        Returns
        -------
        Display
        """
        return cls.from_findings(comparison.findings)


def score_options(measure: Measure) -> dict[str, Any]:
    """Return title and direction of a measure, as displays of scores take them."""
    return {"measure_title": measure.title, "greater_is_better": measure.greater_is_better}


def finite_list(values: ArrayLike, what: str) -> Floats:
    """Return numbers as a list of floats, or raise.

    Parameters
    ----------
    values : array-like of float
        In one dimension.
    what : str
        Their name in the error message.

    Returns
    -------
    ndarray of float

    Raises
    ------
    InvalidArgumentError
        If there is none, or one of them is nan or infinite.
    """
    array = np.asarray(values, dtype=float)
    if array.ndim != 1 or not len(array) or not np.isfinite(array).all():
        raise InvalidArgumentError(
            f"{what} must be a list of finite numbers; got {array.tolist()!r}. "
            "Leave out what is missing."
        )
    return array


def name_list(names: Iterable[str], count: int, what: str, *, at_least: int = 1) -> list[str]:
    """Return names of learners, or raise if there is not one for each.

    Parameters
    ----------
    names : iterable of str
        Different from each other.
    count : int
        How many there must be.
    what : str
        What there are that many of, for the error message.
    at_least : int, default=1
        The fewest that can be compared.

    Returns
    -------
    list of str

    Raises
    ------
    InvalidArgumentError
        If their number is another or too small, or a name stands twice.
    """
    listed = [str(name) for name in names]
    if len(listed) != count or len(set(listed)) < count:
        raise InvalidArgumentError(
            f"names must be {count} different ones, one for each of the {what}; got "
            f"{', '.join(listed) or 'none'}. Name every learner once."
        )
    if count < at_least:
        raise InvalidArgumentError(
            f"names must be at least {at_least} learners; got {count}. There is nothing to compare."
        )
    return listed


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
    from scipy.optimize import isotonic_regression

    positions = np.asarray(wanted, dtype=float)
    if not len(positions):
        return positions
    order = np.argsort(positions, kind="stable")
    shifts = gap * np.arange(len(positions))
    # neighbors that would stand too close share one level, less what the gap adds
    levels = isotonic_regression(positions[order] - shifts).x
    result = np.empty(len(positions))
    result[order] = np.clip(levels, 0.0, max(1.0 - shifts[-1], 0.0)) + shifts
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


def name_cells(ax: Axes, rows: Sequence[str], columns: Sequence[str]) -> float:
    """Write names to the left of a table and above it, and white lines between its cells.

    Returns
    -------
    float
        Width of a cell in inches, about.
    """
    inches = cell_inches(ax)
    longest = int(np.clip(3 * inches, 8, _LONGEST_NAME))
    left = ["\n".join(short_name(line, longest) for line in row.splitlines()) for row in rows]
    above = [short_name(name, longest) for name in columns]
    width = inches - 0.15 - _NAME_INCHES * max(map(len, "\n".join(left).splitlines()))
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


def is_rate(measure_title: str) -> bool:
    """Return whether a measure is read in percent."""
    return measure_title in _RATES


def scale_title(measure_title: str) -> str:
    """Return a title with its unit.

    Examples
    --------
    >>> scale_title("error rate"), scale_title("AUROC")
    ('error rate (%)', 'AUROC')
    """
    return f"{measure_title} (%)" if is_rate(measure_title) else measure_title


def show_scale(axis: Axis, measure_title: str) -> None:
    """Write rates on an axis in percent."""
    if is_rate(measure_title):
        axis.set_major_formatter(lambda value, _: f"{round(100 * value, 9):g}")


def score_text(value: float, measure_title: str) -> str:
    """Return a score as one reads it.

    Examples
    --------
    >>> score_text(0.0533, "error rate"), score_text(0.9912, "AUROC")
    ('5.3%', '0.991')
    """
    if is_rate(measure_title):
        return f"{percent(value)}%"
    return significant(value) if abs(value) >= 1 else number(value, 3)


def difference_text(value: float, measure_title: str) -> str:
    """Return a difference of scores with its sign: points for rates.

    Examples
    --------
    >>> difference_text(0.0533, "error rate"), difference_text(-0.0004, "AUROC")
    ('+5.3', '-0.0004')
    >>> difference_text(1234.5, "root mean squared error")
    '+1,230'
    """
    size = 100 * value if is_rate(measure_title) else value
    if is_rate(measure_title) and abs(size) >= 0.1:
        return f"{size:+.1f}"
    if abs(size) >= 1:
        return f"{'-' if size < 0 else '+'}{significant(abs(size))}"
    return f"{size:+.2g}" if size else "0"


def label_scores(
    ax: Axes, measure_title: str, what: str, note: str = "", *, greater_is_better: bool
) -> None:
    """Write which scores the x axis shows and where better ones lie; rates are in percent."""
    show_scale(ax.xaxis, measure_title)
    side = "right" if greater_is_better else "left"
    x_label(ax, f"{scale_title(measure_title)}{what}; {side} is better", note)


def label_score_height(ax: Axes, measure_title: str, what: str = "") -> None:
    """Write which scores the y axis shows; rates are in percent."""
    show_scale(ax.yaxis, measure_title)
    y_label(ax, f"{scale_title(measure_title)}{what}")


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
