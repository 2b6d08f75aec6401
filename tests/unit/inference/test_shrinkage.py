"""Draws of losses, shrunken near the best, against the closed form of their law."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose

from bestofk.inference import shrinkage
from bestofk.inference.shrinkage import draw_losses

SCALE = np.array([[4, 1, 0, 1], [1, 3, 0, 0], [0, 0, 2, -1], [1, 0, -1, 5.0]]) / 1e4
MEANS = np.array([0.10, 0.12, 0.11, 0.105])
NORMAL = 1e9  # degrees of freedom


def draws(means=MEANS, scale=SCALE, df=NORMAL, n_draws=100_000):
    rng = np.random.default_rng(0)
    return draw_losses(np.asarray(means), scale, df, n_draws=n_draws, rng=rng)


@pytest.mark.parametrize("spread", [0.1, 1.0, 10.0])
def test_draws_follow_the_normal_law_given_the_spread(monkeypatch, spread):
    """The prior is flat along the common mean, and normal across it."""
    monkeypatch.setattr(shrinkage, "_SPREADS", np.array([spread]))
    centering = np.eye(4) - 1 / 4
    unit = np.sqrt(np.trace(centering @ SCALE) / 3)  # spreads are in this standard error
    precision = np.linalg.inv(SCALE) + centering / (spread * unit) ** 2
    mean = np.linalg.solve(precision, np.linalg.solve(SCALE, MEANS))
    drawn = draws()
    assert_allclose(drawn.mean(axis=0), mean, atol=3e-4)
    assert_allclose(np.cov(drawn.T), np.linalg.inv(precision), atol=1e-5)


def test_learners_far_behind_keep_their_distance():
    drawn = draws([0.10, 0.12, 0.11, 0.5])
    assert_allclose(drawn[:, 3].mean(), 0.5, atol=2e-3)
    plain = draws([0.10, 0.5, 0.6, 0.7])  # one alone near the best
    assert_allclose(plain.mean(axis=0), [0.10, 0.5, 0.6, 0.7], atol=3e-4)
    assert_allclose(np.cov(plain.T), SCALE, atol=1e-5)


def test_two_learners_keep_the_flat_prior_of_student():
    drawn = draws(MEANS[:2], SCALE[:2, :2], df=5)
    assert_allclose(drawn.mean(axis=0), MEANS[:2], atol=1e-3)
    assert_allclose(np.cov(drawn.T), SCALE[:2, :2] * 5 / 3, rtol=0.05)


def test_the_spread_is_learned_from_the_means():
    alike = draws([0.1, 0.1, 0.1, 0.1])
    apart = draws([0.10, 0.13, 0.12, 0.11])
    assert np.ptp(alike, axis=1).mean() < 0.8 * np.ptp(apart, axis=1).mean()
    assert_allclose(alike.mean(axis=0), 0.1, atol=1e-3)


def test_axes_of_equal_scale_leave_the_draws_as_they_are():
    """Rounding of such a scale must not choose other draws."""
    means, scale = np.full(6, 0.1), (np.eye(6) + 3) / 1e4
    noise = 1e-16 * np.random.default_rng(1).standard_normal((6, 6))
    one, other = (draws(means, part, n_draws=200) for part in (scale, scale + noise + noise.T))
    assert_allclose(one, other, atol=1e-9)
