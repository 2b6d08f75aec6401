"""Times of tests and orderings on many scores, compared with numpy, scipy and scikit-posthocs.

Each line: median milliseconds of CPU over the rounds, the bar where there is one, and beside it the
same work by others (of a part, scaled up, where the whole would take minutes) and the ratio. Both
sides are measured in turn in one process on one thread. Lines of scikit-posthocs need that package.

    OMP_NUM_THREADS=1 python benchmarks/inference.py [--rounds 5] [--only TEXT]
"""

from __future__ import annotations

import argparse
import importlib.util
import itertools
import os
import platform
import statistics
import time

import numpy as np
import scipy
from scipy import stats
from threadpoolctl import threadpool_limits

import bestofk
from bestofk.inference import (
    Sampling,
    bootstrap_test,
    delong_test,
    friedman_test,
    nemenyi_test,
    paired_test,
    pairwise_rank_test,
    randomization_test,
)
from bestofk.inference.adjust import adjust_pairs, exhaustive_sets
from bestofk.inference.many_data_sets.paired_tests import signed_ranks
from bestofk.inference.new_data import losses_on_new_data
from bestofk.verdict.rules import five_by_two_edges, multitest_best

RNG = np.random.default_rng(0)
N_RUNS = 30_000
PART = 300  # runs or pairs that the loop over scipy does; its time is scaled up
TEN_SCORES = RNG.normal(0.25, 0.03, (N_RUNS, 5, 10))  # runs, learners, 5x2 scores
THOUSAND_SCORES = RNG.normal(0.25, 0.03, (100, 1_000))  # learners, scores
DATA_SETS = RNG.normal(0.25, 0.03, (1_000, 100)) + np.linspace(0, 0.01, 100)
HUNDRED_SPLITS = RNG.binomial(100, np.linspace(0.1, 0.12, 20)[:, None], (20, 100)) / 100
FEW_DATA_SETS = DATA_SETS[:30, :20]
WIDE_TABLE = RNG.normal(0.25, 0.03, (1_000, 200)) + np.linspace(0, 0.01, 200)
WIDE_PAIRS = tuple(np.triu_indices(200, k=1))
MANY_DRAWS = RNG.normal(0.25, 0.03, (1_000, 50))
ROW_LOSSES = RNG.normal(0.25, 0.03, (2, 100_000))
IS_POSITIVE = RNG.random(1_000_000) < 0.3
RANKINGS = RNG.normal(size=(2, 1_000_000)) + IS_POSITIVE
PAIRS = tuple(np.triu_indices(100, k=1))
FEW_PAIRS = tuple(np.triu_indices(20, k=1))


def multitest():
    """Ask ten one-sided 5x2cv t tests by Holm for the best of five learners, 30,000 times."""
    return multitest_best(
        five_by_two_edges(TEN_SCORES.transpose(0, 2, 1), alpha=0.05, correction="holm")
    )


def multitest_loop():
    """Compute MultiTest with plain numbers and scipy's t distribution, run by run."""
    best = []
    for run in TEN_SCORES[:PART]:
        p_values = []
        for i, j in itertools.combinations(range(5), 2):
            d = (run[i] - run[j]).reshape(5, 2)
            variance = ((d - d.mean(axis=1, keepdims=True)) ** 2).sum(axis=1)
            p_values.append(stats.t.sf(d[0, 0] / np.sqrt(variance.mean()), 5))
        limit, edges = 10, set()
        for at in np.argsort(p_values):
            if p_values[at] > 0.05 / limit:
                break
            edges.add(list(itertools.combinations(range(5), 2))[at][0])
            limit -= 1
        best.append(min(set(range(5)) - edges))
    assert best == multitest()[:PART].tolist()


def corrected_t():
    """Apply the corrected t test to all pairs of 100 learners with 1,000 scores each."""
    sampling = Sampling("k-fold", 100, 10, n_train=900, n_test=100)
    test = paired_test("corrected-t")
    return test.compare(THOUSAND_SCORES[PAIRS[0]] - THOUSAND_SCORES[PAIRS[1]], sampling, scale=1.0)


def corrected_t_loop():
    """Compute the corrected t test pair by pair."""
    for i, j in zip(PAIRS[0][:PART], PAIRS[1][:PART], strict=True):
        d = THOUSAND_SCORES[i] - THOUSAND_SCORES[j]
        stats.t.sf(d.mean() / np.sqrt((1 / 1000 + 1 / 9) * d.var(ddof=1)), 999)


def ranks():
    """Compare 100 learners on 1,000 data sets by Friedman, Nemenyi and Holm."""
    friedman_test(DATA_SETS)
    nemenyi_test(DATA_SETS)
    return pairwise_rank_test(DATA_SETS, correction="holm")


def ranks_loop():
    """Take scipy's studentized range of mean ranks, pair after pair; that is nearly all of it."""
    means = stats.rankdata(DATA_SETS, axis=1).mean(axis=0)
    error = np.sqrt(100 * 101 / 6_000)
    for i, j in zip(PAIRS[0][:PART], PAIRS[1][:PART], strict=True):
        stats.studentized_range.sf(np.sqrt(2) * abs(means[i] - means[j]) / error, 100, np.inf)


def wilcoxon():
    """Test all pairs of 20 learners on 30 data sets by the exact Wilcoxon test."""
    differences = FEW_DATA_SETS[:, FEW_PAIRS[0]] - FEW_DATA_SETS[:, FEW_PAIRS[1]]
    return signed_ranks(differences.T.copy()).p_two_sided


def wilcoxon_loop():
    """Compute the test with scipy, pair by pair."""
    for i, j in zip(*FEW_PAIRS, strict=True):
        stats.wilcoxon(FEW_DATA_SETS[:, i], FEW_DATA_SETS[:, j], method="exact")


def many_wilcoxon():
    """Test all pairs of 100 learners on 1,000 data sets by Wilcoxon's test and the normal law."""
    differences = DATA_SETS[:, PAIRS[0]] - DATA_SETS[:, PAIRS[1]]
    return signed_ranks(differences.T.copy()).p_two_sided


def many_wilcoxon_loop():
    """Compute the test with scipy, pair by pair."""
    for i, j in zip(PAIRS[0][:PART], PAIRS[1][:PART], strict=True):
        stats.wilcoxon(DATA_SETS[:, i], DATA_SETS[:, j], method="asymptotic")


def claims():
    """Claim what 20 learners do on new data, from their errors on 100 splits."""
    expected = losses_on_new_data(HUNDRED_SPLITS.T, n_samples=1_000, n_train=900, n_test=100)
    return expected.claim("first", 0, 0.01)


def claims_loop():
    """Draw the same number of losses from scipy's multivariate t, with the means as they are."""
    scale = (1 / 100 + 1 / 9) * np.cov(HUNDRED_SPLITS) + np.eye(20) / 1_000**2
    law = stats.multivariate_t(HUNDRED_SPLITS.mean(axis=1), scale, df=99)
    drawn = law.rvs(2_000, random_state=0)
    return (drawn[:, 0] - drawn.min(axis=1) <= 0.01).mean()


def randomization():
    """Permute the scores of 50 learners on 1,000 splits 9,999 times."""
    return randomization_test(MANY_DRAWS)


def randomization_loop():
    """Permute as many scores with numpy, a hundredth of the draws."""
    rng, centered = np.random.default_rng(0), MANY_DRAWS - MANY_DRAWS.mean(axis=1, keepdims=True)
    for _ in range(100):
        (rng.permuted(centered, axis=1).sum(axis=0) ** 2).sum()


def bootstrap():
    """Draw the real-valued losses of 100,000 rows 9,999 times."""
    return bootstrap_test(*ROW_LOSSES)


def bootstrap_loop():
    """Draw as many rows with numpy, a hundredth of the draws."""
    rng, differences = np.random.default_rng(0), ROW_LOSSES[0] - ROW_LOSSES[1]
    for _ in range(100):
        differences[rng.integers(len(differences), size=len(differences))].mean()


def delong():
    """Compare two rankings of a million rows."""
    return delong_test(IS_POSITIVE, *RANKINGS)


def delong_loop():
    """Compute the three midranks that DeLong's test needs of each ranking."""
    for scores in RANKINGS:
        for some in (scores, scores[IS_POSITIVE], scores[~IS_POSITIVE]):
            stats.rankdata(some)


def wide_friedman():
    """Compare 200 learners on 1,000 data sets by Friedman's test."""
    return friedman_test(WIDE_TABLE)


def wide_friedman_loop():
    """Compute Friedman's test with scipy."""
    stats.friedmanchisquare(*WIDE_TABLE.T)


def wide_nemenyi():
    """Compare all pairs of 200 learners on 1,000 data sets by Nemenyi's test."""
    return nemenyi_test(WIDE_TABLE)


def wide_nemenyi_loop():
    """Compute Nemenyi's test with scikit-posthocs."""
    import scikit_posthocs

    scikit_posthocs.posthoc_nemenyi_friedman(WIDE_TABLE)


def wide_wilcoxon():
    """Test all pairs of 200 learners on 1,000 data sets by Wilcoxon's test."""
    differences = WIDE_TABLE[:, WIDE_PAIRS[0]] - WIDE_TABLE[:, WIDE_PAIRS[1]]
    return signed_ranks(differences.T.copy()).p_two_sided


def wide_wilcoxon_columns():
    """Compute the test with scipy, all pairs of a part in one call."""
    part = slice(0, 10 * PART)
    columns = (WIDE_TABLE[:, of[part]] for of in WIDE_PAIRS)
    stats.wilcoxon(*columns, method="asymptotic")


def wide_wilcoxon_holm():
    """Test all pairs by Wilcoxon's test, adjusted by Holm."""
    return adjust_pairs(wide_wilcoxon(), 200, "holm")


def wide_wilcoxon_holm_loop():
    """Compute the same with scikit-posthocs."""
    import pandas as pd
    import scikit_posthocs

    melted = pd.DataFrame(WIDE_TABLE).melt(var_name="learner", value_name="loss")
    scikit_posthocs.posthoc_wilcoxon(melted, val_col="loss", group_col="learner", p_adjust="holm")


def wide_rank_pairs():
    """Compare mean ranks of all pairs, adjusted by Holm, also without each learner in turn."""
    return pairwise_rank_test(WIDE_TABLE, correction="holm")


def wide_rank_pairs_once():
    """Compare mean ranks of all pairs once with scikit-posthocs."""
    import scikit_posthocs

    scikit_posthocs.posthoc_siegel_friedman(WIDE_TABLE, p_adjust="holm")


def bergmann_hommel(n_learners):
    """Return a job that adjusts all pairs of some learners, the exhaustive sets made anew."""
    p_values = RNG.random(n_learners * (n_learners - 1) // 2)

    def run():
        exhaustive_sets.cache_clear()
        return adjust_pairs(p_values, n_learners, "bergmann-hommel")

    return run


# title, ours, loop, how much of the work the loop does, bar in milliseconds
JOBS = [
    ("MultiTest, 5x2cv t, 30,000 runs", multitest, multitest_loop, PART / N_RUNS, 50),
    ("corrected t, 4,950 pairs, 1,000 scores", corrected_t, corrected_t_loop, PART / 4950, 1_000),
    ("Friedman, Nemenyi, Holm, 100 x 1,000", ranks, ranks_loop, PART / 4950, 2_000),
    ("Wilcoxon exact, 190 pairs, 30 data sets", wilcoxon, wilcoxon_loop, 1, None),
    (
        "Wilcoxon, 4,950 pairs, 1,000 data sets",
        many_wilcoxon,
        many_wilcoxon_loop,
        PART / 4950,
        None,
    ),
    ("claims, 20 learners, 100 splits", claims, claims_loop, 1, 5),
    (
        "randomization, 1,000 x 50, 9,999 draws",
        randomization,
        randomization_loop,
        100 / 9_999,
        3_000,
    ),
    ("bootstrap, 100,000 rows, 9,999 draws", bootstrap, bootstrap_loop, 100 / 9_999, 2_000),
    ("DeLong, 1,000,000 rows", delong, delong_loop, 1, None),
    ("Friedman, 1,000 x 200", wide_friedman, wide_friedman_loop, 1, None),
    ("Nemenyi, 1,000 x 200", wide_nemenyi, wide_nemenyi_loop, 1, None),
    (
        "Wilcoxon, 1,000 x 200, scipy in one call",
        wide_wilcoxon,
        wide_wilcoxon_columns,
        10 * PART / 19_900,
        None,
    ),
    ("Wilcoxon and Holm, 1,000 x 200", wide_wilcoxon_holm, wide_wilcoxon_holm_loop, 1, None),
    ("ranks of pairs and Holm, 1,000 x 200", wide_rank_pairs, wide_rank_pairs_once, 1, None),
    *((f"Bergmann-Hommel, {k} learners", bergmann_hommel(k), None, 1, None) for k in range(5, 10)),
]


def milliseconds(job):
    """Return how much of the processor's time a job takes."""
    start = time.process_time()
    job()
    return 1_000 * (time.process_time() - start)


def main():
    """Measure in turn and print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--only", default="", help="lines with this text")
    options = parser.parse_args()
    posthocs = "none"
    if importlib.util.find_spec("scikit_posthocs"):
        import scikit_posthocs

        posthocs = scikit_posthocs.__version__
    print(f"bestofk {bestofk.__version__}, numpy {np.__version__}, scipy {scipy.__version__}, "
          f"scikit-posthocs {posthocs}, python {platform.python_version()}, "
          f"{platform.machine()}; median CPU of {options.rounds} rounds in turn; "
          f"load {os.getloadavg()[0]:.1f}")  # fmt: skip
    print(f"{'line':42s} {'ms':>9s} {'bar':>7s} {'others ms':>10s} {'ratio':>6s}")
    with threadpool_limits(1):
        for title, ours, loop, part, bar in JOBS:
            if options.only not in title:
                continue
            own, other = [], []
            for _ in range(options.rounds):
                own.append(milliseconds(ours))
                if loop is not None:
                    other.append(milliseconds(loop) / part)
            median = statistics.median(own)
            beside = f"{statistics.median(other):10.0f}" if other else ""
            beside += f" {median / statistics.median(other):6.2f}" if other else ""
            limit = f"{bar:7d}" if bar else f"{'':7s}"
            print(f"{title:42s} {median:9.1f} {limit} {beside}", flush=True)


if __name__ == "__main__":
    main()
