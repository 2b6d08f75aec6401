import dataclasses

import pytest

from bestofk.errors import InvalidArgumentError
from bestofk.inference import paired_t_test

A, B = [0.16, 0.18, 0.20, 0.18], [0.20, 0.21, 0.25, 0.18]


def test_a_result_holds_plain_numbers() -> None:
    result = paired_t_test(A, B)
    for name in ("statistic", "df", "p_value", "estimate", "standard_error"):
        assert type(getattr(result, name)) is float
    assert (type(result.n), result.n) == (int, 4)


def test_a_result_cannot_be_changed() -> None:
    with pytest.raises(dataclasses.FrozenInstanceError):
        paired_t_test(A, B).p_value = 0.0  # type: ignore[misc]


def test_rejection_is_at_most_alpha() -> None:
    result = paired_t_test(A, B)
    assert result.reject(0.1)
    assert not result.reject(0.05)
    assert result.reject(result.p_value)


def test_a_level_that_is_none_is_refused() -> None:
    with pytest.raises(InvalidArgumentError, match="alpha must be a number above 0"):
        paired_t_test(A, B).reject(5)
    with pytest.raises(InvalidArgumentError, match="level must be a number above 0"):
        paired_t_test(A, B).confidence_interval(95)


def test_the_interval_is_that_of_the_lecture() -> None:
    low, high = paired_t_test(A, B).confidence_interval(0.9)
    assert (low, high) == pytest.approx((-0.0554192303, -0.0045807697))


def test_repr_is_one_line_and_str_a_table_with_warnings() -> None:
    result = paired_t_test(A, B)
    assert repr(result) == (
        "HypothesisTestResult(paired t test: t = -2.777, df = 3, p = 0.06914 two-sided, "
        "estimate = -0.03)"
    )
    assert str(result).splitlines()[:3] == [
        "paired t test",
        "  mean difference  -0.03",
        "  95% interval     -0.06437 to 0.004374",
    ]
    assert str(result).splitlines()[-1].startswith("  ! The training sets of k-fold overlap")


def test_the_frame_has_one_row_and_a_column_per_field() -> None:
    frame = paired_t_test(A, A).to_frame()
    assert frame.shape == (1, 19)
    assert frame.loc[0, "p_value"] == 1
    assert frame.loc[0, "flags"] == "zero_variance"
