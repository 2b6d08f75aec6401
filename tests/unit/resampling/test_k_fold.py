"""Folds: sizes, strata, repeats, groups."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bestofk.errors import InvalidArgumentError
from bestofk.resampling.drawn_rows import (
    _stable_order,
    group_fold_assignment,
    k_fold_assignment,
    order_of_appearance,
)

sizes = st.integers(4, 60)


@given(n=sizes, k=st.integers(2, 4), seed=st.integers(0, 99))
def test_fold_sizes_differ_by_at_most_one_row(n, k, seed):
    folds = k_fold_assignment(n, n_folds=k, n_repeats=3, random_state=seed)
    for row in folds:
        counts = np.bincount(row, minlength=k)
        assert counts.sum() == n
        assert np.ptp(counts) <= 1


@given(labels=st.lists(st.integers(0, 3), min_size=6, max_size=60), k=st.integers(2, 5))
def test_strata_are_spread_within_one_row_and_folds_too(labels, k):
    strata = np.array(labels)
    folds = k_fold_assignment(len(labels), n_folds=k, n_repeats=2, random_state=1, strata=strata)
    for row in folds:
        assert np.ptp(np.bincount(row, minlength=k)) <= 1
        for stratum in np.unique(strata):
            assert np.ptp(np.bincount(row[strata == stratum], minlength=k)) <= 1


def test_more_repeats_leave_the_earlier_ones_as_they_were():
    few = k_fold_assignment(50, n_folds=5, n_repeats=2, random_state=3)
    many = k_fold_assignment(50, n_folds=5, n_repeats=7, random_state=3)
    np.testing.assert_array_equal(few, many[:2])
    assert not np.array_equal(many[0], many[1])


def test_renaming_classes_changes_no_fold():
    strata = np.random.default_rng(0).integers(0, 3, 40)
    renamed = np.array([7, 2, 5])[strata]
    asked = {"n_folds": 4, "n_repeats": 3, "random_state": 0}
    np.testing.assert_array_equal(
        k_fold_assignment(40, strata=strata, **asked),
        k_fold_assignment(40, strata=renamed, **asked),
    )


def test_every_row_is_as_likely_as_any_other_in_the_first_fold():
    folds = k_fold_assignment(10, n_folds=2, n_repeats=4000, random_state=0)
    share = (folds == 0).mean(axis=0)
    assert np.abs(share - 0.5).max() < 4 * 0.5 / np.sqrt(4000)


def test_groups_are_never_split():
    groups = np.repeat(np.arange(12), 5)
    classes = np.tile([0, 1, 0, 1, 1], 12)
    for strata in (None, classes):
        folds = group_fold_assignment(groups, n_folds=3, n_repeats=2, random_state=0, strata=strata)
        for row in folds:
            assert all(len(set(row[groups == g])) == 1 for g in range(12))
            assert set(row) == {0, 1, 2}


def test_more_folds_than_rows_or_groups_is_refused():
    with pytest.raises(InvalidArgumentError, match=r"from 2 to the number of rows \(5\); got 6"):
        k_fold_assignment(5, n_folds=6, n_repeats=1, random_state=0)
    with pytest.raises(InvalidArgumentError, match=r"number of groups \(2\); got 3"):
        group_fold_assignment(np.array([0, 0, 1]), n_folds=3, n_repeats=1, random_state=0)
    with pytest.raises(InvalidArgumentError, match="repeats must be a whole number from 1 up"):
        k_fold_assignment(5, n_folds=2, n_repeats=0, random_state=0)


def test_order_of_appearance_numbers_values_by_their_first_row():
    assert order_of_appearance(np.array([9, 4, 9, 1, 4])).tolist() == [0, 1, 0, 2, 1]


def test_rows_with_equal_keys_stay_in_order():
    keys = np.array([[0.5, 0.25, 0.5, 0.25] * 50])
    np.testing.assert_array_equal(_stable_order(keys), np.argsort(keys, kind="stable"))
    other = np.random.default_rng(0).random((3, 1000))
    np.testing.assert_array_equal(_stable_order(other), np.argsort(other, kind="stable"))
