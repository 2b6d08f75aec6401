import numpy as np
import pytest

from bestofk.errors import InvalidArgumentError
from bestofk.report.axis_ranges import near_range
from bestofk.report.plots import DifferencesDisplay
from bestofk.report.plots.drawing import difference_text
from bestofk.verdict import Pair


def pair(first, second, difference, finding, answer):
    return Pair(
        first, second, difference, difference - 0.02, difference + 0.04, 0.0, 3.0, 0.5, 0.5,
        finding, False, answer,
    )  # fmt: skip


PAIRS = [
    pair("1nn", "logistic", 0.04, "logistic is better", "better"),
    pair("logistic", "cart", -0.01, "undecided", "undecided"),
    pair("logistic", "nearest-mean", 0.03, "nearest-mean is better", "better"),
    pair("majority", "logistic", 0.005, "practically equivalent", "practically equivalent"),
    pair("cart", "1nn", 9.0, "1nn is better", "better"),
]


def display_of(make, **changes):
    return DifferencesDisplay.from_findings(make(verdict={"pairs": PAIRS, **changes}))


def test_differences_are_learner_minus_pick_with_the_answer_about_the_learner(make):
    frame = display_of(make).to_frame().set_index("learner")
    assert list(frame.index) == ["logistic", "cart", "1nn", "nearest-mean", "majority"]
    assert frame["answer"].tolist() == ["pick", "can't tell", "worse", "better", "about the same"]
    np.testing.assert_allclose(frame["difference"], [0, 0.01, 0.04, -0.03, 0.005])
    np.testing.assert_allclose(frame["low"], [np.nan, -0.03, 0.02, -0.07, -0.015])
    np.testing.assert_allclose(frame["high"], [np.nan, 0.03, 0.08, -0.01, 0.045])


def test_a_measure_of_which_more_is_better_turns_losses_into_scores(make):
    from tests.unit.report.given_findings import measure

    findings = make(verdict={"pairs": PAIRS}, measure=measure("accuracy"))
    frame = DifferencesDisplay.from_findings(findings).to_frame().set_index("learner")
    assert frame.loc["1nn", "difference"] == pytest.approx(-0.04)
    assert frame.loc["1nn", "answer"] == "worse"
    np.testing.assert_allclose(frame.loc["1nn", ["low", "high"]].astype(float), [-0.08, -0.02])


def test_a_baseline_without_a_pair_has_a_difference_and_no_interval(make):
    order = ["logistic", "cart", "1nn", "nearest-mean"]
    means = {"logistic": 0.05, "cart": 0.06, "1nn": 0.09, "nearest-mean": 0.13}
    display = display_of(
        make, order=order, means=means, baselines={"majority": {"logistic": True}},
        pairs=[PAIRS[0], PAIRS[1], PAIRS[2]],
    )  # fmt: skip
    row = display.to_frame().set_index("learner").loc["majority"]
    assert row["answer"] == "worse"
    assert row["difference"] == pytest.approx(0.6167)
    assert np.isnan(row["low"])


def test_a_third_of_the_learners_at_most_is_cut_off_behind_a_wide_gap():
    assert near_range([0.1, 0.9]) == 0.9
    assert near_range([0.1, 0.2, 0.9]) == 0.2
    assert near_range([0.1, 0.8, 0.9]) == 0.9
    assert near_range([0.1, 0.2, 0.3, 0.4, 1.21, 1.3]) == 0.4
    assert near_range([0.1, np.nan, np.inf]) == 0.1
    assert near_range([]) == 0.0


def test_differences_of_rates_are_points():
    assert difference_text(0.215, "error rate") == "+21.5"
    assert difference_text(-0.00043, "accuracy") == "-0.043"
    assert difference_text(0.0, "error rate") == "0"
    assert difference_text(0.0123, "AUROC") == "+0.012"


def test_a_comparison_without_a_pick_is_refused(make):
    with pytest.raises(InvalidArgumentError, match="must hold a pick and another learner; got no"):
        display_of(make, best=None)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"answers": ["maybe"]}, "answers must be better, about the same.*got maybe"),
        ({"lows": []}, "lows, highs and answers must be 1 each; got 0, 1 and 1"),
    ],
)
def test_answers_and_limits_that_do_not_fit_are_refused(changes, message):
    usual = {"differences": [0.1], "lows": [0.0], "highs": [0.2], "answers": ["worse"]}
    with pytest.raises(InvalidArgumentError, match=message):
        DifferencesDisplay(["a"], **usual | changes, pick="p", measure_title="error rate")
