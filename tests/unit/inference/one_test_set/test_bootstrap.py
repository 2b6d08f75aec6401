import numpy as np
import pytest

from bestofk.errors import DesignError, InvalidArgumentError
from bestofk.inference import bootstrap_test

A, B = np.repeat([1, 0, 0], [9, 2, 89]), np.repeat([0, 1, 0], [9, 2, 89])


def test_drawn_means_have_the_spread_of_the_mean() -> None:
    result = bootstrap_test(A, B)
    assert result.standard_error == pytest.approx(np.std(A - B) / 10, rel=0.02)
    assert result.means.mean() == pytest.approx(0.07, abs=0.001)
    assert (result.means.shape, result.statistic) == ((9999,), 0.07)
    low, high = result.confidence_interval(0.9)
    assert 0.01 <= low < 0.03 < 0.11 < high <= 0.13


def test_the_p_value_agrees_with_the_interval() -> None:
    result = bootstrap_test(A, B)
    low, _ = result.confidence_interval(1 - result.p_value / 2)
    high_level = result.confidence_interval(1 - 2 * result.p_value)
    assert low <= 0 <= high_level[0]


def test_draws_depend_on_the_state_and_not_on_the_order_of_rows() -> None:
    result = bootstrap_test(A, B).means
    np.testing.assert_array_equal(result, bootstrap_test(A[::-1], B[::-1]).means)
    assert (result != bootstrap_test(A, B, random_state=1).means).any()


def test_equal_losses_show_nothing() -> None:
    result = bootstrap_test([0.1] * 20, [0.1] * 20)
    assert (result.statistic, result.p_value, result.flags) == (0, 1, ("all_ties",))
    assert result.confidence_interval() == (0, 0)
    assert [warning.code for warning in result.warnings] == ["degenerate", "not-equal"]


def test_differences_that_do_not_vary_are_limits() -> None:
    result = bootstrap_test([0.3] * 20, [0.1] * 20, n_draws=199)
    assert result.flags == ("zero_variance",)
    assert result.p_value == pytest.approx(2 / 200)
    assert result.confidence_interval() == pytest.approx((0.2, 0.2))
    assert [warning.code for warning in result.warnings] == ["degenerate"]


def test_few_rows_are_warned_of() -> None:
    assert bootstrap_test([1, 1, 1, 0], [0, 0, 1, 0]).warnings[0].code == "few-scores"


def test_the_table_leaves_out_the_draws() -> None:
    frame = bootstrap_test(A, B).to_frame()
    assert "means" not in frame
    assert frame.loc[0, "estimate"] == 0.07


@pytest.mark.parametrize(("side", "shown"), [("greater", "to inf"), ("less", "-inf to")])
def test_an_interval_with_one_limit_is_printed(side: str, shown: str) -> None:
    assert shown in str(bootstrap_test(A, B, alternative=side))


def test_bad_input_is_refused() -> None:
    with pytest.raises(InvalidArgumentError, match="n_draws of bootstrap_test must be a whole"):
        bootstrap_test(A, B, n_draws=-1)
    with pytest.raises(DesignError, match="losses of bootstrap_test must pair"):
        bootstrap_test(A, B[1:])
