"""Picture of the mean loss of several methods by number of tests."""

from __future__ import annotations

from typing import Final

import numpy as np
from matplotlib.axes import Axes

from bestofk.report.plots.mean_losses import MeanLossesDisplay, RecommenderLosses

_LOGARITHMIC_FROM: Final = 100  # tests


class LossCurveDisplay(MeanLossesDisplay):
    """Mean loss against the number of tests, however long they take.

    The band is the middle half of the data sets.  Where the mean lies above its band, few data
    sets carry it.  Losses are drawn by their logarithm above a
    tenth of a point, and so are numbers of tests from a hundred on.

    Parameters
    ----------
    losses : array-like of shape (n_methods, n_data_sets, n_points), float
        Differences of scores.
    positions : array-like of shape (n_points,), float
        Numbers of tests, from 1.
    names : sequence of str
        Methods.
    default_losses : array-like of shape (n_data_sets,), float
        Before any test.

    Raises
    ------
    DesignError
        If the losses have another shape, are below 0, or are no numbers.
    InvalidArgumentError
        If names do not fit.

    See Also
    --------
    LossTimeCurveDisplay : Against the seconds that the tests take.

    References
    ----------
    Leite, Brazdil & Vanschoren (2012), Selecting classification algorithms with active testing,
    MLDM, LNCS 7376.

    Examples
    --------
    >>> display = LossCurveDisplay([[[0.1, 0.0], [0.3, 0.1]]], [1, 2], ["ours"],
    ...     default_losses=[0.4, 0.5])
    >>> display.frame()[["n_tests", "mean_loss"]].round(1).values.tolist()
    [[1.0, 20.0], [2.0, 5.0]]
    """

    _axis, _axis_label = "n_tests", "number of tests"

    @classmethod
    def from_losses(cls, losses: RecommenderLosses) -> LossCurveDisplay:
        """Take what methods lost on data sets that were left out in turn.

        Parameters
        ----------
        losses : RecommenderLosses
            Result of `bestofk.recommendation.leave_one_out.leave_one_out`.

        Returns
        -------
        LossCurveDisplay
            From the first test to the last; a method that was not followed beyond the window
            keeps its loss.
        """
        after = losses.losses_after_tests()
        return cls(
            after[:, :, 1:],
            np.arange(1, after.shape[2]),
            losses.titles,
            default_losses=after[0, :, 0],
        )

    def _draw(self, ax: Axes) -> None:
        super()._draw(ax)
        if self.positions[-1] < _LOGARITHMIC_FROM:
            ax.set_xscale("linear")
            ax.set_xlim(self.positions[0], self.positions[-1])
        else:
            ax.xaxis.set_major_formatter(lambda value, _: f"{value:,.0f}")
