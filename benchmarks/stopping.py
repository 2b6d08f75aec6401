"""Times of stopping rules that follow a learner, compared with a loop over scipy.

Each line: CPU microseconds of a repeat, by the rule and by scipy at every step, the median ratio
of the rounds, and the largest difference of the statistics. Both sides in turn in one process on
one thread, the running means part of both. A rule is handed all repeats at once, as from a store,
or one after another, as in a loop that trains; it follows all of them, also those after it
stopped. A rule takes so little that it is timed on five learners one after another, whose repeats
are the same.

    OMP_NUM_THREADS=1 python benchmarks/stopping.py [--rounds 7]
"""

from __future__ import annotations

import argparse
import platform
import statistics
import time
import warnings

import numpy as np
import scipy
from scipy.stats import ks_2samp, spearmanr
from threadpoolctl import threadpool_limits

import bestofk
from bestofk.stopping import OddEvenDistance, RankCorrelation

RNG = np.random.default_rng(0)
N_LEARNERS = 5
# rows, classes, repeats
CORRELATIONS = [(150, 2, 50), (1_000, 2, 50), (5_000, 2, 20), (20_000, 2, 10), (1_000, 3, 20)]


def seconds(call):
    """Return the CPU seconds of a call, and what it returns."""
    start = time.process_time()
    result = call()
    return time.process_time() - start, result


def at_once(rule, values, means=None):
    """Follow all repeats together."""
    state = rule.start()
    state.add(values, means)
    return state.path


def one_by_one(rule, values, means=None):
    """Follow one repeat after another."""
    state = rule.start()
    for k in range(len(values)):
        state.add(values[k : k + 1], None if means is None else means[k : k + 1])
    return state.path


def correlations_by_scipy(means):
    """Correlate every running mean with the one before."""
    columns = means[:, :, 1] if means.shape[2] == 2 else means.reshape(len(means), -1)
    total, before, path = np.zeros(columns.shape[1]), None, [np.nan]
    for k, column in enumerate(columns):
        total += column
        now = np.round(total / (k + 1), 12)
        if before is not None:
            path.append(spearmanr(before, now).statistic)
        before = now
    return np.array(path)


def distances_by_scipy(values):
    """Compare odd and even repeats after every repeat."""
    return np.array([np.nan, *(ks_2samp(values[:r:2], values[1:r:2]).statistic
                               for r in range(2, len(values) + 1))])  # fmt: skip


def made_up(n_rows, n_classes, n_repeats):
    """Return probabilities of which the noise of a repeat is half of what rows differ by."""
    logits = RNG.normal(size=(n_rows, n_classes))
    shares = np.exp(logits + 0.5 * RNG.normal(size=(n_repeats, n_rows, n_classes)))
    return shares / shares.sum(axis=2, keepdims=True)


def measure(title, ours, theirs, n_repeats, rounds):
    """Time both sides in turn and print the line."""
    ours()
    own, other = [], []
    for _ in range(rounds):
        spent, (path, *_) = seconds(lambda: [ours() for _ in range(N_LEARNERS)])
        own.append(spent / N_LEARNERS / n_repeats * 1e6)
        spent, plain = seconds(theirs)
        other.append(spent / n_repeats * 1e6)
    ratio = statistics.median(b / a for a, b in zip(own, other, strict=True))
    gap = np.nanmax(np.abs(path - plain))
    print(
        f"{title:52s} {n_repeats:7d} {statistics.median(own):9.2f} {statistics.median(other):9.1f} "
        f"{ratio:7.0f} {gap:.0e}",
        flush=True,
    )


def main():
    """Measure in turn and print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=7)
    rounds = parser.parse_args().rounds
    versions = ", ".join(f"{item.__name__} {item.__version__}" for item in (bestofk, np, scipy))
    print(f"{versions}, python {platform.python_version()}, {platform.machine()}; "
          f"{rounds} rounds in turn")  # fmt: skip
    print(f"{'':52s} {'repeats':>7s} {'us':>9s} {'scipy us':>9s} {'ratio':>7s} difference")
    with threadpool_limits(1), warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of scipy, about p values
        values = RNG.normal(size=500)
        for way in (at_once, one_by_one):
            measure(
                f"odd-even distance, {way.__name__}",
                lambda way=way: way(OddEvenDistance(), values),
                lambda: distances_by_scipy(values),
                len(values), min(rounds, 3),
            )  # fmt: skip
        for n_rows, n_classes, n_repeats in CORRELATIONS:
            means, zeros = made_up(n_rows, n_classes, n_repeats), np.zeros(n_repeats)
            for way in (at_once, one_by_one):
                measure(
                    f"rank correlation, {n_rows:,} rows, {n_classes} classes, {way.__name__}",
                    lambda way=way, means=means, zeros=zeros: way(RankCorrelation(), zeros, means),
                    lambda means=means: correlations_by_scipy(means),
                    n_repeats, rounds,
                )  # fmt: skip


if __name__ == "__main__":
    main()
