"""The bits that tell a tree and the labels of its rows."""

from dataclasses import replace

import numpy as np
import pytest
from tests.unit.trees.made_trees import written_tree

from bestofk.trees.pruning_methods import (
    label_bits,
    prune_by_description_length,
    split_bits,
)

N_VALUES = np.array([5, 9, 3])


@pytest.mark.parametrize(
    ("counts", "chance"),
    [
        ([1, 1], 1 / 2 * 1 / 4),
        ([2, 0], 1 / 2 * 3 / 4),
        ([2, 1], 1 / 2 * 3 / 4 * 1 / 6),
        ([1, 0, 0], 1 / 3),
        ([1, 1, 1], 1 / 3 * 1 / 5 * 1 / 7),
        ([0, 0], 1),
    ],
)
def test_labels_are_told_one_after_the_other(counts, chance):
    # Each label has the chance (seen of its class + 1/2) / (seen + classes / 2).
    assert label_bits(written_tree(counts))[0] == pytest.approx(-np.log2(chance), abs=1e-9)


def test_no_label_is_free_even_with_many_classes():
    bits = label_bits(written_tree([1] + [0] * 29))
    assert bits[0] == pytest.approx(np.log2(30))


def test_a_threshold_is_one_of_the_gaps_between_values():
    bits = split_bits(written_tree((0, 5.0, [1, 0], [0, 1])), N_VALUES)
    np.testing.assert_allclose(bits, [np.log2(3) + np.log2(4), 0, 0])


def test_a_branch_for_each_level_needs_the_name_of_the_attribute_alone():
    bits = split_bits(written_tree((2, None, [1, 0], [0, 1], [0, 1])), N_VALUES)
    np.testing.assert_allclose(bits[0], np.log2(3))


def test_groups_need_their_sizes_and_their_levels():
    # Three levels: two groups have sizes 1 + 2 or 2 + 1, and the single level is one of three.
    bits = split_bits(written_tree((2, [0, 1, 1], [1, 0], [0, 1])), N_VALUES)
    np.testing.assert_allclose(bits[0], np.log2(3) + np.log2(2) + np.log2(3))


def test_an_oblique_test_needs_half_of_log_n_for_each_number():
    tree = written_tree((3, 0.5, [8, 0], [0, 8]))
    tree = replace(tree, directions=np.array([[1.0, -1.0, 0.0]]))
    np.testing.assert_allclose(split_bits(tree, N_VALUES)[0], np.log2(3) + 3 * 0.5 * 4)


def test_a_split_that_tells_the_classes_stays():
    tree = written_tree((0, 5.0, [20, 0], [0, 20]))
    assert prune_by_description_length(tree, N_VALUES).n_leaves == 2


def test_a_split_that_tells_less_than_it_costs_falls():
    tree = written_tree((0, 5.0, [10, 9], [9, 10]))
    assert prune_by_description_length(tree, N_VALUES).n_leaves == 1
