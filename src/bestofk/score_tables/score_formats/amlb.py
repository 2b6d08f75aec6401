"""Results of the AutoML benchmark (AMLB): ``results.csv``, one row per task, framework and fold.

The measure differs from task to task.  Older files name it nowhere: it is the column that holds
the same numbers as ``result``.  A row without a result is a failure, with its reason in ``info``.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any, Final

from bestofk.errors import InvalidArgumentError
from bestofk.score_tables.score_column_names import ROLES, hold_numbers
from bestofk.score_tables.score_formats.score_format import (
    Columns,
    ScoreFormat,
    ScoreTable,
    SourceTable,
    check_filled,
)

_NEEDED: Final = {"dataset": "task", "learner": "framework", "fold": "fold", "value": "result"}
_MARKS: Final = ("id", "constraint", "result", "utc", "info")  # next to framework and task
_SECONDS: Final = {
    "train_seconds": "training_duration",
    "predict_seconds": "predict_duration",
    "seconds": "duration",
}
_LOWER: Final = ("logloss", "rmse", "mae", "mse", "rmsle")
_HIGHER: Final = ("auc", "acc", "balacc", "r2", "f1", "pr_auc", "auc_ovo", "auc_ovr")
_SAME = 1e-9  # relative: results are written with six digits, both columns alike
_LONGEST_REASON = 80  # characters


def _recognizes(source: SourceTable) -> bool:
    names = {*source.columns, *source.roles.values()}
    return {"framework", "task"} <= names and not names.isdisjoint(_MARKS)


def _read(source: SourceTable, measure: str | None) -> ScoreTable:
    given = source.columns
    lacking = [n for role, n in _NEEDED.items() if role not in given and n not in given]
    if lacking:
        raise InvalidArgumentError(
            "results of the AutoML benchmark must have the columns "
            f"{', '.join(_NEEDED.values())}; got no {', '.join(lacking)}. Take results.csv as the "
            "benchmark wrote it, or name columns by --map."
        )
    columns = {role: given.get(role, given.get(name, [])) for role, name in _NEEDED.items()}
    check_filled({name: columns[role] for role, name in _NEEDED.items() if role != "value"})
    _check_fields(columns)
    notes = ["Format: results of the AutoML benchmark."]
    constraints = given.get("constraint", [])
    if len(set(constraints)) > 1:
        columns["learner"] = [f"{name} ({limit})" for name, limit in
                              zip(columns["learner"], constraints, strict=True)]  # fmt: skip
        notes.append("Learners are called framework (constraint): there are several constraints.")
    columns["measure"], said = _measures(given, columns)
    columns |= {role: given[name] for role, name in _SECONDS.items()
                if name in given and role not in given}  # fmt: skip
    columns |= {role: given[role] for role in ROLES if role in given and role not in columns}
    columns["greater_is_better"] = [_is_greater_better(name) for name in columns["measure"]]
    columns["value"], signs = _unsigned(columns)
    columns["measure"] = [name.removeprefix("neg_") for name in columns["measure"]]
    failed = [value is None for value in columns["value"]]
    columns["status"] = ["error" if is_failed else "ok" for is_failed in failed]
    columns["message"] = _reasons(given.get("info", [None] * len(failed)), failed)
    notes += [*said, *signs, *_failures(columns, failed)]
    return source.scores(columns, notes)


def _check_fields(columns: Columns) -> None:
    """Refuse rows whose fold or result is none: a field before it may be missing."""
    for row, (task, fold, result) in enumerate(
        zip(columns["dataset"], columns["fold"], columns["value"], strict=True), start=1
    ):
        for name, field, rule in (("fold", fold, "a whole number"), ("result", result, "a number")):
            is_number = field is None or hold_numbers([field])
            if not is_number or (name == "fold" and float(field) % 1):
                raise InvalidArgumentError(
                    f"{name} of an AMLB row must be {rule}; got {field!r} in row {row} (task "
                    f"{task}). Correct it; the result of a failed run is left empty."
                )


def _measures(given: Columns, columns: Columns) -> tuple[list[str], list[str]]:
    """Return the measure of each row: named, or that of its task by the column it equals."""
    named = given.get("measure", given.get("metric", [None] * len(columns["value"])))
    of_task: dict[str, str] = {}
    for row, (task, name) in enumerate(zip(columns["dataset"], named, strict=True), start=1):
        if name is not None and of_task.setdefault(task, str(name)) != str(name):
            raise InvalidArgumentError(
                f"metric of an AMLB task must be one; got {of_task[task]} and {name} (row {row}, "
                f"task {task}). Correct that row, or keep the rows of one metric."
            )
    implied = _implied(given, columns, known=of_task)
    notes = []
    if implied:
        counts = Counter(implied.values())
        which = ", ".join(f"{name} on {count}" for name, count in counts.most_common())
        notes.append(f"Measure of each task, by the column that equals result: {which}.")
    of_task = of_task | implied
    return [
        str(name) if name is not None else of_task.get(task, "result")
        for task, name in zip(columns["dataset"], named, strict=True)
    ], notes


def _implied(given: Columns, columns: Columns, *, known: Mapping[str, str]) -> dict[str, str]:
    """Return, of tasks whose measure is not named, the column that equals result in every row."""
    scores = [name for name in (*_HIGHER, *_LOWER) if name in given and hold_numbers(given[name])]
    fitting: dict[str, list[str]] = {}
    for row, (task, value) in enumerate(zip(columns["dataset"], columns["value"], strict=True)):
        if task not in known and value is not None:
            candidates = fitting.get(task, scores)
            fitting[task] = [n for n in candidates if _equal(given[n][row], value)]
    return {task: names[0] for task, names in fitting.items() if names}


def _equal(first: Any, second: Any) -> bool:
    if first is None:
        return False
    low, high = sorted((abs(float(first)), abs(float(second))))
    return high - low <= _SAME * high


def _unsigned(columns: Columns) -> tuple[list[Any], list[str]]:
    """Return the scores, those of losses without the sign that makes more of them better."""
    values, n_turned = [], 0
    for name, value in zip(columns["measure"], columns["value"], strict=True):
        is_signed = name in _LOWER and str(value).strip().startswith("-")
        if value is not None and (name.startswith("neg_") or is_signed):
            value, n_turned = float(value) * -1, n_turned + 1
        values.append(value)
    said = f"Losses are read without their sign (neg_logloss and the like): {n_turned} rows."
    return values, [said] if n_turned else []


def _is_greater_better(measure: str) -> bool | None:
    if measure.startswith("neg_") or measure in _LOWER:
        return False
    return True if measure in _HIGHER else None


def _reasons(info: Sequence[Any], failed: Sequence[bool]) -> list[str | None]:
    return [
        " ".join(str(text).replace("\\n", " ").split())[:_LONGEST_REASON]
        if is_failed and text is not None
        else None
        for text, is_failed in zip(info, failed, strict=True)
    ]


def _failures(columns: Columns, failed: Sequence[bool]) -> list[str]:
    """Return how many rows of each learner have no result."""
    counts = Counter(
        n for n, is_failed in zip(columns["learner"], failed, strict=True) if is_failed
    )
    if not counts:
        return []
    each = ", ".join(f"{name} {count}" for name, count in counts.most_common())
    return [f"{counts.total()} of {len(failed)} rows have no result: {each}."]


# A row without a result may end early; any other short one lacks some field.
FORMAT = ScoreFormat(_recognizes, _read, fills_row=lambda row: not row.get("result"))
