"""Report for a terminal."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator
from typing import TYPE_CHECKING

from bestofk.errors import printable
from bestofk.report.findings import Findings
from bestofk.report.findings_across import FindingsAcross
from bestofk.report.lines import aligned, bullets, wrapped
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
    yield [("bold", line) for line in wrapped(filter(None, report.opening), width)]
    for table in report.tables:
        yield _table(table, width)
        if table.foot:
            yield [("dim", line) for line in textwrap.wrap(table.foot, width)]
    yield [("", line) for line in textwrap.wrap(report.paragraph, width)]
    for title, texts in report.lists:
        if texts:
            style = "bold yellow" if title == "Warnings" else "bold"
            yield [(style, f"{title}:"), *(("", line) for line in bullets(texts, width))]


def _table(table: Table, width: int) -> list[tuple[str, str]]:
    """Return style and text of each line."""
    name, *heads = table.heads
    body = table.rows[: table.n_shown]
    cells = [[f"{row.mark:<1} {row.name}", *row.cells] for row in body]
    lines = aligned([f"  {name}", *heads], cells, width=width)
    styles = [_STYLES.get(row.role, "") for row in body]
    return list(zip([""] * (len(lines) - len(body)) + styles, lines, strict=True))
