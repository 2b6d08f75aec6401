import itertools

import numpy as np
import pytest

from bestofk.errors import InvalidArgumentError
from bestofk.inference import ADJUSTMENTS, adjust_p_values, reject_adjusted

P = [0.001, 0.013, 0.03, 0.03, 0.2, 0.7]


def test_bonferroni_multiplies_and_stops_at_one() -> None:
    np.testing.assert_allclose(
        adjust_p_values(P, "bonferroni"), [0.006, 0.078, 0.18, 0.18, 1, 1], 1e-12
    )


def test_holm_steps_down_with_a_running_maximum() -> None:
    np.testing.assert_allclose(
        adjust_p_values(P, "holm"), [0.006, 0.065, 0.12, 0.12, 0.4, 0.7], 1e-12
    )


@pytest.mark.parametrize(
    ("method", "wanted"),
    [
        ("hochberg", [0.006, 0.065, 0.09, 0.09, 0.4, 0.7]),
        ("Hommel", [0.006, 0.052, 0.09, 0.09, 0.4, 0.7]),
        ("BH", [0.006, 0.039, 0.045, 0.045, 0.24, 0.7]),
        ("BY", [0.0147, 0.09555, 0.11025, 0.11025, 0.588, 1]),
    ],
)
def test_the_other_methods_give_what_r_gives(method: str, wanted: list[float]) -> None:
    np.testing.assert_allclose(adjust_p_values(P, method), wanted, 1e-12)


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


def test_the_order_of_the_input_is_kept() -> None:
    np.testing.assert_array_equal(
        adjust_p_values(P[::-1], "holm"), adjust_p_values(P, "holm")[::-1]
    )


@pytest.mark.parametrize("method", list(ADJUSTMENTS))
def test_each_row_of_a_batch_is_a_family(method: str) -> None:
    batch = np.array([P, P[::-1]]).reshape(2, 1, 6)
    np.testing.assert_array_equal(
        adjust_p_values(batch, method)[1, 0], adjust_p_values(P[::-1], method)
    )


@pytest.mark.parametrize("method", list(ADJUSTMENTS))
def test_an_empty_family_stays_empty_and_one_hypothesis_unchanged(method: str) -> None:
    assert adjust_p_values([], method).tolist() == []
    assert adjust_p_values([0.03], method).tolist() == [0.03]


def test_an_unknown_method_is_answered_with_the_nearest() -> None:
    with pytest.raises(InvalidArgumentError, match="Did you mean 'bonferroni'"):
        adjust_p_values(P, "bonferoni")


@pytest.mark.parametrize("bad", [-0.1, 1.1, float("nan")])
def test_what_is_no_probability_is_refused(bad: float) -> None:
    with pytest.raises(InvalidArgumentError, match=f"must be numbers from 0 to 1; got {bad}"):
        adjust_p_values([0.1, bad], "holm")


def test_a_single_number_is_no_family() -> None:
    with pytest.raises(InvalidArgumentError, match=r"must be a list; got the single number 0\.1"):
        adjust_p_values(0.1, "holm")


def test_a_p_value_of_exactly_alpha_over_m_is_rejected() -> None:
    for m in range(1, 300):
        assert reject_adjusted(adjust_p_values([0.05 / m] * m, "bonferroni"), 0.05).all()


def test_what_is_no_hypothesis_is_not_rejected() -> None:
    assert reject_adjusted([np.nan, 0.04, 0.0501], 0.05).tolist() == [False, True, False]


def test_a_level_outside_0_1_is_refused() -> None:
    with pytest.raises(InvalidArgumentError, match="alpha must be a number above 0"):
        reject_adjusted([0.1], 5)
