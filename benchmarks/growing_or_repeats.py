"""Growing rows against repeats on tables between the two: CPU seconds and the pick's true loss.

From each table some rows are drawn, once; the default comparison runs on them with growing rows
and with repeats. The pick of each is trained on all drawn rows and tested on others: error in
points for classes, root mean squared error in hundredths of the target's standard deviation.
FOLDER and the list of tables are those of `default_choice.py`.

    OMP_NUM_THREADS=1 python benchmarks/growing_or_repeats.py FOLDER --tables nassCDS
        [--task classification] [--rows 25000]
"""

from __future__ import annotations

import argparse
import platform
import time
import warnings
from pathlib import Path

import default_choice
import numpy as np
import sklearn

import bestofk
from bestofk import compare
from bestofk.stopping import growing_rows

WAYS = {"growing": 0, "repeats": 10**9}  # rows above which training rows grow


def main():
    """Run and print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--tables", nargs="+", required=True)
    parser.add_argument("--task", choices=default_choice.MEASURES, default="classification")
    parser.add_argument("--rows", type=int, default=25_000)
    options = parser.parse_args()
    options.half = "both"
    warnings.simplefilter("ignore")
    print(f"bestofk {bestofk.__version__}, scikit-learn {sklearn.__version__}, "
          f"python {platform.python_version()}")  # fmt: skip
    print(f"{'table':24s} {'way':8s} {'CPU s':>8s} {'unseen':>8s}  pick")
    files = default_choice.tables(options)
    for name in options.tables:
        path, target, left_out = files[name]
        drawn, unseen = default_choice.drawn_rows(
            path, target, tuple(left_out), options.task, options.rows, 0
        )
        unit = 1.0 if drawn.is_classification else float(np.std(unseen.target_array))
        for way, growing_rows.LARGE in WAYS.items():
            start = time.process_time()
            result = compare(None, drawn, random_state=1, progress=False, n_jobs=1)
            seconds = time.process_time() - start
            learners = {item.name: item for item in result.evaluation.learners}
            pick = learners[result.best].clone(1).fit(drawn.features, drawn.target)
            lost = 100 * default_choice.loss(pick, unseen) / unit
            print(f"{name:24s} {way:8s} {seconds:8.1f} {lost:8.2f}  {result.best}", flush=True)


if __name__ == "__main__":
    main()
