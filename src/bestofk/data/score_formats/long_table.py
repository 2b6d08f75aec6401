"""Long tables: one row per score, or one per run with a column for each measure."""

from __future__ import annotations

from bestofk.data.score_column_names import measure_columns, with_known_names
from bestofk.data.score_formats.score_format import (
    ScoreFormat,
    ScoreTable,
    SourceTable,
    by_measure,
)
from bestofk.errors import InvalidArgumentError


def _recognizes(source: SourceTable) -> bool:
    return "learner" in with_known_names(source.columns)[0]


def _read(source: SourceTable, measure: str | None) -> ScoreTable:
    columns, notes = with_known_names(source.columns, measure=measure)
    rows: list[int] = []
    if "value" not in columns and "measure" not in columns:
        scored = [measure] if measure in columns else measure_columns(columns)
        if scored:
            columns, rows = by_measure(columns, scored)
    if "value" not in columns:
        raise InvalidArgumentError(
            f"a long table must have a column value; got {', '.join(columns)}. Name it by --map "
            "value=COLUMN (columns={'value': ...}), or give one column per learner."
        )
    named = source.roles.get("value")
    if named is not None and "measure" not in columns:
        columns["measure"] = [named] * len(columns["value"])
    return ScoreTable(source.title, columns, (*source.notes, *notes), rows=rows)


FORMAT = ScoreFormat("long", _recognizes, _read)
