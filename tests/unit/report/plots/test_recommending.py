"""Pictures of recommending: losses by tests and by seconds, by data set, and ranks."""

import numpy as np
import pytest
from tests.unit.report.plots.written import headline_of

from bestofk.errors import DesignError, InvalidArgumentError
from bestofk.recommendation.fixed_orders import AverageRanking
from bestofk.recommendation.history import History
from bestofk.recommendation.leave_one_out import leave_one_out
from bestofk.recommendation.loss_time import LossTimeCurve, Window
from bestofk.report.plots import (
    IntervalLossesDisplay,
    LossCurveDisplay,
    LossTimeCurveDisplay,
    MeanRanksDisplay,
)

NAN = float("nan")
# by score the slow first learner leads, for its time the fast last one
HISTORY = History.from_arrays(
    [[0.9, 0.85, 0.7], [0.8, 0.82, 0.6], [0.75, 0.7, 0.65]],
    [[2.0, 1.0, 0.1], [5.0, 4.0, 0.2], [20.0, 8.0, 0.1]],
    learners=["svm", "cart", "1nn"],
    default_scores=[0.5, 0.5, 0.5],
)
WINDOW = Window.of(1, 100)


@pytest.fixture(scope="module")
def followed():
    return leave_one_out(HISTORY, [AverageRanking(0), AverageRanking(1 / 4)], window=WINDOW)


def test_the_loss_curve_holds_mean_and_quartiles_after_each_test(followed):
    frame = LossCurveDisplay.from_losses(followed).to_frame()
    assert frame["method"].unique().tolist() == list(followed.titles)
    assert frame["n_tests"].tolist() == [1, 2, 3] * 2
    after = 100 * followed.losses_after_tests()
    np.testing.assert_allclose(frame["mean_loss"], after[:, :, 1:].mean(axis=1).ravel())
    first = frame.iloc[0]
    low, high = np.quantile(after[0, :, 1], [0.25, 0.75])
    assert (first["lower_quartile"], first["upper_quartile"]) == pytest.approx((low, high))


def test_the_default_level_is_the_mean_loss_before_any_test(followed):
    by_tests, by_time = (
        kind.from_losses(followed) for kind in (LossCurveDisplay, LossTimeCurveDisplay)
    )
    assert by_tests.default_level == pytest.approx(100 * (0.4 + 0.32 + 0.25) / 3)
    assert by_time.default_level == pytest.approx(by_tests.default_level)


def test_the_loss_time_curve_holds_the_mean_of_the_curves_from_a_decade_before_the_window(followed):
    display = LossTimeCurveDisplay.from_losses(followed)
    frame = display.to_frame()
    assert (frame["seconds"].min(), frame["seconds"].max()) == pytest.approx((0.1, 100))
    for method, curves in zip(followed.titles, followed.curves, strict=True):
        own = frame[frame["method"] == method]
        moments = own["seconds"].to_numpy()
        mean = np.mean([100 * curve.at(moments) for curve in curves], axis=0)
        np.testing.assert_allclose(own["mean_loss"], mean)
    np.testing.assert_allclose(display.interval_losses().T, 100 * followed.losses)


def test_interval_losses_are_told_in_percentage_points_with_mean_and_median(followed):
    display = IntervalLossesDisplay.from_losses(followed)
    frame = display.to_frame()
    np.testing.assert_allclose(frame["mean"], 100 * followed.losses.mean(axis=0))
    np.testing.assert_allclose(frame["median"], 100 * np.median(followed.losses, axis=0))
    np.testing.assert_allclose(frame["largest"], 100 * followed.losses.max(axis=0))
    assert frame["n_data_sets"].tolist() == [3, 3]
    diamonds = [line for line in display.plot().ax_.lines if line.get_marker() == "D"]
    np.testing.assert_allclose(diamonds[0].get_xdata(), frame["mean"])


def test_losses_that_are_negative_missing_or_of_another_shape_are_refused():
    with pytest.raises(DesignError, match=r"losses must be numbers from 0 in 2 dimensions"):
        IntervalLossesDisplay([0.1, 0.2], ["a", "b"])
    with pytest.raises(DesignError, match=r"got shape \(1, 2\), lowest -0.1"):
        IntervalLossesDisplay([[0.1, -0.1]], ["a", "b"])
    with pytest.raises(DesignError, match=r"losses must be numbers from 0"):
        IntervalLossesDisplay([[0.1, NAN]], ["a", "b"])
    with pytest.raises(DesignError, match=r"shape \(1, 1, 2\) for 2 data sets and 2 points"):
        LossCurveDisplay([[[0.1, 0.0]]], [1, 2], ["a"], default_losses=[0.4, 0.4])
    with pytest.raises(InvalidArgumentError, match="names must be 1 different ones"):
        LossCurveDisplay([[[0.1, 0.0]]], [1, 2], ["a", "b"], default_losses=[0.4])
    assert IntervalLossesDisplay([[-1e-17]], ["a"]).losses.tolist() == [[0.0]]


def test_methods_with_different_numbers_of_curves_are_refused():
    curve = LossTimeCurve.of_tests([0.7], [20], default_score=0.5)
    with pytest.raises(DesignError, match=r"as many for every method.*got 1 for a, 2 for b"):
        LossTimeCurveDisplay({"a": [curve], "b": [curve, curve]}, WINDOW)
    with pytest.raises(DesignError, match="got none"):
        LossTimeCurveDisplay({}, WINDOW)


def test_mean_ranks_come_best_first_with_the_spread_of_their_ranks():
    frame = MeanRanksDisplay.from_history(HISTORY).to_frame()
    assert frame["learner"].tolist() == ["svm", "cart", "1nn"]
    assert frame["mean_rank"].round(3).tolist() == [1.333, 1.667, 3.0]
    assert frame["median"].tolist() == [1, 2, 3]
    assert frame["upper_quartile"].tolist() == [1.5, 2, 3]
    assert frame["n_data_sets"].tolist() == [3, 3, 3]
    by_time = MeanRanksDisplay.from_history(HISTORY, power=1 / 4).to_frame()
    assert by_time["learner"].tolist() == ["1nn", "cart", "svm"]


def test_a_learner_without_a_rank_comes_last_and_only_the_best_are_drawn():
    display = MeanRanksDisplay([[NAN, 2, 1], [NAN, 1, 2], [NAN, 2, 1]], ["a", "b", "c"], n_shown=2)
    frame = display.to_frame()
    assert frame["learner"].tolist() == ["c", "b", "a"]
    assert np.isnan(frame["mean_rank"].iloc[2])
    assert frame["n_data_sets"].tolist() == [3, 3, 0]
    drawn = display.plot()
    assert [label.get_text() for label in drawn.ax_.get_yticklabels()] == ["c", "b"]
    assert headline_of(drawn) == "The best 2 of 3 learners on 3 data sets"
    MeanRanksDisplay([[NAN, 2, 1]] * 3, ["a", "b", "c"]).plot().figure_.canvas.draw()


def test_ranks_that_are_no_table_or_of_which_none_is_shown_are_refused():
    with pytest.raises(DesignError, match=r"ranks must be a table .* got shape \(2,\)"):
        MeanRanksDisplay([1, 2], ["a", "b"])
    with pytest.raises(InvalidArgumentError, match="n_shown must be at least 1; got 0"):
        MeanRanksDisplay([[1, 2]], ["a", "b"], n_shown=0)
