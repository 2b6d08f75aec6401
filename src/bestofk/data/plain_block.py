"""A block of plain lines: rows of one width, and where their fields end."""

from __future__ import annotations

import csv

import numpy as np
from numpy.typing import NDArray

_NEWLINE, _RETURN, _BLANK, _QUOTE = b'\n\r "'


class NotPlainError(Exception):
    """A row is not plain."""


class PlainBlock:
    """Lines of plain rows: one row each, of one width, quotes around whole fields alone.

    Parameters
    ----------
    lines : bytes
        Whole lines. The first one is a header: rows and columns do not count it.
    separator : str
        The character between fields.
    width : int
        Number of fields of a line, two or more.

    Raises
    ------
    NotPlainError
        If a line is not plain.
    UnicodeDecodeError
        If the lines are not UTF-8.
    """

    def __init__(self, lines: bytes, separator: str, width: int) -> None:
        if b"\0" in lines or lines.count(b"\r") != lines.count(b"\r\n"):
            raise NotPlainError
        if not lines.isascii():
            lines.decode()
        self._characters = np.frombuffer(lines, np.uint8)
        self._separator = ord(separator)
        self._ends = self._field_ends(width, has_quotes=b'"' in lines)

    @property
    def n_lines(self) -> int:
        """Number of lines, the header included."""
        return len(self._ends)

    def first_characters(
        self, rows: NDArray[np.int64] | slice, column: int
    ) -> tuple[NDArray[np.uint8], NDArray[np.uint8]]:
        """Return the first two characters of fields, behind a blank and a quote."""
        starts = self._starts(rows, column)
        return self._characters[starts], self._characters[starts + 1]

    def holds(self, text: bytes, rows: NDArray[np.int64], column: int) -> bool:
        """Tell whether fields hold a text alone, perhaps with blanks around it, or in quotes."""
        starts = self._starts(rows, column)
        for character in text:
            if (self._characters[starts] != character).any():
                return False
            starts = starts + 1
        behind = (self._separator, _NEWLINE, _RETURN, _BLANK, _QUOTE)
        return bool(np.isin(self._characters[starts], behind).all())

    def _starts(self, rows: NDArray[np.int64] | slice, column: int) -> NDArray[np.int64]:
        before = self._ends[1:, column - 1] if column else self._ends[:-1, -1]
        starts: NDArray[np.int64] = before[rows] + 1
        if len(starts) and self._characters[starts].min() <= _QUOTE:
            for skipped in (_BLANK, _QUOTE):
                starts = starts + (self._characters[starts] == skipped)
        return starts

    def _field_ends(self, width: int, *, has_quotes: bool) -> NDArray[np.int64]:
        """Return where each field ends, shape (n_lines, width)."""
        is_end = self._characters == self._separator
        is_newline = self._characters == _NEWLINE
        if has_quotes:
            is_end &= ~self._are_quoted(is_newline)
        is_end |= is_newline
        ends = np.flatnonzero(is_end)
        if len(ends) % width:
            raise NotPlainError
        table: NDArray[np.int64] = ends.reshape(-1, width)
        expected = np.full(width, self._separator, dtype=np.uint8)
        expected[-1] = _NEWLINE
        if (self._characters[table] != expected).any():
            raise NotPlainError
        limit = csv.field_size_limit()
        is_long = np.diff(table[:, -1], prepend=-1).max() > limit
        if is_long and np.diff(ends, prepend=-1).max() > limit:
            raise NotPlainError
        return table

    def _are_quoted(self, is_newline: NDArray[np.bool_]) -> NDArray[np.bool_]:
        """Tell which characters stand in quotes, each of which opens or closes a field."""
        is_quote = self._characters == _QUOTE
        quotes = np.flatnonzero(is_quote)
        are_quoted = np.bitwise_xor.accumulate(is_quote)
        if len(quotes) % 2 or (are_quoted & is_newline).any():
            raise NotPlainError
        before = self._characters[quotes[::2] - 1]  # of the first line: the newline at the end
        after = self._characters[quotes[1::2] + 1]
        if not (
            np.isin(before, (self._separator, _NEWLINE)).all()
            and np.isin(after, (self._separator, _NEWLINE, _RETURN)).all()
        ):
            raise NotPlainError
        return are_quoted
