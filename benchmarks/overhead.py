"""Time that bestofk adds to the fits themselves, compared with scikit-learn.

Three ways to evaluate the same five learners on the same splits of breast_cancer (10x10),
measured in turn in one process on one thread:

bare            clone, fit, predict_proba (predict where there are no probabilities)
bestofk         evaluate with the store in memory, then three measures of every fold
cross_validate  scikit-learn's, with the same three scorers

Prints the median over the rounds of CPU seconds, and the median of the ratios of a round;
what a plain run costs of each of some estimators of scikit-learn, in milliseconds, and a bare
one, which clones, fits, and predicts what a run keeps: labels, and probabilities where there
are some (at most 1.15 times as much from 5 ms on, at most 0.5 ms more below); then how many runs
per second a store on disk takes in blocks.

    OMP_NUM_THREADS=1 python benchmarks/overhead.py [--rounds 5] [--cv 10x10]
"""

from __future__ import annotations

import argparse
import platform
import statistics
import tempfile
import time
import warnings
from pathlib import Path

import joblib
import numpy as np
import sklearn
from sklearn.base import clone
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.dummy import DummyClassifier
from sklearn.ensemble import GradientBoostingClassifier, RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import cross_validate
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier
from threadpoolctl import threadpool_limits

import bestofk
from bestofk.data import load_data
from bestofk.evaluation import EvaluationRequest, Predictions, RunRecord, Store, evaluate
from bestofk.learners import Learner, resolve_learners
from bestofk.measures import get_measure
from bestofk.resampling import make_plan

LEARNERS = ["majority", "nearest-mean", "logistic", "cart", "1nn"]
MEASURES = {"accuracy": "accuracy", "auroc": "roc_auc", "log_loss": "neg_log_loss"}

ESTIMATORS = {
    "dummy": DummyClassifier(random_state=0),
    "naive Bayes": GaussianNB(),
    "LDA": LinearDiscriminantAnalysis(),
    "5-NN": make_pipeline(StandardScaler(), KNeighborsClassifier(5)),
    "logistic": make_pipeline(StandardScaler(), LogisticRegression(max_iter=1000)),
    "tree": DecisionTreeClassifier(random_state=0),
    "forest of 10": RandomForestClassifier(10, random_state=0),
    "boosting, 20": GradientBoostingClassifier(n_estimators=20, random_state=0),
}


def bare(data, plan, learners):
    """Run the fits and predictions alone."""
    for split in plan:
        for learner in learners:
            estimator = clone(learner.estimator)
            estimator.fit(data.feature_rows(split.train_rows), data.target_rows(split.train_rows))
            predict = getattr(estimator, "predict_proba", estimator.predict)
            predict(data.feature_rows(split.test_rows))


def with_bestofk(data, plan, learners):
    """Evaluate into a store in memory, then compute three measures of every fold."""
    with Store(None) as store:
        evaluation = evaluate(EvaluationRequest(data, plan, learners), store)
    for name in MEASURES:
        evaluation.measured(get_measure(name, task=data.task, classes=data.classes))
    assert evaluation.n_fitted == len(plan) * len(learners)


def with_cross_validate(data, plan, learners):
    """Evaluate by scikit-learn with the same splits and scorers."""
    cv = [(split.train_rows, split.test_rows) for split in plan]
    scorers = list(MEASURES.values())
    for learner in learners:
        cross_validate(learner.estimator, data.features, data.y, cv=cv, scoring=scorers)


def bare_runs(data, plan, estimator):
    """Clone, fit and predict on every split: labels, and probabilities where there are some."""
    for split in plan:
        model = clone(estimator)
        model.fit(data.feature_rows(split.train_rows), data.target_rows(split.train_rows))
        features = data.feature_rows(split.test_rows)
        model.predict(features)
        if hasattr(model, "predict_proba"):
            model.predict_proba(features)


def plain_runs(data, plan, estimator):
    """Do the plain runs of one estimator into a store in memory."""
    request = EvaluationRequest(data, plan, [Learner("one", estimator)], batched="never")
    with Store(None) as store:
        assert evaluate(request, store).n_fitted == len(plan)


def cost_of_runs(data, plan, rounds):
    """Print milliseconds of a bare and of a plain run of every estimator."""
    print(f"{'CPU of a run':16s}     bare  bestofk  ratio  difference")
    for name, estimator in ESTIMATORS.items():
        spent = {bare_runs: [], plain_runs: []}
        for _ in range(rounds):
            for way, milliseconds in spent.items():
                start = time.process_time()
                way(data, plan, estimator)
                milliseconds.append((time.process_time() - start) * 1e3 / len(plan))
        one, other = map(statistics.median, spent.values())
        holds = other <= 1.15 * one if one >= 5 else other - one <= 0.5
        print(f"{name:16s} {one:8.2f} {other:8.2f} {other / one:6.2f} {other - one:8.2f} ms"
              f"   {'holds' if holds else 'does not hold'}", flush=True)  # fmt: skip


def store_writes(n_runs=40_000, n_test=57):
    """Return how many runs per second a store on disk takes when they come in blocks."""
    rng = np.random.default_rng(0)
    p = rng.random(n_test)
    predictions = Predictions((p > 0.5).astype(np.int64), probabilities=np.c_[1 - p, p])
    record = RunRecord("ok", predictions, 0.01, 0.01)
    with tempfile.TemporaryDirectory() as folder, Store(Path(folder) / "s.db") as store:
        start = time.perf_counter()
        for run in range(n_runs):
            store.add((1, 1), [run], [0], [record], keep="probabilities", n_classes=2)
            if run % 5_000 == 4_999:
                store.flush()
        store.flush()
        seconds = time.perf_counter() - start
        assert store.n_runs() == n_runs
    return n_runs / seconds


def main():
    """Measure in turn and print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--cv", default="10x10")
    options = parser.parse_args()
    data = load_data("breast_cancer")
    plan = make_plan(data, options.cv)
    learners = resolve_learners(LEARNERS, data.task)
    print(f"bestofk {bestofk.__version__}, scikit-learn {sklearn.__version__}, "
          f"numpy {np.__version__}, joblib {joblib.__version__}, "
          f"python {platform.python_version()}, {platform.machine()}")  # fmt: skip
    ways = {"bare": bare, "bestofk": with_bestofk, "cross_validate": with_cross_validate}
    seconds = {name: [] for name in ways}
    with threadpool_limits(1), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for way in ways.values():  # first calls import and warm up
            way(data, make_plan(data, "1x2"), learners)
        for _ in range(options.rounds):
            spent = dict.fromkeys(ways, 0.0)
            for name in (*ways, *reversed(ways)):  # there and back, so that drift cancels
                start = time.process_time()
                ways[name](data, plan, learners)
                spent[name] += (time.process_time() - start) / 2
            for name in ways:
                seconds[name].append(spent[name])
    with threadpool_limits(1), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        cost_of_runs(data, plan, options.rounds)
        writes = statistics.median(store_writes() for _ in range(3))
    n_fits = len(plan) * len(learners)
    print(f"breast_cancer, {options.cv}, {len(learners)} learners, 3 measures, {n_fits} fits; "
          f"median of {options.rounds} rounds in turn")  # fmt: skip
    for name, values in seconds.items():
        print(f"{name:16s} {statistics.median(values):8.3f} CPU seconds")
    for other, bound in (("bare", "at most 1.10"), ("cross_validate", "at most 0.5")):
        ratios = [a / b for a, b in zip(seconds["bestofk"], seconds[other], strict=True)]
        print(f"bestofk / {other:16s} {statistics.median(ratios):6.3f}   ({bound})")
    print(f"store writes     {writes:8.0f} runs per second in blocks (at least 20,000)")


if __name__ == "__main__":
    main()
