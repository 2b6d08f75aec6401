"""Results of TabArena and TabRepo: the error of each method on each split of each data set.

The metric of a data set is that of its task, so errors of different data sets have no common
unit.  `fold` counts the splits of all repeats; in TabArena every repeat has three folds.
"""

from collections.abc import Sequence
from typing import Any, Final

from bestofk.errors import InvalidArgumentError
from bestofk.score_tables.score_column_names import SECONDS, truth
from bestofk.score_tables.score_formats.score_format import (
    Columns,
    ScoreFormat,
    ScoreTable,
    SourceTable,
)

_LEARNERS: Final = ("learner", "method", "framework")  # the first that is there
_OF_TABARENA: Final = ("method", "ta_suite", "imputed")
_N_FOLDS: Final = 3
_SECONDS: Final = {"time_train_s": "train_seconds", "time_infer_s": "predict_seconds"}


def _recognizes(source: SourceTable) -> bool:
    names = set(source.columns)
    return {"dataset", "fold", "metric_error"} <= names and not names.isdisjoint(_LEARNERS)


def _read(source: SourceTable, measure: str | None) -> ScoreTable:
    columns = source.columns
    learner = next(columns[name] for name in _LEARNERS if name in columns)
    values = list(columns.get("value", columns["metric_error"]))
    messages = _messages_of_imputed(columns)
    values = [None if message else value for value, message in zip(values, messages, strict=True)]
    repeats, folds = _splits(columns)
    scores = {
        "dataset": columns["dataset"],
        "learner": learner,
        "repeat": repeats,
        "fold": folds,
        "measure": _measures(columns),
        "value": values,
        "greater_is_better": [False] * len(values),
        "message": messages,
    }
    scores |= {role: columns[name] for name, role in _SECONDS.items() if name in columns}
    scores |= {role: columns[role] for role in SECONDS if role in columns}
    notes = []
    if n_imputed := sum(message is not None for message in messages):
        notes.append(
            f"{n_imputed} of {len(values)} results are imputed: numbers of another method, "
            "taken as missing."
        )
    return source.scores(scores, notes)


def _measures(columns: Columns) -> list[str]:
    """Return the measure of each row; every data set has one, named by its task if need be."""
    if "measure" in columns:
        return columns["measure"]
    if "metric" in columns:
        names = [f"{metric}_error" for metric in columns["metric"]]
    elif "problem_type" in columns:
        names = [f"metric_error_of_{kind}" for kind in columns["problem_type"]]
    else:
        return ["metric_error"] * len(columns["dataset"])
    first: dict[Any, str] = {}
    for data_set, name in zip(columns["dataset"], names, strict=True):
        if first.setdefault(data_set, name) != name:
            raise InvalidArgumentError(
                f"metric of a data set of TabArena must be one; got {first[data_set]} and {name} "
                f"on {data_set}. Errors of two metrics do not pair: correct the column."
            )
    return names


def _messages_of_imputed(columns: Columns) -> list[str | None]:
    """Return for each row whose result it really is; None where it is its own."""
    n_rows = len(columns["dataset"])
    said: Sequence[Any] = columns.get("imputed", [False] * n_rows)
    methods: Sequence[Any] = columns.get("impute_method", [None] * n_rows)
    flags = [False if value is None else truth(value) for value in said]
    if None in flags:
        row = flags.index(None)
        raise InvalidArgumentError(
            f"column 'imputed' must be true or false; got {said[row]!r} in row {row + 1}. "
            "Correct it: imputed results are those of another method."
        )
    return [
        f"imputed by {method or 'another method'}" if flag else None
        for flag, method in zip(flags, methods, strict=True)
    ]


def _splits(columns: Columns) -> tuple[list[Any], list[Any]]:
    """Return the repeat and the fold of each row."""
    folds = columns["fold"]
    if "repeat" in columns:
        return columns["repeat"], folds
    is_tabarena = any(name in columns for name in _OF_TABARENA)
    numbers = [int(str(fold)) for fold in folds if str(fold).isdecimal()]
    n_splits = max(numbers, default=0) + 1
    if len(numbers) < len(folds) or not is_tabarena or n_splits % _N_FOLDS:
        return [0] * len(folds), folds
    return [n // _N_FOLDS for n in numbers], [n % _N_FOLDS for n in numbers]


FORMAT = ScoreFormat(_recognizes, _read)
