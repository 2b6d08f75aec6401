"""Export of a store as one table of scores that any program can read."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from types import SimpleNamespace
from typing import Any

import numpy as np

from bestofk.errors import InvalidArgumentError, nearest_name
from bestofk.evaluation.record import OK, TIMEOUT, RunRecord
from bestofk.evaluation.score import missing_reason, prediction_batch
from bestofk.evaluation.store.store import Store
from bestofk.measures import (
    Measure,
    choose_scoring,
    get_measure,
    measure_names,
    resolve_pos_label,
    shown_measures,
)

SHAPES = ("long", "wide")
_LONG = [
    "dataset", "plan", "learner", "repeat", "fold", "measure", "value", "n_train", "n_test",
    "status", "train_seconds", "predict_seconds", "fit_mode", "message",
]  # fmt: skip
_SPLIT = ["dataset", "plan", "repeat", "fold", "n_train", "n_test"]
_Run = dict[str, Any]


def export_scores(
    store: Store, measures: Sequence[str] | None = None, *, shape: str = "long"
) -> Any:
    """Return the scores of all runs of a store, computed from the stored predictions.

    Parameters
    ----------
    store : Store
        All its comparisons are taken; a run that several of them share is there once.
    measures : sequence of str, optional
        Names of measures, each taken for the data sets of its task.  By default error (mean
        squared error for regression) and those that every report shows; the first of them
        for the wide shape, which takes one.
    shape : {"long", "wide"}, default="long"
        One row per run and measure, or one row per split and one column per learner.

    Returns
    -------
    DataFrame
        Long: dataset, plan, learner, repeat, fold, measure, value (in the unit of the
        measure; nan where there is none), n_train, n_test, status, train_seconds,
        predict_seconds, fit_mode (plain or batched), message (of the run, or why there is no
        value).
        Wide: dataset, plan, repeat, fold, n_train, n_test, then the learners.
        What shares a name but is not the same carries the start of its identity too.

    Raises
    ------
    InvalidArgumentError
        If a name is unknown, or the wide shape is asked for more than one measure.

    Notes
    -----
    Two classes: the positive one is the rarer one, whatever class a comparison used.
    Where predictions were not kept, values stored with the runs are used.

    Examples
    --------
    >>> from bestofk import Store, compare
    >>> with Store() as store:
    ...     _ = compare(["majority", "nearest-mean"], "iris", cv="5x2", store=store)
    ...     export_scores(store, ["error"], shape="wide").columns[-2:].tolist()
    ['majority', 'nearest-mean']
    """
    _check(measures, shape)
    runs = _labelled(_one_per_key(store.stored_runs()))
    if measures is None and shape == "wide":
        tasks = {run["task"] for run in runs}
        measures = [choose_scoring(task, [1, 1])[0][0] for task in sorted(tasks)][:1]
    table = _long_table(runs, store, measures)
    return table if shape == "long" else _wide_table(table)


def _check(measures: Sequence[str] | None, shape: str) -> None:
    if shape not in SHAPES:
        raise InvalidArgumentError(
            f"shape must be long or wide; got {shape!r}. {nearest_name(shape, SHAPES)}"
        )
    if shape == "wide" and measures is not None and len(measures) != 1:
        raise InvalidArgumentError(
            f"measures must be one for the wide shape; got {', '.join(measures)}. "
            "Use the long shape for several."
        )
    known = [name for task in ("classification", "regression") for name in measure_names(task)]
    for name in measures or ():
        if name not in known:
            raise InvalidArgumentError(
                f"measures must be names of measures; got {name!r}. {nearest_name(name, known)}"
            )


def _one_per_key(rows: Iterable[_Run]) -> list[_Run]:
    """Keep one row per run: one that finished wins over those that ran out of time."""
    chosen: dict[tuple[Any, ...], _Run] = {}
    for row in rows:
        key = (row["data_id"], *_plan_key(row), row["learner"], row["learner_id"], row["repeat"],
               row["fold"], row["stream"])  # fmt: skip
        if key not in chosen or chosen[key]["status"] == TIMEOUT:
            chosen[key] = row
    return list(chosen.values())


def _plan_key(row: _Run) -> tuple[str, int]:
    return row["plan_id"], row["random_state"]


def _labelled(runs: list[_Run]) -> list[_Run]:
    """Make the names of data sets, plans and learners unique where the items differ."""
    data = _labels({(row["dataset"], row["data_id"]) for row in runs})
    learners = _labels({(row["learner"], row["learner_id"]) for row in runs})
    plans: dict[tuple[str, str], set[tuple[str, int]]] = defaultdict(set)
    for row in runs:
        plans[row["data_id"], row["plan"]].add(_plan_key(row))
    labelled = []
    for row in runs:
        plan = row["plan"]
        if len(plans[row["data_id"], plan]) > 1:
            plan = f"{plan} (random_state {row['random_state']}, {row['plan_id'][:8]})"
        names = {
            "dataset": data[row["dataset"], row["data_id"]],
            "learner": learners[row["learner"], row["learner_id"]],
            "plan": plan,
        }
        labelled.append(row | names)
    return labelled


def _labels(pairs: set[tuple[str, str]]) -> dict[tuple[str, str], str]:
    names = [name for name, _ in pairs]
    return {
        (name, identity): name if names.count(name) == 1 else f"{name} ({identity[:8]})"
        for name, identity in pairs
    }


def _long_table(runs: list[_Run], store: Store, measures: Sequence[str] | None) -> Any:
    import pandas as pd

    blocks: dict[tuple[Any, ...], list[_Run]] = defaultdict(list)
    for run in runs:
        blocks[run["dataset"], run["plan"], run["learner"]].append(run)
    truths = {run["data_id"]: _truth(run) for run in runs}
    rows: list[_Run] = []
    for block in blocks.values():
        truth = truths[block[0]["data_id"]]
        for name in _names_for(truth.task, measures):
            rows += _scored(block, name, truth, store)
    return pd.DataFrame(rows, columns=_LONG)


def _names_for(task: str, measures: Sequence[str] | None) -> list[str]:
    if measures is None:
        return list(dict.fromkeys([*choose_scoring(task, [1, 1])[0], *shown_measures(task)]))
    return [name for name in measures if name in measure_names(task)]


def _truth(run: _Run) -> Any:
    """Return the true classes or values of a data set, as `prediction_batch` reads them."""
    classes, y = run["classes"], run["y"]
    positive = None
    if len(classes):
        positive = resolve_pos_label(classes, np.bincount(y, minlength=len(classes)))
    return SimpleNamespace(y=y, classes=classes, task=run["task"], positive=positive)


def _scored(block: list[_Run], name: str, truth: Any, store: Store) -> list[_Run]:
    """Return the rows of one learner on one plan for one measure."""
    values = np.full(len(block), np.nan)
    reasons = [run["message"] for run in block]
    have = [i for i, run in enumerate(block) if run["predictions"] is not None]
    if have:
        measure, reason = _measure(name, truth), ""
        batch = _batch([block[i] for i in have], truth)
        if measure is not None:
            reason = missing_reason(measure, batch) or ""
        if measure is not None and not reason:
            values[have] = measure.compute(batch)
    else:
        reason = "predictions were not kept"
    kept = {
        (split, stream, key.split("#")[0]): value
        for (split, stream, key), value in store.scores(
            block[0]["data_number"], block[0]["learner_number"]
        ).items()
    }
    for i, run in enumerate(block):
        if np.isnan(values[i]):
            values[i] = kept.get((run["split_number"], run["stream"], name), np.nan)
        if np.isnan(values[i]) and run["status"] == OK:
            reasons[i] = reason or _undefined(name, truth)
    return [
        {key: run.get(key) for key in _LONG} | {"measure": name, "value": value, "message": text}
        for run, value, text in zip(block, values.tolist(), reasons, strict=True)
    ]


def _measure(name: str, truth: Any) -> Measure | None:
    """Return the measure; None where a store does not know enough, as of costs."""
    if name == "cost":
        return None
    label = None if truth.positive is None else truth.classes[truth.positive]
    return get_measure(name, task=truth.task, classes=truth.classes, pos_label=label)


def _undefined(name: str, truth: Any) -> str:
    measure = _measure(name, truth)
    return "costs are not in a store" if measure is None else measure.undefined


def _batch(block: list[_Run], truth: Any) -> Any:
    nan = float("nan")
    records = [RunRecord(run["status"], run["predictions"], nan, nan) for run in block]
    return prediction_batch(truth, [run["test_rows"] for run in block], records, truth.positive)


def _wide_table(table: Any) -> Any:
    names = list(dict.fromkeys(table["learner"]))
    wide = table.pivot(index=_SPLIT, columns="learner", values="value")
    wide = wide.reindex(columns=names).reset_index()
    wide.columns.name = None
    return wide
