"""Procedures on one test set against plain formulas, scipy and scikit-learn."""

import itertools

import numpy as np
import pytest
from scipy import stats
from scipy.spatial import ConvexHull
from sklearn.metrics import roc_auc_score, roc_curve

from bestofk.inference import (
    bootstrap_test,
    delong_test,
    looney_f_plus_test,
    looney_f_test,
    mcnemar_from_counts,
    permutation_test,
    proportion_interval,
    roc_convex_hull,
    roc_curve_points,
)


def plain_delong(y: np.ndarray, a: np.ndarray, b: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return areas and their covariance from every pair of a positive and a negative row."""
    wins = [
        [[(s > t) + (s == t) / 2 for t in scores[y == 0]] for s in scores[y == 1]]
        for scores in (a, b)
    ]
    v10, v01 = np.mean(wins, axis=2), np.mean(wins, axis=1)
    covariance = np.cov(v10) / v10.shape[1] + np.cov(v01) / v01.shape[1]
    return v10.mean(axis=1), covariance


@pytest.mark.parametrize("seed", range(5))
def test_delong_equals_its_plain_form(seed: int) -> None:
    rng = np.random.default_rng(seed)
    y = np.append([0, 0, 1, 1], rng.integers(0, 2, 40))
    # Whole numbers: many ties.
    a, b = rng.integers(0, 8, (2, 44)) + y
    result, (areas, covariance) = delong_test(y, a, b), plain_delong(y, a, b)
    np.testing.assert_allclose(result.areas, areas, rtol=1e-12)
    np.testing.assert_allclose(result.variances, np.diag(covariance), rtol=1e-10)
    np.testing.assert_allclose(result.covariance, covariance[0, 1], rtol=1e-9, atol=1e-15)
    wanted = np.diff(areas)[0] ** 2 / (covariance[0, 0] + covariance[1, 1] - 2 * covariance[0, 1])
    np.testing.assert_allclose(result.statistic**2, wanted, rtol=1e-9)
    np.testing.assert_allclose(result.areas, [roc_auc_score(y, a), roc_auc_score(y, b)], rtol=1e-12)


@pytest.mark.parametrize("counts", [(9, 2), (2, 9), (0, 1), (40, 40), (300, 250), (7, 0)])
def test_binomial_p_values_equal_scipy(counts: tuple[int, int]) -> None:
    n01, n10 = counts
    n = n01 + n10
    law = stats.binom(n, 0.5)
    for side in ("two-sided", "greater", "less"):
        exact = mcnemar_from_counts(n01, n10, method="exact", alternative=side).p_value
        wanted = stats.binomtest(n01, n, 0.5, alternative=side).pvalue
        assert exact == pytest.approx(wanted, rel=1e-10)
    mid = {
        s: mcnemar_from_counts(n01, n10, alternative=s).p_value for s in ("two-sided", "greater")
    }
    assert mid["greater"] == pytest.approx(law.sf(n01) + law.pmf(n01) / 2, rel=1e-9)
    least = min(counts)
    assert mid["two-sided"] == pytest.approx(2 * law.cdf(least) - law.pmf(least), rel=1e-9)


@pytest.mark.parametrize("level", [0.8, 0.95])
@pytest.mark.parametrize(("k", "n"), [(0, 7), (3, 7), (7, 7), (80, 100)])
def test_intervals_of_a_proportion_equal_scipy(k: int, n: int, level: float) -> None:
    for method, name in (("wilson", "wilson"), ("clopper-pearson", "exact")):
        result = proportion_interval(k, n, method=method, level=level)
        wanted = stats.binomtest(k, n).proportion_ci(level, method=name)
        np.testing.assert_allclose([result.low, result.high], wanted, rtol=1e-9, atol=1e-14)


@pytest.mark.parametrize("seed", range(4))
def test_permutations_equal_all_signs_one_by_one(seed: int) -> None:
    rng = np.random.default_rng(seed)
    a, b = rng.integers(0, 5, (2, 9)) / 10
    d = a - b
    sums = np.array([np.dot(signs, d) for signs in itertools.product([-1, 1], repeat=9)])
    for side, extreme in (
        ("two-sided", np.abs(sums) >= abs(d.sum()) - 1e-9),
        ("greater", sums >= d.sum() - 1e-9),
        ("less", sums <= d.sum() + 1e-9),
    ):
        assert permutation_test(a, b, alternative=side).p_value == pytest.approx(extreme.mean())


def test_drawn_signs_come_near_to_scipys() -> None:
    rng = np.random.default_rng(8)
    d = rng.normal(0.15, 1, 60)
    wanted = stats.permutation_test(
        (d,), np.mean, permutation_type="samples", n_resamples=20000, rng=np.random.default_rng(0)
    ).pvalue
    result = permutation_test(d, np.zeros(60), n_draws=20000).p_value
    assert result == pytest.approx(wanted, abs=0.015)


def test_the_bootstrap_comes_near_to_scipys() -> None:
    rng = np.random.default_rng(9)
    d = rng.exponential(size=50)
    wanted = stats.bootstrap(
        (d,), np.mean, n_resamples=20000, method="percentile", rng=np.random.default_rng(0)
    ).confidence_interval
    result = bootstrap_test(d, np.zeros(50), n_draws=20000).confidence_interval()
    np.testing.assert_allclose(result, wanted, atol=0.02)


@pytest.mark.parametrize("seed", range(4))
def test_looneys_sums_and_epsilon_equal_plain_ones(seed: int) -> None:
    rng = np.random.default_rng(seed)
    y = (rng.random((25, 4)) < [0.5, 0.6, 0.8, 0.7]).astype(float)
    mean, rows, columns = y.mean(), y.mean(axis=1, keepdims=True), y.mean(axis=0, keepdims=True)
    result = looney_f_test(y)
    assert result.ss_learners == pytest.approx(25 * ((columns - mean) ** 2).sum())
    assert result.ss_rows == pytest.approx(4 * ((rows - mean) ** 2).sum())
    assert result.ss_error == pytest.approx(((y - rows - columns + mean) ** 2).sum())
    # Epsilon from the eigenvalues of orthonormal contrasts.
    contrasts = np.linalg.svd(np.eye(4) - 1 / 4)[0][:, :3]
    values = np.linalg.eigvalsh(contrasts.T @ np.cov(y, rowvar=False) @ contrasts)
    wanted = values.sum() ** 2 / (3 * (values**2).sum())
    assert looney_f_plus_test(y).epsilon == pytest.approx(wanted)


@pytest.mark.parametrize("seed", range(5))
def test_the_hull_equals_scipys(seed: int) -> None:
    rng = np.random.default_rng(seed)
    points = np.sort(rng.random((30, 2)), axis=1)
    hull = roc_convex_hull([(str(i), f, t) for i, (f, t) in enumerate(points)])
    corners = np.vstack([points, [[0, 0], [1, 1], [1, 0]]])
    wanted = ConvexHull(corners)
    results = {(p.fpr, p.tpr) for p in hull.vertices}
    assert results | {(1.0, 0.0)} == {tuple(corners[i]) for i in wanted.vertices}
    assert hull.area == pytest.approx(wanted.volume)


@pytest.mark.parametrize("seed", range(3))
def test_the_curve_equals_scikit_learns(seed: int) -> None:
    rng = np.random.default_rng(seed)
    y = np.append([0, 1], rng.integers(0, 2, 50))
    score = rng.integers(0, 20, 52)
    wanted = roc_curve(y, score, drop_intermediate=False)
    for point, expected in zip(roc_curve_points(y, score), wanted, strict=True):
        np.testing.assert_allclose(point, expected, rtol=1e-12)
