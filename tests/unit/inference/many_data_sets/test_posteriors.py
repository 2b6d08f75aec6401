"""The Bayesian signed-rank test, and the hierarchical comparison of two learners."""

import sys

import numpy as np
import pytest

from bestofk.errors import DesignError, InvalidArgumentError
from bestofk.inference.many_data_sets.posteriors import (
    bayesian_signed_rank,
    hierarchical_bayes,
    region_masses,
    region_shares,
)
from bestofk.inference.sampling import Sampling

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


def test_a_difference_of_the_rope_matters_whatever_the_rounding_and_the_size_of_the_scores():
    weights = np.array([[0, 0.5, 0.25, 0.25]])
    differences = np.array([0.81 - 0.80, 0.92 - 0.91, 0.5 - 0.51])
    masses = region_masses(weights, differences, 0.01)[0]
    np.testing.assert_allclose(masses, [0.25**2, 2 * 0.75 * 0.25, 0.75**2])
    level = np.array([1000.0, 2000.0, 3000.0, 0.0])
    far = bayesian_signed_rank(level + 0.01, level, rope=0.01, n_draws=500)
    near = bayesian_signed_rank(np.full(4, 0.01), np.zeros(4), rope=0.01, n_draws=500)
    np.testing.assert_allclose(far.draws, near.draws)


def test_differences_of_zero_and_the_two_largest_regions_count_half():
    weights = np.full((1, 3), 1 / 3)
    masses = region_masses(weights, np.array([0.0, 0.3]), 0.0)[0]
    np.testing.assert_allclose(masses, [4 / 18, 0, 14 / 18])
    assert region_shares(np.array([[0.4, 0.2, 0.4], [0.1, 0.8, 0.1]])) == (0.25, 0.5, 0.25)


def test_limits_few_data_sets_and_what_the_table_leaves_out():
    result = bayesian_signed_rank(LOSSES, LOSSES + 0.05)
    assert (result.p_less, result.p_rope, result.p_greater) == pytest.approx((1, 0, 0), abs=1e-3)
    assert result.estimate == pytest.approx(-0.05)
    assert (result.low, result.high) == pytest.approx((-0.05, -0.05))
    assert result.warnings == ()
    result = bayesian_signed_rank(LOSSES, LOSSES)
    assert (result.p_less, result.p_rope, result.p_greater) == (0, 1, 0)
    assert result.flags == ("all_ties",)
    assert [warning.code for warning in result.warnings] == ["degenerate"]
    without = bayesian_signed_rank(LOSSES, LOSSES, rope=0)
    assert (without.p_less, without.p_rope, without.p_greater) == (0.5, 0, 0.5)
    result = bayesian_signed_rank([0.1, 0.2], [0.2, 0.3])
    assert [warning.code for warning in result.warnings] == ["few-scores"]
    assert "20% of the weight" in result.warnings[0]
    frame = bayesian_signed_rank(LOSSES, LOSSES + 0.05, n_draws=10).to_frame()
    assert "draws" not in frame
    assert frame["p_less"].tolist() == [1.0]


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


FOLDS = Sampling("k-fold", 10, 10, n_train=90, n_test=10)
NOISE = np.array([-0.02, -0.01, 0.0, 0.01, 0.02])
FIVE = Sampling("k-fold", 1, 5, n_train=80, n_test=20)


def drawn(n_data_sets, center, spread, seed):
    """Draw correlated differences around true ones."""
    rng = np.random.default_rng(seed)
    true = center + spread * rng.standard_t(8, size=n_data_sets)
    shared = 0.02 * np.sqrt(0.1) * rng.normal(size=(n_data_sets, 1))
    noise = 0.02 * np.sqrt(0.9) * rng.normal(size=(n_data_sets, 100))
    return true, true[:, None] + shared + noise


@pytest.fixture(scope="module")
def many():
    true, differences = drawn(40, 0.02, 0.01, seed=3)
    return true, hierarchical_bayes(differences, samplings=FOLDS, rope=0.01)


def test_a_known_truth_is_recovered_and_shrunken_differences_are_nearer_to_it(many):
    true, result = many
    assert result.low < 0.02 < result.high
    assert result.high - result.low < 0.012
    assert 0.006 < result.spread < 0.016
    assert result.next_greater == pytest.approx(np.mean(true > 0.01), abs=0.05)
    assert result.next_less == pytest.approx(np.mean(true < -0.01), abs=0.05)
    assert result.p_greater > 0.99
    observed, shrunken = np.array(result.observed), np.array(result.shrunken)
    assert np.mean((shrunken - true) ** 2) < np.mean((observed - true) ** 2)
    far = np.argmax(np.abs(observed - np.median(observed)))
    assert abs(shrunken[far] - result.estimate) < abs(observed[far] - result.estimate)


def test_equal_learners_lie_in_the_region_and_the_text_names_the_next_data_set():
    _, differences = drawn(20, 0.0, 0.001, seed=5)
    result = hierarchical_bayes(differences, samplings=FOLDS, rope=0.02)
    assert result.p_rope > 0.99
    assert result.warnings == ()
    result = hierarchical_bayes([NOISE] * 6, samplings=FIVE)
    assert "next data set: below, within, above" in str(result)
    assert "hierarchical" in repr(result)


def test_probabilities_swap_with_the_learners_and_the_unit_changes_nothing_else():
    data_sets = [NOISE + mean for mean in (0.0, 0.01, 0.05, 0.02, 0.04, 0.03)]
    posterior = hierarchical_bayes(data_sets, samplings=FIVE)
    two = hierarchical_bayes([-d for d in data_sets], samplings=[FIVE] * 6)
    assert posterior.p_less + posterior.p_rope + posterior.p_greater == pytest.approx(1)
    np.testing.assert_allclose(posterior.draws.sum(axis=1), 1)
    assert posterior.estimate == pytest.approx(-two.estimate, abs=2e-3)
    assert posterior.p_greater == pytest.approx(two.p_less, abs=0.02)
    data_sets = [NOISE + mean for mean in (0.0, 0.01, 0.05, 0.02)]
    posterior = hierarchical_bayes(data_sets, samplings=FIVE, rope=0.01)
    percent = hierarchical_bayes([100 * d for d in data_sets], samplings=FIVE, rope=1)
    assert percent.estimate == pytest.approx(100 * posterior.estimate)
    assert percent.p_greater == pytest.approx(posterior.p_greater, abs=1e-3)
    assert [w.code for w in posterior.warnings] == ["few-scores"]


def test_data_sets_without_noise_take_that_of_the_others_or_are_still_weighed():
    data_sets = [NOISE + mean for mean in (0.0, 0.01, 0.05, 0.02, 0.03)] + [np.full(5, 0.03)]
    result = hierarchical_bayes(data_sets, samplings=FIVE)
    assert result.flags == ("zero_variance",)
    assert [w.code for w in result.warnings] == ["degenerate"]
    assert "1 of 6 data sets" in result.warnings[0]
    result = hierarchical_bayes([[m] * 5 for m in (0.02, 0.03, 0.04, 0.03, 0.05)], samplings=FIVE)
    assert result.shrunken == pytest.approx(result.observed, abs=1e-4)
    assert 0.01 < result.low < result.high < 0.06


@pytest.mark.parametrize(
    ("value", "rope", "expected"),
    [(0.03, 0.01, (0, 0, 1)), (-0.03, 0, (1, 0, 0)), (0.0, 0.01, (0, 1, 0)), (0, 0, (0.5, 0, 0.5))],
)
def test_where_nothing_varies_all_mass_is_at_the_one_difference(value, rope, expected):
    result = hierarchical_bayes([[value] * 5] * 4, samplings=FIVE, rope=rope)
    assert (result.p_less, result.p_rope, result.p_greater) == expected
    assert (result.low, result.estimate, result.high) == (value, value, value)
    assert result.flags == ("zero_variance",)


@pytest.mark.parametrize(
    ("differences", "samplings", "message"),
    [
        ([NOISE, ["a", "b"], NOISE], FIVE, "on data set 2 must be numbers; got list that is not"),
        ([NOISE] * 2, FIVE, "at least 3 data sets; got 2"),
        ([NOISE, NOISE, [0.1]], FIVE, "on data set 3 must be at least 2 numbers"),
        ([NOISE, [0.1, np.nan], NOISE], FIVE, "data set 2 must be finite; got nan at score 2"),
        ([NOISE] * 3, Sampling("k-fold", 1, 5), "n_train and n_test of data set 1 must be known"),
    ],
)
def test_differences_that_cannot_carry_it_are_refused(differences, samplings, message):
    with pytest.raises(DesignError, match=message):
        hierarchical_bayes(differences, samplings=samplings)


def test_samplings_are_one_per_data_set():
    with pytest.raises(InvalidArgumentError, match=r"one per data set \(3\); got 2"):
        hierarchical_bayes([NOISE] * 3, samplings=[FIVE] * 2)
