"""Losses on new data with more repeats or rows: which part of the scale they lower."""

import numpy as np
import pytest

from bestofk.errors import InvalidArgumentError
from bestofk.inference.new_data import losses_on_new_data


def table(n_splits=20, rates=(0.1, 0.12, 0.3)):
    rng = np.random.default_rng(1)
    return rng.binomial(20, np.array(rates)[:, None], (len(rates), n_splits)) / 20


def expected(losses):
    return losses_on_new_data(losses.T, n_samples=100, n_train=80, n_test=20)


def test_endless_repeats_leave_the_rows_and_the_pseudo_row():
    losses = table()
    endless = expected(losses).with_more(repeats=np.inf)
    left = 0.25 * np.cov(losses) + np.eye(3) / 100**2
    np.testing.assert_allclose(endless.covariance, left, rtol=1e-12, atol=1e-15)
    assert endless.df == 99


def test_twice_the_repeats_halve_the_part_of_the_splits():
    losses = table()
    more = expected(losses).with_more(repeats=2)
    scale = (1 / 40 + 0.25) * np.cov(losses) + np.eye(3) / 100**2
    np.testing.assert_allclose(more.covariance, scale, rtol=1e-12, atol=1e-15)
    assert more.df == 39
    np.testing.assert_allclose(
        more.with_more(repeats=2.5).covariance,
        expected(losses).with_more(repeats=5).covariance,
        rtol=1e-12,
    )


def test_after_eliminations_each_learner_has_more_of_its_own_splits():
    losses = table()
    losses[2, 10:] = np.nan
    parts = np.vstack([losses[0, :10], losses[1:, :10] - losses[0, :10]])
    back = np.array([[1, 0, 0], [1, 1, 0], [1, 0, 1]])
    lengths = np.array([20, 20, 10])
    per_split = 1 / np.maximum.outer(lengths, lengths)
    scale = (per_split / 3 + 0.25) * np.cov(parts)
    np.testing.assert_allclose(
        expected(losses).with_more(repeats=3).covariance,
        back @ scale @ back.T + np.eye(3) / 100**2,
        rtol=1e-12,
    )


def test_more_rows_divide_the_whole_scale_and_leave_means_alone():
    before = expected(table())
    after = before.with_more(rows=4)
    np.testing.assert_allclose(after.covariance, before.covariance / 4, rtol=1e-15)
    np.testing.assert_array_equal(after.means, before.means)
    assert after.df == before.df


def test_as_many_as_now_is_what_there_is():
    before = expected(table())
    np.testing.assert_array_equal(before.with_more().draws, before.draws)


@pytest.mark.parametrize("factors", [{"repeats": 0.5}, {"rows": 0}, {"rows": np.inf}])
def test_fewer_than_there_are_is_refused(factors):
    with pytest.raises(InvalidArgumentError, match="must be a factor of at least 1; got"):
        expected(table()).with_more(**factors)
