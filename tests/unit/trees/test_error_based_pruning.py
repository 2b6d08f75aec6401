"""Error-based pruning: the bounds that are in print, and which subtrees fall."""

import numpy as np
import pytest
from scipy.stats import beta
from tests.unit.trees.made_trees import written_tree

from bestofk.trees.attributes import Attribute
from bestofk.trees.pruning_methods import (
    added_errors,
    bound_parts,
    collapsed,
    prune_by_estimated_errors,
)

# rows, errors, added by Release 8, by J48, by the exact binomial bound; confidence 0.25
BOUNDS = [
    (1, 0, 0.75000, 0.75000, 0.75000),
    (6, 0, 1.23780, 1.23780, 1.23780),
    (2, 1, 0.79624, 0.79149, 0.73205),
    (5, 2, 1.23958, 1.22197, 1.20282),
    (14, 5, 1.79499, 1.76112, 1.76918),
    (16, 1, 1.50689, 1.47571, 1.55377),
    (30, 10, 2.36704, 2.31739, 2.33713),
    (2.5, 0.5, 1.00844, 1.00387, 1.01381),
    (10, 0.4, 1.35294, 1.34172, 1.38333),
    (4, 3.6, 0.26800, 0.40000, 0.37818),
    (100, 10, 2.81471, 2.74961, 2.82106),
    (1000, 37, 4.88700, 4.76705, 4.85197),
]


@pytest.mark.parametrize(("rows", "errors", "r8", "j48", "exact"), BOUNDS)
def test_added_errors_are_those_of_both_flavors_and_near_the_exact_bound(
    rows, errors, r8, j48, exact
):
    assert added_errors(rows, errors, flavor="r8") == pytest.approx(r8, abs=6e-6)
    assert added_errors(rows, errors) == pytest.approx(j48, abs=6e-6)
    upper = beta.isf(0.25, errors + 1, rows - errors)
    assert rows * upper - errors == pytest.approx(exact, abs=6e-6)


SPENDING = (Attribute("spending", "nominal", ("no", "yes", "unknown")),)


@pytest.mark.parametrize("flavor", ["j48", "r8"])
@pytest.mark.parametrize("raises", [False, True])
def test_the_vote_example_becomes_a_leaf(flavor, raises):
    tree = written_tree((0, None, [6, 0], [9, 0], [0, 1]), SPENDING)
    matrix = np.repeat([0.0, 1.0, 2.0], [6, 9, 1])[:, None]
    y = np.repeat([0, 1], [15, 1]).astype(np.int16)
    how = {"bound": bound_parts(0.25, flavor), "raises": raises}
    pruned = prune_by_estimated_errors(tree, matrix, y, None, **how)
    assert pruned.class_weights.tolist() == [[15.0, 1.0]]


def test_nothing_is_added_to_empty_leaves():
    assert added_errors(0, 0) == 0.0


def test_above_a_confidence_of_one_half_only_the_original_adds_errors():
    assert added_errors(16, 1, 0.6) == 0.0
    assert added_errors(16, 1, 0.6, flavor="r8") > 0.0


def test_a_smaller_confidence_adds_more_errors():
    added = [added_errors(16, 3, confidence) for confidence in (0.001, 0.01, 0.1, 0.25, 0.5)]
    assert added == sorted(added, reverse=True)
    assert added[-1] > 0.0


def test_the_largest_branch_takes_the_place_of_its_parent():
    # The root sends one row away from a test that divides all others without an error.
    tree = written_tree((1, 0.0, [1, 0], (0, 5.0, [12, 0], [0, 12])))
    x = np.concatenate([[1.0], np.repeat([1.0, 6.0], 12)])
    matrix = np.column_stack([x, np.r_[-1.0, np.ones(24)], np.zeros(25)])
    y = np.r_[0, np.repeat([0, 1], 12)].astype(np.int16)
    how = {"bound": bound_parts(0.25, "j48")}
    raised = prune_by_estimated_errors(tree, matrix, y, None, raises=True, **how)
    assert raised.attribute.tolist() == [0, -1, -1]
    assert raised.class_weights.tolist() == [[13, 12], [13, 0], [0, 12]]
    kept = prune_by_estimated_errors(tree, matrix, y, None, raises=False, **how)
    assert kept.n_leaves == 3


def test_subtrees_that_save_no_training_error_collapse():
    tree = written_tree((0, 5.0, (1, 0.0, [9, 1], [1, 0]), (1, 1.0, [2, 0], [0, 7])))
    assert collapsed(tree).class_weights.tolist() == [[12, 8], [10, 1], [2, 7], [2, 0], [0, 7]]
