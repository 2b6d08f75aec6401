"""Report as text: lines and columns, for a terminal, and Markdown."""

import math
import re
import textwrap
from collections.abc import Iterable, Iterator, Sequence
from html import escape
from itertools import accumulate, zip_longest

from rich.console import Console
from rich.text import Text

from bestofk.report.parts import Sections, Table
from bestofk.report.sections import Reportable, sections
from bestofk.words import printable, times

_WIDTH = 80
_LEAST_HEAD = 12  # letters of a line of a head that is broken, where its cells are shorter
# What a verdict says at first, and how much of it are cautions.
_MOST_WORDS, _MOST_CAUTIONS = 110, 3
_MOST_DETAILS = 8  # of results without a first screen, unless all are asked for
_MORE_IN_SHELL = "More: --verbose{}, --report page.html."
_MORE_IN_PYTHON = "More: text(verbose=True){}, explain(a, b), to_html(path)."
# How a row of each role is colored; the column of answers says the same without color.
STYLES = {"best": "bold green", "candidate": "green", "left out": "dim", "baseline": "dim"}
_SPECIAL = re.compile(r"([\\`*_{}\[\]|#~$])")


def wrapped(text: str, width: int, first: str = "", others: str = "") -> list[str]:
    """Return a text in lines, with what stands before the first and before the others."""
    return textwrap.wrap(
        printable(text), width, initial_indent=first, subsequent_indent=others,
        break_on_hyphens=False,
    )  # fmt: skip


def bullets(texts: Iterable[str], width: int) -> list[str]:
    """Return texts as an indented list with dashes."""
    return [line for text in texts for line in wrapped(text, width, "  - ", "    ")]


def aligned(
    heads: Sequence[str],
    rows: Sequence[Sequence[str]],
    *,
    left: Sequence[int] = (0,),
    width: float = math.inf,
) -> list[str]:
    r"""Return a table as lines; columns move together where the width asks for it.

    Parameters
    ----------
    heads : sequence of str
        Titles; one with line breaks stands in several lines, its last line with the others'.
    rows : sequence of sequence of str
        As many cells in each as there are heads.
    left : sequence of int, default=(0,)
        Columns that stand left; all others stand right.
    width : float
        Columns of the terminal: where it is narrow, columns move together and long heads are
        broken at blanks and hyphens. Lines are never cut.

    Returns
    -------
    list of str
        Heads, a rule, then one line per row.

    Examples
    --------
    >>> print("\n".join(aligned(["learner", "mean\nerror"], [["lda", "0.1"], ["cart", "0.15"]])))
              mean
    learner  error
    --------------
    lda        0.1
    cart      0.15
    """
    titles = [printable(head, keep="\n").split("\n") for head in heads]
    shown = [[printable(cell) for cell in row] for row in rows]
    columns = list(zip(*shown, strict=True)) or [()] * len(heads)
    least = [max(map(len, cells), default=0) for cells in columns]
    sizes = [max(size, *map(len, lines)) for size, lines in zip(least, titles, strict=True)]
    gaps = len(heads) - 1
    if sum(sizes) + gaps > width:  # names in heads are broken at hyphens
        titles = [textwrap.wrap(" ".join(lines), max(size, _LEAST_HEAD), break_long_words=False)
                  for size, lines in zip(least, titles, strict=True)]  # fmt: skip
        sizes = [max(size, *map(len, lines)) for size, lines in zip(least, titles, strict=True)]
    gap = 2 if sum(sizes) + 2 * gaps <= width else 1

    def line(cells: Iterable[str]) -> str:
        pairs = enumerate(zip(cells, sizes, strict=True))
        parts = [cell.ljust(size) if k in left else cell.rjust(size) for k, (cell, size) in pairs]
        return (" " * gap).join(parts).rstrip()

    lifted = list(zip_longest(*(lines[::-1] for lines in titles), fillvalue=""))[::-1]
    rule = "-" * (sum(sizes) + gap * (len(sizes) - 1))
    return [*map(line, lifted), rule, *map(line, shown)]


def to_text(findings: Reportable, width: int | None = None, *, verbose: bool = False) -> str:
    """Return the report as plain text.

    Parameters
    ----------
    findings : Findings, FindingsAcross or Sections
        What is to be reported.
    width : int, optional
        Columns of the terminal, 80 if not given; sentences are wrapped to it, table rows
        are never cut.
    verbose : bool, default=False
        Whether all measures and all details are shown.

    Returns
    -------
    str
        Without a line break at the end.
    """
    blocks = _blocks(findings, width or _WIDTH, verbose, _MORE_IN_PYTHON)
    return "\n\n".join("\n".join(text for _, text in block) for block in blocks)


def render(findings: Reportable, console: Console, *, verbose: bool = False) -> None:
    """Write the report to a console of rich, with color where the console has it.

    Parameters
    ----------
    findings : Findings, FindingsAcross or Sections
        What is to be reported.
    console : rich.console.Console
        Decides on width and color; honors NO_COLOR.
    verbose : bool, default=False
        Whether all measures and all details are shown.
    """
    reading = not console.is_terminal  # else it was said before the first fit
    blocks = _blocks(findings, console.width, verbose, _MORE_IN_SHELL, reading=reading)
    for index, block in enumerate(blocks):
        for style, text in ([("", "")] if index else []) + block:
            console.print(Text(text, style=style), soft_wrap=True)


def _blocks(
    findings: Reportable, width: int, verbose: bool, more: str, *, reading: bool = True
) -> Iterator[list[tuple[str, str]]]:
    """Return the lines of each block, with the style of each."""
    report = sections(findings, verbose=verbose)
    first, *others = report.answer
    styled = [("bold green", first), *(("", line) for line in others)]
    if report.preface:
        yield [("", line) for line in wrapped(report.preface, width)]
    yield [(style, line) for style, text in styled for line in wrapped(text, width)]
    for table in report.tables:
        foot = [("dim", line) for line in wrapped(table.foot, width)]
        yield [*_table(table, width), *foot]
    if report.facts and not verbose:
        yield list(_last_lines(report, width, more, reading=reading))
        return
    for title, texts in report.titled_lists():
        shown = list(texts)
        if title == "Details" and len(shown) > _MOST_DETAILS and not verbose:
            n_more = len(shown) - _MOST_DETAILS + 1
            shown = [*shown[:-n_more], f"{n_more} more: --verbose"]
        style = "bold yellow" if title == "Caveats" else "bold"
        yield [(style, title), *(("", line) for line in bullets(shown, width))]


def _last_lines(
    report: Sections, width: int, more: str, *, reading: bool
) -> Iterator[tuple[str, str]]:
    """Return the gravest cautions as far as words suffice, what it rests on, and where more is."""
    read = list(report.reading) if reading else []
    lines = [*read[:1], report.facts, more]
    also = " (9 more cautions)" if report.cautions else ""
    feet = (table.foot for table in report.tables)
    said = (*report.answer_lines, *feet, *lines, also)
    left = _MOST_WORDS - sum(len(text.split()) for text in said)
    cautions = _within(report.cautions[:_MOST_CAUTIONS], left)
    left -= sum(1 + len(text.split()) for text in cautions)
    for text in cautions:
        yield from (("yellow", line) for line in wrapped(text, width, "! ", "  "))
    n_more = len(report.cautions) - len(cautions)
    also = f" ({times(n_more, 'more caution')})" if n_more else ""
    for text in (*read[:1], *_within(read[1:], left), report.facts, more.format(also)):
        yield from (("", line) for line in wrapped(text, width))


def _within(texts: Sequence[str], n_words: int) -> list[str]:
    """Return the first texts, as many as have so many words with a mark in front of each."""
    totals = accumulate(1 + len(text.split()) for text in texts)
    return [text for text, total in zip(texts, totals, strict=True) if total <= n_words]


def _table(table: Table, width: int) -> list[tuple[str, str]]:
    """Return style and text of each line; columns that do not fit follow below the others."""
    cells = [[row.name, *row.cells] for row in table.rows]
    styles = [STYLES.get(row.role, "") for row in table.rows]
    styled: list[tuple[str, str]] = []
    rest = list(range(1, len(table.heads)))
    while rest or not styled:
        for n_shown in range(len(rest), -1, -1):
            shown = [0, *rest[:n_shown]]
            heads = [table.heads[k] for k in shown]
            rows = [[row[k] for k in shown] for row in cells]
            left = [index for index, k in enumerate(shown) if k in table.left]
            lines = aligned(heads, rows, left=left, width=width)
            if n_shown <= 1 or max(map(len, lines)) <= width:
                break
        blanks = [""] * (len(lines) - len(styles))
        styled += [*[("", "")] * bool(styled), *zip(blanks + styles, lines, strict=True)]
        rest = rest[n_shown:]
    return styled


def to_markdown(findings: Reportable) -> str:
    """Return the report in Markdown: answer, tables with all measures, details, caveats, guesses.

    Parameters
    ----------
    findings : Findings, FindingsAcross or Sections
        What is to be reported.

    Returns
    -------
    str
        GitHub's dialect; special characters of names are escaped.
    """
    report = sections(findings, verbose=True)
    first, *others = map(_escaped, report.answer)
    parts = [
        f"## {_escaped(report.title)}",
        *([_escaped(report.preface)] if report.preface else []),
        f"**{first}**",
        *others,
        *map(_markdown_table, report.tables),
    ]
    for title, texts in report.titled_lists():
        parts.append(f"### {title}\n\n" + "\n".join(f"- {_escaped(text)}" for text in texts))
    return "\n\n".join(parts) + "\n"


def _markdown_table(table: Table) -> str:
    lines = [[_escaped(head) for head in table.heads]]
    n_columns = len(table.heads)
    lines.append(["---" if index in table.left else "---:" for index in range(n_columns)])
    for row in table.rows:
        name = _escaped(row.name)
        cells = map(_escaped, row.cells)
        lines.append([f"**{name}**" if row.role == "best" else name, *cells])
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def _escaped(text: str) -> str:
    line = escape(printable(" ".join(text.split())), quote=False)  # no HTML, in any dialect
    return _SPECIAL.sub(r"\\\1", line)
