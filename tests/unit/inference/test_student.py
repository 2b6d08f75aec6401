"""Distributions: of Student, and of the studentized range."""

import numpy as np
import pytest
from scipy.special import ndtr, stdtr, stdtrit
from scipy.stats import studentized_range

from bestofk.errors import InvalidArgumentError
from bestofk.inference import studentized_range_quantile, studentized_range_tail
from bestofk.inference.checks import check_alternative, check_share
from bestofk.inference.student import student_interval, upper_tail


def test_the_upper_tail_is_that_of_the_printed_tables_and_exact_at_infinity() -> None:
    assert upper_tail([np.inf, -np.inf, 0.0], 3).tolist() == [0, 1, 0.5]
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


def test_an_unknown_alternative_is_answered_with_the_nearest_and_a_level_may_be_text() -> None:
    with pytest.raises(InvalidArgumentError, match="Did you mean 'greater'"):
        check_alternative("greatr")
    assert check_share("0.05", "alpha") == 0.05  # type: ignore[arg-type]


@pytest.mark.parametrize("value", [0, 1, 95, -0.1, float("nan"), "x", None])
def test_a_level_outside_0_1_is_refused(value: object) -> None:
    with pytest.raises(InvalidArgumentError, match=r"alpha must be a number above 0 and below 1"):
        check_share(value, "alpha")  # type: ignore[arg-type]


Q = np.array([0.0, 0.1, 1.0, 3.0, 5.0, 10.0, 40.0])


@pytest.mark.parametrize(
    ("n_means", "df"),
    [(2, 1), (2, 4), (3, 10), (5, 45), (10, 2), (4, 3.5), *((k, np.inf) for k in (2, 3, 10, 100))],
)
def test_tails_are_those_of_scipy(n_means: int, df: float) -> None:
    slow = studentized_range.sf(Q, n_means, df)
    np.testing.assert_allclose(studentized_range_tail(Q, n_means, df), slow, rtol=0, atol=1e-11)


@pytest.mark.parametrize("df", [1, 3, 30, 1000])
def test_two_means_are_students_t_far_into_the_tail(df: float) -> None:
    q = np.array([0.5, 2.0, 6.0, 12.0])
    wanted = 2 * stdtr(df, -q / np.sqrt(2))
    np.testing.assert_allclose(studentized_range_tail(q, 2, df), wanted, rtol=1e-9)
    np.testing.assert_allclose(studentized_range_tail(14, 2, np.inf), 2 * ndtr(-14 / 2**0.5), 1e-9)


def test_limits_are_exact_and_many_statistics_are_worked_off_in_blocks() -> None:
    assert studentized_range_tail([0, -1, np.inf], 4, 12).tolist() == [1.0, 1.0, 0.0]
    assert studentized_range_tail([], 4, 12).shape == (0,)
    assert studentized_range_tail([[1.0], [2.0]], 4, np.inf).shape == (2, 1)
    many = np.linspace(0, 9, 400)
    one_by_one = [float(studentized_range_tail(q, 7, 20)) for q in many[::40]]
    np.testing.assert_allclose(studentized_range_tail(many, 7, 20)[::40], one_by_one, rtol=1e-12)


@pytest.mark.parametrize(("df", "alpha"), [(1, 1e-6), (1, 0.05), (45, 0.05), (9, 0.9)])
def test_quantiles_of_two_means_are_students_t(df: float, alpha: float) -> None:
    wanted = stdtrit(df, 1 - alpha / 2) * np.sqrt(2)
    assert studentized_range_quantile(2, df, alpha=alpha) == pytest.approx(wanted, rel=1e-8)


def test_the_printed_table_comes_out() -> None:
    results = [round(studentized_range_quantile(p, 45), 3) for p in (2, 3, 4, 5)]
    assert results == [2.848, 3.428, 3.773, 4.018]


@pytest.mark.parametrize("n_means", [1, 2.5, float("nan"), float("inf")])
def test_a_range_needs_two_means(n_means: float) -> None:
    with pytest.raises(InvalidArgumentError, match="must be a whole number of at least 2"):
        studentized_range_quantile(n_means, 10)  # type: ignore[arg-type]


@pytest.mark.parametrize("df", [0, -3, float("nan")])
def test_degrees_of_freedom_are_positive(df: float) -> None:
    with pytest.raises(InvalidArgumentError, match="df of the studentized range must be above 0"):
        studentized_range_tail(1.0, 3, df)


def test_nan_and_levels_outside_0_1_are_refused() -> None:
    with pytest.raises(InvalidArgumentError, match="must be a number; got nan"):
        studentized_range_tail([1.0, np.nan], 3, 5)
    with pytest.raises(InvalidArgumentError, match="alpha must be a number above 0"):
        studentized_range_quantile(3, 5, alpha=0)
