"""Seconds of every learner of the catalogue on 1,000 rows and 20 columns, and its class of cost.

One fit and the predictions for 1,000 other rows, on one thread, medians of the rounds, processor
time. The classes are those of `COSTS`; the last column says where the catalogue has another.
Learners whose packages are missing are left out.

    OMP_NUM_THREADS=1 python benchmarks/catalogue.py [--rounds 3]
"""

from __future__ import annotations

import argparse
import statistics
import time
import warnings

from sklearn.datasets import make_classification, make_friedman1

from bestofk.errors import InvalidArgumentError
from bestofk.learners.catalogue import COSTS, groups_of, learner_catalogue

N_ROWS, N_COLUMNS = 1_000, 20


def tables():
    """Return inputs and target of each task, twice the rows."""
    size = {"n_samples": 2 * N_ROWS, "n_features": N_COLUMNS, "random_state": 0}
    return {
        "classification": make_classification(**size, n_informative=8, flip_y=0.1),
        "regression": make_friedman1(**size, noise=1.0),
    }


def seconds(entry, X, y):
    """Return the processor time of a fit and its predictions."""
    learner = entry.make().set_params(random_state=0)
    start = time.process_time()
    learner.fit(X[:N_ROWS], y[:N_ROWS])
    learner.predict(X[N_ROWS:])
    return time.process_time() - start


def main() -> None:
    """Print a line per learner."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--rounds", type=int, default=3)
    rounds = parser.parse_args().rounds
    data = tables()
    warnings.simplefilter("ignore")
    for entry in learner_catalogue(optional=True).values():
        try:
            seconds(entry, *data[entry.task])  # imports are not its work
        except InvalidArgumentError:
            continue
        took = statistics.median(seconds(entry, *data[entry.task]) for _ in range(rounds))
        cost = next(name for name, bound in COSTS.items() if took < bound)
        differs = "" if cost in groups_of(entry) else f"catalogue: {', '.join(groups_of(entry))}"
        print(f"{entry.name:28s} {entry.task:15s} {took:8.4f} s  {cost:7s} {differs}".rstrip())


if __name__ == "__main__":
    main()
