"""Significant wins: every pair by the public test as oracle, gaps, and ranking by them."""

import numpy as np
import pytest

from bestofk.errors import DesignError, InvalidArgumentError
from bestofk.inference.many_data_sets.ranks import rank_within_data_sets
from bestofk.inference.two_learners.t_tests import corrected_resampled_t_test
from bestofk.recommendation.fixed_orders import significant_wins


def plain_wins(scores, n_train, n_test, alpha):
    """Return wins minus losses by one test per pair."""
    wins = np.full(scores.shape[:2], np.nan)
    for d, of_data_set in enumerate(scores):
        for i, own in enumerate(of_data_set):
            if np.isnan(own).any():
                continue
            wins[d, i] = 0
            for other in of_data_set:
                if not np.isnan(other).any():
                    result = corrected_resampled_t_test(own, other, n_train=n_train, n_test=n_test)
                    wins[d, i] += (result.p_value < alpha) * np.sign((own - other).mean())
    return wins


@pytest.mark.parametrize("alpha", [0.01, 0.05, 0.3])
def test_every_pair_is_decided_by_the_corrected_resampled_t_test(alpha):
    rng = np.random.default_rng(1)
    levels = rng.normal(0.7, 0.05, (4, 6, 1))
    scores = np.round(levels + rng.normal(0, 0.03, (4, 6, 10)), 2)
    scores[1, 2, 3] = np.nan
    scores[2, 4] = scores[2, 5]
    wins = significant_wins(scores, n_train=9, n_test=1, alpha=alpha)
    np.testing.assert_array_equal(wins, plain_wins(scores, 9, 1, alpha))
    assert np.abs(wins[~np.isnan(wins)]).max() > 0


def test_a_learner_with_a_fold_missing_takes_no_part_there():
    high, low = [0.9, 0.91, 0.9, 0.92], [0.5, 0.51, 0.53, 0.5]
    scores = [[high, low, low], [high, [0.5, np.nan, 0.53, 0.5], low]]
    wins = significant_wins(scores, n_train=3, n_test=1)
    np.testing.assert_array_equal(wins, [[2, -1, -1], [1, np.nan, -1]])
    np.testing.assert_array_equal(rank_within_data_sets(wins), [[1, 2.5, 2.5], [1, np.nan, 2]])


def test_wins_and_losses_cancel_over_the_learners():
    scores = np.random.default_rng(5).random((3, 7, 10))
    wins = significant_wins(scores, n_train=9, n_test=1, alpha=0.5)
    np.testing.assert_array_equal(wins.sum(axis=1), np.zeros(3))


def test_equal_scores_and_lone_learners_have_no_win():
    same = np.full((2, 3, 4), 0.7)
    assert significant_wins(same, n_train=3, n_test=1).tolist() == [[0, 0, 0], [0, 0, 0]]
    assert significant_wins(same[:, :1], n_train=3, n_test=1).tolist() == [[0], [0]]


def test_a_constant_difference_has_no_variance_and_is_no_win():
    scores = [[[0.8, 0.9, 0.7], [0.7, 0.8, 0.6]]]
    assert significant_wins(scores, n_train=2, n_test=1).tolist() == [[0, 0]]


def test_a_smaller_ratio_of_test_to_training_rows_shows_more():
    rng = np.random.default_rng(0)
    scores = rng.normal(np.linspace(0.6, 0.7, 8)[None, :, None], 0.05, (5, 8, 10))
    few = np.abs(significant_wins(scores, n_train=1, n_test=1)).sum()
    many = np.abs(significant_wins(scores, n_train=90, n_test=1)).sum()
    assert few < many


def test_wrong_arguments_are_refused():
    with pytest.raises(DesignError, match=r"data sets x learners x folds .* got shape \(2, 3\)"):
        significant_wins(np.zeros((2, 3)), n_train=9, n_test=1)
    with pytest.raises(DesignError, match=r"at least two folds; got shape \(2, 3, 1\)"):
        significant_wins(np.zeros((2, 3, 1)), n_train=9, n_test=1)
    with pytest.raises(InvalidArgumentError, match=r"^alpha of significant_wins must be a number"):
        significant_wins(np.zeros((2, 3, 4)), n_train=9, n_test=1, alpha=0)
    with pytest.raises(InvalidArgumentError, match="must be finite"):
        significant_wins(np.full((2, 3, 4), np.inf), n_train=9, n_test=1)
    with pytest.raises(InvalidArgumentError, match="n_train must be a number above 0 or None"):
        significant_wins(np.zeros((2, 3, 4)), n_train=0, n_test=1)
