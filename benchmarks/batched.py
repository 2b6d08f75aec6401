"""Times of batched resampling of many learners, compared with one fit after another.

Each line: milliseconds of a fit with its predictions, in a batch and by scikit-learn in a
plain loop of `clone`, `fit` and `predict_proba` (`predict`, `decision_function`), the median
ratio of the rounds, the bar and the stretch it is held to, the extra time of the first call,
and how far the predictions differ. Both sides in turn in one process on one thread, CPU time, same
folds; what a batch computes once is part of its time. The plain side is timed on a few folds,
whose number stands in the line, and scaled.

    OMP_NUM_THREADS=1 python benchmarks/batched.py [--rounds 3] [--only PATTERN] [--quick]

    --never-slower  every data set of a folder, every learner of the catalogue with a batched form,
                    5x2 and 10x10: batched="auto" beside batched="never", through runner and store;
                    the plain side does as many repeats as fit into --plain-seconds, at least
                    one; where a repeat takes it more than 30 s, both sides do one. What is
                    done is kept in --work and not done again
    --growth        time against repeats, rows and columns, and the fitted exponents
"""

from __future__ import annotations

import argparse
import functools
import itertools
import os
import platform
import re
import statistics
import tempfile
import warnings
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import scipy
import sklearn
from batched_growth import growth, never_slower
from batched_scheduler import scheduler_overhead
from batched_sides import (
    UCI,
    cpu_seconds,
    data_of,
    in_turn,
    lr,
    make_form,
    run_batched,
    run_plainly,
    scaled,
    synthetic,
)
from inference import multitest
from sklearn.base import clone
from sklearn.discriminant_analysis import (
    LinearDiscriminantAnalysis,
    QuadraticDiscriminantAnalysis,
)
from sklearn.dummy import DummyClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import accuracy_score, log_loss, roc_auc_score
from sklearn.model_selection import cross_validate
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier, NearestCentroid
from threadpoolctl import threadpool_limits

import bestofk
from bestofk.data import load_data
from bestofk.learners import learner_catalogue
from bestofk.learners.majority_classifier import MajorityClassifier
from bestofk.learners.nearest_mean_classifier import NearestMeanClassifier
from bestofk.learners.nearest_neighbors_classifier import NearestNeighborsClassifier
from bestofk.measures import PredictionBatch, get_measure
from bestofk.resampling import make_plan


@dataclass(frozen=True)
class Job:
    """One line: a learner on a data set, its plain rival, and what is expected."""

    title: str
    data: str
    learner: Any
    bar: float | None = None
    stretch: float | None = None
    plain: Any = None  # the same learner where none is given
    exact: Any = None  # what both sides aim at
    n_repeats: int = 100
    n_folds: int = 10
    n_plain: int = 10


def jobs():
    """Return the lines about single learners."""
    nn, nb, lda = KNeighborsClassifier(5), GaussianNB(), LinearDiscriminantAnalysis()
    qda, mean, majority = (
        QuadraticDiscriminantAnalysis(),
        NearestMeanClassifier(),
        MajorityClassifier(),
    )
    small = ("iris", "bc", "A")
    results = [
        Job("5-NN", "bc", nn, 150, 300),
        Job("5-NN, scaler", "bc", scaled(nn), 80, 200),
        Job("5-NN, scaler", "C", scaled(nn), 50, 120, n_plain=4),
        *(Job("Gaussian naive Bayes", item, nb, 250, 500) for item in small),
        *(Job("Gaussian naive Bayes", item, nb, 40, 100) for item in "CD"),
        *(Job("nearest mean", item, mean, 500, 1000, plain=NearestCentroid()) for item in small),
        *(Job("majority", item, majority, 500, 1000, plain=DummyClassifier()) for item in small),
        *(Job("LDA", item, lda, 80, 150) for item in (*small, *"BCD")),
        *(Job("QDA", item, qda, 30, 60) for item in ("iris", "wine", *"ABCD")),
    ]
    tight = lr(tol=1e-10)
    for name in ("iris", "wine", "bc", "A"):
        results.append(Job("logistic, scaler", name, lr(), 50, 120, exact=tight))
    for name in "BC":
        results.append(Job("logistic, scaler", name, lr(), 12, 25, exact=tight, n_plain=2))
    results.append(
        Job("logistic, scaler, against tol 1e-8", "digits", lr(), 4, 10, plain=lr(tol=1e-8),
            exact=tight, n_plain=2)
    )  # fmt: skip
    return results


def difference(batched, plain, data, folds):
    """Say how far predictions of some folds differ, and in how many rows the label."""
    largest, wrong, n_rows = float("nan"), 0, 0
    for (repeat, fold), (learner, test, scores) in plain.items():
        if batched.is_done is not None and not batched.is_done[repeat, fold]:
            continue
        labels = learner.predict(data.feature_rows(test))
        wrong += int((data.classes[batched.labels[repeat, test]] != labels).sum())
        n_rows += len(test)
        own = batched.probabilities if batched.probabilities is not None else batched.decision
        if own is not None and np.shape(own[repeat, test]) == np.shape(scores):
            largest = np.fmax(largest, np.abs(own[repeat, test] - scores).max())
    return largest, f"{wrong} of {n_rows} labels"


def measure_job(job, rounds, is_quick):
    """Time both sides of a line and print it."""
    title = f"{job.title}, {job.data}"
    data = data_of(job.data)
    if make_form(job.learner, data, job.n_folds) is None:
        print(f"{title:44s} skipped: no batched form")
        return
    n_repeats = min(job.n_repeats, 10) if is_quick else job.n_repeats
    folds = make_plan(data, f"{n_repeats}x{job.n_folds}", random_state=0).folds
    indices = [divmod(number, job.n_folds) for number in range(job.n_plain)]
    indices = [index for index in indices if index[0] < n_repeats]
    plain = job.plain or job.learner
    ours = functools.partial(run_batched, job.learner, data, folds, job.n_folds)
    theirs = functools.partial(run_plainly, plain, data, indices, folds)
    once = functools.partial(run_batched, job.learner, data, folds[:1], job.n_folds)
    first = cpu_seconds(once)[0] - cpu_seconds(once)[0]
    own, other, _, batched, fitted = in_turn(ours, theirs, rounds)
    n_fits = n_repeats * job.n_folds
    left = 0 if batched.is_done is None else 1 - batched.is_done.mean()
    own = own / n_fits + left * other / len(indices)
    other /= len(indices)
    largest, labels = difference(batched, dict(zip(indices, fitted, strict=True)), data, folds)
    said = f"{largest:.0e}, {labels}" if np.isfinite(largest) else labels
    if job.exact is not None:
        best = run_plainly(job.exact, data, indices, folds)
        to_best, _ = difference(batched, dict(zip(indices, best, strict=True)), data, folds)
        gap = max(np.abs(a[2] - b[2]).max() for a, b in zip(fitted, best, strict=True))
        said += f"; to the optimum {to_best:.0e}, plain {gap:.0e}"
    if left:
        said += f"; {left:.0%} of folds left to the plain way"
    size = f"{n_repeats}x{job.n_folds}, {len(indices)} plain"
    show(title, size, 1e3 * own, 1e3 * other, other / own, job.bar, job.stretch, first, said)


def show(title, size, own, other, ratio, bar, stretch, first=None, said=""):
    """Print a line of the table."""
    mark = "" if bar is None else "met" if ratio >= bar else "MISSED"
    shown = "" if first is None else f"{max(first, 0):.2f}"
    print(
        f"{title:44s} {size:>17s} {own:9.4f} {other:9.3f} {ratio:7.1f} {bar or '':>5} "
        f"{stretch or '':>5} {mark:6s} {shown:>6s}  {said}",
        flush=True,
    )


def on_all_sets(name, bars, rounds, is_quick):
    """Time a learner of the catalogue on all data sets of a folder, two folds."""
    ratios = {}
    learner = learner_catalogue()[name].make()
    for path in sorted(UCI.glob("*.arff"), key=os.path.getsize)[: 8 if is_quick else None]:
        data = load_data(path)
        if not data.is_classification or make_form(learner, data, 2) is None:
            print(f"  {path.stem}: skipped, no batched form")
            continue
        folds = make_plan(data, "10x2" if is_quick else "100x2", random_state=0).folds
        indices = [(0, 0), (0, 1), (1, 0), (1, 1)]
        theirs = functools.partial(run_plainly, learner, data, indices, folds)
        ours = functools.partial(run_batched, learner, data, folds, 2)
        own, other, _, batched, _ = in_turn(ours, theirs, rounds)
        left = 0 if batched.is_done is None else 1 - batched.is_done.mean()
        ratios[path.stem] = other / 4 / (own / (2 * len(folds)) + left * other / 4)
    if not ratios:
        return
    values = list(ratios.values())
    middle, mean = statistics.median(values), statistics.geometric_mean(values)
    worst = ", ".join(
        f"{ratio} {ratios[ratio]:.2f}" for ratio in sorted(ratios, key=ratios.get)[:3]
    )
    print(
        f"{name}, {len(ratios)} sets, {len(folds)}x2: median {middle:.1f} (bar {bars[0]}, stretch "
        f"{bars[1]}), geometric mean {mean:.1f}, worst {worst} (bar 1)",
        flush=True,
    )


def measures(rounds):
    """Time AUROC, error and log loss of many runs, and the same by calls of scikit-learn."""
    rng = np.random.default_rng(0)
    for n_rows, n_runs, n_plain, names, bar, stretch in (
        (150, 2_000, 40, ("auroc",), 300, 500),
        (1_000, 500, 40, ("auroc",), 40, 100),
        (1_000, 500, 40, ("error", "log_loss"), 300, 500),
    ):
        y, share = rng.integers(0, 2, n_runs * n_rows), rng.random(n_runs * n_rows)
        tables = np.column_stack([1 - share, share])
        starts = np.arange(n_runs + 1) * n_rows
        labels = (share > 0.5).astype(np.int64)
        results = [get_measure(name, task="classification", classes=np.array([0, 1]))
                 for name in names]  # fmt: skip

        def ours(y=y, labels=labels, starts=starts, tables=tables, found=results):
            batch = PredictionBatch(y, labels, starts, np.array([0, 1]), tables)
            return [measure.compute(batch) for measure in found]

        def theirs(y=y, share=share, labels=labels, starts=starts, n=n_plain, names=names):
            values = []
            for start, stop in itertools.pairwise(starts[: n + 1]):
                some = slice(start, stop)
                if names == ("auroc",):
                    values.append([roc_auc_score(y[some], share[some])])
                else:
                    values.append([1 - accuracy_score(y[some], labels[some]),
                                   log_loss(y[some], share[some])])  # fmt: skip
            return values

        own, other, _, mine, scikit = in_turn(ours, theirs, max(rounds, 3))
        own, other = own / n_runs, other / n_plain
        gap = np.abs(np.array(mine)[:, :n_plain].T - np.array(scikit)).max()
        title = f"{' and '.join(names)}, {n_rows} rows"
        show(title, f"{n_runs} runs", 1e3 * own, 1e3 * other, other / own, bar, stretch,
             said=f"{gap:.0e}")  # fmt: skip


def many_orders(rounds):
    """Time MultiTest on 30,000 runs; the bar is in milliseconds."""
    multitest()
    spent = 1e3 * statistics.median(cpu_seconds(multitest)[0] for _ in range(max(rounds, 3)))
    mark = "met" if spent <= 20 else "MISSED"
    print(f"MultiTest, 5x2cv t, 30,000 runs: {spent:.1f} ms, at most 20, stretch 5: {mark}")


def neighbors(wanted, rounds):
    """Time 10-fold of 5-NN, scaled, from 1e3 to 6e4 rows; every ratio should be at least 0.95.

    Plain: `NearestNeighborsClassifier` fitted and asked for labels fold by fold, as the learner of
    scikit-learn.
    """
    theirs, own = scaled(KNeighborsClassifier(5)), scaled(NearestNeighborsClassifier(5))

    def fold_by_fold(learner, data, folds):
        for fold in range(2 if len(data.y) > 10_000 else 10):
            train, test = np.flatnonzero(folds[0] != fold), np.flatnonzero(folds[0] == fold)
            fitted = clone(learner).fit(data.feature_rows(train), data.target_rows(train))
            fitted.predict(data.feature_rows(test))

    for n_rows, n_columns in itertools.product((1_000, 10_000, 60_000), (5, 20, 100)):
        title = f"neighbors, {n_rows} x {n_columns}"
        if not wanted(title):
            continue
        data = synthetic(n_rows, n_columns, 2)
        folds = make_plan(data, "10x10", random_state=0).folds
        share = 0.2 if n_rows > 10_000 else 1.0  # of the folds of a repeat, done plainly
        sides = {
            "scikit-learn": (share, functools.partial(fold_by_fold, theirs, data, folds)),
            "plain": (share, functools.partial(fold_by_fold, own, data, folds)),
            "1 repeat": (1, functools.partial(run_batched, own, data, folds[:1], 10)),
            "10 repeats": (10, functools.partial(run_batched, own, data, folds, 10)),
        }
        spent = {name: [] for name in sides}
        for _ in range(rounds):
            for name, (n_repeats, call) in sides.items():
                spent[name].append(cpu_seconds(call)[0] / n_repeats)
        ratios = {
            name: statistics.median(np.divide(spent["scikit-learn"], seconds))
            for name, seconds in spent.items()
        }
        del ratios["scikit-learn"]
        mark = "met" if min(ratios.values()) >= 0.95 else "MISSED"
        took = 1e3 * statistics.median(spent["scikit-learn"])
        said = ", ".join(f"{name} {ratio:.2f}" for name, ratio in ratios.items())
        print(f"{title:27s} {took:6.0f} ms a repeat; {said}: {mark}", flush=True)


def splits_of(splits):
    """Return what `cross_validate` takes as its `cv`."""
    return [(split.train_rows, split.test_rows) for split in splits]


def both_columns(estimator, features, y):
    """Score by `log_loss` of all probabilities.

    "neg_log_loss" hands one of two columns on, and 1 - p has lost the digits of a small p.
    """
    return -log_loss(y, estimator.predict_proba(features), labels=estimator.classes_)


def end_to_end(rounds, is_quick):
    """Time `compare` with its store, and `cross_validate` of four learners with three measures.

    Differences of figures: from "neg_log_loss", and from the log loss of both columns.
    """
    scorers = {"error": "accuracy", "auroc": "roc_auc", "log_loss": "neg_log_loss"}
    learners = {
        "nb": GaussianNB(), "lda": LinearDiscriminantAnalysis(),
        "logistic": scaled(LogisticRegression()), "5nn": scaled(KNeighborsClassifier(5)),
    }  # fmt: skip
    n_repeats = 10 if is_quick else 100
    for name in ("bc", "A"):
        data = data_of(name)
        plan = make_plan(data, f"{n_repeats}x10", random_state=0)
        splits = [split for split in plan if split.repeat < 2]

        def ours(data=data, cv=f"{n_repeats}x10"):
            with tempfile.TemporaryDirectory() as folder:
                verdict = bestofk.compare(
                    learners, data.features, data.target_array, cv=cv, random_state=0,
                    scoring=list(scorers), store=Path(folder) / "s.db",
                )  # fmt: skip
                return verdict.to_frame()

        def theirs(data=data, splits=splits):
            return {
                key: cross_validate(
                    learner, data.features, data.y, cv=splits_of(splits), scoring=scorers
                )
                for key, learner in learners.items()
            }

        # the whole run: loops that little work does without are loaded by it too
        first = cpu_seconds(ours)[0] - cpu_seconds(ours)[0]
        own, other, _, frame, scores = in_turn(ours, theirs, rounds)
        other *= n_repeats / 2
        gaps = []
        for key, score in scores.items():
            mine = frame[(frame["learner"] == key) & (frame["repeat"] < 2)]
            mine = mine.set_index(["measure", "repeat", "fold"])["value"].sort_index()
            wanted = {"error": 1 - score["test_error"], "auroc": score["test_auroc"],
                      "log_loss": -score["test_log_loss"]}  # fmt: skip
            exact = wanted | {"log_loss": -cross_validate(
                learners[key], data.features, data.y, cv=splits_of(splits), scoring=both_columns,
            )["test_score"]}  # fmt: skip
            gaps.append(f"{key} " + ", ".join(
                f"{max(np.abs(mine[m].to_numpy() - item[m]).max() for m in item):.0e}"
                for item in (wanted, exact)
            ))  # fmt: skip
        show(f"end to end, compare, {name} (all, s)", f"{n_repeats}x10, 2 plain", own, other,
             other / own, 120, 400, first, "; ".join(gaps))  # fmt: skip


def main():
    """Measure in turn and print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--only", default="", help="regular expression of titles")
    parser.add_argument("--quick", action="store_true", help="few repeats, one round")
    parser.add_argument("--never-slower", action="store_true")
    parser.add_argument("--plain-seconds", type=float, default=30, help="of --never-slower")
    parser.add_argument("--work", type=Path, default=Path("never_slower.csv"))
    parser.add_argument("--growth", action="store_true")
    options = parser.parse_args()
    rounds = 1 if options.quick else options.rounds
    versions = ", ".join(f"{item.__name__} {item.__version__}" for item in (
        bestofk, sklearn, np, scipy))  # fmt: skip
    print(f"{versions}, python {platform.python_version()}, {platform.machine()}; "
          f"{rounds} rounds in turn")  # fmt: skip
    wanted = functools.partial(re.search, options.only)
    with threadpool_limits(1), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        if options.never_slower or options.growth:
            if options.never_slower:
                never_slower(options.only, options.plain_seconds, options.work)
            if options.growth:
                growth(options.only, options.quick)
            return
        print(f"{'':44s} {'':>17s} {'batched ms':>9s} {'plain ms':>9s} {'ratio':>7s} {'bar':>5s} "
              f"{'aim':>5s} {'':6s} {'first':>6s}  differences")  # fmt: skip
        for job in jobs():
            if wanted(f"{job.title}, {job.data}"):
                measure_job(job, rounds, options.quick)
        for name, bars in (("5nn", (30, 100)), ("logistic", (12, 25))):
            if wanted(f"all sets, {name}"):
                on_all_sets(name, bars, rounds, options.quick)
        if wanted("measures"):
            measures(rounds)
        if wanted("MultiTest"):
            many_orders(rounds)
        neighbors(wanted, rounds)
        if wanted("end to end"):
            end_to_end(rounds, options.quick)
        if wanted("scheduler overhead"):
            scheduler_overhead(options.quick)


if __name__ == "__main__":
    main()
