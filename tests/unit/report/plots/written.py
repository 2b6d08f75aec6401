"""What displays write around their axes, and whether all of it stands on the page."""

import numpy as np
from matplotlib.figure import Figure
from matplotlib.text import Text

from bestofk.report.plots import Display


def headline_of(display: Display) -> str:
    return _note(display, "headline")


def caption_of(display: Display) -> str:
    return _note(display, "caption")


def labels_of(display: Display) -> list[Text]:
    """Return what is written in and next to the axes."""
    return [item for item in display.ax_.texts if item.get_gid() is None]


def _note(display: Display, kind: str) -> str:
    notes = [item for item in display.ax_.texts if item.get_gid() == kind]
    return " ".join(" ".join(item.get_text() for item in notes).split())


def page_holds(figure: Figure) -> bool:
    """Return whether all that is drawn lies on the page, within one hundredth of an inch."""
    figure.canvas.draw()
    drawn = figure.get_tightbbox()
    width, height = figure.get_size_inches()
    low, high = np.array([drawn.x0, drawn.y0]), np.array([drawn.x1 - width, drawn.y1 - height])
    return bool((low > -0.01).all() and (high < 0.01).all())
