"""`cv_results_` of a search of scikit-learn: one row per setting, one column per split.

Scores of scikit-learn are greater where a setting is better, also those named ``neg_...``.
"""

import re
from collections.abc import Mapping
from typing import Any, Final

from bestofk.errors import InvalidArgumentError
from bestofk.score_tables.score_column_names import number_or_nan, same_name
from bestofk.score_tables.score_formats.score_format import (
    Columns,
    ScoreFormat,
    ScoreTable,
    SourceTable,
)

_SPLIT: Final = re.compile(r"split(\d+)_test_(.+)")
_SETTINGS: Final = ("param_", "params")  # starts of columns
_TOLERANCE: Final = 1e-6  # of a mean that was written with few digits
_OPTIMISTIC: Final = (
    "The settings were chosen on these splits, so the score of the best one is optimistic. "
    "Score it on rows that the search has not seen."
)


def _recognizes(source: SourceTable) -> bool:
    is_search = any(name.startswith((*_SETTINGS, "rank_test_")) for name in source.columns)
    return is_search and any(map(_SPLIT.fullmatch, source.columns))


def _read(source: SourceTable, measure: str | None) -> ScoreTable:
    columns = source.columns
    splits = _splits(columns)
    settings = columns.get("learner") or _settings(columns)
    scores: Columns = {name: [] for name in ("learner", "measure", "repeat", "value")}
    named = same_name(measure, splits)
    for name, of_split in splits.items():
        if named in (None, name):
            _check_means(columns, name, of_split)
            for split, title in enumerate(of_split):
                scores["learner"] += settings
                scores["measure"] += [name] * len(settings)
                scores["repeat"] += [split] * len(settings)
                scores["value"] += columns[title]
    n_rows, n_copies = len(settings), len(scores["value"]) // len(settings)
    scores["greater_is_better"] = [True] * len(scores["value"])
    for title, role in (("mean_fit_time", "train_seconds"), ("mean_score_time", "predict_seconds")):
        if title in columns:
            scores[role] = columns[title] * n_copies
    rows = list(range(1, n_rows + 1)) * n_copies
    return source.scores(scores, cautions=(_OPTIMISTIC,), rows=rows, is_in_plan_order=True)


def _splits(columns: Mapping[str, list[Any]]) -> dict[str, list[str]]:
    """Return the columns of the splits of each measure, in order; none may be missing."""
    numbers: dict[str, dict[int, str]] = {}
    for name in columns:
        if match := _SPLIT.fullmatch(name):
            numbers.setdefault(match[2], {})[int(match[1])] = name
    for measure, named in numbers.items():
        missing = sorted(set(range(max(named) + 1)) - set(named))
        if missing:
            raise InvalidArgumentError(
                "cv_results_ must have a column for every split; got no "
                f"split{missing[0]}_test_{measure}. Save all columns of cv_results_."
            )
    return {name: [named[i] for i in range(len(named))] for name, named in numbers.items()}


def _settings(columns: Mapping[str, list[Any]]) -> list[str]:
    """Name each setting by the parameters that vary; else by all of them."""
    if not any(name.startswith(_SETTINGS) for name in columns):
        raise InvalidArgumentError(
            "cv_results_ must have the column params, or columns such as param_C, that say what "
            "each row is; got none. Save all columns, or name one by --map learner=COLUMN."
        )
    varied = {
        name.removeprefix("param_"): values
        for name, values in columns.items()
        if name.startswith("param_") and len({str(value) for value in values}) > 1
    }
    n_rows = len(next(iter(columns.values())))
    names = [
        ", ".join(
            f"{name}={_one_line(values[row])}"
            for name, values in varied.items()
            if values[row] is not None
        )
        for row in range(n_rows)
    ]
    if "params" in columns and len(set(names)) < n_rows:
        names = [_one_line(value) for value in columns["params"]]
    return names


def _one_line(value: Any) -> str:
    return " ".join(str(value).split())


def _check_means(columns: Mapping[str, list[Any]], measure: str, splits: list[str]) -> None:
    """Refuse a mean outside the range of its splits: the table was changed or mixed up.

    Older versions weighted the splits by their rows, so the mean need not be the plain one.
    """
    title = f"mean_test_{measure}"
    for row, said in enumerate(columns.get(title, [])):
        values = [number_or_nan(columns[name][row]) for name in splits]
        low, high, mean = min(values), max(values), number_or_nan(said)
        margin = _TOLERANCE * max(1.0, abs(low), abs(high))
        if mean < low - margin or mean > high + margin:
            raise InvalidArgumentError(
                f"{title} must be a mean of its splits; got {mean:g} in row {row + 1}, whose "
                f"splits are {low:g} to {high:g}. Save cv_results_ again, without changing it."
            )


FORMAT = ScoreFormat(_recognizes, _read)
