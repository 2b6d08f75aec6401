"""Low rank: factors against least squares, a design that tells, gaps, failures, pace."""

import numpy as np
from scipy.stats import norm
from tests.unit.recommendation.given_histories import follow

from bestofk.recommendation.adaptive_orders import LowRankCompletion, _Factors
from bestofk.recommendation.fixed_orders import AverageRanking, RandomOrder
from bestofk.recommendation.history import History
from bestofk.recommendation.latent_factors import fill_gaps
from bestofk.recommendation.loss_time import USUAL_WINDOW, LossTimeCurve


def low_rank_table(seed, shape=(60, 20), rank=2, noise=0.05):
    rng = np.random.default_rng(seed)
    signal = rng.normal(0, 1, (shape[0], rank)) @ rng.normal(0, 1, (rank, shape[1]))
    return signal + rng.normal(0, 0.5, shape[1]) + rng.normal(0, noise, shape)


def low_rank_history(seed, shape=(60, 20)):
    rng = np.random.default_rng(seed + 1)
    paces = rng.normal(0, 1, (shape[0], 1)) + rng.normal(1, 1.5, shape[1])
    return History.from_arrays(1 / (1 + np.exp(-low_rank_table(seed, shape))), np.exp(paces))


def test_the_rank_is_the_fewest_factors_that_explain_nine_tenths():
    for rank in (1, 2, 4):
        table = low_rank_table(3, (300, 30), rank=rank, noise=0.01)
        spectrum = np.linalg.svd(table - table.mean(axis=0), compute_uv=False) ** 2
        shares = np.cumsum(spectrum) / spectrum.sum()
        result = _Factors(table).rank
        assert result <= rank
        assert shares[result - 1] >= 0.9
        assert result == 1 or shares[result - 2] < 0.9


def test_told_values_move_the_factors_as_ridge_regression_does():
    table = low_rank_table(0)
    factors = _Factors(table)
    mean, loadings, noise = factors._mean.copy(), factors._loadings.copy(), factors.noise.copy()
    told = {4: 1.2, 9: -0.3, 1: 0.8, 15: 2.0}
    for learner, value in told.items():
        factors.tell(learner, value)
    rows, values = list(told), np.array(list(told.values()))
    scaled = loadings[rows] / noise[rows, None]
    precision = np.eye(factors.rank) + loadings[rows].T @ scaled
    latent = np.linalg.solve(precision, scaled.T @ (values - mean[rows]))
    np.testing.assert_allclose(factors.expected(), mean + loadings @ latent, rtol=1e-9)
    covariance = loadings @ np.linalg.inv(precision) @ loadings.T
    np.testing.assert_allclose(factors.variance(), np.diag(covariance), rtol=1e-8)


def test_few_tests_predict_the_rest_of_a_low_rank_row():
    table = low_rank_table(1, (80, 25))
    factors = _Factors(table[1:])
    before = np.abs(factors.expected() - table[0]).mean()
    for learner in (0, 7, 13, 20):
        factors.tell(learner, table[0, learner])
    assert np.abs(factors.expected() - table[0]).mean() < before / 3


def test_gaps_are_filled_by_the_factors():
    table = low_rank_table(2, (80, 25), noise=0.0)
    is_known = np.random.default_rng(0).random(table.shape) > 0.1
    filled = fill_gaps(np.where(is_known, table, np.nan))
    np.testing.assert_array_equal(filled[is_known], table[is_known])
    errors = (filled - table)[~is_known]
    columns = np.where(is_known, table, 0).sum(axis=0) / is_known.sum(axis=0)
    assert np.abs(errors).mean() < 0.5 * np.abs((columns - table)[~is_known]).mean()


def test_the_first_test_tells_most_per_second():
    history = low_rank_history(5)
    logits = np.log(history.scores / (1 - history.scores)).clip(-np.log(99), np.log(99))
    factors = _Factors(logits)
    information = np.log1p((factors._loadings**2).sum(axis=1) / factors.noise)
    seconds = np.exp(np.log(history.seconds).mean(axis=0))
    advisor = LowRankCompletion().start(history, 0.5, USUAL_WINDOW)
    assert advisor.next() == np.argmax(information / seconds)


def test_after_the_design_comes_the_largest_expected_gain_per_decade():
    history = low_rank_history(6)
    advisor = LowRankCompletion().start(history, 0.5, USUAL_WINDOW)
    untested = list(range(20))
    for _ in range(advisor._scores.rank):
        learner = advisor.next()
        advisor.tell(learner, 0.6, 40.0)
        untested.remove(learner)
    rng = np.random.default_rng(0)
    index = []
    for j in untested:
        spread = np.sqrt(advisor._scores.variance()[j] + advisor._scores.noise[j])
        lead = (advisor._scores.expected()[j] - advisor._best) / spread
        gain = spread * (lead * norm.cdf(lead) + norm.pdf(lead))
        times = advisor._log_seconds
        width = np.sqrt(times.variance()[j] + times.noise[j])
        draws = np.exp(times.expected()[j] + width * rng.normal(size=20_000))
        spent = 40.0 * advisor._scores.rank
        index.append(gain / (np.log10((spent + draws) / spent).mean() + 0.001))
    assert untested[int(np.argmax(index))] == advisor.next()


def test_it_loses_less_than_random_order_and_a_ranking_by_score():
    history = low_rank_history(8, (40, 25))
    losses = {}
    for method in (LowRankCompletion(), RandomOrder(0), AverageRanking(0)):
        of_rows = []
        for row in range(0, 40, 2):
            scores, seconds = history.scores[row], history.seconds[row]
            advisor = method.start(history.without(row), 0.3, USUAL_WINDOW)
            order = follow(advisor, scores, seconds)
            curve = LossTimeCurve.of_tests(scores[order], seconds[order], default_score=0.3)
            of_rows.append(curve.mean_interval_loss(USUAL_WINDOW))
        losses[method.name] = np.mean(of_rows)
    assert losses["low-rank"] < 0.7 * min(losses["random-order-0"], losses["average-ranking-0"])


def test_learners_without_any_score_come_last():
    history = low_rank_history(4)
    scores = history.scores.copy()
    scores[:, [3, 8]] = np.nan
    advisor = LowRankCompletion().start(
        History.from_arrays(scores, history.seconds), 0.4, USUAL_WINDOW
    )
    assert sorted(follow(advisor, [0.5] * 20, [1.0] * 20)[-2:]) == [3, 8]
