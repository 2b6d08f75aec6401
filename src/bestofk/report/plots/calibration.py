"""Picture of predicted probabilities against how often they came true, per learner."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from numpy.typing import ArrayLike, NDArray

from bestofk.errors import InvalidArgumentError
from bestofk.measures import PredictionBatch
from bestofk.report.plots.base import Display
from bestofk.report.plots.drawing import curve_marker, curve_style
from bestofk.report.plots.labels import (
    legend_below,
    legend_inches,
    name_letters,
    name_shares,
    short_name,
)
from bestofk.report.prediction_curves import calibration
from bestofk.words import fixed


class CalibrationDisplay(Display):
    """Share of rows on which an event came true, against its predicted probability.

    On the dashed line probabilities can be taken at their word. Below it a learner is too sure,
    above it too careful. Points are bins of equal width.

    Parameters
    ----------
    curves : mapping of str to array-like of shape (n_bins, 3), float
        For each learner and bin: mean probability, share that came true, number of rows.
    event : str
        What has the probability, such as "the class is 'yes'".

    Raises
    ------
    InvalidArgumentError
        If there is no learner, or a share is not from 0 to 1.

    References
    ----------
    Niculescu-Mizil & Caruana (2005), Predicting good probabilities with supervised learning,
    International Conference on Machine Learning.

    Examples
    --------
    >>> display = CalibrationDisplay(
    ...     {"lda": [[0.2, 0.25, 50], [0.9, 0.8, 50]]}, event="the class is 'yes'"
    ... )
    >>> round(display.mean_gap("lda"), 3)
    0.075
    """

    def __init__(self, curves: Mapping[str, ArrayLike], *, event: str) -> None:
        self.curves = {str(name): _bins(str(name), values) for name, values in curves.items()}
        if not self.curves:
            raise InvalidArgumentError(
                "curves must have at least one learner with probabilities; got none. Name another."
            )
        self.event = event

    @classmethod
    def from_predictions(
        cls, predictions: Mapping[str, PredictionBatch], class_index: int, *, n_bins: int = 10
    ) -> CalibrationDisplay:
        """Put the predicted probabilities of a class into bins of equal width.

        Parameters
        ----------
        predictions : mapping of str to PredictionBatch
            Of each learner, with probabilities.
        class_index : int
            Position of the class.
        n_bins : int, default=10
            Bins of equal width; those without rows are left out.

        Returns
        -------
        CalibrationDisplay

        Raises
        ------
        InvalidArgumentError
            If no learner gives probabilities.
        """
        bins = {name: calibration(item, class_index, n_bins) for name, item in predictions.items()}
        label = next((str(item.classes[class_index]) for item in predictions.values()), "")
        return cls(
            {name: np.column_stack(columns) for name, columns in bins.items() if columns},
            event=f"the class is {label!r}",
        )

    def mean_gap(self, learner: str) -> float:
        """Return the mean distance of probability and share over the rows, from 0 to 1."""
        stated, true, counts = self.curves[learner].T
        return float(np.average(np.abs(stated - true), weights=counts))

    def frame(self) -> pd.DataFrame:
        """Return a DataFrame with one row per learner and bin: learner, probability, share, rows.

        Probability is the mean of the bin, share that of its rows on which the event came true.
        """
        names = [name for name, bins in self.curves.items() for _ in bins]
        values = np.concatenate(list(self.curves.values()))
        table = pd.DataFrame(values, columns=["probability", "share", "rows"])
        table.insert(0, "learner", names)
        return table.astype({"rows": "int64"})

    @property
    def size(self) -> tuple[float, float]:
        """Width and height in inches at which all of it can be read."""
        return 6.4, 4.4 + legend_inches([*map(short_name, self.curves)])

    def _draw(self, ax: Axes) -> None:
        for index, (name, bins) in enumerate(self.curves.items()):
            gap = fixed(100 * self.mean_gap(name), 1)
            ax.plot(
                bins[:, 0], bins[:, 1], marker=curve_marker(index), ms=4.5,
                label=f"{short_name(name, name_letters(ax))}  {gap}", **curve_style(index),
            )  # fmt: skip
        name_shares(ax, "too careful", "too sure", f"predicted probability that {self.event}")
        ax.set_ylim(-0.02, 1.02)
        legend_below(ax, title="learner, points off on average")


def _bins(name: str, values: ArrayLike) -> NDArray[np.float64]:
    array = np.asarray(values, dtype=float)
    is_table = array.ndim == 2 and array.shape[1] == 3 and len(array) > 0
    if not is_table or not ((array[:, :2] >= 0) & (array[:, :2] <= 1)).all():
        raise InvalidArgumentError(
            f"curve of {name!r} must be bins of a probability, a share and a number of rows; got "
            f"{array.tolist()!r}. Use from_predictions for predictions."
        )
    return array
