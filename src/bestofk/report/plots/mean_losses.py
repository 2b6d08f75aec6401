"""Shared parts of pictures of losses: the scale, means and bands."""

from __future__ import annotations

import textwrap
from abc import abstractmethod
from collections.abc import Sequence
from typing import Any, Final, Protocol

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.ticker import FixedLocator, NullLocator
from numpy.typing import ArrayLike, NDArray

from bestofk.errors import DesignError
from bestofk.report.plots.base import Display, name_list
from bestofk.report.plots.drawing import MOST_BANDS, curve_style, ink
from bestofk.report.plots.labels import (
    label_height,
    label_scale,
    legend_below,
    legend_inches,
    write_in_lane,
)

LOSS_UNIT: Final = "points"
# Losses in percentage points below this are drawn in proportion, those above by their logarithm.
_LINEAR: Final = 0.1
_TICKS: Final = (0.0, 0.1, 1.0, 10.0, 100.0)
_BAND: Final = (0.25, 0.75)
_WIDEST_NAME: Final = 34  # letters in a line


class LossCurve(Protocol):
    """Loss on one data set, as it falls while learners are tested."""

    @property
    def losses(self) -> NDArray[np.float64]:
        """Before any test, then after each."""

    def at(self, seconds: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the loss after that many seconds."""

    def mean_interval_loss(self, window: Any) -> float:
        """Return the mean over the logarithm of time in a window."""


class RecommenderLosses(Protocol):
    """Losses of recommenders on data sets that were left out in turn."""

    @property
    def titles(self) -> Sequence[str]:
        """Names of the recommenders in legends."""

    @property
    def window(self) -> tuple[float, float]:
        """The seconds that count."""

    @property
    def losses(self) -> NDArray[np.float64]:
        """Mean interval losses, data sets by recommenders."""

    @property
    def curves(self) -> Sequence[Sequence[LossCurve]]:
        """By recommender, then by data set."""

    def losses_after_tests(self) -> NDArray[np.float64]:
        """Return the losses by recommender, data set and number of tests."""


class MeanLossesDisplay(Display):
    """Mean loss of methods along an axis, with the middle half of the data sets as a band.

    Base of the displays of losses after tests and after seconds.

    Parameters
    ----------
    losses : array-like of shape (n_methods, n_data_sets, n_points), float
        Differences of scores, at least 0.
    positions : array-like of shape (n_points,), float
        Of the points on the axis.
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
    """

    def __init__(
        self,
        losses: ArrayLike,
        positions: ArrayLike,
        names: Sequence[str],
        *,
        default_losses: ArrayLike,
    ) -> None:
        self.positions = np.asarray(positions, dtype=float)
        self.losses = loss_table(losses, 3)
        self.default_losses = loss_table(default_losses, 1)
        shape = self.losses.shape
        if shape[1:] != (len(self.default_losses), len(self.positions)):
            raise DesignError(
                "losses must have one value for each method, data set and point of the axis; got "
                f"shape {shape} for {len(self.default_losses)} data sets and {len(self.positions)} "
                "points. Hand over one default loss per data set."
            )
        self.names = name_list(names, shape[0], "methods")

    @property
    @abstractmethod
    def _axis(self) -> str:
        """Name of the axis in the table."""

    @property
    @abstractmethod
    def _axis_label(self) -> str:
        """Label below the axis."""

    @property
    def _legend_title(self) -> str:
        """Return what stands above the methods."""
        return ""

    @property
    def default_level(self) -> float:
        """Mean loss before any test, in percentage points."""
        return float(100 * self.default_losses.mean())

    def frame(self) -> pd.DataFrame:
        """Return a DataFrame with one row per method and point.

        Returns
        -------
        DataFrame
            Columns method, n_tests or seconds, mean_loss, lower_quartile, upper_quartile (over
            data sets); losses in percentage points.
        """
        n_methods, _, n_points = self.losses.shape
        low, high = 100 * np.quantile(self.losses, _BAND, axis=1)
        return pd.DataFrame(
            {
                "method": np.repeat(self.names, n_points),
                self._axis: np.tile(self.positions, n_methods),
                "mean_loss": 100 * self.losses.mean(axis=1).ravel(),
                "lower_quartile": low.ravel(),
                "upper_quartile": high.ravel(),
            }
        )

    @property
    def size(self) -> tuple[float, float]:
        """Width and height in inches at which all of it can be read."""
        return 6.4, 3.4 + legend_inches(self._labels())

    def _labels(self) -> list[str]:
        """Return what stands in the legend."""
        return [method_label(name) for name in self.names]

    def _draw(self, ax: Axes) -> None:
        low, high = 100 * np.quantile(self.losses, _BAND, axis=1)
        means, labels = 100 * self.losses.mean(axis=1), self._labels()
        has_bands = self.losses.shape[1] > 1
        has_bands &= len(labels) <= MOST_BANDS
        band: dict[str, Any] = {"alpha": 0.2, "lw": 0, "step": "post"}
        for i, label in enumerate(labels):
            style = curve_style(i)
            if has_bands:
                ax.fill_between(self.positions, low[i], high[i], color=style["color"], **band)
            ax.plot(self.positions, means[i], label=label, drawstyle="steps-post", **style)
        ax.axhline(self.default_level, color=ink(), lw=0.9, ls=":", zorder=1)
        text_style = {"xytext": (-2, 2), "ha": "right", "va": "bottom"}
        write_in_lane(ax, "before any test", 1, self.default_level, **text_style)
        ax.set_xscale("log")
        ax.set_xlim(self.positions[0], self.positions[-1])
        scale_losses(ax, "y", max(self.default_level, float(means.max()), float(high.max())))
        note = f"; band: middle half of {self.losses.shape[1]} data sets" if has_bands else ""
        label_scale(ax, f"{self._axis_label}{note}")
        subject = "mean loss" if self.losses.shape[1] > 1 else "loss"
        label_height(ax, f"{subject} ({LOSS_UNIT})")
        legend_below(ax, title=self._legend_title or None)


def method_label(name: str) -> str:
    """Return the title of a method in lines that fit next to a picture."""
    unbroken = name.replace(" = ", "\N{NO-BREAK SPACE}=\N{NO-BREAK SPACE}")
    return textwrap.fill(unbroken, _WIDEST_NAME)


def loss_table(values: ArrayLike, n_dimensions: int) -> NDArray[np.float64]:
    """Return losses as an array, or raise.

    Parameters
    ----------
    values : array-like of float
        Differences of scores.
    n_dimensions : int
        How many there must be.

    Returns
    -------
    ndarray of float
        None below 0: what rounding left there is 0.

    Raises
    ------
    DesignError
        If there is nothing, the dimensions are others, or a value is below 0 or no number.
    """
    table = np.asarray(values, dtype=float)
    if table.ndim != n_dimensions or not table.size or not (table >= -1e-9).all():
        raise DesignError(
            f"losses must be numbers from 0 in {n_dimensions} dimensions; got shape {table.shape}"
            f"{f', lowest {table.min():g}' if table.size else ''}. "
            "A loss is the best score minus the best so far."
        )
    return np.asarray(np.maximum(table, 0.0))


def scale_losses(ax: Axes, axis: str, highest: float) -> None:
    """Let an axis show losses of a tenth of a point and of a hundred: linear, then logarithmic."""
    (ax.set_xscale if axis == "x" else ax.set_yscale)("symlog", linthresh=_LINEAR, linscale=0.6)
    item = ax.xaxis if axis == "x" else ax.yaxis
    item.set_major_locator(FixedLocator(_TICKS))
    item.set_minor_locator(NullLocator())
    item.set_major_formatter(lambda value, _: f"{value:g}")
    (ax.set_xlim if axis == "x" else ax.set_ylim)(0, 1.4 * max(highest, _LINEAR))
