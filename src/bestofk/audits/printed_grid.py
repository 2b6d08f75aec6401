"""Cells of a table as it was printed: LaTeX, Markdown, CSV, or text copied from a page."""

from __future__ import annotations

import csv
import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from itertools import groupby
from pathlib import Path
from typing import Final, NamedTuple

from bestofk.data.text_file import read_text
from bestofk.errors import InvalidArgumentError

_NUMBER = r"[-+\u2212]?(?:\d{1,3}(?:,\d{3})+(?:\.\d+)?|\d+(?:[.,]\d+)?|[.,]\d+)(?:[eE][-+]?\d+)?"
_UNIT = r"\s*(?:%|ms\b|s\b)?"
_MARKS = r"\s*(?:\*{1,3}|[†‡§•◦∘])*"
_SPREAD = rf"(?:\s*[(\[]?(?:±|\+/-|\+-)\s*(?P<spread>{_NUMBER}){_UNIT}[)\]]?)?"
_BRACKETS = rf"(?:\s*[(\[]\s*(?P<bracket>{_NUMBER}){_UNIT}\s*[)\]])?"
_CHANGE = r"(?:\s*\([-+][^)]*\))?"  # against another column
_VALUE = (
    rf"(?P<value>{_NUMBER}){_UNIT}{_MARKS}{_CHANGE}{_SPREAD}{_MARKS}{_CHANGE}{_BRACKETS}{_MARKS}"
)
_CELL: Final = re.compile(_VALUE)
_NUMERIC: Final = re.compile(rf"{_VALUE}$")
DECIMAL: Final = re.compile(r"\d*\.\d|0?,\d|\d+,(?!\d{3}\b)\d")  # how a number with decimals begins
_TOKEN: Final = re.compile(
    rf"(?<!\S)(?:{re.sub(r'[?]P<[a-z]+>', '?:', _VALUE)}|[-\u2013\u2014]|n/?a|nan)(?!\S)", re.I
)
_MISSING: Final = {"-", "\u2013", "\u2014", "--", "---", "na", "n/a", "nan", "n.a.", "?"}
_BLANKS: Final = r"\s{2,}|\t"
_ARGUMENT = r"\{[^{}]*\}"
for _ in range(2):  # braces in braces
    _ARGUMENT = rf"\{{(?:[^{{}}]|{_ARGUMENT})*\}}"
_TABULAR: Final = re.compile(
    r"\\begin\{(tabular\*?|tabularx|tabulary|longtable|array|tblr)\}(.*?)\\end\{\1\}", re.DOTALL
)
_CAPTION: Final = re.compile(rf"\\caption(?:\[[^]]*\])?({_ARGUMENT})")
_BOLD: Final = re.compile(r"\\(?:textbf|mathbf|boldsymbol|bm|bf|bfseries)(?![a-zA-Z])|\*\*\S|<b>")
# Commands whose arguments are no text, and those with one such argument, or two, before the text.
_NO_TEXT: Final = re.compile(
    r"\\(?:cline|cmidrule|specialrule|rule|cite\w*|label|[vh]space|phantom|tnote|footnote\w*|noalign"
    rf"|textsuperscript|rowcolor|cellcolor)\*?(?:\[[^]]*\]|\([^)]*\))*(?:\s*{_ARGUMENT})+"
    rf"|\\(?:color|textcolor|scalebox)(?:\[[^]]*\])?\s*{_ARGUMENT}"
    rf"|\\(?:multicolumn|multirow)\*?(?:\[[^]]*\])?\s*{_ARGUMENT}(?:\[[^]]*\])?\s*{_ARGUMENT}"
)
_WRITTEN: Final = (
    (r"\\(?:text)?pm(?![a-zA-Z])", "±"),
    (r"\\uparrow", "↑"),
    (r"\\downarrow", "↓"),
    (r"\\(?:times|cdot)", "x"),
    (r"\\(?:dagger|ddagger|bullet|circ|ast|star)(?![a-zA-Z])", "*"),
    (r"\\[ ,;:!]|~", " "),
    (r"\\([%&_#$|])", r"\1"),
    (r"\\[a-zA-Z]+\*?(?:\[[^]]*\])?\s*", ""),
    (r"(?<=\d)[\s{}$]*\^(?:\{[^{}]*\}|\w)", ""),  # marks and notes
    (r"[{}$^]", ""),
    (r"(?<=\d)_(?=\s*[±(])", ""),
)


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
        """Whether a sign for nothing was printed."""
        return self.text.casefold() in _MISSING

    def match(self) -> re.Match[str] | None:
        """Return the number in the cell with its spread and what is in brackets."""
        return _CELL.fullmatch(self.text)


class Grid(NamedTuple):
    """Rows of cells, and the text around them.

    Parameters
    ----------
    rows : list of list of Cell
        The header first, in one row; all of one length.
    caption : str
        The paragraphs above and below, and what else stands in the header.
    notes : tuple of str, default=()
        What was left out.
    """

    rows: list[list[Cell]]
    caption: str
    notes: tuple[str, ...] = ()

    def n_columns(self, pattern: re.Pattern[str]) -> int:
        """Return how many columns right of the first have a cell that begins like a pattern."""
        columns = [*zip(*self.rows[1:], strict=True)][1:]
        return sum(any(pattern.match(cell.text) for cell in column) for column in columns)


def read_grid(path: Path) -> Grid:
    """Return the cells of a printed table.

    Parameters
    ----------
    path : Path
        LaTeX, Markdown, grids of signs, CSV, or text in columns.
        Of several tables the first with decimal numbers is read.

    Raises
    ------
    InvalidArgumentError
        If the file cannot be read, or holds no table with a header and rows of numbers.
    """
    text = read_text(path)[0]
    kinds: tuple[Callable[[str], Iterator[Grid]], ...] = (
        _latex_tables, _piped_tables, _separated_tables, _aligned_tables
    )  # fmt: skip
    for kind in kinds:
        tables = [grid for grid in kind(text) if grid.n_columns(_NUMERIC)]
        if tables:
            break
    else:
        raise InvalidArgumentError(
            f"{path} must hold a table with a header and rows of numbers; got none. Save it as "
            "CSV, Markdown or LaTeX, or as text with two spaces or a tab between columns."
        )
    # results have decimals, counts have none
    index = next((i for i, grid in enumerate(tables) if grid.n_columns(DECIMAL) > 1), 0)
    grid = tables[index]
    if any(DECIMAL.match(cell.text) and cell.match() for cell in grid.rows[0]):
        raise InvalidArgumentError(
            f"the first row of the table must name its columns; got {grid.rows[0][-1].text!r}. "
            "Write a row of names above it."
        )
    note = f"Table {index + 1} of {len(tables)} in the file was read. Save another on its own."
    return grid._replace(notes=(note, *grid.notes)) if len(tables) > 1 else grid


def _grid(rows: Sequence[Sequence[Cell]], caption: str) -> Grid:
    """Return rows of one length under one header: the first row above the numbers that names all.

    Where a name spans rows, the cells below it are empty; groups of columns join the caption.
    """
    width = max(map(len, rows), default=0)
    cells = [[*row, *[Cell("")] * (width - len(row))] for row in rows if len(row) > 1]
    n_header = next((i for i, row in enumerate(cells) if _is_of_numbers(row)), len(cells))
    body = cells[max(1, n_header) :]
    columns = [j for j in range(1, width) if any(row[j].match() for row in body)]
    named = cells[:1]
    for row in cells[1:n_header]:
        named.append([cell if cell.text else old for cell, old in zip(row, named[-1], strict=True)])
    names = [[row[j].text for j in columns] for row in named]
    chosen = next(
        (i for i, row in enumerate(names) if "" not in row and len({*row}) == len(row)), -1
    )
    if not named:
        return Grid([], caption)
    header = [named[-1][0], *named[chosen][1:]]
    others = [[c.text for c in row[1:] if c.text and c not in header] for row in cells[:n_header]]
    notes = [
        f"Columns under several headings are read as one table: {', '.join(dict.fromkeys(row))}."
        for row in others
        if len({*row}) > 1
    ]
    firsts = [row[0].text for row in cells[: n_header - 1]]
    lines = [row[0].text for row in rows if len(row) == 1]
    texts = [caption, *lines, *firsts, *(text for row in others for text in row)]
    return Grid([header, *body], " ".join(" ".join(texts).split()), tuple(notes))


def _is_of_numbers(row: Sequence[Cell]) -> bool:
    n_numbers = sum(
        bool(cell.match() or DECIMAL.match(cell.text)) or cell.is_missing for cell in row[1:]
    )
    return n_numbers > 0 and 2 * n_numbers >= len(row) - 1


def _latex_tables(text: str) -> Iterator[Grid]:
    text = re.sub(r"(?<!\\)%.*", "", text)
    if r"\begin{" not in text and re.search(r"&[^\n]*\\\\", text):
        text = rf"\begin{{tabular}}{{}}{text}\end{{tabular}}"
    for table in _TABULAR.finditer(text):
        before = text[: table.start()].rpartition(r"\end{table")[2]
        after = text[table.end() :].partition(r"\end{table")[0]
        captions = _CAPTION.findall(before)[-1:] or _CAPTION.findall(after)[:1]
        # a width, and the columns
        n_arguments = 2 if table[1] in ("tabular*", "tabularx", "tabulary") else 1
        start = rf"\s*(?:\[[^]]*\])?(?:\s*{_ARGUMENT}){{{n_arguments}}}|"
        columns = re.compile(start).match(table[2])
        body = table[2][columns.end() if columns else 0 :]
        in_cells = re.compile(rf"\\(?:makecell|shortstack)(?:\[[^]]*\])?({_ARGUMENT})")
        body = in_cells.sub(lambda match: match[1].replace(r"\\", " "), body)
        lines = re.split(r"\\\\\*?(?:\[[^]]*\])?|\\tabularnewline", body)
        rows = [[*_latex_cells(line)] for line in lines if "&" in line]
        if columns and r"\pm" in columns[0] and rows:
            rows = _with_spreads(rows)
        yield _grid(rows, " ".join(_plain(caption).text for caption in captions))


def _latex_cells(line: str) -> Iterator[Cell]:
    for text in re.split(r"(?<!\\)&", line):
        wide = re.search(r"\\multicolumn\s*\{\s*(\d+)\s*\}", text)
        yield _plain(text)
        yield from [Cell("")] * (int(wide[1]) - 1 if wide else 0)


def _with_spreads(rows: list[list[Cell]]) -> list[list[Cell]]:
    """Join the columns without a name, which a sign between columns makes spreads, to the left."""
    joined: list[list[Cell]] = []
    for row in rows:
        joined.append([])
        for j, cell in enumerate(row):
            if j < 2 or rows[0][j : j + 1] != [Cell("")]:
                joined[-1].append(cell)
            elif cell.match():
                value = joined[-1][-1]
                joined[-1][-1] = Cell(f"{value.text} ± {cell.text}", value.is_bold)
    return joined


def _plain(text: str) -> Cell:
    is_bold = bool(_BOLD.search(text))
    text = re.sub(r"\[([^]]+)\]\([^)]*\)", r"\1", re.sub(r"</?\w+[^>]*>", " ", text))
    text = re.sub(r"`|\*\*", "", text)
    if re.search(r"[\\$~{}]", text):
        text = _NO_TEXT.sub("", text)
        for written, meant in _WRITTEN:
            text = re.sub(written, meant, text)
    return Cell(" ".join(re.sub(r"(?<!\w)_+|_+(?!\w)", "", text).split()), is_bold)


def _piped_tables(text: str) -> Iterator[Grid]:
    """Yield tables with a bar between columns: Markdown, reStructuredText and the like."""
    for lines, caption in _blocks(text, re.compile(r"[|]|^[+][-=]").search):
        rows = [line.strip().removeprefix("|").removesuffix("|") for line in lines]
        cells = [
            [_plain(cell) for cell in re.split(r"(?<!\\)\|", row)]
            for row in rows
            if not re.fullmatch(r"[\s|+:=-]*", row)
        ]
        yield _grid(cells, caption)


def _separated_tables(text: str) -> Iterator[Grid]:
    lines = [line for line in text.splitlines() if line.strip()]
    sign = next((sign for sign in ("\t", ";", ",", _BLANKS) if _divides(lines, sign)), "")
    is_row = re.compile(sign).search
    for block, caption in _blocks("\n".join(lines), is_row) if sign else ():
        yield _grid([[*map(_plain, row)] for row in _split(block, sign)], caption)


def _split(lines: Sequence[str], sign: str) -> list[list[str]]:
    if sign == _BLANKS:
        return [re.split(sign, line.strip()) for line in lines]
    return [*csv.reader(lines, delimiter=sign)]


def _divides(lines: Sequence[str], sign: str) -> bool:
    """Tell whether most lines have as many columns, if a sign divides them."""
    rows = _split(lines, sign)
    width, n_rows = Counter(map(len, rows)).most_common(1)[0] if rows else (0, 0)
    if sign == "," and not re.search(r",\D|\D,", "\n".join(lines)):
        return False  # decimal commas divide nothing
    first = next((row for row in rows if len(row) == width), [])
    has_header = sign != _BLANKS or not _is_of_numbers([*map(_plain, first)])
    return width > 1 and n_rows > len(lines) / 2 and has_header


def _blocks(text: str, is_row: Callable[[str], object]) -> Iterator[tuple[list[str], str]]:
    """Yield the lines of each table, with the paragraphs just above and below it."""
    lines_of = groupby(text.splitlines(), lambda line: bool(is_row(line.strip())))
    groups = [(is_so, [*lines]) for is_so, lines in lines_of]
    around = ["", *(" ".join(lines) if is_so else "\n".join(lines) for is_so, lines in groups), ""]
    for i, (is_so, lines) in enumerate(groups):
        if is_so:
            above, below = around[i].strip().split("\n\n"), around[i + 2].strip().split("\n\n")
            yield lines, f"{above[-1]} {below[0]}"


def _aligned_tables(text: str) -> Iterator[Grid]:
    """Yield the rows of text whose columns are divided by blanks."""
    lines = [line for line in text.splitlines() if not re.fullmatch(r"[\s=_|+-]*", line)]
    values = [[*_TOKEN.finditer(line)] for line in lines]
    widths = Counter(len(found) for found in values if len(found) > 1)
    if not widths:
        return
    width = max(widths, key=lambda n: (widths[n], n))
    bodies = [i for i, found in enumerate(values) if len(found) >= width]
    above = lines[bodies[0] - 1].strip() if bodies[0] else ""
    splits = [re.split(pattern, above) for pattern in (_BLANKS, r"\s+")]
    header = next((names for names in splits if len(names) in (width, width + 1)), None)
    if header is None:
        raise InvalidArgumentError(
            f"the line above the numbers must name each of their {width} columns; got {above!r}. "
            "Put two spaces or a tab between the names."
        )
    if len(header) == width and not any(DECIMAL.match(values[i][-width][0]) for i in bodies):
        width -= 1  # numbers at the end of names
    rows = [[""] * (width + 1 - len(header)) + header]
    for i in bodies:
        found = values[i][-width:]
        rows.append([lines[i][: found[0].start()], *(value[0] for value in found)])
    others = [line for i, line in enumerate(lines) if i not in (bodies[0] - 1, *bodies)]
    yield _grid([[*map(_plain, row)] for row in rows], " ".join(others))
