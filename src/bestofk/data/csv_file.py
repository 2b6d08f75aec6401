"""Text files of separated values (CSV, TSV and their variants).

The text is cut into rows by its layout (`bestofk.data.text_layout`): at once where every row is
plain (`bestofk.data.plain_rows`), else field by field.  In both cases:

* * Blank lines and lines above the table are not rows.
* Lines below the table are left out: lines of one text, or of fewer fields than the table has
  that are prose or stand behind a blank line, and look like no row cut short.
* * So are comments (# without the fields of a row), repeated column names, rows without any value,
a first row of units, and a last row that is named a total and holds the sums of its columns.

Whatever is left out is counted in a warning.
"""

from __future__ import annotations

import csv
import datetime
import io
import itertools
import math
import unicodedata
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from bestofk.array_types import Bools
from bestofk.data import plain_rows, text_values
from bestofk.data.file_options import SEPARATORS, FileOptions
from bestofk.data.notes import condensed, listed
from bestofk.data.number_forms import is_number, numbers_among, possible_forms
from bestofk.data.table import Table
from bestofk.data.text_file import decode, encoding_doubt, read_bytes
from bestofk.data.text_layout import Layout, cut, find_layout, is_comment
from bestofk.data.written_columns import (
    NumberColumn,
    TextColumn,
    WrittenColumn,
    clean_texts,
    without_text_marks,
)
from bestofk.errors import InvalidArgumentError
from bestofk.words import times

FillsRow = Callable[[Sequence[str], Sequence[str]], bool]

_WIDEST_WITHOUT_FOOTER = 2  # columns: a row of one value may lack the other
_TOTALS = {
    "total", "totals", "grand total", "sum", "summe", "gesamt", "gesamtsumme", "insgesamt", "somme",
    "total général", "totale", "totaal", "summa", "suma",
}  # fmt: skip
_SHOWN = 40  # characters of a row in a message
_MOST_FOOTERS = 10  # lines at the end that may stand below the table
_SUM_TOLERANCE = 1e-6
_NO_UNITS = text_values.MISSING_WORDS


def read_csv(
    path: Path,
    name: str,
    options: FileOptions | None = None,
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
    options : FileOptions or None, default=None
        Options that replace guesses.
    texts : collection of str or None, default=None
        Columns to keep as text even if they are plain numbers; None keeps every column.
    fills_row : callable
        Tells, given the header and a row that is too short, whether the fields at its end are
        missing.

    Returns
    -------
    Table
        Columns of text and of plain numbers, a note on each guess, and a warning about everything
        left out.

    Raises
    ------
    InvalidArgumentError
        If the file cannot be read, has no row below its header, or a row has another
        number of fields than the header (its line is named).
    """
    options = options or FileOptions()
    read = _read_plain(path, options, texts) or _read_any(path, options, fills_row)
    return read.table(path, name)


class _Read:
    """Columns of a file as they were cut, with notes and warnings."""

    def __init__(
        self, layout: Layout, options: FileOptions, encoding: str, doubt: str = ""
    ) -> None:
        self.layout = layout
        self.options = options
        self.columns: Sequence[WrittenColumn] = ()
        self.encoding = encoding
        self.notes: list[str] = []
        self.warnings: list[str] = [doubt] if doubt else []

    def table(self, path: Path, name: str) -> Table:
        """Return the table of the columns."""
        if self.options.header is None and not self.layout.has_header:
            self.notes.insert(
                0,
                "The first line looks like data, so columns are called x1, x2, ... (--header reads "
                "it as names).",
            )
        columns = self._without_odd_rows(path)
        names, repeated = self._column_names(columns)
        unmarked, ticked = [], []
        kept: dict[str, WrittenColumn] = {}
        for column, written in zip(names, columns, strict=True):
            if not column:
                continue
            values = without_text_marks(written) if isinstance(written, TextColumn) else written
            kept[column] = values
            unmarked += [column] if values is not written else []
            if isinstance(values, TextColumn) and text_values.BLANK in values.texts:
                ticked.append(column)
        if unmarked:
            self.notes.append(
                f'Read without the apostrophe or ="..." around each: {listed(unmarked)}.'
            )
        if ticked:
            self.notes.append(f"Ticked or empty, an empty field read as 'blank': {listed(ticked)}.")
        separator = self.layout.separator
        how = (
            f"Read {path.name} as {self.encoding} with separator "
            f"{SEPARATORS.get(separator, repr(separator))}."
        )
        return Table(
            name,
            kept,
            notes=condensed((how, *self.notes)),
            separator=separator,
            warnings=condensed(self.warnings),
            repeated=repeated,
        )

    def leave_out(self, what: str, rows: Sequence[Sequence[str]]) -> None:
        """Warn about lines that were left out, and quote the first."""
        text = " ".join(rows[0]).strip()[:_SHOWN]
        self.warnings.append(
            f"Left out as {what}: {times(len(rows), 'line')}, "
            f"{'such as ' if len(rows) > 1 else ''}{text!r}."
        )

    def _without_odd_rows(self, path: Path) -> list[WrittenColumn]:
        """Leave out repeated names, empty rows, units and totals, and warn about them."""
        columns = list(self.columns)
        rules = (
            (_repeat_names, "Left out: {} that repeat the column names."),
            (_are_empty, "Left out: {} without any value."),
            (_are_units, "Left out: {} of units below the names ({})."),
            (_are_totals, "Left out: {} of totals at the end ({}); --skip-footer 0 keeps it."),
        )
        for rule, sentence in rules:
            odd = rule(self.layout, columns)
            if not odd.any() or (rule is _are_totals and self.options.skip_footer is not None):
                continue
            if odd.all():
                raise InvalidArgumentError(
                    f"{path} must have at least one row below its header; got the header only."
                )
            first = int(odd.argmax())
            shown = next(filter(None, (_text_at(column, first) for column in columns)), "")
            rows = times(int(np.count_nonzero(odd)), "row")
            self.warnings.append(sentence.format(rows, repr(shown[:_SHOWN])))
            kept = np.flatnonzero(~odd)
            columns = [column.take(kept) for column in columns]
        return columns

    def _column_names(
        self, columns: Sequence[WrittenColumn]
    ) -> tuple[list[str], Mapping[str, tuple[str, ...]]]:
        """Return unique names of the columns, and the names of columns with equal titles.

        A name is empty where the column has no title and no value.
        """
        titles = [unicodedata.normalize("NFC", title) for title in self.layout.names]
        counts = Counter(titles)
        names: list[str] = []
        taken = {title for title, count in counts.items() if count == 1}
        numbers: Counter[str] = Counter()
        repeated: dict[str, tuple[str, ...]] = {}
        for position, (title, column) in enumerate(zip(titles, columns, strict=True), start=1):
            if title and counts[title] == 1:
                names.append(title)
                continue
            if not title and column.n_missing == len(column):
                self.notes.append(f"Column {position} has neither name nor values; left out.")
                names.append("")
                continue
            name = _free_name(title, position, taken, numbers)
            taken.add(name)
            names.append(name)
            if title:
                repeated[title] = (*repeated.get(title, ()), name)
                self.notes.append(f"Column {position}, written {title!r}, is called {name!r}.")
            else:
                self.notes.append(f"Column {position} has no name; it is called {name!r}.")
        return names, repeated


def _free_name(title: str, position: int, taken: set[str], numbers: Counter[str]) -> str:
    """Return a name that no column has yet, made of title and number."""
    if not title and f"column{position}" not in taken:
        return f"column{position}"
    while True:
        numbers[title] += 1
        name = f"{title or 'column'}_{numbers[title]}"
        if name not in taken:
            return name


def _read_plain(path: Path, options: FileOptions, texts: Collection[str] | None) -> _Read | None:
    """Read a file of plain rows; return None for any other file."""
    head = plain_rows.first_lines(path, options.encoding)
    if head is None or options.skip_footer:
        return None
    text, encoding = head
    try:
        layout = find_layout(text, options)
    except csv.Error:
        return None
    first_line = text[layout.n_skipped :].partition("\n")[0]
    is_empty = not first_line.strip(f'{layout.separator} "\r')
    is_odd = layout.separator == " " or layout.escape or layout.above or is_empty
    if is_odd or len(layout.names) < 2 or not layout.first_rows:
        return None
    read = _Read(layout, options, encoding)
    if texts and len({*layout.names, ""}) <= len(layout.names):
        texts = None  # unnamed columns will get these names
    columns = plain_rows.read_columns(path, layout, options, texts=texts)
    if columns is None:
        return None
    last = [_text_at(column, -1) for column in columns]
    if options.skip_footer is None and _is_note(last, len(last)):
        return None
    read.columns = columns
    return read


def _read_any(path: Path, options: FileOptions, fills_row: FillsRow) -> _Read:
    """Read a file field by field."""
    content = read_bytes(path)
    text, encoding = decode(path, content, options.encoding)
    doubt = "" if options.encoding else encoding_doubt(content, encoding)
    return _read_text(path, text, options, fills_row, encoding, doubt)


def read_written(
    path: Path, name: str, rows: Iterable[Sequence[Any]], options: FileOptions, what: str
) -> Table:
    """Read rows as if they were saved as CSV; `what` names them in messages."""
    text = io.StringIO()
    csv.writer(text).writerows([cell_text(cell) for cell in row] for row in rows)
    if not text.getvalue().strip(',"\r\n '):
        raise InvalidArgumentError(f"{path} must hold rows; got none in {what}.")
    read = _read_text(path, text.getvalue(), options, lambda header, row: False, "")
    table = read.table(path, name)
    return replace(table, notes=(f"Read {path.name}, {what}.", *table.notes[1:]))


def cell_text(value: Any) -> str:
    """Return a typed value as CSV text, empty if missing.

    Examples
    --------
    >>> [cell_text(value) for value in (3.0, 0.5, True, None, datetime.datetime(2024, 5, 1))]
    ['3', '0.5', 'true', '', '2024-05-01']
    """
    if isinstance(value, bool | bytes):
        return str(value).lower()
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    if isinstance(value, datetime.timedelta):
        return str(value / datetime.timedelta(days=1))
    if isinstance(value, datetime.datetime) and value.time() == datetime.time():
        value = value.date()
    return "" if value is None else str(value)


def _read_text(
    path: Path,
    text: str,
    options: FileOptions,
    fills_row: FillsRow,
    encoding: str,
    doubt: str = "",
) -> _Read:
    try:
        layout = find_layout(text, options)
        text = text[layout.n_skipped :]
        rows = _cut_whole(text, layout)
    except csv.Error as error:
        way_out = " Leave the column of longer cells out." if "limit" in str(error) else ""
        raise InvalidArgumentError(
            f"{path} must be separated values; got: {error}.{way_out}"
        ) from error
    if not layout.names:
        raise InvalidArgumentError(f"{path} must hold rows; got separators only.")
    read = _Read(layout, options, encoding, doubt)
    by_line = _cut_by_line(text, layout, rows)
    if by_line:
        rows = by_line
        read.notes.append("Every line is a row, so quotes that span lines were read as text.")
    if layout.above:
        said = read.notes if layout.has_header else read.warnings
        said.append(
            f"Left out above the table: {times(len(layout.above), 'line')}, "
            f"{' '.join(layout.above[0]).strip()[:_SHOWN]!r}{' ...' * (len(layout.above) > 1)}."
        )
    body = _body(rows, layout)
    body = _without_footer(body, options, read)
    comments = [row for row in body if row and is_comment(row, len(layout.names))]
    if comments:
        read.leave_out("comments", comments)
        body = [row for row in body if not (row and is_comment(row, len(layout.names)))]
    # one empty field is a blank line, unless there is one column
    body = [row for row in body if len(row) > (len(layout.names) > 1) or any(row)]
    if not body:
        raise InvalidArgumentError(
            f"{path} must have at least one row below its header; got the header only."
        )
    body = _of_one_width(body, read)
    body = _filled(body, read, fills_row)
    _check_last_quote(path, text, layout, body[-1])
    _check_widths(path, text, layout, body)
    read.columns = [clean_texts(TextColumn.of(fields)) for fields in zip(*body, strict=True)]
    return read


def _cut_whole(text: str, layout: Layout) -> list[list[str]]:
    """Return all rows; blank ones are empty."""
    rows: list[list[str]] = list(cut(text, layout.separator, layout.escape))
    if layout.escape or '\\"' not in text:
        return rows
    escaped = list(cut(text, layout.separator, "\\"))  # not in the first lines
    n_wrong, n_wrong_escaped = (
        sum(bool(row) and len(row) != len(layout.names) for row in known)
        for known in (rows, escaped)
    )
    return escaped if n_wrong_escaped < n_wrong else rows


def _cut_by_line(text: str, layout: Layout, rows: list[list[str]]) -> list[list[str]]:
    """Return each line as a row if every line has the right fields although texts span lines."""
    width = len(layout.names)
    if width == 1 or not any("\n" in field or "\r" in field for row in rows for field in row):
        return []
    by_line: list[list[str]] = []
    for line in io.StringIO(text, newline=None):
        line = line.removesuffix("\n")
        row: list[str] = next(cut(line, layout.separator, layout.escape), [])
        if line.count('"') % 2:
            row = line.split(layout.separator)
            if not all(" " in field for field in row if field.startswith('"')):
                return []  # not a text, but an unclosed quote
        if line and len(row) != width:
            return []
        by_line.append(row)
    return by_line


def _body(rows: list[list[str]], layout: Layout) -> list[list[str]]:
    """Return the rows after the column names, including blank ones."""
    n_filled = len(layout.above) + layout.has_header
    filled = (k for k, row in enumerate(rows) if any(row))
    last = next(itertools.islice(filled, n_filled - 1, None), -1) if n_filled else -1
    return rows[last + 1 :]


def _without_footer(body: list[list[str]], options: FileOptions, read: _Read) -> list[list[str]]:
    """Leave out lines below the table."""
    filled = [k for k, row in enumerate(body) if any(row)]
    if options.skip_footer is not None:
        n_footer = min(options.skip_footer, len(filled))
        end = filled[-n_footer] if n_footer else len(body)
    else:
        end = _end_of_table(body, filled, len(read.layout.names))
    footer = [row for row in body[end:] if any(row)]
    if footer:
        read.leave_out("not part of the table", footer)
    return body[:end]


def _end_of_table(body: list[list[str]], filled: list[int], width: int) -> int:
    """Return where the lines below the table begin."""
    end = len(body)
    full = max((k for k in filled if len(body[k]) == width), default=0)
    fields: list[set[str]] | None = None
    for k in reversed(filled[1:]):
        row = body[k]
        is_behind_blank = not all(map(any, body[full + 1 : k]))
        is_short = len(row) < width and not is_comment(row, width)
        is_prose = " " in row[0].strip() or 2 * len(row) <= width or is_behind_blank
        if not _is_note(row, width) and not (is_short and is_prose):
            break
        if fields is None:
            rows = [known for known in body if len(known) == width]
            fields = [set(map(str.strip, column)) for column in zip(*rows, strict=True)]
        if _may_be_row(row, body, fields):
            break
        end = k
    return end


def _is_note(row: Sequence[str], width: int) -> bool:
    """Tell whether a row below a table of more than two columns is one text, at its start."""
    texts = [field.strip() for field in row if field.strip()]
    if len(texts) != 1 or is_number(texts[0]):
        return False
    return width > _WIDEST_WITHOUT_FOOTER and row[0].strip() != ""


def _may_be_row(
    row: Sequence[str], body: Sequence[Sequence[str]], fields: Sequence[set[str]]
) -> bool:
    """Tell whether a row at the end may belong to the table, cut short or with a single value.

    Its values are numbers, or texts that also occur elsewhere in their columns.
    """
    texts = list(map(str.strip, row))
    if _is_note(row, len(row)) and fields:
        return sum(known[0].strip() == texts[0] for known in body if known) > 1
    if not fields or len(texts) < 2:
        return bool(texts) and is_number(texts[0])
    return all(
        is_number(text) or text in known or text_values.is_missing(text)
        for text, known in zip(texts[:-1], fields, strict=False)
    )


def _of_one_width(body: list[list[str]], read: _Read) -> list[list[str]]:
    """Remove empty fields after the last column."""
    width = len(read.layout.names)
    n_long = sum(len(row) > width for row in body)
    if not n_long or any(any(row[width:]) for row in body):
        return body
    read.notes.append(f"Left out: empty fields after the last column in {n_long} rows.")
    return [row[:width] for row in body]


def _filled(body: list[list[str]], read: _Read, fills_row: FillsRow) -> list[list[str]]:
    """Add empty fields at the end of rows that may lack some."""
    names = read.layout.names
    width = len(names)
    filled = [
        row + [""] * (width - len(row)) if len(row) < width and fills_row(names, row) else row
        for row in body
    ]
    n_short = sum(new is not old for new, old in zip(filled, body, strict=True))
    if n_short:
        read.notes.append(f"Read as missing: fields that {times(n_short, 'row')} lack at the end.")
    return filled


def _check_last_quote(path: Path, text: str, layout: Layout, last: list[str]) -> None:
    """Refuse an unclosed quote: the rest of the file would become one field."""
    if text.count('"') % 2 and any("\n" in field or "\r" in field for field in last):
        line, end = _lines(text, layout)
        raise InvalidArgumentError(
            f"line {line} of {path} must close the quote that it opens; got none up to line {end}, "
            "the last one. Add the closing quote, or remove the opening one."
        )


def _check_widths(path: Path, text: str, layout: Layout, body: list[list[str]]) -> None:
    width = len(layout.names)
    wrong = next((row for row in body if len(row) != width), None)
    if wrong is not None:
        line, _ = _lines(text, layout, wrong)
        n_last = len(body) - body.index(wrong)
        footer = f"; --skip-footer {n_last} leaves out lines that are not part of the table"
        raise InvalidArgumentError(
            f"line {line} of {path} must have {width} fields, as the first line has; got "
            f"{len(wrong)} ({layout.separator.join(wrong)[:_SHOWN]} ...). Complete it, or quote "
            f"fields that hold the separator{footer if n_last <= _MOST_FOOTERS else ''}."
        )


def _lines(text: str, layout: Layout, wanted: list[str] | None = None) -> tuple[int, int]:
    """Return the first and the last line of a row; of the last row by default."""
    reader = cut(text, layout.separator, layout.escape)
    start = end = before = 0
    for row in reader:
        if row:
            start, end = before, int(reader.line_num)
        if row == wanted:
            break
        before = reader.line_num
    return layout.n_lines_skipped + start + 1, layout.n_lines_skipped + end


def _text_at(column: WrittenColumn, row: int) -> str:
    """Return the value of a row as text or number; empty where it is missing."""
    if isinstance(column, NumberColumn):
        value = column.values[row]
        return "" if math.isnan(value) else f"{value:g}"
    return "" if column.codes[row] < 0 else column.texts[column.codes[row]]


def _no_rows(columns: Sequence[WrittenColumn]) -> Bools:
    return np.zeros(len(columns[0]), dtype=bool)


def _repeat_names(layout: Layout, columns: Sequence[WrittenColumn]) -> Bools:
    """Return which rows repeat the names of the columns."""
    if not layout.has_header or len(columns) == 1:
        return _no_rows(columns)
    are_names = ~_no_rows(columns)
    for title, column in zip(
        layout.names[layout.has_row_names :], columns[layout.has_row_names :], strict=True
    ):
        if isinstance(column, NumberColumn) or (title and title not in column.counts):
            return _no_rows(columns)
        are_names &= column.codes == (column.texts.index(title) if title else -1)
    return are_names


def _are_empty(layout: Layout, columns: Sequence[WrittenColumn]) -> Bools:
    """Return which rows have no value."""
    are_empty = ~_no_rows(columns)
    for column in columns:
        if not column.n_missing:
            return _no_rows(columns)
        are_empty &= column.missing
    return are_empty


def _are_units(layout: Layout, columns: Sequence[WrittenColumn]) -> Bools:
    """Return which row holds units: the first, if it has texts above columns of numbers.

    In the other columns it has texts that occur only there.
    """
    are_units = _no_rows(columns)
    if not layout.has_header or len(are_units) < 3:
        return are_units
    n_units, are_in_brackets = 0, True
    for column in columns:
        if isinstance(column, NumberColumn):
            return are_units
        if column.codes[0] < 0:
            continue
        first = column.texts[0]
        if first == "-":  # columns without a unit
            continue
        if column.counts[first] > 1 or is_number(first) or first.casefold() in _NO_UNITS:
            return are_units
        others = [text for text in column.texts[1:] if not text_values.is_missing(text)]
        if not others or not possible_forms(others):
            continue
        if text_values.is_missing(first):
            return are_units
        n_units += 1
        are_in_brackets &= first[0] + first[-1] in ("[]", "()")
    are_units[0] = n_units > 1 or (n_units == 1 and are_in_brackets)
    return are_units


def _are_totals(layout: Layout, columns: Sequence[WrittenColumn]) -> Bools:
    """Return which row holds totals: the last, if it is named so and all its numbers are sums."""
    are_totals = _no_rows(columns)
    named = columns[layout.has_row_names]
    if len(are_totals) < 3 or isinstance(named, NumberColumn):
        return are_totals
    if _text_at(named, -1).casefold().rstrip(":") not in _TOTALS:
        return are_totals
    are_sums = [_ends_in_sum(column) for column in columns if column is not named]
    known = [is_sum for is_sum in are_sums if is_sum is not None]
    are_totals[-1] = bool(known) and all(known)
    return are_totals


def _ends_in_sum(column: WrittenColumn) -> bool | None:
    """Tell whether the last number of a column is the sum of the others; None without a number."""
    if isinstance(column, NumberColumn):
        values = column.values.astype(np.float64)
    else:
        last = _text_at(column, -1)
        forms = possible_forms([text for text in numbers_among(column.texts)])
        if not last or not forms:
            return None
        numbers = [forms[0].read(text) for text in column.texts]
        values = column.spread([math.nan if v is None else v for v in numbers], math.nan, float)
    if math.isnan(values[-1]):
        return None
    above = float(np.nansum(values[:-1]))
    return math.isclose(above, values[-1], rel_tol=_SUM_TOLERANCE, abs_tol=_SUM_TOLERANCE)
