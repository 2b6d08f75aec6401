"""Plain rows of separated values, read by the parser of pandas.

The rows of a file are plain where the file is UTF-8, every line is a row of the same number
of fields, no row is blank, and a quote opens or closes a whole field.
A column of plain rows is read as numbers if the parser reads every field as a number and the format
is certain: whole numbers exactly as `str` writes them, or other numbers, if one of the first has a
fraction that is not a group of three digits.  Among the latter, one mark may mean missing values.
All other columns are texts, for the rules of `bestofk.data.roles` and `bestofk.data.number_forms`.
All of this is checked in every row.  A file that is not plain is left to the caller.
"""

from __future__ import annotations

import codecs
import functools
import io
from collections import Counter
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from bestofk.array_types import Ints, Values
from bestofk.data import text_values
from bestofk.data.file_options import FileOptions
from bestofk.data.number_forms import NumberForm, are_numbers, possible_forms
from bestofk.data.plain_block import NotPlainError, PlainBlock
from bestofk.data.roles import are_named_as_codes
from bestofk.data.text_file import UNPACKING_ERRORS, opened
from bestofk.data.text_layout import Layout
from bestofk.data.written_columns import NumberColumn, TextColumn, WrittenColumn, clean_texts

_FIRST_LINES, _FIRST_BYTES = 202, 1 << 16  # the sample has at least this many lines and bytes
_BLOCK_BYTES, _BYTES_OF_COLUMN = 1 << 22, 1 << 12  # bytes of a block; more for many columns
_LONGEST_LINE = 1 << 26  # bytes; a file with longer lines is not read in blocks
_LARGEST_WHOLE = 10**18 - 1  # larger numbers are read like other numbers


@dataclass(frozen=True)
class _Expected:
    """Expected content of a column of numbers, judged by its first rows.

    Parameters
    ----------
    sample : str
        One of the texts, which only one number format reads.
    is_whole : bool
        Whether all are whole numbers, none missing.
    mark : str or None
        Text that may mean a missing value; None if no value is missing.
    """

    sample: str
    is_whole: bool
    mark: str | None


def first_lines(path: Path, encoding: str | None = None) -> tuple[str, str] | None:
    """Return the first lines of a file without a byte order mark, and its encoding.

    Return None if it cannot be read, is not UTF-8, or another encoding is asked for.
    """
    if encoding is not None and codecs.lookup(encoding).name not in ("utf-8", "utf-8-sig"):
        return None
    lines: list[bytes] = []
    n_bytes = 0
    try:
        with opened(path) as stream:
            while line := stream.readline(_LONGEST_LINE):
                if len(line) == _LONGEST_LINE:
                    return None
                lines.append(line)
                n_bytes += len(line)
                if len(lines) >= _FIRST_LINES and n_bytes >= _FIRST_BYTES:
                    break
        head = b"".join(lines)
        encoding = "utf-8-sig" if head.startswith(codecs.BOM_UTF8) else "utf-8"
        return head.decode(encoding), encoding
    except (*UNPACKING_ERRORS, UnicodeDecodeError):
        return None


def read_columns(
    path: Path,
    layout: Layout,
    options: FileOptions,
    *,
    texts: Collection[str] | None,
) -> list[WrittenColumn] | None:
    """Read the columns of a file of plain rows; return None for another file.

    Parameters
    ----------
    path : Path
        The file, packed or not.
    layout : Layout
        Layout with two or more columns, not separated by blanks, and nothing above the table.
    options : FileOptions
        Options that replace guesses.
    texts : collection of str or None
        Columns to keep as text even if they are plain numbers; None keeps every column.

    Returns
    -------
    list of TextColumn or NumberColumn, or None
        In the order of the names.
    """
    header = layout.names
    if any(len(row) != len(header) for row in layout.first_rows):
        return None
    expected = {} if texts is None else _expected_numbers(layout, options, texts)
    read = functools.partial(_read_parts, path, layout)
    try:
        numbers, others = read(expected)
        if len(numbers) < len(expected):  # some turned out not to be numbers
            numbers, others = read({k: expected[k] for k in numbers})
    except (NotPlainError, *UNPACKING_ERRORS, ValueError, OverflowError):
        return None
    return [
        NumberColumn(np.concatenate(numbers.pop(k)), expected[k].sample, expected[k].mark or "")
        if k in numbers
        else clean_texts(others.pop(k).column())
        for k in range(len(header))
    ]


def _expected_numbers(
    layout: Layout, options: FileOptions, texts: Collection[str]
) -> dict[int, _Expected]:
    """Return the expected content of each column of numbers, by position."""
    header = layout.names
    counts = [Counter(map(str.strip, fields)) for fields in zip(*layout.first_rows, strict=True)]
    own_marks = [
        [text for text in known if are_marks(text)]
        for known, are_marks in zip(counts, map(options.is_missing, header), strict=True)
    ]
    all_marks: Counter[str] = Counter()
    for k, marks in enumerate(own_marks):
        for mark in marks:
            all_marks[mark] += counts[k].pop(mark)
    usual = max(all_marks, key=all_marks.__getitem__, default="")
    expected = {}
    for k, (title, known, marks) in enumerate(zip(header, counts, own_marks, strict=True)):
        if title in texts or len(marks) > 1 or not are_numbers(known):
            continue
        if text_values.are_whole(known):
            if known and not marks and not are_named_as_codes(title):
                expected[k] = _Expected(next(iter(known)), is_whole=True, mark=None)
            continue
        certain = (t for t in known if "." in t and possible_forms([t]) == (NumberForm(),))
        sample = next(certain, None)
        if sample is not None:
            expected[k] = _Expected(sample, is_whole=False, mark=marks[0] if marks else usual)
    return expected


class _TextParts:
    """A column of texts, assembled from its blocks."""

    def __init__(self) -> None:
        self._index: dict[str, int] = {}
        self._codes: list[Ints] = []

    def add(self, column: Any) -> None:
        """Add a pandas column of texts."""
        codes, texts = column.factorize()  # in order of appearance
        positions = [self._index.setdefault(text, len(self._index)) for text in texts.tolist()]
        self._codes.append(np.array(positions)[codes])

    def column(self) -> TextColumn:
        """Return the column of all blocks."""
        return TextColumn(list(self._index), np.concatenate(self._codes))


def _read_parts(
    path: Path, layout: Layout, expected: Mapping[int, _Expected]
) -> tuple[dict[int, list[Values]], dict[int, _TextParts]]:
    """Return the texts, and the numbers of each block by column if all are as expected."""
    separator, width = layout.separator, len(layout.names)
    numbers: dict[int, list[Values]] = {k: [] for k in expected}
    texts = {k: _TextParts() for k in range(width) if k not in expected}
    # a line of words before each block keeps texts from being read as numbers or booleans
    line = separator.join("x" if k in texts else "0" for k in range(width)).encode() + b"\n"
    options = _parser_options(separator, width, expected)
    with opened(path) as stream:
        if stream.peek(len(codecs.BOM_UTF8)).startswith(codecs.BOM_UTF8):
            stream.read(len(codecs.BOM_UTF8))
        for _ in range(layout.n_lines_skipped):
            stream.readline()
        if layout.has_header:
            PlainBlock(stream.readline(), separator, width - layout.has_row_names)
        for lines in _blocks(stream, line, max(_BLOCK_BYTES, width * _BYTES_OF_COLUMN)):
            block = PlainBlock(lines, separator, width)
            frame = pd.read_csv(io.BytesIO(lines), **options)
            if len(frame) != block.n_lines:
                raise NotPlainError
            for k, parts in texts.items():
                parts.add(frame[k].iloc[1:])
            for k in list(numbers):
                values = frame[k].to_numpy()[1:]
                if not _are_expected(values, block, k, expected[k]):
                    del numbers[k]
                    continue
                dtype = np.int64 if expected[k].is_whole else np.float64
                numbers[k].append(values.astype(dtype, copy=False))
    return numbers, texts


def _parser_options(
    separator: str, width: int, expected: Mapping[int, _Expected]
) -> dict[str, Any]:
    """Return the options of `pandas.read_csv`, which infers types from the values."""
    release = tuple(map(int, pd.__version__.split(".")[:2]))
    marks = {k: e.mark for k, e in expected.items() if e.mark is not None}
    return {
        "sep": separator,
        "header": None,
        "names": range(width),
        "index_col": False,
        "na_values": {k: [mark, f" {mark}"] for k, mark in marks.items()},
        "keep_default_na": False,
        "low_memory": False,
        "engine": "c",
        # floats are exact without it from 3.1 on
        **({} if release >= (3, 1) else {"float_precision": "round_trip"}),
    }


def _blocks(stream: Any, line: bytes, size: int) -> Iterator[bytes]:
    """Return the lines of a file in blocks, each after `line`, without empty ones at its end."""
    chunk = stream.read(size)
    while chunk:
        rest = stream.readline(_LONGEST_LINE)
        if len(rest) == _LONGEST_LINE:
            raise NotPlainError
        lines = b"".join((line, chunk, rest))
        chunk = stream.read(size)
        if not chunk:
            lines = lines.rstrip(b"\r\n") + b"\n"
        if len(lines) > len(line):
            yield lines


def _are_expected(values: Values, block: PlainBlock, column: int, expected: _Expected) -> bool:
    """Tell whether a column of a block holds the numbers that are expected, in their form."""
    n_odd = int(block.n_odd[column])
    if values.dtype == np.int64:
        is_written_so = not n_odd and not block.n_minus_zero[column]
        return is_written_so and bool(np.abs(values).max() <= _LARGEST_WHOLE)
    if expected.is_whole or values.dtype != np.float64:
        return False
    missing = np.flatnonzero(np.isnan(values))
    if len(missing) and not block.holds((expected.mark or "").encode(), missing, column):
        return False
    return n_odd <= len(missing) and not np.isinf(values).any()
