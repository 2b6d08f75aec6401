"""CPU seconds of a default call against 10x10 of the same learners, and whether its pick holds.

cost   per data set `compare(None, data)` with several seeds and scikit-learn's `cross_validate`
       on 10x10 of the same pipelines, in turn in one process. One repeat of ten folds counts ten
       times; on the first set all ten are done as well. Bars: the mean of the seeds takes at most
       as long on every set, and half as long on average over the sets.
picks  those calls against one reference per set, the mean error over repeats of 3-fold
       cross-validation with another seed. A pick within `rope` of the lowest mean is right; bar:
       95 %. The reference has 100 repeats of all learners for which fewer do not say on which
       side of `rope` they are (by four standard errors).

    OMP_NUM_THREADS=1 python benchmarks/default_cost.py --data FOLDER --work FOLDER
        [--sets NAME ...] [--seeds 5] [--report-only]

What is done is kept in the work folder, and the same line goes on from there. A call that finds
runs of an interrupted one gives no seconds.
"""

from __future__ import annotations

import argparse
import csv
import os
import platform
import sys
import time
import warnings
from pathlib import Path

import numpy as np
import pandas as pd
import scipy
import sklearn
from sklearn.base import clone
from sklearn.model_selection import RepeatedStratifiedKFold, cross_validate
from threadpoolctl import threadpool_limits

import bestofk
from bestofk.data import load_data
from bestofk.learners import resolve_learners

SETS = ["tic-tac-toe", "credit-a", "car", "spambase", "segment", "vowel", "yeast", "waveform"]
ROPE, SURE = 0.01, 4.0
REFERENCE_REPEATS = (10, 25, 50, 100)
FIRST_SEED = 1000  # of the default calls; that of the reference is 0
FIELDS = ["set", "what", "seed", "seconds", "pick", "settled", "fits"]


def load(options, name):
    """Return a data set by its name."""
    folder = options.data / "uci"
    return load_data(next(folder.glob(f"{name}.arff*")))


def cpu_seconds(function):
    """Return the result of a call and its CPU seconds."""
    start = time.process_time()
    result = function()
    return result, time.process_time() - start


def default_call(data, seed, store):
    """Return a row on the default call with a seed."""
    result, seconds = cpu_seconds(
        lambda: bestofk.compare(None, data, random_state=seed, progress=False, store=store)
    )
    status, names = result.evaluation.status, [item.name for item in result.evaluation.learners]
    fits = dict(zip(names, (status != "missing").sum(axis=1), strict=True))
    return {
        "what": "default", "seed": seed, "pick": result.best,
        "seconds": "" if result.evaluation.n_reused else f"{seconds:.2f}",
        "settled": int(result.stopping_history.is_settled),
        "fits": " ".join(f"{name}={n}" for name, n in fits.items()),
    }  # fmt: skip


def ten_by_ten(data, n_repeats):
    """Return a row on so many repeats of ten folds by scikit-learn."""

    def run():
        plan = RepeatedStratifiedKFold(n_splits=10, n_repeats=n_repeats, random_state=0)
        for learner in resolve_learners(None, data.task):
            cross_validate(clone(learner.estimator), data.features, data.target, cv=plan)

    _, seconds = cpu_seconds(run)
    return {"what": f"{n_repeats}x10", "seed": 0, "seconds": f"{seconds:.2f}"}


def reference(data, store):
    """Return a row with the mean error of every learner over many repeats with another seed."""
    names = [learner.name for learner in resolve_learners(None, data.task)]
    means = {}
    for n_repeats in REFERENCE_REPEATS:
        result = bestofk.compare(
            names, data, cv=f"{n_repeats}x3", random_state=0, progress=False, store=store,
            keep="scores", scoring="error",
        )  # fmt: skip
        losses = result.scores[0].losses.reshape(len(names), n_repeats, -1).mean(axis=2)
        means |= dict(zip(names, losses.mean(axis=1), strict=True))
        best = int(losses.mean(axis=1).argmin())
        pick = names[best]
        behind = losses - losses[best]
        error = behind.std(axis=1, ddof=1) / n_repeats**0.5
        is_open = np.abs(behind.mean(axis=1) - ROPE) <= SURE * error
        if not is_open.any():
            break
        names = [name for index, name in enumerate(names) if is_open[index] or index == best]
    return {
        "what": "reference", "seed": 0, "pick": pick, "settled": n_repeats,
        "fits": " ".join(f"{name}={mean:.6f}" for name, mean in means.items()),
    }  # fmt: skip


def jobs_of(options):
    """Return what is to be done, by set, kind and seed; the first call of every set first."""
    seeds = range(FIRST_SEED, FIRST_SEED + options.seeds)
    jobs = []
    for name in options.sets:
        jobs += [(name, "default", seeds[0]), (name, "1x10", 0)]
        jobs += [(name, "10x10", 0)] if name == SETS[0] else []
    for name in options.sets:
        jobs += [(name, "reference", 0), *((name, "default", seed) for seed in seeds[1:])]
    return jobs


def run(job, options):
    """Do one of the jobs and return its row."""
    name, what, seed = job
    data, store = load(options, name), options.work / f"{name}.db"
    if what == "default":
        row = default_call(data, seed, store)
    elif what == "reference":
        row = reference(data, store)
    else:
        row = ten_by_ten(data, int(what.partition("x")[0]))
    return {"set": name} | row


def run_all(options, file):
    """Do what is missing in the file."""
    done = set()
    if file.exists():
        done = set(pd.read_csv(file)[FIELDS[:3]].itertuples(index=False, name=None))
    with file.open("a", newline="") as handle:
        writer = csv.DictWriter(handle, FIELDS)
        if not done:
            writer.writeheader()
        for job in jobs_of(options):
            if job not in done:
                writer.writerow(run(job, options))
                handle.flush()
                sys.stderr.write(f"{' '.join(map(str, job))}: done\n")


def numbers(text):
    """Return the numbers of a cell by their names."""
    return {name: float(value) for name, value in (item.split("=") for item in text.split())}


def report_cost(table):
    """Print seconds and ratios of the default call and 10x10, and fits per learner."""
    ratios = []
    print(f"{'':12s} {'default':>8s} {'10 x 1x10':>9s} {'ratio':>6s}  fits per learner")
    for name, part in table.groupby("set", sort=False):
        calls = part[part["what"] == "default"]
        seconds = part.groupby("what")["seconds"].mean()
        ratios.append(seconds["default"] / (10 * seconds["1x10"]))
        fits = pd.DataFrame([numbers(text) for text in calls["fits"]]).mean()
        cells = ", ".join(f"{learner} {n:.0f}" for learner, n in fits.items())
        print(f"{name:12s} {seconds['default']:8.1f} {10 * seconds['1x10']:9.1f} "
              f"{ratios[-1]:6.2f}  {cells}")  # fmt: skip
        if "10x10" in seconds:
            print(f"{'':12s} all of 10x10: {seconds['10x10']:.1f}")
    print(f"ratio at most {max(ratios):.2f} (bar 1), on average {np.mean(ratios):.2f} (bar 0.5)")


def report_picks(table):
    """Print how many picks of each set are right."""
    shares = []
    for name, part in table.groupby("set", sort=False):
        picks = part[part["what"] == "default"]
        found = part[part["what"] == "reference"]
        if found.empty:
            continue
        means = numbers(found["fits"].item())
        lowest = means[found["pick"].item()]
        is_right = [means[pick] - lowest <= ROPE for pick in picks["pick"]]
        shares += is_right
        counts = picks["pick"].value_counts().to_dict()
        print(f"{name:12s} {found['pick'].item():18s} {sum(is_right)} of {len(is_right)} right, "
              f"settled {picks['settled'].sum():.0f}; picks {counts}; "
              f"reference of up to {found['settled'].item():.0f} repeats")  # fmt: skip
    if shares:
        print(f"right: {np.mean(shares):.3f} of {len(shares)} (bar 0.95)")


def main():
    """Run and print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data", type=Path, default=os.environ.get("BESTOFK_DATA"))
    parser.add_argument("--work", type=Path, default=Path("default_cost"))
    parser.add_argument("--sets", nargs="+", default=SETS, metavar="SET")
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--report-only", action="store_true")
    options = parser.parse_args()
    if options.data is None and not options.report_only:
        parser.error("--data is missing: name the folder that holds uci/*.arff")
    options.work.mkdir(parents=True, exist_ok=True)
    file = options.work / "default_cost.csv"
    versions = ", ".join(f"{item.__name__} {item.__version__}" for item in (
        bestofk, sklearn, np, scipy))  # fmt: skip
    print(f"{versions}, python {platform.python_version()}")
    if not options.report_only:
        warnings.simplefilter("ignore")
        with threadpool_limits(1):
            run_all(options, file)
    table = pd.read_csv(file)
    table = table[table["set"].isin(options.sets)]
    report_cost(table)
    report_picks(table)


if __name__ == "__main__":
    main()
