"""Does another seed say the same as often as the verdict claims.

Reliability tables of what a verdict says about other random seeds.
"""

from __future__ import annotations

import argparse
import os
import re
import sys
import time
import warnings
from pathlib import Path

import numpy as np
import pandas as pd
from joint_sides import make_form
from scipy.stats import rankdata
from sklearn import datasets
from threadpoolctl import threadpool_limits

from bestofk.data import from_arrays, load_data
from bestofk.design import make_plan
from bestofk.learners import resolve_learners
from bestofk.randomness import derive_rng, derive_seed

LEARNERS = [
    "nearest-mean", "naive-bayes", "kernel-naive-bayes", "lda", "qda", "logistic", "1nn", "5nn",
    "c45",
]  # fmt: skip
SIZES = (60, 100, 200, 400, 800)
SLOW, SLOW_ROWS = ("c45", "kernel-naive-bayes"), 60
N_SEEDS = 32
PLANS = {"50x3": (50, 3), "10x10": (10, 10), "5x2": (5, 2)}
BUILT_IN = ("iris", "wine", "breast_cancer", "digits")
GENERATED = ("twonorm", "threenorm", "ringnorm", "waveform")
N_CLOUDS = 24
WIDEST = 25  # columns, that the whole takes minutes and not hours
SAME = {"crx": "credit-a", "vote1": "vote", "horse-colic": "colic", "kr-vs-kp": "krkp",
        "flare": "solar-flare2", "weka-unbalanced": "unbalanced"}  # fmt: skip
_BLOCK_CELLS = 4_000_000


def sources(folder):
    """Return what loads each data set, by name; one of two files of a name."""
    found = {}
    for path in sorted((*folder.glob("arff/*.arff*"), *folder.glob("uci/*.arff*"))):
        found[path.name.split(".")[0]] = path
    found |= {name: name for name in BUILT_IN}
    found |= {f"{name}-drawn": f"{name}:800:{seed}" for seed, name in enumerate(GENERATED)}
    return found | {f"clouds-{number}": number for number in range(N_CLOUDS)}


def half_of(name):
    """Return the half of the data sets that a set belongs to, by its name."""
    return ("tuning", "test")[derive_seed(22, "half", family_of(name)) % 2]


def family_of(name):
    """Return the name that versions of the same data share."""
    stem = re.sub(r"(-(num|drawn|test|train|7400|40|1h|8h))+$", "", name)
    stem = re.sub(r"(?<=monks)-\d", "", stem)
    return SAME.get(stem, stem)


def load(source):
    """Return a data set."""
    if isinstance(source, int):
        rng = derive_rng("clouds", source)
        n_classes = int(rng.integers(2, 5))
        X, y = datasets.make_classification(
            800, int(rng.integers(6, 20)), n_informative=5, n_redundant=1, n_classes=n_classes,
            n_clusters_per_class=int(rng.integers(1, 4)), flip_y=float(rng.uniform(0, 0.3)),
            class_sep=float(rng.uniform(0.4, 2)), random_state=source,
        )  # fmt: skip
        return from_arrays(X, y)
    return load_data(source)


def sample(data, n_rows, name):
    """Return some rows of a data set, drawn by its name."""
    rows = np.sort(derive_rng("rows", name, n_rows).permutation(data.n_samples)[:n_rows])
    return from_arrays(data.feature_rows(rows), data.target_rows(rows))


def losses_of(data, learner, plan):
    """Return error and 1 - AUROC on every split, or None where it cannot be done at once."""
    form = make_form(learner.estimator, data, plan.n_folds)
    if form is None:
        return None
    order, starts = plan.rows_by_fold
    block = max(1, _BLOCK_CELLS // (data.n_samples * max(len(data.classes), 1)))
    error = np.empty((plan.n_repeats, plan.n_folds))
    area = np.full_like(error, np.nan)
    states = np.zeros((block, plan.n_folds), dtype=np.int64) if form.is_random else None
    for start in range(0, plan.n_repeats, block):
        folds = plan.folds[start : start + block]
        found = form.predict(folds, None if states is None else states[: len(folds)])
        if found.is_done is not None and not found.is_done.all():
            return None
        wrong = found.labels != data.y
        for fold in range(plan.n_folds):
            part = folds == fold
            error[start : start + len(folds), fold] = (wrong & part).sum(axis=1) / part.sum(axis=1)
        if len(data.classes) != 2 or (found.probabilities is None and found.decision is None):
            continue
        scores = found.decision if found.probabilities is None else found.probabilities[..., 1]
        sizes = np.diff(starts[start : start + len(folds)], axis=1)
        for size in np.unique(sizes):
            repeat, fold = np.nonzero(sizes == size)
            first = starts[start + repeat, fold]
            rows = order[start + repeat[:, None], first[:, None] + np.arange(size)]
            area[start + repeat, fold] = areas(scores[repeat[:, None], rows], data.y[rows])
    return np.stack([error, 1 - area])


def areas(scores, y):
    """Return the area under the ROC curve of every row of scores."""
    ranks, positive = rankdata(scores, axis=1), y == 1
    n_positive = positive.sum(axis=1)
    n_negative = y.shape[1] - n_positive
    with np.errstate(invalid="ignore", divide="ignore"):
        smaller = (ranks * positive).sum(axis=1) - n_positive * (n_positive + 1) / 2
        return smaller / (n_positive * n_negative)


def collect(name, n_rows, source, kept):
    """Train all learners on the splits of all seeds, and keep their losses."""
    data = sample(load(source), n_rows, name)
    arrays = {}
    for cv, (n_repeats, n_folds) in PLANS.items():
        plan = make_plan(data, f"{N_SEEDS * n_repeats}x{n_folds}", random_state=1)
        for learner in resolve_learners(LEARNERS, data.task):
            if learner.name in SLOW and n_rows > SLOW_ROWS:
                continue
            try:
                found = losses_of(data, learner, plan)
            except Exception as error:
                sys.stderr.write(f"{name} {n_rows} {learner.name}: {error!r}\n")
                continue
            if found is not None:
                arrays[f"{cv} {learner.name}"] = found.astype(np.float32)
    np.savez_compressed(kept, **arrays)


def width(data):
    """Return how many columns a data set has once levels have columns of their own."""
    frame = pd.DataFrame(data.features)
    return sum(
        1 if pd.api.types.is_numeric_dtype(column) else column.nunique()
        for _, column in frame.items()
    )


def settings(folder):
    """Return data sets and numbers of rows in an order drawn by their names."""
    found = []
    for name, source in sources(folder).items():
        try:
            data = load(source)
            n_samples = data.n_samples
        except Exception as error:
            sys.stderr.write(f"{name}: {error!r}\n")
            continue
        if width(data) > WIDEST:
            continue
        sizes = [size for size in SIZES if size <= n_samples]
        found += [(name, size, source) for size in sizes]
    return sorted(found, key=lambda one: derive_seed(22, one[0], one[1]))


def main():
    """Run and print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data", type=Path, default=os.environ.get("BESTOFK_DATA"))
    parser.add_argument("--work", type=Path, default=Path("seed_reliability"))
    options = parser.parse_args()
    options.work.mkdir(parents=True, exist_ok=True)
    warnings.simplefilter("ignore")
    with threadpool_limits(1):
        for name, n_rows, source in settings(options.data):
            kept = options.work / f"{name}@{n_rows}.npz"
            if kept.exists():
                continue
            start = time.process_time()
            try:
                collect(name, n_rows, source, kept)
            except Exception as error:
                sys.stderr.write(f"{name} {n_rows}: {error!r}\n")
                continue
            sys.stderr.write(f"{name} {n_rows}: {time.process_time() - start:.1f} s\n")


if __name__ == "__main__":
    main()
