"""Fast ways of the tests of two learners against the plain ones."""

import itertools

import numpy as np
import pytest
from scipy import stats

from bestofk.inference import (
    Sampling,
    bayesian_correlated_t,
    calibrate_df,
    cv_central_limit_test,
    five_by_two_cv_f_test,
    five_by_two_cv_t_numerators,
    five_by_two_cv_t_test,
    paired_test,
)
from bestofk.inference.two_learners.five_by_two_cv import BLOCK, _tail_of_five

HALVES = Sampling("k-fold", 5, 2, 1, 1)


def test_the_tail_of_five_df_equals_scipy() -> None:
    t = np.concatenate([[0.0], np.logspace(-6, 8, 3_000), [7.999, 8.0, 8.001, np.inf]])
    np.testing.assert_allclose(_tail_of_five(t, 5), stats.t.sf(t, 5), rtol=1e-12)


def test_many_thousand_five_by_two_equal_one_by_one() -> None:
    rng = np.random.default_rng(52)
    differences = rng.normal(0.01, 0.03, (2, BLOCK // 2 + 7, 2, 10)).round(2)
    differences[0, 0] = 0.0
    differences[1, -1] = 0.05
    many = paired_test("5x2cv-t").compare(differences, HALVES, scale=0.4)
    assert many.zero_variance[0, 0].all()
    assert many.zero_variance[1, -1].all()
    for at in itertools.product((0, 1), (0, 1, BLOCK // 2 - 1, BLOCK // 2, -1), (0, 1)):
        item = paired_test("5x2cv-t").compare(differences[at], HALVES, scale=0.4)
        for name in ("mean", "statistic", "df", "standard_error", "p_greater", "p_two_sided"):
            np.testing.assert_allclose(
                getattr(many, name)[at], getattr(item, name), rtol=1e-13, err_msg=name
            )
        assert bool(many.zero_variance[at]) == bool(item.zero_variance)


def test_scales_of_pairs_are_kept_beside_their_pairs() -> None:
    differences = np.full((BLOCK + 5, 10), 0.05)
    differences[:, 1] += 1e-10  # more than the noise of 1, less than that of 1e4
    scale = np.where(np.arange(BLOCK + 5) % 2, 1e4, 1.0)
    result = paired_test("5x2cv-t").compare(differences, HALVES, scale=scale)
    np.testing.assert_array_equal(result.zero_variance, scale == 1e4)


def test_each_numerator_equals_the_test_with_that_fold_first() -> None:
    a, b = np.random.default_rng(8).normal(0.25, 0.03, (2, 5, 2))
    ten = five_by_two_cv_t_numerators(a, b, alternative="less")
    for repeat, fold in itertools.product(range(5), range(2)):
        turn = [repeat, *(i for i in range(5) if i != repeat)]
        folds = [fold, 1 - fold]
        result = five_by_two_cv_t_test(a[turn][:, folds], b[turn][:, folds], alternative="less")
        assert ten.statistic[repeat, fold] == pytest.approx(result.statistic)
        assert ten.p_value[repeat, fold] == pytest.approx(result.p_value)


def test_f_equals_its_formula() -> None:
    a, b = np.random.default_rng(9).normal(0.25, 0.03, (2, 5, 2))
    d = a - b
    f = (d**2).sum() / (2 * sum(((row - row.mean()) ** 2).sum() for row in d))
    result = five_by_two_cv_f_test(a, b)
    np.testing.assert_allclose(
        [result.statistic, result.p_value], [f, stats.f.sf(f, 10, 5)], rtol=1e-10
    )


@pytest.mark.parametrize("rope", [0.0, 0.005, 0.03])
def test_the_posterior_equals_scipy(rope: float) -> None:
    a, b = np.random.default_rng(10).normal(0.25, 0.03, (2, 30))
    d = a - b
    law = stats.t(29, d.mean(), np.sqrt((1 / 30 + 100 / 200) * d.var(ddof=1)))
    posterior = bayesian_correlated_t(a, b, n_train=200, n_test=100, rope=rope)
    np.testing.assert_allclose(
        [posterior.p_less, posterior.p_rope, posterior.p_greater],
        [law.cdf(-rope), law.cdf(rope) - law.cdf(-rope), law.sf(rope)],
        rtol=1e-9,
        atol=1e-14,
    )
    x = np.linspace(-0.1, 0.1, 11)
    np.testing.assert_allclose(posterior.density(x), law.pdf(x), rtol=1e-9)
    np.testing.assert_allclose(posterior.quantile([0.01, 0.6]), law.ppf([0.01, 0.6]), rtol=1e-9)


def test_the_central_limit_equals_its_formula_fold_by_fold() -> None:
    rng = np.random.default_rng(11)
    a, b = rng.random((2, 60))
    folds = np.arange(60) % 7
    d = a - b
    variance = np.mean([d[folds == fold].var(ddof=1) for fold in range(7)])
    z = d.mean() / np.sqrt(variance / 60)
    result = cv_central_limit_test(a, b, fold_of_row=folds, alternative="less")
    np.testing.assert_allclose(
        [result.statistic, result.p_value], [z, stats.norm.cdf(z)], rtol=1e-10
    )


@pytest.mark.parametrize("scheme", ["use-all-data", "run-averages", "fold-averages"])
def test_exact_calibration_keeps_the_level_in_a_simulation_of_its_model(scheme: str) -> None:
    from bestofk.inference.two_learners.t_tests import scheme_values

    n_repeats, n_folds, m = 4, 5, 20_000
    rng = np.random.default_rng(12)
    shared, own = rng.normal(size=(m, 1, 1)), rng.normal(size=(m, n_repeats, n_folds))
    x = scheme_values(np.sqrt(0.2) * shared + np.sqrt(0.8) * own, scheme)
    df = calibrate_df(scheme, n_repeats, n_folds)
    t = x.mean(axis=1) / (x.std(axis=1, ddof=1) / np.sqrt(df + 1))
    share = (2 * stats.t.sf(np.abs(t), df) <= 0.05).mean()
    assert share == pytest.approx(0.05, abs=3 * np.sqrt(0.05 * 0.95 / m))
