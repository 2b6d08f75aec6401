"""Long tables: one row per score, or one per run with a column for each measure."""

from bestofk.errors import InvalidArgumentError
from bestofk.score_tables.score_column_names import measure_columns, same_name, with_known_names
from bestofk.score_tables.score_formats.score_format import (
    ScoreFormat,
    ScoreTable,
    SourceTable,
    by_column,
)


def _recognizes(source: SourceTable) -> bool:
    return "learner" in with_known_names(source.columns)[0]


def _read(source: SourceTable, measure: str | None) -> ScoreTable:
    columns, notes = with_known_names(source.columns, measure=same_name(measure, source.columns))
    rows: list[int] = []
    scored = measure_columns(columns)
    if "value" not in columns and "measure" not in columns:
        scored = [name] if (name := same_name(measure, columns)) else scored
        if scored:
            columns, rows = by_column(columns, scored)
    elif "value" not in columns and len(scored) == 1:
        columns["value"] = columns.pop(scored[0])
        notes.append(f"Column {scored[0]!r} is read as value.")
    if "value" not in columns:
        raise InvalidArgumentError(
            f"a long table must have a column value; got {', '.join(columns)}. Name it by --map "
            "value=COLUMN (columns={'value': ...}), or give one column per learner."
        )
    if "value" in source.roles and "measure" not in columns:
        columns["measure"] = [source.roles["value"]] * len(columns["value"])
    return source.scores(columns, notes, rows=rows)


FORMAT = ScoreFormat(_recognizes, _read)
