"""Fresh runs: simulated truths, limits, and the winner's curse against its definition."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import brentq
from scipy.stats import truncnorm

from bestofk.audits import another_seed
from bestofk.audits.another_seed import (
    keeps_claim,
    shared_correlation,
    standard_errors,
    toss_up_error,
    usual_errors,
    winners_curse,
)
from bestofk.audits.claim import parse_claim

LOSSES = np.array([[0.10, 0.12, 0.2], [0.20, 0.21, 0.3], [0.15, 0.16, 0.2], [0.3, 0.29, 0.4]])
CLAIM = parse_claim("a best", "abc", LOSSES, by_rank=False)


def test_the_mean_of_folds_varies_less_than_that_of_independent_splits():
    spreads = np.array([[0.1]])
    assert standard_errors(spreads, 25, 1) == pytest.approx(0.02)
    assert standard_errors(spreads, 1, 10) == pytest.approx(0.1 / np.sqrt(10 * 2.8))
    assert standard_errors(spreads, 4, 10) == pytest.approx(0.05 / np.sqrt(10 * 2.8))


def test_without_noise_a_claim_is_kept_and_with_much_noise_it_is_down_to_chance():
    assert keeps_claim(CLAIM, LOSSES, np.zeros_like(LOSSES)) > 0.99
    assert keeps_claim(CLAIM, LOSSES, np.full_like(LOSSES, 100)) == pytest.approx(1 / 3, abs=0.06)


def test_what_learners_share_moves_no_lead():
    errors = np.full_like(LOSSES, 0.02)
    alone, together = (keeps_claim(CLAIM, LOSSES, errors, r) for r in (0.3, 0.95))
    assert together > alone + 0.1


def test_the_stated_probability_is_that_of_fresh_tables_of_many_truths(monkeypatch):
    """Truths from a wide prior, so that nothing is shrunk: odds to the power 1."""
    monkeypatch.setattr(another_seed, "POWER_OF_ODDS", 1)
    rng = np.random.default_rng(8)
    errors = np.full((5, 2), 0.02)

    def noisy(truth):
        shared = rng.normal(0, np.sqrt(0.3), (5, 1))
        return truth + errors * (shared + rng.normal(0, np.sqrt(0.7), (5, 2)))

    stated, kept = [], []
    for _ in range(300):
        truth = rng.normal(0, 0.05, (5, 2))
        published = noisy(truth)
        claim = parse_claim(None, "ab", published, by_rank=False)
        stated.append(keeps_claim(claim, published, errors))
        kept.append(bool(claim.holds(noisy(truth))))
    assert np.mean(stated) == pytest.approx(np.mean(kept), abs=0.05)


def test_spreads_that_are_alike_tell_that_deviations_go_together():
    rng = np.random.default_rng(2)
    scores = rng.normal(size=(60, 4, 10))
    shared = rng.normal(size=(60, 1, 10))
    found = [
        shared_correlation((np.sqrt(1 - r) * scores + np.sqrt(r) * shared).std(axis=2, ddof=1), 10)
        for r in (0.0, 0.9)
    ]
    assert found[0] == 0.3
    assert found[1] == pytest.approx(0.9, abs=0.05)
    assert shared_correlation(np.zeros((3, 2)), 10) == 0.3


def test_the_toss_up_is_where_two_of_three_fresh_runs_keep_the_claim():
    error = toss_up_error(CLAIM, LOSSES)
    odds = (2) ** another_seed.POWER_OF_ODDS
    kept = keeps_claim(CLAIM, LOSSES, np.full_like(LOSSES, error))
    assert kept == pytest.approx(odds / (1 + odds), abs=0.04)


def test_usual_spreads_are_in_the_unit_of_the_values_and_of_shares_alone():
    low, high = usual_errors(np.array([[98.0, 97.0]]), 100.0)
    assert (low, high) == pytest.approx((0.07, 0.47))
    assert usual_errors(np.array([[0.02, 0.03]]), 1.0) == pytest.approx((0.0007, 0.0047))
    assert np.isnan(usual_errors(np.array([[350.0, 2.0]]), 100.0)).all()


def test_estimates_of_the_winner_are_median_unbiased_given_that_it_won():
    """The conditional estimate by its definition, without correlation."""
    losses = np.array([[0.100, 0.104, 0.12]])
    errors = np.full((1, 3), 0.01)
    curse = winners_curse(losses, errors, 0, correlation=0.0)

    def excess(mean):  # the winner's value is above the runner-up's
        return truncnorm.cdf(-0.1, (-0.104 - mean) / 0.01, np.inf, mean, 0.01) - 0.5

    expected = brentq(excess, -0.3, -0.1)
    assert curse.lead == pytest.approx(0.004)
    assert curse.conditional == pytest.approx(expected + 0.104)
    assert curse.conditional <= curse.hybrid < curse.lead
    assert curse.empirical_bayes < curse.lead


def test_a_clear_winner_and_exact_values_lose_nothing():
    clear = winners_curse(LOSSES - [1, 0, 0], np.full_like(LOSSES, 0.001), 0)
    assert clear.conditional == pytest.approx(clear.lead) == pytest.approx(clear.hybrid)
    exact = winners_curse(LOSSES, np.zeros_like(LOSSES), 0)
    assert len({exact.lead, exact.conditional, exact.hybrid, exact.empirical_bayes}) == 1
