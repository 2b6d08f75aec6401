"""Report for a terminal."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from bestofk.report.formats.lines import aligned, bullets, wrapped
from bestofk.report.parts import Table
from bestofk.report.sections import Reportable, sections

if TYPE_CHECKING:
    from rich.console import Console

_WIDTH = 80
# How a row of each role is colored; the column of answers says the same without color.
STYLES = {"best": "bold green", "candidate": "green", "left out": "dim", "baseline": "dim"}


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
    blocks = _blocks(findings, width or _WIDTH, verbose)
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
    from rich.text import Text

    for index, block in enumerate(_blocks(findings, console.width, verbose)):
        for style, text in ([("", "")] if index else []) + block:
            console.print(Text(text, style=style), soft_wrap=True)


def _blocks(findings: Reportable, width: int, verbose: bool) -> Iterator[list[tuple[str, str]]]:
    """Return the lines of each block, with the style of each."""
    report = sections(findings, verbose=verbose)
    first, *others = report.answer
    styled = [("bold green", first), *(("", line) for line in others)]
    yield [(style, line) for style, text in styled for line in wrapped(text, width)]
    for table in report.tables:
        foot = [("dim", line) for line in wrapped(table.foot, width)]
        yield [*_table(table, width), *foot]
    for title, texts in report.titled_lists():
        shown = list(texts)
        most = len(shown) if verbose else report.most.get(title, len(shown))
        if len(shown) > most:
            shown = [*shown[: most - 1], f"{len(shown) - most + 1} more: --verbose"]
        style = "bold yellow" if title == "Caveats" else "bold"
        yield [(style, title), *(("", line) for line in bullets(shown, width))]


def _table(table: Table, width: int) -> list[tuple[str, str]]:
    """Return style and text of each line."""
    cells = [[row.name, *row.cells] for row in table.rows]
    lines = aligned(table.heads, cells, left=table.left, width=width)
    styles = [STYLES.get(row.role, "") for row in table.rows]
    return list(zip([""] * (len(lines) - len(styles)) + styles, lines, strict=True))
