"""Pictures of conditions: noise, costs, few rows of a class hold the numbers of their results."""

from itertools import pairwise

import numpy as np
import pandas as pd
import pytest
from matplotlib.colors import to_hex
from tests.unit.report.plots.written import caption_of

from bestofk import compare
from bestofk.curves.cost import cost_curve
from bestofk.curves.imbalance import imbalance_effect
from bestofk.curves.noise import noise_curve
from bestofk.errors import DesignError, InvalidArgumentError
from bestofk.report.plots import CostCurveDisplay, ImbalanceDisplay, NoiseCurveDisplay
from bestofk.report.plots.drawing import GRAY, curve_marker, curve_style


def noise_display(**options):
    scores = [[0.1, 0.2], [0.2, 0.2], [0.3, np.nan]]
    errors = [[0.01, np.nan], [0.02, np.nan], [0.03, np.nan]]
    return NoiseCurveDisplay(
        [0, 0.1, 0.25], scores, errors, ["$a", "b"], measure_title="error rate", **options
    )


def texts(ax):
    return [text.get_text() for text in ax.texts if text.get_gid() is None]


def test_seven_learners_differ_in_color_and_neighbors_in_dashes_and_marker_and_others_are_gray():
    styles = [curve_style(k) for k in range(7)]
    assert len({style["color"] for style in styles}) == 7
    assert all(a["ls"] != b["ls"] for a, b in pairwise(styles))
    assert all(curve_marker(k) != curve_marker(k + 1) for k in range(6))
    assert (curve_style(7)["color"], curve_marker(7)) == (GRAY, "")


@pytest.mark.parametrize("noisy", ["train", "both"])
def test_a_noise_display_holds_the_numbers_of_the_curves(noisy):
    curves = noise_curve(["1nn", "lda"], "iris", fractions=[0, 0.3], cv="2x3", noisy=noisy)
    display = NoiseCurveDisplay.from_curves(curves)
    expected = curves.to_frame().drop(columns="n_failed")
    pd.testing.assert_frame_equal(display.to_frame(), expected)
    assert display.plot().ax_.get_xlabel() == "rows with another class"
    label = caption_of(display)
    assert ("the test part is clean" in label) == (noisy == "train")


def test_a_noise_curve_has_bars_of_one_standard_error_and_its_own_style():
    ax = noise_display().plot().ax_
    first, second = (line for line in ax.lines if len(line.get_xdata()) == 3)
    np.testing.assert_allclose(first.get_xdata(), [0, 10, 25])
    np.testing.assert_allclose(first.get_ydata(), [0.1, 0.2, 0.3])
    bars = ax.collections[0].get_segments()
    np.testing.assert_allclose(bars[2], [[25, 0.27], [25, 0.33]])
    for style in ("get_color", "get_linestyle", "get_marker"):
        assert getattr(first, style)() != getattr(second, style)()
    assert [label.get_text() for label in ax.get_xticklabels()] == ["0%", "10%", "25%"]


def test_noise_numbers_that_do_not_fit_are_refused():
    with pytest.raises(DesignError, match="must be fractions x learners; got shapes"):
        NoiseCurveDisplay([0, 0.1], [[1.0]], [[1.0]], ["a"], measure_title="error rate")
    with pytest.raises(InvalidArgumentError, match="names must be 1 different ones"):
        NoiseCurveDisplay([0], [[1.0]], [[1.0]], ["a", "b"], measure_title="error rate")
    with pytest.raises(InvalidArgumentError, match="fractions must be a list of finite numbers"):
        NoiseCurveDisplay([], np.empty((0, 1)), np.empty((0, 1)), ["a"], measure_title="x")


@pytest.fixture(scope="module")
def costs():
    result = compare(["majority", "lda", "5nn"], "breast_cancer", cv="1x3", progress=False)
    return cost_curve(result)


def test_a_cost_display_holds_the_curves_and_the_envelope_below_all(costs):
    display = CostCurveDisplay.from_curves(costs)
    assert list(display.curves) == ["majority", "lda", "5nn"]
    positions = np.linspace(0, 1, 101)
    drawn = [np.interp(positions, *curve.T) for curve in display.curves.values()]
    np.testing.assert_allclose(drawn, costs.normalized_costs(positions), atol=1e-12)
    lowest = np.interp(positions, *display.envelope.T)
    np.testing.assert_allclose(lowest, np.min(drawn, axis=0), atol=1e-12)
    frame = display.to_frame()
    assert frame["learner"].unique().tolist() == ["majority", "lda", "5nn", "envelope"]
    assert len(frame) == sum(map(len, display.curves.values())) + len(display.envelope)


@pytest.mark.parametrize(
    "corners", [[], [(0, 0)], [(0, 0), (0.5, 0.1)], [(0, 0), (1, 2)], [(0, 0), (0.6, 0), (0.5, 0),
                (1, 0)], [0, 1]]
)  # fmt: skip
def test_corners_that_are_none_are_refused(corners):
    with pytest.raises(InvalidArgumentError, match="curve of 'a' must be pairs of a probability"):
        CostCurveDisplay({"a": corners}, [(0, 0), (1, 0)], positive="yes", negative="no")


def test_no_learner_is_refused():
    with pytest.raises(InvalidArgumentError, match="curves must have at least one learner"):
        CostCurveDisplay({}, [(0, 0), (1, 0)], positive="yes", negative="no")


ARMS = [("a", "none"), ("a", "over"), ("b", "none"), ("b", "over")]
SMALL_ERRORS = [0.01] * 4


def test_an_imbalance_display_holds_the_numbers_of_the_effect():
    effect = imbalance_effect(["lda", "svm"], "breast_cancer", methods=["none", "over"], cv="2x3")
    display = ImbalanceDisplay.from_effect(effect)
    columns = ["learner", "method", "auroc", "auroc_se", "log_loss", "log_loss_se"]
    pd.testing.assert_frame_equal(display.to_frame(), effect.to_frame()[columns])
    assert (display.learners, display.methods) == (["lda", "svm"], ["none", "over"])
    left, right = display.plot().ax_.child_axes
    assert texts(left) == []
    assert texts(right) == ["no value"]


def dots(ax):
    """Return the places of the dots of each method."""
    return {
        container.get_label(): np.column_stack(container.lines[0].get_data()).tolist()
        for container in ax.containers
    }


def test_every_learner_has_a_dot_for_each_method_in_both_halves_at_one_height():
    display = ImbalanceDisplay(ARMS, [0.9, 0.8, 0.7, 0.6], SMALL_ERRORS, [0.1, 0.2, 0.3, 0.35],
                               SMALL_ERRORS)  # fmt: skip
    left, right = display.plot().ax_.child_axes
    assert list(dots(left)) == ["none", "over"]
    np.testing.assert_allclose(dots(left)["over"], [[0.8, 1 / 6], [0.6, 7 / 6]])
    np.testing.assert_allclose(dots(right)["over"], [[0.2, 1 / 6], [0.35, 7 / 6]])
    assert [label.get_text() for label in left.get_yticklabels()] == ["a", "b"]
    markers = {container.lines[0].get_marker() for container in left.containers}
    colors = {to_hex(container.lines[0].get_color()) for container in left.containers}
    assert (len(markers), len(colors)) == (2, 2)
    assert right.get_xscale() == "linear"


@pytest.mark.parametrize(
    ("losses", "scale"),
    [([0.1, 0.5, 0.2, 0.3], "log"), ([0.1, np.nan, 0.2, 0.3], "linear"), ([0, 1, 2, 3], "linear")],
)
def test_losses_that_differ_much_stand_on_a_logarithmic_axis_that_says_so(losses, scale):
    display = ImbalanceDisplay(ARMS, [0.9] * 4, SMALL_ERRORS, losses, SMALL_ERRORS)
    right = display.plot().ax_.child_axes[1]
    assert right.get_xscale() == scale
    assert ("log scale" in right.get_xlabel()) == (scale == "log")


@pytest.mark.parametrize("arms", [[], ARMS[:3], [*ARMS[:3], ARMS[0]]])
def test_arms_without_a_value_each_are_refused(arms):
    with pytest.raises(DesignError, match="must be one for each learner with each method"):
        ImbalanceDisplay(arms, [0.9] * 4, SMALL_ERRORS, [0.1] * 4, SMALL_ERRORS)
