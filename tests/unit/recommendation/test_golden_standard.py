"""Rank agreement: hand-computed correlations, gaps and constant rows."""

import numpy as np
import pytest
from scipy.stats import kendalltau, rankdata, spearmanr

from bestofk.recommendation.history import History
from bestofk.recommendation.leave_one_out import rank_agreement

NAN = float("nan")


def test_correlations_by_hand():
    # left out first: ranks of the others (1, 2.5, 2.5), true ranks (1, 2, 3)
    history = History.from_arrays([[0.9, 0.8, 0.7], [0.8, 0.7, 0.6], [0.9, 0.6, 0.7]])
    agreement = rank_agreement(history, power=0)
    np.testing.assert_allclose(agreement.spearman, [0.75**0.5, 0.75**0.5, 0.5], rtol=1e-12)
    # pairs in the same order minus those that are not, over the root of 2 x 3 pairs untied
    np.testing.assert_allclose(agreement.kendall, [2 / 6**0.5, 2 / 6**0.5, 1 / 3], rtol=1e-12)
    assert agreement.means() == pytest.approx(
        [np.mean(agreement.spearman), np.mean(agreement.kendall)]
    )


def test_time_moves_the_recommended_ranks_and_not_the_true_ones():
    history = History.from_arrays([[0.9, 0.8]] * 3, [[1000.0, 0.1]] * 3)
    assert rank_agreement(history, power=0).spearman == pytest.approx([1, 1, 1])
    assert rank_agreement(history, power=1 / 4).spearman == pytest.approx([-1, -1, -1])


def test_a_constant_row_has_none_and_is_left_out_of_the_means():
    history = History.from_arrays([[0.5, 0.5, 0.5], [0.9, 0.8, 0.7], [0.9, 0.8, 0.7]])
    agreement = rank_agreement(history, power=0)
    assert np.isnan(agreement.spearman).tolist() == [True, False, False]
    assert agreement.n_undefined == 1
    assert agreement.means() == pytest.approx((1.0, 1.0))


def test_learners_without_a_score_are_left_out_where_they_have_none():
    history = History.from_arrays(
        [[0.9, NAN, 0.7, 0.6], [0.9, 0.8, 0.7, 0.6], [0.5, 0.6, 0.7, 0.4]]
    )
    agreement = rank_agreement(history, power=0)
    means = np.array([(1 + 3) / 2, (3 + 1) / 2, 4])  # of learners 1, 3 and 4 on the others
    expected = spearmanr(-means, [0.9, 0.7, 0.6]).statistic
    assert agreement.spearman[0] == pytest.approx(expected)


def test_next_to_nothing_has_no_correlation():
    for history in (
        History.from_arrays([[0.5, 0.6]]),
        History.from_arrays([[0.5], [0.6]]),
        History.from_arrays([[NAN, NAN], [0.5, 0.6]]),
        History.from_arrays(np.empty((0, 2))),
    ):
        agreement = rank_agreement(history, power=0)
        assert agreement.n_undefined == history.n_data_sets
        assert np.isnan(agreement.means()).all()


def test_it_is_what_scipy_says_of_mean_ranks():
    rng = np.random.default_rng(3)
    scores = rng.integers(1, 9, (8, 6)) / 10
    agreement = rank_agreement(History.from_arrays(scores), power=0)
    for i, row in enumerate(scores):
        means = rankdata(-np.delete(scores, i, axis=0), axis=1).mean(axis=0).round(9)
        assert agreement.spearman[i] == pytest.approx(spearmanr(means, -row).statistic)
        assert agreement.kendall[i] == pytest.approx(kendalltau(means, -row).statistic)


def test_a_frame_has_one_row_per_data_set():
    history = History.from_arrays([[0.9, 0.8], [0.8, 0.7]], data_sets=["iris", "wine"])
    frame = rank_agreement(history, power=0).to_frame()
    assert list(frame.columns) == ["data_set", "spearman", "kendall"]
    assert frame["data_set"].tolist() == ["iris", "wine"]
    assert frame["kendall"].tolist() == [1.0, 1.0]
