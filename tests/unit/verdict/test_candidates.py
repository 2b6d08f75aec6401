import numpy as np
import pytest

from bestofk.errors import InvalidArgumentError
from bestofk.verdict.rules import candidate_set


def test_a_learner_that_another_beats_is_no_candidate() -> None:
    p_values = [[np.nan, 0.3, 0.99], [0.7, np.nan, 0.98], [0.001, 0.02, np.nan]]
    candidates, adjusted = candidate_set(p_values, alpha=0.05)
    assert candidates.tolist() == [True, True, False]
    np.testing.assert_allclose(
        adjusted, [[np.nan, 1, 1], [1, np.nan, 1], [0.006, 0.1, np.nan]], 1e-12
    )


def test_all_ordered_pairs_are_the_family() -> None:
    p_values = np.array([[1, 0.95], [0.05 / 2, 1]])
    assert candidate_set(p_values, alpha=0.05)[0].tolist() == [True, False]
    p_values[1, 0] = 0.026
    assert candidate_set(p_values, alpha=0.05)[0].tolist() == [True, True]


def test_one_learner_is_a_candidate() -> None:
    assert candidate_set([[np.nan]], alpha=0.05)[0].tolist() == [True]


def test_contradictory_evidence_excludes_nobody() -> None:
    cycle = np.ones((3, 3))
    cycle[0, 1] = cycle[1, 2] = cycle[2, 0] = 1e-6
    assert candidate_set(cycle, alpha=0.05)[0].all()


def test_bonferroni_can_be_asked_for() -> None:
    p_values = np.array([[1, 0.9, 0.9], [0.001, 1, 0.9], [0.009, 0.9, 1]])
    assert candidate_set(p_values, alpha=0.05)[0].tolist() == [True, False, False]
    bonferroni, _ = candidate_set(p_values, alpha=0.05, correction="bonferroni")
    assert bonferroni.tolist() == [True, False, True]


def test_a_pair_without_a_p_value_is_refused() -> None:
    with pytest.raises(InvalidArgumentError, match="must be numbers from 0 to 1; got nan"):
        candidate_set(np.full((2, 2), np.nan), alpha=0.05)


def test_an_array_that_is_not_square_is_refused() -> None:
    with pytest.raises(InvalidArgumentError, match="p_one_sided of candidate_set must be a square"):
        candidate_set([[0.1, 0.2]], alpha=0.05)
