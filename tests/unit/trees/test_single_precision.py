"""Trees of Release 8: numbers of 32 bits, and what differs from J48 in growing."""

import numpy as np
import pandas as pd
import pytest

from bestofk.trees import C45Classifier
from bestofk.trees.measuring import rounded, split_info_in_32_bits, worth_of_branches
from bestofk.trees.sorting import largest_rounded_to

GOLF = np.array([[[2.0, 3.0], [4.0, 0.0], [3.0, 2.0]]])


@pytest.mark.parametrize("is_cut", [True, False])
def test_gain_and_split_information_are_those_of_the_books_to_32_bits(is_cut):
    gain, info = worth_of_branches(GOLF, GOLF.sum(axis=1), np.array([14.0]), is_cut=is_cut)
    assert gain[0] == pytest.approx(0.246750, abs=1e-6)
    assert info[0] == pytest.approx(1.577406, abs=1e-6)
    assert rounded(gain) == gain
    assert rounded(info) == info


def test_unknown_rows_lower_the_gain_and_are_a_branch_of_the_split():
    gain, info = worth_of_branches(GOLF, GOLF.sum(axis=1), np.array([28.0]), is_cut=False)
    assert gain[0] == pytest.approx(0.246750 / 2, abs=1e-6)
    assert info[0] == pytest.approx(1.577406 / 2 + 1, abs=1e-6)


def test_a_test_of_which_nothing_is_known_is_worth_nothing():
    none = np.zeros((1, 3, 2))
    gain, info = worth_of_branches(none, none.sum(axis=1), np.array([7.0]), is_cut=False)
    assert gain[0] == 0.0
    assert info[0] == pytest.approx(0.0, abs=1e-6)


def test_sums_depend_on_their_order_as_in_32_bits():
    parts = np.array([[0.0, 3.0, 5.0], [0.0, 5.0, 3.0]])
    result = split_info_in_32_bits(parts, np.array([8.0, 8.0]))
    assert result[0] != result[1]
    assert result == pytest.approx([0.954434, 0.954434], abs=1e-6)


@pytest.mark.parametrize("value", [1.9, 72.64, 0.0, -14.01, 1e-40, 3e38])
def test_the_largest_number_that_is_rounded_to_a_value_is_found(value):
    single = np.float32(value)
    result = largest_rounded_to(np.array([single]))[0]
    assert np.float32(result) == single
    assert np.float32(np.nextafter(result, np.inf)) > single


def test_values_that_are_one_in_32_bits_are_not_cut_apart():
    x = np.repeat([100000000.0, 100000001.0], 10)[:, None]
    y = np.repeat([0, 1], 10)
    assert C45Classifier().fit(x, y).get_n_leaves() == 2
    assert C45Classifier(flavor="r8").fit(x, y).get_n_leaves() == 1


def test_training_rows_at_a_threshold_stay_on_its_side():
    x = np.repeat([1.9, 14.01, 72.64], 6)[:, None]
    y = np.repeat([0, 1, 2], 6)
    learner = C45Classifier(flavor="r8", pruning=None).fit(x, y)
    assert learner.score(x, y) == 1.0
    assert sorted(learner.tree_.threshold[~learner.tree_.is_leaf]) == pytest.approx([1.9, 14.01])


def test_levels_that_are_worth_nothing_are_tested_if_nothing_is_better():
    X = pd.DataFrame({"a": list("xxyy") * 3, "b": list("uvuv") * 3})
    y = [0, 1, 1, 0] * 3
    assert C45Classifier(pruning=None).fit(X, y).get_n_leaves() == 1
    release_8 = C45Classifier(flavor="r8", pruning=None).fit(X, y)
    assert release_8.get_n_leaves() == 4
    assert release_8.score(X, y) == 1.0
