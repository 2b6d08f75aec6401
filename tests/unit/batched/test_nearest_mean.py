import numpy as np
import pytest
from tests.unit.batched.made_subsets import form_of_folds as form_of

from bestofk.learners.nearest_mean_classifier import NearestMeanClassifier
from bestofk.testing import check_batched_form


def test_labels_and_probabilities_are_those_of_two_means_by_hand():
    # fold 1 tests the last row; the rest has means 1 and 8 and variance 2: see the plain learner
    X, y = np.array([[0.0], [2.0], [7.0], [9.0], [4.0]]), np.array([0, 0, 1, 1, 1])
    result = form_of(NearestMeanClassifier(), X, y, 2).predict(np.array([[0, 0, 0, 0, 1]]))
    odds = np.exp((16 - 9) / 4)
    assert result.labels[0, 4] == 0
    expected = [odds / (1 + odds), 1 / (1 + odds)]
    np.testing.assert_allclose(result.probabilities[0, 4], expected, rtol=1e-13)


def test_equal_distances_go_to_the_first_class_in_both_ways():
    # on a grid whose steps are no binary fractions: every mean is rounded, many rows are tied
    grid = np.arange(12) * 0.1
    X = np.column_stack([np.tile(grid, 6), np.repeat(grid[:6], 12)])
    y = (np.arange(72) % 12 > 5).astype(int)
    agreement = check_batched_form(NearestMeanClassifier(), X, y)
    assert (agreement.n_tied, agreement.n_different) == (0, 0)
    X = [[0.1], [0.5], [0.3]] @ np.ones((1, 2))
    result = form_of(NearestMeanClassifier(), X, np.array([0, 1, 1])).predict(np.array([[0, 0, 1]]))
    assert result.labels[0, 2] == 0


def test_rows_that_are_all_alike_go_to_the_first_class_in_both_ways():
    X, y = np.full((40, 3), 0.1), np.arange(40) % 3
    assert check_batched_form(NearestMeanClassifier(), X, y, tolerance=0.0).n_left == 0


def test_parts_where_rounding_says_whether_there_is_a_spread_are_left():
    y = np.arange(20) % 3
    X = np.column_stack([y * 0.1, y * 0.3])
    result = form_of(NearestMeanClassifier(), X, y, 2).predict(np.array([np.arange(20) // 10]))
    plain = NearestMeanClassifier().fit(X[:10], y[:10])
    for fold in range(2):
        if result.is_done[0, fold]:
            np.testing.assert_array_equal(result.labels[0, :10], plain.predict(X[:10]))
    assert np.isfinite(result.probabilities).all()


@pytest.mark.parametrize("offset", [0.0, 1e9])
def test_shares_far_from_zero_are_those_of_exact_distances(offset):
    rng = np.random.default_rng(0)
    X, y = rng.integers(0, 8, (60, 3)) / 8 + offset, np.arange(60) % 4
    agreement = check_batched_form(NearestMeanClassifier(), X, y, cv="2x5", tolerance=1e-9)
    assert (agreement.n_different, agreement.n_left) == (0, 0)
