"""Tests over data sets against scipy, plain formulas and enumeration."""

import itertools

import numpy as np
import pytest
from scipy import stats

from bestofk.inference import (
    adjust_pairs,
    aligned_ranks_test,
    average_ranks,
    cliffs_delta,
    friedman_test,
    kendall,
    ks_two_sample,
    quade_test,
    sign_test,
    spearman,
    wilcoxon_test,
)
from bestofk.inference.many_data_sets.paired_tests import signed_ranks
from bestofk.inference.many_data_sets.ranks import mid_ranks
from bestofk.inference.student import (
    studentized_range_quantile,
    studentized_range_tail,
)

ALTERNATIVES = ("two-sided", "greater", "less")
SEEDS = range(4)


def coarse(seed: int, *shape: int) -> np.ndarray:
    """Scores with many ties."""
    return np.random.default_rng(seed).normal(0.1, 1, shape).round(1)


@pytest.mark.parametrize("seed", SEEDS)
def test_mid_ranks_equal_scipy(seed: int) -> None:
    values = coarse(seed, 3, 12, 4)
    np.testing.assert_array_equal(mid_ranks(values), stats.rankdata(values, axis=-1))
    np.testing.assert_array_equal(
        average_ranks(values[0], greater_is_better=True),
        stats.rankdata(-values[0], axis=1).mean(axis=0),
    )


@pytest.mark.parametrize("seed", SEEDS)
def test_friedman_equals_scipy(seed: int) -> None:
    table = coarse(seed, 9, 4)
    wanted = stats.friedmanchisquare(*table.T)
    result = friedman_test(table)
    np.testing.assert_allclose([result.statistic, result.p_value], wanted, rtol=1e-10)


@pytest.mark.parametrize("seed", SEEDS)
def test_quade_equals_the_steps_of_r(seed: int) -> None:
    table = coarse(seed, 9, 4)
    n, k = table.shape
    r = stats.rankdata(table, axis=1)
    q = stats.rankdata((table.max(axis=1) - table.min(axis=1)).round(9))
    s = q[:, np.newaxis] * (r - (k + 1) / 2)
    a, b = (s**2).sum(), (s.sum(axis=0) ** 2).sum() / n
    statistic = (n - 1) * b / (a - b)
    result = quade_test(table)
    wanted = [statistic, stats.f.sf(statistic, k - 1, (n - 1) * (k - 1))]
    np.testing.assert_allclose([result.statistic, result.p_value], wanted, rtol=1e-10)


@pytest.mark.parametrize("seed", SEEDS)
def test_aligned_ranks_equal_their_formula(seed: int) -> None:
    table = coarse(seed, 9, 4)
    n, k = table.shape
    r = stats.rankdata((table - table.mean(axis=1, keepdims=True)).round(9)).reshape(n, k)
    top = (r.sum(axis=0) ** 2).sum() - k * n**2 / 4 * (k * n + 1) ** 2
    bottom = k * n * (k * n + 1) * (2 * k * n + 1) / 6 - (r.sum(axis=1) ** 2).sum() / k
    statistic = (k - 1) * top / bottom
    np.testing.assert_allclose(aligned_ranks_test(table).statistic, statistic, rtol=1e-10)


@pytest.mark.parametrize("alternative", ALTERNATIVES)
@pytest.mark.parametrize("zeros", ["wilcox", "pratt", "zsplit"])
@pytest.mark.parametrize("n", [4, 11, 60])
def test_wilcoxon_by_the_normal_law_equals_scipy(n: int, zeros: str, alternative: str) -> None:
    given = {"alternative": alternative}
    for seed, continuity in itertools.product(range(4), (False, True)):
        a, b = coarse(seed, 2, n)
        wanted = stats.wilcoxon(
            (a - b).round(9), None, zeros, continuity, method="asymptotic", **given
        )
        result = wilcoxon_test(a, b, zeros=zeros, method="normal", continuity=continuity, **given)
        np.testing.assert_allclose(result.p_value, wanted.pvalue, rtol=1e-10)


@pytest.mark.parametrize("zeros", ["wilcox", "pratt", "zsplit"])
@pytest.mark.parametrize("seed", SEEDS)
def test_exact_wilcoxon_equals_all_signs(seed: int, zeros: str) -> None:
    a, b = coarse(seed, 2, 9)
    d = (a - b).round(9)
    kept = d[d != 0] if zeros == "wilcox" else d
    ranks = stats.rankdata(np.abs(kept))[kept != 0]
    signs = np.array(list(itertools.product((0, 1), repeat=len(ranks))))
    sums, own = signs @ ranks, ranks[kept[kept != 0] > 0].sum()
    tails = {"greater": (sums >= own).mean(), "less": (sums <= own).mean()}
    tails["two-sided"] = min(1.0, 2 * min(tails.values()))
    for alternative, wanted in tails.items():
        result = wilcoxon_test(a, b, zeros=zeros, alternative=alternative)
        np.testing.assert_allclose(result.p_value, wanted, rtol=1e-12)


@pytest.mark.parametrize("n", [12, 30, 50])
def test_wilcoxon_without_ties_equals_the_exact_law_of_scipy(n: int) -> None:
    d = np.random.default_rng(n).normal(0.2, 1, n)
    for alternative in ALTERNATIVES:
        wanted = stats.wilcoxon(d, method="exact", alternative=alternative).pvalue
        result = wilcoxon_test(d, np.zeros(n), alternative=alternative)
        np.testing.assert_allclose(result.p_value, wanted, rtol=1e-9)


@pytest.mark.parametrize("zeros", ["wilcox", "pratt", "zsplit"])
@pytest.mark.parametrize("method", ["exact", "normal"])
def test_many_pairs_at_once_equal_one_by_one(method: str, zeros: str) -> None:
    differences = coarse(1, 3, 5, 14)
    ranks = signed_ranks(differences, method=method, zeros=zeros)
    for where in np.ndindex(3, 5):
        for alternative in ALTERNATIVES:
            result = wilcoxon_test(
                differences[where],
                np.zeros(14),
                method=method,
                zeros=zeros,
                alternative=alternative,
            )
            np.testing.assert_allclose(
                ranks.p_value(alternative)[where], result.p_value, rtol=1e-12
            )
        assert ranks.w_plus[where] == result.w_plus
        assert ranks.w_minus[where] == result.w_minus


@pytest.mark.parametrize("alternative", ALTERNATIVES)
@pytest.mark.parametrize("n", [2, 9, 40, 400])
def test_sign_test_equals_scipy(n: int, alternative: str) -> None:
    for seed in SEEDS:
        a, b = coarse(seed, 2, n)
        result = sign_test(a, b, alternative=alternative)
        if result.n:
            wanted = stats.binomtest(result.wins, result.n, alternative=alternative)
            np.testing.assert_allclose(result.p_value, wanted.pvalue, rtol=1e-9)
            np.testing.assert_allclose(
                result.confidence_interval(0.9), wanted.proportion_ci(0.9, "exact"), rtol=1e-9
            )


@pytest.mark.parametrize("n_learners", [2, 3, 40])
def test_the_normal_range_equals_scipy(n_learners: int) -> None:
    ranges = np.array([0.1, 1.0, 3.0, 4.5, 6.0, 9.0])
    wanted = stats.studentized_range.sf(ranges, n_learners, np.inf)
    np.testing.assert_allclose(
        studentized_range_tail(ranges, n_learners, np.inf), wanted, atol=1e-10
    )
    quantile = stats.studentized_range.isf(0.05, n_learners, np.inf)
    np.testing.assert_allclose(studentized_range_quantile(n_learners, np.inf), quantile, rtol=1e-8)


def test_far_tails_of_two_normal_numbers_keep_their_digits() -> None:
    z = np.array([2.0, 6.0, 12.0, 25.0])
    np.testing.assert_allclose(
        studentized_range_tail(np.sqrt(2) * z, 2, np.inf), 2 * stats.norm.sf(z), rtol=1e-10
    )


def groupings(members: list[int]) -> list[list[list[int]]]:
    if not members:
        return [[]]
    first, rest = members[0], members[1:]
    results = []
    for size in range(len(rest) + 1):
        for company in itertools.combinations(rest, size):
            left = [item for item in rest if item not in company]
            results += [[[first, *company], *others] for others in groupings(left)]
    return results


@pytest.mark.parametrize("n_learners", [3, 4, 5])
def test_bergmann_hommel_and_shaffer_equal_their_definitions(n_learners: int) -> None:
    pairs = list(itertools.combinations(range(n_learners), 2))
    sets = []
    for groups in groupings(list(range(n_learners))):
        equal = [pairs.index(p) for g in groups for p in itertools.combinations(sorted(g), 2)]
        sets.append(equal)
    counts = {len(item) for item in sets}
    for seed in SEEDS:
        p = np.random.default_rng(seed).beta(0.4, 1, len(pairs))
        bergmann = np.zeros(len(p))
        for item in sets:
            for i in item:
                bergmann[i] = max(bergmann[i], len(item) * min(p[j] for j in item))
        shaffer, highest, running = np.zeros(len(p)), 0.0, 0.0
        for step, i in enumerate(np.argsort(p)):
            most = max(c for c in counts if c <= len(p) - step)
            highest, running = max(highest, most * p[i]), max(running, bergmann[i])
            shaffer[i], bergmann[i] = min(1, highest), min(1, running)
        for method, wanted in (("shaffer", shaffer), ("bergmann-hommel", bergmann)):
            np.testing.assert_allclose(adjust_pairs(p, n_learners, method), wanted, rtol=1e-12)


@pytest.mark.parametrize("seed", SEEDS)
def test_correlations_equal_scipy(seed: int) -> None:
    a, b = coarse(seed, 2, 25)
    np.testing.assert_allclose(spearman(a, b).value, stats.spearmanr(a, b).statistic, rtol=1e-10)
    np.testing.assert_allclose(kendall(a, b).value, stats.kendalltau(a, b).statistic, rtol=1e-10)


@pytest.mark.parametrize(("n_a", "n_b"), [(1, 1), (4, 7), (30, 20), (300, 200)])
def test_kolmogorov_smirnov_without_ties_equals_scipy(n_a: int, n_b: int) -> None:
    rng = np.random.default_rng(n_a)
    a, b = rng.normal(size=n_a), rng.normal(0.4, 1, n_b)
    wanted = stats.ks_2samp(a, b, method="exact")
    result = ks_two_sample(a, b)
    np.testing.assert_allclose([result.statistic, result.p_value], wanted, atol=1e-12)


@pytest.mark.parametrize("seed", SEEDS)
def test_kolmogorov_smirnov_with_ties_equals_all_splits(seed: int) -> None:
    pooled = np.random.default_rng(seed).integers(0, 4, 9)
    result = ks_two_sample(pooled[:4], pooled[4:])

    def distance(first: tuple[int, ...]) -> float:
        a, b = pooled[list(first)], np.delete(pooled, list(first))
        return max(abs((a <= x).mean() - (b <= x).mean()) for x in range(4))

    splits = list(itertools.combinations(range(9), 4))
    reached = [distance(split) >= result.statistic - 1e-9 for split in splits]
    np.testing.assert_allclose(result.p_value, np.mean(reached), rtol=1e-10)


def test_cliffs_delta_equals_all_pairs() -> None:
    a, b = coarse(1, 13), coarse(2, 8)
    wanted = np.sign(a[:, np.newaxis] - b).mean()
    np.testing.assert_allclose(cliffs_delta(a, b), wanted, rtol=1e-12)
