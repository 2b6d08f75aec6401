"""What is in a CSV or TSV file, whoever wrote it.

The separator is the first of tab, semicolon, bar and comma that cuts the first
line and at least 90 % of the next 200 into the same number of fields, two or
more; if none does, the one that occurs most often in the first line.
The first line is taken as data where more than half of its fields are numbers
(years apart) above numbers, or come again in their own column.
"""

from __future__ import annotations

import csv
import io
import itertools
import re
from collections import Counter
from pathlib import Path

from bestofk.data import text_values
from bestofk.data.table import Table
from bestofk.data.text_file import read_text
from bestofk.errors import InvalidArgumentError

SEPARATORS = {"\t": "tab", ";": "semicolon", "|": "bar", ",": "comma"}

_SNIFFED_LINES = 200
_YEAR = re.compile(r"(19|20)\d\d")


def read_csv(path: Path, name: str) -> Table:
    """Read a text file of separated values; every column stays text.

    Parameters
    ----------
    path : Path
        The file, gzipped or not.
    name : str
        What to call the table.

    Returns
    -------
    Table
        Columns as lists of text, None where missing, with a note on each guess.

    Raises
    ------
    InvalidArgumentError
        If the file cannot be read, has no row below its header, or a row has another
        number of fields than the header (its line is named).
    """
    text, encoding = read_text(path)
    try:
        separator = sniff_separator(text)
        numbered = _split(text, separator)
    except csv.Error as error:
        raise InvalidArgumentError(f"{path} must be separated values; got: {error}.") from error
    if not numbered:
        raise InvalidArgumentError(f"{path} must hold rows; got separators only.")
    rows = [row for _, row in numbered]
    notes = [f"Read {path.name} as {encoding} with separator {SEPARATORS[separator]}."]
    if len(rows) > 1 and _first_row_is_data(rows):
        header = [f"x{position}" for position in range(1, len(rows[0]) + 1)]
        notes.append("The first line looks like data; columns are called x1, x2, ...")
        body = numbered
    else:
        header, body = rows[0], numbered[1:]
    if not body:
        raise InvalidArgumentError(
            f"{path} must have at least one row below its header; got the header only."
        )
    _check_widths(path, body, len(header))
    return _make_table(name, header, [row for _, row in body], notes)


def sniff_separator(text: str) -> str:
    """Return the separator of a text by the rule of this module."""
    filled = (line for line in io.StringIO(text, newline=None) if line.strip())
    lines = list(itertools.islice(filled, _SNIFFED_LINES + 1))
    for separator in SEPARATORS:
        widths = [len(row) for row in csv.reader(lines, delimiter=separator) if row]
        same = sum(width == widths[0] for width in widths)
        if widths[0] > 1 and same >= 0.9 * len(widths):
            return separator
    most = max(SEPARATORS, key=lines[0].count)
    return most if most in lines[0] else ","


def _split(text: str, separator: str) -> list[tuple[int, list[str]]]:
    """Return line number and stripped fields of every line that holds more than separators."""
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=separator, skipinitialspace=True)
    rows = [(reader.line_num, [field.strip() for field in row]) for row in reader]
    return [(number, row) for number, row in rows if any(row)]


def _first_row_is_data(rows: list[list[str]]) -> bool:
    first, *rest = rows[: _SNIFFED_LINES + 1]
    evidence = 0
    for position, field in enumerate(first):
        below = {row[position] for row in rest if position < len(row)}
        present = {text for text in below if not text_values.is_missing(text)}
        if _is_number(field):
            evidence += not _YEAR.fullmatch(field) and all(map(_is_number, present))
        else:
            evidence += field in below and field != ""
    return evidence > len(first) / 2


def _is_number(text: str) -> bool:
    return text_values.are_numbers([text]) or text_values.has_decimal_comma([text])


def _check_widths(path: Path, body: list[tuple[int, list[str]]], width: int) -> None:
    for line, row in body:
        if len(row) != width:
            raise InvalidArgumentError(
                f"line {line} of {path} must have {width} fields, as the first line has; got "
                f"{len(row)}. Quote fields that hold the separator."
            )


def _make_table(name: str, header: list[str], rows: list[list[str]], notes: list[str]) -> Table:
    marks: Counter[str] = Counter()
    columns: dict[str, list[str | None]] = {}
    for position, (title, fields) in enumerate(zip(header, zip(*rows, strict=True), strict=True)):
        missing = {field for field in set(fields) if text_values.is_missing(field)}
        values = [None if field in missing else field for field in fields]
        marks.update({mark: fields.count(mark) for mark in sorted(missing)})
        if not title and all(value is None for value in values):
            notes.append(f"Column {position + 1} has neither name nor values; left out.")
            continue
        column = _free_name(title or f"column{position + 1}", columns)
        if column != title:
            notes.append(f"Column {position + 1}, written {title!r}, is called {column!r}.")
        columns[column] = values
    if marks:
        seen = ", ".join(f"{mark!r} {count} times" for mark, count in marks.most_common())
        notes.append(f"Taken as missing: {seen}.".replace("'' ", "an empty field "))
    return Table(name, columns, notes=tuple(notes))


def _free_name(wanted: str, taken: dict[str, list[str | None]]) -> str:
    name, number = wanted, 1
    while name in taken:
        number += 1
        name = f"{wanted}_{number}"
    return name
