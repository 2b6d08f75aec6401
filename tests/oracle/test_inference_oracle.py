"""The tests of the package against scipy and against the plain formulas."""

import itertools

import numpy as np
import pytest
from scipy import stats

from bestofk.inference import (
    PAIRED_TESTS,
    Sampling,
    adjust_p_values,
    calibrate_df,
    calibrated_t_test,
    corrected_resampled_t_test,
    diebold_mariano_test,
    five_by_two_cv_t_test,
    paired_t_test,
    paired_test,
)

ALTERNATIVES = ("two-sided", "greater", "less")
SCALARS = {
    "paired-t": lambda a, b, side: paired_t_test(a, b, alternative=side),
    "corrected-t": lambda a, b, side: corrected_resampled_t_test(
        a, b, n_train=90, n_test=45, alternative=side
    ),
    "5x2cv-t": lambda a, b, side: five_by_two_cv_t_test(
        a.reshape(5, 2), b.reshape(5, 2), alternative=side
    ),
    "calibrated-t": lambda a, b, side: calibrated_t_test(
        a.reshape(5, 2),
        b.reshape(5, 2),
        df=calibrate_df("use-all-data", 5, 2),
        alternative=side,
    ),
    "diebold-mariano": lambda a, b, side: diebold_mariano_test(a, b, alternative=side),
    "sorted-runs-t": lambda a, b, side: calibrated_t_test(
        a.reshape(5, 2), b.reshape(5, 2), scheme="sorted-runs", alternative=side
    ),
}


@pytest.mark.parametrize("alternative", ALTERNATIVES)
@pytest.mark.parametrize("n_scores", [2, 3, 10, 100])
def test_paired_t_equals_scipy(alternative: str, n_scores: int) -> None:
    rng = np.random.default_rng(n_scores)
    a, b = rng.normal(0.25, 0.03, (2, n_scores))
    wanted = stats.ttest_rel(a, b, alternative=alternative)
    interval = wanted.confidence_interval(0.9)
    result = paired_t_test(a, b, alternative=alternative)
    np.testing.assert_allclose(
        [result.statistic, result.df, result.p_value, *result.confidence_interval(0.9)],
        [wanted.statistic, wanted.df, wanted.pvalue, interval.low, interval.high],
        rtol=1e-10,
    )


@pytest.mark.parametrize("n_scores", [2, 10, 100])
def test_corrected_t_equals_its_formula(n_scores: int) -> None:
    rng = np.random.default_rng(n_scores)
    a, b = rng.normal(0.25, 0.03, (2, n_scores))
    result = corrected_resampled_t_test(a, b, n_train=200, n_test=100, alternative="greater")
    d = a - b
    t = d.mean() / np.sqrt((1 / n_scores + 100 / 200) * d.var(ddof=1))
    p = stats.t.sf(t, n_scores - 1)
    np.testing.assert_allclose([result.statistic, result.p_value], [t, p], rtol=1e-10)


def test_five_by_two_equals_its_formula() -> None:
    rng = np.random.default_rng(52)
    a, b = rng.normal(0.25, 0.03, (2, 5, 2))
    result = five_by_two_cv_t_test(a, b, alternative="less")
    d = a - b
    s2 = [((row - row.mean()) ** 2).sum() for row in d]
    t = d[0, 0] / np.sqrt(sum(s2) / 5)
    np.testing.assert_allclose(
        [result.statistic, result.p_value], [t, stats.t.cdf(t, 5)], rtol=1e-10
    )


def test_far_tails_equal_scipy() -> None:
    d = np.array([[0.5, 0.5 + 10.0**-k] for k in range(2, 9)])
    result = paired_test("paired-t").compare(d, Sampling("k-fold", 1, 2))
    wanted = stats.ttest_1samp(d, 0, axis=1, alternative="greater")
    np.testing.assert_allclose(result.statistic, wanted.statistic, rtol=1e-6)
    np.testing.assert_allclose(result.p_greater, stats.t.sf(result.statistic, 1), rtol=1e-9)


@pytest.mark.parametrize("alternative", ALTERNATIVES)
@pytest.mark.parametrize("name", list(PAIRED_TESTS))
def test_many_pairs_at_once_equal_one_by_one(name: str, alternative: str) -> None:
    rng = np.random.default_rng(7)
    losses = rng.normal(0.25, 0.03, (5, 10)).round(2)
    losses[3], losses[4] = losses[2], losses[2] + 0.05
    sampling = Sampling("k-fold", 5, 2, n_train=90, n_test=45)
    scale = np.maximum(losses.max(axis=1)[:, None], losses.max(axis=1))
    many = paired_test(name).compare(losses[:, None] - losses, sampling, scale=scale)
    p_values = {"two-sided": many.p_two_sided, "greater": many.p_greater, "less": many.p_less}
    low, high = many.confidence_interval(0.9, alternative)
    for i, j in itertools.product(range(5), repeat=2):
        item = SCALARS[name](losses[i], losses[j], alternative)
        assert (item.statistic, item.df) == (many.statistic[i, j], many.df[i, j])
        assert item.p_value == p_values[alternative][i, j]
        assert item.standard_error == many.standard_error[i, j]
        assert item.estimate == many.mean[i, j]
        assert item.confidence_interval(0.9) == (low[i, j], high[i, j])
        assert ("zero_variance" in item.flags) == many.zero_variance[i, j]
    assert many.zero_variance.sum() == 5 + 6


def naive_holm(p_values: list[float]) -> list[float]:
    """Reject step by step: the adjusted p is the smallest level at which a hypothesis falls."""
    m = len(p_values)
    order = sorted(range(m), key=lambda i: p_values[i])
    adjusted, largest = [0.0] * m, 0.0
    for k, i in enumerate(order):
        largest = max(largest, min(1.0, (m - k) * p_values[i]))
        adjusted[i] = largest
    return adjusted


def test_adjusting_a_batch_equals_adjusting_one_by_one() -> None:
    p_values = np.random.default_rng(3).random((20, 6)).round(1)
    result = adjust_p_values(p_values, "holm")
    np.testing.assert_array_equal(result, [naive_holm(list(row)) for row in p_values])
    np.testing.assert_array_equal(
        adjust_p_values(p_values, "bonferroni"), np.minimum(1, 6 * p_values)
    )
