"""Claims from one test set, held against the truth: probability of the pick, interval, regret.

Twelve light learners are trained on rows of Breiman's generators, which never run out of rows.
Each fitted sample is judged by ten test sets of every size; the truth is what the fitted models do
on all other of its 114,000 fresh rows.  The pick is the learner with the fewest errors, of three,
six and twelve.  Printed per number of test rows and learners: the stated and the true share of
picks within 1 point of the best, expected and true regret, how often the 90 % interval holds the
true error, and the reliability in bins.

    OMP_NUM_THREADS=1 python benchmarks/holdout_claim.py --work FOLDER [--samples 40]
        [--data OTHER] [--report-only]

Errors of the rows of every sample are kept in FOLDER, and the same line goes on from there. With
OTHER/uci/*.arff the sources are the real data sets of `ship_claim.py`, made endless, with 500 rows
that train and 30,000 fresh ones.
"""

from __future__ import annotations

import argparse
import itertools
import platform
import time
import warnings
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import sklearn
from ship_claim import CHOSEN, FRESH, Population
from sklearn.exceptions import ConvergenceWarning

import bestofk
from bestofk.data.generators import GENERATORS
from bestofk.inference.new_data import losses_on_test_rows
from bestofk.learners import resolve_learners
from bestofk.randomness import derive_seed

LEARNERS = ("nearest-mean", "naive-bayes", "lda", "logistic", "cart", "5nn",
            "qda", "1nn", "c45", "sklearn-cart", "hddt", "random-forest")  # fmt: skip
GROUPS = ((0, 2, 4), (1, 3, 5), range(6), range(12))
REAL = [name for name in CHOSEN + FRESH if name not in GENERATORS]
N_TRAIN = (200, 1000, 5000)
N_TEST = (100, 200, 300, 1000, 5000)
N_FRESH, N_FRESH_OF_DATA, N_SETS, WITHIN = 114_000, 30_000, 10, 0.01
Rows, Sample = tuple[Any, np.ndarray], tuple[str, int, int]


@lru_cache(maxsize=1)
def population_of(data: Path, source: str) -> Population:
    """Return a real data set made endless."""
    return Population(source, data)


@lru_cache(maxsize=1)
def rows_of_sample(data: Path | None, source: str, n_train: int, number: int) -> list[Rows]:
    """Return features and labels of the rows that train, and of fresh rows."""
    names = ("holdout claim", source, n_train, number)
    if data is not None:
        population = population_of(data, source)
        return [population.draw(n_train, 0, *names), population.draw(N_FRESH_OF_DATA, 1, *names)]
    sizes = (n_train, N_FRESH)
    drawn = [GENERATORS[source](size, derive_seed(i, *names)) for i, size in enumerate(sizes)]
    return [(part.features, part.y) for part in drawn]


def errors_of(asked: argparse.Namespace, sample: Sample, name: str) -> np.ndarray:
    """Return which fresh rows are wrong; the learner is trained where the folder lacks them."""
    file = file_of(asked, sample, name)
    if not file.exists():
        (features, labels), (fresh, true) = rows_of_sample(asked.data, *sample)
        model = resolve_learners([name], "classification")[0].estimator.fit(features, labels)
        np.save(asked.work / "part.npy", np.packbits(model.predict(fresh) != true))
        (asked.work / "part.npy").rename(file)
    return np.unpackbits(np.load(file), count=N_FRESH if asked.data is None else N_FRESH_OF_DATA)


def file_of(asked: argparse.Namespace, sample: Sample, name: str) -> Path:
    """Return where the errors of a learner are kept."""
    return asked.work / f"{'-'.join(map(str, (*sample, name)))}.npy"


def claims_of_sample(wrong: np.ndarray) -> list[dict[str, float]]:
    """Return stated and true values of the pick of every test set and group of learners."""
    total, n_fresh, rows = wrong.sum(axis=1, dtype=np.int64), wrong.shape[1], []
    for n_test, number in itertools.product(N_TEST, range(N_SETS)):
        if n_test * N_SETS > n_fresh:
            continue
        tested = wrong[:, number * n_test : (number + 1) * n_test].astype(float)
        truth = (total - tested.sum(axis=1)) / (n_fresh - n_test)
        for group in GROUPS:
            members = list(group)
            true = truth[members]
            expected = losses_on_test_rows(tested[members].T)
            pick = int(np.argmin(expected.means))
            low, high = expected.loss_interval(pick)
            rows.append(
                {
                    "n_test": n_test,
                    "n_learners": len(group),
                    "stated": expected.probability(WITHIN)[pick],
                    "true": float(true[pick] - true.min() <= WITHIN),
                    "stated regret": expected.expected_regret[pick],
                    "true regret": true[pick] - true.min(),
                    "below": float(true[pick] < low),
                    "above": float(true[pick] > high),
                    "width": high - low,
                }
            )
    return rows


def report(table: pd.DataFrame) -> None:
    """Print reliability per number of test rows, and in bins."""
    table["covered"] = 1 - table["below"] - table["above"]
    columns = ["stated", "true", "stated regret", "true regret", "covered", "below", "above",
               "width"]  # fmt: skip
    for keys in (["n_test"], ["n_test", "n_learners"], ["n_test", "n_train"], ["n_test", "source"]):
        grouped = table.groupby(keys)
        means = 100 * grouped[columns].mean()
        means["stated - true"] = means["stated"] - means["true"]
        # samples are drawn again as wholes: test sets of one sample share its models
        means["standard error"] = 100 * grouped.apply(gap_error, include_groups=False)
        print(means.round(2).assign(n=grouped.size()).to_string(), end="\n\n")
    table["bin"] = pd.cut(table["stated"], [0, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 1.0001], right=False)
    bins = table.groupby(["n_test", "bin"], observed=True)
    print((100 * bins[["stated", "true"]].mean()).round(1).assign(n=bins.size()).to_string())


def gap_error(part: pd.DataFrame) -> float:
    """Return the standard error of the mean gap, with samples as units."""
    gaps = (part["stated"] - part["true"]).groupby(part["sample"]).mean()
    return float(gaps.std() / np.sqrt(len(gaps)))


def main() -> None:
    """Make the samples that the folder lacks, and print what all of them say."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--work", type=Path, required=True)
    parser.add_argument("--data", type=Path)
    parser.add_argument("--samples", type=int, default=40)
    parser.add_argument("--report-only", action="store_true")
    asked = parser.parse_args()
    asked.work.mkdir(parents=True, exist_ok=True)
    warnings.simplefilter("ignore", ConvergenceWarning)
    print(f"bestofk {bestofk.__version__}, scikit-learn {sklearn.__version__}, numpy "
          f"{np.__version__}, Python {platform.python_version()}")  # fmt: skip
    start, rows = time.process_time(), []
    sizes, sources, names = N_TRAIN, list(GENERATORS), LEARNERS
    if asked.data is not None:  # small classes leave no full covariance
        sizes, sources = (500,), REAL
        names = ["c45-unpruned" if name == "qda" else name for name in LEARNERS]
    for number, n_train, source in itertools.product(range(asked.samples), sizes, sources):
        sample = (source, n_train, number)
        if asked.report_only and not file_of(asked, sample, names[-1]).exists():
            continue
        wrong = np.array([errors_of(asked, sample, name) for name in names])
        facts = {"source": source, "n_train": n_train, "sample": f"{source} {n_train} {number}"}
        rows += [row | facts for row in claims_of_sample(wrong)]
    print(f"{len(rows)} claims, {time.process_time() - start:.0f} s CPU\n")
    report(pd.DataFrame(rows))


if __name__ == "__main__":
    main()
