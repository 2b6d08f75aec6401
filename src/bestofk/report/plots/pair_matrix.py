"""Matrix of all pairs of learners: base of the pictures of this shape."""

from __future__ import annotations

from abc import abstractmethod
from typing import Any, cast

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from numpy.typing import NDArray

from bestofk.report.plots.base import Display

_DIAGONAL = (0.5, 0.5, 0.5, 0.25)


class PairMatrixDisplay(Display):
    """Base of matrices with a row and a column per learner."""

    names: list[str]

    @abstractmethod
    def _cell(self, i: int, j: int) -> tuple[str, dict[str, Any]]:
        """Return text and style of a cell."""

    def _pairs(self) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
        """Return the indices of the first and the second learner of each pair."""
        return np.triu_indices(len(self.names), k=1)

    def _pair_names(self) -> dict[str, list[str]]:
        first, second = self._pairs()
        return {"first": [self.names[i] for i in first], "second": [self.names[j] for j in second]}

    def _draw_cells(
        self, ax: Axes, colors: NDArray[np.float64], sizes: tuple[float, float, float]
    ) -> None:
        """Draw colored cells with texts, none on the diagonal.

        Parameters
        ----------
        ax : matplotlib Axes
            Where to draw.
        colors : ndarray of shape (n_learners, n_learners, 4), float
            Of the cells; overwritten on the diagonal.
        sizes : tuple of three float
            The largest font, and how many times the font goes into the height and into the
            width of a cell.
        """
        k = len(self.names)
        largest, lines, letters = sizes
        colors[np.arange(k), np.arange(k)] = _DIAGONAL
        ax.imshow(colors, aspect="auto", interpolation="nearest")
        points = 72 / cast(Figure, ax.get_figure(root=True)).dpi / k
        size = min(largest, points * ax.bbox.height / lines, points * ax.bbox.width / letters)
        for i, j in zip(*np.nonzero(~np.eye(k, dtype=bool)), strict=True):
            text, style = self._cell(int(i), int(j))
            # inside the axes: the layout need not measure it
            style |= {"ha": "center", "va": "center", "fontsize": size, "in_layout": False}
            ax.text(j, i, text, **style)
