"""Rows of JSON lines and of SQLite databases, whose values are read like those of a text file."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

from bestofk.checks import wrong_source
from bestofk.data.csv_file import read_written
from bestofk.data.file_options import FileOptions
from bestofk.data.table import Table
from bestofk.data.text_file import decode, read_bytes
from bestofk.errors import InvalidArgumentError

# Keep numbers as written, and every row.
_AS_WRITTEN: Any = dict.fromkeys(("parse_int", "parse_float", "parse_constant"), str)
_ALL_ROWS = FileOptions(separator=",", header=True, skip_footer=0)


def read_json_lines(path: Path, name: str) -> Table:
    """Read a file with a JSON object per line, whose keys are the columns.

    Raises
    ------
    InvalidArgumentError
        If the file cannot be read, a line is not an object, or a value is a list or an object.
    """
    text, _ = decode(path, read_bytes(path), "utf-8-sig")
    records: list[dict[str, str | bool | None]] = []
    for number, line in enumerate(text.split("\n"), start=1):
        try:
            record = json.loads(line.strip() or "{}", **_AS_WRITTEN)
        except (ValueError, RecursionError):
            record = None
        plain = record.values() if isinstance(record, dict) else [{}]
        if any(isinstance(value, list | dict) for value in plain):
            raise InvalidArgumentError(
                f"line {number} of {path} must be an object of JSON with plain values; got "
                f"{line[:40]!r}. Correct it, or save the table as CSV."
            )
        records.append(record)
    titles = list(dict.fromkeys(key for record in records for key in record))
    rows = [[record.get(title) for title in titles] for record in records if record]
    return read_written(path, name, [titles, *rows], _ALL_ROWS, "JSON lines")


def read_sqlite(path: Path, name: str, options: FileOptions) -> Table:
    """Read a table or the result of a query from an SQLite database, which is never written to.

    Parameters
    ----------
    path : Path
        The database.
    name : str
        What to call the table.
    options : FileOptions
        The table or the query. Without either, the database must have a single table.

    Raises
    ------
    InvalidArgumentError
        If the file is not a database, the table is unknown or ambiguous, or the query fails.
    """
    if problem := wrong_source(path, "data"):
        raise InvalidArgumentError(problem)
    query = options.query
    with closing(sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro", uri=True)) as database:
        database.setlimit(sqlite3.SQLITE_LIMIT_ATTACHED, 0)  # no other file is created or opened
        try:
            if query is None:
                listing = "select name from sqlite_master where type in ('table', 'view')"
                tables = [table for (table,) in database.execute(listing)]
                table = tables[0] if options.table is None and len(tables) == 1 else options.table
                if table not in tables:
                    raise InvalidArgumentError(
                        f"table must be one of {path.name}; got {table!r}. Name one (--table): "
                        f"{', '.join(tables)}; or give a --query."
                    )
                query = 'select * from "{}"'.format(str(table).replace('"', '""'))
            cursor = database.execute(query)
            titles = [column[0] for column in cursor.description or ()]
            return read_written(path, name, [titles, *cursor], _ALL_ROWS, f"by {query}")
        except sqlite3.Error as error:
            raise InvalidArgumentError(
                f"{path} must be a database that SQLite reads; got: {error}. A --query begins with "
                "select."
            ) from error
