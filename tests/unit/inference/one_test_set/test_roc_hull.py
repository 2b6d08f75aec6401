import numpy as np
import pytest

from bestofk.errors import DesignError, InvalidArgumentError
from bestofk.inference import roc_convex_hull, roc_curve_points, slope_of_costs

POINTS = [("A", 0.1, 0.5), ("B", 0.2, 0.65), ("C", 0.3, 0.68), ("D", 0.5, 0.9), ("E", 0.4, 0.5)]


def names(hull: object) -> list[str]:
    return [point.name for point in hull.vertices]


def test_five_points_by_hand_all_at_once_or_added_one_by_one() -> None:
    hull = roc_convex_hull(POINTS)
    assert names(hull) == ["all-negative", "A", "B", "D", "all-positive"]
    assert hull.area == pytest.approx(0.79)
    assert hull.slopes == pytest.approx((5, 1.5, 0.25 / 0.3, 0.2))
    assert hull.potentially_optimal == ("A", "B", "D")
    assert repr(hull) == "RocHull(all-negative, A, B, D, all-positive; area = 0.79)"
    assert "fpr 0.1, tpr 0.5" in str(hull)
    frame = hull.to_frame()
    assert frame["name"].tolist() == names(hull)
    assert frame["slope_to_next"].tolist()[:-1] == list(hull.slopes)
    grown = roc_convex_hull([])
    assert (names(grown), grown.area) == (["all-negative", "all-positive"], 0.5)
    for name, fpr, tpr in reversed(POINTS):
        grown = grown.add(name, fpr, tpr)
    assert (grown.vertices, grown.n) == (hull.vertices, 5)


def test_a_slope_made_of_costs_and_shares_selects_a_corner() -> None:
    hull = roc_convex_hull(POINTS)
    results = [hull.optimal(slope).name for slope in (0, 0.1, 0.5, 1, 2, 6)]
    assert results == ["all-positive", "all-positive", "D", "B", "A", "all-negative"]
    # Where two corners are equally good, the one with fewer false positives.
    assert hull.optimal(hull.slopes[1]).name == "A"
    assert slope_of_costs(1, 1, share_positive=0.5) == 1
    assert slope_of_costs(2, 10, share_positive=0.1) == pytest.approx(1.8)
    assert slope_of_costs(0, 1, share_positive=0.5) == 0


def test_what_else_can_be_optimal_and_what_cannot() -> None:
    hull = roc_convex_hull([("A", 0.2, 0.6), ("B", 0.6, 0.8), ("AB", 0.4, 0.7), ("twin", 0.2, 0.6)])
    assert names(hull) == ["all-negative", "A", "all-positive"]
    assert hull.potentially_optimal == ("A", "B", "AB", "twin")
    hull = roc_convex_hull([*POINTS, ("perfect", 0, 1)])
    assert names(hull) == ["all-negative", "perfect", "all-positive"]
    assert (hull.area, hull.slopes) == (1, (np.inf, 0))
    assert hull.potentially_optimal == ("perfect",)
    assert hull.optimal(3).name == "perfect"
    assert roc_convex_hull([("bad", 0.5, 0.2)]).potentially_optimal == ()
    hull = roc_convex_hull([("never", 0, 0), ("always", 1, 1)])
    assert names(hull) == ["all-negative", "all-positive"]
    assert hull.potentially_optimal == ("never", "always")
    good = ("good", [0.0, 0.1, 1.0], [0.0, 0.9, 1.0])
    poor = ("poor", [0.0, 0.5, 1.0], [0.0, 0.6, 1.0])
    assert roc_convex_hull([good, poor]).potentially_optimal == ("good",)


def test_whole_curves_can_be_given_and_step_once_for_equal_scores() -> None:
    fpr, tpr, _ = roc_curve_points([1, 1, 0, 0], [4, 2, 3, 1])
    hull = roc_convex_hull([("curve", fpr, tpr)])
    assert (hull.n, hull.area) == (5, 0.875)
    assert hull.potentially_optimal == ("curve",)
    fpr, tpr, threshold = roc_curve_points([True, False, True, False], [4, 3, 3, 1])
    assert fpr.tolist() == [0, 0, 0.5, 1]
    assert tpr.tolist() == [0, 0.5, 1, 1]
    assert threshold.tolist() == [np.inf, 4, 3, 1]


def test_bad_input_is_refused() -> None:
    with pytest.raises(DesignError, match=r"tpr of A must be rates from 0 to 1; got 1\.2"):
        roc_convex_hull([("A", 0.1, 1.2)])
    with pytest.raises(DesignError, match="fpr of A must be finite; got nan at row 1"):
        roc_convex_hull([("A", float("nan"), 1)])
    with pytest.raises(DesignError, match="fpr and tpr of A must pair; got 2 and 1"):
        roc_convex_hull([("A", [0.1, 0.2], 1)])
    with pytest.raises(InvalidArgumentError, match=r"slope of RocHull\.optimal must be"):
        roc_convex_hull(POINTS).optimal(-1)
    with pytest.raises(InvalidArgumentError, match="costs of slope_of_costs must be positive"):
        slope_of_costs(1, 0, share_positive=0.5)
    with pytest.raises(InvalidArgumentError, match="share_positive must be"):
        slope_of_costs(1, 1, share_positive=1)
    with pytest.raises(DesignError, match="at least 1 rows of each class"):
        roc_curve_points([1, 1], [0, 1])
    with pytest.raises(DesignError, match=r"one per row \(2 have a class\); got 3"):
        roc_curve_points([1, 0], [0, 1, 2])
