"""Times of batched and plain execution by repeats, rows and columns: parts of `batched.py`."""

from __future__ import annotations

import csv
import functools
import gc
import os
import re

import numpy as np
import pandas as pd
from batched_sides import (
    UCI,
    cpu_seconds,
    in_turn,
    lr,
    make_form,
    run_batched,
    run_plainly,
    scaled,
    synthetic,
)
from sklearn.discriminant_analysis import (
    LinearDiscriminantAnalysis,
    QuadraticDiscriminantAnalysis,
)
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier

from bestofk.data import load_data
from bestofk.evaluation import EvaluationRequest, Store, evaluate
from bestofk.learners import learner_catalogue, resolve_learners
from bestofk.learners.nearest_mean_classifier import NearestMeanClassifier
from bestofk.resampling import make_plan

# Rows from which learners grow that are slow on more; others begin where calls cost nothing.
BASE_ROWS = {"logistic": 2_000}
PLANS = ((5, 2), (10, 10))  # repeats and folds
COLUMNS = ["data", "learner", "plan", "way", "repeats", "plain_repeats", "auto_s", "plain_s"]
LONG_REPEAT = 30.0  # seconds of a plain repeat from which one repeat is compared


def evaluation_seconds(learner, data, cv, batched):
    """Return the CPU seconds of an evaluation into a store in memory, and the evaluation."""
    plan = make_plan(data, cv, random_state=0)
    with Store(None) as store:
        request = EvaluationRequest(data, plan, learner, batched=batched)
        return cpu_seconds(functools.partial(evaluate, request, store))


def compare_ways(learner, data, most, n_folds, plain_seconds):
    """Return how it was done, how many repeats, and the seconds that auto and the plain way took.

    The plain way is timed over as many repeats as `plain_seconds` allow, and scaled. Where auto
    goes the plain way, one repeat of either is enough.
    """
    # compile; a loop that one repeat does without is found by all of them
    _, done = evaluation_seconds(learner, data, f"1x{n_folds}", "auto")
    way = "joint" if any(record.way == "joint" for record in done.records[0]) else "plain"
    item, _ = evaluation_seconds(learner, data, f"1x{n_folds}", "never")
    n_repeats = 1 if item > LONG_REPEAT or way == "plain" else most
    if n_repeats > 1 and item < plain_seconds / most:
        evaluation_seconds(learner, data, f"{most}x{n_folds}", "auto")
    own, done = evaluation_seconds(learner, data, f"{n_repeats}x{n_folds}", "auto")
    n_plain = int(min(max(plain_seconds // item, 1), n_repeats))
    if n_plain > 1:
        item, _ = evaluation_seconds(learner, data, f"{n_plain}x{n_folds}", "never")
    return way, n_repeats, n_plain, own, item * n_repeats / n_plain


def never_slower(pattern, plain_seconds, work):
    """Time auto and the plain way for every data set, learner and plan that `work` lacks."""
    done = set()
    if work.exists():
        keys = pd.read_csv(work)[["data", "learner", "plan"]]
        done = set(keys.itertuples(index=False, name=None))
    with work.open("a", newline="") as file:
        rows = csv.writer(file)
        if file.tell() == 0:
            rows.writerow(COLUMNS)
        for path in sorted(UCI.glob("*.arff*"), key=os.path.getsize):
            data = load_data(path)
            for name in learner_catalogue(data.task):
                key = path.name.split(".")[0], name
                plans = [(most, n) for most, n in PLANS if (*key, f"{most}x{n}") not in done]
                gc.freeze()  # what is imported is not gone through again, in the time of one side
                learner = resolve_learners([name], data.task)
                if not re.search(pattern, " ".join(key)) or not plans:
                    continue
                if make_form(learner[0].estimator, data, 2) is None:
                    continue
                for most, n in plans:
                    result = compare_ways(learner, data, most, n, plain_seconds)
                    rows.writerow([*key, f"{most}x{n}", *result])
                    file.flush()
                    way, repeats, _, own, other = result
                    print(f"{' '.join(key):40s} {repeats:2d}x{n:<2d} {way:5s} {own:9.3f} "
                          f"{other:9.3f} {other / own:7.2f}", flush=True)  # fmt: skip
    table = pd.read_csv(work)
    table["ratio"] = table["plain_s"] / table["auto_s"]
    batched = table[table["way"] == "joint"].sort_values("ratio")
    print(f"{len(table)} cases, {len(batched)} batched: median {batched['ratio'].median():.1f}, "
          f"{(batched['ratio'] < 1 / 1.05).sum()} slower than 1.05 times plain")  # fmt: skip
    print(batched.head(20).to_string(index=False))
    print(batched.groupby("learner")["ratio"].agg(["count", "min", "median"]).round(2).to_string())


def shapes_of(base):
    """Return rows, columns and repeats that grow one by one, each from 1 to 8 times."""
    return {
        "repeats": [(base, 16, 10 * k) for k in (1, 2, 4, 8)],
        "rows": [(base * k, 16, 10) for k in (1, 2, 4, 8)],
        "columns": [(base, 16 * k, 10) for k in (1, 2, 4, 8)],
    }


def growth(pattern, is_quick):
    """Print seconds over repeats, rows and columns, and the exponents of both ways."""
    learners = {
        "5-NN, scaler": scaled(KNeighborsClassifier(5)), "naive Bayes": GaussianNB(),
        "nearest mean": NearestMeanClassifier(), "LDA": LinearDiscriminantAnalysis(),
        "QDA": QuadraticDiscriminantAnalysis(), "logistic, scaler": lr(),
    }  # fmt: skip
    for name, learner in learners.items():
        if not re.search(pattern, name):
            continue
        base = next((rows for key, rows in BASE_ROWS.items() if key in name), 5_000)
        for what, shapes in shapes_of(base).items():
            own, other, at = [], [], []
            for n_rows, n_columns, n_repeats in shapes:
                data = synthetic(n_rows, n_columns, 2)
                folds = make_plan(data, f"{n_repeats}x10", random_state=0).folds
                if make_form(learner, data, 10) is None:
                    break
                n_plain = 2 if is_quick else 5
                indices = [(0, fold) for fold in range(n_plain)]
                ours = functools.partial(run_batched, learner, data, folds, 10)
                theirs = functools.partial(run_plainly, learner, data, indices, folds)
                if not own:
                    ours()
                a, b, *_ = in_turn(ours, theirs, 1 if is_quick else 3)
                own.append(a)
                other.append(b * n_repeats * 10 / n_plain)
                at.append({"repeats": n_repeats, "rows": n_rows, "columns": n_columns}[what])
            if len(own) < len(shapes):
                print(f"{name}: skipped, no batched form")
                break
            mine, theirs_ = (np.polyfit(np.log(at), np.log(item), 1)[0] for item in (own, other))
            seconds = "  ".join(
                f"{n}: {a:.3f} / {b:.2f}" for n, a, b in zip(at, own, other, strict=True)
            )
            print(f"{name:18s} {what:8s} exponent {mine:5.2f} in a batch, {theirs_:5.2f} plainly   "
                  f"{seconds} s", flush=True)  # fmt: skip
