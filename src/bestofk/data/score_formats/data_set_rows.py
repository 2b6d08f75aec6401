"""Plain tables of data sets by learners, as autorank takes them: one row per data set.

The first column names the data sets; every other one is a learner.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from bestofk.data.score_column_names import ROLES, hold_numbers
from bestofk.data.score_formats.score_format import ScoreFormat, ScoreTable, SourceTable


def _recognizes(source: SourceTable) -> bool:
    """Tell whether the first column alone is text, each only once, and no column has a role."""
    names = list(source.columns)
    if len(names) < 3 or not set(names).isdisjoint(ROLES):
        return False
    first, *others = source.columns.values()
    is_named = None not in first and not hold_numbers(first) and len(set(first)) == len(first)
    return is_named and len(first) > 1 and all(map(_has_numbers, others))


def _has_numbers(values: Sequence[Any]) -> bool:
    return any(hold_numbers([value]) for value in values)


def _read(source: SourceTable, measure: str | None) -> ScoreTable:
    first, *learners = source.columns
    names = source.columns[first]
    n_learners = len(learners)
    scores = {
        "dataset": names * n_learners,
        "learner": [learner for learner in learners for _ in names],
        "value": [value for learner in learners for value in source.columns[learner]],
    }
    shown = f"Column {first!r}" if first else "The first column, which has no name,"
    return ScoreTable(
        source.title,
        scores,
        (*source.notes, f"{shown} names the data sets, one per row."),
        rows=list(range(1, len(names) + 1)) * n_learners,
    )


FORMAT = ScoreFormat("data sets by learners", _recognizes, _read)
