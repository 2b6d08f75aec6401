"""Base of all displays: axes, colors, captions, and names that fit."""

from __future__ import annotations

import textwrap
from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any, Final, Self, cast

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bestofk.errors import InvalidArgumentError

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

# Okabe & Ito (2008): told apart by color-blind readers, and visible on white and on black.
BLUE: Final = "#0072B2"
VERMILION: Final = "#D55E00"
GREEN: Final = "#009E73"
PURPLE: Final = "#CC79A7"
GRAY: Final = "#999999"
SERIES: Final = (BLUE, VERMILION, GREEN, PURPLE, "#56B4E9", "#E69F00", GRAY)
SMALL: Final = 8.5
# Width of a letter of the default font over its size, on average.
_LETTER = 0.52


class Display(ABC):
    """Numbers that can be drawn; base of the displays of evidence.

    Attributes
    ----------
    ax_ : matplotlib Axes
        Where it was drawn, after `plot`.
    figure_ : matplotlib Figure
        The figure around it.
    """

    ax_: Axes
    figure_: Figure

    @property
    @abstractmethod
    def size(self) -> tuple[float, float]:
        """Width and height in inches at which all of it can be read."""

    @abstractmethod
    def frame(self) -> Any:
        """Return the numbers of the picture as a DataFrame."""

    @abstractmethod
    def _draw(self, ax: Axes) -> None:
        """Draw on given axes."""

    def plot(self, ax: Axes | None = None) -> Self:
        """Draw the picture; no setting of matplotlib is changed.

        Parameters
        ----------
        ax : matplotlib Axes, optional
            Where to draw; a new figure if not given.

        Returns
        -------
        Display
            Itself, with `ax_` and `figure_`.
        """
        own = ax is None
        if ax is None:
            import matplotlib.pyplot as plt

            _, ax = plt.subplots(figsize=self.size, layout="constrained")
        self._draw(ax)
        self.ax_ = ax
        self.figure_ = cast("Figure", ax.get_figure())
        engine = self.figure_.get_layout_engine() if own else None
        if engine is not None:
            # slanted and many labels need a second pass; the first one is made with the drawing
            engine.execute(self.figure_)
        return self


def ink() -> str:
    """Return the color of text and lines that fits the surroundings."""
    from matplotlib import rcParams

    return cast(str, rcParams["text.color"])


def hide_sides(ax: Axes, *sides: str) -> None:
    """Remove lines around the axes."""
    for side in sides:
        ax.spines[side].set_visible(False)


def hide_scale(ax: Axes, axis: str) -> None:
    """Remove ticks and numbers of the x or the y axis."""
    ax.tick_params(axis=cast(Any, axis), length=0, labelleft=axis != "y", labelbottom=axis != "x")


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
    inches = ax.bbox.width / cast("Figure", ax.get_figure(root=True)).dpi - margin
    width = max(32, int(72 * inches / (_LETTER * SMALL)))
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


def headline(ax: Axes, text: str, margin: float = 0) -> None:
    """Write what the picture says above it."""
    ax.set_title(wrapped(ax, text, margin), fontsize=SMALL, loc="left", parse_math=False)


def finite_list(values: ArrayLike, what: str) -> NDArray[np.float64]:
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


def name_list(names: Iterable[str], count: int, what: str) -> list[str]:
    """Return names of learners, or raise if there is not one for each.

    Parameters
    ----------
    names : iterable of str
        Different from each other.
    count : int
        How many there must be.
    what : str
        What there are that many of, for the error message.

    Returns
    -------
    list of str

    Raises
    ------
    InvalidArgumentError
        If their number is another, or a name stands twice.
    """
    listed = [str(name) for name in names]
    if len(listed) != count or len(set(listed)) < count:
        raise InvalidArgumentError(
            f"names must be {count} different ones, one for each of the {what}; got "
            f"{', '.join(listed) or 'none'}. Name every learner once."
        )
    return listed


def who_is_better(names: Sequence[str], *, greater_is_better: bool) -> tuple[str, str]:
    """Return the better learner if the first minus the second is negative, and if positive.

    Examples
    --------
    >>> who_is_better(["lda", "cart"], greater_is_better=False)
    ('lda', 'cart')
    """
    first, second = names
    return (second, first) if greater_is_better else (first, second)


def joined_runs(values: Sequence[float] | NDArray[np.float64], limit: float) -> list[list[int]]:
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


def spread(wanted: ArrayLike, gap: float) -> NDArray[np.float64]:
    """Return places near those that are wanted, none closer to another than a gap.

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
    room = max(1.0 - (shifts[-1] if len(shifts) else 0.0), 0.0)
    result = np.empty(len(positions))
    result[order] = np.clip(levels, 0.0, room) + shifts
    return result
