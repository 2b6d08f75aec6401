"""Whether the forests of this package predict as well as those of scikit-learn.

On each data set three forests are trained on the same parts of the same encoded table, 100 trees
each: scikit-learn's with a seed, scikit-learn's with another seed, and ours. The table shows the
difference to the first, by the errors in 100 rows or by R2: of ours, and of the other seed. The
last lines have the mean difference over the data sets with its 90 % interval, and how many data
sets are more than three standard errors apart.

Classes are those of the files; numbers are the last numeric column of a file with many values,
predicted from all other columns and the class, and the made tables of Friedman.

    OMP_NUM_THREADS=1 python benchmarks/forest_equivalence.py FOLDER [--repeats 10] [--folds 10]
        [--most-rows 4000] [--extra] [--only iris wine ...]

FOLDER has the files, as NAME.arff or NAME.arff.gz, in the folders uci and arff.
"""

from __future__ import annotations

import argparse
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


def forests(is_class, extra):
    """Return scikit-learn's forest with a seed and with another, and ours."""
    theirs = [
        [RandomForestRegressor, RandomForestClassifier],
        [ExtraTreesRegressor, ExtraTreesClassifier],
    ][extra][is_class]
    ours = ForestClassifier if is_class else ForestRegressor
    settings = {"cuts": "random", "bootstrap": False} if extra else {}
    return [
        lambda seed: theirs(random_state=seed),
        lambda seed: theirs(random_state=100_000 + seed),
        lambda seed: ours(random_state=seed, **settings),
    ]


def scores_of(X, y, is_class, repeat, options):
    """Return the scores of the three forests on the folds of a repeat, shape (n_folds, 3)."""
    kind = StratifiedKFold if is_class else KFold
    result = []
    folds = kind(options.folds, shuffle=True, random_state=repeat).split(X, y)
    for fold, (train, test) in enumerate(folds):
        made = [make(100 * repeat + fold) for make in forests(is_class, options.extra)]
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
        print(f"{unit:36s} {'first':>8s} {'ours':>8s} {'SE':>7s} {'seed':>8s} {'SE':>7s}")
        means, errors = [], []
        for name in chosen:
            all_scores = np.array(scores[name])
            differences = all_scores[:, [2, 1]] - all_scores[:, :1]
            means.append(differences.mean(axis=0))
            errors.append(differences.std(axis=0, ddof=1) / np.sqrt(len(differences)))
            line = zip(means[-1], errors[-1], strict=True)
            shown = " ".join(f"{mean:+8.3f} {error:7.3f}" for mean, error in line)
            print(f"{name:36s} {all_scores[:, 0].mean():8.3f} {shown}")
        means, errors = np.array(means), np.array(errors)
        beyond = (np.abs(means) > 3 * errors + 1e-12).sum(axis=0)
        half = stats.t.ppf(0.95, len(means) - 1) * stats.sem(means, axis=0)
        for side, title in enumerate(("ours", "another seed of scikit-learn's")):
            low, high = means[:, side].mean() + half[side] * np.array([-1, 1])
            print(
                f"{title}, {len(means)} data sets, {len(all_scores)} splits: mean difference "
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
    options = parser.parse_args()
    names = [f"class:{name}" for name in CLASSES]
    names += [f"number:{name}" for name in NUMBERS + MADE]
    if options.only:
        names = [name for name in names if name.split(":")[1] in options.only]
    tables = {name: table(name, options.folder, options.most_rows) for name in names}
    scores = {name: [] for name in names}
    for repeat in range(options.repeats):
        for name in names:
            scores[name] += scores_of(*tables[name], repeat, options)
        print(f"after {repeat + 1} repeats of {options.folds} folds")
        report(names, scores)


if __name__ == "__main__":
    main()
