"""ROC curves of one test set: DeLong's test of two areas, and the convex hull."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from bestofk.array_types import Bools, Floats
from bestofk.checks import check_number
from bestofk.errors import DesignError, InvalidArgumentError
from bestofk.inference.catalogue import Procedure
from bestofk.inference.cautions import caution_if
from bestofk.inference.checks import Names, check_alternative, check_share, learner_table
from bestofk.inference.one_test_set.rows import (
    FIXED_MODELS,
    OWN_ROWS,
    paired_rows,
    row_fields,
    row_values,
)
from bestofk.inference.results import HypothesisTestResult, Result, number
from bestofk.inference.student import normal_p_value, normal_quantile, z_statistic
from bestofk.measures.ties import NOISE, at_most, is_noise, tied_values
from bestofk.words import printable

if TYPE_CHECKING:
    import pandas as pd


# A standard error of an area (at most 1) below this is rounding noise.


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class DeLongResult(HypothesisTestResult):
    """The outcome of DeLong's test.

    Parameters
    ----------
    areas : tuple of two floats
        Area under the ROC curve of each learner.
    variances : tuple of two floats
        Of the areas.
    covariance : float
        Of the areas.
    n_positive, n_negative : int
        Rows of each class.
    """

    areas: tuple[float, float]
    variances: tuple[float, float]
    covariance: float
    n_positive: int
    n_negative: int

    def area_interval(self, learner: int, level: float = 0.95) -> tuple[float, float]:
        """Return the limits of the area of one learner, by the normal distribution, cut to [0, 1].

        Parameters
        ----------
        learner : {0, 1}
            The first or the second.
        level : float in (0, 1), default=0.95
            Confidence.

        Returns
        -------
        low, high : float
            Two-sided, whatever the side of the test.

        Raises
        ------
        InvalidArgumentError
            If `level` is not inside (0, 1).
        """
        margin = normal_quantile(level) * math.sqrt(self.variances[learner])
        area = self.areas[learner]
        return max(0.0, area - margin), min(1.0, area + margin)


def delong_test(
    is_positive: ArrayLike, a: ArrayLike, b: ArrayLike, *, alternative: str = "two-sided"
) -> DeLongResult:
    """Compare the areas under the ROC curves of two fitted classifiers on one test set.

    Null hypothesis: both areas are the same (two-sided), or that of the first is no greater
    ("greater") or no smaller ("less"). Design: paired, both score the same rows.

    Parameters
    ----------
    is_positive : array-like of shape (n_rows,), bool or 0 and 1
        Class of every row.
    a, b : array-like of shape (n_rows,), float
        How strongly the first and the second model take the row for positive; any unit, ties
        count one half.
    alternative : {"two-sided", "greater", "less"}, default="two-sided"
        What is to be shown about the area of a minus that of b.

    Returns
    -------
    DeLongResult
        Statistic z, standard normal. Where the difference has no variance: statistic 0 and p value
        1 if there is no difference either, else inf or -inf and 0 (1 on the wrong side);
        flagged ``"zero_variance"``.

    Raises
    ------
    DesignError
        If scores do not pair or are not finite, classes are not 0 and 1, or a class has fewer
        than two rows.
    InvalidArgumentError
        If `alternative` is unknown.

    Notes
    -----
    V10 of a positive row is the share of negative rows that it beats, V01 of a negative row
    the share of positive rows that beat it; the area is the mean of either, and its variance
    var(V10)/n_positive + var(V01)/n_negative [1]_. Made from midranks in O(n log n) [2]_.
    When not to trust it: scores of several folds pooled, which are on different scales.

    References
    ----------
    .. [1] DeLong, DeLong & Clarke-Pearson (1988), Comparing the areas under two or more
       correlated receiver operating characteristic curves, Biometrics 44.
    .. [2] Sun & Xu (2014), Fast implementation of DeLong's algorithm for comparing the areas
       under correlated receiver operating characteristic curves, IEEE Signal Processing
       Letters 21.

    Examples
    --------
    >>> is_positive = [1, 1, 1, 0, 0, 0]
    >>> result = delong_test(is_positive, [9, 8, 4, 5, 2, 1], [7, 3, 6, 8, 5, 2])
    >>> print(np.round(result.areas, 3), round(result.p_value, 3))
    [0.889 0.556] 0.221
    """
    side = check_alternative(alternative)
    positive = check_classes(is_positive, "is_positive of delong_test", n_least=2)
    first, second = paired_rows(a, b, "scores of delong_test")
    if len(positive) != len(first):
        raise DesignError(
            f"scores of delong_test must be one per row ({len(positive)} rows have a class); got "
            f"{len(first)}. Score the rows of one test set."
        )
    components = [_components(positive, scores) for scores in (first, second)]
    v10, v01 = (np.array(of_both) for of_both in zip(*components, strict=True))
    n_positive, n_negative = v10.shape[1], v01.shape[1]
    areas = v10.mean(axis=1)
    covariances = np.cov(v10) / n_positive + np.cov(v01) / n_negative
    difference = float(areas[0] - areas[1])
    # From the differences of the components: learners that rank alike have exactly 0.
    variance = np.diff(v10, axis=0).var(ddof=1) / n_positive
    variance += np.diff(v01, axis=0).var(ddof=1) / n_negative
    standard_error = float(np.sqrt(variance))
    is_zero = bool(is_noise(standard_error, 1.0))
    if is_zero:
        standard_error = 0.0
    z = z_statistic(0.0 if is_zero and is_noise(difference, 1.0) else difference, standard_error)
    p_value = 1.0 if is_zero and z == 0 else normal_p_value(z, side)
    return DeLongResult(
        procedure="DeLong test of two areas under the ROC curve",
        statistic=z,
        estimate=difference,
        standard_error=standard_error,
        n=len(positive),
        symbol="z",
        estimate_of="difference of areas",
        distribution="normal",
        flags=("zero_variance",) if is_zero else (),
        areas=(float(areas[0]), float(areas[1])),
        variances=(float(covariances[0, 0]), float(covariances[1, 1])),
        covariance=float(covariances[0, 1]),
        n_positive=n_positive,
        n_negative=n_negative,
        **row_fields(p_value, side, caution_if(is_zero, "degenerate", _NO_VARIANCE)),
    )


_NO_VARIANCE = (
    "The difference of the areas has no variance, so statistic and p value are limits, not "
    "evidence."
)
PROCEDURE = Procedure(
    name="delong",
    title="DeLong test",
    question="Do the areas under the ROC curves of two fitted classifiers differ on one test set?",
    takes="two-rankings",
    run=delong_test,
    aliases=("roc", "delong-roc"),
)


def check_classes(is_positive: Any, what: str, *, n_least: int) -> Bools:
    """Return which rows are positive, or raise if a class is missing.

    Parameters
    ----------
    is_positive : array-like of shape (n_rows,), bool or 0 and 1
        Class of every row.
    what : str
        Its name in the error message.
    n_least : int
        Fewest rows of each class.

    Returns
    -------
    ndarray of shape (n_rows,), bool
        The same.

    Raises
    ------
    DesignError
        If there is another value, or a class has too few rows.
    """
    values = np.asarray(is_positive)
    if values.ndim != 1 or not (values.dtype == bool or np.isin(values, (0, 1)).all()):
        raise DesignError(
            f"{what} must be true or false (1 or 0) for every row; got shape {values.shape} with "
            f"values {', '.join(map(str, np.unique(values.astype(str))[:3]))}. ROC curves are for "
            "two classes: say which one is positive."
        )
    positive = values.astype(bool)
    counts = int(positive.sum()), int((~positive).sum())
    if min(counts) < n_least:
        raise DesignError(
            f"{what} must have at least {n_least} rows of each class; got {counts[0]} positive and "
            f"{counts[1]} negative. Without both classes there is no ROC curve: test on more rows."
        )
    return positive


def _components(positive: Bools, scores: Floats) -> tuple[Floats, Floats]:
    """Return V10 of the positive rows and V01 of the negative ones, from one sort of all."""
    order = np.argsort(scores)
    is_positive = positive[order]
    edges = np.append(np.flatnonzero(np.diff(scores[order], prepend=-np.inf)), len(scores))
    n_before = np.append(0, np.cumsum(is_positive))[edges]
    # rows of a class below each score, those tied half
    n_positive, n_negative = ((n[1:] + n[:-1]) / 2 for n in (n_before, edges - n_before))
    v10, v01 = n_negative / (edges - n_before)[-1], 1 - n_positive / n_before[-1]
    v10, v01 = (np.repeat(of_score, np.diff(edges)) for of_score in (v10, v01))
    components = np.empty(len(scores))
    components[order] = np.where(is_positive, v10, v01)
    return components[positive], components[~positive]


def area_losses(is_positive: Bools, scores: Floats) -> Floats:
    """Return losses of single rows whose mean is 1 - AUROC, and varies as it does.

    Parameters
    ----------
    is_positive : ndarray of shape (n_rows,), bool
        Class of every row, both of them present.
    scores : ndarray of shape (n_rows,), float
        How strongly a model takes each row for positive.

    Returns
    -------
    ndarray of shape (n_rows,), float64
        A row of n_c in its class, of N in all, has L + (v - L) N / n_c, with L the mean, and v what
        its V10 or V01 (see `delong_test`) lacks to 1.  Covariances of their means are those of
        DeLong, with n_c in place of n_c - 1.

    Examples
    --------
    >>> area_losses(np.array([True, True, False, False]), np.array([3.0, 1.0, 2.0, 0.0])).tolist()
    [-0.25, 0.75, 0.75, -0.25]
    """
    lacking = np.empty(len(scores))
    components = _components(is_positive, scores)
    for rows, beaten in zip((is_positive, ~is_positive), components, strict=True):
        loss = 1 - beaten.mean()
        lacking[rows] = loss + (1 - beaten - loss) * (len(scores) / len(beaten))
    return lacking


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
    positive : str, default=""
        The positive class; empty where that is not known.

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
    positive: str = ""

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
        vertices = _upper_hull((*self.vertices, *new))
        return replace(self, n=len(points), points=points, vertices=vertices)

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
        way_out = "slope_of_costs makes it from costs and the share of positives."
        check_number(slope, "slope of RocHull.optimal", low=0, way_out=way_out)
        gains = [point.tpr - slope * point.fpr for point in self.vertices]
        return self.vertices[int(np.argmax(tied_values(gains, 1 + slope)))]

    def rows(self) -> list[tuple[str, str]]:
        """Return what `str` shows, as pairs of a short label and a text."""
        can_be_best = self.potentially_optimal
        others = [p.name for p in self.points if p.name not in can_be_best]
        corners = [
            (point.name, f"fpr {number(point.fpr)}, tpr {number(point.tpr)}")
            for point in self.vertices
        ]
        return [
            *([("positive class", self.positive)] if self.positive else []),
            ("can be best", ", ".join(can_be_best) or "none"),
            ("never best", ", ".join(dict.fromkeys(others)) or "none"),
            *corners,
            ("area", number(self.area)),
            ("n", f"{self.n} points"),
        ]

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
        return printable(f"RocHull({names}; area = {number(self.area)})")

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
    vertices = _upper_hull((ALL_NEGATIVE, ALL_POSITIVE, *given))
    return RocHull(procedure="ROC convex hull", n=len(given), points=given, vertices=vertices)


def roc_hull(
    is_positive: ArrayLike, scores: ArrayLike, *, names: Names = None, positive: str = ""
) -> RocHull:
    """Return the convex hull of the ROC curves of K fitted classifiers on one test set.

    Parameters
    ----------
    is_positive : array-like of shape (n_rows,), bool or 0 and 1
        Class of every row.
    scores : array-like of shape (n_rows, n_learners), float
        How strongly each learner takes each row for positive.
    names : sequence of str, optional
        Names of the learners; required with more learners than rows. Learner 1, learner 2, ... if
        left out.
    positive : str, default=""
        What the positive class is called.

    Returns
    -------
    RocHull
        Learners with no point on it are best for no costs and no class shares [1]_.

    Raises
    ------
    DesignError
        If a class is missing, or scores do not pair or are not finite.
    InvalidArgumentError
        If the names do not fit.

    References
    ----------
    .. [1] Provost & Fawcett (2001), Robust classification for imprecise environments,
       Machine Learning 42(3).

    Examples
    --------
    >>> roc_hull([1, 0, 1, 0], [[4, 1], [3, 3], [2, 2], [1, 4]]).potentially_optimal
    ('learner 1',)
    """
    table, labels = learner_table(scores, "scores of roc_hull", row="row", names=names)
    curves = [roc_curve_points(is_positive, column)[:2] for column in table.T]
    hull = roc_convex_hull((name, *curve) for name, curve in zip(labels, curves, strict=True))
    return replace(hull, positive=positive, assumptions=(FIXED_MODELS, OWN_ROWS))


HULL = Procedure(
    name="roc-hull",
    title="ROC convex hull",
    question="Which of K fitted classifiers can be best for some costs and class shares?",
    takes="many-rankings",
    run=roc_hull,
    aliases=("rocch", "roc-convex-hull"),
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
        outside = values[(values < 0) | (values > 1)]
        if outside.size:
            raise DesignError(
                f"{what} of {name} must be rates from 0 to 1; got {outside[0]:g}. "
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
