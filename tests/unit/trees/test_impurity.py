"""Impurities of class counts and what splits gain: worked numbers, and scipy."""

import numpy as np
import pytest
import scipy.stats
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from bestofk.errors import InvalidArgumentError
from bestofk.trees import classification_error, entropy, gain_ratio, gini, information_gain
from bestofk.trees.candidate_splits import impurity_decrease, split_information

COUNTS = arrays(np.float64, (3, 4), elements=st.integers(0, 20).map(float))
# Two classes of six people by city, car and age, as worked on the slides of a lecture.
CITY, CAR, AGE = [[3, 0], [1, 2]], [[0, 1], [2, 1], [2, 0]], [[1, 0]] * 4 + [[0, 1]] * 2


def test_gini_and_error_of_nine_against_five():
    assert gini([9, 5]) == pytest.approx(1 - (81 + 25) / 196)
    assert classification_error([9, 5]) == pytest.approx(5 / 14)


def test_rows_without_a_value_count_as_in_c45():
    # Refund: 3 yes without cheating, 6 no with 2 cheats, and one cheat of unknown refund.
    counts = [[0, 3], [2, 4]]
    assert information_gain(counts, unknown=1) == pytest.approx(0.136807, abs=5e-7)
    assert split_information(counts, unknown=1) == pytest.approx(1.295462, abs=5e-7)
    assert gain_ratio(counts, unknown=1) == pytest.approx(0.105604, abs=5e-7)


@given(COUNTS)
def test_entropy_is_that_of_scipy_and_gini_the_chance_of_two_classes(counts):
    for row in counts[counts.sum(axis=1) > 0]:
        assert entropy(row) == pytest.approx(scipy.stats.entropy(row, base=2), abs=1e-12)
        chance = sum(a * b for i, a in enumerate(row) for j, b in enumerate(row) if i != j)
        assert gini(row) == pytest.approx(chance / row.sum() ** 2, abs=1e-12)


@given(COUNTS)
def test_gain_is_the_mutual_information_of_branch_and_class(counts):
    n = max(counts.sum(), 1.0)
    expected = 0.0
    for branch in range(3):
        for k in range(4):
            if counts[branch, k] > 0:
                independent = counts[branch].sum() * counts[:, k].sum() / n
                expected += counts[branch, k] / n * np.log2(counts[branch, k] / independent)
    assert information_gain(counts) == pytest.approx(expected, abs=1e-12)


@given(COUNTS)
def test_many_splits_at_once_are_measured_one_by_one(counts):
    both = np.stack([counts, counts[::-1] + 1])
    for measure in (information_gain, gain_ratio, split_information):
        np.testing.assert_array_equal(measure(both), [measure(counts) for counts in both])
    for impurity in (entropy, gini, classification_error):
        np.testing.assert_array_equal(impurity(counts), [impurity(row) for row in counts])
        assert 0 <= impurity_decrease(counts, impurity) <= impurity(counts.sum(axis=0)) + 1e-12


def test_no_rows_are_pure_and_one_branch_has_no_ratio():
    assert (entropy([0, 0]), gini([0, 0]), classification_error([0, 0])) == (0.0, 0.0, 0.0)
    assert (entropy([]), gini([]), classification_error([])) == (0.0, 0.0, 0.0)
    assert information_gain([[0, 0], [0, 0]]) == 0.0
    assert np.isnan(gain_ratio([[3, 4], [0, 0]]))


@pytest.mark.parametrize("counts", [[1, -1], [1, np.nan], [1, np.inf], "x", [[1, 2], [3]]])
def test_what_is_no_count_is_refused(counts):
    with pytest.raises(InvalidArgumentError, match="must be finite numbers from 0 upwards"):
        entropy(counts)
    with pytest.raises(InvalidArgumentError, match=r"of shape \(\.\.\., n_branches, n_classes\)"):
        gain_ratio([1, 2])
