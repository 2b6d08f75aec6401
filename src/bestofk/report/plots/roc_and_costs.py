"""Pictures of what learners can do at every threshold: ROC curves and their hull, and costs."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Final

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from numpy.typing import ArrayLike, NDArray

from bestofk.array_types import Floats
from bestofk.measures.ties import at_most, is_noise
from bestofk.report.plots import labels
from bestofk.report.plots.drawing import GRAY, curve_style, ink
from bestofk.report.plots.named_curves import NamedCurvesDisplay
from bestofk.words import fixed

ENVELOPE: Final = "envelope"
# The highest cost of naming the cheaper class always.
_TRIVIAL: Final = 0.5


class RocHullDisplay(NamedCurvesDisplay):
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

    _columns = ("false_positive_rate", "true_positive_rate")
    _rule = "pairs of a false and a true positive rate from 0 to 1"
    _way_out = "Use from_scores for scores."

    def __init__(self, curves: Mapping[str, ArrayLike], *, positive: str = "") -> None:
        from bestofk.inference import roc_convex_hull

        self.positive = positive
        self.curves = {
            name: points[np.lexsort((points[:, 1], points[:, 0]))]
            for name, points in self._read(
                curves, "; got none. Give a name and its points."
            ).items()
        }
        hull = roc_convex_hull((name, *points.T) for name, points in self.curves.items())
        self.hull: Floats = np.array([point[1:] for point in hull.vertices])
        self.size = 6.4, 4.4 + labels.legend_inches([*map(labels.short_name, self.curves), "hull"])

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

        rates = {name: roc_curve_points(is_positive, values) for name, values in scores.items()}
        return cls({name: np.column_stack(columns[:2]) for name, columns in rates.items()})

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

    def _touching(self, points: Floats) -> NDArray[np.bool_]:
        """Return which points lie on a vertex of the hull other than the corners."""
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

    def _tables(self) -> Iterable[tuple[str, Floats]]:
        return (*self.curves.items(), ("hull", self.hull))

    def to_frame(self) -> pd.DataFrame:
        """Return a DataFrame with one row per point.

        Returns
        -------
        DataFrame
            Columns learner ("hull" for the hull's own vertices), false_positive_rate,
            true_positive_rate, is_on_hull.
        """
        touching = [self._touching(points) for points in self.curves.values()]
        on_hull = np.concatenate([*touching, np.full(len(self.hull), True)])
        return super().to_frame().assign(is_on_hull=on_hull)

    def _draw(self, ax: Axes) -> None:
        touching = self.on_hull()
        ax.plot([0, 1], [0, 1], color=GRAY, lw=0.8, ls=":")
        ax.fill(*np.vstack([self.hull, [[1.0, 0.0]]]).T, color=GRAY, alpha=0.18, lw=0)
        for index, (name, points) in enumerate(self.curves.items()):
            style = curve_style(index)
            label = f"{labels.fitting_name(ax, name)}  {fixed(self.area(name), 3)}"
            label += " (hull)" * (name in touching)
            if len(points) == 1:
                ax.plot(*points.T, "o", ms=6, mfc="none", mec=style["color"], mew=1.4, label=label)
            else:
                ax.plot(*_with_corners(points).T, label=label, **style)
            on_hull = self._touching(points)
            ax.plot(*points[on_hull].T, "o", ms=6, color=style["color"], zorder=4)
        ax.plot(*self.hull.T, color=ink(), lw=1.1, zorder=3, label=f"hull  {fixed(self.area(), 3)}")
        of_class = f" of {self.positive!r}" if self.positive else ""
        labels.unit_axes(ax, "false positive rate", f"true positive rate{of_class}")
        labels.legend_below(ax, title="learner, area under its curve")
        labels.headline(
            ax, f"{len(touching)} of {len(self.curves)} learners can be best at some costs"
        )


def _with_corners(points: Floats) -> Floats:
    return np.vstack([[[0.0, 0.0]], points, [[1.0, 1.0]]])


class CostCurveDisplay(NamedCurvesDisplay):
    """Expected cost of every learner, at its cheapest threshold, for all costs and class shares.

    The wide line is the lower envelope, the cheapest of all. Dashed are the two classifiers
    that name one class always; a learner costs as much where it is not worth asking.

    Parameters
    ----------
    curves : mapping of str to array-like of shape (n_corners, 2), float
        For each learner the corners (probability cost, normalized expected cost) of its curve,
        in ascending order of the first, which goes from 0 to 1.
    envelope : array-like of shape (n_corners, 2), float
        The same of the cheapest of all.
    positive, negative : str
        The two classes.

    Raises
    ------
    InvalidArgumentError
        If there is no learner, or corners are no such pairs.

    References
    ----------
    Drummond & Holte (2006), Cost curves: an improved method for visualizing classifier
    performance, Machine Learning 65(1).

    Examples
    --------
    >>> corners = [(0, 0), (0.3, 0.1), (0.8, 0.1), (1, 0)]
    >>> display = CostCurveDisplay({"lda": corners}, corners, positive="ill", negative="well")
    >>> display.to_frame()["learner"].unique().tolist()
    ['lda', 'envelope']
    """

    _columns = ("probability_cost", "normalized_cost")
    _rule = "pairs of a probability cost, ascending from 0 to 1, and a normalized cost from 0 to 1"
    _way_out = "Use from_curves."

    def __init__(
        self,
        curves: Mapping[str, ArrayLike],
        envelope: ArrayLike,
        *,
        positive: str,
        negative: str,
    ) -> None:
        self.curves = self._read(curves, "; got none. Give a name and its corners.")
        self.envelope = self._points(ENVELOPE, envelope)
        self.positive, self.negative = positive, negative
        self.size = 6.4, 3.6 + labels.legend_inches(self._labels())

    def _is_curve(self, points: Floats) -> bool:
        costs = points[:, 0]
        return (
            len(costs) > 1 and bool((np.diff(costs) >= 0).all()) and (costs[0], costs[-1]) == (0, 1)
        )

    @classmethod
    def from_curves(cls, curves: Any) -> CostCurveDisplay:
        """Take what `bestofk.cost_curve` returned.

        Parameters
        ----------
        curves : CostCurves
            Stretches where each threshold is the cheapest.

        Returns
        -------
        CostCurveDisplay
        """
        return cls(
            {name: _ends(stretches) for name, stretches in curves.envelopes.items()},
            _ends(curves.best),
            positive=str(curves.classes[curves.positive]),
            negative=str(curves.classes[1 - curves.positive]),
        )

    def _tables(self) -> Iterable[tuple[str, Floats]]:
        return (*self.curves.items(), (ENVELOPE, self.envelope))

    def _labels(self) -> list[str]:
        always = [f"always {labels.short_name(label)}" for label in (self.negative, self.positive)]
        return [*map(labels.short_name, self.curves), *always, "the cheapest"]

    def _draw(self, ax: Axes) -> None:
        *names, never, always, cheapest = self._labels()
        ax.plot(*self.envelope.T, color=GRAY, lw=6, alpha=0.45, label=cheapest, zorder=1)
        for index, (name, corners) in enumerate(zip(names, self.curves.values(), strict=True)):
            ax.plot(*corners.T, label=name, **curve_style(index))
        ax.plot([0, 1], [0, 1], color=ink(), lw=0.9, ls="--", label=never)
        ax.plot([0, 1], [1, 0], color=ink(), lw=0.9, ls="-.", label=always)
        ax.set_xlim(0, 1)
        ax.set_ylim(0, self._highest())
        share = f"share of class {labels.short_name(self.positive)} in what could be lost"
        labels.x_label(ax, f"probability cost: {share}")
        labels.y_label(ax, "normalized expected cost")
        labels.legend_below(ax)

    def _highest(self) -> float:
        """Return where the axis ends: above learners that are better than one class always."""
        highest = [float(curve[:, 1].max()) for curve in self.curves.values()]
        better = [item for item in highest if not at_most(_TRIVIAL, item)]
        return min(1.12 * max(better), _TRIVIAL) if better and max(better) > 0 else _TRIVIAL


def _ends(stretches: Any) -> list[tuple[float, float]]:
    """Return the corners of a lower envelope."""
    corners = [stretches[0].low, *(stretch.high for stretch in stretches)]
    lines = [stretches[0].line, *(stretch.line for stretch in stretches)]
    return [(x, line.normalized_cost(x)) for x, line in zip(corners, lines, strict=True)]
