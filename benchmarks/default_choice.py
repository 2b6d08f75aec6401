"""Regret of a small default set of learners, against picking from the whole catalogue.

From every table of a folder some rows are drawn, several times. Each candidate is cross-validated
on them, and then trained on all of them. Its true loss is that on rows that were not drawn. The
regret of a set of learners is the true loss of its pick minus that of the pick from all
candidates. It is in points: of the target's standard deviation for regression (root mean squared
error), of the error rate for classification.

    OMP_NUM_THREADS=1 python benchmarks/default_choice.py FOLDER [--task classification]
        [--half second] [--rows 700] [--draws 5] [--learners NAME ...] [--default NAME ...]
        [--sizes 4 6 8] [--work FILE.jsonl] [--report-only]

FOLDER holds data files. `default_choice.tsv`, next to this script, lists the public tables that the
package's own choice rests on: the file NAME.csv (or .arff, .tsv, ...) is a copy of `path` in the
GitHub repository. The list says what is predicted, which columns are left out, and which half a
table belongs to. Other files are read as `load_data` reads them, and a hash of the name decides
the half. Choose on the first half; look at the second half once. 1,000 rows are kept unseen,
5,000 at most; tables that leave fewer than 200 to draw are skipped.

Results are kept in FILE.jsonl, one file per task, and the same command continues from there: first
one draw of all tables, learner by learner, then the next draw. The report uses every draw of a
table that all candidates have finished. It has four parts:

1. each candidate alone: how often it is the pick from all, its mean rank, regret, and CPU seconds
   of the 2x5 cross-validation;
2. the default set, or that of --default, with the tables on which its regret is largest; "within"
   is the share of tables whose regret is at most one point;
3. on the first half: learners added one after another so that the regret is lowest (chosen and
   shown on the same tables, so optimistic);
4. two rules for ties: how far their picks are from the best of all candidates on unseen rows, and
   how often two draws, and the two repeats of one draw, give the same pick. `tie_width.py` counts
   the fits that a rule costs.

Intervals are 90% bootstrap intervals over tables.
"""

from __future__ import annotations

import argparse
import functools
import itertools
import json
import platform
import sys
import time
import warnings
from pathlib import Path

import numpy as np
import pandas as pd
import scipy
import sklearn
from threadpoolctl import threadpool_limits

import bestofk
from bestofk.data import load_data
from bestofk.errors import InvalidArgumentError
from bestofk.inference.many_learners.mean_losses import lowest_loss
from bestofk.learners import groups_of, learner_catalogue, resolve_learners
from bestofk.measures import get_measure
from bestofk.measures.equivalence import usual_rope
from bestofk.randomness import derive_rng, derive_seed
from bestofk.resampling import make_plan
from bestofk.stopping.adaptive_repeats import tie_width

LIST = Path(__file__).with_suffix(".tsv")
HALVES = ("first", "second")
MEASURES = {"regression": "rmse", "classification": "error"}
N_REPEATS, N_FOLDS = 2, 5
FEWEST_ROWS, FEWEST_UNSEEN, MOST_UNSEEN = 200, 1000, 5000
ENDINGS = ("*.csv", "*.tsv", "*.txt", "*.data", "*.arff")
# The widths, as parts of the distance at which a comparison takes two learners as tied.
TIE_RULES = {"lowest mean, exact ties": 0.0, "first within half a region": 1.0}
WITHIN = 1.0  # points
N_BOOTSTRAP, SHOWN_TABLES = 2000, 6


def installed_learners(task):
    """Return the names of all candidates whose package is installed, from simple to involved."""
    results = []
    for name, entry in learner_catalogue(task, optional=True).items():
        try:
            results += [] if entry.is_baseline else [resolve_learners(name, task)[0].name]
        except InvalidArgumentError:
            sys.stderr.write(f"{name}: not installed\n")
    return results


def tables(options):
    """Return file, target and columns to leave out of the tables of a half, by name."""
    listed = pd.read_csv(LIST, sep="\t", keep_default_na=False, dtype=str)
    listed = listed[listed["task"] == options.task].set_index("name")
    results = {}
    for path in sorted(itertools.chain(*(options.folder.glob(f"{end}*") for end in ENDINGS))):
        name = path.name.removesuffix(".gz").rpartition(".")[0]
        half, target, left_out = HALVES[derive_seed("half", name) % 2], None, []
        if name in listed.index:
            half, target, left_out = listed.loc[name, ["half", "target", "left_out"]]
            left_out = left_out.split(",") if left_out else []
        if options.half in (half, "both"):
            results[name] = (path, target, left_out)
    return results


@functools.cache
def drawn_rows(path, target, left_out, task, n_rows, draw):
    """Return drawn and unseen rows of a table, or None where it has too few."""
    data = load_data(
        path, target=target, drop=left_out, task=task, drop_missing_target=True,
    )  # fmt: skip
    n_drawn = min(n_rows, data.n_samples - FEWEST_UNSEEN)
    if n_drawn < FEWEST_ROWS:
        return None
    rows = derive_rng("default choice", path.name, draw).permutation(data.n_samples)
    return data.subset(rows[:n_drawn]), data.subset(rows[n_drawn : n_drawn + MOST_UNSEEN])


def loss(estimator, data):
    """Return root mean squared error or error rate on a data set."""
    predicted = np.asarray(estimator.predict(data.features))
    target = data.target_array
    if data.is_classification:
        return float(np.mean(predicted != target))
    return float(np.sqrt(np.mean((predicted - target) ** 2)))


def run(learner, drawn, unseen, draw):
    """Return the losses of the folds, that on unseen rows, and the CPU seconds of the fits."""
    plan = make_plan(drawn, f"{N_REPEATS}x{N_FOLDS}", random_state=draw)
    parts = [(drawn.subset(split.train_rows), drawn.subset(split.test_rows)) for split in plan]
    losses, seconds = [], []
    for number, (train, test) in enumerate([*parts, (drawn, unseen)]):
        start = time.process_time()
        estimator = learner.clone(derive_seed("default choice", draw, number))
        estimator.fit(train.features, train.target)
        seconds.append(time.process_time() - start)
        losses.append(loss(estimator, test))
    return {
        "losses": losses[:-1], "unseen": losses[-1],
        "seconds": sum(seconds[:-1]), "refit_seconds": seconds[-1],
    }  # fmt: skip


def run_all(options, names):
    """Do what is missing in the work file."""
    options.work.touch()
    work, files = read_work(options), tables(options)
    done = set(work[KEY].itertuples(index=False, name=None)) if len(work) else set()
    learners = resolve_learners(names, options.task)
    with options.work.open("a", encoding="utf-8") as handle:
        for draw, learner, name in itertools.product(range(options.draws), learners, files):
            if (name, options.rows, draw, learner.name) in done:
                continue
            path, target, left_out = files[name]
            parts = drawn_rows(path, target, tuple(left_out), options.task, options.rows, draw)
            if parts is None:
                continue
            row = dict(zip(KEY, (name, options.rows, draw, learner.name), strict=True))
            row["n_drawn"], row["n_features"] = parts[0].n_samples, parts[0].n_features
            row["n_unseen"] = parts[1].n_samples
            if options.task == "regression":
                row["spread"] = float(np.std(parts[1].target_array))
            try:
                row |= run(learner, *parts, draw)
            except Exception as error:  # what fails is never picked
                row["failure"] = f"{type(error).__name__}: {error}"[:200]
            handle.write("\n" + json.dumps(row))
            handle.flush()
            sys.stderr.write(f"{draw} {learner.name} {name}\n")


KEY = ["table", "rows", "draw", "learner"]


def read_work(options):
    """Return the work file as a table, without lines that were cut off while they were written."""
    rows = []
    for line in filter(None, options.work.read_text(encoding="utf-8").splitlines()):
        try:
            rows.append(json.loads(line))
        except json.JSONDecodeError:
            sys.stderr.write("a cut line is done again\n")
    return pd.DataFrame(rows)


class Results:
    """What is complete in a work file.

    Arrays have a row per draw of a table, a column per learner, and `losses` a number per fold;
    nan where a learner failed.
    """

    def __init__(self, options, names):
        self.names, self.task = names, options.task
        work = read_work(options)
        work = work[(work["rows"] == options.rows) & work["table"].isin(tables(options))]
        work = work[work["learner"].isin(names)]
        cases = work.groupby(["table", "draw"])
        complete = [part for _, part in cases if set(part["learner"]) == set(names)]
        if not complete:
            sys.exit(f"No draw of a table has all of {', '.join(names)} yet.")
        parts = [part.set_index("learner").loc[names] for part in complete]
        self.tables = np.array([part["table"].iloc[0] for part in parts])
        self.draws = np.array([part["draw"].iloc[0] for part in parts])
        gap = [np.nan] * (N_REPEATS * N_FOLDS)
        self.losses = np.array(
            [[row if isinstance(row, list) else gap for row in part["losses"]] for part in parts]
        )
        unit = [part["spread"].iloc[0] for part in parts] if "spread" in work else 1.0
        self.unseen = np.array([part["unseen"].to_numpy() for part in parts])
        self.points = 100 * self.unseen / np.reshape(unit, (-1, 1))
        self.seconds = np.array([part["seconds"].to_numpy() for part in parts])
        self.everyone = self.picks(range(len(names)))

    def picks(self, members, repeats=slice(None), tie=0.0):
        """Return the learner that is picked from some of them on every draw of a table."""
        measure = get_measure(
            MEASURES[self.task], task=self.task, classes=np.array([0, 1]), pos_label=1
        )
        members, results = np.array(list(members)), []
        for losses in self.losses[:, members]:
            means = losses.reshape(len(members), N_REPEATS, N_FOLDS)[:, repeats].mean(axis=(1, 2))
            stayed = np.flatnonzero(np.isfinite(means))
            width = tie * tie_width(usual_rope(measure, losses)) if tie else 0.0
            results.append(members[stayed[lowest_loss(means[stayed], width)]])
        return np.array(results)

    def of_picks(self, picks):
        """Return the points of the picks on unseen rows, shape (n_draws_of_tables,)."""
        return self.points[np.arange(len(picks)), picks]

    def by_table(self, values):
        """Return means over the draws of each table."""
        return pd.Series(values).groupby(self.tables).mean()

    def regrets(self, members):
        """Return the regret of a set of learners per table, in points."""
        return self.by_table(self.of_picks(self.picks(members)) - self.of_picks(self.everyone))

    def cpu(self, members):
        """Return per table the CPU seconds of a set of learners."""
        return self.by_table(np.nansum(self.seconds[:, list(members)], axis=1))


def interval(values):
    """Return the 90% bootstrap interval of a mean over tables."""
    rng = derive_rng("bootstrap over tables")
    rows = rng.integers(len(values), size=(N_BOOTSTRAP, len(values)))
    return np.percentile(np.asarray(values)[rows].mean(axis=1), [5, 95])


def line(title, results, members):
    """Print regret and cost of a set of learners, and return the regrets."""
    regrets = results.regrets(members)
    low, high = interval(regrets)
    print(f"{title:32s} {regrets.mean():7.2f} {f'{low:.2f} to {high:.2f}':>15s} "
          f"{(regrets <= WITHIN).mean():7.0%} {results.cpu(members).median():9.1f}")  # fmt: skip
    return regrets


def report_learners(results):
    """Print share of picks, rank, regret and cost of each candidate."""
    ranks = pd.DataFrame(results.points).rank(axis=1).to_numpy()
    share = np.bincount(results.everyone, minlength=len(results.names)) / len(results.everyone)
    print(
        f"\n{'alone':32s} {'picked':>7s} {'rank':>5s} {'regret':>7s} {'CPU s':>9s} {'failed':>7s}"
    )
    for index, name in enumerate(results.names):
        failed = np.isnan(results.points[:, index])
        lost = results.points[:, index] - results.of_picks(results.everyone)
        print(f"{name:32s} {share[index]:7.0%} {np.nanmean(ranks[:, index]):5.1f} "
              f"{np.nanmean(lost):7.2f} {results.cpu([index]).median():9.2f} "
              f"{failed.sum() or '':>7}")  # fmt: skip


def grow(results, n_most):
    """Return the learners that are added one after another so that the regret is lowest."""
    chosen = []
    anywhere = [
        index for index in range(len(results.names))
        if np.isfinite(results.points[:, index]).all()
    ]  # fmt: skip
    while len(chosen) < n_most:
        rest = [index for index in range(len(results.names)) if index not in chosen]
        rest = rest if chosen else anywhere
        lost = [results.regrets(sorted([*chosen, index])).mean() for index in rest]
        chosen.append(rest[int(np.argmin(lost))])
    return chosen


def report_ties(results, title, members):
    """Print distance to the best and agreement of each rule for ties within a set of learners."""
    best = np.nanmin(results.points, axis=1)
    for rule, tie in TIE_RULES.items():
        picks = results.picks(members, tie=tie)
        lost = results.by_table(results.of_picks(picks) - best)
        low, high = interval(lost)
        by_table = pd.Series(picks).groupby(results.tables)
        pairs = [np.mean([a == b for a, b in itertools.combinations(part, 2)])
                 for _, part in by_table if len(part) > 1]  # fmt: skip
        first, second = (results.picks(members, slice(index, index + 1), tie) for index in (0, 1))
        draws = f"{np.mean(pairs):.0%}" if pairs else ""
        print(f"{title:16s} {rule:28s} {lost.mean():7.2f} {f'{low:.2f} to {high:.2f}':>15s} "
              f"{draws:>7s} {results.by_table(first == second).mean():7.0%}")  # fmt: skip


def report(options, names):
    """Print the tables."""
    results = Results(options, names)
    counts = pd.Series(results.draws).value_counts().sort_index()
    print(f"{options.task}, {options.half} half, at most {options.rows} rows: "
          f"{len(set(results.tables))} tables; complete per draw: {counts.tolist()}")  # fmt: skip
    report_learners(results)
    head = f"{'regret':>7s} {'90% interval':>15s} {'within':>7s} {'CPU s':>9s}"
    usual = options.default or [
        name for name, entry in learner_catalogue(options.task).items()
        if "default" in groups_of(entry) and not entry.is_baseline
    ]  # fmt: skip
    default = [names.index(name) for name in usual if name in names]
    print(f"\n{'a set of':32s} {head}")
    lost = line(f"{len(default)}: the default", results, default)
    worst = lost.nlargest(SHOWN_TABLES)
    print("largest: " + ", ".join(f"{name} {value:.1f}" for name, value in worst.items()))
    sets = {"default": default}
    if options.half == HALVES[0]:
        print(f"\n{'grown by':32s} {head}")
        chosen = grow(results, min(max(options.sizes), len(names)))
        for size, index in enumerate(chosen, start=1):
            line(f"{size}: {names[index]}", results, sorted(chosen[:size]))
        sets |= {f"grown to {size}": sorted(chosen[:size]) for size in options.sizes
                 if size <= len(chosen)}  # fmt: skip
    head = f"{'to best':>7s} {'90% interval':>15s} {'draws':>7s} {'repeats':>7s}"
    print(f"\n{'ties':16s} {'':28s} {head}")
    for title, members in (sets | {"all": list(range(len(names)))}).items():
        report_ties(results, title, members)


def main():
    """Run and print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--task", choices=MEASURES, default="regression")
    parser.add_argument("--half", choices=[*HALVES, "both"], default=HALVES[0])
    parser.add_argument("--rows", type=int, default=700)
    parser.add_argument("--draws", type=int, default=5)
    parser.add_argument("--learners", nargs="+", metavar="NAME")
    parser.add_argument("--default", nargs="+", metavar="NAME")
    parser.add_argument("--sizes", nargs="+", type=int, default=[4, 6, 8])
    parser.add_argument("--work", type=Path, default=Path("default_choice.jsonl"))
    parser.add_argument("--report-only", action="store_true")
    options = parser.parse_args()
    names = options.learners or installed_learners(options.task)
    versions = ", ".join(f"{item.__name__} {item.__version__}" for item in (
        bestofk, sklearn, np, scipy))  # fmt: skip
    print(f"{versions}, python {platform.python_version()}", flush=True)
    if not options.report_only:
        warnings.simplefilter("ignore")
        with threadpool_limits(1):
            run_all(options, names)
    report(options, names)


if __name__ == "__main__":
    main()
