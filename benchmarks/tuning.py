"""CPU seconds of tuned learners against nested grid search and against untuned scikit-learn.

Each learner on each data set, 10x10 outer and 5 inner folds (1x10 for those that share little):
tuned here; by `GridSearchCV` over the same settings and folds, of which some outer splits are
done and the others extrapolated; and untuned, run by run. The sides take turns.

    OMP_NUM_THREADS=1 python benchmarks/tuning.py FILE... [--learners knn,lda] [--slow-splits 2]
"""

from __future__ import annotations

import argparse
import platform
import time
import warnings
from pathlib import Path
from statistics import median

import numpy as np
import sklearn
from sklearn.base import clone
from sklearn.linear_model import RidgeClassifier
from sklearn.model_selection import GridSearchCV

import bestofk
from bestofk import compare, load_data
from bestofk.learners.linear import RIDGE
from bestofk.learners.pipeline import learner_pipeline
from bestofk.resampling import make_plan
from bestofk.tuning import Tuned

SHARED = ("knn", "ridge", "lda", "naive-bayes", "logistic")
FEW = ("cart", "sklearn-cart", "gradient-boosting", "random-forest")
INNER = 5


def tuned_learner(name: str) -> Tuned:
    """Return a tuned learner, ridge as a classifier."""
    if name == "ridge":
        return Tuned(
            learner_pipeline(RidgeClassifier(), standardize=True), RIDGE.space, inner=INNER
        )
    return Tuned(name, inner=INNER)


def seconds_of_comparison(learner: object, data: object, cv: str, batched: str) -> float:
    """Return the CPU seconds of a comparison with one learner that counts."""
    start = time.process_time()
    compare({"learner": learner, "majority": "majority"}, data, cv=cv, batched=batched)
    return time.process_time() - start


def seconds_of_search(tuned: Tuned, data: object, cv: str, n_splits: int) -> tuple[float, int]:
    """Return the CPU seconds of nested grid search, extrapolated, and how many choices agree."""
    plan = make_plan(data, cv, stratify=True, random_state=0)
    names = [k for k, v in tuned.get_params().items() if k.endswith("random_state") and v is None]
    tuned = clone(tuned).set_params(rule="best", **dict.fromkeys(names, 0))
    grid = [{name: [value] for name, value in setting.items()} for setting in tuned.settings()]
    total, n_same = 0.0, 0
    for split in range(n_splits):
        rows, test = plan.train_rows[split], plan.test_rows[split]
        X, y = data.feature_rows(rows), data.target_rows(rows)
        parts = tuned.parts(X, np.asarray(y))
        folds = tuned.inner_folds(parts, np.arange(len(rows)), None, 0)[0]
        inner = [(np.flatnonzero(folds != k), np.flatnonzero(folds == k)) for k in range(INNER)]
        start = time.process_time()
        search = GridSearchCV(clone(tuned.learner), grid, cv=inner, scoring="accuracy").fit(X, y)
        search.predict(data.feature_rows(test))
        total += time.process_time() - start
        scores = search.cv_results_["mean_test_score"]
        own = tuned.fit(X, y).choice_["index"]
        n_same += bool(scores[own] >= np.nanmax(scores) - 1e-9)  # NaN: refused settings
    return total / n_splits * len(plan.train_rows), n_same


def main() -> None:
    """Measure all sides on all files, and print a line for each and the medians."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("files", nargs="+", type=Path)
    parser.add_argument("--learners", default=",".join(SHARED))
    parser.add_argument("--slow-splits", type=int, default=2)
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    compare("majority,nearest-mean", "iris", cv="2x2")  # what the first call imports
    print(
        f"bestofk {bestofk.__version__}, scikit-learn {sklearn.__version__}, "
        f"Python {platform.python_version()}"
    )
    print("data            learner            tuned s   search/tuned  tuned/untuned  same choice")
    ratios: dict[str, list[tuple[float, float]]] = {}
    for path in options.files:
        data = load_data(path)
        for name in options.learners.split(","):
            cv, tuned = ("1x10" if name in FEW else "10x10"), tuned_learner(name)
            untuned = seconds_of_comparison(clone(tuned.learner), data, cv, "never")
            own = seconds_of_comparison(tuned, data, cv, "auto")
            search, n_same = seconds_of_search(tuned, data, cv, options.slow_splits)
            ratios.setdefault(name, []).append((search / own, own / untuned))
            print(
                f"{path.name.split('.')[0]:16s}{name:19s}{own:7.2f}{search / own:15.0f}"
                f"{own / untuned:15.2f}{n_same:8d} of {options.slow_splits}", flush=True,
            )  # fmt: skip
    for name, pairs in ratios.items():
        gain, cost = (median(values) for values in zip(*pairs, strict=True))
        print(f"median          {name:19s}{'':7s}{gain:15.0f}{cost:15.2f}")


if __name__ == "__main__":
    main()
