import numpy as np
import pandas as pd
import pytest

from bestofk.errors import DesignError, InvalidArgumentError
from bestofk.inference import Sampling, confidence_set_p_values, model_confidence_set

# arch 8.0.0, MCS of `table` on the samples of `blocks`: (seed, periods, learners, block), method.
ARCH = [
    ((0, 20, 3, 3), "max", [1.0, 0.7305, 0.0]),
    ((0, 20, 3, 3), "range", [1.0, 0.7305, 0.0005]),
    ((1, 30, 5, 1), "max", [0.9955, 1.0, 0.9955, 0.0035, 0.0]),
    ((1, 30, 5, 1), "range", [0.9895, 1.0, 0.9895, 0.0275, 0.0]),
    ((2, 50, 6, 4), "max", [1.0, 0.111, 0.0055, 0.0055, 0.0015, 0.0015]),
    ((2, 50, 6, 4), "range", [1.0, 0.111, 0.0, 0.0, 0.0, 0.0]),
    ((3, 24, 4, 6), "max", [1.0, 0.08, 0.0015, 0.0015]),
    ((3, 24, 4, 6), "range", [1.0, 0.08, 0.0055, 0.003]),
]
# MCS 0.1.3 of R, B = 20000: p value of each step until one learner is left; blocks of 3 periods
# that start at different places, which is what it does.
R_STEPS = {
    "max": {"E": 0.0162, "D": 0.547, "C": 0.29585, "A": 0.6348},
    "range": {"E": 0.01725, "D": 0.4705, "C": 0.3728, "A": 0.63655},
}


def table(seed, n_periods, n_learners):
    rng = np.random.default_rng(seed)
    shared = rng.normal(size=(n_periods, 1))
    return shared + rng.normal(np.linspace(0, 0.8, n_learners), 0.7, size=(n_periods, n_learners))


def blocks(seed, n_periods, n_draws, length):
    rng = np.random.default_rng(seed)
    starts = rng.integers(n_periods, size=(n_draws, -(-n_periods // length), 1))
    return (starts + np.arange(length)).reshape(n_draws, -1)[:, :n_periods] % n_periods


def naive_p_values(losses, indices, statistic):
    """Return p values by the definition, one sample and one pair after the other."""
    n_learners = losses.shape[1]
    left, p_values, largest = list(range(n_learners)), np.ones(n_learners), 0.0
    while len(left) > 1:
        means, samples = losses.mean(axis=0), [losses[rows].mean(axis=0) for rows in indices]
        if statistic == "range":
            contrasts = {(i, j): [(i,), (j,)] for i in left for j in left if i != j}
        else:
            contrasts = {(i,): [(i,), tuple(left)] for i in left}
        found, drawn = {}, []
        for key, (first, second) in contrasts.items():
            gap = means[list(first)].mean() - means[list(second)].mean()
            star = np.array([s[list(first)].mean() - s[list(second)].mean() for s in samples])
            spread = np.sqrt(((star - gap) ** 2).mean())
            found[key] = gap / spread
            drawn.append((star - gap) / spread)
        worst = max(found, key=found.get)
        largest = max(largest, (np.max(drawn, axis=0) > found[worst]).mean())
        p_values[worst[0]] = largest
        left.remove(worst[0])
    return p_values


@pytest.mark.parametrize(("case", "statistic", "p_values"), ARCH)
def test_arch_comes_out_on_the_same_samples(case, statistic, p_values):
    seed, n_periods, n_learners, length = case
    indices = blocks(seed, n_periods, 2000, length)
    got = confidence_set_p_values(table(seed, n_periods, n_learners), indices, statistic)
    np.testing.assert_allclose(got, p_values, rtol=0, atol=1e-12)


@pytest.mark.parametrize("statistic", ["max", "range"])
@pytest.mark.parametrize("seed", range(5))
def test_p_values_are_those_of_the_definition(statistic, seed):
    losses, indices = table(seed, 15, 4), blocks(seed, 15, 60, 2)
    expected = naive_p_values(losses, indices, statistic)
    np.testing.assert_allclose(
        confidence_set_p_values(losses, indices, statistic), expected, rtol=0, atol=1e-12
    )


@pytest.mark.parametrize("statistic", ["max", "range"])
def test_the_package_of_r_comes_out_within_the_error_of_its_draws(statistic):
    rng = np.random.default_rng(5)
    losses = rng.normal(size=(120, 1)) + rng.normal(size=(120, 5)) * 0.8
    losses = (losses + np.array([0, 0.03, 0.12, 0.2, 0.3])).round(2)
    n_draws, names = 20_000, list("ABCDE")
    draws = np.random.default_rng(1)
    starts = np.array([draws.choice(117, 41, replace=False) + 1 for _ in range(n_draws)])
    indices = (starts[:, :, None] + np.arange(3)).reshape(n_draws, -1)[:, :120]
    largest = 0.0
    for worst, p in R_STEPS[statistic].items():
        got = confidence_set_p_values(losses, indices, statistic)[names.index(worst)]
        assert got == pytest.approx(p, abs=4 * np.sqrt(2 * 0.25 / n_draws))
        largest = max(largest, got)
        losses = np.delete(losses, names.index(worst), axis=1)
        names.remove(worst)
    assert largest < 1


def test_members_have_a_p_value_above_alpha_and_scores_are_losses_with_the_other_sign():
    result = model_confidence_set(table(2, 50, 6), alpha=0.1)
    names = np.array(result.names)
    assert tuple(names[result.p_value > 0.1]) == result.members == ("learner 1", "learner 2")
    assert result.p_value.max() == 1
    losses = table(1, 30, 4)
    np.testing.assert_array_equal(
        model_confidence_set(losses).p_value,
        model_confidence_set(-losses, greater_is_better=True).p_value,
    )


@pytest.mark.parametrize("statistic", ["max", "range"])
def test_the_order_of_learners_is_of_no_matter_also_of_equal_ones(statistic):
    losses = table(1, 30, 4)[:, [0, 3, 1, 3, 2, 1]]
    order = [5, 1, 4, 0, 3, 2]
    p_values = model_confidence_set(losses, statistic=statistic).p_value
    np.testing.assert_array_equal(
        model_confidence_set(losses[:, order], statistic=statistic).p_value, p_values[order]
    )
    assert p_values[1] == p_values[3]
    assert p_values[2] == p_values[5]


@pytest.mark.parametrize("statistic", ["max", "range"])
def test_learners_that_differ_by_a_constant_have_the_stated_limits(statistic):
    shared = table(0, 20, 1)
    same = model_confidence_set(shared + np.zeros(3), statistic=statistic)
    apart = model_confidence_set(shared + np.array([0.5, 0, 0.25]), statistic=statistic)
    assert same.p_value.tolist() == [1, 1, 1]
    assert apart.p_value.tolist() == [0, 1, 0]
    assert same.flags == apart.flags == ("zero_variance",)
    assert model_confidence_set(table(0, 20, 3)).flags == ()


@pytest.mark.parametrize(("horizon", "length"), [(1, 3), (2, 3), (6, 6)])
def test_blocks_are_at_least_as_long_as_the_horizon(monkeypatch, horizon, length):
    drawn = []
    monkeypatch.setattr(
        "bestofk.inference.many_learners.model_confidence_set.confidence_set_p_values",
        lambda losses, indices, statistic: drawn.append(indices) or np.ones(4),
    )
    sampling = Sampling("forward", 24, 1, horizon=horizon)
    model_confidence_set(table(4, 24, 4), sampling=sampling, n_draws=500)
    (indices,) = drawn
    starts = indices[:, ::length]
    assert indices.shape == (500, 24)
    np.testing.assert_array_equal(np.repeat(starts, length, axis=1)[:, :24]
                                  + np.arange(24) % length, indices + 24 * (indices < np.repeat(
                                      starts, length, axis=1)[:, :24]))  # fmt: skip
    assert set(np.unique(starts)) == set(range(24))


def test_a_data_frame_names_the_learners_and_few_periods_are_said():
    frame = pd.DataFrame(table(0, 12, 2), columns=["ridge", "cart"])
    result = model_confidence_set(frame)
    assert result.names == ("ridge", "cart")
    assert any("Only 12 periods" in text for text in result.warnings)
    assert not any("Only" in text for text in model_confidence_set(table(0, 20, 2)).warnings)
    assert all("Measured" in r.warnings[0] for r in (result, model_confidence_set(table(0, 20, 2))))


def test_what_cannot_be_done_is_refused():
    losses = table(0, 12, 3)
    with pytest.raises(DesignError, match="at least 8 periods, and there are 7"):
        model_confidence_set(losses[:7])
    with pytest.raises(DesignError, match="needs test periods in order of time"):
        model_confidence_set(losses, sampling=Sampling("k-fold", 1, 12))
    with pytest.raises(InvalidArgumentError, match="Did you mean 'range'"):
        model_confidence_set(losses, statistic="rang")
