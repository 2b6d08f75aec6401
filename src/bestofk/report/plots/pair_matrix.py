"""Matrix of all pairs of learners: base of the pictures of this shape."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from typing import Any, Final, cast

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from numpy.typing import NDArray

from bestofk.report.plots.base import Display
from bestofk.report.plots.labels import name_cells

_DIAGONAL = (0.5, 0.5, 0.5, 0.25)
# Size of texts in cells, and inches of a letter and of a line.
_SIZE: Final = 8
_LETTER: Final = 0.075
_LINE: Final = 0.14


class PairMatrixDisplay(Display):
    """Base of matrices with a row and a column per learner."""

    names: list[str]

    @abstractmethod
    def _cell(self, i: int, j: int) -> tuple[list[str], dict[str, Any]]:
        """Return texts of a cell, the longest first, and their style."""

    def _pairs(self) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
        """Return the indices of the first and the second learner of each pair."""
        return np.triu_indices(len(self.names), k=1)

    def _pair_names(self) -> dict[str, list[str]]:
        first, second = self._pairs()
        return {"first": [self.names[i] for i in first], "second": [self.names[j] for j in second]}

    def _draw_cells(
        self, ax: Axes, colors: NDArray[np.float64], labels: Sequence[str] | None = None
    ) -> None:
        """Draw named cells with the longest text that fits into all of them, none on the diagonal.

        Parameters
        ----------
        ax : matplotlib Axes
            Where to draw.
        colors : ndarray of shape (n_learners, n_learners, 4), float
            Of the cells; overwritten on the diagonal.
        labels : sequence of str, optional
            Names of the rows, if others than those of the learners.
        """
        k = len(self.names)
        colors[np.arange(k), np.arange(k)] = _DIAGONAL
        ax.imshow(colors, aspect="auto", interpolation="nearest")
        width = name_cells(ax, labels or self.names, self.names)
        height = 0.75 * ax.bbox.height / cast(Figure, ax.get_figure(root=True)).dpi / k
        cells = {(i, j): self._cell(i, j) for i in range(k) for j in range(k) if i != j}
        for level in range(max(len(texts) for texts, _ in cells.values())):
            texts = {cell: (texts[level], style) for cell, (texts, style) in cells.items()}
            lines = [text.splitlines() for text, _ in texts.values()]
            longest = max(len(line) for item in lines for line in item)
            if longest * _LETTER <= width and max(map(len, lines)) * _LINE <= height:
                break
        else:
            return
        for (i, j), (text, style) in texts.items():
            # inside the axes: the layout need not measure it
            style |= {"ha": "center", "va": "center", "fontsize": _SIZE, "in_layout": False}
            ax.text(j, i, text, **style)
