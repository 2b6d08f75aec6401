"""When two values tie."""

import numpy as np
import pytest

from bestofk.measures.ties import at_most, is_noise, tied_differences, tied_values

NAN = float("nan")


def test_differences_that_agree_but_for_rounding_tie() -> None:
    joined = tied_differences(
        [0.81 - 0.79, 0.90 - 0.92, 0.1 + 0.2 - 0.3, 0.0], [0.81, 0.92, 0.3, 0.0]
    )
    assert joined.tolist() == [joined[0], -joined[0], 0.0, 0.0]
    assert joined[0] == pytest.approx(0.02)


def test_equal_differences_of_small_and_of_large_scores_tie() -> None:
    third, of_large = 1 / 3, 1000 + 1 / 3 - 1000
    assert third != of_large
    a, b = tied_differences([third, of_large], [1, 1000])
    assert a == b == third


def test_small_differences_stay_apart_beside_large_scores() -> None:
    # the third agrees with both others within its noise of 1e-6, and joins the nearest
    values, scale = [2e-7, 5e-7, 3e-7], [2, 2, 2e6]
    assert tied_values(values, scale).tolist() == [2e-7, 5e-7, 2e-7]
    assert tied_values([[0.0, 1.0], [3.0, 2.0]], 0.0).tolist() == [[0.0, 1.0], [3.0, 2.0]]


def test_a_chain_of_neighbors_is_not_one_tie() -> None:
    assert tied_values([0.0, 1.5, 3.0, 4.5], 2e12).tolist() == [0.0, 0.0, 3.0, 3.0]
    assert tied_values([]).tolist() == []


@pytest.mark.parametrize("unit", [1e-300, 1e-60, 0.7, 3e45])
def test_values_tie_in_twelve_digits_whatever_the_unit(unit: float) -> None:
    values = unit * np.array([1.0, 1 + 1e-13, 1 + 1e-10, -1.0, 0.0, 3e-16])
    tied = tied_values(values)
    assert tied[0] == tied[1] == values[0]
    assert len(set(tied.tolist())) == 5


def test_a_learner_that_diverged_does_not_make_the_others_tie() -> None:
    assert len(set(tied_values([0.3, 0.5, 1e25]).tolist())) == 3


def test_the_scale_is_that_of_the_scores_behind_a_value() -> None:
    means = [np.mean([0.1, 0.2, -0.3]), 0.0, -0.1]
    assert len(set(tied_values(means).tolist())) == 3
    assert len(set(tied_values(means, 0.3).tolist())) == 2


def test_missing_and_infinite_values_tie_with_nothing_else() -> None:
    tied = tied_values([[NAN, 1.0, np.inf], [-np.inf, NAN, 1 + 1e-14]])
    np.testing.assert_array_equal(tied, [[NAN, 1.0, np.inf], [-np.inf, NAN, 1 + 1e-14]])
    columns = tied_values([[NAN, 1.0, 2.0], [3.0, NAN, 2 + 1e-13]], axis=0)
    np.testing.assert_array_equal(columns, [[NAN, 1.0, 2.0], [3.0, NAN, 2.0]])


def test_a_value_is_at_most_a_limit_that_it_ties_with() -> None:
    assert at_most([0.2, 0.1 + 0.2, 0.30001, NAN, np.inf], 0.3).tolist() == [True] * 2 + [False] * 3
    assert at_most(1e-14, 0.0, scale=1.0)
    assert not at_most(1e-14, 0.0)
    assert is_noise([NAN, 1e-14, -1e-14, 1e-11], 1.0).tolist() == [False, True, True, False]
