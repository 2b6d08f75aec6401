import numpy as np
import pytest

from bestofk.errors import InvalidArgumentError
from bestofk.inference.checks import check_alternative, check_share
from bestofk.inference.student import student_interval, upper_tail


def test_the_upper_tail_of_infinite_statistics_is_exact() -> None:
    assert upper_tail([np.inf, -np.inf, 0.0], 3).tolist() == [0, 1, 0.5]


def test_the_upper_tail_is_that_of_the_printed_tables() -> None:
    np.testing.assert_allclose(
        upper_tail([2.015, 4.032, 2.353], [5, 5, 3]), [0.05, 0.005, 0.05], 1e-3
    )


def test_intervals_have_the_side_of_the_test() -> None:
    for alternative, wanted in {
        "two-sided": (-2.182446, 4.182446),
        "greater": (-1.353363, np.inf),
        "less": (-np.inf, 3.353363),
    }.items():
        limits = student_interval(1.0, 1.0, 3, level=0.95, alternative=alternative)
        np.testing.assert_allclose(limits, wanted, rtol=1e-6)


def test_an_unknown_alternative_is_answered_with_the_nearest() -> None:
    with pytest.raises(InvalidArgumentError, match="Did you mean 'greater'"):
        check_alternative("greatr")


@pytest.mark.parametrize("value", [0, 1, 95, -0.1, float("nan"), "x", None])
def test_a_level_outside_0_1_is_refused(value: object) -> None:
    with pytest.raises(InvalidArgumentError, match=r"alpha must be a number above 0 and below 1"):
        check_share(value, "alpha")  # type: ignore[arg-type]


def test_a_level_may_be_text_that_is_a_number() -> None:
    assert check_share("0.05", "alpha") == 0.05  # type: ignore[arg-type]
