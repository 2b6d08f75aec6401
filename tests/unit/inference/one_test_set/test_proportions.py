"""Intervals of a share, and the test of two shares."""

import numpy as np
import pytest

from bestofk.errors import DesignError, InvalidArgumentError
from bestofk.inference import proportion_interval, two_proportion_z_test
from bestofk.inference.one_test_set.proportions import run_on_rows


@pytest.mark.parametrize(
    ("method", "limits"),
    [
        ("normal", (0.7216014, 0.8783986)),
        ("wilson", (0.7111708, 0.8666331)),
        ("clopper-pearson", (0.7081573, 0.8733444)),
    ],
)
def test_eighty_of_a_hundred(method: str, limits: tuple[float, float]) -> None:
    result = proportion_interval(80, 100, method=method)
    assert (result.low, result.high) == pytest.approx(limits, abs=1e-7)
    assert (result.estimate, result.standard_error) == pytest.approx((0.8, 0.04))
    assert (result.flags, result.warnings) == ((), ())


@pytest.mark.parametrize("method", ["wilson", "clopper-pearson", "normal"])
def test_errors_have_the_mirrored_interval(method: str) -> None:
    right, wrong = (proportion_interval(n, 30, method=method) for n in (7, 23))
    assert (right.low, right.high) == pytest.approx((1 - wrong.high, 1 - wrong.low))


def test_no_success_has_an_interval_from_zero_and_none_without_width_unflagged() -> None:
    assert proportion_interval(0, 20).low == 0
    assert proportion_interval(0, 20).high == pytest.approx(0.1611251580528194)
    exact = proportion_interval(0, 20, method="clopper-pearson")
    assert (exact.low, exact.high) == pytest.approx((0, 1 - 0.025 ** (1 / 20)))
    assert proportion_interval(20, 20, method="clopper-pearson").high == 1
    assert proportion_interval(20, 20).high == 1
    result = proportion_interval(0, 20, method="normal")
    assert (result.low, result.high, result.flags) == (0, 0, ("zero_variance",))
    assert [warning.code for warning in result.warnings] == ["degenerate"]
    assert proportion_interval(1, 10, method="normal").low == 0


@pytest.mark.parametrize(
    ("given", "options", "message"),
    [
        ((0, 0), {}, r"n of .* whole number of at least 1; got 0"),
        ((0, -5), {}, r"n of .* of at least 1; got -5"),
        ((11, 10), {}, r"n_successes of .* from 0 to 10; got 11"),
        ((4.5, 10), {}, r"n_successes of .* from 0 to 10; got 4.5"),
        ((1, "ten"), {}, r"n of .* whole number of at least 1; got 'ten'"),
        ((1, 10), {"method": "wilsons"}, "Did you mean 'wilson'"),
        ((1, 10), {"level": 1}, "level must be a number above 0 and below 1"),
    ],
)
def test_bad_counts_are_refused(given: tuple, options: dict, message: str) -> None:
    with pytest.raises(InvalidArgumentError, match=message):
        proportion_interval(*given, **options)


@pytest.mark.parametrize(
    ("rates", "unpooled", "pooled"),
    [
        ((0.15, 30, 0.25, 5000), -1.527, -1.262),
        ((0.2, 100, 0.25, 100), -0.848, -0.847),
        ((0.15, 30, 0.3, 100), -1.878, -1.633),
    ],
)
def test_both_variances(rates: tuple[float, ...], unpooled: float, pooled: float) -> None:
    results = [two_proportion_z_test(*rates, variance=v) for v in ("unpooled", "pooled")]
    e1, n1, e2, n2 = rates
    share = (e1 * n1 + e2 * n2) / (n1 + n2)
    se = np.sqrt(e1 * (1 - e1) / n1 + e2 * (1 - e2) / n2)
    pooled_se = np.sqrt(share * (1 - share) * (1 / n1 + 1 / n2))
    assert results[0].statistic == pytest.approx((e1 - e2) / se)
    assert results[1].statistic == pytest.approx((e1 - e2) / pooled_se)
    if e2 == 0.25:
        assert [item.statistic for item in results] == pytest.approx([unpooled, pooled], abs=5e-4)
    assert results[0].confidence_interval() == results[1].confidence_interval()


def test_newcombes_interval_of_his_first_example() -> None:
    # Newcombe 1998, table II, example (a): 56/70 - 48/80, method 10: 0.0524 to 0.3339.
    result = two_proportion_z_test(56 / 70, 70, 48 / 80, 80, interval="newcombe")
    assert result.confidence_interval() == pytest.approx((0.0524, 0.3339), abs=5e-5)
    one_sided = two_proportion_z_test(
        56 / 70, 70, 48 / 80, 80, interval="newcombe", alternative="less"
    ).confidence_interval()
    assert one_sided[0] == -np.inf
    assert one_sided[1] == pytest.approx(result.confidence_interval(0.9)[1])


@pytest.mark.parametrize("variance", ["unpooled", "pooled"])
def test_no_errors_at_all_show_nothing(variance: str) -> None:
    for rate in (0, 1):
        result = two_proportion_z_test(rate, 20, rate, 30, variance=variance)
        assert (result.statistic, result.p_value, result.flags) == (0, 1, ("zero_variance",))
        assert result.warnings[0].code == "degenerate"
    low, high = two_proportion_z_test(0, 20, 0, 30, interval="newcombe").confidence_interval()
    assert low < 0 < high


def test_all_wrong_against_all_right_is_a_limit_and_independence_is_always_warned_of() -> None:
    result = two_proportion_z_test(0, 20, 1, 30)
    assert (result.statistic, result.p_value) == (-np.inf, 0)
    assert two_proportion_z_test(0, 20, 1, 30, alternative="greater").p_value == 1
    assert np.isfinite(two_proportion_z_test(0, 20, 1, 30, variance="pooled").statistic)
    shown = two_proportion_z_test(0.1, 1000, 0.2, 1000)
    assert [warning.code for warning in shown.warnings] == ["different-test-sets"]
    not_shown = two_proportion_z_test(0.1, 10, 0.2, 10)
    assert [warning.code for warning in not_shown.warnings] == ["different-test-sets", "not-equal"]


def test_rows_of_two_test_sets_may_differ_in_number() -> None:
    result = run_on_rows([0, 1, 0, 0], [1, 0])
    assert result.statistic == two_proportion_z_test(0.25, 4, 0.5, 2).statistic
    with pytest.raises(DesignError, match="losses of two-proportion-z must be 0 or 1"):
        run_on_rows([0, 0.5], [1, 0])
    with pytest.raises(DesignError, match="losses of two-proportion-z must be at least 1; got 0"):
        run_on_rows([], [1, 0])


def test_bad_rates_sizes_and_options_are_refused() -> None:
    with pytest.raises(InvalidArgumentError, match=r"e1 of .* error rate from 0 to 1; got 15"):
        two_proportion_z_test(15, 30, 0.25, 5000)
    with pytest.raises(InvalidArgumentError, match=r"e2 of .* error rate from 0 to 1; got None"):
        two_proportion_z_test(0.1, 30, None, 5000)  # type: ignore[arg-type]
    with pytest.raises(InvalidArgumentError, match=r"n2 of .* whole number of at least 1; got -3"):
        two_proportion_z_test(0.1, 30, 0.2, -3)
    with pytest.raises(InvalidArgumentError, match="Did you mean 'pooled'"):
        two_proportion_z_test(0.1, 30, 0.2, 30, variance="pool")
    with pytest.raises(InvalidArgumentError, match="Did you mean 'newcombe'"):
        two_proportion_z_test(0.1, 30, 0.2, 30, interval="newcomb")
