"""Rules that choose a setting."""

import numpy as np
import pytest

from bestofk.tuning import choose_setting


def test_the_anchor_holds_until_the_winner_is_one_standard_error_better():
    # differences .1, .1, .1, .1, .0: mean .08, sd .0447, times sqrt(1/5 + 1/4): .0300
    default = np.array([0.5, 0.5, 0.5, 0.5, 0.5])
    better = default - [0.1, 0.1, 0.1, 0.1, 0.0]
    assert choose_setting(np.array([default, better]), 0, 5) == 1
    # differences .1, -.1, .1, -.1, .1: mean .02, sd .1095, error .0735
    wavering = default - [0.1, -0.1, 0.1, -0.1, 0.1]
    assert choose_setting(np.array([default, wavering]), 0, 5) == 0
    assert choose_setting(np.array([default, wavering]), 0, 5, rule="best") == 1


def test_differences_that_do_not_spread_keep_the_default():
    default = np.full(5, 0.5)
    assert choose_setting(np.array([default, default - 0.1]), 0, 5) == 0


def test_the_first_of_equals_is_taken():
    losses = np.array([[0.5, 0.4], [0.2, 0.1], [0.1, 0.2]])
    assert choose_setting(losses, 0, 2, rule="best") == 1


def test_a_setting_that_failed_is_not_taken_and_a_default_that_failed_gives_way():
    losses = np.array([[0.5, 0.5, 0.4], [0.1, np.nan, 0.1], [0.4, 0.3, 0.3]])
    assert choose_setting(losses, 0, 3, rule="best") == 2
    losses[0] = np.nan
    assert choose_setting(losses, 0, 3) == 1 or choose_setting(losses, 0, 3) == 2
    assert choose_setting(np.full((2, 3), np.nan), 1, 3) == 1


@pytest.mark.parametrize(("n_settings", "most"), [(1, 0.2), (6, 0.45), (50, 0.9)])
def test_the_default_is_left_less_often_than_by_the_raw_standard_error(n_settings, most):
    rng = np.random.default_rng(0)
    left = np.mean(
        [choose_setting(rng.normal(size=(1 + n_settings, 5)), 0, 5) != 0 for _ in range(400)]
    )
    raw = []
    for _ in range(400):
        losses = rng.normal(size=(1 + n_settings, 5))
        best = losses.mean(axis=1).argmin()
        d = losses[0] - losses[best]
        raw.append(best != 0 and d.mean() > d.std(ddof=1) / np.sqrt(5))
    assert left <= most
    assert left < np.mean(raw)
