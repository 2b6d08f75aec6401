"""Loss-time curves: hand-computed pieces, plain loops, and many orders at once."""

import math

import hypothesis.strategies as st
import numpy as np
import pytest
from hypothesis import given
from hypothesis.extra.numpy import arrays

from bestofk.errors import InvalidArgumentError
from bestofk.recommendation.loss_time import (
    SHORTEST_SECONDS,
    USUAL_WINDOW,
    LossTimeCurve,
    Window,
    interval_losses,
)

NAN = float("nan")
# first data set of the tables in test_average_ranking, in the order 1, 4, 0, 2, 3
WORKED = LossTimeCurve.of_tests(
    [0.85, 0.95, 0.9, 0.85, 0.7], [1.0, 2000.0, 2.0, 20.0, 0.1], default_score=0.55
)
windows = st.tuples(st.floats(-2, 3), st.floats(0.1, 3)).map(
    lambda pair: Window.of(10 ** pair[0], 10 ** (pair[0] + pair[1]))
)


def plain_loss(scores, seconds, default, best, window):
    """Walk through the tests and add up what lies in the window."""
    low, high = math.log10(window.first), math.log10(window.last)
    total, clock, reached = 0.0, 0.0, default
    pieces = []
    for score, duration in zip(scores, seconds, strict=True):
        end = clock + max(duration, SHORTEST_SECONDS)
        pieces.append((clock, end, best - reached))
        clock, reached = end, reached if math.isnan(score) else max(reached, score)
    pieces.append((clock, math.inf, best - reached))
    for start, end, loss in pieces:
        start, end = max(start, window.first), min(end, window.last)
        if end > start:
            total += loss * (math.log10(end) - math.log10(start))
    return total / (high - low)


@st.composite
def orders(draw):
    n_orders, n_tests = draw(st.integers(1, 4)), draw(st.integers(0, 5))
    scores = draw(
        arrays(float, (n_orders, n_tests), elements=st.sampled_from([NAN, 0.2, 0.5, 0.9]))
    )
    seconds = draw(
        arrays(float, (n_orders, n_tests), elements=st.sampled_from([NAN, 0.001, 0.5, 9.0, 990.0]))
    )
    defaults = draw(arrays(float, n_orders, elements=st.sampled_from([0.1, 0.6])))
    return scores, seconds, defaults


def test_the_worked_example_by_hand():
    assert WORKED.seconds.tolist() == [0.0, 1.0, 2001.0]
    np.testing.assert_allclose(WORKED.losses, [0.4, 0.1, 0.0], rtol=0, atol=1e-15)
    # a loss of 0.1 from 10 to 2001 of 10 to 10000 seconds
    expected = 0.1 * math.log10(2001 / 10) / 3
    assert WORKED.mean_interval_loss() == pytest.approx(expected, abs=1e-15)
    assert WORKED.mean_interval_loss() == pytest.approx(0.076708, abs=5e-7)
    # 10**1, 10**1.1 ... 10**3.3 are 24 of 31 points
    assert WORKED.mean_at_points() == pytest.approx(24 / 31 * 0.1, abs=1e-15)


def test_a_test_counts_from_the_moment_it_ends():
    losses = WORKED.at([-1.0, 0.0, 0.999, 1.0, 2000.9, 2001.0, 1e9])
    np.testing.assert_allclose(losses, [0.4, 0.4, 0.4, 0.1, 0.1, 0.0, 0.0], rtol=0, atol=1e-15)


def test_a_test_that_ends_with_the_window_is_one_point_and_no_piece():
    curve = LossTimeCurve.of_tests([0.9], [10_000.0], default_score=0.5)
    assert curve.mean_interval_loss() == pytest.approx(0.4)
    assert curve.mean_at_points() == pytest.approx(30 / 31 * 0.4)


def test_a_test_that_ends_before_the_window_counts_from_its_start():
    curve = LossTimeCurve.of_tests([0.8, 0.9], [9.0, 91.0], default_score=0.5)
    assert curve.mean_interval_loss() == pytest.approx(0.1 / 3)


def test_no_test_in_the_window_leaves_the_loss_of_the_default():
    curve = LossTimeCurve.of_tests([0.9], [20_000.0], default_score=0.5)
    assert curve.mean_interval_loss() == pytest.approx(0.4)
    assert LossTimeCurve.of_tests([], [], default_score=0.5).mean_interval_loss() == 0.0


@pytest.mark.parametrize(
    ("scores", "durations", "seconds", "losses"),
    [
        # failures cost their time and equal scores are no step
        ([NAN, 0.8, 0.8, 0.7], [1, 2, 3, 4], [0.0, 3.0], [0.2, 0.0]),
        # a test without a time was not done
        ([0.8, 0.95, 0.9], [1.0, NAN, 2.0], [0.0, 1.0, 3.0], [0.3, 0.1, 0.0]),
        # times of zero count as a millisecond
        ([0.7, 0.8], [0.0, 0.0], [0.0, 0.001, 0.002], [0.2, 0.1, 0.0]),
    ],
)
def test_steps_by_hand(scores, durations, seconds, losses):
    curve = LossTimeCurve.of_tests(scores, durations, default_score=0.6)
    assert curve.seconds.tolist() == seconds
    np.testing.assert_allclose(curve.losses, losses, atol=1e-15)


def test_a_loss_is_held_against_the_best_there_is():
    curve = LossTimeCurve.of_tests([0.7], [1.0], default_score=0.5, best_score=0.9)
    np.testing.assert_allclose(curve.losses, [0.4, 0.2])
    assert curve.mean_interval_loss() == pytest.approx(0.2)


def test_points_begin_and_end_with_the_window():
    curve = LossTimeCurve.of_tests([0.9], [4.9], default_score=0.5)
    # 1 to 5 seconds is 0.699 decades: 8 points, the last one at 5 seconds
    assert curve.mean_at_points(Window.of(1, 5)) == pytest.approx(7 / 8 * 0.4)
    assert curve.mean_at_points(Window.of(4.8, 4.9)) == pytest.approx(0.2)


def test_a_frame_has_one_row_per_step():
    frame = WORKED.to_frame()
    assert list(frame.columns) == ["seconds", "loss"]
    assert frame["seconds"].tolist() == [0.0, 1.0, 2001.0]


@given(orders(), windows)
def test_many_orders_at_once_are_plain_walks_one_by_one(drawn, window):
    scores, seconds, defaults = drawn
    best = np.array([np.nanmax([d, *row]) for d, row in zip(defaults, scores, strict=True)])
    together = interval_losses(scores, seconds, defaults, best, window)
    for i, loss in enumerate(together):
        is_done = ~np.isnan(seconds[i])
        walked = plain_loss(scores[i][is_done], seconds[i][is_done], defaults[i], best[i], window)
        curve = LossTimeCurve.of_tests(
            scores[i], seconds[i], default_score=defaults[i], best_score=best[i]
        )
        assert loss == pytest.approx(walked, abs=1e-12)
        assert curve.mean_interval_loss(window) == pytest.approx(walked, abs=1e-12)


@given(orders(), windows, st.floats(-0.1, 0.1))
def test_a_constant_added_to_all_scores_changes_no_loss(drawn, window, constant):
    scores, seconds, defaults = drawn
    best = np.full(len(scores), 0.95)
    before = interval_losses(scores, seconds, defaults, best, window)
    after = interval_losses(
        scores + constant, seconds, defaults + constant, best + constant, window
    )
    np.testing.assert_allclose(after, before, rtol=0, atol=1e-12)


@given(orders(), windows, st.floats(0.1, 100))
def test_a_factor_of_times_and_window_changes_no_loss(drawn, window, factor):
    scores, seconds, defaults = drawn
    best = np.full(len(scores), 0.95)
    longer = Window.of(window.first * factor, window.last * factor)
    np.testing.assert_allclose(
        interval_losses(scores, seconds * factor, defaults, best, longer),
        interval_losses(scores, seconds, defaults, best, window),
        rtol=0,
        atol=1e-9,
    )


def test_the_usual_window_is_that_of_the_paper():
    assert Window.of(10, 10_000) == USUAL_WINDOW


@pytest.mark.parametrize(
    "ends", [(0, 10), (-1, 10), (10, 10), (10, 1), (1, math.inf), (NAN, 1), (1, NAN), ("a", 1)]
)
def test_a_window_must_begin_above_0_and_end_later(ends):
    with pytest.raises(InvalidArgumentError, match="window must be two times in seconds"):
        Window.of(*ends)


def test_scores_and_times_must_be_as_many():
    with pytest.raises(InvalidArgumentError, match=r"seconds of a loss-time curve must be as many"):
        LossTimeCurve.of_tests([0.7], [1.0, 2.0], default_score=0.5)
