"""Line styles of curves, and names at the ends of curves."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Final

import numpy as np
from numpy.typing import NDArray

from bestofk.report.plots.base import SERIES, SMALL, spread
from bestofk.report.plots.rejection_graph import short_name

if TYPE_CHECKING:
    from matplotlib.axes import Axes

# As many as have no factor in common with each other and with the colors: 140 differ.
DASHES: Final = ("-", (0, (5, 1.5)), (0, (1.2, 1.2)), (0, (6, 1.5, 1.2, 1.5)))
MARKERS: Final = ("o", "s", "^", "D", "v")
_LABEL_INCHES: Final = 0.185
LETTER_INCHES: Final = 0.07


def curve_style(place: int) -> dict[str, Any]:
    """Return color and dashes of the curve at a place in the list."""
    return {"color": SERIES[place % len(SERIES)], "ls": DASHES[place % len(DASHES)]}


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
