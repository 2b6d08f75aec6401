"""Pictures as inline SVG, readable on light and dark backgrounds."""

from __future__ import annotations

import io
import math
import re
import warnings
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from bestofk.trees.display import Display

# Stands for the colour of the text around the picture until the drawing is done.
_INK = "#010203"
_READABLE = 12.0  # pixels
_LETTERS = re.compile(r"font(?:-size)?: (?:[a-z]+ )?([\d.]+)px")
_WIDTH = re.compile(r'viewBox="0 0 ([\d.]+) ')
_TAG = re.compile(r"<[^!?>][^>]*>")
_DROPPED = re.compile(r"<\?xml.*?\?>|<!DOCTYPE.*?>|<metadata>.*?</metadata>|<!--.*?-->", re.DOTALL)


def inline_svg(display: Display, *, prefix: str, title: str, width: float | None = None) -> str:
    """Return a picture as SVG that can stand inside HTML.

    Parameters
    ----------
    display : Display
        What to draw.
    prefix : str
        Makes the ids of this picture unlike those of others on the page.
    title : str
        What a screen reader says; plain words without markup.
    width : float, optional
        In inches, in place of the one that the picture asks for.

    Returns
    -------
    str
        Transparent; lines and text have the colour of the text around it.
    """
    import matplotlib as mpl
    from matplotlib.figure import Figure

    inks = ("text.color", "axes.labelcolor", "axes.edgecolor", "xtick.color", "ytick.color")
    settings: dict[Any, Any] = {
        **dict.fromkeys(inks, _INK),
        "svg.fonttype": "none",
        "svg.hashsalt": prefix,
    }
    buffer = io.StringIO()
    with mpl.rc_context({**settings, "font.family": "sans-serif", "font.size": 10}):
        usual, height = display.size
        figure = Figure(figsize=(width or usual, height), layout="constrained")
        ax = figure.add_subplot()
        ax.set_facecolor("none")
        display.plot(ax)
        with warnings.catch_warnings():
            # the browser has its own fonts
            warnings.filterwarnings("ignore", message="Glyph .* missing")
            figure.savefig(buffer, format="svg", transparent=True, metadata={"Date": None})
    return _embedded(buffer.getvalue(), prefix, title)


def _least_width(svg: str) -> str:
    """Return the width in pixels from which on the smallest letters can be read."""
    (width,) = _WIDTH.findall(svg)[:1]
    smallest = min(map(float, _LETTERS.findall(svg)), default=_READABLE)
    return f"{math.ceil(float(width) * _READABLE / smallest)}px"


def _embedded(svg: str, prefix: str, title: str) -> str:
    def changed(match: re.Match[str]) -> str:
        tag = match.group().replace(_INK, "currentColor").replace("xlink:href", "href")
        tag = tag.replace(' id="', f' id="{prefix}-').replace("url(#", f"url(#{prefix}-")
        tag = tag.replace('href="#', f'href="#{prefix}-')
        tag = re.sub(r' (?:xmlns(?::\w+)?|version)="[^"]*"', "", tag)
        if tag.startswith("<svg"):
            tag = re.sub(r' (?:width|height)="[^"]*"', "", tag)
            said = f'role="img" aria-label="{title}" style="min-width: {_least_width(svg)}"'
            tag = tag.replace("<svg", f"<svg {said}", 1)
        return tag

    return _TAG.sub(changed, _DROPPED.sub("", svg)).strip()
