"""Search for the tree settings behind Table II, in both readings of the paper."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from bestofk.data import load_data
from bestofk.evaluation import EvaluationRequest, Store, evaluate
from bestofk.learners import resolve_learners
from bestofk.measures import get_measure
from bestofk.resampling import make_plan
from bestofk.trees import C45Classifier, HellingerTreeClassifier
from replications.running import find_file
from replications.variability_2010.protocol import DATA_SETS, tree
from replications.variability_2010.tables import printed

_N_RUNS = 20


def settings() -> dict[str, tuple[str, Any]]:
    """Return by title the learner that a setting is of, and the tree."""
    return {
        "C4.5, pruned": ("C4.5", C45Classifier()),
        "C4.5, pruned, Laplace": ("C4.5", C45Classifier(laplace=True)),
        "C4.5, unpruned": ("C4.5", C45Classifier(pruning=None)),
        "C4.5, unpruned, Laplace": ("C4.5", C45Classifier(pruning=None, laplace=True)),
        "HDDT, two branches": ("HDDT", HellingerTreeClassifier()),
        "HDDT, a branch for each level": (
            "HDDT", HellingerTreeClassifier(nominal_splits="multiway"),
        ),
    }  # fmt: skip


def readings(folder: Path, names: tuple[str, ...] = tuple(DATA_SETS)) -> pd.DataFrame:
    """Return how far the mean AUROC of each setting is from the mean of the printed iterations.

    Parameters
    ----------
    folder : Path
        Holds ``uci/*.arff``.
    names : tuple of str
        Data sets.

    Returns
    -------
    DataFrame
        By setting, folds (Table II says 10 above and 5 in the text) and way to join folds: mean
        and median over the data sets of the absolute difference.
    """
    table = printed("table_2").groupby(["data_set", "learner"])["auroc"].mean()
    made = settings()
    entered = [(title, tree(item)) for title, (_, item) in made.items()]
    away: dict[tuple[str, int, str], list[float]] = {}
    for name in names:
        data = load_data(find_file(DATA_SETS[name], folder))
        auroc = get_measure("auroc", task=data.task, classes=data.classes)
        for n_folds in (5, 10):
            plan = make_plan(data, f"{_N_RUNS}x{n_folds}")
            request = EvaluationRequest(data, plan, resolve_learners(entered, data.task))
            with Store() as store:
                evaluation = evaluate(request, store)
            values = evaluation.measured(auroc).values
            for index, title in enumerate(evaluation.names):
                target = table[name, made[title][0]]
                for way, mean in (
                    ("mean of folds", values[index].mean()),
                    ("folds pooled", evaluation.pooled_auroc(index).mean()),
                ):
                    away.setdefault((title, n_folds, way), []).append(abs(float(mean) - target))
    return pd.DataFrame(
        [
            {
                "setting": title,
                "n_folds": n_folds,
                "auroc": way,
                "mean_away": round(float(np.mean(values)), 4),
                "median_away": round(float(np.median(values)), 4),
            }
            for (title, n_folds, way), values in away.items()
        ]
    )
