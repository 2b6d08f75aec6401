"""Base of all displays, which draw on axes and keep them."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, Any, ClassVar, Self, cast

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


class Display(ABC):
    """Numbers that can be drawn.

    Attributes
    ----------
    ax_ : matplotlib Axes
        The axes, after `plot`.
    figure_ : matplotlib Figure
        The figure around it.
    size : tuple of float
        Width and height in inches at which everything is readable.
    """

    ax_: Axes
    figure_: Figure
    size: tuple[float, float]
    hidden_sides: ClassVar[tuple[str, ...]] = ("top", "right")

    @abstractmethod
    def to_frame(self) -> Any:
        """Return the numbers of the picture as a DataFrame."""

    @abstractmethod
    def _draw(self, ax: Axes) -> None:
        """Draw on given axes."""

    def __repr__(self) -> str:
        n_rows = len(self.to_frame())
        return f"<{type(self).__name__}: plot() draws it, to_frame() has its {n_rows:,} rows>"

    def plot(self, ax: Axes | None = None) -> Self:
        """Draw the picture, without changing settings of matplotlib.

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
        _leave_room_between_numbers(ax)
        for side in self.hidden_sides:
            ax.spines[side].set_visible(False)
        legend = ax.get_legend()
        for text in legend.get_texts() if legend else ():
            text.set_parse_math(False)
        self.ax_ = ax
        self.figure_ = cast("Figure", ax.get_figure())
        engine = self.figure_.get_layout_engine() if own else None
        if engine is not None:
            # slanted and many labels need a second layout pass
            engine.execute(self.figure_)
        return self


def _leave_room_between_numbers(ax: Axes) -> None:
    """Write fewer numbers on a narrow x axis."""
    from matplotlib.ticker import AutoLocator

    if type(ax.xaxis.get_major_locator()) is AutoLocator:
        inches = float(ax.bbox.width) / cast("Figure", ax.get_figure(root=True)).dpi
        ax.locator_params(axis="x", nbins=min(max(3, int(1.2 * inches)), 8))
