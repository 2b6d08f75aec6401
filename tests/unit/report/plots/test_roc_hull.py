import numpy as np
import pytest

from bestofk.errors import DesignError, InvalidArgumentError
from bestofk.inference import roc_convex_hull
from bestofk.report.plots import RocHullDisplay

POINTS = [("A", 0.1, 0.5), ("B", 0.2, 0.65), ("C", 0.3, 0.68), ("D", 0.5, 0.9), ("E", 0.4, 0.5)]


def test_the_hull_is_that_of_the_procedure():
    display = RocHullDisplay.from_result(roc_convex_hull(POINTS))
    assert display.on_hull() == ["A", "B", "D"]
    assert display.area() == pytest.approx(0.79)
    assert len(display.to_frame().query("learner == 'hull'")) == 5


def test_curves_come_from_scores_and_have_their_area():
    scores = {"good": [4, 3, 2, 1], "bad": [1, 2, 3, 4], "blind": [1, 1, 1, 1]}
    display = RocHullDisplay.from_scores([1, 1, 0, 0], scores)
    assert [display.area(name) for name in scores] == [1.0, 0.0, 0.5]
    assert display.on_hull() == ["good"]


def test_the_ends_that_all_curves_share_do_not_make_a_learner_best():
    display = RocHullDisplay({"a": [(0, 0), (0.1, 0.9), (1, 1)], "b": [(0, 0), (0.2, 0.3), (1, 1)]})
    assert display.on_hull() == ["a"]


@pytest.mark.parametrize("points", [[], [(0.1, 1.2)], [(0.1, np.nan)], [0.1, 0.2]])
def test_points_that_are_no_rates_are_refused(points):
    with pytest.raises(InvalidArgumentError, match="curve of 'a' must be pairs of a false and a"):
        RocHullDisplay({"a": points})


def test_one_class_alone_has_no_curve():
    with pytest.raises(DesignError, match="is_positive of roc_curve_points must"):
        RocHullDisplay.from_scores([1, 1], {"a": [0.1, 0.2]})
