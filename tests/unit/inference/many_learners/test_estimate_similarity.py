"""Similarity of final estimates over repetitions."""

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bestofk.errors import DesignError
from bestofk.inference.many_learners.repeated_estimates import estimate_similarity

ESTIMATES = st.lists(st.floats(0, 1), min_size=2, max_size=12)


@given(ESTIMATES)
def test_distances_equal_those_of_all_pairs_of_runs(estimates):
    result = estimate_similarity([[estimate] for estimate in estimates])
    pairs = [abs(a - b) for a, b in combinations(estimates, 2)]
    np.testing.assert_allclose(result.mean_distance, np.mean(pairs), rtol=0, atol=1e-12)
    np.testing.assert_allclose(result.largest_distance, max(pairs), rtol=0, atol=1e-12)
    np.testing.assert_allclose(result.mean, np.mean(estimates), rtol=0, atol=1e-12)
    np.testing.assert_allclose(result.sd, np.std(estimates, ddof=1), rtol=0, atol=1e-12)


def test_equal_estimates_are_at_no_distance():
    result = estimate_similarity([[0.1 + 0.2]] * 3)
    assert (result.sd[0], result.mean_distance[0], result.largest_distance[0]) == (0, 0, 0)


def test_a_single_run_has_nothing_to_be_similar_to():
    with pytest.raises(DesignError, match="estimates of estimate_similarity"):
        estimate_similarity([[0.1, 0.2]], names=["a", "b"])
