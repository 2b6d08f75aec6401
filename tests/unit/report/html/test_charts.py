import re

import numpy as np
from tests.unit.report.test_html_page import Reader

from bestofk.report.html.drawings import ClassCurves, class_charts, value_charts

STRAIGHT = np.array([[0.0, 0.0], [1.0, 1.0]])


def points_of(text: str, kind: str) -> list[list[float]]:
    path = re.search(rf'class="{kind}[^"]*" d="([^"]*)"', text)[1]
    return [[float(x) for x in part.split()] for part in re.findall(r"[-\d.]+ [-\d.]+", path)]


def test_a_class_has_three_charts_of_its_learners():
    curves = ClassCurves("yes", {"a": STRAIGHT, "b": STRAIGHT}, {"a": STRAIGHT}, {"b": STRAIGHT})
    roc, precision, calibration = class_charts(curves)
    assert 'aria-label="ROC of class yes: a, b"' in roc
    assert 'aria-label="Precision and recall of class yes: a"' in precision
    assert points_of(roc, "curve c0") == [[52, 238], [280, 10]]
    assert 'class="curve c1"' in calibration  # the color of b everywhere
    assert "curve c0" not in calibration
    for chart in (roc, precision, calibration):
        assert Reader(chart).open == []


def test_charts_without_a_learner_are_left_out():
    assert len(class_charts(ClassCurves("yes", {}, {}, {"b": STRAIGHT}))) == 1


def test_values_and_residuals_are_where_they_belong():
    values = np.array([[0.0, 0.0], [10.0, 8.0], [4.0, 6.0]])  # true, predicted
    first, second, third = value_charts("lda", values)
    x, y = np.array(points_of(first, "points c0")).T
    assert np.argsort(x).tolist() == [0, 2, 1]
    assert np.argsort(-y).tolist() == [0, 2, 1]  # down is low
    heights = np.array(points_of(second, "points c0"))[:, 1]
    middle = 10 + 228 / 2
    np.testing.assert_allclose(heights[0], middle)
    np.testing.assert_allclose(heights[1] - middle, middle - heights[2])
    assert heights[1] < middle  # the true value is higher than the predicted one
    bars = [float(top) for top in re.findall(r'class="bar" d="M\S+ \S+ \S+ (\S+)"', third)]
    assert bars[0] == 10 + 228  # no error in the lowest third
    assert bars[1] == bars[2] < bars[0]
