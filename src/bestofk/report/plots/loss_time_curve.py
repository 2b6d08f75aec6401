"""Picture of the mean loss of several methods by seconds."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

import numpy as np
from matplotlib.axes import Axes
from numpy.typing import NDArray

from bestofk.errors import DesignError
from bestofk.report.plots.drawing import GRAY
from bestofk.report.plots.mean_losses import (
    LossCurve,
    MeanLossesDisplay,
    RecommenderLosses,
    method_label,
)
from bestofk.words import fixed

_POINTS_PER_DECADE: Final = 50
_DECADES_BEFORE: Final = 1  # of the window, so that one sees what it leaves out


class LossTimeCurveDisplay(MeanLossesDisplay):
    """Mean loss against seconds, the window shaded over which losses are averaged.

    The mean interval loss stands next to each method: it is the mean over the logarithm of time
    in the window.  The band is the middle half of the data sets.  Where the mean lies above its
    band, few data sets carry it.  Losses are drawn by their logarithm above a tenth of a point.

    Parameters
    ----------
    curves : mapping of str to sequence of LossTimeCurve
        By method; as many data sets for each.
    window : pair of float
        The seconds that count: first and last.

    Raises
    ------
    DesignError
        If the methods have different numbers of curves, or none.

    See Also
    --------
    LossCurveDisplay : Against the number of tests.

    References
    ----------
    Abdulrahman, Brazdil, van Rijn & Vanschoren (2018), Speeding up algorithm selection using
    average ranking and active testing by introducing runtime, Machine Learning 107, 79-108,
    figures 2 and 3.

    Examples
    --------
    >>> from bestofk.recommendation.loss_time import LossTimeCurve, Window
    >>> curve = LossTimeCurve.of_tests([0.7, 0.9], [100, 900], default_score=0.5)
    >>> display = LossTimeCurveDisplay({"ours": [curve]}, Window.of(10, 1000))
    >>> display.interval_losses().round(2).tolist(), round(display.default_level)
    ([[30.0]], 40)
    """

    _axis = "seconds"

    def __init__(
        self, curves: Mapping[str, Sequence[LossCurve]], window: tuple[float, float]
    ) -> None:
        self.window = window
        opening, closing = window
        self.curves = {str(name): tuple(of_method) for name, of_method in curves.items()}
        n_sets = {len(of_method) for of_method in self.curves.values()}
        if len(n_sets) != 1 or n_sets == {0}:
            raise DesignError(
                "curves must be as many for every method, one per data set; got "
                f"{', '.join(f'{len(c)} for {name}' for name, c in self.curves.items()) or 'none'}."
                " Follow every method on the same data sets."
            )
        first = opening / 10**_DECADES_BEFORE
        n_decades = np.log10(closing / first)
        seconds = np.geomspace(first, closing, round(_POINTS_PER_DECADE * n_decades) + 1)
        of_methods = list(self.curves.values())
        super().__init__(
            [[curve.at(seconds) for curve in of_method] for of_method in of_methods],
            seconds,
            list(self.curves),
            default_losses=[curve.losses[0] for curve in of_methods[0]],
        )

    @classmethod
    def from_losses(cls, losses: RecommenderLosses) -> LossTimeCurveDisplay:
        """Take what methods lost on data sets that were left out in turn.

        Parameters
        ----------
        losses : RecommenderLosses
            Result of `bestofk.recommendation.leave_one_out.leave_one_out`.

        Returns
        -------
        LossTimeCurveDisplay
        """
        return cls(dict(zip(losses.titles, losses.curves, strict=True)), losses.window)

    def interval_losses(self) -> NDArray[np.float64]:
        """Return the mean interval losses in percentage points, methods by data sets."""
        return np.array(
            [
                [100 * curve.mean_interval_loss(self.window) for curve in of_method]
                for of_method in self.curves.values()
            ]
        )

    @property
    def _axis_label(self) -> str:
        return "seconds; shaded: window of {:,.6g} to {:,.6g} s".format(*self.window)

    @property
    def _legend_title(self) -> str:
        """Return what stands above the methods."""
        return "mean loss in the window"

    def _labels(self) -> list[str]:
        means = self.interval_losses().mean(axis=1)
        pairs = zip(self.names, means, strict=True)
        return [method_label(f"{name}: {fixed(mean, 2)}") for name, mean in pairs]

    def _draw(self, ax: Axes) -> None:
        super()._draw(ax)
        ax.axvspan(*self.window, color=GRAY, alpha=0.15, lw=0, zorder=0)
        ax.xaxis.set_major_formatter(lambda value, _: f"{value:,.6g}")
        ax.set_xticks([], minor=True)
