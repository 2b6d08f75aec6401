"""Permutations of signs, and draws of rows."""

import numpy as np
import pytest

from bestofk.errors import InvalidArgumentError
from bestofk.inference import bootstrap_test, mcnemar_test, permutation_test


def test_six_rows_by_hand() -> None:
    # Differences .5 .1 .2 .4 -.1 .3: 6 of 64 sign patterns sum to 1.4 or more, up or down.
    a, b = [0.9, 0.8, 0.7, 0.9, 0.6, 0.8], [0.4, 0.7, 0.5, 0.5, 0.7, 0.5]
    assert permutation_test(a, b).p_value == pytest.approx(6 / 64)
    assert permutation_test(a, b, alternative="greater").p_value == pytest.approx(3 / 64)
    assert permutation_test(a, b, alternative="less").p_value == pytest.approx(1 - 1 / 64)
    result = permutation_test(a, b)
    assert (result.statistic, result.n) == (pytest.approx(1.4 / 6), 6)
    assert result.distribution == "all signs"
    assert [label for label, _ in result.rows()].count("mean difference") == 1


def test_losses_of_zero_and_one_give_the_exact_mcnemar_test() -> None:
    rng = np.random.default_rng(0)
    a, b = (rng.random((2, 5000)) < [[0.2], [0.22]]).astype(int)
    for side in ("two-sided", "greater", "less"):
        wanted = mcnemar_test(a, b, method="exact", alternative=side).p_value
        assert permutation_test(a, b, alternative=side).p_value == pytest.approx(wanted)


def test_equal_and_few_losses_show_nothing_though_floats_hide_ties() -> None:
    result = permutation_test([0.1, 0.2], [0.1, 0.2])
    assert (result.statistic, result.p_value, result.flags) == (0, 1, ("all_ties",))
    assert [warning.code for warning in result.warnings] == ["degenerate", "not-equal"]
    # .81 - .79 and .92 - .90 are both .02.
    result = permutation_test([0.81, 0.92, 0.5], [0.79, 0.90, 0.54])
    assert result.p_value == 1
    assert result.statistic == pytest.approx(0, abs=1e-15)
    five = permutation_test([1] * 5, [0] * 5)
    assert five.p_value == pytest.approx(2 / 32)
    assert [warning.code for warning in five.warnings] == ["few-scores", "not-equal"]
    assert permutation_test([1] * 5, [0] * 5, alternative="greater").warnings == ()
    assert permutation_test([1] * 6, [0] * 6).warnings == ()


def test_many_different_rows_are_drawn_the_same_way_each_time() -> None:
    rng = np.random.default_rng(3)
    a, b = rng.normal(size=(2, 100))
    result = permutation_test(a, b)
    assert result.p_value == permutation_test(a[::-1], b[::-1]).p_value
    assert result.p_value != permutation_test(a, b, random_state=1).p_value
    assert result.distribution == "9999 drawn signs and their opposites"
    greater = permutation_test(a, b, alternative="greater").p_value
    assert greater == permutation_test(b, a, alternative="less").p_value
    assert permutation_test(a + 5, b, n_draws=99).p_value == pytest.approx(1 / 100)


@pytest.mark.parametrize("n_draws", [0, 99.5])
def test_bad_options_are_refused(n_draws: object) -> None:
    with pytest.raises(InvalidArgumentError, match="n_draws of permutation_test must be a whole n"):
        permutation_test([0, 1], [1, 1], n_draws=n_draws)
    with pytest.raises(InvalidArgumentError, match=r"random_state of .* whole number; got None"):
        permutation_test([0, 1], [1, 1], random_state=None)


A, B = np.repeat([1, 0, 0], [9, 2, 89]), np.repeat([0, 1, 0], [9, 2, 89])


def test_drawn_means_have_the_spread_of_the_mean_and_agree_with_the_p_value() -> None:
    result = bootstrap_test(A, B)
    assert result.standard_error == pytest.approx(np.std(A - B) / 10, rel=0.02)
    assert result.means.mean() == pytest.approx(0.07, abs=0.001)
    assert (result.means.shape, result.statistic) == ((9999,), 0.07)
    low, high = result.confidence_interval(0.9)
    assert 0.01 <= low < 0.03 < 0.11 < high <= 0.13
    low, _ = result.confidence_interval(1 - result.p_value / 2)
    high_level = result.confidence_interval(1 - 2 * result.p_value)
    assert low <= 0 <= high_level[0]
    frame = result.to_frame()
    assert "means" not in frame
    assert frame.loc[0, "estimate"] == 0.07


def test_draws_depend_on_the_state_and_not_on_the_order_of_rows() -> None:
    result = bootstrap_test(A, B).means
    np.testing.assert_array_equal(result, bootstrap_test(A[::-1], B[::-1]).means)
    assert (result != bootstrap_test(A, B, random_state=1).means).any()


def test_losses_without_variance_are_limits_and_few_rows_are_warned_of() -> None:
    result = bootstrap_test([0.1] * 20, [0.1] * 20)
    assert (result.statistic, result.p_value, result.flags) == (0, 1, ("all_ties",))
    assert result.confidence_interval() == (0, 0)
    assert [warning.code for warning in result.warnings] == ["degenerate", "not-equal"]
    result = bootstrap_test([0.3] * 20, [0.1] * 20, n_draws=199)
    assert result.flags == ("zero_variance",)
    assert result.p_value == pytest.approx(2 / 200)
    assert result.confidence_interval() == pytest.approx((0.2, 0.2))
    assert [warning.code for warning in result.warnings] == ["degenerate"]
    assert bootstrap_test([1, 1, 1, 0], [0, 0, 1, 0]).warnings[0].code == "few-scores"


@pytest.mark.parametrize(("side", "shown"), [("greater", "to inf"), ("less", "-inf to")])
def test_an_interval_with_one_limit_is_printed(side: str, shown: str) -> None:
    assert shown in str(bootstrap_test(A, B, alternative=side))


def test_a_number_of_draws_below_one_is_refused() -> None:
    with pytest.raises(InvalidArgumentError, match="n_draws of bootstrap_test must be a whole"):
        bootstrap_test(A, B, n_draws=-1)
