"""What displays write above and below their axes."""

from __future__ import annotations

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
