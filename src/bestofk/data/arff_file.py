"""ARFF files, read as Weka reads them.

Blanks and commas separate values, `%` begins a comment wherever it stands outside quotes, and a
value in quotes has the escapes of Java.  A row is dense or sparse; a number in braces behind it is
its weight.  Files with clear mistakes that Weka overlooks (an unclosed quote, more values than
attributes) are refused.
"""

from __future__ import annotations

import enum
import itertools
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from bestofk.array_types import Values
from bestofk.checks import nearest_name
from bestofk.data.java_dates import java_date_reader
from bestofk.data.number_forms import shown
from bestofk.data.table import Table
from bestofk.data.text_file import decode, encoding_doubt, read_bytes
from bestofk.data.written_columns import TextColumn
from bestofk.errors import InvalidArgumentError

# A line of plain words: no quotes, %, braces, and letters of ASCII alone.
_PLAIN = re.compile(r"[\t -!#$&(-z|~]*")
_TOKEN = re.compile(
    r"""'((?:[^'\\]|\\.)*)'|"((?:[^"\\]|\\.)*)"|([^\0- ,%'"{}]+)|([{}])|%.*|(['"])"""
)
_ESCAPE = re.compile(r"\\(?:([0-3]?[0-7]{1,2})|(.))")
_ESCAPES = {"a": "\a", "b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t", "v": "\v"}
_NUMERIC = re.compile(r"(numeric|real|integer)(\[.*)?", re.IGNORECASE)
_TYPES = "numeric, real, integer, string, date or {levels}"
_DEFAULT_DATE = "yyyy-MM-dd'T'HH:mm:ss"
_BLOCK = 500  # rows; picking texts column by column is slow in larger blocks


class _Mark(enum.Enum):
    """A brace or a missing value, as opposed to a text."""

    MISSING = "?"
    OPEN = "{"
    CLOSE = "}"
    OMITTED = ""  # from a sparse row


_Token = str | _Mark


class _Lines:
    """The lines of a file with their numbers, cut into values."""

    def __init__(self, path: Path, text: str) -> None:
        self._path = path
        text = text.replace("\r\n", "\n").replace("\r", "\n")
        self._lines = enumerate(text.split("\n"), start=1)
        self.number = 0

    def __iter__(self) -> Iterator[list[_Token]]:
        for number, line in self._lines:
            self.number = number
            if tokens := self._tokens(line):
                yield tokens

    def _tokens(self, line: str) -> list[_Token]:
        if _PLAIN.fullmatch(line):
            words = line.replace(",", " ").split()
            return [_Mark.MISSING if t == "?" else t for t in words] if "?" in line else [*words]
        tokens: list[_Token] = []
        for match in _TOKEN.finditer(line):
            single, double, word, brace, opened = match.groups()
            if opened:
                way_out = ' Put a value that contains an apostrophe in double quotes: "it\'s".'
                raise self.broken("close its quotes", shown(line[match.start() :]), way_out)
            if word or brace:
                tokens.append(word if word not in (None, "?") else _Mark(word or brace))
            elif (quoted := single if single is not None else double) is not None:
                tokens.append(_ESCAPE.sub(_escaped, quoted))
        return tokens

    def broken(self, rule: str, value: str, way_out: str = "") -> InvalidArgumentError:
        """Return the error for the line that was read last."""
        where = f"line {self.number} of {self._path}"
        return InvalidArgumentError(f"{where} must {rule}; got {value}.{way_out}")


@dataclass
class _Attribute:
    """A declared column, with its reader and the codes of missing and omitted values."""

    name: str
    rule: str
    read: Callable[[str], Any]
    missing: Any = np.nan
    omitted: Any = 0
    dtype: str = "float64"
    levels: dict[str, int] = field(default_factory=dict)
    blocks: list[Values] = field(default_factory=list)

    def add(self, tokens: Sequence[_Token], numbers: Sequence[int], lines: _Lines) -> None:
        """Read the values of some rows, or raise for the line of the first unreadable value."""
        marks = {_Mark.MISSING: self.missing, _Mark.OMITTED: self.omitted}
        read = self.read
        values: list[Any] = []
        try:
            for token in tokens:
                values.append(read(token) if isinstance(token, str) else marks[token])
        except (KeyError, ValueError, OverflowError):
            text = _text(tokens[len(values)])
            nearest = f" {nearest_name(text, self.levels)}" if self.levels else ""
            lines.number = numbers[len(values)]
            raise lines.broken(self.rule, shown(text), nearest) from None
        self.blocks.append(np.array(values, dtype=self.dtype))

    def column(self) -> Any:
        """Return a pandas Series, or a `TextColumn` for a string attribute."""
        values = np.concatenate(self.blocks)
        if self.dtype == "object":
            return TextColumn.of(values.tolist())
        if not self.levels:
            return pd.Series(values)
        return pd.Series(pd.Categorical.from_codes(values, categories=list(self.levels)))


def read_arff(path: Path, name: str, *, encoding: str | None = None) -> Table:
    """Read an ARFF file, gzipped or not.

    Parameters
    ----------
    path : Path
        The file.
    name : str
        What to call the table.
    encoding : str or None, default=None
        Python's name of the encoding; None guesses it by `bestofk.data.text_file.decode`.

    Returns
    -------
    Table
        Numeric columns as float64, nominal ones as categories in declared order,
        dates as timestamps (UTC where they have an offset), strings as text; and the weights of the
        rows, unless all are 1. Values that a sparse row omits are 0, the first level, 1970-01-01 or
        a missing text. The target is the attribute called ``class`` in any case, or the last one.

    Raises
    ------
    InvalidArgumentError
        If the file cannot be read, or a line breaks the format (it is named):
        unknown types, relational attributes, undeclared levels, too few or too many
        values, quotes without an end, no rows.
    """
    content = read_bytes(path)
    text, encoding_read = decode(path, content, encoding)
    doubt = "" if encoding else encoding_doubt(content, encoding_read)
    lines = _Lines(path, text)
    attributes = _read_header(path, lines)
    weights = _read_rows(lines, attributes)
    if not weights:
        raise InvalidArgumentError(
            f"{path} must have at least one row below @data; got the header only."
        )
    columns = {attribute.name: attribute.column() for attribute in attributes}
    target = next((column for column in columns if column.casefold() == "class"), None)
    notes = [f"Read {path.name} as ARFF ({encoding_read}); declared types are kept."]
    is_weighted = any(weight != 1 for weight in weights)
    if is_weighted:
        notes.append("Rows are weighted as the file says.")
    return Table(
        name,
        columns,
        target or attributes[-1].name,
        tuple(notes),
        warnings=(doubt,) if doubt else (),
        weights=np.array(weights) if is_weighted else None,
    )


def _read_header(path: Path, lines: _Lines) -> list[_Attribute]:
    attributes: dict[str, _Attribute] = {}
    for word, *tokens in lines:
        keyword = word.casefold() if isinstance(word, str) else ""
        if keyword == "@data" and attributes:
            if tokens:
                raise lines.broken("have rows below @data", f"{len(tokens)} values next to it")
            return list(attributes.values())
        if keyword == "@attribute":
            attribute = _read_attribute(lines, tokens)
            if attribute.name in attributes:
                raise lines.broken("declare each name once", repr(attribute.name))
            attributes[attribute.name] = attribute
    raise InvalidArgumentError(
        f"{path} must hold @attribute lines and @data; got {len(attributes)} attributes. "
        "Rename it to .csv if it is a plain table."
    )


def _read_attribute(lines: _Lines, tokens: Sequence[_Token]) -> _Attribute:
    words = list(map(_text, tokens))
    if len(words) < 2:
        raise lines.broken("be '@attribute NAME TYPE'", shown(" ".join(["@attribute", *words])))
    name, kind, *others = words
    name = name.strip()
    if tokens[1] is _Mark.OPEN:
        inner = tokens[2:-1]
        if not inner or {*inner} & {_Mark.OPEN, _Mark.CLOSE} or tokens[-1] is not _Mark.CLOSE:
            raise lines.broken(f"declare the levels of {name!r} as {{a,b}}", shown(" ".join(words)))
        levels = {level: i for i, level in enumerate(dict.fromkeys(others[:-1]))}
        rule = f"have a declared level of {name!r}"
        return _Attribute(name, rule, levels.__getitem__, -1, dtype="int64", levels=levels)
    if _NUMERIC.fullmatch(kind):
        return _Attribute(name, f"have a number in {name!r}", _number)
    if kind.casefold() == "string":
        rule = f"have a text in {name!r}"
        return _Attribute(name, rule, str, None, omitted=None, dtype="object")
    if kind.casefold() == "date":
        form = others[0] if others else _DEFAULT_DATE
        if (read := java_date_reader(form)) is None:
            raise lines.broken(
                f"declare the date {name!r} by a pattern of the letters yMdHhkKmsSEazZX",
                shown(form),
                " Declare it as string.",
            )
        rule = f"have a date in {name!r}"
        return _Attribute(name, rule, read, None, dtype="datetime64[ms]")
    way_out = " Declare its columns as attributes." if kind.casefold() == "relational" else ""
    raise lines.broken(f"declare {name!r} as {_TYPES}", shown(kind), way_out)


def _read_rows(lines: _Lines, attributes: Sequence[_Attribute]) -> list[float]:
    """Pass the values of all rows to the attributes; return the weights of the rows."""
    weights: list[float] = []
    rows = _rows(lines, len(attributes))
    while block := list(itertools.islice(rows, _BLOCK)):
        numbers, values, of_block = zip(*block, strict=True)
        for attribute, tokens in zip(attributes, zip(*values, strict=True), strict=True):
            attribute.add(tokens, numbers, lines)
        weights += of_block
    return weights


def _rows(lines: _Lines, n_attributes: int) -> Iterator[tuple[int, list[_Token], float]]:
    """Yield the line number, the values and the weight of every row."""
    for tokens in lines:
        if len(tokens) == n_attributes and tokens[0] is not _Mark.OPEN:
            yield lines.number, tokens, 1.0
        else:
            yield lines.number, *_odd_row(lines, tokens, n_attributes)


def _odd_row(lines: _Lines, tokens: list[_Token], n_attributes: int) -> tuple[list[_Token], float]:
    """Return the values and the weight of a row that is sparse or ends with its weight."""
    weight = 1.0
    if len(tokens) > 3 and tokens[-3] is _Mark.OPEN and tokens[-1] is _Mark.CLOSE:
        *tokens, _, written, _ = tokens
        try:
            weight = _number(_text(written))
        except ValueError:
            raise lines.broken("have a number as its weight", shown(_text(written))) from None
    if tokens[0] is _Mark.OPEN and tokens[-1] is _Mark.CLOSE:
        return _dense_row(lines, tokens[1:-1], n_attributes), weight
    if len(tokens) != n_attributes:
        is_long = len(tokens) > n_attributes
        way_out = " Blanks separate values: quote a value that holds one." if is_long else ""
        raise lines.broken(f"have {n_attributes} values", str(len(tokens)), way_out)
    return tokens, weight


def _dense_row(lines: _Lines, pairs: list[_Token], n_attributes: int) -> list[_Token]:
    """Return all values of a sparse row, written as pairs of attribute number and value."""
    values: list[_Token] = [_Mark.OMITTED] * n_attributes
    try:
        for position, value in zip(map(int, map(_text, pairs[::2])), pairs[1::2], strict=True):
            if values[position] is not _Mark.OMITTED or position < 0:
                raise ValueError
            values[position] = value
    except (ValueError, IndexError):
        raise lines.broken(
            f"have numbers of attributes (0 to {n_attributes - 1}), each once and with a value",
            shown(" ".join(map(_text, pairs))),
        ) from None
    return values


def _text(token: _Token) -> str:
    return token if isinstance(token, str) else token.value


def _number(text: str) -> float:
    if "_" in text:  # which Python allows between digits
        raise ValueError
    return float(text)


def _escaped(match: re.Match[str]) -> str:
    octal, letter = match.groups()
    return chr(int(octal, 8)) if octal else _ESCAPES.get(letter, letter)
