import numpy as np
import pytest

from bestofk.errors import DesignError, InvalidArgumentError
from bestofk.inference import roc_convex_hull, roc_curve_points, slope_of_costs

POINTS = [("A", 0.1, 0.5), ("B", 0.2, 0.65), ("C", 0.3, 0.68), ("D", 0.5, 0.9), ("E", 0.4, 0.5)]


def names(hull: object) -> list[str]:
    return [point.name for point in hull.vertices]


def test_five_points_by_hand() -> None:
    hull = roc_convex_hull(POINTS)
    assert names(hull) == ["all-negative", "A", "B", "D", "all-positive"]
    assert hull.area == pytest.approx(0.79)
    assert hull.slopes == pytest.approx((5, 1.5, 0.25 / 0.3, 0.2))
    assert hull.potentially_optimal == ("A", "B", "D")


def test_points_added_one_by_one_give_the_same_hull() -> None:
    hull = roc_convex_hull([])
    assert (names(hull), hull.area) == (["all-negative", "all-positive"], 0.5)
    for name, fpr, tpr in reversed(POINTS):
        hull = hull.add(name, fpr, tpr)
    assert hull.vertices == roc_convex_hull(POINTS).vertices
    assert hull.n == 5
    assert roc_convex_hull(POINTS).vertices == hull.vertices


def test_a_slope_selects_a_corner() -> None:
    hull = roc_convex_hull(POINTS)
    results = [hull.optimal(slope).name for slope in (0, 0.1, 0.5, 1, 2, 6)]
    assert results == ["all-positive", "all-positive", "D", "B", "A", "all-negative"]
    # Where two corners are equally good, the one with fewer false positives.
    assert hull.optimal(hull.slopes[1]).name == "A"


def test_costs_and_shares_make_the_slope() -> None:
    assert slope_of_costs(1, 1, share_positive=0.5) == 1
    assert slope_of_costs(2, 10, share_positive=0.1) == pytest.approx(1.8)
    assert slope_of_costs(0, 1, share_positive=0.5) == 0


def test_points_on_a_side_can_be_optimal_too() -> None:
    hull = roc_convex_hull([("A", 0.2, 0.6), ("B", 0.6, 0.8), ("AB", 0.4, 0.7), ("twin", 0.2, 0.6)])
    assert names(hull) == ["all-negative", "A", "all-positive"]
    assert hull.potentially_optimal == ("A", "B", "AB", "twin")


def test_a_perfect_classifier_leaves_no_other() -> None:
    hull = roc_convex_hull([*POINTS, ("perfect", 0, 1)])
    assert names(hull) == ["all-negative", "perfect", "all-positive"]
    assert (hull.area, hull.slopes) == (1, (np.inf, 0))
    assert hull.potentially_optimal == ("perfect",)
    assert hull.optimal(3).name == "perfect"


def test_worse_than_guessing_is_below_the_hull() -> None:
    assert roc_convex_hull([("bad", 0.5, 0.2)]).potentially_optimal == ()


def test_the_points_at_the_ends_keep_their_names() -> None:
    hull = roc_convex_hull([("never", 0, 0), ("always", 1, 1)])
    assert names(hull) == ["all-negative", "all-positive"]
    assert hull.potentially_optimal == ("never", "always")


def test_whole_curves_can_be_given() -> None:
    fpr, tpr, _ = roc_curve_points([1, 1, 0, 0], [4, 2, 3, 1])
    hull = roc_convex_hull([("curve", fpr, tpr)])
    assert (hull.n, hull.area) == (5, 0.875)
    assert hull.potentially_optimal == ("curve",)


def test_the_curve_steps_once_for_equal_scores() -> None:
    fpr, tpr, threshold = roc_curve_points([True, False, True, False], [4, 3, 3, 1])
    assert fpr.tolist() == [0, 0, 0.5, 1]
    assert tpr.tolist() == [0, 0.5, 1, 1]
    assert threshold.tolist() == [np.inf, 4, 3, 1]


def test_text_and_table_list_the_corners() -> None:
    hull = roc_convex_hull(POINTS)
    assert repr(hull) == "RocHull(all-negative, A, B, D, all-positive; area = 0.79)"
    assert "fpr 0.1, tpr 0.5" in str(hull)
    frame = hull.to_frame()
    assert frame["name"].tolist() == names(hull)
    assert frame["slope_to_next"].tolist()[:-1] == list(hull.slopes)


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


def test_the_ends_that_every_curve_has_do_not_make_it_optimal() -> None:
    good = ("good", [0.0, 0.1, 1.0], [0.0, 0.9, 1.0])
    poor = ("poor", [0.0, 0.5, 1.0], [0.0, 0.6, 1.0])
    assert roc_convex_hull([good, poor]).potentially_optimal == ("good",)
