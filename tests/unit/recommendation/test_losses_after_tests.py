"""Losses after each number of tests, whatever their times."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from bestofk.recommendation.fixed_orders import AverageRanking
from bestofk.recommendation.history import History
from bestofk.recommendation.leave_one_out import leave_one_out
from bestofk.recommendation.loss_time import Window

NAN = float("nan")


def test_losses_fall_from_that_of_the_default_to_none():
    # the others rank 0, 1, 2 for the first and the last data set, 0 and 1 alike for the second
    scores = [[0.7, 0.85, 0.9], [0.9, 0.8, 0.6], [0.9, 0.8, 0.6]]
    history = History.from_arrays(scores, default_scores=[0.5, 0.5, 0.4])
    after = leave_one_out(history, [AverageRanking(0)]).losses_after_tests()
    assert after.shape == (1, 3, 4)
    np.testing.assert_allclose(after[0, 0], [0.4, 0.2, 0.05, 0.0], atol=1e-12)
    np.testing.assert_allclose(after[0, 2], [0.5, 0.0, 0.0, 0.0], atol=1e-12)


def test_the_last_loss_stays_where_the_window_was_over():
    history = History.from_arrays([[0.9, 0.8, 0.7], [0.7, 0.8, 0.9]], [[50.0, 50.0, 50.0]] * 2)
    losses = leave_one_out(history, [AverageRanking(0)], window=Window.of(1, 20))
    np.testing.assert_allclose(losses.losses_after_tests()[0, 1], [0.2, 0.2, 0.2, 0.2])


def test_a_failed_test_lowers_nothing():
    history = History.from_arrays([[0.9, 0.8], [NAN, 0.8]], [[1.0, 1.0]] * 2, default_scores=[0, 0])
    after = leave_one_out(history, [AverageRanking(0)]).losses_after_tests()
    np.testing.assert_allclose(after[0, 1], [0.8, 0.8, 0.0], atol=1e-12)


@given(st.integers(0, 10_000))
def test_each_loss_is_the_best_there_is_minus_the_best_so_far(seed):
    rng = np.random.default_rng(seed)
    scores = rng.integers(0, 8, (4, 5)) / 10
    defaults = rng.integers(0, 8, 4) / 10
    losses = leave_one_out(
        History.from_arrays(scores, default_scores=defaults), [AverageRanking(0)]
    )
    after = losses.losses_after_tests()[0]
    for i, order in enumerate(losses.orders[0]):
        best = max(defaults[i], *scores[i])
        for n in range(6):
            so_far = max([defaults[i], *scores[i][list(order[:n])]])
            assert abs(after[i, n] - (best - so_far)) < 1e-12
