import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from bestofk.errors import DesignError, InvalidArgumentError
from bestofk.inference import five_by_two_cv_t_test
from bestofk.verdict.rules import five_by_two_edges, multitest_edges

CORRECTIONS = ("bonferroni", "holm")


def one_by_one(losses: np.ndarray, alpha: float, correction: str) -> np.ndarray:
    p = np.ones((len(losses), len(losses)))
    for i, j in itertools.combinations(range(len(losses)), 2):
        folds = losses[i].reshape(5, 2), losses[j].reshape(5, 2)
        p[i, j] = five_by_two_cv_t_test(*folds, alternative="greater").p_value
    return multitest_edges(p, alpha=alpha, correction=correction)[0]


@pytest.mark.parametrize("correction", CORRECTIONS)
def test_edges_are_those_of_single_tests(correction: str) -> None:
    rng = np.random.default_rng(0)
    losses = rng.normal(size=(6, 20, 5, 10)) / 5 + np.array([1.2, 0.2, 0.8, 0.4, 0.0])[:, None]
    result = five_by_two_edges(np.swapaxes(losses, -1, -2), alpha=0.3, correction=correction)
    wanted = [[one_by_one(run, 0.3, correction) for run in row] for row in losses]
    np.testing.assert_array_equal(result, wanted)
    assert 0 < result.sum() < result.size / 2


@settings(deadline=None, max_examples=25)
@given(counts=arrays(int, (4, 10), elements=st.integers(0, 2)))
def test_ties_and_constant_folds_are_treated_alike(counts: np.ndarray) -> None:
    losses = 0.1 + counts / 10
    for correction in CORRECTIONS:
        result = five_by_two_edges(np.swapaxes(losses, -1, -2), alpha=0.2, correction=correction)
        np.testing.assert_array_equal(result, one_by_one(losses, 0.2, correction))


def test_constant_differences_have_an_edge_in_their_direction_only() -> None:
    low, high = np.full(10, 0.1 + 0.2), np.linspace(0.5, 0.6, 10)
    assert five_by_two_edges(np.transpose([high, low + high]))[0, 1].item() is False
    assert five_by_two_edges(np.transpose([low + high, high]))[0, 1].item() is True
    assert not five_by_two_edges(np.transpose([low, np.full(10, 0.3)])).any()


def test_many_runs_are_worked_off_in_blocks() -> None:
    losses = np.random.default_rng(1).normal(size=(5000, 10, 3))
    whole = five_by_two_edges(losses, alpha=0.4, correction="holm")
    np.testing.assert_array_equal(whole[4000:], five_by_two_edges(losses[4000:], alpha=0.4,
                                                                  correction="holm"))  # fmt: skip


def test_one_learner_and_no_runs_have_no_edges() -> None:
    assert five_by_two_edges(np.zeros((10, 1))).tolist() == [[False]]
    assert five_by_two_edges(np.zeros((0, 10, 3))).shape == (0, 3, 3)
    assert five_by_two_edges(np.zeros((2, 10, 1)), correction="holm").shape == (2, 1, 1)


def test_bad_input_is_refused() -> None:
    with pytest.raises(DesignError, match=r"must have ten rows.*got shape \(3, 10\). Transpose"):
        five_by_two_edges(np.zeros((3, 10)))
    with pytest.raises(DesignError, match="must be finite; got 2 that are not"):
        five_by_two_edges(np.transpose([[np.nan, np.inf] + [0.1] * 8, [0.2] * 10]))
    with pytest.raises(InvalidArgumentError, match="Did you mean 'holm'"):
        five_by_two_edges(np.zeros((10, 2)), correction="hol")
    with pytest.raises(InvalidArgumentError, match="alpha must be a number above 0"):
        five_by_two_edges(np.zeros((10, 2)), alpha=5)
