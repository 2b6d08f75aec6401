"""Times of batched learning curves, compared with `learning_curve` of scikit-learn.

Ten sizes, the splits of 10x10, breast_cancer, the same rows in the same order on both sides,
errors on the rows left out and on those that trained. Each line: milliseconds per size and split
of both sides, the median ratio over rounds, and the largest difference of any two scores. First
every learner by its form for subsets, what it computes once included; then `bestofk.learning_curve`
as users call it, which also keeps every run in a store, and times and weighs a plain fit at every
size. Both sides in turn in one process on one thread, CPU time; scikit-learn does the splits of
one repeat in ten, which is scaled.

    OMP_NUM_THREADS=1 python benchmarks/batched_curves.py [--rounds 3] [--scoring accuracy]
"""

from __future__ import annotations

import argparse
import platform
import statistics
import time
import warnings

import numpy as np
import sklearn
from sklearn.datasets import load_breast_cancer
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import learning_curve as sklearn_curve
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import bestofk
from bestofk.batched import Subsets, batched_form
from bestofk.data import from_arrays
from bestofk.learners.nearest_mean_classifier import NearestMeanClassifier
from bestofk.resampling import make_plan
from bestofk.resampling.partial_training import PrefixPlan, curve_sizes, prefix_orders
from bestofk.trees import C45Classifier, HellingerTreeClassifier

LEARNERS = {
    "nearest mean": NearestMeanClassifier(),
    "naive Bayes": GaussianNB(),
    "5-NN": KNeighborsClassifier(5),
    "logistic, scaled": make_pipeline(StandardScaler(), LogisticRegression()),
    "C4.5": C45Classifier(),
}
OTHERS = {
    "nearest mean, scaled": make_pipeline(StandardScaler(), NearestMeanClassifier()),
    "5-NN, scaled": make_pipeline(StandardScaler(), KNeighborsClassifier(5)),
    "HDDT": HellingerTreeClassifier(),
    "logistic, tol 1e-8": make_pipeline(
        StandardScaler(), LogisticRegression(tol=1e-8, max_iter=10_000)
    ),
}
# What `scoring` is called here, and what turns its values into those of scikit-learn.
MEASURES = {
    "accuracy": ("accuracy", 1),
    "neg_log_loss": ("log_loss", -1),
    "roc_auc": ("auroc", 1),
}
N_SIZES, N_PLAIN = 10, 10


def cpu_seconds(call):
    """Return the CPU seconds of a call, and what it returns."""
    start = time.process_time()
    result = call()
    return time.process_time() - start, result


def by_form(learner, data, plans):
    """Return test and training accuracies of one learner, (2, n_sizes, n_splits)."""
    form = batched_form(learner, data.features, data.target_array, data.y, data.classes)
    scores = np.empty((2, len(plans), len(plans[0])))
    for size, plan in enumerate(plans):
        rows = np.concatenate(plan.test_rows)
        lengths = np.array([[len(all_) - plan.size, plan.size] for all_ in plan.test_rows])
        start = np.concatenate([[0], np.cumsum(lengths.sum(axis=1))])
        states = np.zeros(len(plan), dtype=np.int64) if form.is_random else None
        result = form.predict_subsets(Subsets(np.array(plan.train_rows), rows, start), states)
        assert result.is_done is None or result.is_done.all()
        is_right = (result.labels == data.y[rows]).astype(float)
        edges = np.concatenate([[0], np.cumsum(lengths.ravel())])[:-1]
        scores[:, size] = (np.add.reduceat(is_right, edges).reshape(-1, 2) / lengths).T
    return scores


def by_sklearn(learner, data, plans, scoring):
    """Return what `learning_curve` of scikit-learn gives for the splits of the first repeats."""
    base = plans[0].base
    pairs = zip(plans[0].orders[:N_PLAIN], base.test_rows[:N_PLAIN], strict=True)
    sizes = [plan.size for plan in plans]
    X, y = data.features, data.target_array
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        _, train, test = sklearn_curve(
            learner, X, y, train_sizes=sizes, cv=list(pairs), scoring=scoring
        )
    return np.array([test, train])


def in_rounds(ours, theirs, n_rounds):
    """Return median seconds of both sides, their median ratio, and what both returned."""
    spent = []
    for number in range(n_rounds):
        sides = [ours, theirs] if number % 2 == 0 else [theirs, ours]
        timed = [cpu_seconds(side) for side in sides]
        spent.append(timed if number % 2 == 0 else timed[::-1])
    seconds = [[item[side][0] for item in spent] for side in (0, 1)]
    return *map(statistics.median, seconds), seconds, spent[-1][0][1], spent[-1][1][1]


def main():
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--scoring", default="accuracy", choices=MEASURES)
    options = parser.parse_args()
    print(
        f"bestofk {bestofk.__version__}, scikit-learn {sklearn.__version__}, "
        f"numpy {np.__version__}, Python {platform.python_version()}"
    )
    data = from_arrays(*load_breast_cancer(return_X_y=True))
    base = make_plan(data, "10x10")
    orders = prefix_orders(data, base)
    sizes = curve_sizes(N_SIZES, int(base.sizes[0].min()), n_classes=2)
    plans = [PrefixPlan.of(base, orders, int(size)) for size in sizes]
    n_cells, n_plain = len(plans) * len(base), len(plans) * N_PLAIN
    print(f"{N_SIZES} sizes from {sizes[0]} to {sizes[-1]} rows, {len(base)} splits")
    for plan in plans:
        assert len(plan.test_rows) == len(plan.train_rows)  # both sides are given the rows
    if options.scoring == "accuracy":
        print(f"{'':22}{'batched ms':>10}{'sklearn ms':>12}{'ratio':>8}{'difference':>12}")
        totals = np.zeros((2, options.rounds))
        for name, learner in {**LEARNERS, **OTHERS}.items():
            by_form(learner, data, plans)  # what only a first call needs is not counted
            own, other, seconds, mine, theirs = in_rounds(
                lambda item=learner: by_form(item, data, plans),
                lambda item=learner: by_sklearn(item, data, plans, "accuracy"),
                options.rounds,
            )
            if name in LEARNERS:
                totals += np.array(seconds) / np.array([[n_cells], [n_plain]])
            gap = np.abs(mine[:, :, :N_PLAIN] - theirs).max()
            own, other = 1e3 * own / n_cells, 1e3 * other / n_plain
            print(f"{name:22}{own:10.3f}{other:12.2f}{other / own:7.0f}x{gap:12.1e}", flush=True)
        own, other = 1e3 * np.median(totals, axis=1)
        ratio = np.median(totals[1] / totals[0])
        print(f"{'the first five':22}{own:10.3f}{other:12.2f}{ratio:7.1f}x")
    measure, sign = MEASURES[options.scoring]
    request = {"train_sizes": sizes.tolist(), "cv": "10x10", "scoring": measure}

    def ours():
        return bestofk.learning_curve(
            LEARNERS, data.features, data.target_array, progress=False, **request
        )

    def theirs():
        return [by_sklearn(item, data, plans, options.scoring) for item in LEARNERS.values()]

    ours()
    own, other, _, mine, theirs_found = in_rounds(ours, theirs, options.rounds)
    values = sign * np.array([mine.test_values, mine.train_values]).swapaxes(1, 2)[..., :N_PLAIN]
    gap = np.abs(values.swapaxes(0, 1) - np.array(theirs_found)).max(axis=(1, 2, 3))
    other *= n_cells / n_plain
    print(
        f"{options.scoring}, learning_curve of five learners, {5 * n_cells} fits: {own:.2f} s "
        f"against {other:.1f} s, {other / own:.1f}x; largest differences "
        + ", ".join(f"{name} {item:.1e}" for name, item in zip(LEARNERS, gap, strict=True))
    )


if __name__ == "__main__":
    main()
