"""Scores that were computed elsewhere, in any format that is known."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from bestofk.data.score_formats.registry import score_formats
from bestofk.data.score_formats.score_format import ScoreFormat, ScoreTable, SourceTable
from bestofk.data.score_formats.source_table import open_table
from bestofk.errors import InvalidArgumentError


def read_score_table(
    table: Any, *, columns: Mapping[str, str] | None = None, measure: str | None = None
) -> ScoreTable:
    """Return the scores of a table in long form, whichever tool wrote it.

    Parameters
    ----------
    table : str, Path, DataFrame of pandas or polars, or ScoreTable
        A file, folder or frame in one of the formats of `bestofk.data.score_formats`; a table
        that was read already is returned as it is.
    columns : mapping of str to str, optional
        Column of a role, such as ``{"learner": "clf"}``; the others are found by their names.
    measure : str, optional
        The one that is wanted, so that only it is read where each has a column.

    Returns
    -------
    ScoreTable

    Raises
    ------
    InvalidArgumentError
        If the table cannot be read, has no rows, lacks a column of its format, or a role or
        column is unknown.

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
        return table
    form = _opening(table)
    if form is not None:
        source = SourceTable(Path(table).stem, {}, path=Path(table)).with_roles(columns or {})
    else:
        source = open_table(table, fills_rows=_fills_rows).with_roles(columns or {})
        form = next(form for form in score_formats() if form.recognizes(source))
    read = form.read(source, measure)
    return replace(read, source="" if source.path is None else str(source.path))


def _opening(table: Any) -> ScoreFormat | None:
    """Return the format that reads a path by itself; None for tables."""
    if not isinstance(table, str | os.PathLike):
        return None
    path = Path(table)
    return next((form for form in score_formats() if form.opens and form.opens(path)), None)


def _fills_rows(header: Sequence[str]) -> bool:
    source = SourceTable("", {name: [] for name in header})
    return any(form.fills_rows and form.recognizes(source) for form in score_formats())
