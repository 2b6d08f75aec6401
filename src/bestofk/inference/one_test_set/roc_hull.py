"""Convex hull of ROC points: classifiers that can be best for some class shares and costs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from bestofk.array_types import Floats
from bestofk.errors import DesignError, InvalidArgumentError
from bestofk.inference.checks import check_share
from bestofk.inference.one_test_set.delong import check_classes
from bestofk.inference.one_test_set.rows import row_values
from bestofk.inference.results.result import Result, number
from bestofk.measures.ties import NOISE, at_most, tied_values

if TYPE_CHECKING:
    import pandas as pd

# Points nearer to a line of the hull than this lie on it.


class RocPoint(NamedTuple):
    """A classifier as a point of ROC space.

    Parameters
    ----------
    name : str
        Of the learner; the points of a whole curve share it.
    fpr, tpr : float in [0, 1]
        Share of negative rows taken for positive, and of positive rows found.
    """

    name: str
    fpr: float
    tpr: float


ALL_NEGATIVE = RocPoint("all-negative", 0.0, 0.0)
ALL_POSITIVE = RocPoint("all-positive", 1.0, 1.0)


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class RocHull(Result):
    """The upper convex hull of ROC points; made by `roc_convex_hull`.

    A classifier can be best for some class shares and costs only if it lies on the hull [1]_.

    Parameters
    ----------
    points : tuple of RocPoint
        All that were given, in that order.
    vertices : tuple of RocPoint
        Corners of the hull from "all-negative" to "all-positive".

    References
    ----------
    .. [1] Provost & Fawcett (2001), Robust classification for imprecise environments,
       Machine Learning 42(3).

    Examples
    --------
    >>> hull = roc_convex_hull([("A", 0.1, 0.5), ("B", 0.2, 0.65), ("C", 0.3, 0.68)])
    >>> hull.potentially_optimal
    ('A', 'B')
    >>> hull.add("D", 0.1, 0.7).potentially_optimal
    ('D',)
    """

    pictures = (("hull", "RocHullDisplay"),)

    points: tuple[RocPoint, ...]
    vertices: tuple[RocPoint, ...]

    def add(self, name: str, fpr: ArrayLike, tpr: ArrayLike) -> RocHull:
        """Return the hull with one more classifier; this one stays as it is.

        Parameters
        ----------
        name : str
            Of the learner.
        fpr, tpr : float, or array-like of shape (n_points,)
            A point, or a curve as `roc_curve_points` gives it.

        Returns
        -------
        RocHull
            Only the corners and the new points are looked at again.

        Raises
        ------
        DesignError
            If a rate is no number from 0 to 1, or they do not pair.
        """
        new = _points(name, fpr, tpr)
        points = self.points + new
        return RocHull(
            procedure=self.procedure,
            n=len(points),
            points=points,
            vertices=_upper_hull((*self.vertices, *new)),
        )

    @property
    def area(self) -> float:
        """Area under the hull."""
        fpr, tpr = self._corners()
        return float(np.trapezoid(tpr, fpr))

    @property
    def slopes(self) -> tuple[float, ...]:
        """Slope of each side, from left to right falling; inf for an upright one."""
        fpr, tpr = np.diff(self._corners(), axis=1)
        return tuple(float(t / f) if f > 0 else float("inf") for f, t in zip(fpr, tpr, strict=True))

    @property
    def potentially_optimal(self) -> tuple[str, ...]:
        """Names of the learners with a point on the hull, corner or not, in the given order.

        Every whole curve ends in (0, 0) and (1, 1); these ends do not count for it.
        """
        fpr, tpr = self._corners()
        given = Counter(point.name for point in self.points)
        ends = (ALL_NEGATIVE[1:], ALL_POSITIVE[1:])
        on_hull = [
            point.name
            for point in self.points
            if _is_on(point, fpr, tpr) and (given[point.name] == 1 or point[1:] not in ends)
        ]
        return tuple(dict.fromkeys(on_hull))

    def optimal(self, slope: float) -> RocPoint:
        """Return the corner that is best where lines of equal cost have this slope.

        Parameters
        ----------
        slope : float of at least 0
            (cost of a false positive x share of negatives) / (cost of a false negative x
            share of positives); see `slope_of_costs`.

        Returns
        -------
        RocPoint
            With the largest tpr - slope x fpr; of two, that with fewer false positives.

        Raises
        ------
        InvalidArgumentError
            If the slope is negative, nan or infinite.
        """
        if not 0 <= slope < float("inf"):
            raise InvalidArgumentError(
                f"slope of RocHull.optimal must be a number of at least 0; got {slope}. "
                "slope_of_costs makes it from costs and the share of positives."
            )
        gains = [point.tpr - slope * point.fpr for point in self.vertices]
        return self.vertices[int(np.argmax(tied_values(gains, 1 + slope)))]

    def rows(self) -> list[tuple[str, str]]:
        """Return what `str` shows, as pairs of a short label and a text."""
        corners = [
            (point.name, f"fpr {number(point.fpr)}, tpr {number(point.tpr)}")
            for point in self.vertices
        ]
        return [*corners, ("area", number(self.area)), ("n", f"{self.n} points")]

    def to_frame(self) -> pd.DataFrame:
        """Return one row per corner.

        Returns
        -------
        DataFrame
            Columns name, fpr, tpr, and slope_to_next: the corner is best for slopes from
            that to the one of the row above; nan in the last row.
        """
        import pandas as pd

        frame = pd.DataFrame(self.vertices, columns=["name", "fpr", "tpr"])
        return frame.assign(slope_to_next=[*self.slopes, float("nan")])

    def __repr__(self) -> str:
        names = ", ".join(point.name for point in self.vertices)
        return f"RocHull({names}; area = {number(self.area)})"

    def _corners(self) -> Floats:
        return np.array([(p.fpr, p.tpr) for p in self.vertices], dtype=float).T


def roc_convex_hull(points: Iterable[tuple[str, Any, Any]]) -> RocHull:
    """Return the convex hull of the ROC points of classifiers of two classes.

    Parameters
    ----------
    points : iterable of (name, fpr, tpr)
        One classifier each: its name, false positive rate and true positive rate (a number
        each, or the arrays of a curve).

    Returns
    -------
    RocHull
        "all-negative" (0, 0) and "all-positive" (1, 1) belong to it always. Points that
        coincide are one corner with the name of the first.

    Raises
    ------
    DesignError
        If a rate is no number from 0 to 1, or they do not pair.

    Examples
    --------
    >>> hull = roc_convex_hull([("A", 0.1, 0.5), ("B", 0.2, 0.65), ("D", 0.5, 0.9)])
    >>> hull.optimal(slope_of_costs(1, 1, share_positive=0.5)).name
    'B'
    """
    given = tuple(point for name, fpr, tpr in points for point in _points(name, fpr, tpr))
    return RocHull(
        procedure="ROC convex hull",
        n=len(given),
        points=given,
        vertices=_upper_hull((ALL_NEGATIVE, ALL_POSITIVE, *given)),
    )


def slope_of_costs(
    cost_false_positive: float, cost_false_negative: float, *, share_positive: float
) -> float:
    """Return the slope of the lines of equal expected cost in ROC space.

    Parameters
    ----------
    cost_false_positive, cost_false_negative : float
        At least 0 and above 0, in the same unit.
    share_positive : float in (0, 1)
        Of the rows to come.

    Returns
    -------
    float
        cost_false_positive (1 - share_positive) / (cost_false_negative share_positive).

    Raises
    ------
    InvalidArgumentError
        If a cost or the share is not allowed.

    Examples
    --------
    >>> slope_of_costs(1, 5, share_positive=0.2)
    0.8
    """
    share = check_share(share_positive, "share_positive")
    costs = cost_false_positive, cost_false_negative
    if not (0 <= costs[0] < float("inf") and 0 < costs[1] < float("inf")):
        raise InvalidArgumentError(
            f"costs of slope_of_costs must be positive numbers; got {costs[0]} and {costs[1]}. "
            "Give what each kind of error costs, in one unit."
        )
    return float(costs[0] * (1 - share) / (costs[1] * share))


def roc_curve_points(is_positive: ArrayLike, score: ArrayLike) -> tuple[Floats, Floats, Floats]:
    """Return the ROC curve of a classifier of two classes.

    Parameters
    ----------
    is_positive : array-like of shape (n_rows,), bool or 0 and 1
        Class of every row.
    score : array-like of shape (n_rows,), float
        How strongly each row is taken for positive.

    Returns
    -------
    fpr, tpr : ndarray of shape (n_points,)
        From (0, 0) to (1, 1); rows of one score make one step.
    threshold : ndarray of shape (n_points,)
        Rows with at least this score are taken for positive; inf at first.

    Raises
    ------
    DesignError
        If a class is missing, or scores do not pair or are not finite.

    Examples
    --------
    >>> fpr, tpr, threshold = roc_curve_points([1, 0, 1, 0], [4, 3, 3, 1])
    >>> fpr.tolist(), tpr.tolist(), threshold.tolist()
    ([0.0, 0.0, 0.5, 1.0], [0.0, 0.5, 1.0, 1.0], [inf, 4.0, 3.0, 1.0])
    """
    positive = check_classes(is_positive, "is_positive of roc_curve_points", n_least=1)
    scores = row_values(score, "score of roc_curve_points")
    if len(scores) != len(positive):
        raise DesignError(
            f"score of roc_curve_points must be one per row ({len(positive)} have a class); got "
            f"{len(scores)}. Score the rows of one test set."
        )
    levels, index = np.unique(-scores, return_inverse=True)
    counts = [np.bincount(index, weights=of, minlength=len(levels)) for of in (~positive, positive)]
    fpr, tpr = (np.append(0.0, np.cumsum(count) / count.sum()) for count in counts)
    return fpr, tpr, np.append(np.inf, -levels)


def _points(name: str, fpr: Any, tpr: Any) -> tuple[RocPoint, ...]:
    rates = []
    for value, what in ((fpr, "fpr"), (tpr, "tpr")):
        values = row_values(np.atleast_1d(value), f"{what} of {name}")
        if ((values < 0) | (values > 1)).any():
            bad = values[(values < 0) | (values > 1)][0]
            raise DesignError(
                f"{what} of {name} must be rates from 0 to 1; got {bad:g}. "
                "Divide by the rows of the class."
            )
        rates.append(values)
    if len(rates[0]) != len(rates[1]):
        raise DesignError(
            f"fpr and tpr of {name} must pair; got {len(rates[0])} and {len(rates[1])}. "
            "Give both rates of every point."
        )
    return tuple(RocPoint(str(name), float(f), float(t)) for f, t in zip(*rates, strict=True))


def _upper_hull(points: tuple[RocPoint, ...]) -> tuple[RocPoint, ...]:
    """Return the corners of the upper hull, left to right (Andrew's monotone chain)."""
    # The ends of space stay, and of points that coincide the first (sorting is stable).
    ends = (ALL_NEGATIVE, ALL_POSITIVE)
    inner = sorted(
        (p for p in points if p[1:] not in {end[1:] for end in ends}), key=lambda p: p[1:]
    )
    chain: list[RocPoint] = []
    for point in (ALL_NEGATIVE, *inner, ALL_POSITIVE):
        if chain and chain[-1][1:] == point[1:]:
            continue
        # Of the last two corners and the point, the middle one must lie above their line.
        while len(chain) > 1 and _turn(chain[-2], chain[-1], point) >= -NOISE:
            chain.pop()
        chain.append(point)
    return tuple(chain)


def _turn(a: RocPoint, b: RocPoint, c: RocPoint) -> float:
    """Return twice the signed area of a triangle: below 0 if b lies above the line from a to c."""
    return (b.fpr - a.fpr) * (c.tpr - a.tpr) - (b.tpr - a.tpr) * (c.fpr - a.fpr)


def _is_on(point: RocPoint, fpr: Floats, tpr: Floats) -> bool:
    upright = point.fpr == 0 and point.tpr <= tpr[fpr == 0].max()
    return bool(upright or at_most(np.interp(point.fpr, fpr, tpr), point.tpr, scale=1.0))
