"""ARFF files.

scipy parses the values. It refuses or misreads much of what Weka allows: blanks
around declared levels, quoted names of one letter, levels with commas, quotes or
letters beyond ASCII, missing marks next to a quoted '?', values separated by
tabs, rows that are too long. Therefore each file is first rewritten into a plain
dialect: attributes are called a0, a1, ..., nominal and string values are
replaced by the position of their level.  Rows that are plain are read directly.
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from bestofk.checks import nearest_name
from bestofk.data.number_forms import shown
from bestofk.data.table import Table
from bestofk.data.text_file import read_text
from bestofk.data.written_columns import TextColumn
from bestofk.errors import InvalidArgumentError

_ATTRIBUTE = re.compile(
    r"""@attribute\s+(?:'((?:[^'\\]|\\.)*)'|"((?:[^"\\]|\\.)*)"|([^\s{]+))\s*(.+)""",
    re.IGNORECASE,
)
_LEVELS = re.compile(r"\{(.*)\}\s*(%.*)?")
_NUMERIC = re.compile(r"(numeric|real|integer)\b", re.IGNORECASE)
_DATE = re.compile(r"date\b\s*([\"'].*[\"'])?", re.IGNORECASE)
_STRING = re.compile(r"string\b", re.IGNORECASE)
_INNER = r"""'((?:[^'\\]|\\.)*)'|"((?:[^"\\]|\\.)*)\""""
# A value in quotes, from where a value can begin: elsewhere a quote opens nothing, and a search
# from each of many quotes that are never closed would take quadratic time.
_QUOTED = re.compile(rf"(?:^|(?<=[,\t])) *(?:{_INNER})")
_VALUE = {
    ",": re.compile(rf"\s*(?:{_INNER}|([^,]*))\s*(,|$)"),
    "\t": re.compile(rf" *(?:{_INNER}|([^\t]*)) *(\t|$)"),
}
_WEKA_DATE = "\"yyyy-MM-dd'T'HH:mm:ss\""  # Weka's format where a declaration gives none


@dataclass
class _Attribute:
    """One declared column; `levels` (text to position) grows while a string column is read."""

    name: str
    kind: str  # "numeric", "nominal", "string", "date"
    levels: dict[str, int]
    declaration: str

    def code(self, token: str, *, quoted: bool) -> str | None:
        """Return the token in the plain dialect, or None if it is no declared level."""
        if token == "?" and not quoted:
            return "?"
        if self.kind == "string":
            return str(self.levels.setdefault(token, len(self.levels)))
        if self.kind == "nominal":
            return str(self.levels[token]) if token in self.levels else None
        return token


class _CountedLines(io.StringIO):
    """Lines that know which of them was handed out last."""

    n_read = 0

    def __next__(self) -> str:  # type: ignore[override]  # typeshed: bytes for all files
        self.n_read += 1
        return super().__next__()


def read_arff(path: Path, name: str) -> Table:
    """Read an ARFF file, gzipped or not.

    Parameters
    ----------
    path : Path
        The file.
    name : str
        What to call the table.

    Returns
    -------
    Table
        Numeric columns as float64, nominal ones as categories in declared order,
        dates as timestamps, strings as text. The target is the attribute called
        ``class`` in any case, or the last one.

    Raises
    ------
    InvalidArgumentError
        If the file cannot be read, or a line breaks the format (it is named):
        unknown types, relational attributes, sparse rows, undeclared levels, too
        few or too many values, no rows.
    """
    text, encoding = read_text(path)
    lines = io.StringIO(text, newline=None).read().split("\n")
    attributes, first = _read_header(path, lines)
    values = _plain_values(lines[first:], attributes) or _any_values(path, lines, first, attributes)
    columns = {
        attribute.name: _column(attribute, of_attribute)
        for attribute, of_attribute in zip(attributes, values, strict=True)
    }
    target = next((column for column in columns if column.casefold() == "class"), None)
    return Table(
        name,
        columns,
        target or attributes[-1].name,
        (f"Read {path.name} as ARFF ({encoding}); declared types are kept.",),
    )


def _read_header(path: Path, lines: list[str]) -> tuple[list[_Attribute], int]:
    """Return the attributes and the position of the first line below @data."""
    attributes: list[_Attribute] = []
    names: set[str] = set()
    for number, line in enumerate(lines, start=1):
        word = line.split(maxsplit=1)[0].casefold() if line.strip() else ""
        if word == "@data" and attributes:
            return attributes, number
        if word == "@attribute":
            attribute = _read_attribute(path, number, line.strip())
            if attribute.name in names:
                raise _broken(path, number, "declare each name once", repr(attribute.name))
            attributes.append(attribute)
            names.add(attribute.name)
    raise InvalidArgumentError(
        f"{path} must hold @attribute lines and @data; got {len(attributes)} attributes. "
        "Rename it to .csv if it is a plain table."
    )


def _read_attribute(path: Path, number: int, line: str) -> _Attribute:
    match = _ATTRIBUTE.fullmatch(line)
    if not match:
        raise _broken(path, number, "be '@attribute NAME TYPE'", shown(line))
    name = _unescape(next(part for part in match.groups()[:3] if part is not None)).strip()
    declared = match[4]
    if levels := _LEVELS.fullmatch(declared):
        tokens = [token for token, _ in _tokens(levels[1])]
        return _Attribute(name, "nominal", {t: i for i, t in enumerate(dict.fromkeys(tokens))}, "")
    if _NUMERIC.match(declared):
        return _Attribute(name, "numeric", {}, "numeric")
    if _STRING.match(declared):
        return _Attribute(name, "string", {}, "")
    if date := _DATE.match(declared):
        # scipy takes the quotes around the letter T as part of the text
        form = (date[1] or _WEKA_DATE).replace("'", "").replace('"', "")
        return _Attribute(name, "date", {}, f'date "{form}"')
    raise _broken(
        path, number, "declare numeric, real, integer, string, date or {levels}", shown(declared)
    )


def _plain_values(lines: Sequence[str], attributes: Sequence[_Attribute]) -> list[Any] | None:
    """Return the values of every attribute; None where the rows are not all plain.

    Rows without quotes and tabs, of numbers and declared levels alone, need not be rewritten.
    """
    rows = [row for line in lines if (row := line.strip()) and row[0] != "%"]
    text = "\n".join(rows)
    is_odd = any(mark in text for mark in "'\"\t") or any(row[0] in "@{" for row in rows)
    is_declared = all(attribute.kind in ("numeric", "nominal") for attribute in attributes)
    if is_odd or not is_declared or not rows:
        return None
    cut = [row.split(",") for row in rows]
    if {len(row) for row in cut} != {len(attributes)}:
        return None
    values = []
    for attribute, tokens in zip(attributes, zip(*cut, strict=True), strict=True):
        known = _plain_column(attribute, tokens)
        if known is None:
            return None
        values.append(known)
    return values


def _plain_column(attribute: _Attribute, tokens: Sequence[str]) -> Any:
    """Return the numbers of tokens, or the positions of levels; None where one has neither."""
    nan = float("nan")
    try:
        if attribute.kind == "nominal":
            known = {**attribute.levels, "?": nan}
            return np.array([known[token] for token in tokens], dtype=np.float64)
        return np.array([nan if t == "?" else float(t) for t in tokens], dtype=np.float64)
    except (KeyError, ValueError):
        stripped = [token.strip() for token in tokens]
        return _plain_column(attribute, stripped) if stripped != list(tokens) else None


def _any_values(
    path: Path, lines: list[str], first: int, attributes: list[_Attribute]
) -> list[Any]:
    """Return the values of every attribute, parsed by scipy from rewritten rows, or raise."""
    numbers, rows = _rewrite_rows(path, lines, first, attributes)
    if not rows:
        raise InvalidArgumentError(
            f"{path} must have at least one row below @data; got the header only."
        )
    parsed = _parse(path, attributes, numbers, rows)
    return [parsed[f"a{position}"] for position in range(len(attributes))]


def _rewrite_rows(
    path: Path, lines: list[str], first: int, attributes: list[_Attribute]
) -> tuple[list[int], list[str]]:
    """Return line numbers and rows in the plain dialect."""
    numbers, rows = [], []
    for number, line in enumerate(lines[first:], start=first + 1):
        stripped = line.strip()
        if not stripped or stripped.startswith("%") or stripped.casefold() == "@data":
            continue
        if stripped.startswith("{"):
            raise _broken(path, number, "be a dense row", "a sparse one ({...})")
        tokens = _tokens(stripped)
        if len(tokens) != len(attributes):
            raise _broken(path, number, f"have {len(attributes)} values", str(len(tokens)))
        codes = []
        for attribute, (token, quoted) in zip(attributes, tokens, strict=True):
            code = attribute.code(token, quoted=quoted)
            if code is None:
                raise _broken(
                    path,
                    number,
                    f"have a declared level of {attribute.name!r}",
                    shown(token),
                    f" {nearest_name(token, attribute.levels)}",
                )
            codes.append(code)
        numbers.append(number)
        rows.append(",".join(codes))
    return numbers, rows


def _tokens(line: str) -> list[tuple[str, bool]]:
    """Cut a line at commas (at tabs if it has none); tell which values were quoted."""
    is_quoting = "'" in line or '"' in line
    bare = _QUOTED.sub("", line) if is_quoting else line
    separator = "\t" if "\t" in bare and "," not in bare else ","
    if not is_quoting:
        return [(token.strip(), False) for token in line.split(separator)]
    tokens: list[tuple[str, bool]] = []
    for match in _VALUE[separator].finditer(line):
        inner = match[1] if match[1] is not None else match[2]
        tokens.append((match[3].strip(), False) if inner is None else (_unescape(inner), True))
        if not match[4]:  # the end of the line, where an empty match would follow
            break
    return tokens


def _unescape(text: str) -> str:
    return re.sub(r"\\(.)", r"\1", text)


def _parse(path: Path, attributes: list[_Attribute], numbers: list[int], rows: list[str]) -> Any:
    """Let scipy parse the plain dialect; name the line of the file if it cannot."""
    from scipy.io import arff

    header = ["@relation data"]
    for position, attribute in enumerate(attributes):
        # positions of levels as numbers: scipy looks every value up in all declared levels
        header.append(f"@attribute a{position} {attribute.declaration or 'numeric'}")
    header.append("@data")
    plain = _CountedLines("\n".join([*header, *rows]) + "\n")
    try:
        return arff.loadarff(plain)[0]
    except (
        arff.ArffError, ValueError, IndexError, NotImplementedError, csv.Error, re.error
    ) as error:  # fmt: skip
        row = plain.n_read - len(header) - 1
        where = f"line {numbers[row]} of {path}" if row >= 0 else f"the header of {path}"
        raise InvalidArgumentError(f"{where} must be readable by scipy; got: {error}.") from error


def _column(attribute: _Attribute, parsed: Any) -> Any:
    """Return a pandas Series, or a `TextColumn` for a string attribute."""
    import pandas as pd

    if attribute.kind in ("numeric", "date"):
        return pd.Series(parsed)
    codes = np.where(np.isnan(parsed), -1, parsed).astype(np.int64)
    levels = list(attribute.levels)
    if attribute.kind == "string":
        return TextColumn(levels, codes)
    return pd.Series(pd.Categorical.from_codes(codes, categories=levels))


def _broken(
    path: Path, number: int, rule: str, value: str, way_out: str = ""
) -> InvalidArgumentError:
    return InvalidArgumentError(f"line {number} of {path} must {rule}; got {value}.{way_out}")
