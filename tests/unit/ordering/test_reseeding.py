"""Would other seeds say the same: sure where learners are apart, a coin where they are not."""

from __future__ import annotations

import numpy as np
import pytest

from bestofk.inference import PAIRED_TESTS, Sampling
from bestofk.ordering.pair_evidence import compare_on_splits
from bestofk.ordering.reseeding import reseed


def reseeded(losses, best, **options):
    """Say what other seeds would say of losses per repeat, each a single split."""
    sampling = Sampling("hold-out", losses.shape[1], 1, n_train=100, n_test=50)
    found = compare_on_splits(losses, "corrected-t", sampling, is_complete=True)
    return reseed(losses, found.compared, best=best, alpha=0.05, **options)


def normal(means, n_repeats, spread, seed=0):
    rng = np.random.default_rng(seed)
    return rng.normal(np.array(means)[:, None], spread, size=(len(means), n_repeats))


def test_learners_far_apart_are_named_the_same_by_every_seed():
    found = reseeded(normal([0.1, 0.3, 0.5], 20, 0.001), best=0)
    assert (found.best.value, found.order.value, found.candidates.value) == (1, 1, 1)
    assert found.reproducibility[0, 1] == 1
    assert found.n_repeats == 20


def test_two_learners_without_a_difference_are_a_coin():
    losses = normal([0.2], 40, 0.01)
    noise = normal([0.0], 40, 0.01, seed=1)
    losses = np.vstack([losses, losses + noise - noise.mean()])
    found = reseeded(losses, best=0)
    assert found.best.value == pytest.approx(0.5, abs=0.05)
    assert found.reproducibility[0, 1] < 0.1


def test_ties_are_sure_where_the_lowest_mean_is_a_coin():
    losses = normal([0.2], 40, 0.01)
    noise = normal([0.0], 40, 0.001, seed=1)
    losses = np.vstack([losses, losses + noise - noise.mean()])
    assert reseeded(losses, best=0).best.value == pytest.approx(0.5, abs=0.05)
    assert reseeded(losses, best=0, indifference=0.005).best.value == 1
    found = reseeded(losses + np.array([[0.005], [0]]), best=0, indifference=0.005)
    assert found.best.value == pytest.approx(0.5, abs=0.05)


def test_the_pick_stands_first_in_an_order_and_the_others_by_mean():
    losses = normal([0.204, 0.3, 0.2, 0.25], 20, 1e-4)
    found = reseeded(losses, best=0, indifference=0.005)
    assert (found.best.value, found.order.value) == (1, 1)


def test_the_stated_probability_is_that_of_fresh_repeats_on_average():
    """What is stated is held against fresh repeats of the same law, over many draws."""
    stated, came_out = [], []
    for seed in range(150):
        rng = np.random.default_rng(seed)
        means = [0.2, 0.2 + abs(rng.normal(0, 0.004)), 0.21]
        first, other = (normal(means, 15, 0.01, seed=(seed, k)) for k in (0, 1))
        best = int(first.mean(axis=1).argmin())
        stated.append(reseeded(first, best=best).best.value)
        came_out.append(other.mean(axis=1).argmin() == best)
    assert np.mean(stated) == pytest.approx(np.mean(came_out), abs=0.08)


def test_probability_and_interval_are_in_order():
    found = reseeded(normal([0.20, 0.205, 0.21, 0.3], 10, 0.01), best=0)
    for chance in (found.best, found.candidates, found.order):
        assert 0 <= chance.low <= chance.value <= chance.high <= 1
    assert np.array_equal(found.reproducibility, found.reproducibility.T)


def test_learners_that_left_earlier_are_judged_by_the_repeats_they_have():
    losses = normal([0.1, 0.12, 0.4], 20, 0.01)
    losses[2, 5:] = np.nan
    found = reseeded(losses, best=0)
    assert found.best.value > 0.95
    assert found.reproducibility[0, 2] == 1


def test_more_repeats_make_the_same_difference_surer():
    def share(n_repeats):
        losses = normal([0.2, 0.2], n_repeats, 0.01)
        losses -= losses.mean(axis=1, keepdims=True)
        return reseeded(losses + np.array([[0.2], [0.205]]), best=0).best.value

    assert share(5) < share(20) < share(80)


def test_the_preferred_learner_is_named_again_where_nobody_is_shown_better():
    found = reseeded(normal([0.20, 0.201], 10, 0.01), best=0, preferred=[1, 0])
    assert found.best.value > 0.9


def test_the_same_repeats_give_the_same_figures():
    losses = normal([0.2, 0.21], 10, 0.01)
    first, second = (reseeded(losses, best=0) for _ in range(2))
    assert first.best == second.best
    assert np.array_equal(first.reproducibility, second.reproducibility)


def test_two_repeats_or_one_learner_say_nothing():
    assert reseeded(normal([0.2, 0.3], 2, 0.01), best=0) is None
    assert reseeded(normal([0.2], 9, 0.01), best=0) is None


def test_scores_that_never_vary_are_sure():
    losses = np.array([[0.2] * 6, [0.3] * 6, [0.3] * 6])
    found = reseeded(losses, best=0)
    assert found.best.value == 1
    assert found.order.value == 1


def test_candidates_are_left_open_by_a_test_that_does_not_rest_on_the_mean():
    assert "5x2cv-t" in PAIRED_TESTS
    losses = normal([0.2, 0.25], 10, 0.02)
    sampling = Sampling("k-fold", 5, 2, n_train=50, n_test=50)
    compared = compare_on_splits(losses, "5x2cv-t", sampling, is_complete=True).compared
    per_repeat = losses.reshape(2, 5, 2).mean(axis=2)
    found = reseed(per_repeat, compared, best=0, alpha=0.05)
    assert found.candidates is None
    assert found.best.value > 0.5
