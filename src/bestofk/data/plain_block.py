"""A block of plain lines: rows of equal width, and where their fields begin."""

from __future__ import annotations

import csv

import numpy as np

from bestofk.array_types import Ints
from bestofk.data._plain_rows import find_fields

_NEWLINE, _RETURN, _BLANK, _QUOTE = b'\n\r "'


class NotPlainError(Exception):
    """A row is not plain."""


class PlainBlock:
    """Lines with one plain row each, of equal width, with quotes only around whole fields.

    Parameters
    ----------
    lines : bytes
        Whole lines. The first is a header and is not counted.
    separator : str
        The character between fields.
    width : int
        Number of fields of a line, two or more.

    Attributes
    ----------
    n_odd, n_minus_zero : ndarray of shape (width,), int64
        How many fields of each column do not begin like a plain number (with a digit, but no
        leading zero; a point or a minus), and how many begin like minus zero.

    Raises
    ------
    NotPlainError
        If a line is not plain.
    UnicodeDecodeError
        If the lines are not UTF-8.
    """

    def __init__(self, lines: bytes, separator: str, width: int) -> None:
        if not lines.isascii():
            lines.decode()
        self._characters = np.frombuffer(lines, np.uint8)
        self._separator = ord(separator)
        self._starts = np.empty((lines.count(b"\n"), width), dtype=np.int64)
        limit = csv.field_size_limit()
        self.n_odd, self.n_minus_zero = odd = np.zeros((2, width), dtype=np.int64)
        if not lines.endswith(b"\n") or not find_fields(
            self._characters, self._separator, limit, self._starts, odd
        ):
            raise NotPlainError

    @property
    def n_lines(self) -> int:
        """Number of lines, the header included."""
        return len(self._starts)

    def holds(self, text: bytes, rows: Ints, column: int) -> bool:
        """Tell whether fields are equal to a text, apart from quotes and blanks around it."""
        starts = self._starts[1:, column][rows]
        for character in text:
            if (self._characters[starts] != character).any():
                return False
            starts = starts + 1
        behind = (self._separator, _NEWLINE, _RETURN, _BLANK, _QUOTE)
        return bool(np.isin(self._characters[starts], behind).all())
