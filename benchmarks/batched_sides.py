"""Both sides of a benchmark of batched resampling: batched, and scikit-learn fold by fold."""

from __future__ import annotations

import functools
import os
import statistics
import time
from pathlib import Path

import numpy as np
from sklearn import datasets
from sklearn.base import clone
from sklearn.linear_model import LogisticRegression
from sklearn.neighbors import NearestCentroid
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from bestofk.batched import batched_form
from bestofk.data import from_arrays

BLOCK = 20  # repeats that the batched fit predicts at once
UCI = Path(os.environ.get("BESTOFK_DATA", Path(__file__).parents[2] / "shared" / "data")) / "uci"
# rows, columns and classes of the synthetic data sets
SYNTHETIC = {"A": (1_000, 16, 2), "B": (5_000, 32, 2), "C": (20_000, 16, 4), "D": (20_000, 64, 10)}


def scaled(learner):
    """Return a learner with a scaler in front."""
    return make_pipeline(StandardScaler(), learner)


def lr(**settings):
    """Return logistic regression with a scaler in front."""
    return scaled(LogisticRegression(**{"max_iter": 10_000, **settings}))


@functools.cache
def data_of(name):
    """Return a data set by its short name."""
    if name in SYNTHETIC:
        n_rows, n_columns, n_classes = SYNTHETIC[name]
        return synthetic(n_rows, n_columns, n_classes)
    load = {"bc": "breast_cancer"}.get(name, name)
    return from_arrays(*getattr(datasets, f"load_{load}")(return_X_y=True))


@functools.cache
def synthetic(n_rows, n_columns, n_classes):
    """Return clusters of points, half of the columns of use."""
    X, y = datasets.make_classification(
        n_rows,
        n_columns,
        n_informative=n_columns // 2,
        n_redundant=0,
        n_classes=n_classes,
        random_state=0,
    )
    return from_arrays(X, y)


def cpu_seconds(call):
    """Return the CPU seconds of a call, and what it returns."""
    start = time.process_time()
    result = call()
    return time.process_time() - start, result


def make_form(estimator, data, n_folds):
    """Return the batched form of a learner, also where the plain way would be chosen; or None."""
    return batched_form(
        estimator, data.features, data.target_array, data.y, data.classes, n_folds,
        even_if_slower=True,
    )  # fmt: skip


def run_batched(estimator, data, folds, n_folds):
    """Make the form, predict all repeats in blocks, and return the first block."""
    form = make_form(estimator, data, n_folds)
    states = np.zeros((len(folds), n_folds), dtype=np.int64) if form.is_random else None
    first = None
    for start in range(0, len(folds), BLOCK):
        some = slice(start, start + BLOCK)
        result = form.predict(folds[some], None if states is None else states[some])
        first = result if first is None else first
    return first


def run_plainly(estimator, data, places, folds):
    """Fit and predict one fold after the other, and return labels and scores of each."""
    results = []
    for repeat, fold in places:
        train = np.flatnonzero(folds[repeat] != fold)
        test = np.flatnonzero(folds[repeat] == fold)
        learner = clone(estimator)
        learner.fit(data.feature_rows(train), data.target_rows(train))
        names = ["predict_proba", "decision_function", "predict"]
        if isinstance(learner, NearestCentroid):  # has probabilities of its own kind
            names = ["predict"]
        method = next(getattr(learner, name) for name in names if hasattr(learner, name))
        results.append((learner, test, method(data.feature_rows(test))))
    return results


def in_turn(ours, theirs, rounds):
    """Return median seconds of both calls, the median ratio, and what both returned last."""
    spent, returned = [], {}
    for number in range(rounds):
        returned.clear()  # so that no round has to find new memory because of those before
        seconds = {}
        for side in (ours, theirs) if number % 2 == 0 else (theirs, ours):
            seconds[side], returned[side] = cpu_seconds(side)
        spent.append((seconds[ours], seconds[theirs]))
    own, other = (statistics.median(side) for side in zip(*spent, strict=True))
    ratio = statistics.median(theirs_took / ours_took for ours_took, theirs_took in spent)
    return own, other, ratio, returned[ours], returned[theirs]
