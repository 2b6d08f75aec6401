"""CSV and TSV files, whoever wrote them.

The separator is the first of tab, semicolon, bar and comma that cuts at least 90 %
of the first 200 lines into the same number of fields, two or more; if none does,
the one that occurs most often in the first line, or runs of blanks where they cut
all these lines alike.  Lines that begin with # do not count.
Lines above the table (a title, or ``#`` lines) and ``#`` lines in it are left out
where they do not have its number of fields, and so are empty fields behind the
last column.  Of tables of three columns or more, lines of one text below the table
and a last row that begins with "total" are left out too.
The first line is taken as data where more than half of its fields are numbers
(years apart) above numbers, or come again in their own column.
"""

from __future__ import annotations

import csv
import io
import itertools
import re
from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence
from pathlib import Path
from typing import Any

from bestofk.data import plain_rows, text_values
from bestofk.data.notes import condensed, counted, listed
from bestofk.data.number_forms import is_number
from bestofk.data.table import Table
from bestofk.data.text_file import read_text
from bestofk.data.written_columns import NumberColumn, TextColumn, clean_texts, without_text_marks
from bestofk.errors import InvalidArgumentError

SEPARATORS = {"\t": "tab", ";": "semicolon", "|": "bar", ",": "comma"}

_NAMES = {**SEPARATORS, " ": "blanks"}
_SNIFFED_LINES = 200
_YEAR = re.compile(r"(19|20)\d\d")
_WIDEST_WITHOUT_FOOTER = 2  # columns: a row of one value may be one with a gap
_TOTALS = {
    "total", "totals", "grand total", "sum", "summe", "gesamt", "gesamtsumme", "insgesamt", "somme",
    "total général", "totale", "totaal", "summa", "suma",
}  # fmt: skip
_SHOWN = 40  # letters of a row in a message
FillsRow = Callable[[Sequence[str], Sequence[str]], bool]
_SPREADSHEET = re.compile(r"sep=([\t;|,])(?=\r?\n)")  # how a spreadsheet declares it


def read_csv(
    path: Path,
    name: str,
    *,
    texts: Collection[str] | None = None,
    fills_row: FillsRow = lambda header, row: False,
) -> Table:
    """Read a text file of separated values.

    Parameters
    ----------
    path : Path
        The file, gzipped or not.
    name : str
        What to call the table.
    texts : collection of str or None, default=None
        Columns that stay text where they are plain numbers; None: every column.
    fills_row : callable
        Given the header and a row that is too short, tells whether the fields that it lacks are
        those at its end, which are missing then.

    Returns
    -------
    Table
        Columns of text, and of plain numbers where they are asked for, with a note on each
        guess.

    Raises
    ------
    InvalidArgumentError
        If the file cannot be read, has no row below its header, or a row has another
        number of fields than the header (its line is named).
    """
    return _read_plain(path, name, texts) or _read_any(path, name, fills_row)


def _read_plain(path: Path, name: str, texts: Collection[str] | None) -> Table | None:
    """Read a file of plain rows; None for any other file."""
    head = plain_rows.first_lines(path)
    if head is None or _SPREADSHEET.match(head[0]) or not head[0].strip():
        return None
    text, encoding = head
    try:
        separator = sniff_separator(text)
        rows = list(_reader(text, separator))
    except csv.Error:
        return None
    if separator == " " or len(rows) < 2 or sum(map(bool, rows[0])) < 2:
        return None
    rows = [row for row in rows if any(row)]
    notes = [_how_read(path, encoding, separator)]
    header, body = _header(rows, notes)
    if not body:
        return None
    if texts and len({*header, ""}) <= len(header):
        texts = None  # they may be the names that such columns will get
    columns = plain_rows.read_columns(
        path, separator, header, body, has_header=len(body) < len(rows), texts=texts
    )
    if columns is None or _is_footer(_last_row(columns[0]), len(header)):
        return None
    return _make_table(name, separator, header, columns, notes)


def _last_row(columns: Sequence[TextColumn | NumberColumn]) -> list[str]:
    """Return the fields of the last row, of numbers any of their column, missing ones empty."""
    return [
        ""
        if column.missing[-1]
        else column.texts[column.codes[-1]]
        if isinstance(column, TextColumn)
        else column.sample
        for column in columns
    ]


def _read_any(path: Path, name: str, fills_row: FillsRow) -> Table:
    """Read a file field by field."""
    text, encoding = read_text(path)
    declared = _SPREADSHEET.match(text)
    if declared:
        text = text[declared.end() :]
    try:
        separator = declared[1] if declared else sniff_separator(text)
        rows = [row for row in _reader(text, separator) if any(row)]
    except csv.Error as error:
        way_out = " Leave the column of longer cells out." if "limit" in str(error) else ""
        raise InvalidArgumentError(
            f"{path} must be separated values; got: {error}.{way_out}"
        ) from error
    if not rows:
        raise InvalidArgumentError(f"{path} must hold rows; got separators only.")
    notes = [_how_read(path, encoding, separator)]
    header, body = _header(_without_remarks(rows, notes), notes)
    body = _without_footer(body, len(header), notes)
    if not body:
        raise InvalidArgumentError(
            f"{path} must have at least one row below its header; got the header only."
        )
    body = _of_one_width(body, len(header), notes)
    body = _filled(body, header, fills_row, notes)
    _check_last_quote(path, text, separator, body[-1])
    wrong = next((row for row in body if len(row) != len(header)), None)
    if wrong is not None:
        line, _ = _lines(text, separator, wrong)
        raise InvalidArgumentError(
            f"line {line} of {path} must have {len(header)} fields, as the first line has; got "
            f"{len(wrong)} ({separator.join(wrong)[:_SHOWN]} ...). Complete it, or quote fields "
            "that hold the separator."
        )
    marks: Counter[str] = Counter()
    columns = [clean_texts(TextColumn.of(fields), marks) for fields in zip(*body, strict=True)]
    return _make_table(name, separator, header, (columns, marks), notes)


def sniff_separator(text: str) -> str:
    """Return the separator of a text by the rule of this module."""
    filled = (line for line in io.StringIO(text, newline=None) if line.strip())
    heads = list(itertools.islice(filled, _SNIFFED_LINES + 1))
    lines = [line for line in heads if not line.startswith("#")] or heads
    for separator in SEPARATORS:
        widths = Counter(len(row) for row in csv.reader(lines, delimiter=separator) if row)
        width, count = widths.most_common(1)[0]
        if width > 1 and count >= 0.9 * widths.total():
            return separator
    most = max(SEPARATORS, key=lines[0].count)
    if most in lines[0]:
        return most
    widths = Counter(map(len, _reader("".join(lines), " ")))
    return " " if len(widths) == 1 and widths.keys() != {1} else ","


def _reader(text: str, separator: str) -> Any:
    lines = io.StringIO(text, newline="")
    if separator == " ":
        return csv.reader((line.strip() for line in lines), delimiter=" ", skipinitialspace=True)
    return csv.reader(lines, delimiter=separator, skipinitialspace=True)


def _without_remarks(rows: list[list[str]], notes: list[str]) -> list[list[str]]:
    """Leave out lines above the table, and lines that begin with # in it."""
    widths = Counter(len(row) for row in rows[: _SNIFFED_LINES + 1] if not row[0].startswith("#"))
    if not widths:
        return rows
    width = max(widths, key=widths.__getitem__)
    filled = (i for i, row in enumerate(rows) if sum(map(bool, row)) > 1 or width == 1)
    start = next(filled, 0)
    left_out = rows[:start]
    left_out += [row for row in rows[start:] if len(row) != width and row[0].startswith("#")]
    if not left_out:
        return rows
    notes.append(_left_out(left_out))
    return [row for row in rows[start:] if len(row) == width or not row[0].startswith("#")]


def _without_footer(body: list[list[str]], width: int, notes: list[str]) -> list[list[str]]:
    """Leave out lines of one text, and one of totals, below the table."""
    n_rows = len(body)
    while n_rows > 1 and _is_footer(body[n_rows - 1], width):
        n_rows -= 1
    if n_rows < len(body):
        notes.append(_left_out(body[n_rows:]))
    return body[:n_rows]


def _is_footer(row: Sequence[str], width: int) -> bool:
    """Tell whether the last row of a wider table is one text, or named a total."""
    texts = [field.strip() for field in row if field.strip()]
    if width <= _WIDEST_WITHOUT_FOOTER or not texts:
        return False
    is_note = len(texts) == 1 and not is_number(texts[0])
    return is_note or texts[0].casefold().rstrip(":") in _TOTALS


def _left_out(rows: Sequence[Sequence[str]]) -> str:
    return (
        f"Left out as no part of the table: {counted(len(rows), 'line')}, "
        f"{'such as ' if len(rows) > 1 else ''}{' '.join(rows[0]).strip()[:40]!r}."
    )


def _of_one_width(body: list[list[str]], width: int, notes: list[str]) -> list[list[str]]:
    """Cut empty fields behind the last column."""
    long = [row for row in body if len(row) > width]
    if not long or any(any(row[width:]) for row in long):
        return body
    notes.append(f"Left out: empty fields behind the last column in {len(long)} rows.")
    return [row[:width] for row in body]


def _filled(
    body: list[list[str]], header: list[str], fills_row: FillsRow, notes: list[str]
) -> list[list[str]]:
    """Add empty fields at the end of rows that may lack some."""
    width = len(header)
    filled = [
        row + [""] * (width - len(row)) if len(row) < width and fills_row(header, row) else row
        for row in body
    ]
    n_short = sum(new is not old for new, old in zip(filled, body, strict=True))
    if n_short:
        notes.append(f"Read as missing: fields that {counted(n_short, 'row')} lack at the end.")
    return filled


def _check_last_quote(path: Path, text: str, separator: str, last: list[str]) -> None:
    """Refuse a quote that is never closed: it would swallow the rest of the file."""
    if text.count('"') % 2 and any("\n" in field or "\r" in field for field in last):
        line, end = _lines(text, separator)
        raise InvalidArgumentError(
            f"line {line} of {path} must close the quote that it opens; got none up to line {end}, "
            "the last one. Add it, or take away the one that opens."
        )


def _lines(text: str, separator: str, wanted: list[str] | None = None) -> tuple[int, int]:
    """Return the first and the last line of a row; without one, of the last row."""
    reader = _reader(text, separator)
    start = end = before = 0
    for row in reader:
        if row:
            start, end = before, int(reader.line_num)
        if row == wanted:
            break
        before = reader.line_num
    return start + 1, end


def _first_row_is_data(rows: list[list[str]]) -> bool:
    first, *others = rows[: _SNIFFED_LINES + 1]
    rest = [row for row in others if row != first]  # a header may come again
    evidence = 0
    for position, field in enumerate(map(str.strip, first)):
        below = {row[position].strip() for row in rest if position < len(row)}
        if is_number(field):
            present = (text for text in below if not text_values.is_missing(text))
            evidence += not _YEAR.fullmatch(field) and all(map(is_number, present))
        else:
            evidence += field in below and field != ""
    return evidence > len(first) / 2


def _how_read(path: Path, encoding: str, separator: str) -> str:
    return f"Read {path.name} as {encoding} with separator {_NAMES[separator]}."


def _header(rows: list[list[str]], notes: list[str]) -> tuple[list[str], list[list[str]]]:
    """Return the names of the columns and the rows of data."""
    if len(rows) > 1 and _first_row_is_data(rows):
        notes.append("The first line looks like data; columns are called x1, x2, ...")
        return [f"x{position}" for position in range(1, len(rows[0]) + 1)], rows
    body = [row for row in rows[1:] if row != rows[0] or len(row) == 1]
    if n_repeated := len(rows) - 1 - len(body):
        notes.append(f"The header comes again in {counted(n_repeated, 'line')}; left out.")
    return [title.strip() for title in rows[0]], body


def _make_table(
    name: str,
    separator: str,
    header: list[str],
    read: tuple[Sequence[TextColumn | NumberColumn], Counter[str]],
    notes: list[str],
) -> Table:
    """Return the table of columns; `read` holds them and the missing marks among them."""
    columns: dict[str, TextColumn | NumberColumn] = {}
    numbers: Counter[str] = Counter()
    unmarked: list[str] = []
    ticked: list[str] = []
    for position, (title, written) in enumerate(zip(header, read[0], strict=True)):
        values = without_text_marks(written) if isinstance(written, TextColumn) else written
        if not title and values.n_missing == len(values):
            notes.append(f"Column {position + 1} has neither name nor values; left out.")
            continue
        column = _free_name(title or f"column{position + 1}", columns, numbers)
        if not title:
            notes.append(f"Column {position + 1} has no name; it is called {column!r}.")
        elif column != title:
            notes.append(f"Column {position + 1}, written {title!r}, is called {column!r}.")
        columns[column] = values
        unmarked += [column] if values is not written else []
        if isinstance(values, TextColumn) and text_values.BLANK in values.texts:
            ticked.append(column)
    if unmarked:
        notes.append(f'Read without the apostrophe or ="..." around each: {listed(unmarked)}.')
    if ticked:
        notes.append(f"Ticked or empty, an empty field read as 'blank': {listed(ticked)}.")
    if marks := read[1]:
        seen = ", ".join(f"{mark!r} {count} times" for mark, count in marks.most_common())
        notes.append(f"Taken as missing: {seen}.".replace("'' ", "an empty field "))
    return Table(name, columns, notes=condensed(notes), separator=separator)


def _free_name(wanted: str, taken: Mapping[str, Any], numbers: Counter[str]) -> str:
    """Return a name that no column has; `numbers` counts how often each was wanted."""
    numbers[wanted] += 1
    name = wanted
    while name in taken:
        numbers[wanted] += name != wanted
        name = f"{wanted}_{max(numbers[wanted], 2)}"
    return name
