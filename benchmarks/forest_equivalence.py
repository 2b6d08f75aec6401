"""Whether the forests of this package predict as well as those of scikit-learn.

On each data set five forests are trained on the same parts of the same encoded table, 100 trees
each: scikit-learn's with two seeds, and ours with three. The table shows differences in errors in
100 rows, or in R2: of our seeds to both of scikit-learn's, of our first to its first, and of its
second to its first. The last lines have the mean of each over the data sets with its 90 % interval,
and how many data sets are more than three standard errors apart.

Classes are those of the files; numbers are the last numeric column of a file with many values,
predicted from all other columns and the class, and the made tables of Friedman.

    OMP_NUM_THREADS=1 python benchmarks/forest_equivalence.py FOLDER [--repeats 10] [--folds 10]
        [--most-rows 4000] [--extra] [--only iris wine ...] [--work FILE]

FOLDER has the files, as NAME.arff or NAME.arff.gz, in the folders uci and arff. With a work file,
repeats that it holds are not run again.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path

import numpy as np
from scipy import stats
from sklearn import datasets
from sklearn.ensemble import (
    ExtraTreesClassifier,
    ExtraTreesRegressor,
    RandomForestClassifier,
    RandomForestRegressor,
)
from sklearn.metrics import r2_score
from sklearn.model_selection import KFold, StratifiedKFold

from bestofk.data import load_data
from bestofk.learners import TablePreparer
from bestofk.trees import ForestClassifier, ForestRegressor

CLASSES = [
    "balance", "balance-num", "breast-cancer", "breast-w", "bupa", "car", "cmc", "credit-a",
    "cylinder-bands", "dermatology", "ecoli", "flare", "glass", "haberman", "heart-c",
    "heart-h", "heart-statlog", "hepatitis", "horse-colic", "ionosphere", "iris", "krkp",
    "lymph", "monks-2", "pima", "promoters", "ringnorm", "segment", "sonar", "splice",
    "threenorm", "tic-tac-toe", "twonorm", "vote", "vowel", "wine", "yeast", "zoo", "anneal",
    "autos", "column3C", "credit-g", "primary-tumor", "solar-flare2", "vehicle",
]  # fmt: skip
NUMBERS = [
    "autos", "bupa", "column3C", "ecoli", "glass", "heart-statlog", "pima", "segment",
    "vehicle", "wine", "yeast",
]  # fmt: skip
SIDES = ["all seeds", "first seeds", "two theirs"]
MADE = ["diabetes", "friedman1", "friedman2", "friedman3"]


def table(name, folder, most_rows):
    """Return numbers, a target, and whether it is a class."""
    kind, name = name.split(":")
    if name == "diabetes":
        X, y = datasets.load_diabetes(return_X_y=True)
        return X, y, False
    if name in MADE:
        X, y = getattr(datasets, f"make_{name}")(500, noise=1.0, random_state=0)
        return X, y, False
    path = next(path for path in folder.glob(f"*/{name}.arff*"))
    data = load_data(path)
    X, y = data.features, np.asarray(data.target)
    keep = np.sort(np.random.default_rng(0).permutation(len(y))[:most_rows])
    X, y = X.iloc[keep], y[keep]
    if kind == "number":
        varied = [c for c in X if X[c].dtype.kind in "fi" and X[c].nunique() >= 20]
        rows = X[varied[-1]].notna().to_numpy()
        target = X.loc[rows, varied[-1]].to_numpy(dtype=float)
        X = X.drop(columns=varied[-1]).assign(its_class=y.astype(str)).loc[rows]
        y = target
    X = X.reset_index(drop=True)
    return np.asarray(TablePreparer().fit(X).transform(X), float), y, kind == "class"


def forests(is_class, extra, seed):
    """Return scikit-learn's forest with two seeds, and ours with three."""
    theirs = [
        [RandomForestRegressor, RandomForestClassifier],
        [ExtraTreesRegressor, ExtraTreesClassifier],
    ][extra][is_class]
    ours = ForestClassifier if is_class else ForestRegressor
    settings = {"cuts": "random", "bootstrap": False} if extra else {}
    return [theirs(random_state=100_000 * i + seed) for i in range(2)] + [
        ours(random_state=100_000 * i + seed, **settings) for i in range(3)
    ]


def scores_of(X, y, is_class, repeat, options):
    """Return the scores of the five forests on the folds of a repeat, shape (n_folds, 5)."""
    kind = StratifiedKFold if is_class else KFold
    result = []
    folds = kind(options.folds, shuffle=True, random_state=repeat).split(X, y)
    for fold, (train, test) in enumerate(folds):
        made = forests(is_class, options.extra, 100 * repeat + fold)
        answers = [forest.fit(X[train], y[train]).predict(X[test]) for forest in made]
        if is_class:
            result.append([100 * np.mean(answer != y[test]) for answer in answers])
        else:
            result.append([r2_score(y[test], answer) for answer in answers])
    return result


def report(names, scores):
    """Print the differences of each data set, and their means with intervals."""
    for kind, unit, bar in (("class", "errors in 100 rows", 0.1), ("number", "R2", 0.002)):
        chosen = [name for name in names if name.startswith(kind) and scores[name]]
        if len(chosen) < 2:
            continue
        print(f"{unit:24s} {'theirs':>8s}" + "".join(f" {side:>11s} {'SE':>6s}" for side in SIDES))
        means, errors = [], []
        for name in chosen:
            theirs, ours = np.split(np.array(scores[name]), [2], axis=1)
            differences = np.column_stack(
                [
                    ours.mean(axis=1) - theirs.mean(axis=1),
                    ours[:, 0] - theirs[:, 0],
                    theirs[:, 1] - theirs[:, 0],
                ]
            )
            means.append(differences.mean(axis=0))
            errors.append(differences.std(axis=0, ddof=1) / np.sqrt(len(differences)))
            line = zip(means[-1], errors[-1], strict=True)
            shown = "".join(f" {mean:+11.4f} {error:6.4f}" for mean, error in line)
            print(f"{name:24s} {theirs.mean():8.3f}{shown}")
        means, errors = np.array(means), np.array(errors)
        beyond = (np.abs(means) > 3 * errors + 1e-12).sum(axis=0)
        half = stats.t.ppf(0.95, len(means) - 1) * stats.sem(means, axis=0)
        for side, title in enumerate(SIDES):
            low, high = means[:, side].mean() + half[side] * np.array([-1, 1])
            print(
                f"{title}, {len(means)} data sets, {len(theirs)} splits: mean difference "
                f"{means[:, side].mean():+.4f}, 90 % interval {low:+.4f} to {high:+.4f} "
                f"(bar {bar}), {beyond[side]} beyond 3 standard errors"
            )
    print(flush=True)


def main():
    """Measure and print after every repeat."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--repeats", type=int, default=10)
    parser.add_argument("--folds", type=int, default=10)
    parser.add_argument("--most-rows", type=int, default=4000)
    parser.add_argument("--extra", action="store_true", help="extremely randomized trees")
    parser.add_argument("--only", nargs="+")
    parser.add_argument("--work", type=Path, help="a file of scores, read and added to")
    options = parser.parse_args()
    names = [f"class:{name}" for name in CLASSES]
    names += [f"number:{name}" for name in NUMBERS + MADE]
    if options.only:
        names = [name for name in names if {name, name.split(":")[1]} & set(options.only)]
    tables = {name: table(name, options.folder, options.most_rows) for name in names}
    done = {}
    if options.work and options.work.exists():
        lines = map(json.loads, options.work.read_text().splitlines())
        done = {(name, repeat): values for name, repeat, values in lines}
    scores = {name: [] for name in names}
    for repeat in range(options.repeats):
        for name in names:
            values = done.get((name, repeat)) or scores_of(*tables[name], repeat, options)
            scores[name] += values
            if options.work and (name, repeat) not in done:
                with options.work.open("a") as work:
                    print(json.dumps([name, repeat, values]), file=work)
        print(f"after {repeat + 1} repeats of {options.folds} folds")
        report(names, scores)


if __name__ == "__main__":
    main()
