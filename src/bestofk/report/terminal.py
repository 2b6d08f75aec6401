"""Report for a terminal."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Iterator
from itertools import zip_longest
from typing import TYPE_CHECKING

from bestofk.errors import printable
from bestofk.report.findings import Findings
from bestofk.report.findings_across import FindingsAcross
from bestofk.report.parts import Table
from bestofk.report.sections import sections

if TYPE_CHECKING:
    from rich.console import Console

_WIDTH = 80
# How a row of each role is colored; the mark before it says the same without color.
_STYLES = {"best": "bold green", "candidate": "green", "left out": "dim", "baseline": "dim"}


def to_text(findings: Findings | FindingsAcross, width: int | None = None) -> str:
    """Return the report as plain text.

    Parameters
    ----------
    findings : Findings or FindingsAcross
        What is to be reported.
    width : int, optional
        Columns of the terminal, 80 if not given; sentences are wrapped to it, table rows
        are never cut.

    Returns
    -------
    str
        Without a line break at the end.
    """
    blocks = _blocks(findings, width or _WIDTH)
    return printable("\n\n".join("\n".join(text for _, text in block) for block in blocks))


def render(findings: Findings | FindingsAcross, console: Console) -> None:
    """Write the report to a console of rich, with color where the console has it.

    Parameters
    ----------
    findings : Findings or FindingsAcross
        What is to be reported.
    console : rich.console.Console
        Decides on width and color; honors NO_COLOR.
    """
    from rich.text import Text

    for index, block in enumerate(_blocks(findings, console.width)):
        for style, text in ([("", "")] if index else []) + block:
            console.print(Text(printable(text), style=style), soft_wrap=True)


def _blocks(findings: Findings | FindingsAcross, width: int) -> Iterator[list[tuple[str, str]]]:
    """Return the lines of each block, with the style of each."""
    report = sections(findings)
    yield [("bold", line) for line in _wrapped(filter(None, report.opening), width)]
    for table in report.tables:
        yield list(_table(table, width))
        if table.foot:
            yield [("dim", line) for line in textwrap.wrap(table.foot, width)]
    yield [("", line) for line in textwrap.wrap(report.paragraph, width)]
    for title, texts in report.lists:
        if texts:
            style = "bold yellow" if title == "Warnings" else "bold"
            bullets = _wrapped((f"- {text}" for text in texts), width)
            yield [(style, f"{title}:"), *(("", line) for line in bullets)]


def _wrapped(lines: Iterable[str], width: int) -> list[str]:
    return [part for line in lines for part in textwrap.wrap(line, width, subsequent_indent="  ")]


def _table(table: Table, width: int) -> Iterator[tuple[str, str]]:
    """Return style and text of each line; columns move together where the width asks for it."""
    head, *heads = (title.split("\n") for title in table.heads)
    body = table.rows[: table.n_shown]
    cells = list(zip(*(row.cells for row in body), strict=True)) or [()] * len(heads)
    widths = [max(map(len, (*lines, *column))) for lines, column in zip(heads, cells, strict=True)]
    first = max(map(len, (*head, *(row.name for row in body))))
    gap = 2 if 2 + first + sum(widths) + 2 * len(widths) <= width else 1

    def line(name: str, values: Iterable[str]) -> str:
        parts = [f"{value:>{size}}" for value, size in zip(values, widths, strict=True)]
        return (" " * gap).join([f"{name:<{first + 2}}", *parts]).rstrip()

    # titles of several lines stand with their last ones side by side
    lifted = list(zip_longest(*(lines[::-1] for lines in (head, *heads)), fillvalue=""))[::-1]
    for name, *titles in lifted:
        yield "", line(f"  {name}", titles)
    yield "", "-" * (first + 2 + sum(widths) + gap * len(widths))
    for row in body:
        yield _STYLES.get(row.role, ""), line(f"{row.mark:<1} {row.name}", row.cells)
