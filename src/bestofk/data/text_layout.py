"""Layout of a text file of separated values: the separator, and where the table begins.

The first 200 filled lines decide.  The separator is the one that cuts most of them, including the
line of names, into the same number of fields, two or more; ties go to the first of tab, semicolon,
bar and comma.  If there is none, it is the one that occurs most often in the first line, or runs of
blanks if they cut all lines into equally many fields.  Quotes are respected, and lines that begin
with # are ignored. Lines above the table are those with fewer fields than the table, or with a
single filled field. The first line is read as data if more than half of its fields are numbers
(except years) above numbers, or occur again in their column; whole numbers that count from 0 or 1
are names. If the line of names is one field shorter than every row, the first column is one of row
names, as R writes them.
"""

from __future__ import annotations

import csv
import io
import itertools
import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from bestofk.data import text_values
from bestofk.data.file_options import FileOptions
from bestofk.data.number_forms import are_numbers, is_number
from bestofk.data.roles import WORDS_OF_PROSE, is_free_text

ROW_NAMES = "rownames"  # name of the column of row names, which R leaves out

_SNIFFED_LINES = 200
_FITTING = 0.9  # share of the lines that must agree on a separator
_FEWEST_COUNTED = 3  # column names 0, 1, 2
_YEAR = re.compile(r"(19|20)\d\d")
_DECLARED = re.compile(r"sep=([\t;|,])\r?\n")  # how a spreadsheet declares a separator


@dataclass(frozen=True)
class Layout:
    r"""Layout of a text file of separated values.

    Parameters
    ----------
    separator : str
        Separator of fields.
    escape : str or None
        Character that escapes a quote in a quoted field; None if quotes are doubled.
    n_skipped, n_lines_skipped : int
        Characters and lines before the first line that counts.
    above : tuple of tuple of str
        Rows above the table, without empty ones.
    names : tuple of str
        Names of the columns.
    has_header : bool
        Whether the file contains the names.
    has_row_names : bool
        Whether the first column holds row names and has no name in the file.
    first_rows : sequence of tuple of str
        The first rows of the table.
    """

    separator: str
    escape: str | None
    n_skipped: int
    n_lines_skipped: int
    above: tuple[tuple[str, ...], ...]
    names: tuple[str, ...]
    has_header: bool
    has_row_names: bool
    first_rows: Sequence[tuple[str, ...]] = ()


def find_layout(text: str, options: FileOptions) -> Layout:
    """Return the layout of a text, judged by its first lines.

    Raises
    ------
    csv.Error
        If the text cannot be cut into fields.
    """
    skipped = itertools.islice(io.StringIO(text, newline=""), options.skip_rows)
    start = sum(map(len, skipped))
    declared = _DECLARED.match(text, start)
    separator = options.mark or (declared[1] if declared else None)
    start = declared.end() if declared else start
    n_lines = options.skip_rows + (declared is not None)
    filled = (line for line in io.StringIO(text[start:], newline=None) if line.strip())
    lines = list(itertools.islice(filled, _SNIFFED_LINES + 1))
    head = "".join(lines)
    separator = separator or _sniff_separator(lines)
    escape = _sniff_escape(head, separator)
    rows = [tuple(row) for row in cut(head, separator, escape) if any(row)]
    if not rows:
        return Layout(separator, escape, start, n_lines, (), (), False, False)
    width = _width(rows)
    is_r = separator == " " and len(rows[0]) == width - 1
    first = 0 if is_r else next((k for k, row in enumerate(rows) if _may_begin(row, width)), 0)
    names, rest = rows[first], rows[first + 1 :]
    has_header = options.header
    if has_header is None:
        has_header = not rest or not _is_data(names, rest)
    titles = tuple(title.strip() for title in names)
    has_row_names = has_header and bool(rest) and len(names) == width - 1
    if not has_header:
        titles = tuple(f"x{position}" for position in range(1, len(names) + 1))
    elif has_row_names:
        titles = (ROW_NAMES, *titles)
    while len(titles) > width > 1 and not titles[-1]:  # a separator at the end of the line
        titles = titles[:-1]
    return Layout(
        separator, escape, start, n_lines, tuple(rows[:first]), titles, has_header, has_row_names,
        rows[first + has_header :],
    )  # fmt: skip


def cut(text: str, separator: str, escape: str | None = None) -> Any:
    """Return a reader of the rows of a text; a blank line is an empty row."""
    lines: Iterable[str] = io.StringIO(text, newline="")
    if separator == " ":
        lines = (line.strip() for line in lines)
    return csv.reader(lines, delimiter=separator, skipinitialspace=True, escapechar=escape)


def is_comment(row: Sequence[str], width: int) -> bool:
    """Tell whether a row is a comment: it begins with # and has another number of fields."""
    return len(row) != width and row[0].startswith("#")


def _sniff_separator(filled: Sequence[str]) -> str:
    lines = [line for line in filled if not line.startswith("#")] or list(filled)
    if not lines:
        return ","
    best, most = "", 0
    for separator in "\t;|,":
        fitting, n_rows = _fitting_rows("".join(lines), separator)
        if fitting > most and fitting >= _FITTING * n_rows:
            best, most = separator, fitting
    if best:
        return best
    commonest = max("\t;|,", key=lines[0].count)
    if commonest in lines[0]:
        return commonest
    first, *rest = cut("".join(lines), " ")
    width = len(rest[-1] if rest else first)
    is_even = width > 1 and {*map(len, rest)} <= {width}
    names_rows = len(rest) > 1 and len({row[0] for row in rest}) == len(rest)
    return " " if is_even and width - len(first) in (0, int(names_rows)) else ","


def _sniff_escape(text: str, separator: str) -> str | None:
    """Return a backslash if it escapes quotes in quoted fields; else None."""
    if '\\"' not in text:
        return None
    is_better = _fitting_rows(text, separator, "\\") > _fitting_rows(text, separator)
    return "\\" if is_better else None


def _fitting_rows(text: str, separator: str, escape: str | None = None) -> tuple[int, int]:
    """Return how many rows have the same number of fields, two or more, and how many there are."""
    lengths = Counter(len(row) for row in cut(text, separator, escape) if row)
    n_rows = lengths.total()
    del lengths[1]
    return max(lengths.values(), default=0), n_rows


def _width(rows: Sequence[Sequence[str]]) -> int:
    """Return how many fields most rows have, without empty ones after the last column."""
    known = [row for row in rows if not row[0].startswith("#")] or rows
    lengths = Counter(map(len, known))
    width = max(lengths, key=lengths.__getitem__)
    while (
        width > 1
        and width > len(known[0])
        and not any(row[width - 1] for row in known if len(row) == width)
    ):
        width -= 1
    return width


def _may_begin(row: Sequence[str], width: int) -> bool:
    """Tell whether a row may be the first of the table, with names or data."""
    if width == 1:
        return True
    has_no_row_title = len(row) == width and not row[0] and all(row[1:])
    return len(row) >= width - 1 and (sum(map(bool, row)) > 1 or has_no_row_title)


def _is_data(first: Sequence[str], rest: Sequence[Sequence[str]]) -> bool:
    """Tell whether the first row is data, judged by the rows below it."""
    if _counts(first):
        return False
    others = [row for row in rest if row != first]  # a header may be repeated
    evidence = n_prose = 0
    for position, field in enumerate(map(str.strip, first)):
        below = {row[position].strip() for row in others if position < len(row)}
        if is_number(field):
            present = (text for text in below if not text_values.is_missing(text))
            evidence += not _YEAR.fullmatch(field) and all(map(is_number, present))
        else:
            evidence += field in below and field != ""
            n_prose += len(field.split()) >= WORDS_OF_PROSE and is_free_text(below, len(below))
    return evidence + (n_prose if evidence else 0) > len(first) / 2


def _counts(row: Sequence[str]) -> bool:
    """Tell whether a row counts the columns: 0, 1, 2 or 1, 2, 3."""
    numbers = [field.strip() for field in row if are_numbers([field.strip() or "x"])]
    start = 0 if numbers[:1] == ["0"] else 1
    counted = [str(number) for number in range(start, start + len(numbers))]
    return len(numbers) >= _FEWEST_COUNTED and numbers == counted
