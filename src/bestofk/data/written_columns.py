"""Columns of a text file as written: texts, and plain numbers."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import pandas as pd

from bestofk.array_types import Bools, Ints, Values
from bestofk.data import text_values

_TEXT_MARKS = re.compile(r"'(\d.*)|=\"(.*)\"", re.DOTALL)


@dataclass(frozen=True, eq=False)
class TextColumn:
    """A column of texts: the different texts, and the position of each row's text.

    Parameters
    ----------
    texts : list of str
        The different texts in order of appearance; each of them occurs.
    codes : ndarray of shape (n_samples,), int64
        Position in `texts`, -1 where the value is missing.

    Examples
    --------
    >>> column = TextColumn.of(["b", None, "a", "b"])
    >>> column.texts, column.codes.tolist(), dict(column.counts)
    (['b', 'a'], [0, -1, 1, 0], {'b': 2, 'a': 1})
    """

    texts: list[str]
    codes: Ints

    @classmethod
    def of(cls, values: Sequence[str | None]) -> TextColumn:
        """Make a column from a sequence of texts, None where missing."""
        distinct = list(dict.fromkeys(values))
        positions = {text: position for position, text in enumerate(distinct)}
        codes = np.fromiter(map(positions.__getitem__, values), np.int64, len(values))
        return cls([], codes).replaced(distinct)

    def __len__(self) -> int:
        return len(self.codes)

    @cached_property
    def counts(self) -> Counter[str]:
        """Number of rows of each text, in order of appearance."""
        n_rows = np.bincount(self.codes + 1, minlength=len(self.texts) + 1)[1:]
        return Counter(dict(zip(self.texts, n_rows.tolist(), strict=True)))

    @property
    def n_distinct(self) -> int:
        """Number of different texts."""
        return len(self.texts)

    @property
    def missing(self) -> Bools:
        """Whether the value of each row is missing."""
        return self.codes < 0

    @property
    def n_missing(self) -> int:
        """Number of rows without a value."""
        return int(np.count_nonzero(self.codes < 0))

    def replaced(self, texts: Iterable[str | None]) -> TextColumn:
        """Return the column with its texts replaced, None for missing."""
        index: dict[str, int] = {}
        codes = [-1 if text is None else index.setdefault(text, len(index)) for text in texts]
        return TextColumn(list(index), np.array([*codes, -1], dtype=np.int64)[self.codes])

    def without(self, marks: Collection[str]) -> TextColumn:
        """Return the column with some texts turned into missing values."""
        if not marks:
            return self
        return self.replaced(None if text in marks else text for text in self.texts)

    def take(self, rows: Ints) -> TextColumn:
        """Return some rows of the column."""
        codes = self.codes[rows]
        kept, first = np.unique(codes[codes >= 0], return_index=True)
        kept = kept[np.argsort(first)]
        positions = np.full(len(self.texts) + 1, -1)
        positions[kept] = np.arange(len(kept))
        return TextColumn([self.texts[position] for position in kept], positions[codes])

    def spread(self, values: Sequence[Any], missing: Any, dtype: Any) -> Values:
        """Return a value for each row, given the value of each text and of missing."""
        return np.array([*values, missing], dtype=dtype)[self.codes]

    def to_list(self) -> list[str | None]:
        """Return the text of each row, None where missing."""
        texts: list[str | None] = self.spread(self.texts, None, np.object_).tolist()
        return texts


@dataclass(frozen=True, eq=False)
class NumberColumn:
    """A column of plain numbers: digits, perhaps with a decimal point and an exponent.

    Parameters
    ----------
    values : ndarray of shape (n_samples,), int64 or float64
        The numbers: int64 if all are whole, none is missing and all are written as `str` writes
        them; else float64, with at least one written fraction, and nan where missing.
    sample : str
        One of the texts, which only one number format reads: it shows how all are written.
    mark : str, default=""
        The text that means a missing value; empty if fields are empty.
    """

    values: Values
    sample: str
    mark: str = ""

    def __len__(self) -> int:
        return len(self.values)

    @property
    def is_whole(self) -> bool:
        """Whether all are whole numbers and none is missing."""
        return self.values.dtype.kind == "i"

    @property
    def n_distinct(self) -> int:
        """Number of different values."""
        return int(pd.Series(self.values).nunique())

    @property
    def counts(self) -> Counter[str]:
        """Counts of the texts, with the sample for the texts of all rows."""
        return Counter((self.sample,))

    @property
    def missing(self) -> Bools:
        """Whether the value of each row is missing."""
        return np.asarray(np.isnan(self.values))

    @property
    def n_missing(self) -> int:
        """Number of rows without a value."""
        return int(np.count_nonzero(np.isnan(self.values)))

    def take(self, rows: Ints) -> NumberColumn:
        """Return some rows of the column."""
        return NumberColumn(self.values[rows], self.sample, self.mark)


WrittenColumn = TextColumn | NumberColumn


def plain_values(column: Any) -> Any:
    """Return the text or the number of each row; other columns unchanged."""
    if isinstance(column, TextColumn):
        return column.to_list()
    return column.values if isinstance(column, NumberColumn) else column


def clean_texts(column: TextColumn) -> TextColumn:
    """Return a column without blanks around its texts, and with empty fields as missing.

    If fields are ticked or empty, an empty field is the text "blank" instead of a missing value.
    """
    cleaned = [text.strip() for text in column.texts]
    if text_values.are_ticks(cleaned):
        return column.replaced(text or text_values.BLANK for text in cleaned)
    if cleaned == column.texts and "" not in cleaned:
        return column
    return column.replaced(text or None for text in cleaned)


def without_text_marks(column: TextColumn) -> TextColumn:
    """Return a column without the marks by which spreadsheets turn numbers into texts.

    Examples
    --------
    >>> without_text_marks(TextColumn.of(["'12", "'007"])).texts
    ['12', '007']
    >>> without_text_marks(TextColumn.of(['="12"', '="7"'])).texts
    ['12', '7']
    """
    unmarked = list(map(_TEXT_MARKS.fullmatch, column.texts))
    if not unmarked or not all(unmarked):
        return column
    return column.replaced(match[match.lastindex or 0] for match in unmarked if match)
