"""Make the history that comes along: the whole catalogue on real data sets.

Every classifier of the catalogue is tested by one repeat of stratified 10-fold cross-validation
on every data set; accuracy and seconds go into a table. What the table has already is kept: the
same line goes on after an interruption, and adds learners that are new in the catalogue. With a
new file as --table everything is done again.

    OMP_NUM_THREADS=1 python -m replications.shipped_history --data FOLDER [--sets NAME ...]
        [--learners NAME ...] [--table FILE.csv]

FOLDER holds uci/*.arff. Without --table it is the table of the package itself.

Times do not depend on the machine: they are those of the processor, in units of a hundred
reference fits, that is in seconds of a machine where one of them takes 10 ms. The reference fit
is that of scikit-learn's decision tree on 1,000 made-up rows of 20 columns; it is timed before and
after each data set.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Final

import numpy as np
import pandas as pd
from sklearn.datasets import make_classification
from sklearn.tree import DecisionTreeClassifier
from threadpoolctl import threadpool_limits

from bestofk import Store, compare
from bestofk.data import DataSet, load_data
from bestofk.learners import learner_catalogue
from bestofk.recommendation.history_of_stores import read_stores
from bestofk.recommendation.read_history import TABLE
from replications.running import find_file

# Real data sets, from small to large; no generated ones, and one of each group of near copies.
DATA_SETS: Final = (
    "labor", "zoo", "promoters", "lymph", "iris", "hepatitis", "wine", "sonar", "glass",
    "heart-statlog", "breast-cancer", "heart-h", "heart-c", "haberman", "flare", "ecoli", "bupa",
    "ionosphere", "dermatology", "horse-colic", "vote", "cylinder-bands", "balance", "credit-a",
    "breast-w", "pima", "tic-tac-toe", "vowel", "cmc", "yeast", "car", "ozone-8h", "segment",
    "splice", "krkp", "optdigits", "spambase", "mushroom", "pendigits", "nursery",
)  # fmt: skip
UNIT: Final = (
    "seconds: of the processor, where a fit of scikit-learn's DecisionTreeClassifier() on "
    "make_classification(1000, 20, n_informative=8, flip_y=0.1, random_state=0) takes 10 ms"
)
_REFERENCE_SECONDS: Final = 0.01
_N_REFERENCE_FITS: Final = 15
_SCORE_DIGITS: Final = 6
_SECOND_DIGITS: Final = 4  # significant
_RUN_SECONDS: Final = 120.0  # a run that takes longer is no way to begin on a new data set


def reference_seconds() -> float:
    """Return the median of some reference fits, in seconds of the processor."""
    X, y = make_classification(1000, 20, n_informative=8, flip_y=0.1, random_state=0)
    taken = []
    for _ in range(_N_REFERENCE_FITS):
        start = time.process_time()
        DecisionTreeClassifier(random_state=0).fit(X, y)
        taken.append(time.process_time() - start)
    return float(np.median(taken))


def tested(data: DataSet, learners: Sequence[str]) -> pd.DataFrame:
    """Test learners on a data set, and return the rows of the table."""
    references = [reference_seconds()]
    with Store() as store:
        result = compare(
            learners, data, cv="1x10", scoring="error", store=store, keep="labels",
            timeout=_RUN_SECONDS, progress=False,
        )  # fmt: skip
        history = read_stores(store)
    references.append(reference_seconds())
    pace = _REFERENCE_SECONDS / np.mean(references)
    runs = result.evaluation.to_frame([result.evaluation.measured(result.measures[0])])
    used = runs.groupby("learner")[["train_cpu_seconds", "predict_cpu_seconds"]].sum()
    seconds = pace * used.sum(axis=1)
    rows = history.to_frame()
    sizes = [int(size) for size in history.shapes[0]]
    for position, (column, value) in enumerate(
        [("n_samples", sizes[0]), ("n_features", sizes[1]),
         ("default_accuracy", history.default_scores[0].round(_SCORE_DIGITS))], start=1,
    ):  # fmt: skip
        rows.insert(position, column, value)
    rows["accuracy"] = rows["accuracy"].round(_SCORE_DIGITS)
    is_known = rows["seconds"].notna()
    rows.loc[is_known, "seconds"] = [
        float(f"{seconds[name]:.{_SECOND_DIGITS}g}") for name in rows["learner"][is_known]
    ]
    return rows


def main(arguments: Sequence[str] | None = None) -> int:
    """Run what the table lacks, and write it after each data set."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--data", type=Path, required=True, help="folder that holds uci/")
    parser.add_argument("--sets", nargs="+", default=list(DATA_SETS), metavar="NAME")
    parser.add_argument("--learners", nargs="+", metavar="NAME", help="instead of all")
    parser.add_argument("--table", type=Path, default=TABLE, help="what to write")
    options = parser.parse_args(arguments)
    learners = list(learner_catalogue("classification"))
    order = {name: i for names in (DATA_SETS, learners) for i, name in enumerate(names)}
    table = pd.DataFrame({"data_set": [], "learner": []})
    if options.table.exists():
        table = pd.read_csv(options.table, comment="#", keep_default_na=False, na_values=[""])
    with threadpool_limits(1):
        compare(learners, "iris", cv="1x10", progress=False)  # imports what is needed
        for name in options.sets:
            known = set(table["learner"][table["data_set"] == name])
            asked = options.learners or learners
            missing = [learner for learner in learners if learner in asked and learner not in known]
            if not missing:
                continue
            start = time.monotonic()
            data = load_data(find_file(name, options.data), target="class")
            rows = tested(data, missing)
            table = pd.concat([table, rows]) if len(table) else rows
            table = table.sort_values(["data_set", "learner"], key=lambda names: names.map(order))
            with options.table.open("w", encoding="utf-8", newline="") as file:
                file.write(f"# {UNIT}\n")
                table.to_csv(file, index=False)
            taken = time.monotonic() - start
            sys.stderr.write(f"{name}: {len(missing)} learners, {taken:.0f} s\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
