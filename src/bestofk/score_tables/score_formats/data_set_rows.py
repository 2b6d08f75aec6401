"""Plain tables of data sets by learners, as autorank takes them: one row per data set.

The first column names the data sets; every other one is a learner.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from bestofk.data.file_errors import broken
from bestofk.score_tables.score_column_names import ROLES, hold_numbers, is_of_other_role
from bestofk.score_tables.score_formats.score_format import (
    ScoreFormat,
    ScoreTable,
    SourceTable,
    by_column,
)
from bestofk.score_tables.score_formats.source_table import open_table


def _recognizes(source: SourceTable) -> bool:
    """Tell whether the first column alone is text, each only once, and no column has a role.

    A first column of learners or splits names no data sets.
    """
    names = list(source.columns)
    if len(names) < 3 or is_of_other_role(names[0]) or not set(names).isdisjoint(ROLES):
        return False
    first, *others = source.columns.values()
    is_named = None not in first and not hold_numbers(first) and len(set(first)) == len(first)
    return is_named and len(first) > 1 and all(map(_has_numbers, others))


def _has_numbers(values: Sequence[Any]) -> bool:
    return any(hold_numbers([value]) for value in values)


def read_data_set_rows(path: Path) -> ScoreTable:
    """Return a table that is known to have this form, whatever its columns look like.

    Parameters
    ----------
    path : Path
        CSV, ARFF or Parquet.

    Raises
    ------
    InvalidArgumentError
        If it cannot be read, has no column of a learner, or has a data set twice.
    """
    source = open_table(path, fills_row=lambda header, row: False)
    first, *learners = source.columns
    if not learners:
        raise broken(path, "have a column of names and one per learner", "one column")
    twice = [name for name, count in Counter(source.columns[first]).items() if count > 1]
    if twice:
        raise broken(path, "have one row per data set", f"several of {twice[0]}", "Average them.")
    return replace(_read(source, None), source=str(path))


def _read(source: SourceTable, measure: str | None) -> ScoreTable:
    first, *learners = source.columns
    named = {"dataset" if name == first else name: v for name, v in source.columns.items()}
    scores, rows = by_column(named, learners, "learner")
    shown = f"Column {first!r}" if first else "The first column, which has no name,"
    notes = [f"{shown} names the data sets, one per row."]
    return source.scores(scores, notes, rows=rows, has_learner_columns=not source.learners)


FORMAT = ScoreFormat(_recognizes, _read)
