"""Truth of what audits say, on tables made from runs whose other seeds are known.

"Published" tables are means and standard deviations over some of the runs of some learners on
some data sets; the same protocol with other runs, and the data sets left out, tell whether the
claim was kept. Constants of `bestofk.audits.another_seed` were chosen on the sources cv, trees,
multivariate and regression; series and amlb were left out. Printed: for each source the stated and
the observed share of fresh seeds that keep the claim, with the middle 90 % over worlds of
resampled data sets; then how often claims called firm and fragile fall.

    OMP_NUM_THREADS=1 python benchmarks/audit_reliability.py --data FOLDER --series FOLDER
        --runs RUNS.csv.gz [--worlds 20] [--tables 20]

FOLDER of --data holds uci/*.arff and meta/*.csv.gz; that of --series the results of
github.com/time-series-machine-learning/tsml-eval. RUNS is written if it is not there: 20 repeats
of 10 folds of eleven quick learners on the data sets of up to 1,500 rows.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd

from bestofk.audits import PublishedTable, audit
from bestofk.data import load_data
from bestofk.evaluation import EvaluationRequest, Store, evaluate
from bestofk.learners import resolve_learners
from bestofk.measures import get_measure
from bestofk.randomness import derive_rng
from bestofk.resampling import make_plan

LEARNERS = [
    "nearest-mean", "naive-bayes", "lda", "ridge-classifier", "1nn", "5nn", "cart", "logistic",
    "bernoulli-naive-bayes", "kernel-naive-bayes", "c45",
]  # fmt: skip
REPEATS, FOLDS, MOST_ROWS = 20, 10, 1_500
LEFT_OUT = ("series", "amlb")
EDGES = [0, 0.3, 0.5, 0.7, 0.8, 0.9, 0.95, 1]


@dataclass(frozen=True)
class Source:
    """Losses of shape (data sets, learners, splits), and folds per repeat (1: independent)."""

    losses: np.ndarray
    n_folds: int
    has_one_unit: bool = True


def make_runs(data_folder: Path, output: Path) -> None:
    """Write data set, learner, repeat, fold and error of every run."""
    parts = []
    for path in sorted((data_folder / "uci").glob("*.arff")):
        data = load_data(path)
        if path.stem.endswith("-test") or not 100 < len(data.y) <= MOST_ROWS:
            continue
        learners = resolve_learners(LEARNERS, data.task)
        plan = make_plan(data, f"{REPEATS}x{FOLDS}")
        with Store(None) as store:
            found = evaluate(EvaluationRequest(data, plan, learners), store)
        errors = found.measured(get_measure("error", task=data.task, classes=data.classes)).values
        parts += [
            pd.DataFrame({"dataset": path.stem, "learner": learner.name, "split": range(len(plan)),
                          "error": of_learner})
            for learner, of_learner in zip(learners, errors, strict=True)
        ]  # fmt: skip
    pd.concat(parts).to_csv(output, index=False)


def sources(data: Path, series: Path, runs: Path) -> dict[str, Source]:
    """Read all sources."""
    table = pd.read_csv(runs)
    trees = pd.read_csv(data / "meta/trees_5x5_accuracy_time.csv.gz")
    trees = trees.assign(error=1 - trees["accuracy"], learner=trees["algorithm"])
    found = {
        "cv": Source(_cube(table, "split"), FOLDS),
        "trees": Source(_cube(trees, "index"), 5),
    }
    for name, folder, is_loss in (
        ("multivariate", "classification/Multivariate", False),
        ("regression", "regression", True),
        ("series", "classification/Univariate", False),
    ):
        parts = []
        for path in sorted((series / "results" / folder).glob("*.csv")):
            wide = pd.read_csv(path, index_col=0).iloc[:, :30].apply(pd.to_numeric, errors="coerce")
            wide.index.name, wide.columns.name = "dataset", "split"
            if wide.shape[1] == 30:
                values = wide if is_loss else 1 - wide
                parts.append(values.stack().rename("error").reset_index().assign(learner=path.stem))
        found[name] = Source(_cube(pd.concat(parts), "split"), 1, not is_loss)
    amlb = pd.read_csv(data / "meta/automl_openml_per_fold.csv.gz")
    amlb = amlb[amlb["problem_type"] == "binary"].assign(
        error=amlb["metric_error"], learner=amlb["framework"]
    )
    return found | {"amlb": Source(_cube(amlb, "fold"), 1)}


def _cube(table: pd.DataFrame, split: str) -> np.ndarray:
    means = table.pivot_table(index="dataset", columns=["learner", split], values="error")
    learners, splits = (sorted(set(level)) for level in zip(*means.columns, strict=True))
    full = means.reindex(columns=pd.MultiIndex.from_product([learners, splits]))
    return full.to_numpy().reshape(len(means), len(learners), len(splits))


def made_tables(name: str, source: Source, world: int, n_tables: int) -> Iterator[tuple]:
    """Yield a published table, its plan, fresh means, and those of data sets left out."""
    rng = derive_rng("audits", name, world)
    losses = source.losses[np.unique(rng.integers(0, len(source.losses), len(source.losses)))]
    n_repeats = losses.shape[2] // source.n_folds
    for _ in range(n_tables):
        chosen = rng.choice(
            losses.shape[1], rng.integers(2, min(9, losses.shape[1])), replace=False
        )
        part = losses[:, chosen]
        part = part[np.isfinite(part).all(axis=(1, 2))]
        part = part[rng.permutation(len(part))]
        n_sets = int(rng.integers(4, max(6, min(31, len(part) // 2))))
        own, others = part[:n_sets], part[n_sets : 2 * n_sets]
        if len(own) < 4:
            continue
        most = [1, 1, 2, 3] if source.n_folds > 1 else [3, 5, 10]
        size = min(int(rng.choice(most)), n_repeats // 2)
        order = rng.permutation(n_repeats)
        groups = [_splits(order[i : i + size], source.n_folds)
                  for i in range(0, n_repeats - size + 1, size)]  # fmt: skip
        published = own[:, :, groups[0]]
        digits = int(rng.choice([3, 4]))
        table = PublishedTable(
            name, tuple(f"d{i}" for i in range(len(own))),
            tuple(f"l{i}" for i in range(len(chosen))), published.mean(axis=2).round(digits),
            np.full(own.shape[:2], 10.0**-digits), False, "error",
            published.std(axis=2, ddof=1), np.zeros(own.shape[:2], dtype=bool),
        )  # fmt: skip
        plan = f"{size}x{source.n_folds}" if source.n_folds > 1 else f"{size}"
        by = "mean" if source.has_one_unit and rng.random() < 0.5 else "rank"
        fresh = [own[:, :, group].mean(axis=2) for group in groups[1:]]
        claim = None
        if rng.random() < 0.5:  # about one other learner
            pair = np.argsort(table.values[:, :2].mean(axis=0))  # the better one first
            first, second = (table.learners[index] for index in pair)
            strong = "significantly better than" if rng.random() < 0.7 else "beats"
            claim = f"{first} {strong} {second}"
        yield table, plan, by, claim, fresh, others.mean(axis=2)


def _splits(repeats: np.ndarray, n_folds: int) -> np.ndarray:
    return (repeats[:, None] * n_folds + np.arange(n_folds)).ravel()


def usual_spreads(found: dict[str, Source]) -> None:
    """Print the middle half of what means of like errors vary by between seeds."""
    cells = []
    for name in ("cv", "trees", "multivariate", "series"):
        losses, n_folds = found[name].losses, found[name].n_folds
        for size in (1,) if n_folds > 1 else (5, 10):
            n = losses.shape[2] // (n_folds * size)
            seeds = (
                losses[:, :, : n * n_folds * size].reshape(*losses.shape[:2], n, -1).mean(axis=3)
            )
            cells.append(
                np.stack([seeds.mean(axis=2), seeds.std(axis=2, ddof=1)], -1).reshape(-1, 2)
            )
    error, spread = np.concatenate(cells).T
    table = pd.Series(spread).groupby(pd.cut(error, [-1, 0.05, 0.15, 0.3, 1]), observed=True)
    print(table.quantile([0.25, 0.5, 0.75]).unstack().round(4), table.size(), sep="\n")


def main() -> None:
    """Audit made tables, and print how true the audits are."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    for name in ("data", "series", "runs"):
        parser.add_argument(f"--{name}", type=Path, required=True)
    parser.add_argument("--output", type=Path, help="Table of all audits to write.")
    parser.add_argument("--worlds", type=int, default=20)
    parser.add_argument("--tables", type=int, default=20)
    given = parser.parse_args()
    if not given.runs.exists():
        make_runs(given.data, given.runs)
    found = sources(given.data, given.series, given.runs)
    usual_spreads(found)
    rows = []
    for name, source in found.items():
        for world in range(given.worlds):
            for table, plan, by, claim, fresh, others in made_tables(
                name, source, world, given.tables
            ):
                result = audit(table, claim, by=by, cv=plan)
                kept = np.mean([bool(result.claim.holds(means)) for means in fresh])
                elsewhere = np.nan
                if len(others) == len(table.values):
                    elsewhere = float(result.claim.holds(others))
                kind = "significant" if result.claim.is_significant else "ahead"
                rows.append((name, world, kind, result.strength, result.kept_with, kept, elsewhere))
    names = ["source", "world", "kind", "strength", "stated", "kept", "elsewhere"]
    table = pd.DataFrame(rows, columns=names)
    if given.output is not None:
        table.to_csv(given.output, index=False)
    report(table)


def report(found: pd.DataFrame) -> None:
    """Print stated and observed shares, and how often claims of each strength fall."""
    print(f"{len(found)} tables; left out while the method was made: {', '.join(LEFT_OUT)}")
    held = found.dropna(subset="stated").assign(bin=pd.cut(found["stated"], EDGES))
    for kind, of_kind in held.groupby("kind"):
        print(f"\n{kind}: source, stated from-to, tables, stated, observed [middle 90 % of worlds]")
        groups = [*of_kind.groupby("source"), ("all", of_kind)]
        for source, part in groups:
            for edges, cell in part.groupby("bin", observed=True):
                worlds = cell.groupby("world")["kept"].mean()
                low, high = np.quantile(worlds, [0.05, 0.95])
                print(f"{source:13s} {edges!s:12s} {len(cell):5d} {cell['stated'].mean():6.3f} "
                      f"{cell['kept'].mean():6.3f} [{low:.2f}, {high:.2f}]")  # fmt: skip
    print("\nstrength: source, tables, falls with a fresh seed, falls on data sets left out")
    for (source, strength), part in [
        *found.groupby(["source", "strength"]),
        *((("all", key), part) for key, part in found.groupby("strength")),
    ]:
        print(f"{source:13s} {strength:14s} {len(part):5d} {1 - part['kept'].mean():6.3f} "
              f"{1 - part['elsewhere'].mean():6.3f}")  # fmt: skip


if __name__ == "__main__":
    main()
