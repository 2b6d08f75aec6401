"""Pictures of stated probabilities against how often they came true."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from numpy.typing import ArrayLike

from bestofk.errors import InvalidArgumentError
from bestofk.measures import PredictionBatch
from bestofk.report.plots import labels
from bestofk.report.plots.base import Display, finite_list
from bestofk.report.plots.drawing import BLUE, SMALL, curve_marker, curve_style, ink
from bestofk.report.plots.named_curves import NamedCurvesDisplay
from bestofk.report.prediction_curves import calibration, curves_of
from bestofk.words import fixed


class CalibrationDisplay(NamedCurvesDisplay):
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

    _columns = ("probability", "share", "rows")
    _rule = "bins of a probability, a share and a number of rows"
    _way_out = "Use from_predictions for predictions."

    def __init__(self, curves: Mapping[str, ArrayLike], *, event: str) -> None:
        self.curves = self._read(curves, " with probabilities; got none. Name another.")
        self.event = event
        self.size = 6.4, 4.4 + labels.legend_inches([*map(labels.short_name, self.curves)])

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
        label = next((str(item.classes[class_index]) for item in predictions.values()), "")
        bins = curves_of(predictions, partial(calibration, n_bins=n_bins), class_index)
        return cls(bins, event=f"the class is {label!r}")

    def mean_gap(self, learner: str) -> float:
        """Return the mean distance of probability and share over the rows, from 0 to 1."""
        stated, true, counts = self.curves[learner].T
        return float(np.average(np.abs(stated - true), weights=counts))

    def to_frame(self) -> pd.DataFrame:
        """Return a DataFrame with one row per learner and bin: learner, probability, share, rows.

        Probability is the mean of the bin, share that of its rows on which the event came true.
        """
        return super().to_frame().astype({"rows": "int64"})

    def _draw(self, ax: Axes) -> None:
        for index, (name, bins) in enumerate(self.curves.items()):
            label = f"{labels.fitting_name(ax, name)}  {fixed(100 * self.mean_gap(name), 1)}"
            marked = {"marker": curve_marker(index), "ms": 4.5, **curve_style(index)}
            ax.plot(bins[:, 0], bins[:, 1], label=label, **marked)
        _name_sides(ax, "too careful", "too sure", f"predicted probability that {self.event}")
        labels.legend_below(ax, title="learner, points off on average")


class ReliabilityDisplay(Display):
    """Share of true claims against the probability that was stated, bin by bin.

    Below the dashed line claims are too high, above it too careful.

    Parameters
    ----------
    stated, true : array-like of shape (n_bins,), float from 0 to 1
        Mean stated probability, and share of claims that came true.
    low, high : array-like of shape (n_bins,), float from 0 to 1
        Interval of the true share.
    counts : array-like of shape (n_bins,), int
        Claims in each bin.
    event : str
        What was claimed.

    Raises
    ------
    InvalidArgumentError
        If lengths differ, or a share is not from 0 to 1.

    References
    ----------
    Murphy & Winkler (1977), Reliability of subjective probability forecasts of precipitation and
    temperature, Journal of the Royal Statistical Society C 26(1).

    Examples
    --------
    >>> display = ReliabilityDisplay(
    ...     [0.55, 0.9], [0.5, 0.92], [0.3, 0.8], [0.7, 0.97], [20, 50], event="within 1 point"
    ... )
    >>> display.to_frame()["claims"].tolist()
    [20, 50]
    """

    size = (5.2, 4.6)

    def __init__(
        self,
        stated: ArrayLike,
        true: ArrayLike,
        low: ArrayLike,
        high: ArrayLike,
        counts: ArrayLike,
        *,
        event: str,
    ) -> None:
        given = {"stated": stated, "true": true, "low": low, "high": high}
        shares = {what: finite_list(values, what) for what, values in given.items()}
        self.counts = finite_list(counts, "counts").astype(int)
        for what, values in shares.items():
            if len(values) != len(self.counts) or values.min() < 0 or values.max() > 1:
                raise InvalidArgumentError(
                    f"{what} must be {len(self.counts)} shares from 0 to 1, one for each count; "
                    f"got {values.tolist()}. Give one of each per bin."
                )
        self.stated, self.true, self.low, self.high = shares.values()
        self.event = event

    def to_frame(self) -> pd.DataFrame:
        """Return a DataFrame: stated, true, low, high, claims."""
        shares = {name: getattr(self, name) for name in ("stated", "true", "low", "high")}
        return pd.DataFrame({**shares, "claims": self.counts})

    def _draw(self, ax: Axes) -> None:
        stated = f"stated probability that {self.event}"
        note = "bars: 95% interval; numbers: claims"
        _name_sides(ax, "claims too careful", "claims too high", stated, note)
        ax.annotate(
            "true as often as stated", (0.04, 0.04), xytext=(0, 4), textcoords="offset points",
            rotation=45, rotation_mode="anchor", transform_rotates_text=True, fontsize=SMALL,
            alpha=0.8,
        )  # fmt: skip
        ax.vlines(self.stated, self.low, self.high, color=BLUE, lw=1.6)
        areas = 20 + 80 * self.counts / self.counts.max()
        ax.scatter(self.stated, self.true, s=areas, color=BLUE, edgecolor=ink(), lw=0.8, zorder=3)
        for x, y, count in zip(self.stated, self.low, self.counts, strict=True):
            labels.write(ax, f"{count:,}", (x, y), xytext=(0, -3), ha="center", va="top")
        ax.set_ylim(min(-0.06, float(np.min(self.low)) - 0.06), 1.03)


def _name_sides(ax: Axes, above: str, below: str, stated: str, note: str = "") -> None:
    """Name axes of stated and true shares, and what lies on either side of equal ones."""
    ax.plot([0, 1], [0, 1], "--", color=ink(), lw=1, alpha=0.6)
    for x, y, text in ((0.02, 0.98, above), (0.98, 0.02, below)):
        ax.text(x, y, text, ha="left" if x < y else "right", va="center", fontsize=SMALL)
    labels.unit_axes(ax, stated, "how often it was so", note)
