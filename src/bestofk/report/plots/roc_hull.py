"""Picture of ROC curves with the convex hull of all their points."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.ticker import PercentFormatter
from numpy.typing import ArrayLike, NDArray

from bestofk.errors import InvalidArgumentError
from bestofk.measures.ties import is_noise
from bestofk.report.plots.base import Display
from bestofk.report.plots.drawing import GRAY, curve_style, ink
from bestofk.report.plots.labels import (
    headline,
    label_height,
    label_scale,
    legend_below,
    legend_inches,
    name_letters,
    short_name,
)
from bestofk.words import fixed


class RocHullDisplay(Display):
    """ROC curves of several learners with the convex hull of all their points.

    A learner is best for some costs and class shares only if its curve touches the hull.

    Parameters
    ----------
    curves : mapping of str to array-like of shape (n_points, 2), float
        For each learner the points (false positive rate, true positive rate), from 0 to 1. A
        learner with a single point has one decision and no curve.
    positive : str, default=""
        What the positive class is called; empty where that is not known.

    Raises
    ------
    InvalidArgumentError
        If there is no learner, or a point is not a pair of rates from 0 to 1.

    References
    ----------
    Provost & Fawcett (2001), Robust classification for imprecise environments, Machine Learning
    42.

    Examples
    --------
    >>> points = {"A": (0.1, 0.5), "B": (0.2, 0.65), "C": (0.3, 0.68), "D": (0.5, 0.9)}
    >>> display = RocHullDisplay({name: [point] for name, point in points.items()})
    >>> display.on_hull(), round(display.area(), 2)
    (['A', 'B', 'D'], 0.79)
    """

    def __init__(self, curves: Mapping[str, ArrayLike], *, positive: str = "") -> None:
        self.positive = positive
        self.curves: dict[str, NDArray[np.float64]] = {
            str(name): _rates(name, points) for name, points in curves.items()
        }
        if not self.curves:
            raise InvalidArgumentError(
                "curves must have at least one learner; got none. Give a name and its points."
            )
        self.hull = _hull(self.curves)

    @classmethod
    def from_scores(cls, is_positive: ArrayLike, scores: Mapping[str, ArrayLike]) -> RocHullDisplay:
        """Compute the curves from scores on one test set.

        Parameters
        ----------
        is_positive : array-like of shape (n_rows,), bool
            Class of each row.
        scores : mapping of str to array-like of shape (n_rows,), float
            For each learner how strongly it takes each row for positive.

        Returns
        -------
        RocHullDisplay

        Raises
        ------
        DesignError
            If a class is missing, the rows do not fit, or a score is not finite.
        """
        from bestofk.inference import roc_curve_points

        return cls(
            {
                name: np.column_stack(roc_curve_points(is_positive, values)[:2])
                for name, values in scores.items()
            }
        )

    @classmethod
    def from_result(cls, result: Any) -> RocHullDisplay:
        """Take the points of a hull.

        Parameters
        ----------
        result : RocHull
            Of `roc_convex_hull`; the points of one name make one curve.

        Returns
        -------
        RocHullDisplay
        """
        curves: dict[str, list[tuple[float, float]]] = {}
        for name, *rates in result.points:
            curves.setdefault(name, []).append((rates[0], rates[1]))
        return cls(curves)

    def on_hull(self) -> list[str]:
        """Return the learners whose curve touches the hull at a point that is no corner."""
        return [name for name, points in self.curves.items() if self._touching(points).any()]

    def _touching(self, points: NDArray[np.float64]) -> NDArray[np.bool_]:
        """Return which points are vertices of the hull other than (0, 0) and (1, 1)."""
        inner = self.hull[1:-1]
        apart = np.abs(points[:, None, :] - inner[None]).max(axis=2)
        return np.asarray(is_noise(apart, 1.0).any(axis=1))

    def area(self, name: str | None = None) -> float:
        """Return the area under the hull, or under the curve of one learner.

        Parameters
        ----------
        name : str, optional
            A learner; its curve is completed by straight lines to both corners.

        Returns
        -------
        float
            From 0 to 1.
        """
        points = self.hull if name is None else _with_corners(self.curves[name])
        return float(np.trapezoid(points[:, 1], points[:, 0]))

    def frame(self) -> pd.DataFrame:
        """Return a DataFrame with one row per point.

        Returns
        -------
        DataFrame
            Columns learner ("hull" for the hull's own vertices), false_positive_rate,
            true_positive_rate, is_on_hull.
        """
        parts = []
        for name, points in (*self.curves.items(), ("hull", self.hull)):
            table = pd.DataFrame(points, columns=["false_positive_rate", "true_positive_rate"])
            table.insert(0, "learner", name)
            parts.append(table.assign(is_on_hull=points is self.hull or self._touching(points)))
        return pd.concat(parts, ignore_index=True)

    @property
    def size(self) -> tuple[float, float]:
        """Width and height in inches at which all of it can be read."""
        return 6.4, 4.4 + legend_inches([*map(short_name, self.curves), "hull"])

    def _draw(self, ax: Axes) -> None:
        touching = set(self.on_hull())
        ax.plot([0, 1], [0, 1], color=GRAY, lw=0.8, ls=":")
        ax.fill(*np.vstack([self.hull, [[1.0, 0.0]]]).T, color=GRAY, alpha=0.18, lw=0)
        for index, (name, points) in enumerate(self.curves.items()):
            style = curve_style(index)
            on_hull = self._touching(points)
            label = f"{short_name(name, name_letters(ax))}  {fixed(self.area(name), 3)}"
            label += " (hull)" * (name in touching)
            is_single = len(points) == 1
            line = _with_corners(points)
            if is_single:
                ax.plot(*points.T, "o", ms=6, mfc="none", mec=style["color"], mew=1.4, label=label)
            else:
                ax.plot(*line.T, label=label, **style)
            ax.plot(*points[on_hull].T, "o", ms=6, color=style["color"], zorder=4)
        ax.plot(*self.hull.T, color=ink(), lw=1.1, zorder=3, label=f"hull  {fixed(self.area(), 3)}")
        ax.set_xlim(-0.02, 1.02)
        ax.set_ylim(-0.02, 1.02)
        ax.set_aspect("equal")
        label_scale(ax, "false positive rate")
        of_class = f" of {self.positive!r}" if self.positive else ""
        label_height(ax, f"true positive rate{of_class}")
        for axis in (ax.xaxis, ax.yaxis):
            axis.set_major_formatter(PercentFormatter(1))
        legend_below(ax, title="learner, area under its curve")
        headline(ax, f"{len(touching)} of {len(self.curves)} learners can be best at some costs")


def _rates(name: str, points: ArrayLike) -> NDArray[np.float64]:
    array = np.asarray(points, dtype=float)
    if (
        array.ndim != 2
        or array.shape[1] != 2
        or not len(array)
        or not ((array >= 0) & (array <= 1)).all()
    ):
        raise InvalidArgumentError(
            f"curve of {name!r} must be pairs of a false and a true positive rate from 0 to 1; "
            f"got {array.tolist()!r}. Use from_scores for scores."
        )
    return array[np.lexsort((array[:, 1], array[:, 0]))]


def _hull(curves: Mapping[str, NDArray[np.float64]]) -> NDArray[np.float64]:
    """Return the corners of the hull from (0, 0) to (1, 1)."""
    from bestofk.inference import roc_convex_hull

    hull = roc_convex_hull((name, *points.T) for name, points in curves.items())
    return np.array([point[1:] for point in hull.vertices])


def _with_corners(points: NDArray[np.float64]) -> NDArray[np.float64]:
    return np.vstack([[[0.0, 0.0]], points, [[1.0, 1.0]]])
