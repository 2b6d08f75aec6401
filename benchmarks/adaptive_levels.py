"""Family-wise error and power of the adaptive verdict, compared with fixed plans.

On data sets where K learners are equally good by construction (the same learner on independent
blocks of inputs) any difference shown is false. The adaptive default, with its race and its looks,
is held against plans without a race on the same data sets: 20x5, its longest, 10x10 and 33x3, and
against itself with 3 folds and at most 33 repeats. Printed per learner, number of blocks and
plan: the share of data sets with any difference shown, without a preference (all ordered pairs)
and with one (MultiTest), runs per learner, and the power where the last block is less informative.

    OMP_NUM_THREADS=1 python benchmarks/adaptive_levels.py --work FILE.csv
        [--null-sets 2000] [--power-sets 500] [--first 0] [--parts NAME ...] [--plans NAME ...]
        [--check 5] [--report-only]

What is done is kept in FILE.csv, and the same line goes on from there. The first data sets of every
part are given to `bestofk.compare` as well, which must come to the same verdicts.
"""

from __future__ import annotations

import argparse
import csv
import platform
import sys
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pandas as pd
import scipy
import sklearn
from sklearn.compose import ColumnTransformer
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from threadpoolctl import threadpool_limits

import bestofk
from bestofk.calibration.simulation import N_BLOCK_FEATURES, row_losses, shifted_blocks
from bestofk.comparison.options import ComparisonSettings
from bestofk.comparison.prepared_comparison import adaptive_repeats
from bestofk.data.data_set import CLASSIFICATION, DataSet
from bestofk.inference import Sampling
from bestofk.learners import Learner
from bestofk.learners.nearest_mean_classifier import NearestMeanClassifier
from bestofk.measures import get_measure
from bestofk.randomness import derive_rng
from bestofk.resampling import make_plan
from bestofk.verdict import Evidence, decide
from bestofk.verdict.verdict_options import VerdictOptions

N_ROWS, ALPHA = 300, 0.05
LEARNERS = {"nearest-mean": NearestMeanClassifier(), "1-NN": KNeighborsClassifier(1)}
STABLE = "nearest-mean"
# plan: folds, repeats or the most of them, and whether it is adaptive; all at most 100 fits
PLANS = {
    "adaptive": (5, 20, True), "20x5": (5, 20, False), "5x5": (5, 5, False),
    "adaptive, 3 folds": (3, 33, True), "33x3": (3, 33, False), "10x10": (10, 10, False),
}  # fmt: skip
MOST_REPEATS = {folds: repeats for folds, repeats, _ in PLANS.values() if repeats > 5}
FIXED = "20x5"
N_SEEDS = 25  # rows of one class are exchangeable, so that a few plans can take turns
KEYS = ["learner", "blocks", "delta", "number", "plan"]
FIELDS = [*KEYS, "shown", "preferred", "runs", "preferred_runs", "repeats", "left"]


@dataclass(frozen=True)
class Part:
    """Data sets of one kind."""

    learner: str
    blocks: int
    delta: float

    @property
    def name(self):
        """Name it, for the command line."""
        return f"{self.learner}/{self.blocks}/{self.delta:g}"

    @property
    def names(self):
        """Name its learners."""
        return [f"block {number + 1}" for number in range(self.blocks)]

    @property
    def preferences(self):
        """Give none, and one that the last block must be shown to be worse against."""
        return None, self.names[::-1]

    def samples(self, number):
        """Return the blocks of a data set."""
        rng = derive_rng("adaptive levels", self.blocks, self.delta, number)
        return shifted_blocks(N_ROWS, rng, n_blocks=self.blocks, delta=self.delta)


PARTS = {
    part.name: part
    for part in [
        *(Part(learner, blocks, 0.0) for blocks in (2, 4) for learner in LEARNERS),
        *(Part(learner, k, d) for k in (2, 4) for learner in LEARNERS for d in (0.3, 0.6)),
    ]
}


@cache
def plan_of(seed, n_folds):
    """Return the longest plan of so many folds."""
    target = np.repeat([0, 1], N_ROWS // 2)
    rows = DataSet("rows", np.zeros((N_ROWS, 1)), target, CLASSIFICATION)
    return make_plan(rows, f"{MOST_REPEATS[n_folds]}x{n_folds}", random_state=seed)


class Errors:
    """The errors of every block of a data set on every split, made when they are asked for."""

    def __init__(self, part, number, n_folds):
        self.plan = plan_of(number % N_SEEDS, n_folds)
        self.learner = Learner(part.learner, LEARNERS[part.learner])
        self.names, self.samples = part.names, part.samples(number)
        self.known = np.empty((part.blocks, 0))

    def up_to(self, n_repeats):
        """Return the errors of so many repeats, shape (n_blocks, n_splits)."""
        stop = n_repeats * self.plan.n_folds
        if self.known.shape[1] < stop:
            plan = self.plan.repeats(self.known.shape[1] // self.plan.n_folds, n_repeats)
            wrong = [row_losses(self.learner, sample, plan, seed=0) for sample in self.samples]
            result = np.array([[rows.mean() for rows in item] for item in wrong])
            self.known = np.hstack([self.known, result])
        return self.known[:, :stop]


def adaptive_losses(errors, prefer):
    """Return the losses that an adaptive comparison would look at; nan where it does not."""
    names, plan, n_folds = errors.names, errors.plan, errors.plan.n_folds
    measure = get_measure("error", task=CLASSIFICATION, classes=np.array([0, 1]), pos_label=1)
    entered = [SimpleNamespace(name=name, is_baseline=False) for name in names]
    settings = ComparisonSettings(
        alpha=ALPHA, prefer=prefer, cv="adaptive", max_repeats=plan.n_repeats
    )
    interim = adaptive_repeats(entered, measure, settings)
    goes_on, start = np.ones(len(names), dtype=bool), 0
    for look in interim.looks:
        window = errors.up_to(look)[:, start * n_folds :]
        window = np.where(goes_on[:, None], window, np.nan)
        measured = SimpleNamespace(values=window)
        status = np.full(window.shape, "ok")
        part = SimpleNamespace(
            plan=plan.repeats(start, look), status=status, measured=lambda *_, m=measured: m
        )
        goes_on, start = np.array(interim.analyse(part)), look
        if not goes_on.any():
            break
    stopping_history = interim.stopping_history()
    n_splits = stopping_history.n_repeats * n_folds
    asked = stopping_history.splits_asked_for(names, n_splits)
    is_done = np.arange(n_splits) < np.array(asked)[:, None]
    return np.where(is_done, errors.up_to(stopping_history.n_repeats), np.nan)


def edges_of(losses, errors, prefer):
    """Return which differences the verdict shows."""
    plan, n_repeats = errors.plan, losses.shape[1] // errors.plan.n_folds
    sampling = Sampling(plan.scheme, n_repeats, plan.n_folds, plan.n_train, plan.n_test)
    repeats = np.repeat(np.arange(n_repeats), plan.n_folds)
    names, has_left = errors.names, np.isnan(losses).any(axis=1)
    evidence = Evidence(
        names, losses.T, sampling, [False] * len(names), {}, repeats, is_beaten=has_left
    )
    verdict = decide(evidence, VerdictOptions(alpha=ALPHA, prefer=prefer))
    return {(edge.worse, edge.better) for edge in verdict.edges}


def is_shown(part, edges):
    """Return whether a difference is shown; of unequal blocks: that the last one is worse."""
    return int(any(part.delta == 0 or worse == part.names[-1] for worse, _ in edges))


def losses_of(errors, plan, prefer):
    """Return the losses that a plan looks at."""
    _, n_repeats, is_adaptive = PLANS[plan]
    return adaptive_losses(errors, prefer) if is_adaptive else errors.up_to(n_repeats)


def row_of(part, number, errors, plan):
    """Return what a plan says of a data set, without a preference and with one."""
    losses, preferred = (losses_of(errors, plan, prefer) for prefer in part.preferences)
    is_done = ~np.isnan(losses)
    return {
        "learner": part.learner, "blocks": part.blocks, "delta": part.delta, "number": number,
        "plan": plan,
        "shown": is_shown(part, edges_of(losses, errors, None)),
        "preferred": is_shown(part, edges_of(preferred, errors, part.preferences[1])),
        "runs": is_done.sum() / part.blocks,
        "preferred_runs": (~np.isnan(preferred)).sum() / part.blocks,
        "repeats": losses.shape[1] // errors.plan.n_folds,
        "left": int((~is_done[:, -1]).sum()),
    }  # fmt: skip


def check(part, number):
    """Give a data set to `compare`, which must come to the same verdicts, and say the seconds."""
    samples = part.samples(number)
    data = DataSet(
        "blocks", np.hstack([sample.features for sample in samples]), samples[0].y, CLASSIFICATION
    )
    learners = {}
    for index, name in enumerate(part.names):
        columns = list(range(index * N_BLOCK_FEATURES, (index + 1) * N_BLOCK_FEATURES))
        block = ColumnTransformer([("block", "passthrough", columns)])
        learners[name] = make_pipeline(block, sklearn.base.clone(LEARNERS[part.learner]))
    for prefer in part.preferences:
        for cv in ("adaptive", "20x5", "10x10"):
            result = bestofk.compare(
                learners, data, cv=cv, scoring="error", prefer=prefer,
                random_state=number % N_SEEDS, progress=False,
            )  # fmt: skip
            errors = Errors(part, number, PLANS[cv][0])
            losses = losses_of(errors, cv, prefer)
            np.testing.assert_allclose(result.scores[0].losses, losses, atol=1e-12)
            edges = {(edge.worse, edge.better) for edge in result.findings.verdict.edges}
            assert edges == edges_of(losses, errors, prefer), (part.name, number, cv)


def read(file):
    """Return what was done."""
    return pd.read_csv(file).drop_duplicates(KEYS)


def run_all(options):
    """Compute the rows missing in the file."""
    done = set()
    if options.work.exists():
        done = set(read(options.work)[KEYS].itertuples(index=False, name=None))
    with options.work.open("a", newline="") as file:
        writer = csv.DictWriter(file, FIELDS)
        if not file.tell():
            writer.writeheader()
        for part in (PARTS[name] for name in options.parts):
            for number in range(options.check):
                check(part, number)
            n_sets = options.power_sets if part.delta else options.null_sets
            for number in range(options.first, options.first + n_sets):
                errors = {n_folds: Errors(part, number, n_folds) for n_folds in MOST_REPEATS}
                for name in options.plans:
                    if (part.learner, part.blocks, part.delta, number, name) not in done:
                        writer.writerow(row_of(part, number, errors[PLANS[name][0]], name))
                file.flush()
            sys.stderr.write(f"{part.name}: done\n")


def rate(values):
    """Return a share and its standard error."""
    mean = float(values.mean())
    return mean, (mean * (1 - mean) / values.count()) ** 0.5


def report(options):
    """Print what was found, and whether the bars are met."""
    table = read(options.work)
    for name in options.parts:
        part = PARTS[name]
        same = (table["learner"] == part.learner) & (table["blocks"] == part.blocks)
        rows = table[same & (table["delta"] == part.delta)]
        if rows.empty:
            continue
        wide = {what: rows.pivot(index="number", columns="plan", values=what) for what in
                ("shown", "preferred", "runs", "preferred_runs", "left")}  # fmt: skip
        kind = "family-wise error" if part.delta == 0 else f"power, d = {part.delta:g}"
        print(f"\n{part.learner}, {part.blocks} blocks: {kind}")
        print(
            f"{'':20s} {'no preference':>16s} {'runs':>6s} {f'minus {FIXED}':>17s} "
            f"{'preference':>16s} {'runs':>6s} {f'minus {FIXED}':>17s} {'left':>5s} sets"
        )
        for plan in (item for item in PLANS if item in wide["shown"]):
            cells = []
            for what, runs in (("shown", "runs"), ("preferred", "preferred_runs")):
                cells += ["{:7.4f} +- {:.4f}".format(*rate(wide[what][plan])),
                          f"{wide[runs][plan].mean():6.1f}",
                          "{:+8.4f} +- {:.4f}".format(*paired(wide[what], plan))]  # fmt: skip
            cells += [f"{wide['left'][plan].mean():5.2f}", f"{wide['shown'][plan].count():4d}"]
            print(f"{plan:20s} {' '.join(cells)}")
        if part.delta == 0 and {"adaptive", FIXED} <= set(wide["shown"]):
            say_bars(part, wide)


def paired(wide, plan, other=FIXED):
    """Return the difference of two shares on the same data sets, and its standard error."""
    difference = (wide[plan] - wide[other]).dropna()
    return float(difference.mean()), float(difference.sem())


def say_bars(part, wide):
    """Print whether the adaptive verdict meets its bar: a level, or that of the fixed plan."""
    for what, words in (("shown", "without a preference"), ("preferred", "with one")):
        if part.learner == STABLE:
            (value, _), bar = rate(wide[what]["adaptive"]), ALPHA
            error = (ALPHA * (1 - ALPHA) / wide[what]["adaptive"].count()) ** 0.5
        else:
            (value, error), bar = paired(wide[what], "adaptive"), 0.0
        said = "met" if value <= bar + 3 * error else "MISSED"
        print(f"bar {words}: {value:.4f} <= {bar:g} + 3 x {error:.4f}: {said}")


def main():
    """Run and print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--work", type=Path, default=Path("adaptive_levels.csv"))
    parser.add_argument("--null-sets", type=int, default=2000)
    parser.add_argument("--power-sets", type=int, default=500)
    parser.add_argument("--first", type=int, default=0, help="number of the first data set")
    parser.add_argument("--parts", nargs="+", default=list(PARTS), choices=PARTS, metavar="PART")
    parser.add_argument("--plans", nargs="+", default=list(PLANS), choices=PLANS, metavar="PLAN")
    parser.add_argument("--check", type=int, default=5)
    parser.add_argument("--report-only", action="store_true")
    options = parser.parse_args()
    versions = ", ".join(f"{item.__name__} {item.__version__}" for item in (
        bestofk, sklearn, np, scipy))  # fmt: skip
    print(f"{versions}, python {platform.python_version()}; {N_ROWS} rows, level {ALPHA}")
    if not options.report_only:
        with threadpool_limits(1):
            run_all(options)
    report(options)


if __name__ == "__main__":
    main()
