"""Verdicts of other seeds: certain for distant learners, random for equal ones."""

import numpy as np
import pytest
from scipy import stats

from bestofk.inference import Sampling
from bestofk.inference.many_learners.mean_losses import lowest_loss
from bestofk.inference.many_learners.pair_evidence import compare_on_splits
from bestofk.inference.many_learners.reseeding import reseed
from bestofk.verdict.rules import candidate_set


def reseeded(losses, best, n_folds=1, **options):
    """Say what other seeds would say of losses per split; each is a repeat by default."""
    n_repeats = losses.shape[1] // n_folds
    scheme = "hold-out" if n_folds == 1 else "k-fold"
    sampling = Sampling(scheme, n_repeats, n_folds, n_train=100, n_test=50)
    evidence = compare_on_splits(losses.T, "corrected-t", sampling, is_complete=True)
    repeat = np.repeat(np.arange(n_repeats), n_folds)
    return reseed(losses.T, repeat, evidence.compared, best=best, alpha=0.05, **options)


def normal(means, n_repeats, spread, seed=0):
    rng = np.random.default_rng(seed)
    return rng.normal(np.array(means)[:, None], spread, size=(len(means), n_repeats))


def test_learners_far_apart_or_the_same_are_judged_the_same_by_every_seed():
    result = reseeded(normal([0.1, 0.3, 0.5], 20, 0.001), best=0)
    assert (result.best.value, result.order.value, result.candidates.value) == (1, 1, 1)
    assert result.reproducibility[0, 1] == 1
    assert result.n_repeats == 20
    result = reseeded(normal([0.2], 6, 0.01)[[0, 0]], best=0)
    assert (result.best.value, result.candidates.value, result.order.value) == (1, 1, 1)
    losses = normal([0.204, 0.3, 0.2, 0.25], 20, 1e-4)
    result = reseeded(losses, best=0, indifference=0.005)
    assert (result.best.value, result.order.value) == (1, 1)


def test_without_a_difference_the_pick_is_a_coin_unless_ties_are_allowed():
    losses = normal([0.2], 40, 0.01)

    def pick_of(spread, shift=0.0, **options):
        noise = normal([0.0], 40, spread, seed=1)
        both = np.vstack([losses + shift, losses + noise - noise.mean()])
        return reseeded(both, best=0, **options)

    coin = pick_of(0.01)
    assert coin.best.value == pytest.approx(0.5, abs=0.05)
    assert coin.reproducibility[0, 1] < 0.1
    assert pick_of(0.001).best.value == pytest.approx(0.5, abs=0.05)
    assert pick_of(0.001, indifference=0.005).best.value == 1
    at_its_end = pick_of(0.001, shift=0.005, indifference=0.005)
    assert at_its_end.best.value == pytest.approx(0.5, abs=0.05)


def verdict_of(losses, n_repeats):
    """Return lowest mean, candidates and test of losses per repeat."""
    sampling = Sampling("hold-out", n_repeats, 1, n_train=200, n_test=100)
    compared = compare_on_splits(losses.T, "corrected-t", sampling, is_complete=True).compared
    is_candidate, _ = candidate_set(compared.p_greater, alpha=0.05)
    return lowest_loss(losses.mean(axis=1)), is_candidate.tobytes(), compared


def test_what_is_stated_is_what_fresh_repeats_of_a_known_law_do():
    """The claim of one protocol against thirty fresh ones of the same normal law, 120 laws."""
    n_repeats, n_fresh, stated, true = 12, 30, [], []
    root = 0.02 * (np.eye(3) + 0.5)
    for seed in range(120):
        rng = np.random.default_rng((seed, 1))
        means = 0.2 + rng.normal(0, 0.02, size=(3, 1))
        drawn = means + root @ rng.standard_normal((n_fresh + 1, 3, n_repeats))
        best, candidates, compared = verdict_of(drawn[0], n_repeats)
        reseeding = reseed(drawn[0].T, np.arange(n_repeats), compared, best=best, alpha=0.05)
        fresh = [verdict_of(losses, n_repeats) for losses in drawn[1:]]
        stated.append((reseeding.best.value, reseeding.candidates.value))
        true.append(
            (np.mean([item[0] == best for item in fresh]),
             np.mean([item[1] == candidates for item in fresh]))
        )  # fmt: skip
    stated, true = np.array(stated), np.array(true)
    for part in (0, 1):
        assert stated[:, part].mean() == pytest.approx(true[:, part].mean(), abs=0.04)
        sure = stated[:, part] >= 0.95
        assert sure.sum() > 20
        assert stated[sure, part].mean() - true[sure, part].mean() < 0.03


def test_a_pick_of_two_is_stated_as_the_closed_form_has_it():
    """Two learners, many repeats: the fresh difference is normal with twice the variance."""
    for gap in (0.0, 0.5, 1.0, 2.0):
        difference = normal([0.0], 400, 0.01)[0]
        difference = (difference - difference.mean()) / difference.std(ddof=1) * 0.01
        losses = np.array([np.full(400, 0.2), 0.2 + difference + gap * 0.01 / 20])
        wanted = stats.norm.cdf(gap / 2**0.5)
        assert reseeded(losses, best=0).best.value == pytest.approx(wanted, abs=0.05)


def test_few_repeats_of_folds_are_helped_by_the_spread_and_twins_stay_together():
    folds = normal([0.20, 0.21], 9, 0.02)
    lucky = folds - folds.reshape(2, 3, 3).mean(axis=2).repeat(3, axis=1) + [[0.20], [0.21]]
    result = reseeded(lucky, best=0, n_folds=3)
    assert 0.6 < result.best.value < 0.99
    losses = normal([0.2, 0.21, 0.4], 12, 0.01)
    result = reseeded(np.vstack([losses, losses[:1]]), best=0, n_folds=3)
    assert result.candidates.value > 0.5


def test_what_is_not_stated_has_a_reason_and_intervals_hold_their_probability():
    result = reseeded(normal([0.1, 0.3], 9, 0.01), best=0).without("order", reason="why not")
    assert result.best.value == 1
    assert result.order is None
    assert result.reasons == {"order": "why not"}
    result = reseeded(normal([0.20, 0.205, 0.21, 0.3], 10, 0.01), best=0)
    for chance in (result.best, result.candidates, result.order):
        assert 0 <= chance.low <= chance.value <= chance.high <= 1
    assert np.array_equal(result.reproducibility, result.reproducibility.T)


def test_repeats_of_each_learner_count_and_more_make_a_difference_surer():
    losses = normal([0.1, 0.12, 0.4], 20, 0.01)
    losses[2, 5:] = np.nan
    result = reseeded(losses, best=0)
    assert result.best.value > 0.95
    assert result.reproducibility[0, 2] == 1

    def share(n_repeats):
        losses = normal([0.2, 0.2], n_repeats, 0.01)
        losses -= losses.mean(axis=1, keepdims=True)
        return reseeded(losses + np.array([[0.2], [0.205]]), best=0).best.value

    assert share(5) < share(20) < share(80)
    losses = normal([0.2, 0.21], 10, 0.01)
    first, second = (reseeded(losses, best=0) for _ in range(2))
    assert first.best == second.best
    assert np.array_equal(first.reproducibility, second.reproducibility)


def test_two_repeats_one_learner_or_no_variance_say_nothing():
    assert reseeded(normal([0.2, 0.3], 2, 0.01), best=0) is None
    assert reseeded(normal([0.2], 9, 0.01), best=0) is None
    assert reseeded(np.array([[0.2] * 6, [0.3] * 6, [0.3] * 6]), best=0) is None


def check_numbers_of_learners(counts):
    for k in counts:
        result = reseeded(normal(np.linspace(0.2, 0.3, k), 3, 0.01), best=0)
        assert 0 <= result.best.low <= result.best.value <= result.best.high <= 1, k


def test_numbers_of_learners_whose_draws_do_not_halve_are_judged():
    check_numbers_of_learners([45, 110, 129])


@pytest.mark.slow
def test_every_number_of_learners_is_judged():
    check_numbers_of_learners(range(2, 131))
