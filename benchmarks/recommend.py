"""Losses and computing times of recommendation methods.

On tables of scores and times that others published, every data set is left out in turn: each
method learns from the others and is followed on it. Printed per table: mean and median of the
mean interval loss in percentage points, the difference to the average ranking whose P was
chosen on the training data sets with its bootstrap interval, wins, ties and losses, the bound
that no order can beat, and seconds; then the means over random parts of the size of the
paper (39 data sets x 53 learners), on the history that comes along, and the time of one step at
500 x 500.

Nothing is tuned here: every method is started with the settings it has in the package, and
what it chooses (P, rank) it chooses on the training data sets.

    OMP_NUM_THREADS=1 python benchmarks/recommend.py --data FOLDER [--draws 30] [--jobs 2]
    OMP_NUM_THREADS=1 python benchmarks/recommend.py --data FOLDER --json FOLDER [--kept-back]

FOLDER holds meta/*.csv.gz. With --json, the folder data/ of GT-ARC/mlep_experiments, only the ratio
of mean losses to that ranking is printed, table by table and pooled over four of them.

trees_5x5_accuracy_time.csv.gz (10 inducers of trees, 51 data sets) is kept back: no method was
ordered by it or looked at on it while the default was chosen. --kept-back adds it, once at the end.
"""

from __future__ import annotations

import argparse
import json
import platform
import time
from pathlib import Path

import numpy as np
import pandas as pd
import scipy

import bestofk
from bestofk.array_types import Floats, Positions
from bestofk.recommendation.adaptive_orders import LowRankCompletion
from bestofk.recommendation.catalogue import DEFAULT_RECOMMENDER, RECOMMENDERS
from bestofk.recommendation.fixed_orders import ChosenPowerRanking
from bestofk.recommendation.gain_per_log_delay import (
    AdaptiveGainPerLogDelay,
    GainAdvisor,
    GainPerLogDelay,
)
from bestofk.recommendation.history import History
from bestofk.recommendation.leave_one_out import RecommenderLosses, envelope_losses, leave_one_out
from bestofk.recommendation.loss_time import USUAL_WINDOW, LossTimeCurve, Window
from bestofk.recommendation.read_history import read_history, shipped_history

REFERENCE = ChosenPowerRanking.name
FIXED = GainPerLogDelay.name
COMPARED = (
    REFERENCE, DEFAULT_RECOMMENDER, LowRankCompletion.name, FIXED, AdaptiveGainPerLogDelay.name
)  # fmt: skip
PAPER_SIZE = (39, 53)
TABZILLA_LEAST = 160  # results that a learner must have to be a column
N_FOLDS = 10  # of TabZilla, whose times are of one fold
N_BOOTSTRAP = 2000
SHORT_WINDOW = Window.of(1.0, 1e4)  # of the tables whose tests are short, as well
SMALL_WINDOWS = ((1.0, 1e3), (0.1, 1e2))  # the history that comes along has short times
LARGE = 500
N_STEPS = 20


def oboe(folder: Path) -> History:
    """Return 209 data sets x 219 configurations, balanced accuracy of five folds."""
    errors = pd.read_csv(folder / "meta" / "oboe-shared-balanced-error.csv.gz", index_col=0)
    seconds = pd.read_csv(folder / "meta" / "oboe-shared-time-s.csv.gz", index_col=0)
    return History.from_arrays(
        1 - errors.to_numpy(), seconds.to_numpy(), measure="balanced accuracy",
        data_sets=errors.index.astype(str), learners=errors.columns,
    )  # fmt: skip


def tabzilla(folder: Path) -> History:
    """Return the learners that ended on 160 data sets, where all of them did; ten folds."""
    long = pd.read_csv(folder / "meta" / "tabzilla_accuracy_traintime.csv.gz")
    columns = ["Accuracy__test_mean", "time__train_mean"]
    wide = long.dropna(subset=columns).pivot(
        index="dataset_name", columns="alg_name", values=columns
    )
    kept = wide.columns.levels[1][wide[columns[0]].notna().sum() >= TABZILLA_LEAST]
    scores, seconds = wide[columns[0]][kept], N_FOLDS * wide[columns[1]][kept]
    is_complete = scores.notna().all(axis=1)
    return History.from_arrays(
        scores[is_complete].to_numpy(), seconds[is_complete].to_numpy(),
        data_sets=scores.index[is_complete], learners=kept,
    )  # fmt: skip


def mlep(folder: Path, name: str) -> History:
    """Return a table of GT-ARC/mlep_experiments; naming the commonest class is the default."""
    table = json.loads((folder / f"SKLearnOboeOn{name}Benchmark_partial.json").read_text())
    scores, seconds = np.transpose(table["scores"]), np.transpose(table["costs"])
    return History.from_arrays(
        scores[:, 1:], seconds[:, 1:], data_sets=table["tasks"], learners=table["algorithms"][1:],
        default_scores=scores[:, 0],
    )  # fmt: skip


def compare_ratios(data: Path, other: Path, *, kept_back: bool, n_jobs: int) -> None:
    """Print the ratio of mean losses to the reference, for each table and over all of them."""
    tables = [(mlep(other, name), [USUAL_WINDOW, SHORT_WINDOW]) for name in ("OpenML", "PennML")]
    tables += [(table(data), [USUAL_WINDOW]) for table in (oboe, tabzilla)]
    titles = ["OpenML", "PennML", "Oboe", "TabZilla"]
    methods = [RECOMMENDERS[name] for name in COMPARED]
    sums = []
    for title, (table, windows) in zip(titles, tables, strict=True):
        found = [leave_one_out(table, methods, window=w, n_jobs=n_jobs) for w in windows]
        for window, losses in zip(windows, found, strict=True):
            bound = envelope_losses(table, window).mean() / losses.losses[:, 0].mean()
            print_ratios(f"{title}, {window.first:g} to {window.last:g} s, bound {bound:.3f}",
                         [losses.losses])  # fmt: skip
        sums.append(np.sum([losses.losses for losses in found], axis=0))
    print_ratios("all", sums)
    for title, (table, _) in zip(titles, tables, strict=True):
        if title != "Oboe":  # takes minutes
            compare_new_learners(title, table)
    if kept_back:
        trees = read_history(
            data / "meta" / "trees_5x5_accuracy_time.csv.gz", columns={"fold": "index"}
        )
        for window in (USUAL_WINDOW, SHORT_WINDOW):
            losses = leave_one_out(trees, methods, window=window, n_jobs=n_jobs).losses
            print_ratios(f"kept back, {window.first:g} to {window.last:g} s", [losses])


def compare_new_learners(title: str, history: History) -> None:
    """Print what the default loses where the history does not know some of the learners.

    They are the best one of the data set, or one in ten drawn at random; tried when the default
    says, or after all others.
    """
    losses = np.empty((history.n_data_sets, 2, 2))
    for i in range(history.n_data_sets):
        drawn = np.random.default_rng(i).choice(
            history.n_learners, history.n_learners // 10, replace=False
        )
        for column, new in enumerate([np.argmax(history.scores[i], keepdims=True), drawn]):
            for is_last in (False, True):
                losses[i, column, int(is_last)] = loss_with_new(history, i, new, is_last=is_last)
    for said, means in zip(("the best", "one in ten"), 100 * losses.mean(axis=0), strict=True):
        print(f"{title}, not in the history: {said} learner: {means[0]:.3f}, "
              f"tried last {means[1]:.3f}", flush=True)  # fmt: skip


def loss_with_new(history: History, i: int, new: Positions, *, is_last: bool) -> float:
    """Return the mean interval loss on a data set where learners are not in the history."""
    others = np.flatnonzero(np.arange(history.n_data_sets) != i)
    scores, seconds = history.scores[others], history.seconds[others]
    scores[:, new] = seconds[:, new] = np.nan
    earlier = History.from_arrays(scores, seconds, default_scores=history.default_scores[others])
    default, best = float(history.default_scores[i]), float(history.scores[i].max())
    advisor = RECOMMENDERS[DEFAULT_RECOMMENDER].start(earlier, default, USUAL_WINDOW)
    assert isinstance(advisor, GainAdvisor)
    last = [int(learner) for learner in new] if is_last else []
    for learner in last:
        advisor.skip(learner)
    order: list[int] = []
    for _ in range(history.n_learners - len(last)):
        order.append(advisor.next())
        score = float(history.scores[i, order[-1]])
        if score >= best:
            break
        advisor.tell(order[-1], score, float(history.seconds[i, order[-1]]))
    order += last
    return LossTimeCurve.of_tests(
        history.scores[i, order], history.seconds[i, order], default_score=default,
        best_score=max(default, best),
    ).mean_interval_loss(USUAL_WINDOW)  # fmt: skip


def print_ratios(title: str, tables: list[Floats]) -> None:
    """Print the ratios of mean losses with bootstrap intervals, data sets drawn table by table.

    The first column is the reference.
    """
    rng = np.random.default_rng(0)
    sums = np.zeros((N_BOOTSTRAP, tables[0].shape[1]))
    for losses in tables:
        n = len(losses)
        sums += rng.multinomial(n, np.full(n, 1 / n), size=N_BOOTSTRAP) @ losses
    means = np.sum([losses.sum(axis=0) for losses in tables], axis=0)
    low, high = np.quantile(sums / sums[:, :1], [0.05, 0.95], axis=0)
    print(title)
    for name, ratio, *ends in zip(COMPARED, means / means[0], low, high, strict=True):
        print(f"  {name:26s} {ratio:.3f} [{ends[0]:.3f}, {ends[1]:.3f}]", flush=True)


def compare_methods(title: str, history: History, n_jobs: int) -> pd.DataFrame:
    """Print what every method loses on a table, and return it."""
    print(f"\n{title}: {history.n_data_sets} data sets x {history.n_learners} learners, "
          f"window {USUAL_WINDOW.first:g} to {USUAL_WINDOW.last:g} s")  # fmt: skip
    spent = dict.fromkeys(RECOMMENDERS, 0.0)
    last = time.process_time()

    def observe(method: str, _: int) -> None:
        nonlocal last
        now = time.process_time()
        spent[method] += now - last
        last = now

    start = time.perf_counter()
    losses = leave_one_out(history, list(RECOMMENDERS.values()), n_jobs=n_jobs, observe=observe)
    taken = time.perf_counter() - start
    table = losses.summary(REFERENCE)
    if n_jobs == 1:  # otherwise it was spent elsewhere
        table["cpu_seconds"] = list(spent.values())
    print(table.to_string(index=False, float_format="{:.3f}".format))
    bound = 100 * envelope_losses(history).mean()
    means = table.set_index("method")["mean"]
    ratio = means[DEFAULT_RECOMMENDER] / means[REFERENCE]
    closed = (means[REFERENCE] - means[DEFAULT_RECOMMENDER]) / (means[REFERENCE] - bound)
    low, high = ratio_interval(losses)
    print(f"bound {bound:.3f}; {DEFAULT_RECOMMENDER} over {REFERENCE}: {ratio:.3f} "
          f"[{low:.3f}, {high:.3f}], {100 * closed:.0f} % of the gap to the bound closed; "
          f"all methods {taken:.1f} s with n_jobs={n_jobs}")  # fmt: skip
    return table.assign(table=title, bound=bound, ratio=ratio)


def ratio_interval(found: RecommenderLosses) -> tuple[float, float]:
    """Return the bootstrap interval over data sets of the ratio of the two means."""
    first, second = (
        found.losses[:, found.methods.index(m)] for m in (DEFAULT_RECOMMENDER, REFERENCE)
    )
    n = len(first)
    counts = np.random.default_rng(0).multinomial(n, np.full(n, 1 / n), size=N_BOOTSTRAP)
    low, high = np.quantile((counts @ first) / (counts @ second), [0.025, 0.975])
    return float(low), float(high)


def compare_at_the_size_of_the_paper(history: History, n_draws: int) -> None:
    """Print the means of the default and of the reference over random parts of a table."""
    n_sets, n_learners = PAPER_SIZE
    methods = [RECOMMENDERS[name] for name in (DEFAULT_RECOMMENDER, REFERENCE, FIXED)]
    means = []
    for draw in range(n_draws):
        rng = np.random.default_rng(draw)
        part = history.part(
            data_sets=np.sort(rng.choice(history.n_data_sets, n_sets, replace=False)),
            learners=np.sort(rng.choice(history.n_learners, n_learners, replace=False)),
        )
        means.append(100 * leave_one_out(part, methods).losses.mean(axis=0))
    table = np.array(means)
    differences = table[:, 0] - table[:, 1]
    error = differences.std(ddof=1) / n_draws**0.5
    print(f"\n{n_draws} draws of {n_sets} x {n_learners}: "
          + ", ".join(f"{m.name} {v:.3f}" for m, v in zip(methods, table.mean(axis=0), strict=True))
          + f"; {DEFAULT_RECOMMENDER} loses less in {int((differences < 0).sum())}, difference "
          f"{differences.mean():.3f} (standard error {error:.3f})")  # fmt: skip


def compare_on_a_small_history() -> None:
    """Print the means on the history that comes along, where scores and times are few."""
    history = shipped_history()
    names = [DEFAULT_RECOMMENDER, AdaptiveGainPerLogDelay.name, LowRankCompletion.name, REFERENCE]
    for ends in SMALL_WINDOWS:
        losses = leave_one_out(
            history, [RECOMMENDERS[name] for name in names], window=Window.of(*ends)
        )
        means = 100 * losses.losses.mean(axis=0)
        said = ", ".join(f"{name} {mean:.3f}" for name, mean in zip(names, means, strict=True))
        print(f"shipped history, window {ends[0]:g} to {ends[1]:g} s: {said}")


def time_a_step() -> None:
    """Print how long one step of the default takes on a large history."""
    rng = np.random.default_rng(1)
    n = LARGE
    history = History.from_arrays(rng.uniform(0.5, 1, (n, n)), rng.lognormal(0, 2, (n, n)))
    for name, method in RECOMMENDERS.items():
        advisor = method.start(history, 0.5, USUAL_WINDOW)
        steps = []
        for _ in range(N_STEPS):
            start = time.process_time()
            learner = advisor.next()
            advisor.tell(learner, float(rng.uniform(0.5, 1)), 1.0)
            steps.append(time.process_time() - start)
        print(f"{name}: one step at {n} x {n}: median {1e3 * np.median(steps):.1f} ms, "
              f"largest {1e3 * max(steps):.1f} ms")  # fmt: skip


def main() -> None:
    """Read the options and print all parts."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--data", type=Path, required=True, help="folder that holds meta/")
    parser.add_argument("--draws", type=int, default=30, help="random parts; default 30")
    parser.add_argument("--jobs", type=int, default=1, help="processes; CPU seconds if one")
    parser.add_argument("--json", type=Path, help="folder data/ of GT-ARC/mlep_experiments")
    parser.add_argument("--kept-back", action="store_true", help="with --json: one table more")
    options = parser.parse_args()
    print(f"Python {platform.python_version()}, numpy {np.__version__}, scipy {scipy.__version__}, "
          f"pandas {pd.__version__}, bestofk {bestofk.__version__}")  # fmt: skip
    if options.json:
        compare_ratios(options.data, options.json, kept_back=options.kept_back, n_jobs=options.jobs)
        return
    tables = {"Oboe": oboe(options.data), "TabZilla": tabzilla(options.data)}
    results = [compare_methods(title, table, options.jobs) for title, table in tables.items()]
    ratios = [table["ratio"].iloc[0] for table in results]
    print(f"\nratio of means, geometric mean over tables: {np.prod(ratios) ** (1 / 2):.3f}")
    compare_at_the_size_of_the_paper(tables["Oboe"], options.draws)
    compare_on_a_small_history()
    time_a_step()


if __name__ == "__main__":
    main()
