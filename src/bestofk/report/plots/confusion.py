"""Picture of the confusion matrix of one learner."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.colors import to_rgb
from numpy.typing import ArrayLike

from bestofk.array_types import Floats
from bestofk.errors import DesignError, InvalidArgumentError
from bestofk.report.findings import Findings
from bestofk.report.plots import labels
from bestofk.report.plots.base import FindingsDisplay, name_list
from bestofk.report.plots.drawing import BLUE, LETTER_INCHES, SMALL, VERMILION
from bestofk.words import fixed

_NUMBER_INCHES: Final = 0.32  # of the longest percentage in a cell
_MOST_NUMBERS: Final = 14  # classes up to which each cell has its number
_CELL_INCHES: Final = 0.52


class ConfusionDisplay(FindingsDisplay):
    """Share of each class that a learner takes for each class: right in blue, wrong in red.

    Rows are true classes and add up to 100%, so that rare classes can be seen as well.

    Parameters
    ----------
    counts : array-like of shape (n_classes, n_classes), int
        Rows true, columns predicted.
    classes : sequence of str
        Class labels.
    learner : str
        Whose predictions these are.

    Raises
    ------
    DesignError
        If the counts are not square, below 0, or all 0.
    InvalidArgumentError
        If there is not one label for each class.

    Examples
    --------
    >>> display = ConfusionDisplay([[8, 2], [1, 9]], ["no", "yes"], learner="lda")
    >>> display.to_frame()["share"].tolist()
    [0.8, 0.2, 0.1, 0.9]
    >>> display.says()
    "lda: 15% wrong; most often 'no' is taken for 'yes' (20% of its rows)"
    """

    def __init__(self, counts: ArrayLike, classes: Sequence[object], *, learner: str) -> None:
        self.counts = np.asarray(counts, dtype=np.int64)
        shape = self.counts.shape
        is_square = len(shape) == 2 and shape[0] == shape[1]
        if not is_square or (self.counts < 0).any() or not self.counts.any():
            raise DesignError(
                "counts must be a square table of numbers from 0, not all 0; got shape "
                f"{shape}. Rows are true classes, columns predicted ones."
            )
        self.classes = name_list([str(label) for label in classes], shape[0], "classes")
        self.learner = learner
        side = max(_CELL_INCHES * shape[0], 2.4) if shape[0] <= _MOST_NUMBERS else 7
        names = LETTER_INCHES * labels.longest_name(self.classes)
        # names above the columns are slanted, so they reach out to the right as well
        self.size = side + 2 * names + 0.9, side + 0.6 * names + 1.3

    @classmethod
    def from_findings(cls, findings: Findings, *, learner: str | None = None) -> ConfusionDisplay:
        """Take the confusion matrix of a learner over all its runs.

        Parameters
        ----------
        findings : Findings
            Of a comparison.
        learner : str, optional
            Which one; the pick if left out.

        Returns
        -------
        ConfusionDisplay

        Raises
        ------
        InvalidArgumentError
            If there is no such learner, or for regression.
        """
        chosen = learner or findings.verdict.best
        of_name = {item.name: item.confusion for item in findings.learners}
        counts = of_name.get(chosen or "")
        if counts is None:
            raise InvalidArgumentError(
                "learner of ConfusionDisplay must be one that predicts classes; got "
                f"{chosen!r}. Learners are {', '.join(of_name)}."
            )
        return cls(counts, findings.classes, learner=str(chosen))

    @property
    def shares(self) -> Floats:
        """Counts over those of the true class, shape (n_classes, n_classes); 0 without rows."""
        totals = self.counts.sum(axis=1, keepdims=True)
        return np.asarray(self.counts / np.maximum(totals, 1))

    def to_frame(self) -> pd.DataFrame:
        """Return a DataFrame with one row per cell: true, predicted, count, share of the true."""
        k = len(self.classes)
        return pd.DataFrame(
            {
                "true": np.repeat(self.classes, k),
                "predicted": np.tile(self.classes, k),
                "count": self.counts.ravel(),
                "share": self.shares.ravel(),
            }
        )

    def says(self) -> str:
        """Return the share of wrong rows, and the most frequent mistake by share of a class."""
        wrong = 1 - np.trace(self.counts) / self.counts.sum()
        text = f"{self.learner}: {_percent(wrong)} wrong"
        mistakes = self.shares * ~np.eye(len(self.classes), dtype=bool)
        if not mistakes.any():
            return text
        true, predicted = np.unravel_index(int(mistakes.argmax()), mistakes.shape)
        share = _percent(mistakes[true, predicted])
        names = labels.short_name(self.classes[true]), labels.short_name(self.classes[predicted])
        return f"{text}; most often {names[0]!r} is taken for {names[1]!r} ({share} of its rows)"

    def _draw(self, ax: Axes) -> None:
        shares, k = self.shares, len(self.classes)
        colors = np.empty((k, k, 4))
        colors[..., :3] = to_rgb(VERMILION)
        colors[np.arange(k), np.arange(k), :3] = to_rgb(BLUE)
        # the square root lets few mistakes be seen
        colors[..., 3] = 0.85 * np.sqrt(shares)
        ax.imshow(colors, aspect="auto", interpolation="nearest")
        width = labels.name_cells(ax, self.classes, self.classes)
        if k <= _MOST_NUMBERS and width > _NUMBER_INCHES:
            for i, j in zip(*np.nonzero(self.counts), strict=True):
                ax.text(
                    j, i, _percent(shares[i, j]), ha="center", va="center", fontsize=SMALL,
                    color="white" if shares[i, j] > 0.5 else None,
                )  # fmt: skip
        labels.y_label(ax, "true class")
        labels.caption(ax, "columns: predicted class; each row adds up to 100%")
        labels.headline(ax, self.says())


def _percent(share: float) -> str:
    """Return a share in percent.

    Examples
    --------
    >>> _percent(0.25), _percent(0.004), _percent(0.0004), _percent(1.0), _percent(0.9996)
    ('25%', '0.4%', '<0.1%', '100%', '>99.9%')
    """
    percent = 100 * share
    decimals = 0 if percent in (0, 100) or 1 <= percent < 99 else 1
    return f"{fixed(percent, decimals, whole=100)}%"
