"""Picture of training, validation and test error against the values of a parameter."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.ticker import NullLocator
from numpy.typing import ArrayLike, NDArray

from bestofk.errors import DesignError
from bestofk.report.plots.base import Display
from bestofk.report.plots.drawing import BLUE, GRAY, GREEN, VERMILION, draw_band, ink
from bestofk.report.plots.labels import (
    cell_inches,
    label_height,
    label_scale,
    legend_below,
    with_room,
    write,
)
from bestofk.report.plots.scales import scale_title, show_scale
from bestofk.report.value_labels import is_number, value_labels

PARTS: Final = ("train", "validation", "test")
_STYLES: Final[tuple[dict[str, Any], ...]] = (
    {"color": VERMILION, "ls": (0, (1.2, 1.2)), "marker": "s", "label": "training rows"},
    {"color": GREEN, "ls": (0, (5, 1.5)), "marker": "^", "label": "validation rows"},
    {"color": BLUE, "ls": "-", "marker": "o", "label": "test rows"},
)
_LOG_SPAN: Final = 100  # largest over smallest value from which on an axis is logarithmic


class ValidationCurveDisplay(Display):
    """Mean score on training, validation and test rows, against the values of a parameter.

    The bands are one standard error over repeats to both sides: how far other divisions of the
    same rows may lie, and nothing about other rows. The axis of numbers is logarithmic where
    they are positive and span two powers of ten; values without an order stand side by side,
    and no line joins them.

    Parameters
    ----------
    values : sequence
        Of the parameter; numbers ascending.
    scores, errors : array-like of shape (3, n_values)
        Means on training, validation and test rows, and their standard errors; nan for no
        point, or no band.
    parameter, measure_title : str
        What was varied, and what the scores are.
    chosen : int or None, default=None
        Index of the value that is marked.

    Raises
    ------
    DesignError
        If shapes do not fit.

    Examples
    --------
    >>> display = ValidationCurveDisplay(
    ...     [1, 10], [[0.0, 0.1], [0.3, 0.2], [0.3, 0.2]], np.zeros((3, 2)),
    ...     parameter="n_neighbors", measure_title="error rate", chosen=1,
    ... )
    >>> display.frame()["validation"].tolist()
    [0.3, 0.2]
    """

    def __init__(
        self,
        values: Sequence[Any],
        scores: ArrayLike,
        errors: ArrayLike,
        *,
        parameter: str,
        measure_title: str,
        chosen: int | None = None,
    ) -> None:
        self.values = list(values)
        self.scores, self.errors = (np.asarray(item, dtype=float) for item in (scores, errors))
        wanted = (len(PARTS), len(self.values))
        if self.scores.shape != wanted or self.errors.shape != wanted:
            raise DesignError(
                f"scores and errors of ValidationCurveDisplay must be of shape {wanted}; got "
                f"{self.scores.shape} and {self.errors.shape}. Give training, validation and "
                "test, one column per value."
            )
        self.parameter, self.measure_title, self.chosen = parameter, measure_title, chosen

    @classmethod
    def from_curve(cls, curve: Any) -> ValidationCurveDisplay:
        """Take what `bestofk.validation_curve` returned.

        Parameters
        ----------
        curve : ValidationCurve
            Scores by value.

        Returns
        -------
        ValidationCurveDisplay
        """
        frame = curve.to_frame()
        return cls(
            curve.values,
            frame[list(PARTS)].to_numpy(dtype=float).T,
            frame[[f"{part}_error" for part in PARTS]].to_numpy(dtype=float).T,
            parameter=f"{curve.parameter} of {curve.learner}",
            measure_title=curve.measure.title,
            chosen=curve.chosen,
        )

    @property
    def size(self) -> tuple[float, float]:
        """Width and height in inches at which all of it can be read."""
        return max(5.6, 1.2 + 0.5 * len(self.values)) if not self.is_ordered else 5.6, 3.8

    @property
    def is_ordered(self) -> bool:
        """Return whether the values are numbers."""
        return all(map(is_number, self.values))

    @property
    def is_logarithmic(self) -> bool:
        """Return whether the axis is logarithmic: values above 0 that span two powers of ten."""
        if not self.is_ordered or not self.values or min(self.values) <= 0:
            return False
        return bool(max(self.values) / min(self.values) >= _LOG_SPAN)

    def frame(self) -> pd.DataFrame:
        """Return a DataFrame: value, then score and error of training, validation and test."""
        dtype = None if self.is_ordered else object
        columns: dict[str, Any] = {"value": pd.Series(self.values, dtype=dtype)}
        for part, scores, errors in zip(PARTS, self.scores, self.errors, strict=True):
            columns |= {part: scores, f"{part}_error": errors}
        return pd.DataFrame(columns)

    def _draw(self, ax: Axes) -> None:
        positions = np.array(
            self.values if self.is_ordered else range(len(self.values)), dtype=float
        )
        if self.is_logarithmic:
            ax.set_xscale("log")
        for style, scores, errors in zip(_STYLES, self.scores, self.errors, strict=True):
            if self.is_ordered:
                ax.plot(positions, scores, ms=4, lw=1.4, **style)
                draw_band(ax, style["color"], positions, scores, errors)
            else:
                points = {**style, "ls": "none", "ms": 5, "capsize": 2}
                ax.errorbar(positions, scores, np.nan_to_num(errors), **points)
        if self.chosen is not None:
            self._mark(ax, float(positions[self.chosen]), float(self.scores[1, self.chosen]))
        self._name_axes(ax, positions)
        legend_below(ax)

    def _mark(self, ax: Axes, value: float, score: float) -> None:
        """Draw a line at the chosen value, and a ring around its point on validation rows."""
        assert self.chosen is not None  # asked only then
        ax.axvline(value, color=GRAY, lw=0.9, zorder=0)
        ax.plot([value], [score], marker="o", ms=11, mfc="none", mec=ink(), mew=1, ls="none")
        above = {"xycoords": ("data", "axes fraction"), "xytext": (0, 3), "va": "baseline"}
        said = f"chosen: {value_labels(self.values)[self.chosen]}"
        write(ax, said, (value, 1), ha="center", **above)

    def _name_axes(self, ax: Axes, positions: NDArray[np.float64]) -> None:
        labels = value_labels(self.values)
        along = np.log(positions) if self.is_logarithmic else positions
        shown = with_room(along, cell_inches(ax)) if self.is_ordered else range(len(positions))
        ax.set_xticks(positions[list(shown)], [labels[k] for k in shown], parse_math=False)
        ax.xaxis.set_minor_locator(NullLocator())
        if not self.is_ordered:
            ax.set_xlim(-0.5, len(positions) - 0.5)
        label_scale(ax, self.parameter)
        label_height(ax, scale_title(self.measure_title))
        show_scale(ax.yaxis, self.measure_title)
