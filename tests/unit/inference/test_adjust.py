"""Adjusted p values, also of pairs whose hypotheses imply one another."""

import itertools

import numpy as np
import pytest

from bestofk.errors import DesignError, InvalidArgumentError
from bestofk.inference import PAIR_CORRECTIONS, adjust_p_values, adjust_pairs, reject_adjusted
from bestofk.inference.adjust import exhaustive_sets, true_pair_counts

P = [0.001, 0.013, 0.03, 0.03, 0.2, 0.7]


@pytest.mark.parametrize(
    ("method", "wanted"),
    [
        ("bonferroni", [0.006, 0.078, 0.18, 0.18, 1, 1]),
        ("holm", [0.006, 0.065, 0.12, 0.12, 0.4, 0.7]),
        ("hochberg", [0.006, 0.065, 0.09, 0.09, 0.4, 0.7]),
        ("Hommel", [0.006, 0.052, 0.09, 0.09, 0.4, 0.7]),
        ("BH", [0.006, 0.039, 0.045, 0.045, 0.24, 0.7]),
        ("BY", [0.0147, 0.09555, 0.11025, 0.11025, 0.588, 1]),
    ],
)
def test_every_method_gives_what_r_gives_in_the_order_of_the_input(
    method: str, wanted: list[float]
) -> None:
    adjusted = adjust_p_values(P, method)
    np.testing.assert_allclose(adjusted, wanted, 1e-12)
    np.testing.assert_array_equal(adjust_p_values(P[::-1], method), adjusted[::-1])
    batch = np.array([P, P[::-1]]).reshape(2, 1, 6)  # each row is a family
    np.testing.assert_array_equal(adjust_p_values(batch, method)[1, 0], adjusted[::-1])
    assert adjust_p_values([], method).tolist() == []
    assert adjust_p_values([0.03], method).tolist() == [0.03]


def test_each_method_rejects_at_least_what_the_stricter_one_rejects() -> None:
    p_values = np.random.default_rng(1).beta(0.3, 1, (500, 7))
    adjusted = [adjust_p_values(p_values, m) for m in ("hommel", "hochberg", "holm", "bonferroni")]
    for bolder, stricter in itertools.pairwise(adjusted):
        assert (bolder <= stricter + 1e-15).all()
    assert (adjust_p_values(p_values, "bh") <= adjusted[0] + 1e-15).all()


def test_hommel_is_the_closed_test_by_simes() -> None:
    p_values = np.random.default_rng(2).beta(0.4, 1, 6)
    wanted = np.zeros(6)
    for size in range(1, 7):
        for members in itertools.combinations(range(6), size):
            chosen = np.sort(p_values[list(members)])
            simes = (chosen * size / np.arange(1, size + 1)).min()
            wanted[list(members)] = np.maximum(wanted[list(members)], simes)
    np.testing.assert_allclose(adjust_p_values(p_values, "hommel"), wanted, 1e-12)


@pytest.mark.parametrize(
    ("values", "method", "message"),
    [
        (P, "bonferoni", "Did you mean 'bonferroni'"),
        ([0.1, -0.1], "holm", "must be numbers from 0 to 1; got -0.1"),
        ([0.1, 1.1], "holm", "must be numbers from 0 to 1; got 1.1"),
        ([0.1, float("nan")], "holm", "must be numbers from 0 to 1; got nan"),
        (0.1, "holm", r"must be a list; got the single number 0\.1"),
    ],
)
def test_what_cannot_be_adjusted_is_refused(values: object, method: str, message: str) -> None:
    with pytest.raises(InvalidArgumentError, match=message):
        adjust_p_values(values, method)


def test_what_is_at_most_alpha_is_rejected_and_no_hypothesis_is_not() -> None:
    for m in range(1, 300):
        assert reject_adjusted(adjust_p_values([0.05 / m] * m, "bonferroni"), 0.05).all()
    assert reject_adjusted([np.nan, 0.04, 0.0501], 0.05).tolist() == [False, True, False]
    with pytest.raises(InvalidArgumentError, match="alpha must be a number above 0"):
        reject_adjusted([0.1], 5)


def test_equality_carries_over_so_that_three_learners_need_no_more_than_fisher_did() -> None:
    assert true_pair_counts(3) == (0, 1, 3)
    assert true_pair_counts(5) == (0, 1, 2, 3, 4, 6, 10)
    # Bell numbers less the empty set
    assert [len(exhaustive_sets(k)) for k in (2, 3, 4, 5, 6)] == [1, 4, 14, 51, 202]
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


def test_what_is_no_probability_for_each_pair_is_refused() -> None:
    with pytest.raises(DesignError, match=r"one for each of the 6 pairs of 4 learners; got shape"):
        adjust_pairs([0.1, 0.2], 4, "shaffer")
    with pytest.raises(InvalidArgumentError, match="p_values of adjust_pairs must be numbers"):
        adjust_pairs([0.1, 0.2, float("nan")], 3, "shaffer")
