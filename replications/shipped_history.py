"""Make the history that comes along: the whole catalogue on real data sets.

Every classifier of the catalogue is tested by one repeat of stratified 10-fold cross-validation
on every data set; accuracy and seconds go into a table. What is done is kept in a store, and the
same line goes on from there.

    OMP_NUM_THREADS=1 python -m replications.shipped_history --data FOLDER --store FILE.bestofk
        [--sets NAME ...] [--table FILE.csv]

FOLDER holds uci/*.arff. Without --table the table of the package itself is written. Times are
those of the machine it runs on: let nothing else run beside it.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Final

import numpy as np
from threadpoolctl import threadpool_limits

from bestofk import Store, compare
from bestofk.data import load_data
from bestofk.learners import learner_catalogue
from bestofk.recommendation.history import History
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
_ROW: Final = ("data_set", "n_samples", "n_features", "default_accuracy")
_SCORE_DIGITS: Final = 6
_SECOND_DIGITS: Final = 4  # significant
_RUN_SECONDS: Final = 120.0  # a run that takes longer is no way to begin on a new data set


def write_shipped(history: History, path: Path = TABLE) -> None:
    """Write a history as the table that comes along.

    Parameters
    ----------
    history : History
        Of accuracy.
    path : Path
        The CSV file; its first line is a remark that names the machine.
    """
    frame = history.to_frame()
    n = history.n_learners
    for column, values in zip(_ROW[1:], (*history.shapes.T, history.default_scores), strict=True):
        frame[column] = np.repeat(values, n)
    for column in ("n_samples", "n_features"):
        frame[column] = frame[column].astype(int)
    frame["accuracy"] = frame["accuracy"].round(_SCORE_DIGITS)
    frame["default_accuracy"] = frame["default_accuracy"].round(_SCORE_DIGITS)
    frame["seconds"] = [float(f"{value:.{_SECOND_DIGITS}g}") for value in frame["seconds"]]
    machine = "; ".join(history.machines) or "unknown machine"
    with path.open("w", encoding="utf-8", newline="") as file:
        file.write(f"# {machine}\n")
        frame[[*_ROW, "learner", "state", "accuracy", "seconds"]].to_csv(file, index=False)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run what is missing, and write the table."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--data", type=Path, required=True, help="folder that holds uci/")
    parser.add_argument("--store", type=Path, required=True, help="where runs are kept")
    parser.add_argument("--sets", nargs="+", default=list(DATA_SETS), metavar="NAME")
    parser.add_argument("--table", type=Path, default=TABLE, help="what to write")
    options = parser.parse_args(arguments)
    learners = list(learner_catalogue("classification"))
    with threadpool_limits(1):
        compare(learners, "iris", cv="1x10", progress=False)  # imports what is needed
        for name in options.sets:
            start = time.monotonic()
            compare(
                learners, load_data(find_file(name, options.data), target="class"), cv="1x10",
                scoring="error", store=options.store, keep="labels", timeout=_RUN_SECONDS,
                progress=False,
            )  # fmt: skip
            sys.stderr.write(f"{name}: {time.monotonic() - start:.0f} s\n")
    with Store(options.store) as store:
        history = read_stores(store)
    write_shipped(history, options.table)
    sys.stderr.write(f"{history} written to {options.table}\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
