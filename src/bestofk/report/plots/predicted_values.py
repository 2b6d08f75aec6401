"""Pictures of predicted numbers: against the true ones, and what was missed where."""

from __future__ import annotations

from typing import Self

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from numpy.typing import ArrayLike

from bestofk.errors import InvalidArgumentError
from bestofk.measures import PredictionBatch
from bestofk.report import axis_ranges
from bestofk.report.plots import drawing
from bestofk.report.plots.drawing import Display, finite_list
from bestofk.report.prediction_curves import error_by_tenth
from bestofk.words import significant

_LARGE_INCHES, _HALF = 4.0, 0.44


class _ValuesDisplay(Display):
    """Base of displays of true and predicted numbers of one learner."""

    def __init__(self, true: ArrayLike, predicted: ArrayLike, *, learner: str) -> None:
        self.true, self.predicted = finite_list(true, "true"), finite_list(predicted, "predicted")
        self.learner = learner
        if len(self.true) != len(self.predicted):
            raise InvalidArgumentError(
                f"predicted must have one number per true one, {len(self.true)}; got "
                f"{len(self.predicted)}."
            )

    @classmethod
    def from_predictions(cls, batch: PredictionBatch, *, learner: str) -> Self:
        """Take the predictions of one learner for test rows.

        Parameters
        ----------
        batch : PredictionBatch
            Predictions of numbers.
        learner : str
            Whose predictions these are.

        Returns
        -------
        Display
        """
        return cls(batch.y_true, batch.labels, learner=learner)

    def to_frame(self) -> pd.DataFrame:
        """Return a DataFrame with one row per test row: true, predicted, residual."""
        residual = self.true - self.predicted
        return pd.DataFrame({"true": self.true, "predicted": self.predicted, "residual": residual})

    def _scatter(self, ax: Axes, y: ArrayLike) -> None:
        ax.plot(
            self.predicted, y, "o", ms=3.5, mew=0, color=drawing.BLUE, rasterized=True,
            alpha=float(np.clip(30 / len(self.true) ** 0.5, 0.1, 0.7)),
        )  # fmt: skip
        drawing.x_label(ax, "predicted value")


class PredictedValuesDisplay(_ValuesDisplay):
    """True against predicted values of one learner; right predictions lie on the line.

    Parameters
    ----------
    true, predicted : array-like of shape (n_rows,), float
        Of test rows.
    learner : str
        Whose predictions these are.

    Raises
    ------
    InvalidArgumentError
        If there is no row, a number is missing or infinite, or lengths differ.

    Examples
    --------
    >>> display = PredictedValuesDisplay([10, 20, 40], [12, 19, 35], learner="ridge")
    >>> display.says()
    'ridge: half of the predictions miss the true value by at most 2.00'
    """

    size = (5.2, _LARGE_INCHES + 0.8)

    def says(self) -> str:
        """Return by how much half of the predictions miss the true value at most."""
        missed = significant(float(np.median(np.abs(self.true - self.predicted))))
        return f"{self.learner}: half of the predictions miss the true value by at most {missed}"

    def _draw(self, ax: Axes) -> None:
        self._scatter(ax, self.true)
        both = np.concatenate([self.true, self.predicted])
        ends = axis_ranges.with_margin(float(both.min()), float(both.max()), 0.03, 0.5)
        ax.plot(ends, ends, color=drawing.ink(), lw=0.9)
        ax.set_xlim(*ends)
        ax.set_ylim(*ends)
        drawing.y_label(ax, "true value")
        drawing.headline(ax, self.says())


class ResidualsDisplay(_ValuesDisplay):
    """Residuals of one learner by prediction, and its error in every tenth of the target.

    Residuals that bend or widen along the predictions show what the learner has not learned. Rows
    are sorted by their true value and divided into ten parts of equal size, the lowest values left.

    Parameters
    ----------
    true, predicted : array-like of shape (n_rows,), float
        Of test rows.
    learner : str
        Whose predictions these are.

    Raises
    ------
    InvalidArgumentError
        If there is no row, a number is missing or infinite, or lengths differ.

    Examples
    --------
    >>> display = ResidualsDisplay([10, 20, 30, 40], [10, 18, 33, 34], learner="ridge")
    >>> display.says()
    'ridge: root mean squared error from 0 (tenth 1 of the target) to 6.00 (tenth 4)'
    """

    size = (8.2, _LARGE_INCHES)

    @property
    def tenths(self) -> pd.DataFrame:
        """One row per tenth of the rows: from, to (true values) and rmse."""
        table = error_by_tenth(self.true, self.predicted)
        return pd.DataFrame(table, columns=["from", "to", "rmse"])

    def says(self) -> str:
        """Return in which tenths of the target the error is smallest and largest."""
        errors = self.tenths["rmse"].to_numpy()
        low, high = int(errors.argmin()), int(errors.argmax())
        return (
            f"{self.learner}: root mean squared error from {significant(errors[low])} (tenth "
            f"{low + 1} of the target) to {significant(errors[high])} (tenth {high + 1})"
        )

    def _draw(self, ax: Axes) -> None:
        left, right = drawing.side_by_side(ax, _HALF, 1 - _HALF)
        self._scatter(left, self.true - self.predicted)
        left.axhline(0, color=drawing.ink(), lw=0.9)
        left.locator_params(axis="x", nbins=4)
        drawing.y_label(left, "true minus predicted value")
        table = self.tenths
        right.bar(np.arange(1, len(table) + 1), table["rmse"], color=drawing.BLUE)
        right.set_xticks(np.arange(1, len(table) + 1))
        drawing.x_label(right, "tenth of the target, lowest values first")
        drawing.y_label(right, "root mean squared error")
        for half in (left, right):
            drawing.hide_sides(half, "top", "right")
        drawing.headline(ax, self.says())
