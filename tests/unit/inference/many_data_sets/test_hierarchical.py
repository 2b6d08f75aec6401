"""The hierarchical comparison of two learners over data sets."""

import numpy as np
import pytest

from bestofk.errors import DesignError, InvalidArgumentError
from bestofk.inference.many_data_sets.posteriors import hierarchical_bayes
from bestofk.inference.sampling import Sampling

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


def test_a_known_truth_is_recovered(many):
    true, result = many
    assert result.low < 0.02 < result.high
    assert result.high - result.low < 0.012
    assert 0.006 < result.spread < 0.016
    assert result.next_greater == pytest.approx(np.mean(true > 0.01), abs=0.05)
    assert result.next_less == pytest.approx(np.mean(true < -0.01), abs=0.05)
    assert result.p_greater > 0.99


def test_shrunken_differences_are_nearer_to_the_truth(many):
    true, result = many
    observed, shrunken = np.array(result.observed), np.array(result.shrunken)
    assert np.mean((shrunken - true) ** 2) < np.mean((observed - true) ** 2)
    far = np.argmax(np.abs(observed - np.median(observed)))
    assert abs(shrunken[far] - result.estimate) < abs(observed[far] - result.estimate)


def test_equal_learners_lie_in_the_region():
    _, differences = drawn(20, 0.0, 0.001, seed=5)
    result = hierarchical_bayes(differences, samplings=FOLDS, rope=0.02)
    assert result.p_rope > 0.99
    assert result.warnings == ()


def test_probabilities_add_up_and_swap_with_the_learners():
    data_sets = [NOISE + mean for mean in (0.0, 0.01, 0.05, 0.02, 0.04, 0.03)]
    posterior = hierarchical_bayes(data_sets, samplings=FIVE)
    two = hierarchical_bayes([-d for d in data_sets], samplings=[FIVE] * 6)
    assert posterior.p_less + posterior.p_rope + posterior.p_greater == pytest.approx(1)
    np.testing.assert_allclose(posterior.draws.sum(axis=1), 1)
    assert posterior.estimate == pytest.approx(-two.estimate, abs=2e-3)
    assert posterior.p_greater == pytest.approx(two.p_less, abs=0.02)


def test_the_unit_of_the_scores_changes_nothing_else():
    data_sets = [NOISE + mean for mean in (0.0, 0.01, 0.05, 0.02)]
    posterior = hierarchical_bayes(data_sets, samplings=FIVE, rope=0.01)
    percent = hierarchical_bayes([100 * d for d in data_sets], samplings=FIVE, rope=1)
    assert percent.estimate == pytest.approx(100 * posterior.estimate)
    assert percent.p_greater == pytest.approx(posterior.p_greater, abs=1e-3)
    assert [w.code for w in posterior.warnings] == ["few-scores"]


def test_a_data_set_without_noise_takes_that_of_the_others():
    data_sets = [NOISE + mean for mean in (0.0, 0.01, 0.05, 0.02, 0.03)] + [np.full(5, 0.03)]
    result = hierarchical_bayes(data_sets, samplings=FIVE)
    assert result.flags == ("zero_variance",)
    assert [w.code for w in result.warnings] == ["degenerate"]
    assert "1 of 6 data sets" in result.warnings[0]


def test_differences_of_data_sets_that_vary_nowhere_else_are_still_weighed():
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


def test_what_is_said_names_the_next_data_set():
    result = hierarchical_bayes([NOISE] * 6, samplings=FIVE)
    assert "next data set: below, within, above" in str(result)
    assert "hierarchical" in repr(result)


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
