"""Quality of the pick of a recommendation with a tenth of the time for all learners.

Data sets of the history that comes along are new in turn: their own rows are left out of it.
The budget is a tenth of the seconds that the history has for the whole catalogue on the data
set. Printed: the pick, its loss against the best of the catalogue in percentage points (the
same ten folds for all, so scores are those of the history), learners tried, and how long the
call took.

    OMP_NUM_THREADS=1 python benchmarks/recommend_live.py --data FOLDER [--sets NAME ...]

FOLDER holds uci/*.arff. The budgets are seconds of the machine that made the history.
"""

from __future__ import annotations

import argparse
import os
import platform
import sys
import time
from pathlib import Path

import numpy as np
import sklearn

import bestofk
from bestofk.data import load_data
from bestofk.recommendation import shipped_history

# Those on which trying all takes longest: on small ones loading a library takes the budget.
SETS = [
    "vowel", "cmc", "yeast", "car", "ozone-8h", "segment", "splice", "krkp", "optdigits",
    "spambase", "mushroom", "pendigits", "nursery",
]  # fmt: skip
SHARE = 0.1  # of the time that the whole catalogue takes


def main() -> None:
    """Recommend on each data set, and print what came of it."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--data", type=Path, required=True, help="folder that holds uci/")
    parser.add_argument("--sets", nargs="+", default=SETS, metavar="NAME")
    options = parser.parse_args()
    print(f"Python {platform.python_version()}, scikit-learn {sklearn.__version__}, bestofk "
          f"{bestofk.__version__}, {os.cpu_count()} cores")  # fmt: skip
    bestofk.recommend("iris", learners=["majority", "lda"])  # loads libraries
    history = shipped_history()
    losses, overruns = [], []
    for name in options.sets:
        index = history.data_sets.index(name)
        scores = dict(zip(history.learners, history.scores[index], strict=True))
        budget = SHARE * float(np.nansum(history.seconds[index]))
        file = next(options.data.glob(f"uci/{name}.arff*"))
        data = load_data(file, target="class")
        start = time.perf_counter()
        recommendation = bestofk.recommend(data, budget=budget, scoring="error")
        taken = time.perf_counter() - start
        best = max(scores, key=lambda key: np.nan_to_num(scores[key]))
        loss = (
            100 * (scores[best] - scores[recommendation.best])
            if recommendation.best
            else float("nan")
        )
        losses.append(loss)
        overruns.append(taken - 1.05 * budget - 1)
        print(
            f"{name}: {recommendation.best} loses {loss:.2f} points against {best}; "
            f"{len(recommendation.tried)} of {len(scores)} tried, "
            f"{sum(attempt.state == 'done' for attempt in recommendation.tried)} in full; "
            f"{taken:.1f} s of "
            f"{budget:.1f} s"
        )
        sys.stdout.flush()
    print(f"at most 1 point lost on {int(np.sum(np.array(losses) <= 1))} of {len(losses)}; "
          f"budget, 5 % and one second kept on {int(np.sum(np.array(overruns) <= 0))}")  # fmt: skip


if __name__ == "__main__":
    main()
