"""Meta-data of the replication: two public tables with times, and one without.

The table of the paper, 53 learners on 39 data sets, was not found.
"""

from __future__ import annotations

from pathlib import Path
from typing import Final

import numpy as np

from bestofk.recommendation.history import History
from bestofk.recommendation.read_history import read_history

TABZILLA_LEAST: Final = 160  # results that a learner must have to be a column
_N_FOLDS: Final = 10  # of TabZilla, whose times are of one fold


def oboe(folder: Path) -> History:
    """Return 209 data sets x 219 configurations, balanced accuracy and seconds of five folds."""
    meta = folder / "meta"
    errors = meta / "oboe-shared-balanced-error.csv.gz"
    return read_history({"errors": errors, "seconds": meta / "oboe-shared-time-s.csv.gz"})


def tabzilla(folder: Path) -> History:
    """Return the learners that ended on 160 data sets, where all of them did; ten folds."""
    history = read_history(
        folder / "meta" / "tabzilla_accuracy_traintime.csv.gz",
        columns={"value": "Accuracy__test_mean", "seconds": "time__train_mean"},
        n_folds=_N_FOLDS,
    )
    is_there = ~np.isnan(history.scores)
    learners = np.flatnonzero(is_there.sum(axis=0) >= TABZILLA_LEAST)
    data_sets = np.flatnonzero(is_there[:, learners].all(axis=1))
    kept = history.part(data_sets=data_sets, learners=learners)
    # made anew: the score before any test is the lowest of the learners that are kept
    return History.from_arrays(
        kept.scores, kept.seconds, data_sets=kept.data_sets, learners=kept.learners
    )


def weka(folder: Path) -> History:
    """Return 105 data sets x 30 classifiers of Weka, accuracy of ten folds; no times."""
    return read_history(folder / "aslib" / "OPENML-WEKA-2017")


TIMED: Final = {"Oboe": oboe, "TabZilla": tabzilla}
