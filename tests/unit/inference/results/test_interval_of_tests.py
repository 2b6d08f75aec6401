"""Intervals of tests of two learners, where there is one and where there is none."""

import math

import pytest

from bestofk.inference import HypothesisTestResult


def result(alternative, standard_error):
    return HypothesisTestResult(
        procedure="test", n=9, statistic=2.0, df=8.0, p_value=0.04, alternative=alternative,
        estimate=0.2, standard_error=standard_error,
    )  # fmt: skip


@pytest.mark.parametrize("alternative", ["two-sided", "greater", "less"])
def test_without_a_standard_error_there_is_no_interval_on_any_side(alternative):
    limits = result(alternative, math.nan).confidence_interval()
    assert all(math.isnan(limit) for limit in limits)
    assert "interval" not in str(result(alternative, math.nan))


def test_a_one_sided_test_has_a_one_sided_interval():
    margin = 1.6448536269514722 * 0.1
    assert result("less", 0.1).confidence_interval() == pytest.approx((-math.inf, 0.2 + margin))
    assert result("greater", 0.1).confidence_interval() == pytest.approx((0.2 - margin, math.inf))


def test_without_variance_the_interval_has_no_width():
    assert result("two-sided", 0.0).confidence_interval() == (0.2, 0.2)
