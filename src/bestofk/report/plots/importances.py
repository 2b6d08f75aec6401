"""Picture of what a learner loses without each input."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from numpy.typing import ArrayLike

from bestofk.errors import InvalidArgumentError
from bestofk.report.plots import drawing
from bestofk.report.plots.drawing import Display, name_list

_MOST_INPUTS = 20  # that can be read


class ImportanceDisplay(Display):
    """Growth of the loss of a learner when the values of one input are shuffled.

    Redundant inputs seem unimportant, because the learner can use the other one.

    Parameters
    ----------
    growth : array-like of shape (n_inputs, n_shuffles), float
        Loss with shuffled values minus that without.
    names : sequence of str
        Inputs.
    learner : str
        Whose loss it is.
    measure_title : str
        What is lost.
    rows : str, default=""
        Which rows it was measured on.

    Raises
    ------
    InvalidArgumentError
        If `growth` is not one row of finite numbers per input.

    References
    ----------
    Breiman (2001), Random forests, Machine Learning 45.

    Examples
    --------
    >>> growth = [[0.1, 0.12], [0.0, 0.01]]
    >>> display = ImportanceDisplay(
    ...     growth, ["length", "width"], learner="lda", measure_title="error rate"
    ... )
    >>> display.says()
    'lda loses most without length: error rate +11.0'
    """

    hidden_sides = ("top", "right", "left")

    def __init__(
        self,
        growth: ArrayLike,
        names: Sequence[str],
        *,
        learner: str,
        measure_title: str,
        rows: str = "",
    ) -> None:
        values = np.asarray(growth, dtype=float)
        if values.ndim != 2 or not values.size or not np.isfinite(values).all():
            raise InvalidArgumentError(
                "growth of ImportanceDisplay must be finite numbers, one row per input; got shape "
                f"{values.shape}. Shuffle each input as often as the others."
            )
        order = np.argsort(-values.mean(axis=1), kind="stable")
        known = name_list(names, len(values), "inputs")
        self.growth, self.names = values[order], [known[index] for index in order]
        self.learner, self.measure_title, self.rows = learner, measure_title, rows
        self.size = 6.4, 1.7 + 0.27 * min(len(values), _MOST_INPUTS)

    def says(self) -> str:
        """Return which input the learner needs most."""
        most = drawing.difference_text(float(self.growth[0].mean()), self.measure_title)
        return f"{self.learner} loses most without {self.names[0]}: {self.measure_title} {most}"

    def to_frame(self) -> pd.DataFrame:
        """Return a DataFrame, the most important first: input, growth, and its sd over shuffles."""
        means, sds = self.growth.mean(axis=1), self.growth.std(axis=1)
        return pd.DataFrame({"input": self.names, "growth": means, "sd": sds})

    def _draw(self, ax: Axes) -> None:
        table = self.to_frame().head(_MOST_INPUTS)
        lanes = range(len(table))
        ax.barh(lanes, table["growth"], xerr=table["sd"], color=drawing.BLUE, ecolor=drawing.GRAY)
        ax.axvline(0, color=drawing.ink(), lw=0.9)
        drawing.name_lanes(ax, table["input"].tolist())
        drawing.show_scale(ax.xaxis, self.measure_title)
        title = drawing.scale_title(self.measure_title)
        drawing.x_label(ax, f"more loss where the input is shuffled: {title}")
        more = len(self.names) - len(table)
        hidden = f" {more} less important inputs are not drawn." if more else ""
        drawing.caption(ax, f"{self.rows}Lines: standard deviation over shuffles.{hidden}")
        drawing.headline(ax, self.says())
