"""Pictures with shares on both axes: ROC curves and their hull, costs, and probabilities."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import partial
from typing import Any, ClassVar, Final

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from numpy.typing import ArrayLike, NDArray

from bestofk.array_types import Floats
from bestofk.errors import InvalidArgumentError
from bestofk.measures import PredictionBatch
from bestofk.measures.ties import at_most, is_noise
from bestofk.report.plots import drawing
from bestofk.report.plots.drawing import BLUE, GRAY, SMALL, Display, finite_list, ink
from bestofk.report.prediction_curves import calibration, curves_of
from bestofk.words import fixed, grouped

ENVELOPE: Final = "envelope"
# The highest cost of naming the cheaper class always.
_TRIVIAL: Final = 0.5


class NamedCurvesDisplay(Display):
    """Base of displays with a curve for every learner, whose legend stands below the axes.

    Attributes
    ----------
    curves : dict of str to ndarray of shape (n_points, n_columns), float
        Floats of every learner; the first two columns are shares from 0 to 1.
    """

    curves: dict[str, Floats]
    _columns: ClassVar[tuple[str, ...]]
    _rule: ClassVar[str]  # what a curve must be, and the way out, for the error message
    _way_out: ClassVar[str]

    def _read(self, curves: Mapping[str, ArrayLike], nothing: str) -> dict[str, Floats]:
        """Return the curves as tables of numbers, or raise; `nothing` ends its message."""
        tables = {str(name): self._points(str(name), values) for name, values in curves.items()}
        if not tables:
            raise InvalidArgumentError(f"curves must have at least one learner{nothing}")
        return tables

    def _points(self, name: str, values: ArrayLike) -> Floats:
        """Return the points of one curve, or raise."""
        array = np.asarray(values, dtype=float)
        is_table = array.ndim == 2 and array.shape[1] == len(self._columns) and len(array) > 0
        shares = array[:, :2] if is_table else np.array([np.nan])
        if not ((shares >= 0) & (shares <= 1)).all() or not self._is_curve(array):
            raise InvalidArgumentError(
                f"curve of {name!r} must be {self._rule}; got {array.tolist()!r}. {self._way_out}"
            )
        return array

    def _is_curve(self, points: Floats) -> bool:
        """Return whether a table of shares is a curve."""
        return True

    def _tables(self) -> Iterable[tuple[str, Floats]]:
        """Return what `frame` holds: the curves, and others that were made of them."""
        return self.curves.items()

    def to_frame(self) -> pd.DataFrame:
        """Return a DataFrame with one row per point: learner, then the columns of the points."""
        names = [name for name, points in self._tables() for _ in points]
        table = pd.DataFrame(
            np.vstack([points for _, points in self._tables()]), columns=[*self._columns]
        )
        table.insert(0, "learner", names)
        return table


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
        self.size = (
            6.4,
            4.4 + drawing.legend_inches([*map(drawing.short_name, self.curves), "hull"]),
        )

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
        curves = grouped((name, (rates[0], rates[1])) for name, *rates in result.points)
        return cls(curves, positive=result.positive)

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
            style = drawing.curve_style(index)
            label = f"{drawing.fitting_name(ax, name)}  {fixed(self.area(name), 3)}"
            label += " (hull)" * (name in touching)
            if len(points) == 1:
                ax.plot(*points.T, "o", ms=6, mfc="none", mec=style["color"], mew=1.4, label=label)
            else:
                ax.plot(*_with_corners(points).T, label=label, **style)
            on_hull = self._touching(points)
            ax.plot(*points[on_hull].T, "o", ms=6, color=style["color"], zorder=4)
        ax.plot(*self.hull.T, color=ink(), lw=1.1, zorder=3, label=f"hull  {fixed(self.area(), 3)}")
        of_class = f" of {self.positive!r}" if self.positive else ""
        drawing.unit_axes(ax, "false positive rate", f"true positive rate{of_class}")
        drawing.legend_below(ax, title="learner, area under its curve")
        drawing.headline(
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
        self, curves: Mapping[str, ArrayLike], envelope: ArrayLike, *, positive: str, negative: str
    ) -> None:
        self.curves = self._read(curves, "; got none. Give a name and its corners.")
        self.envelope = self._points(ENVELOPE, envelope)
        self.positive, self.negative = positive, negative
        self.size = 6.4, 3.6 + drawing.legend_inches(self._labels())

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
        always = [f"always {drawing.short_name(label)}" for label in (self.negative, self.positive)]
        return [*map(drawing.short_name, self.curves), *always, "the cheapest"]

    def _draw(self, ax: Axes) -> None:
        *names, never, always, cheapest = self._labels()
        ax.plot(*self.envelope.T, color=GRAY, lw=6, alpha=0.45, label=cheapest, zorder=1)
        for index, (name, corners) in enumerate(zip(names, self.curves.values(), strict=True)):
            ax.plot(*corners.T, label=name, **drawing.curve_style(index))
        ax.plot([0, 1], [0, 1], color=ink(), lw=0.9, ls="--", label=never)
        ax.plot([0, 1], [1, 0], color=ink(), lw=0.9, ls="-.", label=always)
        ax.set_xlim(0, 1)
        ax.set_ylim(0, self._highest())
        share = f"share of class {drawing.short_name(self.positive)} in what could be lost"
        drawing.x_label(ax, f"probability cost: {share}")
        drawing.y_label(ax, "normalized expected cost")
        drawing.legend_below(ax)

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
        self.size = 6.4, 4.4 + drawing.legend_inches([*map(drawing.short_name, self.curves)])

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
            label = f"{drawing.fitting_name(ax, name)}  {fixed(100 * self.mean_gap(name), 1)}"
            marked = {
                "marker": drawing.curve_marker(index),
                "ms": 4.5,
                **drawing.curve_style(index),
            }
            ax.plot(bins[:, 0], bins[:, 1], label=label, **marked)
        _name_sides(ax, "too careful", "too sure", f"predicted probability that {self.event}")
        drawing.legend_below(ax, title="learner, points off on average")


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
            drawing.write(ax, f"{count:,}", (x, y), xytext=(0, -3), ha="center", va="top")
        ax.set_ylim(min(-0.06, float(np.min(self.low)) - 0.06), 1.03)


def _name_sides(ax: Axes, above: str, below: str, stated: str, note: str = "") -> None:
    """Name axes of stated and true shares, and what lies on either side of equal ones."""
    ax.plot([0, 1], [0, 1], "--", color=ink(), lw=1, alpha=0.6)
    for x, y, text in ((0.02, 0.98, above), (0.98, 0.02, below)):
        ax.text(x, y, text, ha="left" if x < y else "right", va="center", fontsize=SMALL)
    drawing.unit_axes(ax, stated, "how often it was so", note)
