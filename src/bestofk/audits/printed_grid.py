"""Cells of a table as it was printed: LaTeX, Markdown, CSV, or text copied from a page."""

from __future__ import annotations

import csv
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from bestofk.data.text_file import read_text
from bestofk.errors import InvalidArgumentError

_NUMBER = r"[-+\u2212]?(?:\d+(?:[.,]\d+)?|[.,]\d+)(?:[eE][-+]?\d+)?"
_SPREAD = rf"(?:\s*(?:±|\+/-|\+-)\s*(?P<spread>{_NUMBER})\s*%?)?"
_BRACKETS = rf"(?:\s*[(\[]\s*(?:±\s*)?(?P<bracket>{_NUMBER})\s*%?\s*[)\]])?"
_MARKS = r"\s*(?:\*{1,3}|[†‡§•◦∘])*"
_VALUE = rf"(?P<value>{_NUMBER})\s*%?{_MARKS}{_SPREAD}{_BRACKETS}{_MARKS}"
_CELL = re.compile(_VALUE)
_TOKEN = re.compile(
    rf"(?<!\S)(?:{re.sub(r'[?]P<[a-z]+>', '?:', _VALUE)}|[-\u2013\u2014]|n/?a|nan)(?!\S)", re.I
)
_MISSING = {"", "-", "\u2013", "\u2014", "--", "---", "na", "n/a", "nan", "n.a.", "?"}
_TABULAR = re.compile(
    r"\\begin\{(tabular\*?|tabularx|tabulary|longtable|array|tblr)\}(.*?)\\end\{\1\}", re.DOTALL
)
_CAPTION = re.compile(r"\\caption(?:\[[^]]*\])?\{((?:[^{}]|\{[^{}]*\})*)\}")
_BOLD = re.compile(r"\\(?:textbf|mathbf|boldsymbol|bm)\b|\\(?:bf|bfseries)\b|\*\*|__")


class Cell(NamedTuple):
    """One cell as it was printed.

    Parameters
    ----------
    text : str
        Without marks of layout.
    is_bold : bool, default=False
        Whether it is set in bold face.
    """

    text: str
    is_bold: bool = False

    @property
    def is_missing(self) -> bool:
        """Whether nothing was printed, or a sign for nothing."""
        return self.text.strip().casefold() in _MISSING

    def match(self) -> re.Match[str] | None:
        """Return the number in the cell with its spread and what is in brackets."""
        return _CELL.fullmatch(self.text.strip())


class Grid(NamedTuple):
    """Rows of cells, and the caption above or below them.

    Parameters
    ----------
    rows : list of list of Cell
        The header first; all of one length.
    caption : str
        Empty where there is none.
    """

    rows: list[list[Cell]]
    caption: str


def read_grid(path: Path) -> Grid:
    """Return the cells of a printed table.

    Parameters
    ----------
    path : Path
        LaTeX (the first tabular with numbers), Markdown, CSV, or text in columns.

    Raises
    ------
    InvalidArgumentError
        If the file cannot be read, or holds no table with a header and rows of numbers.
    """
    text = read_text(path)[0]
    caption = ""
    if r"\begin{" in text or re.search(r"&.*\\\\", text):
        text = re.sub(r"(?<!\\)%.*", "", text)
        found = [rows for body in _tabulars(text) if (rows := _latex_rows(body))]
        rows = next(iter(found), [])
        caption = " ".join(_plain_latex(part).text for part in _CAPTION.findall(text)[:1])
    elif sum(line.count("|") > 1 for line in text.splitlines()) > 1:
        rows = [_markdown_cells(line) for line in text.splitlines() if line.count("|") > 1]
        rows = [row for row in rows if not all(re.fullmatch(r":?-+:?", cell.text) for cell in row)]
        caption = _around(text, "|")
    elif separator := _separator(text):
        lines = csv.reader(text.splitlines(), delimiter=separator)
        rows = [[_plain(cell) for cell in line] for line in lines if any(line)]
    else:
        rows, caption = _aligned_rows(path, text)
    rows = _rectangle(rows)
    if not any(cell.match() for row in rows[1:] for cell in row[1:]):
        raise InvalidArgumentError(
            f"{path} must hold a table with a header and rows of numbers; got none. Save it as "
            "CSV, Markdown or LaTeX, or as text with two spaces or a tab between columns."
        )
    return Grid(rows, caption)


def _tabulars(text: str) -> list[str]:
    return [body for _, body in _TABULAR.findall(text)] or [text]


def _latex_rows(body: str) -> list[list[Cell]]:
    """Return the rows of a tabular; none where no cell is a number."""
    rows = []
    for line in re.split(r"\\\\(?:\[[^]]*\])?|\\tabularnewline", body):
        if "&" in line:
            texts = re.split(r"(?<!\\)&", line)
            rows.append([cell for text in texts for cell in _latex_cells(text)])
    return rows if any(cell.match() for row in rows for cell in row) else []


def _latex_cells(text: str) -> Iterator[Cell]:
    wide = re.search(r"\\multicolumn\s*\{\s*(\d+)\s*\}", text)
    yield _plain_latex(text)
    for _ in range(int(wide[1]) - 1 if wide else 0):
        yield Cell("")


def _plain_latex(text: str) -> Cell:
    is_bold = bool(_BOLD.search(text))
    text = re.sub(r"\\(?:multicolumn|multirow)\s*\*?(?:\[[^]]*\])?\{[^}]*\}\s*\{[^}]*\}", "", text)
    text = re.sub(r"\\(?:cline|cmidrule|cellcolor|rowcolor|color|textcolor|cite\w*|rule|label)"
                  r"(?:\[[^]]*\]|\([^)]*\))*\s*\{[^}]*\}(?:\{[\d.]+\w*\})?", "", text)  # fmt: skip
    text = re.sub(r"\\pm\b|\\textpm\b", "±", text)
    text = re.sub(r"\\(?:dagger|ddagger|bullet|circ|ast|star)\b", "*", text)
    text = re.sub(r"\\[ ,;:!]|~", " ", text)
    text = re.sub(r"\\(?:[%&_#$])", lambda escaped: escaped[0][1], text)
    text = re.sub(r"\\[a-zA-Z]+\*?\s*", "", text)
    text = re.sub(r"\^\s*\{?\s*([*†‡]+)\s*\}?", r"\1", text)
    return Cell(" ".join(re.sub(r"[{}$^]|(?<=\d)_", "", text).split()), is_bold)


def _markdown_cells(line: str) -> list[Cell]:
    line = line.strip().removeprefix("|").removesuffix("|")
    return [_plain(cell) for cell in re.split(r"(?<!\\)\|", line)]


def _plain(text: str) -> Cell:
    is_bold = bool(re.search(r"\*\*\S|__\S|<b>", text))
    text = re.sub(r"\*\*(?=\S)(.*?)\*\*|__(?=\S)(.*?)__|</?b>", r"\1\2", text)
    return Cell(" ".join(text.replace("`", "").split()), is_bold)


def _around(text: str, sign: str) -> str:
    return " ".join(line.strip(" #:*") for line in text.splitlines() if sign not in line)


def _separator(text: str) -> str:
    """Return the sign between the columns of a CSV file; empty where lines have no common one."""
    lines = [line for line in text.splitlines() if line.strip()]
    for sign in "\t;,":
        counts = Counter(len(row) for row in csv.reader(lines, delimiter=sign))
        width, n_lines = counts.most_common(1)[0]
        # decimal commas divide nothing
        is_decimal = sign == "," and not re.search(r",\D|\D,", "\n".join(lines))
        if width > 1 and n_lines > len(lines) / 2 and not is_decimal:
            return sign
    return ""


def _aligned_rows(path: Path, text: str) -> tuple[list[list[Cell]], str]:
    """Return rows of text whose columns are divided by blanks, and the lines around them."""
    lines = [line.rstrip() for line in text.splitlines() if line.strip()]
    values = [[*_TOKEN.finditer(line)] for line in lines]
    widths = Counter(len(found) for found in values if len(found) > 1)
    if not widths:
        return [], ""
    width = max(widths, key=lambda n: (widths[n], n))
    bodies = [i for i, found in enumerate(values) if len(found) >= width]
    rows = [_aligned_row(lines[i], values[i][-width:]) for i in bodies]
    header = _header(path, lines[: bodies[0]], width)
    others = [line for i, line in enumerate(lines) if i not in bodies]
    return [header, *rows], " ".join(others)


def _aligned_row(line: str, found: Sequence[re.Match[str]]) -> list[Cell]:
    return [_plain(line[: found[0].start()]), *(_plain(value[0]) for value in found)]


def _header(path: Path, above: Sequence[str], width: int) -> list[Cell]:
    """Return the names over the columns, from the line above the first row of numbers."""
    for line in reversed(above):
        for pattern in (r"\s{2,}|\t", r"\s+"):
            names = re.split(pattern, line.strip())
            if len(names) in (width, width + 1):
                return [_plain(name) for name in [""] * (width + 1 - len(names)) + names]
    shown = above[-1].strip() if above else ""
    raise InvalidArgumentError(
        f"{path} must name each of its {width} columns of numbers in the line above them; got "
        f"{shown!r}. Put two spaces or a tab between the names."
    )


def _rectangle(rows: list[list[Cell]]) -> list[list[Cell]]:
    width = max(map(len, rows), default=0)
    return [[*row, *[Cell("")] * (width - len(row))] for row in rows]
