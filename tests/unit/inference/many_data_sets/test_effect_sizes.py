"""Effect sizes, correlations of ranks, distances of distributions, wins and losses."""

import math

import numpy as np
import pytest

from bestofk.errors import DesignError, InvalidArgumentError
from bestofk.inference import (
    cliffs_delta,
    cohen_dz,
    kendall,
    kendall_w,
    ks_two_sample,
    rank_biserial,
    reproducibility_r,
    spearman,
)
from bestofk.inference.many_data_sets.effect_sizes import win_tie_loss


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


@pytest.mark.parametrize("correlation", [spearman, kendall])
def test_orders_agree_or_are_opposite_and_a_constant_list_has_none(correlation: object) -> None:
    assert correlation([1, 2, 5], [0.1, 0.2, 0.3]).value == pytest.approx(1)
    assert correlation([1, 2, 5], [3, 2, 1]).value == pytest.approx(-1)
    result = correlation([1, 1, 1], [1, 2, 3])
    assert math.isnan(result.value)
    assert result.flags == ("all_ties",)
    assert [w.code for w in result.warnings] == ["degenerate"]


def test_ties_are_counted_as_ties_and_the_result_prints_itself() -> None:
    assert spearman([1, 2, 2, 3], [1, 2, 3, 4]).value == pytest.approx(0.9486833)
    assert kendall([1, 2, 2, 3], [1, 2, 3, 4]).value == pytest.approx(5 / math.sqrt(30))
    result = kendall([1, 2, 3, 4], [1, 3, 2, 4])
    assert repr(result) == "RankCorrelation(Kendall's rank correlation: tau = 0.6667)"
    assert "4 pairs" in str(result)


@pytest.mark.parametrize("correlation", [spearman, kendall])
@pytest.mark.parametrize(("a", "b"), [([1, 2], [1]), ([1], [1])])
def test_lists_that_do_not_pair_are_refused(correlation: object, a: list, b: list) -> None:
    with pytest.raises(DesignError, match="must pair, two lists of one length of at least 2"):
        correlation(a, b)


def test_distance_and_p_value_are_those_by_hand_also_with_ties() -> None:
    result = ks_two_sample([1, 2], [3, 4])
    assert (result.statistic, result.p_value) == (1.0, pytest.approx(2 / 6))
    assert [w.code for w in result.warnings] == ["not-equal"]
    assert all(math.isnan(limit) for limit in result.confidence_interval())
    # Six ways to put 1, 2 | 2, 3 into two pairs; the pairs {1, 2} and {2, 3} come in four.
    result = ks_two_sample([1, 2], [2, 3])
    assert (result.statistic, result.p_value) == (0.5, pytest.approx(1.0))
    assert ks_two_sample([1, 1, 1], [2, 2, 2]).p_value == pytest.approx(0.1)
    result = ks_two_sample([1, 1], [1, 1, 1])
    assert (result.statistic, result.p_value, result.flags) == (0.0, 1.0, ("all_ties",))
    a, b = [0.1, 0.4, 0.5, 0.9, 1.3], [0.2, 0.3]
    assert ks_two_sample(a, b).p_value == pytest.approx(ks_two_sample(b, a).p_value)


def test_an_empty_sample_is_refused() -> None:
    with pytest.raises(DesignError, match="values of ks_two_sample must be a list of numbers"):
        ks_two_sample([], [1])


LOSSES = [[0.1, 0.2, 0.1], [0.1 + 0.2, 0.3, 0.2], [0.1, 0.4, 0.5]]


def test_every_case_is_a_win_a_tie_or_a_loss_whatever_its_size() -> None:
    result = win_tie_loss(LOSSES)
    assert result.wins.tolist() == [[0, 2, 1], [0, 0, 1], [1, 2, 0]]
    assert result.ties.tolist() == [[0, 1, 1], [1, 0, 0], [1, 0, 0]]
    assert result.to_frame().columns.tolist() == ["first", "second", "wins", "ties", "losses"]
    assert result.to_frame().iloc[0].tolist() == ["learner 1", "learner 2", 2, 1, 0]
    counted = win_tie_loss([[1e9, 2e9], [1e-5, 2e-5], [0.1 + 0.2, 0.3]])
    assert (counted.wins[0, 1], counted.ties[0, 1]) == (2, 1)
    assert win_tie_loss(np.zeros((4, 2))).ties.tolist() == [[0, 4], [4, 0]]


def test_shown_differences_are_counted_beside_the_raw_ones() -> None:
    shown = np.zeros((3, 3, 3), dtype=bool)
    shown[0, 1, 0] = shown[2, 1, 0] = shown[1, 0, 2] = True
    frame = win_tie_loss(LOSSES, names=["a", "b", "c"], shown_worse=shown).to_frame()
    shown_columns = frame[["shown_wins", "undecided", "shown_losses"]].values.tolist()
    assert shown_columns == [[2, 1, 0], [0, 2, 1], [0, 3, 0]]


def test_what_is_no_table_of_losses_is_refused() -> None:
    with pytest.raises(DesignError, match="must have at least 2 learners; got 1"):
        win_tie_loss([[0.1], [0.2]])
    with pytest.raises(DesignError, match="got nan at case 1, learner 2"):
        win_tie_loss([[0.1, float("nan")]])
    with pytest.raises(DesignError, match=r"must have the shape \(3, 3, 3\); got \(3, 3\)"):
        win_tie_loss(LOSSES, shown_worse=np.zeros((3, 3)))
    with pytest.raises(InvalidArgumentError, match="got a more than once"):
        win_tie_loss(LOSSES, names=["a", "a", "b"])
