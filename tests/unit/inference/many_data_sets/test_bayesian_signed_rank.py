"""The Bayesian signed-rank test."""

import sys

import numpy as np
import pytest

from bestofk.errors import InvalidArgumentError
from bestofk.inference.many_data_sets.posteriors import (
    bayesian_signed_rank,
    region_masses,
    region_shares,
)

LOSSES = np.array([0.10, 0.21, 0.15, 0.30, 0.25, 0.18, 0.40])


def test_masses_are_those_of_all_pairs_of_differences():
    rng = np.random.default_rng(1)
    differences = np.round(rng.normal(0, 0.02, 9), 2)
    weights = rng.dirichlet(np.ones(10), 20)
    points = np.concatenate([[0.0], differences])
    walsh = np.round((points[:, None] + points) / 2, 12)
    regions = [walsh <= -0.01, abs(walsh) < 0.01, walsh >= 0.01]
    expected = [[w @ region @ w for region in regions] for w in weights]
    np.testing.assert_allclose(region_masses(weights, differences, 0.01), expected, atol=1e-12)


def test_a_difference_of_the_rope_matters_whatever_the_rounding():
    weights = np.array([[0, 0.5, 0.25, 0.25]])
    differences = np.array([0.81 - 0.80, 0.92 - 0.91, 0.5 - 0.51])
    masses = region_masses(weights, differences, 0.01)[0]
    np.testing.assert_allclose(masses, [0.25**2, 2 * 0.75 * 0.25, 0.75**2])


def test_a_difference_of_the_rope_matters_whatever_the_size_of_the_scores():
    level = np.array([1000.0, 2000.0, 3000.0, 0.0])
    far = bayesian_signed_rank(level + 0.01, level, rope=0.01, n_draws=500)
    near = bayesian_signed_rank(np.full(4, 0.01), np.zeros(4), rope=0.01, n_draws=500)
    np.testing.assert_allclose(far.draws, near.draws)


def test_without_a_region_differences_of_zero_count_half():
    weights = np.full((1, 3), 1 / 3)
    masses = region_masses(weights, np.array([0.0, 0.3]), 0.0)[0]
    np.testing.assert_allclose(masses, [4 / 18, 0, 14 / 18])


def test_two_largest_regions_share_a_draw():
    assert region_shares(np.array([[0.4, 0.2, 0.4], [0.1, 0.8, 0.1]])) == (0.25, 0.5, 0.25)


def test_a_learner_that_is_better_everywhere_is_better():
    result = bayesian_signed_rank(LOSSES, LOSSES + 0.05)
    assert (result.p_less, result.p_rope, result.p_greater) == pytest.approx((1, 0, 0), abs=1e-3)
    assert result.estimate == pytest.approx(-0.05)
    assert (result.low, result.high) == pytest.approx((-0.05, -0.05))
    assert result.warnings == ()


def test_the_pseudo_difference_leans_to_where_it_is_put():
    def less(place):
        return bayesian_signed_rank(
            LOSSES, LOSSES[::-1], prior_place=place, prior_strength=2, n_draws=4000
        ).p_less

    assert less("greater") < less("rope") < less("less")


def test_the_same_seed_gives_the_same_draws_in_any_size_of_blocks(monkeypatch):
    whole = bayesian_signed_rank(LOSSES, LOSSES[::-1], n_draws=100)
    monkeypatch.setattr(sys.modules[bayesian_signed_rank.__module__], "_BLOCK", 80)
    parts = bayesian_signed_rank(LOSSES, LOSSES[::-1], n_draws=100)
    np.testing.assert_array_equal(whole.draws, parts.draws)
    other = bayesian_signed_rank(LOSSES, LOSSES[::-1], n_draws=100, random_state=1)
    assert not np.array_equal(whole.draws, other.draws)


def test_identical_scores_lie_in_the_region_and_are_flagged():
    result = bayesian_signed_rank(LOSSES, LOSSES)
    assert (result.p_less, result.p_rope, result.p_greater) == (0, 1, 0)
    assert result.flags == ("all_ties",)
    assert [warning.code for warning in result.warnings] == ["degenerate"]
    without = bayesian_signed_rank(LOSSES, LOSSES, rope=0)
    assert (without.p_less, without.p_rope, without.p_greater) == (0.5, 0, 0.5)


def test_few_data_sets_are_warned_of_with_the_weight_of_the_prior():
    result = bayesian_signed_rank([0.1, 0.2], [0.2, 0.3])
    assert [warning.code for warning in result.warnings] == ["few-scores"]
    assert "20% of the weight" in result.warnings[0]


def test_the_table_is_without_the_draws():
    frame = bayesian_signed_rank(LOSSES, LOSSES + 0.05, n_draws=10).to_frame()
    assert "draws" not in frame
    assert frame["p_less"].tolist() == [1.0]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"rope": -1}, "rope must be a number of at least 0.*got -1"),
        ({"rope": float("nan")}, "rope must be a number of at least 0.*got nan"),
        ({"prior_strength": 0}, "prior_strength must be a number above 0; got 0"),
        ({"prior_place": "ropes"}, "prior_place must be a known one.*Did you mean 'rope'"),
        ({"n_draws": 0}, "n_draws must be a whole number from 1 up; got 0"),
        ({"level": 95}, "level must be a number above 0 and below 1; got 95"),
    ],
)
def test_options_out_of_range_are_refused(options, message):
    with pytest.raises(InvalidArgumentError, match=message):
        bayesian_signed_rank(LOSSES, LOSSES + 0.01, **options)
