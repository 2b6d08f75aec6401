import itertools

import numpy as np
import pytest

from bestofk.errors import DesignError, InvalidArgumentError
from bestofk.inference import PAIR_CORRECTIONS, adjust_pairs
from bestofk.inference.adjust import exhaustive_sets, true_pair_counts


def test_equality_carries_over() -> None:
    assert true_pair_counts(3) == (0, 1, 3)
    assert true_pair_counts(5) == (0, 1, 2, 3, 4, 6, 10)
    # Bell numbers less the empty set
    assert [len(exhaustive_sets(k)) for k in (2, 3, 4, 5, 6)] == [1, 4, 14, 51, 202]


def test_three_learners_need_no_more_than_fisher_did() -> None:
    np.testing.assert_allclose(adjust_pairs([0.03, 0.01, 0.04], 3, "shaffer"), [0.03, 0.03, 0.04])
    np.testing.assert_allclose(
        adjust_pairs([0.04, 0.02, 0.1], 3, "bergmann-hommel"), [0.06, 0.06, 0.1]
    )


@pytest.mark.parametrize("n_learners", [2, 3, 4, 5, 6])
def test_each_correction_shows_at_least_what_the_stricter_one_shows(n_learners: int) -> None:
    n_pairs = n_learners * (n_learners - 1) // 2
    p_values = np.random.default_rng(n_learners).beta(0.3, 1, (40, n_pairs))
    methods = ("bergmann-hommel", "shaffer", "holm", "bonferroni")
    adjusted = [adjust_pairs(p_values, n_learners, method) for method in methods]
    for bolder, stricter in itertools.pairwise([p_values, *adjusted]):
        assert (bolder <= stricter * (1 + 1e-12)).all()


@pytest.mark.parametrize("method", PAIR_CORRECTIONS)
def test_families_are_adjusted_each_alone_and_monotonously(method: str) -> None:
    p_values = np.random.default_rng(3).uniform(0, 0.3, (3, 6))
    p_values[0, 1] = p_values[0, 4]
    adjusted = adjust_pairs(p_values, 4, method)
    for family, result in zip(p_values, adjusted, strict=True):
        np.testing.assert_array_equal(adjust_pairs(family, 4, method), result)
        assert (np.diff(result[np.argsort(family)]) >= 0).all()
    assert adjusted[0, 1] == adjusted[0, 4]


@pytest.mark.parametrize("method", ["shaffer", "bergmann-hommel"])
def test_the_order_of_learners_does_not_matter_where_p_values_tie(method: str) -> None:
    rng = np.random.default_rng(2)
    first, second = np.triu_indices(5, k=1)
    for _ in range(30):
        matrix = np.zeros((5, 5))
        matrix[first, second] = matrix[second, first] = rng.choice([0.001, 0.01, 0.02], 10)
        other = rng.permutation(5)
        straight, moved = np.zeros((2, 5, 5))
        straight[first, second] = adjust_pairs(matrix[first, second], 5, method)
        moved[first, second] = adjust_pairs(matrix[np.ix_(other, other)][first, second], 5, method)
        straight, moved = straight + straight.T, moved + moved.T
        np.testing.assert_array_equal(moved, straight[np.ix_(other, other)])


def test_the_number_of_pairs_must_fit() -> None:
    with pytest.raises(DesignError, match=r"one for each of the 6 pairs of 4 learners; got shape"):
        adjust_pairs([0.1, 0.2], 4, "shaffer")


def test_what_is_no_probability_is_refused() -> None:
    with pytest.raises(InvalidArgumentError, match="p_values of adjust_pairs must be numbers"):
        adjust_pairs([0.1, 0.2, float("nan")], 3, "shaffer")
