"""Time and memory of the trees, compared with scikit-learn.

Both sides in turn in one process on one thread, same data, same stopping: CPU seconds of a
whole `fit` (input checks, sorting, growing) or `predict`, medians over the rounds, and the
median of the ratios of a round. Normal columns, five of them informative, 10 % of the labels
flipped; the nominal table has 30 columns of 2 to 30 levels, the mixed one 13 of 2 to 10 next to
7 normal columns, and its peer is a pipeline with an encoder.

First fits are those of fresh processes, which have imported both packages: each side has its own.

J48 has been timed elsewhere, beside scikit-learn on the same machine: its seconds are scaled
by what scikit-learn takes here and now.

    OMP_NUM_THREADS=1 python benchmarks/trees.py [--rounds 5] [--only growth folds ...]
"""

from __future__ import annotations

import argparse
import platform
import resource
import statistics
import subprocess
import sys
import time
from functools import partial

import numpy as np
import pandas as pd
import sklearn
from sklearn.compose import make_column_transformer
from sklearn.ensemble import (
    ExtraTreesClassifier,
    ExtraTreesRegressor,
    RandomForestClassifier,
    RandomForestRegressor,
)
from sklearn.model_selection import KFold
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, OrdinalEncoder
from sklearn.tree import DecisionTreeClassifier

import bestofk
from bestofk.trees import (
    C45Classifier,
    CARTClassifier,
    ForestClassifier,
    ForestRegressor,
    ID3Classifier,
)
from bestofk.trees.forest import fit_batched

SIZES = [(1_000, 10), (10_000, 10), (10_000, 50), (100_000, 10), (1_000_000, 10)]
# Rows, and the least ratio of fits.
GROWTH = {100: 1, 300: 1.3, 1_000: 2, 10_000: 4, 100_000: 7, 1_000_000: 8}
# CPU seconds of J48 with default options (3.6.14), and of scikit-learn beside it.
J48_SECONDS = {
    (1_000, 10): (0.0190, 0.0117),
    (10_000, 10): (0.260, 0.164),
    (10_000, 50): (1.47, 0.787),
}


def numeric_table(n_rows, n_columns, seed=0):
    """Return normal columns, and two classes with 10 % of the labels flipped."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n_rows, n_columns))
    y = (X[:, :5].sum(axis=1) + X[:, 0] * X[:, 1] > 0).astype(int)
    flipped = rng.random(n_rows) < 0.1
    y[flipped] = 1 - y[flipped]
    return X, y


def nominal_table(n_rows, n_columns=30, seed=0):
    """Return categories as a frame and as codes, and two classes with 10 % flipped."""
    rng = np.random.default_rng(seed)
    levels = np.linspace(2, 30, n_columns).astype(int)
    codes = np.column_stack([rng.integers(0, v, n_rows) for v in levels])
    worth = [rng.normal(size=v) for v in levels]
    score = sum(worth[a][codes[:, a]] for a in range(n_columns // 3))
    y = (score > np.median(score)).astype(int)
    flipped = rng.random(n_rows) < 0.1
    y[flipped] = 1 - y[flipped]
    frame = pd.DataFrame(
        {
            f"x{a}": pd.Categorical.from_codes(codes[:, a], [f"v{v}" for v in range(levels[a])])
            for a in range(n_columns)
        }
    )
    return frame, codes.astype(np.float64), y


def cpu_seconds(call):
    """Return the CPU seconds of a call, and what it returns."""
    start = time.process_time()
    result = call()
    return time.process_time() - start, result


def in_turn(ours, theirs, rounds):
    """Return median seconds of both calls and the median ratio of a round, theirs to ours."""
    spent = []
    for _ in range(rounds):
        there = [cpu_seconds(ours)[0], cpu_seconds(theirs)[0]]
        back = [cpu_seconds(theirs)[0], cpu_seconds(ours)[0]]
        spent.append((there[0] + back[1], there[1] + back[0]))
    ratio = statistics.median(b / a for a, b in spent)
    ours, theirs = (statistics.median(pair[side] / 2 for pair in spent) for side in (0, 1))
    return ours, theirs, ratio


def show(name, ours, theirs, ratio, bar):
    """Print a line of the table."""
    print(f"{name:44s} {ours:9.4f} {theirs:9.4f} {ratio:7.2f}   {bar}", flush=True)


def rounds_for(n_cells, rounds):
    """Return fewer rounds for the largest tables."""
    return 1 if n_cells >= 10_000_000 else min(rounds, 3) if n_cells >= 1_000_000 else rounds


def entropy_trees():
    """Return our learner and scikit-learn's: full entropy trees, two rows a leaf."""
    ours = CARTClassifier(criterion="entropy", pruning=None, min_samples_leaf=2)
    return ours, DecisionTreeClassifier(criterion="entropy", min_samples_leaf=2, random_state=0)


def growth(rounds):
    """Compare full entropy trees on numeric columns: fits, and predictions of their rows."""
    seconds = {}
    for n, bar in GROWTH.items():
        X, y = numeric_table(n, 10)
        ours, theirs = entropy_trees()
        n_rounds = rounds_for(n * 10, 20 * rounds if n <= 1_000 else rounds)
        a, b, ratio = in_turn(partial(ours.fit, X, y), partial(theirs.fit, X, y), n_rounds)
        sizes = f"[{ours.tree_.n_nodes}, {theirs.tree_.node_count} nodes]"
        show(f"fit {n} x 10 {sizes}", a, b, ratio, f"at least {bar}")
        seconds[n] = a
        a, b, ratio = in_turn(partial(ours.predict, X), partial(theirs.predict, X), n_rounds)
        show(f"predict {n} x 10", a, b, ratio, "at least 1")
    more = seconds[1_000_000] / seconds[100_000]
    print(f"ten times the rows (1e5 to 1e6, 10 columns): {more:.1f} times the time   at most 14")


FIRST_FIT = """
import sys
sys.path.insert(0, "benchmarks")
from trees import cpu_seconds, entropy_trees, numeric_table
X, y = numeric_table(int(sys.argv[2]), 10)
learner = entropy_trees()[int(sys.argv[1])]
print(cpu_seconds(lambda: learner.fit(X, y))[0])
"""


def first(rounds):
    """Compare the first fit of fresh processes."""
    for n, bar in GROWTH.items():
        spent = [[], []]
        for _ in range(rounds_for(n * 10, rounds)):
            for side in (0, 1):
                run = subprocess.run(
                    [sys.executable, "-c", FIRST_FIT, str(side), str(n)],
                    capture_output=True,
                    text=True,
                    check=True,
                )
                spent[side].append(float(run.stdout))
        ratio = statistics.median(b / a for a, b in zip(*spent, strict=True))
        a, b = map(statistics.median, spent)
        show(f"first fit of a process, {n} x 10", a, b, ratio, f"at least {bar}")


def mixed(rounds):
    """Compare trees of 13 nominal and 7 numeric columns with pipelines that encode them."""
    rng, n, levels = np.random.default_rng(0), 1_000, [2, 3, 4, 5, 5, 10, 4, 3, 4, 2, 3, 4, 2]
    X = pd.DataFrame(rng.normal(size=(n, 7)).round(2)).add_prefix("n")
    score = X["n0"] + X["n1"]
    for a, v in enumerate(levels):
        codes = rng.integers(0, v, n)
        X[f"c{a}"] = np.array([f"v{code}" for code in codes], dtype=object)
        score += 0.6 * rng.normal(size=v)[codes]
    y = np.where(rng.random(n) < 0.15, rng.integers(0, 2, n), (score > score.median()).astype(int))
    nominal_columns = [name for name in X if name.startswith("c")]
    as_categories = X.astype(dict.fromkeys(nominal_columns, "category"))
    for kind, table in (("texts", X), ("categories", as_categories)):
        for encoder in (OneHotEncoder(handle_unknown="ignore"), OrdinalEncoder()):
            ours, theirs = entropy_trees()
            encoding = make_column_transformer((encoder, nominal_columns), remainder="passthrough")
            theirs = make_pipeline(encoding, theirs)
            a, b, ratio = in_turn(
                partial(ours.fit, table, y), partial(theirs.fit, table, y), rounds
            )
            name = f"13 nominal columns, {kind}, {type(encoder).__name__}"
            show(name, a, b, ratio, "at least 1.5")


def folds(rounds):
    """Compare ten folds grown in a batch with scikit-learn fitting each fold; both predict."""
    for n, d in SIZES[:-1]:
        X, y = numeric_table(n, d)
        splits = list(KFold(10, shuffle=True, random_state=0).split(X))
        learner = CARTClassifier(criterion="entropy", pruning=None)

        def ours(learner=learner, X=X, y=y, splits=splits):
            fitted = fit_batched(learner, X, y, [train for train, _ in splits])
            return [tree.predict(X[test]) for tree, (_, test) in zip(fitted, splits, strict=True)]

        def theirs(X=X, y=y, splits=splits):
            results = []
            for train, test in splits:
                tree = DecisionTreeClassifier(criterion="entropy", random_state=0)
                results.append(tree.fit(X[train], y[train]).predict(X[test]))
            return results

        a, b, ratio = in_turn(ours, theirs, rounds_for(10 * n * d, rounds))
        show(f"ten folds {n} x {d}", a, b, ratio, "at least 6")


def nominal(rounds):
    """Compare C4.5, and a full multiway tree, with scikit-learn's tree on ordinal codes."""
    frame, codes, y = nominal_table(500)
    theirs = DecisionTreeClassifier(criterion="entropy", min_samples_leaf=2, random_state=0)
    sides = partial(C45Classifier().fit, frame, y), partial(theirs.fit, codes, y)
    show("C4.5 500 x 30 nominal", *in_turn(*sides, 10 * rounds), "")
    for n in (10_000, 100_000):
        frame, codes, y = nominal_table(n)
        ours = ID3Classifier()
        theirs = DecisionTreeClassifier(criterion="entropy", random_state=0)
        a, b, ratio = in_turn(
            partial(ours.fit, frame, y), partial(theirs.fit, codes, y), rounds_for(n * 30, rounds)
        )
        sizes = f"[{ours.tree_.n_nodes}, {theirs.tree_.node_count} nodes]"
        show(f"multiway tree {n} x 30 {sizes}", a, b, ratio, "at least 3" if n == 100_000 else "")


def c45(rounds):
    """Compare C4.5 by default with J48, whose seconds are scaled to this machine."""
    for (n, d), (j48, beside) in J48_SECONDS.items():
        X, y = numeric_table(n, d)
        ours = C45Classifier()
        theirs = DecisionTreeClassifier(criterion="entropy", min_samples_leaf=2, random_state=0)
        a, b, ratio = in_turn(partial(ours.fit, X, y), partial(theirs.fit, X, y), rounds)
        scale = j48 / beside
        show(f"C4.5 {n} x {d}, J48 scaled", a, b * scale, ratio * scale, "at least 5 at 10000 rows")
    X, y = numeric_table(100_000, 10)
    seconds, fitted = cpu_seconds(partial(C45Classifier().fit, X, y))
    print(f"C4.5 100000 x 10: {seconds:.2f} CPU seconds, {fitted.tree_.n_nodes} nodes   below 10")


def prediction(rounds):
    """Compare predictions for as many new rows as the tree has grown on, 100,000 at most."""
    for n in (100, 300, 1_000, 3_000, 10_000, 100_000, 1_000_000):
        for d in (5, 20):
            X, y = numeric_table(min(n, 100_000), d)
            new, _ = numeric_table(n, d, seed=1)
            ours = CARTClassifier(criterion="entropy", min_samples_leaf=2, pruning=None).fit(X, y)
            theirs = DecisionTreeClassifier(
                criterion="entropy", min_samples_leaf=2, random_state=0
            ).fit(X, y)
            for way in ("predict", "predict_proba"):
                calls = [repeated(getattr(tree, way), new) for tree in (ours, theirs)]
                show(f"{way} {n} x {d}", *in_turn(*calls, rounds_for(n * d, rounds)), "at least 1")


def repeated(predict, X):
    """Return a call that predicts small tables often enough to be timed."""
    return lambda: [predict(X) for _ in range(max(10_000 // len(X), 1))]


def forest_pairs(n):
    """Return a table of n rows and 20 columns, and pairs of forests with what they predict."""
    X, y = numeric_table(n, 20)
    target = X[:, :5].sum(axis=1) + np.random.default_rng(1).normal(size=n)
    extra = {"cuts": "random", "bootstrap": False, "random_state": 0}
    return X, [
        (ForestClassifier(random_state=0), RandomForestClassifier(random_state=0), y),
        (ForestRegressor(random_state=0), RandomForestRegressor(random_state=0), target),
        (ForestClassifier(**extra), ExtraTreesClassifier(random_state=0), y),
        (ForestRegressor(**extra), ExtraTreesRegressor(random_state=0), target),
    ]


def fit_and_predict(forest, X, y):
    """Fit a forest, and predict its training rows."""
    return forest.fit(X, y).predict(X)


FIRST_FOREST = """
import sys
sys.path.insert(0, "benchmarks")
from trees import cpu_seconds, fit_and_predict, forest_pairs
X, pairs = forest_pairs(int(sys.argv[1]))
pair = pairs[int(sys.argv[2])]
print(cpu_seconds(lambda: fit_and_predict(pair[int(sys.argv[3])], X, pair[2]))[0])
"""


def forests(rounds):
    """Compare forests of 100 trees, 20 columns: fit, and prediction of as many rows."""
    for n, bar in {150: 8, 1_000: 4, 10_000: 2, 100_000: 1.5}.items():
        X, pairs = forest_pairs(n)
        for index, (ours, theirs, y) in enumerate(pairs):
            name = f"{type(theirs).__name__} {n} x 20"
            calls = [partial(fit_and_predict, forest, X, y) for forest in (ours, theirs)]
            n_rounds = 1 if n == 100_000 and index else rounds_for(20 * n, rounds)
            show(name, *in_turn(*calls, n_rounds), f"at least {bar}")
            if n > 1_000:
                continue
            spent = [[], []]
            for side in (0, 1) * rounds:
                command = [sys.executable, "-c", FIRST_FOREST, str(n), str(index), str(side)]
                run = subprocess.run(command, capture_output=True, text=True, check=True)
                spent[side].append(float(run.stdout))
            a, b = map(statistics.median, spent)
            show(f"{name}, first of a process", a, b, b / a, f"at least {bar}")
    for forest in ("bestofk.trees.ForestClassifier", "sklearn.ensemble.RandomForestClassifier"):
        run = subprocess.run(
            [sys.executable, "-c", FOREST_MEMORY, *forest.rsplit(".", 1)],
            capture_output=True,
            text=True,
            check=True,
        )
        print(f"{forest} 20000 x 20: {float(run.stdout):.0f} MB at most besides the input")


FOREST_MEMORY = """
import importlib, resource, sys
sys.path.insert(0, "benchmarks")
from trees import numeric_table
make = getattr(importlib.import_module(sys.argv[1]), sys.argv[2])
make(n_estimators=2).fit(*numeric_table(1000, 20))
X, y = numeric_table(20_000, 20)
before = int(open("/proc/self/statm").read().split()[1]) * resource.getpagesize()
open("/proc/self/clear_refs", "w").write("5")
make(random_state=0).fit(X, y)
peak = [line for line in open("/proc/self/status") if line.startswith("VmHWM")][0]
print((int(peak.split()[1]) * 1024 - before) / 1e6)
"""
MEMORY = """
import resource, sys
sys.path.insert(0, "benchmarks")
from trees import numeric_table, CARTClassifier
n, d = int(sys.argv[1]), int(sys.argv[2])
X, y = numeric_table(1000, d)
CARTClassifier(criterion="entropy", pruning=None).fit(X, y)
X, y = numeric_table(n, d)
before = int(open("/proc/self/statm").read().split()[1]) * resource.getpagesize()
open("/proc/self/clear_refs", "w").write("5")
CARTClassifier(criterion="entropy", pruning=None).fit(X, y)
peak = [line for line in open("/proc/self/status") if line.startswith("VmHWM")][0]
print((int(peak.split()[1]) * 1024 - before) / (n * d))
"""


def memory(rounds):
    """Measure the peak of resident memory while a tree grows, less what was there before."""
    for n, d in ((1_000_000, 10), (200_000, 50)):
        run = subprocess.run(
            [sys.executable, "-c", MEMORY, str(n), str(d)],
            capture_output=True,
            text=True,
            check=True,
        )
        print(
            f"peak memory {n} x {d}: {float(run.stdout):.1f} bytes a cell besides the input"
            "   at most 12"
        )


PARTS = {
    "growth": growth,
    "first": first,
    "mixed": mixed,
    "folds": folds,
    "nominal": nominal,
    "c45": c45,
    "prediction": prediction,
    "memory": memory,
    "forests": forests,
}


def main():
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--only", nargs="+", choices=PARTS, default=list(PARTS))
    options = parser.parse_args()
    X, y = numeric_table(100, 5)
    frame, _, target = nominal_table(100)
    C45Classifier().fit(X, y)
    CARTClassifier(pruning=None, criterion="entropy").fit(X, y)
    ID3Classifier().fit(frame, target)
    DecisionTreeClassifier().fit(X, y).predict(X)
    print(f"bestofk {bestofk.__version__}, scikit-learn {sklearn.__version__}, "
          f"numpy {np.__version__}, "
          f"python {platform.python_version()}, {platform.machine()}")  # fmt: skip
    print(f"{'':44s} {'ours':>9s} {'theirs':>9s} {'ratio':>7s}   bar")
    for name in options.only:
        PARTS[name](options.rounds)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6
    print(f"peak of this process {peak:.1f} GB")


if __name__ == "__main__":
    main()
