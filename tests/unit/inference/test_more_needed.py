"""Repeats or rows that would make a claim likely, held against claims computed one by one."""

import numpy as np
import pytest

from bestofk.inference.new_data import LIKELY, MoreNeeded, NewDataLosses, more_needed


def losses(means, split_sd, row_sd, n_samples=1000):
    """Return independent losses with a given scale of splits and of rows."""
    unit = np.eye(len(means))
    split_part = unit * split_sd**2
    covariance = split_part + unit * row_sd**2
    order = np.arange(len(means))
    names = (0, "more", len(means))
    return NewDataLosses(np.array(means), covariance, 14.0, n_samples, 15, names, order, split_part)


def asked(expected, index=0, n_splits=15):
    return more_needed(expected, index, 0.01, n_splits=n_splits, n_folds=5)


def is_likely(expected, index=0, **factors):
    return expected.with_more(**factors).probability(0.01)[index] >= LIKELY


def test_the_first_number_of_repeats_that_is_enough_is_named():
    expected = losses([0.1, 0.1], 0.008, 0.001)
    enough = [count for count in range(4, 21) if is_likely(expected, repeats=count / 3)]
    assert asked(expected) == MoreNeeded(n_repeats=enough[0], endless_repeats_would=True)
    assert 4 < enough[0] < 20


def test_repeats_beyond_100_fits_are_not_asked_for():
    expected = losses([0.1, 0.1], 0.03, 0.001)
    assert is_likely(expected, repeats=np.inf)
    assert not is_likely(expected, repeats=20 / 3)
    assert asked(expected) == MoreNeeded(endless_repeats_would=True, row_factor=None)


@pytest.mark.parametrize(("row_sd", "factor"), [(0.005, 2), (0.012, 10), (0.05, None)])
def test_where_repeats_do_not_help_the_first_factor_of_rows_is_named(row_sd, factor):
    expected = losses([0.1, 0.1], 0.001, row_sd)
    tried = [few for few in (2, 3, 5, 10, 20) if is_likely(expected, rows=few)]
    assert asked(expected) == MoreNeeded(row_factor=factor)
    assert (tried[0] if tried else None) == factor


def test_no_rows_help_a_learner_that_is_further_behind():
    expected = losses([0.115, 0.1], 0.001, 0.05)
    assert asked(expected) == MoreNeeded(is_behind=True)
    # a gap that counts as good enough needs many rows, but they would do
    assert not asked(losses([0.109, 0.1], 0.001, 0.005)).is_behind


def test_nothing_is_needed_where_it_is_likely_already():
    assert asked(losses([0.1, 0.2], 0.001, 0.002)) is None


def test_repeats_that_were_all_done_leave_the_rows():
    assert asked(losses([0.1, 0.1], 0.008, 0.001), n_splits=100).n_repeats is None


def test_a_repeat_that_was_cut_off_does_not_count():
    expected = losses([0.1, 0.1], 0.008, 0.001)
    needed = more_needed(expected, 0, 0.01, n_splits=15, n_folds=20)
    assert needed.n_repeats in (3, 4, 5)
