import numpy as np
import pytest

from bestofk.data import ringnorm, threenorm, twonorm, waveform
from bestofk.data.generators import SHIFT
from bestofk.errors import InvalidArgumentError

N = 40_000
ALTERNATING = np.where(np.arange(20) % 2 == 0, SHIFT, -SHIFT)


def log_density(x, mean, variance=1.0):
    return -((x - mean) ** 2).sum(axis=1) / (2 * variance) - 10 * np.log(variance)


def bayes_error(data, log_odds_of_first):
    predicted = np.where(log_odds_of_first > 0, 1, 2)
    return np.mean(predicted != data.target)


# Bayes errors as printed in Breiman (1996); 0.004 is four standard errors of 40,000 rows.
def test_twonorm_has_its_printed_bayes_error():
    data = twonorm(N, 1)
    assert bayes_error(data, data.features.sum(axis=1)) == pytest.approx(0.023, abs=0.004)


def test_threenorm_has_its_printed_bayes_error():
    data = threenorm(N, 1)
    x = data.features
    first = np.logaddexp(log_density(x, SHIFT), log_density(x, -SHIFT)) - np.log(2)
    error = bayes_error(data, first - log_density(x, ALTERNATING))
    assert error == pytest.approx(0.105, abs=0.006)


def test_ringnorm_has_its_printed_bayes_error():
    data = ringnorm(N, 1)
    x = data.features
    error = bayes_error(data, log_density(x, 0.0, 4.0) - log_density(x, SHIFT))
    assert error == pytest.approx(0.013, abs=0.004)


def test_the_normal_sets_have_their_moments():
    ring = ringnorm(N, 2)
    wide, narrow = ring.features[ring.target == 1], ring.features[ring.target == 2]
    assert wide.mean() == pytest.approx(0.0, abs=0.02)
    assert wide.std() == pytest.approx(2.0, abs=0.02)
    assert narrow.mean() == pytest.approx(SHIFT, abs=0.02)
    assert narrow.std() == pytest.approx(1.0, abs=0.02)
    two = twonorm(N, 2)
    np.testing.assert_allclose(two.features[two.target == 2].mean(axis=0), -SHIFT, atol=0.04)
    three = threenorm(N, 2)
    np.testing.assert_allclose(
        three.features[three.target == 2].mean(axis=0), ALTERNATING, atol=0.04
    )
    assert three.features[three.target == 1].std() == pytest.approx(np.sqrt(1 + SHIFT**2), abs=0.02)


def test_waveform_classes_have_the_mean_of_their_two_waves():
    data = waveform(N, 3)
    position = np.arange(1, 22)
    first, second, third = (np.maximum(6 - np.abs(position - peak), 0) for peak in (11, 15, 7))
    pairs = {1: (first, second), 2: (first, third), 3: (second, third)}
    for label, (item, other) in pairs.items():
        mean = data.features[data.target == label].mean(axis=0)
        np.testing.assert_allclose(mean, (item + other) / 2, atol=0.08)


def test_classes_are_equally_likely():
    assert twonorm(N, 4).class_counts / N == pytest.approx([0.5, 0.5], abs=0.01)
    assert waveform(N, 4).class_counts / N == pytest.approx([1 / 3] * 3, abs=0.01)


def test_the_same_random_state_gives_the_same_rows():
    assert threenorm(50, 7).id == threenorm(50, 7).id
    assert threenorm(50, 7).id != threenorm(50, 8).id


def test_bad_numbers_are_refused():
    with pytest.raises(InvalidArgumentError, match="a whole number from 1 to 10000000; got 0"):
        twonorm(0)
    with pytest.raises(InvalidArgumentError, match=r"n_samples must be .*; got 1e\+30"):
        ringnorm(1e30)
    with pytest.raises(InvalidArgumentError, match="random_state must be a whole number from 0 up"):
        waveform(5, -1)
