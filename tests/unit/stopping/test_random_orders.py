"""Stopping rules applied to stored repeats in random orders."""

import numpy as np
import pytest

from bestofk import compare
from bestofk.errors import DesignError, InvalidArgumentError
from bestofk.inference import reproducibility_r
from bestofk.randomness import derive_rng
from bestofk.stopping import apply_in_random_orders, stopping_rule


@pytest.fixture(scope="module")
def comparison():
    return compare(["lda", "1nn"], "iris", cv="40x2")


def naive_end(rule, scores, rows):
    """Hand over one repeat more each time, from the start."""
    for count in range(1, len(scores) + 1):
        state = rule.start()
        state.add(scores[:count], rows[:count])
        if state.steady_at is not None:
            return count
    return None


@pytest.mark.parametrize(
    "rule",
    [
        stopping_rule("fixed", n_repeats=7),
        stopping_rule("odd-even", threshold=0.25),
        stopping_rule("rank-correlation", threshold=0.999),
    ],
)
def test_applications_equal_a_naive_walk_over_the_orders(comparison, rule):
    result = comparison.apply_stopping(rule, n_orders=4, random_state=3)
    scores = comparison.scores[0].values.reshape(2, 40, 2).mean(axis=2)
    rng = derive_rng(3, "orders of repeats")
    for number in range(4):
        order = rng.permutation(40)
        for learner in range(2):
            rows = comparison.evaluation.repeat_probabilities(learner)
            end = naive_end(rule, scores[learner][order], rows[order])
            assert result.has_held[number, learner] == (end is not None)
            assert result.n_repeats[number, learner] == (end or 40)
            expected = scores[learner][order[: end or 40]].mean()
            np.testing.assert_allclose(result.estimates[number, learner], expected, atol=1e-15)


def test_crossing_ends_all_learners_at_the_first_interim_analysis_at_which_it_holds():
    scores = np.random.default_rng(0).normal(0.8, 0.05, size=(60, 3))
    rule = stopping_rule("no-crossing", quiet_share=0.8)
    result = apply_in_random_orders(rule, scores, n_orders=20, random_state=3)
    rng = derive_rng(3, "orders of repeats")
    for number in range(20):
        ordered = scores[rng.permutation(60)].T
        for end in (5, 8, 13, 21, 34, 60):
            means = np.cumsum(ordered[:, :end], axis=1) / np.arange(1, end + 1)
            orders = [tuple(column) for column in np.argsort(means, axis=0).T]
            last = max((n for n in range(1, end) if orders[n] != orders[n - 1]), default=-1)
            if last + 1 <= 0.2 * end:
                break
        else:
            assert not result.has_held[number].any()
        assert result.n_repeats[number].tolist() == [end] * 3
    assert 0 < result.has_held[:, 0].sum() < 20
    assert (result.similarity().mean_distance > 0).all()


def test_apply_stopping_takes_the_crossing_of_means(comparison):
    assert comparison.apply_stopping("no-crossing", n_orders=3).n_repeats.shape == (3, 2)


def test_similarity_and_reproducibility_are_of_the_final_estimates(comparison):
    result = comparison.apply_stopping("fixed", n_orders=6)
    first, second = result.estimates.T
    assert result.reproducibility()[0, 1] == reproducibility_r(first, second)
    frame = result.to_frame().set_index("learner")
    pairs = np.abs(first[:, None] - first[None, :])[np.triu_indices(6, k=1)]
    np.testing.assert_allclose(frame.loc["lda", "mean_distance"], pairs.mean(), atol=1e-15)
    assert frame.loc["lda", ["n_repeats", "n_unfinished"]].tolist() == [10, 0]


def test_more_repeats_give_more_similar_estimates():
    scores = np.random.default_rng(0).normal([[0.8], [0.7]], 0.05, size=(2, 400)).T
    distances = [
        apply_in_random_orders(stopping_rule("fixed", n_repeats=n), scores).similarity()
        for n in (4, 64)
    ]
    ratio = distances[0].mean_distance / distances[1].mean_distance
    # four times, and a little more, as 64 of 400 repeats are shared more often
    assert ((ratio > 3) & (ratio < 6)).all()


def test_a_rule_that_never_holds_uses_all_repeats():
    scores = np.random.default_rng(0).normal(size=(12, 1))
    result = apply_in_random_orders(stopping_rule("fixed", n_repeats=20), scores, n_orders=3)
    assert result.n_repeats.tolist() == [[12], [12], [12]]
    assert not result.has_held.any()
    assert result.to_frame()["n_unfinished"].tolist() == [3]


def test_wrong_arguments_are_refused(comparison):
    with pytest.raises(InvalidArgumentError, match="must rest on repeats alone; got Precision"):
        comparison.apply_stopping("precision")
    with pytest.raises(InvalidArgumentError, match="n_orders must be a whole number from 2"):
        comparison.apply_stopping("fixed", n_orders=1)
    with pytest.raises(DesignError, match="one finite number per repeat and learner"):
        apply_in_random_orders(stopping_rule("fixed"), [[0.1], [np.nan]])
    with pytest.raises(DesignError, match="got 2 x 40, which reads as 40 learners on 2 repeats"):
        apply_in_random_orders(stopping_rule("fixed"), np.zeros((2, 40)))
