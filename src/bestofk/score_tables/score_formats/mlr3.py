"""Benchmark tables of mlr3: scores by task, learner and iteration, or their aggregates."""

import re
from typing import Any, Final

from bestofk.errors import InvalidArgumentError
from bestofk.score_tables.score_column_names import ROLES, measure_columns, same_name
from bestofk.score_tables.score_formats.score_format import (
    Columns,
    ScoreFormat,
    ScoreTable,
    SourceTable,
    by_column,
)

_MEASURE: Final = re.compile(r"(classif|regr|surv|clust|dens|cnf)\..+")
_COUNTS: Final = ("nr", "iters", "warnings", "errors")
_ROLES: Final = {
    "task_id": "dataset",
    "learner_id": "learner",
    "time_train": "train_seconds",
    "time_predict": "predict_seconds",
    "time_both": "seconds",
}
_FOLDS: Final = ("cv", "loo")  # resamplings whose iterations are the folds of one repeat


def _recognizes(source: SourceTable) -> bool:
    names = set(source.columns)
    return {"task_id", "learner_id"} <= names and not names.isdisjoint({"iteration", "iters"})


def _read(source: SourceTable, measure: str | None) -> ScoreTable:
    given = source.columns
    roles = {name: role for name, role in _ROLES.items() if role not in given}
    columns = {roles.get(name, name): values for name, values in given.items()}
    measures = _measures(columns)
    is_folds = _check_resampling(columns)
    if "iteration" in columns:
        iterations = [_iteration(text, row) for row, text in enumerate(columns["iteration"])]
        columns["fold" if is_folds else "repeat"] = iterations
    used = {name: columns[name] for name in columns if name in ROLES or name in measures}
    failed = [_failure(text) for text in columns.get("errors", [None] * len(columns["learner"]))]
    named = same_name(measure, measures)
    scores, rows = by_column(used, [named] if named else measures)
    scores["message"] = failed * (len(rows) // len(failed))
    scores["value"] = [
        None if message else value
        for value, message in zip(scores["value"], scores["message"], strict=True)
    ]
    n_failed = sum(message is not None for message in failed)
    notes = [f"{n_failed} of {len(failed)} results come from failed fits; they are missing."]
    is_ordered = "iteration" in columns and not is_folds
    return source.scores(scores, notes * bool(n_failed), rows=rows, is_in_plan_order=is_ordered)


def _measures(columns: Columns) -> list[str]:
    """Return the columns of scores: those named as mlr3 names measures, else all numbers."""
    measures = [name for name in columns if _MEASURE.fullmatch(name)] or [
        name for name in measure_columns(columns) if name not in (*_COUNTS, "iteration")
    ]
    if not measures:
        raise InvalidArgumentError(
            "a benchmark table of mlr3 must have a column of scores such as classif.ce; got "
            f"{', '.join(columns)}. Write it by bmr$score(msr('classif.ce'))."
        )
    return measures


def _check_resampling(columns: Columns) -> bool:
    """Refuse a task with two resamplings; return whether iterations are folds."""
    if "resampling_id" not in columns:
        return False
    used: dict[Any, Any] = {}
    for task, resampling in zip(columns["dataset"], columns["resampling_id"], strict=True):
        if used.setdefault(task, resampling) != resampling:
            raise InvalidArgumentError(
                f"resampling of a task must be the same for all learners; got {used[task]} and "
                f"{resampling} on {task}. Keep the rows of one: their iterations do not pair."
            )
    return set(used.values()) <= set(_FOLDS)


def _iteration(text: Any, row: int) -> int:
    match = re.fullmatch(r"([1-9]\d{0,8})(\.0)?", str(text).strip())
    if not match:
        raise InvalidArgumentError(
            f"column 'iteration' must hold whole numbers from 1; got {text!r} in row {row + 1}. "
            "Write the table by bmr$score()."
        )
    return int(match[1])


def _failure(text: Any) -> str | None:
    """Return the errors of a row; its score is then that of a fallback learner, or none."""
    said = "" if text is None else str(text).strip()
    return None if said in ("", "0", "0.0", "NA") else f"errors of mlr3: {said}"


FORMAT = ScoreFormat(_recognizes, _read)
