"""Displays of what runs cost, which classes they confuse, and how sure they are."""

from types import SimpleNamespace

import numpy as np
import pytest

from bestofk.errors import DesignError, InvalidArgumentError
from bestofk.measures import PredictionBatch
from bestofk.report.plots import CalibrationDisplay, ConfusionDisplay, TimesDisplay


def test_times_are_those_of_the_findings_in_the_order_of_the_verdict(make):
    findings = make()
    frame = TimesDisplay.from_comparison(SimpleNamespace(findings=findings)).to_frame()
    ordered = findings.ordered()
    assert frame["learner"].tolist() == [learner.name for learner in ordered]
    assert frame["train_seconds"].tolist() == [learner.fit_seconds for learner in ordered]


def test_the_axis_of_times_has_whole_powers_of_ten_around_all_learners():
    display = TimesDisplay(
        ["a", "b"], [0.02, np.nan], [0.0005, 0.03], [0.1, 0.2], measure_title="error rate"
    ).plot()
    low, high = display.ax_.get_xlim()
    assert low < 1e-4 < 1e-1 < high
    labels = [text.get_text() for text in display.ax_.get_xticklabels()]
    assert labels == ["100 µs", "1 ms", "10 ms", "100 ms"]


@pytest.mark.parametrize("train", [[0.1], [0.1, -1.0], [0.1, np.inf]])
def test_times_must_be_known_and_not_negative(train):
    with pytest.raises(InvalidArgumentError, match="train_seconds must be 2 numbers from 0"):
        TimesDisplay(["a", "b"], train, [0.1, 0.1], [0.1, 0.2], measure_title="error")


def test_shares_of_a_confusion_are_of_the_true_class():
    display = ConfusionDisplay([[6, 3, 1], [0, 0, 0], [5, 0, 15]], ["a", "b", "c"], learner="lda")
    np.testing.assert_allclose(display.shares, [[0.6, 0.3, 0.1], [0, 0, 0], [0.25, 0, 0.75]])
    frame = display.to_frame()
    assert frame.query("true == 'c' and predicted == 'a'")["count"].item() == 5
    # 9 of 30 rows are wrong; 3 of the 10 rows of a are the largest share
    assert display.says() == ("lda: 30% wrong; most often 'a' is taken for 'b' (30% of its rows)")


@pytest.mark.parametrize("counts", [[[1, 2]], [[0, 0], [0, 0]], [[1, -1], [0, 2]], [1, 2]])
def test_counts_of_a_confusion_must_be_a_square_of_numbers(counts):
    with pytest.raises(DesignError, match="counts must be a square table"):
        ConfusionDisplay(counts, ["a", "b"], learner="lda")


def test_a_confusion_of_an_unknown_learner_is_refused(make):
    with pytest.raises(InvalidArgumentError, match=r"predicts classes; got 'who'\. Learners"):
        ConfusionDisplay.from_findings(make(), learner="who")


def predictions(probabilities, came_true):
    shares = None if probabilities is None else np.column_stack([1 - probabilities, probabilities])
    true = np.array(came_true)
    return PredictionBatch(true, true, np.array([0, len(true)]), np.array(["no", "yes"]), shares)


def test_bins_of_a_calibration_hold_means_and_learners_without_probabilities_have_none():
    sure = predictions(np.array([0.1, 0.2, 0.6, 0.7, 0.9, 1.0]), [0, 1, 0, 1, 1, 1])
    both = {"lda": sure, "svm": predictions(None, [0, 1])}
    display = CalibrationDisplay.from_predictions(both, 1, n_bins=2)
    assert list(display.curves) == ["lda"]
    np.testing.assert_allclose(display.curves["lda"], [[0.15, 0.5, 2], [0.8, 0.75, 4]])
    assert display.mean_gap("lda") == pytest.approx((2 * 0.35 + 4 * 0.05) / 6)
    assert display.to_frame()["rows"].tolist() == [2, 4]
    assert display.event == "the class is 'yes'"


def test_bins_must_be_shares():
    with pytest.raises(InvalidArgumentError, match="curve of 'a' must be bins of a probability"):
        CalibrationDisplay({"a": [[0.2, 1.3, 5]]}, event="it rains")
    with pytest.raises(InvalidArgumentError, match="curves must have at least one learner"):
        CalibrationDisplay({}, event="it rains")
