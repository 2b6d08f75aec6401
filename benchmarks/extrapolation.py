r"""Coverage of extrapolated learning curves, and accuracy of the predicted order.

Curves of eight learners are known up to half of the training rows of a 3x10 plan (nine tenths of
the rows, or less by an even number) and predicted at all of them. A case is one learner on one
data set; it counts as covered where its mean loss with all rows lies in the 80 % interval. Rows of
sets above 2,400 are drawn once, by class, from the name of the set. The top two are the best two
learners at half of the rows, by mean loss.

The width of the intervals, and what it takes to foretell another order, were chosen on other
data: `--calibration` runs smaller sets and generated ones, and prints which factor would cover how
many cases. Both times the curves are kept in a table, so the same line goes on where it stopped,
and `--report-only` trains nothing.

    OMP_NUM_THREADS=1 python benchmarks/extrapolation.py --data FOLDER --store curves.csv
    OMP_NUM_THREADS=1 python benchmarks/extrapolation.py --data FOLDER --store other.csv \
        --calibration
"""

from __future__ import annotations

import argparse
import csv
import platform
import time
from collections import Counter
from dataclasses import dataclass, replace
from itertools import combinations
from pathlib import Path

import numpy as np
import scipy
import sklearn
from sklearn.datasets import make_classification

import bestofk
from bestofk import learning_curve
from bestofk.curves.extrapolation import Extrapolation, extrapolate_losses, predicted_lead
from bestofk.data import DataSet, from_arrays, load_data, ringnorm, threenorm
from bestofk.evaluation import Store
from bestofk.randomness import derive_rng
from bestofk.resampling import make_plan

LEARNERS = ["nearest-mean", "naive-bayes", "lda", "logistic", "1nn", "5nn", "c45", "cart"]
MEASURES = ["error", "log_loss"]
CV = "3x10"
N_MOST = 2_400  # rows of a set
N_KNOWN = 10  # sizes up to half of the rows, each the root of a half of the next
FEWEST = 10  # rows of a size
NEAR = 0.001  # a difference of losses below it is named
REPORTED = [
    "balance-num", "breast-w", "tic-tac-toe", "pima", "credit-a", "vowel", "car", "cmc", "yeast",
    "segment", "ozone-8h", "ozone-1h", "krkp", "nursery", "twonorm-7400", "waveform", "pendigits",
    "mushroom", "spambase", "waveform-40", "splice", "optdigits",
]  # fmt: skip
CALIBRATION = [
    "vote", "monks-2", "monks-3", "monks", "cylinder-bands", "dermatology", "ecoli", "ionosphere",
    "horse-colic", "bupa", "flare", "haberman", "heart-c",
    "gen:ringnorm", "gen:threenorm", "gen:make0", "gen:make1", "gen:make2",
]  # fmt: skip
MADE = [
    {"n_features": 20, "n_informative": 5, "n_redundant": 3, "flip_y": 0.05, "class_sep": 0.8},
    {"n_features": 12, "n_informative": 8, "n_redundant": 0, "n_classes": 4, "flip_y": 0.01},
    {"n_features": 40, "n_informative": 10, "n_redundant": 10, "weights": [0.8],
     "flip_y": 0.1, "class_sep": 0.5},
]  # fmt: skip


@dataclass(frozen=True)
class Case:
    """One learner on one data set: what was foretold from half of the rows, and what came."""

    learner: str
    half: float
    true: float
    ahead: Extrapolation

    @property
    def is_covered(self) -> bool:
        """Return whether the interval contains the observed value."""
        return bool(self.ahead.low <= self.true <= self.ahead.high)

    @property
    def needed(self) -> float:
        """Return the factor by which the interval must grow to contain the observed value."""
        return abs(self.true - self.ahead.loss) / ((self.ahead.high - self.ahead.low) / 2)


def data_set(name: str, folder: Path) -> DataSet:
    """Return a data set, at most 2,400 rows of it, drawn by class from its name."""
    if name.startswith("gen:"):
        return generated(name.removeprefix("gen:"))
    data = load_data(str(next(iter(sorted(folder.glob(f"{name}.arff*"))))), target="class")
    if data.n_samples <= N_MOST:
        return data
    rows = derive_rng(0, "rows of a large set", data.name).permutation(data.n_samples)
    position = np.empty(len(rows))
    for label in np.unique(data.y):
        of_class = np.flatnonzero(data.y[rows] == label)
        position[of_class] = (np.arange(len(of_class)) + 0.5) / len(of_class)
    rows = np.sort(rows[np.argsort(position, kind="stable")][:N_MOST])
    return replace(data, features=data.feature_rows(rows), target=data.target_rows(rows))


def generated(kind: str) -> DataSet:
    """Return rows of a generator."""
    if kind in ("ringnorm", "threenorm"):
        return {"ringnorm": ringnorm, "threenorm": threenorm}[kind](2_000, 1)
    number = int(kind.removeprefix("make"))
    return from_arrays(*make_classification(n_samples=1_600, random_state=number, **MADE[number]))


def train(names: list[str], folder: Path, store: Path) -> None:
    """Add the curves that the table lacks."""
    known = {(row[0], row[4]) for row in table(store)}
    for name in names:
        if all((name, measure) in known for measure in MEASURES):
            continue
        start = time.perf_counter()
        data = data_set(name, folder)
        whole = int(make_plan(data, CV, random_state=0).sizes[0].min()) // 2 * 2
        halves = [round(whole / 2 ** (1 + step / 2)) for step in range(N_KNOWN)]
        sizes = sorted({size for size in halves if size >= FEWEST} | {whole})
        with Store(None) as runs, store.open("a", newline="", encoding="utf-8") as file:
            for measure in MEASURES:
                if (name, measure) in known:
                    continue
                curves = learning_curve(
                    LEARNERS, data, train_sizes=sizes, cv=CV, scoring=measure, store=runs,
                    n_jobs=1, progress=False,
                )  # fmt: skip
                plan = curves.sampling
                csv.writer(file).writerows(
                    [name, learner, size, plan.n_repeats, measure, plan.n_train, plan.n_test]
                    + [f"{value:.8g}" for value in curves.test_values[s, k]]
                    for s, size in enumerate(curves.sizes)
                    for k, learner in enumerate(curves.learners)
                )
        print(f"{name}: {data.n_samples} rows, {time.perf_counter() - start:.0f} s", flush=True)


def table(store: Path) -> list[list[str]]:
    """Return the rows of the table: set, learner, size, repeats, measure, plan, losses."""
    if not store.exists():
        return []
    with store.open(encoding="utf-8", newline="") as file:
        return list(csv.reader(file))


def cases_of(store: Path, names: list[str], measure: str) -> dict[str, list[Case]]:
    """Return the cases of every data set, learners in their order."""
    curves: dict[tuple[str, str], list[tuple[int, list[float]]]] = {}
    for row in table(store):
        if row[4] == measure:
            curves.setdefault((row[0], row[1]), []).append((int(row[2]), [*map(float, row[7:])]))
    results: dict[str, list[Case]] = {}
    for name in names:
        for learner in LEARNERS:
            points = sorted(curves.get((name, learner), []))
            if points:
                sizes = np.array([size for size, _ in points])
                losses = np.array([values for _, values in points])
                results.setdefault(name, []).append(case(learner, sizes, losses))
    return results


def case(learner: str, sizes: np.ndarray, losses: np.ndarray) -> Case:
    """Return what is foretold from all sizes but the last, and what came there."""
    ahead = extrapolate_losses(learner, sizes[:-1], losses[:-1], int(sizes[-1]))
    return Case(learner, float(losses[-2].mean()), float(losses[-1].mean()), ahead)


def settled(cases: list[Case]) -> list[Case]:
    """Return the cases that were not refused and have a loss with all rows."""
    return [item for item in cases if not item.ahead.is_refused and not np.isnan(item.true)]


def pair_of(first: Case, second: Case) -> tuple[float, tuple[bool, ...], bool]:
    """Return how two differ with all rows, and what was right; whether there is an interval.

    Right or not are the order at half, the order foretold, and that of the predictions alone;
    then whether the order was said to be sure, whether it was foretold to change, and whether
    the interval of the difference covers. The pair is in the order of half of the rows, which
    stays where nothing is foretold. Equal losses with all rows make every order right.
    """
    lead = predicted_lead(first.ahead, second.ahead)
    true = first.true - second.true
    foretold = 1.0 if lead.leader == second.learner else -1.0
    alone = -1.0 if lead.reason else lead.difference
    right = [order * true > 0 or true == 0 for order in (-1.0, foretold, alone)]
    covers = lead.low <= true <= lead.high
    return true, (*right, lead.is_sure, foretold > 0, covers), not lead.reason


def report(store: Path, names: list[str], measure: str) -> None:
    """Print one line per data set, and the totals."""
    result = cases_of(store, names, measure)
    print(f"\n{measure}: 80 % intervals at all rows, from curves up to half of them")
    print(f"{'data set':14s} cases refused covered  top two at half, then half / foretold / true")
    tops, pairs, near = [], [], 0
    for name, cases in result.items():
        said = settled(cases)
        ranked = sorted(
            (item for item in cases if not np.isnan(item.true)), key=lambda item: item.half
        )
        true, marks, _ = pair_of(*ranked[:2])
        tops.append(marks)
        near += abs(true) < NEAR
        pairs += [pair_of(*two) for two in combinations(ranked, 2)]
        words = ["right" if ok else "wrong" for ok in marks[:2]]
        print(
            f"{name:14s} {len(cases):5d} {len(cases) - len(said):7d} "
            f"{sum(item.is_covered for item in said):4d}/{len(said):d}   "
            f"{ranked[0].learner}, {ranked[1].learner}: {words[0]} / {words[1]} / {true:+.4f}"
            f"{'' if marks[3] else ' (said to be open)'}"
        )
    totals(result)
    show_orders("top two", tops)
    print(f"  of them {near} with a difference below {NEAR} with all rows")
    show_orders("all pairs", [marks for true, marks, _ in pairs if true != 0])
    covers = [marks[5] for _, marks, has_interval in pairs if has_interval]
    print(f"  intervals of their differences cover {sum(covers)} of {len(covers)}")


def totals(found: dict[str, list[Case]]) -> None:
    """Print coverage with its uncertainty over data sets, refusals, and errors."""
    every = [item for cases in found.values() for item in cases]
    said = settled(every)
    by_set = np.array(
        [[sum(item.is_covered for item in settled(cases)), len(settled(cases))]
         for cases in found.values()]
    )  # fmt: skip
    rng = derive_rng(0, "sets")
    drawn = by_set[rng.integers(len(by_set), size=(10_000, len(by_set)))].sum(axis=1)
    low, high = np.quantile(drawn[:, 0] / drawn[:, 1], [0.025, 0.975])
    print(
        f"covered {by_set[:, 0].sum()} of {len(said)} on {len(found)} sets: "
        f"{by_set[:, 0].sum() / len(said):.1%} (95 % over sets: {low:.1%} to {high:.1%}); "
        f"refused {len(every) - len(said)} of {len(every)}"
    )
    for reason, count in Counter(item.ahead.reason for item in every if item.ahead.reason).items():
        print(f"  {count} refused: {reason}")
    of_refused = [abs(item.true - item.half) for item in every if item.ahead.is_refused]
    missed = np.array([abs(item.true - item.ahead.loss) for item in said])
    of_last = np.array([abs(item.true - item.half) for item in said])
    width = np.array([item.ahead.high - item.ahead.low for item in said])
    fell = np.array([item.half - item.true for item in said])
    print(
        f"  mean absolute error {missed.mean():.4f}, of the loss at half {of_last.mean():.4f}; "
        f"width of intervals: median {np.median(width):.4f}; fall from half to all: median "
        f"{np.median(fell):.4f}"
    )
    if of_refused:
        print(f"  refused: mean change from half to all {np.nanmean(of_refused):.4f}")
    by_learner = ", ".join(
        f"{name} {np.mean([item.is_covered for item in said if item.learner == name]):.0%}"
        for name in LEARNERS
        if any(item.learner == name for item in said)
    )
    print(f"  by learner: {by_learner}")


def show_orders(what: str, marks: list[tuple[bool, ...]]) -> None:
    """Print how often orders are right, from what `pair_of` marks."""
    half, foretold, alone, sure, changed, _ = np.array(marks, dtype=bool).T
    both = [(foretold & item).sum() for item in (changed, sure)]
    print(
        f"{what}: order right at half {half.sum()}, as foretold {foretold.sum()}, by the "
        f"predictions alone {alone.sum()}, of {len(marks)}; foretold to change {changed.sum()}, "
        f"rightly {both[0]}; sure {sure.sum()}, rightly {both[1]}"
    )


def calibrate(store: Path, names: list[str]) -> None:
    """Print by what the intervals must be multiplied to cover given shares of the cases."""
    for measure in MEASURES:
        result = cases_of(store, names, measure)
        needed = [item.needed for cases in result.values() for item in settled(cases)]
        shares = (0.7, 0.75, 0.8, 0.85, 0.9)
        shown = ", ".join(f"{share:.0%} {np.quantile(needed, share):.2f}" for share in shares)
        print(f"{measure}: factor of the present width at which so many cover: {shown}")


def main() -> None:
    """Train what is lacking, and report."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True, help="folder of NAME.arff[.gz]")
    parser.add_argument("--store", type=Path, required=True, help="table of the curves")
    parser.add_argument("--calibration", action="store_true", help="the other sets")
    parser.add_argument("--report-only", action="store_true", help="train nothing")
    options = parser.parse_args()
    names = CALIBRATION if options.calibration else REPORTED
    print(
        f"bestofk {bestofk.__version__}, numpy {np.__version__}, scipy {scipy.__version__}, "
        f"scikit-learn {sklearn.__version__}, Python {platform.python_version()}"
    )
    if not options.report_only:
        train(names, options.data, options.store)
    if options.calibration:
        calibrate(options.store, names)
    for measure in MEASURES:
        report(options.store, names, measure)


if __name__ == "__main__":
    main()
