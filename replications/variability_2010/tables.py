"""Tables I, III, IV and V with the printed values."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from scipy.stats import rankdata

from bestofk.inference import bonferroni_dunn_critical_difference, reproducibility_r
from replications.variability_2010.experiment import Estimates, Floats
from replications.variability_2010.protocol import (
    CANONICAL,
    COMPARED,
    FOLDS,
    LEARNERS,
    LEARNERS_OF_TRUE_TEST_SETS,
)
from replications.variability_2010.stopping import RULES

PRINTED = Path(__file__).parent / "printed"
KINDS = ("canonical", "steady")
# What Table I compares each number of folds with, by kind.
_REFERENCE = {"canonical": 2, "steady": 10}
_TEST_SET = "test set"


def printed(name: str) -> pd.DataFrame:
    """Return a printed table."""
    return pd.read_csv(PRINTED / f"{name}.csv")


def estimate(values: Floats, kind: str) -> Floats:
    """Return the canonical or the steady estimates from those of all iterations.

    Parameters
    ----------
    values : ndarray of shape (n_designs, n_runs), float
        2, 5 and 10 folds.
    kind : {"canonical", "steady"}
        The first iterations, or all.

    Returns
    -------
    ndarray of shape (n_designs,)
    """
    if kind == "steady":
        return np.asarray(values.mean(axis=1))
    return np.array([row[: CANONICAL[k]].mean() for k, row in zip(FOLDS, values, strict=True)])


def table_1(found: Sequence[Estimates]) -> pd.DataFrame:
    """Return the average ranks of the estimates by 2, 5 and 10 folds; 1 is the highest."""
    distance = bonferroni_dunn_critical_difference(len(FOLDS), len(found))
    rows = []
    for kind in KINDS:
        reference = FOLDS.index(_REFERENCE[kind])
        for learner in LEARNERS:
            ranks = [rankdata(-estimate(item.auroc[learner], kind).round(12)) for item in found]
            mean = np.mean(ranks, axis=0)
            for n_folds, rank in zip(FOLDS, mean, strict=True):
                names = {"kind": kind, "n_folds": n_folds, "learner": learner}
                differs = bool(abs(rank - mean[reference]) >= distance)
                rows.append(names | {"rank": round(rank, 2), "differs": differs})
    beside = printed("table_1").rename(columns={"rank": "printed_rank"})
    merged = pd.DataFrame(rows).merge(beside, on=["kind", "n_folds", "learner"])
    merged["critical_distance"] = round(distance, 3)
    return merged[[
        "kind", "n_folds", "learner", "printed_rank", "rank", "differs", "critical_distance",
    ]]  # fmt: skip


def table_3_reproducibility(found: Sequence[Estimates]) -> pd.DataFrame:
    """Return how reproducible each comparison is where each criterion ends it."""
    rows = []
    for n_folds, first, second in COMPARED:
        for item in found:
            ends = [item.ends[f"{n_folds} {learner}"].estimates for learner in (first, second)]
            for number, rule in enumerate(RULES):
                names = {"n_folds": n_folds, "first": first, "second": second}
                value = reproducibility_r(ends[0][number], ends[1][number])
                names |= {"data_set": item.name, "rule": rule}
                rows.append(names | {"reproducibility": round(value, 2)})
    return _beside("table_3_reproducibility", rows, "reproducibility")


def table_3_iterations(found: Sequence[Estimates]) -> pd.DataFrame:
    """Return after how many iterations each criterion ends, on average over random orders."""
    rows = []
    for n_folds, *pair in COMPARED:
        for item in found:
            for learner in pair:
                ends = item.ends[f"{n_folds} {learner}"].iterations
                for number, rule in enumerate(RULES):
                    names = {"n_folds": n_folds, "data_set": item.name, "learner": learner}
                    mean = round(float(ends[number].mean()), 2)
                    rows.append(names | {"rule": rule, "iterations": mean})
    return _beside("table_3_iterations", rows, "iterations")


def _beside(name: str, rows: list[dict[str, Any]], column: str) -> pd.DataFrame:
    """Return rows with the printed values in front of those found; printed rows alone."""
    here = pd.DataFrame(rows)
    keys = [key for key in here if key != column]
    beside = printed(name).rename(columns={column: f"printed_{column}"})
    return beside.merge(here, on=keys)[[*keys, f"printed_{column}", column]]


def tables_4_and_5(found: Sequence[Estimates]) -> dict[str, pd.DataFrame]:
    """Return the estimates of data sets with a true test set, and the AUROC on that set."""
    return {
        "table_4": _of_true_test_sets(found, "canonical", 4),
        "table_5": _of_true_test_sets(found, "steady", 5),
    }


def _of_true_test_sets(found: Sequence[Estimates], kind: str, number: int) -> pd.DataFrame:
    rows = []
    for item in found:
        for learner in LEARNERS_OF_TRUE_TEST_SETS:
            values = [*estimate(item.auroc[learner], kind).tolist(), item.on_test_set[learner]]
            for label, value in zip((*FOLDS, _TEST_SET), values, strict=True):
                names = {"data_set": item.name, "n_folds": str(label), "learner": learner}
                rows.append(names | {"auroc": round(value, 3)})
    return _beside(f"table_{number}", rows, "auroc")


def errors_of_estimates(table: pd.DataFrame, column: str) -> pd.DataFrame:
    """Return by folds and learner how far estimates are from the AUROC on the true test set.

    Parameters
    ----------
    table : DataFrame
        With data_set, n_folds and learner.
    column : str
        The estimates.

    Returns
    -------
    DataFrame
        With mean_absolute_error, which the paper prints under the name MSE, and
        mean_squared_error.
    """
    is_actual = table["n_folds"] == _TEST_SET
    keys = ["data_set", "learner"]
    actual = table.loc[is_actual, [*keys, column]].rename(columns={column: "actual"})
    both = table[~is_actual].merge(actual, on=keys)
    away = both[column] - both["actual"]
    both = both.assign(mean_absolute_error=away.abs(), mean_squared_error=away**2)
    means = both.groupby(["n_folds", "learner"], sort=False)[
        ["mean_absolute_error", "mean_squared_error"]
    ].mean()
    return means.reset_index().round(4)


def table_of_errors(four: pd.DataFrame, five: pd.DataFrame) -> pd.DataFrame:
    """Return the errors of estimates: all printed ones, printed ones at hand, and those here."""
    parts = []
    for number, table in ((4, four), (5, five)):
        whole = printed(f"table_{number}")
        for source, item, column in (
            ("printed, all 7 sets", whole, "auroc"),
            ("printed, sets at hand", table, "printed_auroc"),
            ("here", table, "auroc"),
        ):
            errors = errors_of_estimates(item, column)
            errors.insert(0, "table", number)
            errors.insert(1, "source", source)
            parts.append(errors)
    return pd.concat(parts)


def estimates(found: Sequence[Estimates]) -> pd.DataFrame:
    """Return the AUROC of every learner: mean of folds, and rows of all folds together."""
    rows = []
    for item in found:
        for learner, values in item.auroc.items():
            for index, n_folds in enumerate(FOLDS):
                of_runs, pooled = values[index], item.pooled[learner][index]
                rows.append(
                    {
                        "data_set": item.name,
                        "learner": learner,
                        "n_folds": n_folds,
                        "mean": round(float(of_runs.mean()), 4),
                        "sd": round(float(of_runs.std(ddof=1)), 4),
                        "mean_pooled": round(float(pooled.mean()), 4),
                        "sd_pooled": round(float(pooled.std(ddof=1)), 4),
                    }
                )
    return pd.DataFrame(rows)


def cost(found: Sequence[Estimates]) -> pd.DataFrame:
    """Return what the runs on each data set took."""
    return pd.DataFrame(
        [
            {
                "data_set": item.name,
                "rows": item.shape[0],
                "columns": item.shape[1],
                "fits": item.n_runs * sum(FOLDS) * (6 if item.ends else 3),
                "cpu_seconds": round(item.cpu_seconds, 1),
            }
            for item in found
        ]
    )
