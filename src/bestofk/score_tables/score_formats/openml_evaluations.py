"""Evaluations of OpenML: one row per run and measure, from openml-python or the REST API.

A flow is a learner, a flow with several setups one learner per setup.  A task is a data set with
its splits.  Of several runs of one learner on a task the last one counts.
"""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

from bestofk.data.open_ml_reply import read_evaluations_json, read_evaluations_xml
from bestofk.errors import InvalidArgumentError
from bestofk.score_tables.score_formats.score_format import (
    Columns,
    ScoreFormat,
    ScoreTable,
    SourceTable,
    check_filled,
)
from bestofk.words import grouped

_NEEDED: Final = ("run_id", "task_id", "flow_name", "data_name", "function")
_REPLIES: Final = {".xml": read_evaluations_xml, ".json": read_evaluations_json}


def _opens(path: Path) -> bool:
    return path.suffix.lower() in _REPLIES


def _recognizes(source: SourceTable) -> bool:
    return {"task_id", "flow_name", "function"} <= set(source.columns)


def _read(source: SourceTable, measure: str | None) -> ScoreTable:
    if source.path is not None and _opens(source.path):
        reply = _REPLIES[source.path.suffix.lower()](source.path, source.title)
        source = SourceTable(reply.name, dict(reply.columns), reply.notes, source.path)
    columns = source.columns
    _check(columns)
    learners = _distinguished(columns, "flow_name", "setup")
    data_sets = _distinguished(columns, "data_name", "task")
    kept = _last_runs(columns, learners, data_sets)
    scores: Columns = {
        name: [] for name in ("dataset", "learner", "repeat", "measure", "value", "message")
    }
    numbers = []
    has_splits = any(value is not None for value in columns.get("values", ()))
    for row in kept:
        of_splits = _of_splits(columns, row) if has_splits else [columns["value"][row]]
        for split, value in enumerate(of_splits):
            scores["dataset"].append(data_sets[row])
            scores["learner"].append(learners[row])
            scores["repeat"].append(split)
            scores["measure"].append(str(columns["function"][row]))
            scores["value"].append(value)
            scores["message"].append(None if value is not None else "no score per fold")
            numbers.append(row + 1)
    n_rows = len(learners)
    notes = []
    if len(kept) < n_rows:
        notes.append(
            f"{n_rows - len(kept)} of {n_rows} evaluations are of earlier runs of the same "
            "learner on the same task; the last run counts."
        )
    return source.scores(scores, notes, rows=numbers, is_in_plan_order=has_splits)


def _check(columns: Columns) -> None:
    """Refuse a table that lacks a column, or a row without a name."""
    missing = [name for name in _NEEDED if name not in columns]
    if missing or not {"value", "values"} & set(columns):
        raise InvalidArgumentError(
            f"evaluations of OpenML must have the columns {', '.join(_NEEDED)} and value or "
            f"values; got no {(missing or ['value'])[0]}. Keep all columns of the list."
        )
    check_filled({name: columns[name] for name in _NEEDED})


def _distinguished(columns: Columns, column: str, kind: str) -> list[str]:
    """Return the name in each row, with the id of its `kind` where a name has several."""
    names = list(map(str, columns[column]))
    ids = list(map(str, columns.get(f"{kind}_id", [""] * len(names))))
    used = grouped(zip(names, ids, strict=True))
    return [
        f"{name} ({kind} {own})" if len(set(used[name])) > 1 else name
        for name, own in zip(names, ids, strict=True)
    ]


def _last_runs(columns: Columns, learners: Sequence[str], data_sets: Sequence[str]) -> list[int]:
    """Return the rows of the last run of each learner on each task, for each measure."""
    uploaded = columns.get("upload_time", [""] * len(learners))
    keys = zip(data_sets, learners, map(str, columns["function"]), strict=True)
    last = (
        max(rows, key=lambda row: (str(uploaded[row]), _run_id(columns["run_id"][row], row)))
        for rows in grouped((key, row) for row, key in enumerate(keys)).values()
    )
    return sorted(last)


def _run_id(value: Any, row: int) -> int:
    try:
        return int(float(str(value)))
    except (ValueError, OverflowError):
        raise InvalidArgumentError(
            f"column 'run_id' must hold whole numbers; got {value!r} in row {row + 1}. List the "
            "evaluations again."
        ) from None


def _of_splits(columns: Columns, row: int) -> list[Any]:
    """Return the scores of the splits of a row; one None where they were not listed."""
    values = columns["values"][row]
    if isinstance(values, str):
        try:
            values = json.loads(values)
        except ValueError:
            values = False
    if values is None:
        return [None]
    if not isinstance(values, Sequence) or not values:
        raise InvalidArgumentError(
            "column 'values' must hold lists of numbers such as [0.9, 0.8]; got "
            f"{columns['values'][row]!r} in row {row + 1}. List the evaluations with per_fold=True."
        )
    return list(values)


FORMAT = ScoreFormat(_recognizes, _read, opens=_opens)
