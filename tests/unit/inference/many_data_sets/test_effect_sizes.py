import numpy as np
import pytest

from bestofk.errors import DesignError
from bestofk.inference import (
    cliffs_delta,
    cohen_dz,
    kendall_w,
    rank_biserial,
    reproducibility_r,
)


def test_rank_biserial_goes_from_minus_one_to_one() -> None:
    assert rank_biserial([3, 5, 2], [1, 1, 1]) == 1.0
    assert rank_biserial([0, 0], [1, 2]) == -1.0
    assert rank_biserial([2, 1, 4], [1, 2, 1]) == pytest.approx((1.5 + 3 - 1.5) / 6)
    assert rank_biserial([1, 2], [1, 2]) == 0.0


def test_cohen_dz_is_mean_over_spread_and_infinite_without() -> None:
    assert cohen_dz([3, 1, 5], [1, 0, 2]) == pytest.approx(2.0)
    assert cohen_dz([1, 2], [1, 2]) == 0.0
    assert cohen_dz([0.81, 0.92], [0.79, 0.90]) == np.inf
    assert cohen_dz([1, 2], [2, 3]) == -np.inf


def test_cliffs_delta_compares_all_with_all() -> None:
    assert cliffs_delta([1, 2, 3], [2]) == 0.0
    assert cliffs_delta([3, 4], [1, 2, 3]) == pytest.approx(5 / 6)
    assert cliffs_delta([1], [2, 3]) == -1.0


def test_kendall_w_goes_from_zero_to_one() -> None:
    assert kendall_w([[1, 2, 3], [4, 5, 6]], names=["a", "b", "c"]) == 1.0
    assert kendall_w([[1, 2], [2, 1]]) == 0.0
    assert kendall_w([[1, 1], [2, 2]]) == 0.0
    assert kendall_w([[1, 2, 3], [1, 3, 2]], names=["a", "b", "c"]) == pytest.approx(0.75)


def test_reproducibility_is_the_lead_of_the_winner_with_ties_half() -> None:
    assert reproducibility_r([1, 1, 1, 2], [2, 2, 1, 1]) == 0.25
    assert reproducibility_r([1, 1], [2, 2]) == 1.0
    assert reproducibility_r([0.8, 0.8], [0.8, 0.8]) == 0.0


@pytest.mark.parametrize("bad", [[], [[1.0]], 3.0, ["a"]])
def test_what_is_no_list_of_numbers_is_refused(bad: object) -> None:
    with pytest.raises(DesignError, match="values of cliffs_delta must be a list of numbers"):
        cliffs_delta([1], bad)


def test_a_missing_value_is_named_by_its_place() -> None:
    with pytest.raises(DesignError, match="must be finite; got nan at place 2"):
        cliffs_delta([1], [2, float("nan")])
