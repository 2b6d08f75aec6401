"""Rules of all learners: the same verdict by another seed, differences known well enough."""

import numpy as np
import pytest
from scipy import stats

from bestofk.errors import InvalidArgumentError
from bestofk.inference import Sampling
from bestofk.stopping import InterimState, NoCrossing, Precision, SameVerdict, stopping_rule


def state(losses, n_folds=3, alpha=0.05, rope=0.01):
    losses = np.asarray(losses)
    n_repeats = losses.shape[1] // n_folds
    sampling = Sampling("k-fold", n_repeats, n_folds, n_train=200, n_test=100)
    return InterimState(losses.T, sampling, alpha, rope)


def scores(means, spread, n_repeats, seed=0):
    rng = np.random.default_rng(seed)
    return rng.normal(np.array(means)[:, None], spread, size=(len(means), 3 * n_repeats))


def test_learners_far_apart_have_the_same_verdict_with_every_seed():
    assert SameVerdict().holds(state(scores([0.1, 0.3, 0.5], 0.01, 5)))


def test_learners_that_are_a_coin_do_not():
    values = scores([0.2, 0.2], 0.02, 5)
    values -= values.mean(axis=1, keepdims=True)
    assert not SameVerdict().holds(state(values + 0.2))


def test_a_higher_share_asks_for_more():
    values = scores([0.2, 0.207], 0.01, 6, seed=3)
    held = [SameVerdict(share).holds(state(values)) for share in (0.05, 0.999999)]
    assert held == [True, False]


def test_one_learner_is_steady_at_once():
    item = state(scores([0.2], 0.1, 3))
    assert SameVerdict().holds(item)
    assert Precision().holds(item)


def test_precision_equals_a_naive_reckoning_of_intervals():
    """Half the interval of the corrected t test against the region, and against the limit."""
    outcomes = set()
    for seed in range(40):
        n_repeats = 2 + seed % 20
        values = scores([0.2, 0.2 + 0.002 * (seed % 9), 0.21], 0.01 + 0.002 * (seed % 7), n_repeats)
        now = state(values)
        n, ratio = values.shape[1], 0.5
        leader = values.mean(axis=1).argmin()
        wanted = True
        for rival in range(3):
            if rival == leader:
                continue
            differences = values[rival] - values[leader]
            error = np.sqrt((1 / n + ratio) * differences.var(ddof=1))
            half = stats.t.ppf(0.975, n - 1) * error
            low, high = differences.mean() - half, differences.mean() + half
            decided = low > 0.01 or high < -0.01 or (low >= -0.01 and high <= 0.01)
            endless = stats.norm.ppf(0.975) * np.sqrt(ratio * differences.var(ddof=1))
            wanted &= decided or half <= max(0.01, 1.1 * endless)
        assert Precision().holds(now) == wanted
        outcomes.add(bool(wanted))
    assert outcomes == {True, False}


def test_precision_ends_where_more_repeats_would_tell_no_more():
    few, many = (state(scores([0.2, 0.22], 0.05, n)) for n in (2, 60))
    assert not Precision().holds(few)
    assert Precision().holds(many)


def test_learners_that_left_are_judged_by_the_splits_they_have():
    values = scores([0.1, 0.12, 0.4], 0.005, 20)
    values[2, 15:] = np.nan
    assert state(values).leader == 0
    assert SameVerdict().holds(state(values))
    assert Precision().holds(state(values))


@pytest.mark.parametrize("name", ["same-verdict", "precision", "no-crossing", "settled-pick"])
def test_rules_are_found_by_name_and_say_what_they_do(name):
    rule = stopping_rule(name)
    assert rule.name == name
    assert rule.title[0].islower()


def test_thresholds_outside_their_range_are_refused():
    with pytest.raises(InvalidArgumentError, match="share of same-verdict must be"):
        SameVerdict(1.0)
    with pytest.raises(InvalidArgumentError, match="excess of precision must be"):
        stopping_rule("precision", excess=0)
    with pytest.raises(InvalidArgumentError, match="quiet_share of no-crossing must be"):
        stopping_rule("no-crossing", quiet_share=1)


def test_running_means_that_crossed_late_go_on():
    """Running means .1 .15 .2 .225 and .2 .15 .13 .125: tied after 2, crossed after 3 repeats."""
    losses = np.repeat([[0.1, 0.2, 0.3, 0.3], [0.2, 0.1, 0.1, 0.1]], 3, axis=1)
    losses = losses + 1e-4 * np.tile([-1, 0, 1], 4) * [[1], [-1]]
    assert not NoCrossing(0.5).holds(state(losses))  # crossed in the last 2 of 4
    assert not NoCrossing(0.3).holds(state(losses))
    assert NoCrossing(0.25).holds(state(losses))  # not in the last 1 of 4


def test_no_crossing_equals_a_naive_walk_over_the_repeats():
    outcomes = set()
    for seed in range(60):
        n_repeats = 3 + seed % 12
        values = scores([0.2, 0.2 + 0.001 * (seed % 7), 0.22], 0.02, n_repeats, seed)
        last = 0
        for repeat in range(1, n_repeats):
            before = values[:, : 3 * repeat].mean(axis=1).argsort()
            now = values[:, : 3 * (repeat + 1)].mean(axis=1).argsort()
            if (before != now).any():
                last = repeat + 1
        expected = last <= 0.5 * n_repeats
        assert NoCrossing().holds(state(values)) == expected
        outcomes.add(expected)
    assert outcomes == {True, False}
