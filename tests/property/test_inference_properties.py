"""Laws of tests, adjustments and orderings, on whatever hypothesis thinks of."""

import itertools
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from bestofk.inference import PAIRED_TESTS, Sampling, adjust_p_values, paired_test
from bestofk.verdict.preference import coarse_order
from bestofk.verdict.rules import candidate_set, multitest_edges, multitest_order

SAMPLING = Sampling("k-fold", 5, 2, n_train=50, n_test=50)
TESTS = pytest.mark.parametrize("name", list(PAIRED_TESTS))
CORRECTIONS = pytest.mark.parametrize("correction", ["bonferroni", "holm"])

# Proportions with three decimals: ties and constant rows are common.
proportions = st.integers(0, 1000).map(lambda count: count / 1000)
scores = arrays(float, (2, 10), elements=proportions)
p_lists = arrays(float, st.integers(1, 12), elements=st.floats(0, 1))
p_squares = st.integers(1, 6).flatmap(lambda k: arrays(float, (k, k), elements=st.floats(0, 1)))


def law(**strategies: Any) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Check on many inputs, however slow the machine is at the moment."""
    return lambda test: settings(deadline=None)(given(**strategies)(test))


@TESTS
@law(both=scores)
def test_swapping_the_learners_mirrors_everything(name: str, both: np.ndarray) -> None:
    test = paired_test(name)
    first = test.compare(both[0] - both[1], SAMPLING, scale=1.0)
    other = test.compare(both[1] - both[0], SAMPLING, scale=1.0)
    assert (first.statistic, first.mean) == (-other.statistic, -other.mean)
    assert (first.p_greater, first.p_less) == (other.p_less, other.p_greater)
    assert first.p_two_sided == other.p_two_sided
    if not first.zero_variance:
        assert first.p_greater + first.p_less == pytest.approx(1)


@TESTS
@law(row=arrays(float, 10, elements=proportions))
def test_learners_with_the_same_scores_never_differ(name: str, row: np.ndarray) -> None:
    result = paired_test(name).compare(row - row, SAMPLING)
    assert result.zero_variance
    assert (result.statistic, result.p_greater, result.p_less, result.p_two_sided) == (0, 1, 1, 1)


@CORRECTIONS
@law(p_values=p_lists)
def test_adjusted_p_values_keep_their_order(correction: str, p_values: np.ndarray) -> None:
    adjusted = adjust_p_values(p_values, correction)
    assert (adjusted >= p_values).all()
    assert (adjusted <= 1).all()
    assert (np.diff(adjusted[np.argsort(p_values)]) >= 0).all()
    equal = p_values[:, None] == p_values
    assert (adjusted[:, None] == adjusted)[equal].all()


@law(p_values=p_lists)
def test_holm_never_asks_for_more_than_bonferroni(p_values: np.ndarray) -> None:
    holm, bonferroni = (adjust_p_values(p_values, method) for method in ("holm", "bonferroni"))
    assert (holm <= bonferroni).all()


@law(p_values=p_squares, alpha=st.floats(0.001, 0.999))
def test_edges_of_bonferroni_are_edges_of_holm(p_values: np.ndarray, alpha: float) -> None:
    few, _ = multitest_edges(p_values, alpha=alpha, correction="bonferroni")
    more, _ = multitest_edges(p_values, alpha=alpha, correction="holm")
    assert not (few & ~more).any()


@CORRECTIONS
@law(p_values=p_squares, alpha=st.floats(0.001, 0.999))
def test_an_order_is_total_and_contradicts_no_edge(correction, p_values, alpha):
    edges, _ = multitest_edges(p_values, alpha=alpha, correction=correction)
    order = multitest_order(edges)
    assert sorted(order) == list(range(len(p_values)))
    for i, j in np.argwhere(edges):
        assert order.index(j) < order.index(i)


@CORRECTIONS
@law(p_values=p_squares, alpha=st.floats(0.001, 0.999))
def test_some_learner_is_always_a_candidate(correction, p_values, alpha):
    candidates, _ = candidate_set(p_values, alpha=alpha, correction=correction)
    assert candidates.any()


@TESTS
@law(losses=arrays(float, (4, 10), elements=proportions), alpha=st.floats(0.001, 0.499))
def test_the_guard_of_candidates_is_not_needed_for_paired_scores(name, losses, alpha):
    differences = losses[:, None] - losses
    p_values = paired_test(name).compare(differences, SAMPLING, scale=1.0).p_greater
    candidates, adjusted = candidate_set(p_values, alpha=alpha)
    leader = losses[:, 0].argmin() if name == "5x2cv-t" else losses.sum(axis=1).argmin()
    assert candidates[leader]
    assert not (adjusted[leader] <= alpha).any()


@law(p_values=p_squares, alpha=st.floats(0.001, 0.999), rng=st.randoms(use_true_random=False))
def test_candidates_do_not_depend_on_the_order_of_learners(p_values, alpha, rng):
    order = list(range(len(p_values)))
    rng.shuffle(order)  # type: ignore[attr-defined]
    candidates, _ = candidate_set(p_values, alpha=alpha)
    shuffled, _ = candidate_set(p_values[np.ix_(order, order)], alpha=alpha)
    assert shuffled.tolist() == candidates[order].tolist()


@law(costs=st.lists(st.floats(0, 1e6), min_size=1, max_size=8))
def test_noise_below_the_factor_decides_nothing(costs: list[float]) -> None:
    order = coarse_order(costs)
    assert sorted(order) == list(range(len(costs)))
    for earlier, later in itertools.pairwise(order):
        assert costs[earlier] <= 2 * costs[later]
        if later < earlier:
            assert costs[earlier] < costs[later]
