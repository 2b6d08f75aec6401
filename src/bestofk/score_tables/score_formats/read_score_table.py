"""Scores that were computed elsewhere, in any format that is known."""

import os
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from bestofk.checks import check_known
from bestofk.errors import InvalidArgumentError
from bestofk.score_tables.score_column_names import plain_name
from bestofk.score_tables.score_formats.registry import SCORE_FORMATS
from bestofk.score_tables.score_formats.score_format import (
    ScoreFormat,
    ScoreTable,
    SourceTable,
    rows_by_label,
)
from bestofk.score_tables.score_formats.source_table import open_table


def read_score_table(
    table: Any,
    *,
    columns: Mapping[str, str] | None = None,
    measure: str | None = None,
    learners: Sequence[str] = (),
) -> ScoreTable:
    """Return the scores of a table in long form, whichever tool wrote it.

    Parameters
    ----------
    table : str, Path, DataFrame of pandas or polars, or ScoreTable
        A file, folder or frame in one of the formats of `bestofk.score_tables.score_formats`; a
        table that was read already is returned as it is.
    columns : mapping of str to str, optional
        Column of a role, such as ``{"learner": "clf"}``; the others are found by their names.
    measure : str, optional
        The one that is wanted, so that only it is read where each has a column.  Case and marks
        between words do not matter; the table gets this spelling.
    learners : sequence of str, default=()
        Those that are wanted, in this order; all if empty.  Columns of others are not looked at.

    Returns
    -------
    ScoreTable

    Raises
    ------
    InvalidArgumentError
        If the table cannot be read, has no rows, lacks a column of its format, or a role,
        column or learner is unknown.

    Examples
    --------
    >>> import pandas as pd
    >>> table = pd.DataFrame({"clf": ["a", "b"], "acc": [0.5, 0.7]})
    >>> read_score_table(table, columns={"learner": "clf"}).columns
    {'learner': ['a', 'b'], 'value': [0.5, 0.7], 'measure': ['acc', 'acc']}
    """
    if isinstance(table, ScoreTable):
        if columns:
            raise InvalidArgumentError(
                "columns must be given where the table is read; got a table that was read. Give "
                "them to read_score_table."
            )
        return _with_learners(table, learners)
    form = _opening(table)
    if form is not None:
        source = SourceTable(Path(table).stem, {}, path=Path(table)).with_roles(columns or {})
    else:
        source = open_table(table, fills_row=_fills_row).with_roles(columns or {})
        if {"row", "learner", "truth"} <= source.columns.keys():
            raise InvalidArgumentError(
                "table must hold scores; got predictions of rows. Apply a procedure of rows to "
                "them, such as --procedure mcnemar (apply_procedure)."
            )
        source = source.with_learners(learners)
        form = next(form for form in SCORE_FORMATS.values() if form.recognizes(source))
    read = form.read(source, measure)
    named = read.columns | {"measure": _spelled(read.columns.get("measure", []), measure)}
    return _with_learners(
        replace(
            read,
            columns=named if named["measure"] else read.columns,
            source="" if source.path is None else str(source.path),
        ),
        learners,
    )


def _spelled(names: Sequence[Any], wanted: str | None) -> list[str]:
    """Return measures in one spelling each: that which is wanted, else the first."""
    spellings = {plain_name(wanted): wanted} if wanted else {}
    return [spellings.setdefault(plain_name(str(name)), str(name)) for name in names]


def _with_learners(table: ScoreTable, learners: Sequence[str]) -> ScoreTable:
    """Return the rows of some learners, in their order; all if none is named."""
    if not learners:
        return table
    rows_of = rows_by_label(table.columns["learner"], range(len(table.columns["learner"])))
    for name in learners:
        check_known(name, "learners", rows_of, rule="of the table")
    kept = [row for name in dict.fromkeys(learners) for row in rows_of[name]]
    return table.part(kept)


def _opening(table: Any) -> ScoreFormat | None:
    """Return the format that reads a path by itself; None for tables."""
    if not isinstance(table, str | os.PathLike):
        return None
    path = Path(table)
    return next((form for form in SCORE_FORMATS.values() if form.opens and form.opens(path)), None)


def _fills_row(header: Sequence[str], row: Sequence[str]) -> bool:
    source = SourceTable("", {name: [] for name in header})
    named = dict(zip(header, row, strict=False))
    return any(
        form.fills_row is not None and form.recognizes(source) and form.fills_row(named)
        for form in SCORE_FORMATS.values()
    )
