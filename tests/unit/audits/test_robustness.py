"""Rounding and removals: bounds by hand, and against a search of all corners."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bestofk.audits.claim import parse_claim
from bestofk.audits.robustness import decisive_data_sets, decisive_learners, rounding


def test_two_values_that_move_undo_a_lead_of_one_unit_of_the_last_digit():
    losses = np.array([[0.12, 0.13], [0.20, 0.20], [0.30, 0.30]])
    claim = parse_claim("a best", "ab", losses, by_rank=False)
    # a lead of .01 in the sum; each value moves .005
    assert rounding(claim, losses, np.full(losses.shape, 0.01)).n_moved == 2
    assert rounding(claim, losses, np.full(losses.shape, 0.001)).n_moved == 0
    assert not rounding(claim, losses, np.zeros(losses.shape)).flips


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 10_000), st.booleans())
def test_the_bound_is_that_of_a_search_of_all_corners(seed, by_rank):
    rng = np.random.default_rng(seed)
    losses = rng.integers(0, 6, (2, 3)) / 10
    claim = parse_claim("a beats b", "abc", losses, by_rank=by_rank)
    if not claim.holds(losses):
        return
    steps = np.full(losses.shape, rng.choice([0.1, 0.3]))
    # ranks inside the ends, as neighbors in print meet there; means at the ends, where leads vanish
    end = 0.4999 if by_rank else 0.5
    moves = product((-end, -0.2, 0, 0.21, end), repeat=losses.size)
    corners = losses + np.array(list(moves)).reshape(-1, *losses.shape) * steps
    falls = bool((~claim.holds(corners)).any())
    assert rounding(claim, losses, steps).flips == falls


def test_significance_is_drawn_inside_the_rounding():
    lead = np.array([0.5, *[0.01] * 7])
    losses = np.column_stack([np.arange(8) / 10, np.arange(8) / 10 + lead])
    claim = parse_claim("a significantly better than b", "ab", losses, by_rank=False)
    assert claim.holds(losses)
    assert not rounding(claim, losses, np.full(losses.shape, 0.001)).flips
    found = rounding(claim, losses, np.full(losses.shape, 0.03))  # the mean stays ahead
    assert found.n_moved == 0
    assert found.share > 0.1


def test_the_one_data_set_that_carries_a_mean_is_found():
    losses = np.array([[0.1, 0.5], [0.3, 0.2], [0.3, 0.2]])
    claim = parse_claim("a best", "ab", losses, by_rank=False)
    assert decisive_data_sets(claim, losses) == [0]
    assert (
        decisive_data_sets(parse_claim("a best", "ab", losses[:1], by_rank=False), losses[:1]) == []
    )


def test_mean_ranks_may_depend_on_a_third_learner():
    # without c, a and b win one data set each, and b has the better third rank
    losses = np.array([[0.1, 0.4, 0.2], [0.1, 0.4, 0.2], [0.2, 0.1, 0.3], [0.2, 0.1, 0.3],
                       [0.2, 0.1, 0.3]])  # fmt: skip
    claim = parse_claim("a best", "abc", losses, by_rank=True)
    assert claim.holds(losses)
    assert decisive_learners(claim, losses) == [2]
    by_mean = parse_claim("a best", "abc", losses, by_rank=False)
    assert decisive_learners(by_mean, losses) == []


@pytest.mark.parametrize("by_rank", [False, True])
def test_removals_are_those_of_the_claim_on_the_smaller_table(by_rank):
    rng = np.random.default_rng(11)
    losses = np.add(rng.normal(0, 1, (6, 4)), [-0.2, 0, 0, 0])
    claim = parse_claim(None, "abcd", losses, by_rank=by_rank)
    expected = [i for i in range(6) if not claim.holds(np.delete(losses, i, axis=0))]
    assert decisive_data_sets(claim, losses) == expected
