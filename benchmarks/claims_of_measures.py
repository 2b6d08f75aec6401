"""Reliability of claims about new data by every kind of measure, and under plans of few splits.

Samples of 100, 300 and 1,000 rows are drawn from populations: generators, real tables of many rows
(the rows left over are the truth), and small real tables made endless. On each sample 12 learners
are trained once by 5 repeats of 5-fold cross-validation, once by 10-fold and once by 5 repeats of
2-fold cross-validation, and once on the whole sample. For the first 3, the first 6 and all of them
(9 where there are 10 splits) the lowest mean loss is the pick, and the claim about it is computed
from the losses of the splits. The truth are the losses of all learners on 20,000 other rows (all
that there are, if fewer).

Populations of CHOSEN were looked at while the method was made, those of FRESH were not. Measures:
squared and absolute error, the root of the squared error and R squared (from the same squared
errors); error rate, log loss, Brier score and AUROC.

    OMP_NUM_THREADS=1 python benchmarks/claims_of_measures.py --data FOLDER --work FILE.jsonl
        [--task regression] [--half fresh] [--samples 20] [--sizes 100 300] [--plans 5x5]
        [--report-only]

FOLDER holds uci/*.arff, and in raw/ the public tables that `real_table` names: eight of the UCI
regression sets as text files (kin8nm, power-plant, concrete, wine-quality-red, energy,
bostonHousing, protein-tertiary-structure, naval-propulsion-plant), housing.csv (California),
kc_house.csv, diamonds.csv, taxis.csv, hour.csv (bike sharing), bank.csv, magic.csv. What is done
is kept in FILE.jsonl, and the same line goes on from there.

With `--plans test:0.3` and another FILE the learners are trained once, on all but the last 30% of
the rows, which are the one test set.  The truth are then the losses of these models.
"""

from __future__ import annotations

import argparse
import functools
import json
import sys
import time
import warnings
from pathlib import Path

import numpy as np
import pandas as pd
from scipy.special import stdtrit
from scipy.stats import rankdata
from sklearn import datasets as built_in
from sklearn.neighbors import NearestNeighbors
from threadpoolctl import threadpool_limits

from bestofk.data import from_arrays, generators, load_data
from bestofk.evaluation import EvaluationRequest, Store, evaluate
from bestofk.inference.new_data import losses_on_new_data, losses_on_test_rows
from bestofk.inference.one_test_set.roc import area_losses
from bestofk.learners import learner_catalogue, resolve_learners
from bestofk.randomness import derive_rng, derive_seed
from bestofk.resampling import make_plan
from bestofk.resampling.make_plan import given_plan

LEARNERS = {  # the first 3 and the first 6 are compared as well
    "regression": [
        "ridge-cv", "cart-regressor", "knn-regressor", "svr", "mean", "forest-regressor", "20nn",
        "least-squares", "1nn-regressor", "ridge", "extra-forest-regressor", "median",
    ],
    "binary": [
        "naive-bayes", "logistic", "cart", "nearest-mean", "lda", "5nn", "qda", "c45", "forest",
        "c45-unpruned", "1nn", "kernel-naive-bayes",
    ],
}  # fmt: skip
# NAME>SHARE makes two classes of a target: above and below that quantile. NAME:rows draws rows.
CHOSEN = {
    "regression": [
        "friedman1", "2dplanes", "mv", "kin8nm:rows", "housing:rows", "diamonds:rows", "concrete",
        "wine-quality-red",
    ],
    "binary": [
        "twonorm", "ringnorm", "pima", "credit-a", "spambase:rows", "krkp:rows",
        "housing>0.5:rows", "kin8nm>0.5:rows", "bank:rows",
    ],
}  # fmt: skip
FRESH = {
    "regression": [
        "friedman2", "friedman3", "linear-t4", "kc_house:rows", "protein:rows", "power-plant:rows",
        "bike:rows", "taxis:rows", "naval:rows", "boston", "energy", "diabetes",
    ],
    "binary": [
        "hastie", "clusters", "magic:rows", "protein>0.5:rows", "bike>0.5:rows",
        "kc_house>0.8:rows", "taxi-tip:rows", "diamonds>0.75:rows", "haberman", "wdbc", "ozone-8h",
        "cylinder-bands",
    ],
}  # fmt: skip
GENERATED = {
    "twonorm", "ringnorm", "hastie", "clusters", "friedman1", "friedman2", "friedman3", "2dplanes",
    "mv", "linear-t4",
}  # fmt: skip
TEXT_FILES = {
    "kin8nm": "kin8nm", "power-plant": "power-plant", "concrete": "concrete",
    "wine-quality-red": "wine-quality-red", "boston": "bostonHousing", "energy": "energy",
    "protein": "protein-tertiary-structure", "naval": "naval-propulsion-plant",
}  # fmt: skip
CSV_FILES = {  # the file, its separator, the target, and columns that are left out
    "housing": ("housing", ",", "median_house_value", []),
    "diamonds": ("diamonds", ",", "price", []),
    "kc_house": ("kc_house", ",", "price", ["id"]),
    "bike": ("hour", ",", "count", ["instant", "dateday", "casual", "registered"]),
    "bank": ("bank", ";", "y", []),
    "magic": ("magic", ",", "class", []),
}
SIZES, NUMBERS, PLANS = (100, 300, 1000), (3, 6, 12), ("5x5", "10", "5x2")
ONE_TEST_SET = "test:0.3"
N_TRUTH = 20_000
MEASURES = {
    "regression": ["rmse", "squared", "absolute", "r2"],
    "binary": ["error", "log", "brier", "auroc"],
}
POINT, SHARE = 0.01, 0.02  # what counts as near: in a share, and of the lowest loss
MOST_OF_ONE_ROW, LEAST_SHARE = 0.1, 1e-6  # of the loss of a learner, of the worst row of any
LEAST_ROWS_OF_CLASS, LEAST_SPLITS = 5, 10
BINS = [0, 0.3, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 1.0]


def real_table(name, folder):
    """Return inputs and target of a real data set."""
    raw = folder / "raw"
    if name in TEXT_FILES:
        table = pd.DataFrame(np.loadtxt(raw / f"{TEXT_FILES[name]}.txt")).add_prefix("x")
        if name == "energy":  # two targets
            return table.iloc[:, :8], table.iloc[:, 8].to_numpy()
        if name == "naval":  # two targets, and two constants
            return table.drop(columns=["x8", "x11", "x16", "x17"]), table["x17"].to_numpy()
        return table.iloc[:, :-1], table.iloc[:, -1].to_numpy()
    if name in CSV_FILES:
        file, separator, target, others = CSV_FILES[name]
        table = pd.read_csv(raw / f"{file}.csv", sep=separator).drop(columns=others)
        return table.drop(columns=target), _plain(table[target])
    if name in ("taxis", "taxi-tip"):
        table = pd.read_csv(raw / "taxis.csv").dropna()
        kept = ["passengers", "distance", "tolls", "color", "pickup_borough", "dropoff_borough"]
        features = table[kept].assign(hour=pd.to_datetime(table["pickup"]).dt.hour)
        if name == "taxis":
            return features, table["fare"].to_numpy(float)
        features = features.assign(payment=table["payment"], fare=table["fare"])
        return features, np.where(table["tip"] > 2, "yes", "no")
    if name == "diabetes":
        data = built_in.load_diabetes(as_frame=True)
        return data.data, data.target.to_numpy(float)
    if name == "wdbc":
        data = built_in.load_breast_cancer(as_frame=True)
        return data.data, np.where(data.target == 1, "benign", "malignant")
    paths = [folder / "uci" / f"{name}.{ending}" for ending in ("arff", "arff.gz")]
    data = load_data(next(path for path in paths if path.exists()), target="class")
    return data.features, np.asarray(data.target_array).astype(str)


def _plain(column):
    if pd.api.types.is_numeric_dtype(column):
        return column.to_numpy(float)
    return column.to_numpy(object).astype(str)


def generate(name, n_rows, rng, seed):
    """Return inputs and target of a generator."""
    if name in ("twonorm", "ringnorm"):
        data = getattr(generators, name)(n_rows, random_state=seed)
        return pd.DataFrame(data.features).add_prefix("x"), np.asarray(data.target_array, str)
    if name == "hastie":
        x = rng.normal(size=(n_rows, 10))
        is_far = ((x**2).sum(axis=1) > 9.34) ^ (rng.uniform(size=n_rows) < 0.1)
        return pd.DataFrame(x).add_prefix("x"), np.where(is_far, "far", "near")
    if name == "clusters":  # six, of two classes
        centers = 1.1 * derive_rng("claims of measures", name).normal(size=(6, 8))
        cluster = rng.integers(0, 6, n_rows)
        x = centers[cluster] + rng.normal(size=(n_rows, 8))
        x[:, 6:] = rng.normal(size=(n_rows, 2))
        is_first = (cluster % 3 == 0) ^ (rng.uniform(size=n_rows) < 0.08)
        return pd.DataFrame(x).add_prefix("x"), np.where(is_first, "a", "b")
    if name == "friedman1":
        x = rng.uniform(size=(n_rows, 10))
        y = 10 * np.sin(np.pi * x[:, 0] * x[:, 1]) + 20 * (x[:, 2] - 0.5) ** 2
        y += 10 * x[:, 3] + 5 * x[:, 4] + rng.normal(size=n_rows)
    elif name in ("friedman2", "friedman3"):
        x = rng.uniform(size=(n_rows, 4)) * [100, 520 * np.pi, 1, 10] + [0, 40 * np.pi, 0, 1]
        part = x[:, 1] * x[:, 2] - 1 / (x[:, 1] * x[:, 3])
        if name == "friedman2":
            y = np.hypot(x[:, 0], part) + 125 * rng.normal(size=n_rows)
        else:
            y = np.arctan(part / x[:, 0]) + 0.1 * rng.normal(size=n_rows)
    elif name == "2dplanes":
        x = np.column_stack([rng.choice([-1, 1], n_rows), rng.integers(-1, 2, (n_rows, 9))])
        up = 3 + 3 * x[:, 1] + 2 * x[:, 2] + x[:, 3]
        down = -3 + 3 * x[:, 4] + 2 * x[:, 5] + x[:, 6]
        x, y = x.astype(float), np.where(x[:, 0] == 1, up, down) + rng.normal(size=n_rows)
    elif name == "linear-t4":
        x = rng.normal(size=(n_rows, 20))
        y = x[:, :5] @ [3, 2, 1.5, 1, 0.5] + 2 * rng.standard_t(4, n_rows)
    else:
        return _mv(n_rows, rng)
    return pd.DataFrame(x).add_prefix("x"), y


def _mv(n_rows, rng):
    x1, x2 = rng.uniform(-5, 5, n_rows), rng.uniform(-15, -10, n_rows)
    others = np.where(rng.uniform(size=n_rows) < 0.4, "red", "brown")
    x3 = np.where(x1 > 0, "green", others)
    x4 = np.where(x3 == "green", x1 + 2 * x2, np.where(x3 == "red", x1 / 2, x2 / 2))
    x5 = rng.uniform(-1, 1, n_rows)
    x6 = x4 * rng.uniform(0, 1, n_rows)
    x7 = np.where(rng.uniform(size=n_rows) < 0.3, "yes", "no")
    x8 = np.where(x5 < 0.5, "normal", "large")
    x9, x10 = rng.uniform(100, 500, n_rows), rng.integers(1000, 1201, n_rows).astype(float)
    rest = np.where(x8 == "large", 0.5 * x4 + x1, 30 - 0.6 * x1)
    y = np.where(x2 > -12, 35 - 0.5 * x4, np.where(x2 < -13.5, 10 - 2 * x1, rest))
    y = np.where(x7 == "yes", y + 0.05 * x6, y) + 0.5 * rng.normal(size=n_rows)
    columns = [x1, x2, x3, x4, x5, x6, x7, x8, x9, x10]
    return pd.DataFrame({f"x{number}": part for number, part in enumerate(columns, 1)}), y


class Population:
    """Rows that are like those of a generator or of a real data set."""

    def __init__(self, name, task, folder):
        self.name, self.task, self.is_of_rows = name, task, name.endswith(":rows")
        self.source, _, cut = name.removesuffix(":rows").partition(">")
        if self.source in GENERATED:
            return
        features, target = real_table(self.source, folder)
        if cut:
            target = np.where(target > np.quantile(target, float(cut)), "high", "low")
        self.features, self.target = features.reset_index(drop=True), target
        if not self.is_of_rows:
            self._make_endless()

    def _make_endless(self):
        catalogue, features, target = learner_catalogue(), self.features, self.target
        is_binary = self.task == "binary"
        forest = catalogue["random-forest" if is_binary else "random-forest-regressor"].make()
        forest.set_params(learner__min_samples_leaf=3, learner__random_state=0)
        if not is_binary:
            forest.set_params(learner__oob_score=True)
        linear = catalogue["logistic" if is_binary else "ridge-cv"].make()
        self.models = [forest.fit(features, target), linear.fit(features, target)]
        if is_binary:
            self.classes = np.unique(target)
        else:
            inner = forest.named_steps["learner"]
            out_of_bag = getattr(inner, "regressor_", inner).oob_prediction_
            self.residuals = target - (out_of_bag + linear.predict(features)) / 2
        prepare = catalogue["5nn" if is_binary else "knn-regressor"].make().named_steps["prepare"]
        table = np.asarray(prepare.fit(features, target).transform(features), dtype=float)
        near = NearestNeighbors(n_neighbors=6).fit(table)
        self.near = near.kneighbors(table, return_distance=False)[:, 1:]

    def draw(self, n_rows, *names):
        """Return inputs and target of fresh rows that depend on the names alone."""
        rng = derive_rng("claims of measures", self.name, *names)
        if self.source in GENERATED:
            seed = derive_seed("claims of measures", self.name, *names)
            return generate(self.source, n_rows, rng, seed)
        table, parts = self.features, {}
        first = rng.integers(0, len(table), n_rows)
        second = self.near[first, rng.integers(0, self.near.shape[1], n_rows)]
        share = rng.uniform(0, 0.5, n_rows)
        for name in table.columns:
            here = table[name].iloc[first].reset_index(drop=True)
            there = table[name].iloc[second].reset_index(drop=True)
            if pd.api.types.is_numeric_dtype(here):
                moved = here + share * (there.fillna(here) - here)
                is_whole = (table[name].dropna() % 1 == 0).all()
                parts[name] = moved.round() if is_whole else moved
            else:
                parts[name] = here.where(rng.uniform(size=n_rows) >= share, there)
        features = pd.DataFrame(parts)
        if self.task == "regression":
            predicted = sum(model.predict(features) for model in self.models) / 2
            return features, predicted + self.residuals[second]
        chances = sum(model.predict_proba(features) for model in self.models) / 2
        chosen = (chances.cumsum(axis=1) < rng.uniform(size=(n_rows, 1))).sum(axis=1)
        return features, self.classes[chosen.clip(max=1)]


@functools.cache
def fresh_rows(population):
    """Return the rows that tell the true losses."""
    return population.draw(N_TRUTH, "truth")


def draw_sample(population, n_rows, sample):
    """Return a sample and the rows of the truth."""
    for attempt in range(100):
        names = ("sample", n_rows, sample, attempt)
        if population.is_of_rows:
            rng = derive_rng("claims of measures", population.name, *names)
            order = rng.permutation(len(population.target))
            here, rest = order[:n_rows], order[n_rows : n_rows + N_TRUTH]
            features, target = population.features.iloc[here], population.target[here]
            truth = population.features.iloc[rest], population.target[rest]
        else:
            features, target = population.draw(n_rows, *names)
            truth = fresh_rows(population)
        counts = np.unique(target, return_counts=True)[1]
        if population.task == "regression" or (
            len(counts) == 2 and counts.min() >= LEAST_ROWS_OF_CLASS
        ):
            return features, target, *truth
    raise ValueError(f"{population.name} has too rare classes for {n_rows} rows")


def row_losses(true, predicted, task):
    """Return losses of rows, shape (n_learners, n_rows), of every measure that is their mean."""
    if task == "regression":
        return {"squared": (predicted - true) ** 2, "absolute": np.abs(predicted - true)}
    chance = np.clip(np.where(true == 1, predicted, 1 - predicted), 1e-15, 1)
    wrong = np.where(np.isnan(predicted), np.nan, (predicted > 0.5) != (true == 1))
    return {"error": wrong.astype(float), "log": -np.log(chance), "brier": (1 - chance) ** 2}


def auroc_losses(true, scores):
    """Return 1 - AUROC of each learner, and their covariance by placements (DeLong 1988)."""
    is_positive = true == 1
    first, second = scores[:, is_positive], scores[:, ~is_positive]
    ranks = rankdata(scores, axis=1)
    above = (ranks[:, is_positive] - rankdata(first, axis=1)) / second.shape[1]
    below = 1 - (ranks[:, ~is_positive] - rankdata(second, axis=1)) / first.shape[1]
    covariance = np.cov(above) / first.shape[1] + np.cov(below) / second.shape[1]
    return 1 - above.mean(axis=1), covariance


def run_case(population, n_rows, sample, plans):
    """Return the losses of all learners on splits, or predictions of one test set, and the truth.

    The truth of one test set is that of the models that were tested.
    """
    features, target, fresh, fresh_target = draw_sample(population, n_rows, sample)
    is_binary = population.task == "binary"
    labels = np.unique(target)
    positive = labels[np.argmin([(target == label).sum() for label in labels])]

    def coded(values):
        return (values == positive).astype(float) if is_binary else values.astype(float)

    task = "classification" if is_binary else "regression"
    data = from_arrays(features.reset_index(drop=True), target, name="sample", task=task)
    learners = resolve_learners(_learners(population.task), task)

    def predictions(plan, rows_of):
        with Store(None) as store, warnings.catch_warnings():
            warnings.simplefilter("ignore")
            done = evaluate(EvaluationRequest(rows_of, plan, learners, sample), store)
        column = list(rows_of.classes).index(positive) if is_binary else None
        tables = []
        for records in done.records:
            tables.append([])
            for record, test in zip(records, done.test_rows, strict=True):
                parts = record.predictions
                if parts is None:  # it failed
                    tables[-1].append(np.full(len(test), np.nan))
                else:
                    tables[-1].append(parts.probabilities[:, column] if is_binary else parts.labels)
        return done.test_rows, tables

    true, case = coded(target), {}
    n_train = n_rows
    for cv in plans:
        if cv == ONE_TEST_SET:
            n_train = len(make_plan(data, cv, random_state=sample).train_rows[0])
            continue
        rows, tables = predictions(make_plan(data, cv, random_state=sample), data)
        case[cv] = _on_splits(true, rows, tables, population.task)
    both = pd.concat([features, fresh], ignore_index=True)
    both = from_arrays(both, np.concatenate([target, fresh_target]), name="both", task=task)
    every = np.arange(both.n_samples)
    _, tables = predictions(given_plan(both, [(every[:n_train], every[n_train:])]), both)
    predicted = np.array([table[0] for table in tables], dtype=float)
    if n_train < n_rows:
        tested, predicted = np.split(predicted, [n_rows - n_train], axis=1)
        case[ONE_TEST_SET] = {"true": true[n_train:].tolist(), "predicted": tested.tolist()}
    fresh_true, truth = coded(fresh_target), {}
    for name, losses in row_losses(fresh_true, predicted, population.task).items():
        truth[name] = (losses.mean(axis=1), np.cov(losses) / len(fresh_true))
    if is_binary:
        truth["auroc"] = auroc_losses(fresh_true, predicted)
    case["truth"] = {
        name: {"losses": _short(means), "variances": [_short(row) for row in covariance]}
        for name, (means, covariance) in truth.items()
    }
    if is_binary:
        case["rarest"] = int(min((true == value).sum() for value in (0, 1)))
    return case


def _learners(task):
    """Return learners by name; one is a setting of another."""
    catalogue = learner_catalogue()
    made = {}
    for name in LEARNERS[task]:
        if name == "20nn":
            made[name] = catalogue["knn-regressor"].make().set_params(learner__n_neighbors=20)
        else:
            made[name] = catalogue[name].make()
    return made


def _on_splits(true, rows, tables, task):
    """Return losses on splits, the worst of a row, and the share of the row that has the most."""
    parts = [
        row_losses(true[test], np.array([table[split] for table in tables]), task)
        for split, test in enumerate(rows)
    ]
    tested, found = np.concatenate(rows), {}
    for name in parts[0]:
        losses = [part[name] for part in parts]
        every = np.hstack(losses)
        sums = np.array([np.bincount(tested, row, minlength=len(true)) for row in every])
        with np.errstate(invalid="ignore"):
            largest = sums.max(axis=1) / sums.sum(axis=1)
        found[name] = {
            "losses": [_short(part.mean(axis=1)) for part in losses],
            "worst": _short(every.max(axis=1)),
            "largest": _short(largest),
        }
    if task == "binary":
        found["auroc"] = {
            "losses": [
                _short(auroc_losses(true[test], np.array([table[split] for table in tables]))[0])
                for split, test in enumerate(rows)
                if 0 < true[test].sum() < len(test)
            ]
        }
    return found


def _short(values):
    return [float(f"{value:.6g}") for value in values]


def run_all(options):
    """Compute the cases missing in the file, sample by sample so that all sources grow alike."""
    path = options.work
    lines = path.read_text().splitlines() if path.exists() else []
    done = {(row["source"], row["n"], row["sample"]) for row in map(json.loads, lines)}
    population = functools.cache(lambda name: Population(name, options.task, options.data))
    for sample in range(options.samples):
        for source in {"chosen": CHOSEN, "fresh": FRESH}[options.half][options.task]:
            for n_rows in options.sizes:
                if (source, n_rows, sample) in done:
                    continue
                start = time.process_time()
                case = run_case(population(source), n_rows, sample, options.plans)
                seconds = round(time.process_time() - start, 1)
                about = {"source": source, "task": options.task, "half": options.half}
                about |= {"n": n_rows, "sample": sample, "seconds": seconds}
                with path.open("a") as file:
                    file.write(json.dumps(about | case) + "\n")
                print(f"{source} {n_rows} {sample} {seconds}", file=sys.stderr, flush=True)


def claims_of(case, cv):
    """Yield what is claimed of the pick, and what is true, for every measure and number."""
    for measure in MEASURES[case["task"]]:
        kept = "squared" if measure in ("rmse", "r2") else measure
        truth = case["truth"][kept]
        true, variances = np.array(truth["losses"]), np.array(truth["variances"])
        if cv == ONE_TEST_SET:
            found, n_rows, rarest = _on_test_rows(case, kept)
        else:
            found, n_rows, rarest = case[cv][kept], case["n"], case.get("rarest")
        if found is None:
            continue
        table = np.array(found["losses"])
        if measure == "rmse":
            roots = np.sqrt(table.mean(axis=0))
            table, true = (roots**2 + table) / (2 * roots), np.sqrt(true)
        if measure == "r2":  # the squared error of the mean is the variance of the target
            mean = LEARNERS["regression"].index("mean")
            unit = table[:, mean].mean()
            table, variances, true = table / unit, variances / true[mean] ** 2, true / true[mean]
        if measure == "auroc":
            one_row, most = np.full(len(true), 1 / rarest), 1.0
        elif measure in ("error", "brier"):
            one_row, most = np.full(len(true), 1 / n_rows), 1.0
        else:
            worst = np.array(found["worst"])
            if measure == "rmse":
                worst = (roots**2 + worst) / (2 * roots)
            if measure == "r2":
                worst = worst / unit
            one_row, most = np.maximum(worst, LEAST_SHARE * np.nanmax(worst)) / n_rows, np.inf
        has_all = np.isfinite(table).all(axis=0) & np.isfinite(true)
        for most_learners in NUMBERS:
            number = min(most_learners, len(table) - 1)
            known = np.flatnonzero(has_all[:number])
            losses, here = table[:, known], true[known]
            if len(known) < 2 or len(table) < LEAST_SPLITS:
                continue
            pick = int(losses.mean(axis=0).argmin())
            is_share = most == 1 or measure == "r2"
            within = POINT if is_share else SHARE * losses.mean(axis=0).min()
            if not within:  # the pick has no loss on any row, and so no claim
                continue
            if cv == ONE_TEST_SET:
                expected = losses_on_test_rows(losses, one_row=one_row[known], most=most)
            else:
                test = n_rows / {"5x5": 5, "10": 10, "5x2": 2}[cv]
                expected = losses_on_new_data(
                    losses, n_samples=n_rows, n_train=n_rows - test, n_test=test,
                    one_row=one_row[known], most=most,
                )  # fmt: skip
            claim = expected.claim("pick", pick, within)
            low, high = claim.loss_low, claim.loss_high
            if most == np.inf:  # that of t for the logarithm, to be judged
                mean, variance = expected.means[pick], expected.covariance[pick, pick]
                factor = np.exp(stdtrit(expected.df, 0.95) * np.sqrt(variance) / mean)
                low, high = mean / factor, mean * factor
            best = int(here.argmin())
            at, other = known[pick], known[best]
            spread = variances[at, at] + variances[other, other] - 2 * variances[at, other]
            if measure == "rmse":
                spread /= 4 * here[best] ** 2
            is_ruled = most == np.inf and found["largest"][known[pick]] >= MOST_OF_ONE_ROW
            yield {
                "source": case["source"], "n": case["n"], "sample": case["sample"],
                "measure": measure, "k": number, "cv": cv, "is_ruled": is_ruled,
                "claim": claim.probability, "is_within": here[pick] - here[best] <= within,
                "stated_regret": claim.expected_regret / within,
                "regret": (here[pick] - here[best]) / within,
                "below": here[pick] < low, "above": here[pick] > high,
                "precise": np.sqrt(max(spread, 0)) / within,
                "others": [
                    (chance, bool(gap <= within))
                    for index, (chance, gap) in enumerate(
                        zip(expected.probability(within), here - here[best], strict=True)
                    )
                    if index != pick
                ],
            }  # fmt: skip


def _on_test_rows(case, measure):
    """Return losses on test rows as those on splits, how many, and those of the rarer class."""
    true, predicted = np.array(case[ONE_TEST_SET]["true"]), case[ONE_TEST_SET]["predicted"]
    predicted = np.array(predicted, dtype=float)
    rarest = int(min((true == 1).sum(), (true == 0).sum()))
    if measure == "auroc":
        if not rarest:
            return None, 0, 0
        losses = np.array([area_losses(true == 1, scores) for scores in predicted])
    else:
        losses = row_losses(true, predicted, case["task"])[measure]
    with np.errstate(invalid="ignore"):
        largest = losses.max(axis=1) / losses.sum(axis=1)
    found = {"losses": losses.T, "worst": losses.max(axis=1), "largest": largest}
    return found, len(true), rarest


def over_sources(frame, value):
    """Return the mean of a column with sources counted equally, and its bootstrap interval."""
    means = frame.groupby("source")[value].mean().to_numpy(float)
    rng = derive_rng("claims of measures", "sources")
    draws = means[rng.integers(0, len(means), (2000, len(means)))].mean(axis=1)
    return means.mean(), *np.quantile(draws, [0.05, 0.95])


def on_one_line(frame):
    """Return stated minus true as a line in the logarithm of rows, with its bootstrap interval.

    Sources are drawn; a cell of a source weighs as its claims do, at most as 12 of them.
    """
    cells = frame.groupby(["source", "n"])["gap"].agg(["mean", "size"]).reset_index()
    weight = np.sqrt(cells["size"].clip(upper=12).to_numpy())
    table = np.vander(np.log10(cells["n"]) - 2.5, 2) * weight[:, None]
    target = cells["mean"].to_numpy() * weight
    parts = list(cells.groupby("source").indices.values())
    rng, sizes = derive_rng("claims of measures", "line"), np.unique(frame["n"])
    chosen = [parts] + [
        [parts[part] for part in rng.integers(0, len(parts), len(parts))] for _ in range(500)
    ]
    lines = [
        np.vander(np.log10(sizes) - 2.5, 2) @ np.linalg.lstsq(table[rows], target[rows])[0]
        for rows in map(np.concatenate, chosen)
    ]
    found = np.vstack([lines[:1], np.quantile(lines[1:], [0.05, 0.95], axis=0)])
    return dict(zip(sizes.tolist(), found.T.tolist(), strict=True))


def report(frame):
    """Print stated against true, per measure, rows and learners, and in bins."""
    frame = frame.assign(gap=frame["claim"] - frame["is_within"])
    frame["covered"] = ~(frame["below"] | frame["above"])
    keys = ["cv", "measure", "n"]
    ruled = frame.groupby(keys)["is_ruled"].mean()
    print("no claim, since one row has over a tenth of the loss:",
          {key: round(float(share), 2) for key, share in ruled.items() if share})  # fmt: skip
    frame = frame[~frame["is_ruled"]]
    for names in (keys, [*keys, "k"]):
        print(f"\n{' '.join(names)}: N, stated, true, gap and its 90% interval; "
              "regret stated and true, in the distance; interval covers, below, above")  # fmt: skip
        for key, rows in frame.groupby(names):
            gap = [100 * value for value in over_sources(rows, "gap")]
            values = [100 * over_sources(rows, name)[0] for name in ("claim", "is_within")]
            regret = [over_sources(rows, name)[0] for name in ("stated_regret", "regret")]
            missed = [100 * over_sources(rows, name)[0] for name in ("covered", "below", "above")]
            print(f"{' '.join(map(str, key)):24} {len(rows):4} {values[0]:5.1f} {values[1]:5.1f} "
                  f"{gap[0]:+5.1f} [{gap[1]:+.1f}, {gap[2]:+.1f}]  {regret[0]:.2f} "
                  f"{regret[1]:.2f}  {missed[0]:.0f} {missed[1]:.0f} {missed[2]:.0f}")  # fmt: skip
    for (cv, measure), rows in frame.groupby(["cv", "measure"]):
        parts = rows.groupby(pd.cut(rows["claim"], BINS, include_lowest=True), observed=True)
        print(f"{cv} {measure}, picks by bin:", "; ".join(
            f"{100 * part['claim'].mean():.0f} -> {100 * part['is_within'].mean():.0f} "
            f"({len(part)})" for _, part in parts))  # fmt: skip
        others = pd.DataFrame(
            [pair for pairs in rows["others"] for pair in pairs], columns=["claim", "is_within"]
        )
        parts = others.groupby(pd.cut(others["claim"], BINS, include_lowest=True), observed=True)
        print(f"{cv} {measure}, not picked:", "; ".join(
            f"{100 * part['claim'].mean():.0f} -> {100 * part['is_within'].mean():.0f} "
            f"({len(part)})" for _, part in parts))  # fmt: skip
    for (cv, measure), rows in frame.groupby(["cv", "measure"]):
        print(f"{cv} {measure}, stated minus true on one line in log rows:", "; ".join(
            f"{n} {100 * gap:+.0f} [{100 * low:+.0f}, {100 * high:+.0f}]"
            for n, (gap, low, high) in on_one_line(rows).items()))  # fmt: skip
    vague = frame.groupby(["measure", "source", "n"])["precise"].mean()
    print("standard error of the truth over half the distance:",
          vague[vague > 0.5].round(2).to_dict())  # fmt: skip


def main():
    """Run what is missing, and print the report."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--work", type=Path, required=True)
    parser.add_argument("--task", choices=list(LEARNERS), default="regression")
    parser.add_argument("--half", choices=["chosen", "fresh"], default="chosen")
    parser.add_argument("--samples", type=int, default=20)
    parser.add_argument("--sizes", type=int, nargs="+", default=list(SIZES))
    parser.add_argument("--plans", nargs="+", default=list(PLANS))
    parser.add_argument("--report-only", action="store_true")
    options = parser.parse_args()
    if not options.report_only:
        with threadpool_limits(1):
            run_all(options)
    cases = map(json.loads, options.work.read_text().splitlines())
    rows = [
        row
        for case in cases
        if case["half"] == options.half and case["task"] == options.task
        for cv in options.plans
        for row in claims_of(case, cv)
    ]
    report(pd.DataFrame(rows))


if __name__ == "__main__":
    main()
