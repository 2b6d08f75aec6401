"""Report for a terminal."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator
from itertools import zip_longest
from typing import TYPE_CHECKING

from bestofk.errors import printable
from bestofk.report.findings import Findings
from bestofk.report.sentences import paragraph
from bestofk.report.tables import LEGEND, basis, legend, rows, runs_line, titles

if TYPE_CHECKING:
    from rich.console import Console

_WIDTH = 80
# How a row of each role is coloured; the mark before it says the same without colour.
_STYLES = {"best": "bold green", "candidate": "green", "left out": "dim", "baseline": "dim"}


def to_text(findings: Findings, width: int | None = None) -> str:
    """Return the report as plain text.

    Parameters
    ----------
    findings : Findings
        What is to be reported.
    width : int, optional
        Columns of the terminal, 80 if not given; sentences are wrapped to it, table rows
        are never cut.

    Returns
    -------
    str
        Without a line break at the end.
    """
    width = width or _WIDTH
    blocks = [_wrapped(_opening(findings), width), [line for _, line in _table(findings, width)]]
    blocks.append(textwrap.wrap(legend(findings), width))
    blocks.append(textwrap.wrap(paragraph(findings), width))
    for title, texts in _lists(findings):
        blocks.append([f"{title}:", *_bullets(texts, width)])
    return printable("\n\n".join("\n".join(block) for block in blocks))


def render(findings: Findings, console: Console) -> None:
    """Write the report to a console of rich, with colour where the console has it.

    Parameters
    ----------
    findings : Findings
        What is to be reported.
    console : rich.console.Console
        Decides on width and colour; honours NO_COLOR.
    """
    from rich.text import Text

    def write(text: str, style: str = "") -> None:
        console.print(Text(printable(text), style=style), soft_wrap=True)

    width = console.width
    write("\n".join(_wrapped(_opening(findings), width)) + "\n", "bold")
    for role, line in _table(findings, width):
        write(line, _STYLES.get(role, ""))
    write("\n" + "\n".join(textwrap.wrap(legend(findings), width)), "dim")
    write("\n" + "\n".join(textwrap.wrap(paragraph(findings), width)))
    for title, texts in _lists(findings):
        write(f"\n{title}:", "bold yellow" if title == "Warnings" else "bold")
        write("\n".join(_bullets(texts, width)))


def _opening(findings: Findings) -> list[str]:
    lines = [
        findings.headline,
        f"{findings.title}: {findings.data_sentence}",
        findings.plan_sentence,
        f"Decided by {basis(findings)}",
        runs_line(findings),
    ]
    return [line for line in lines if line]


def _lists(findings: Findings) -> list[tuple[str, tuple[str, ...]]]:
    named = [("Warnings", findings.listed_warnings), ("Notes", findings.notes)]
    return [(title, texts) for title, texts in named if texts]


def _wrapped(lines: list[str], width: int) -> list[str]:
    return [part for line in lines for part in textwrap.wrap(line, width, subsequent_indent="  ")]


def _bullets(texts: tuple[str, ...], width: int) -> list[str]:
    lines = []
    for text in texts:
        lines += textwrap.wrap(text, width, initial_indent="- ", subsequent_indent="  ")
    return lines


def _table(findings: Findings, width: int) -> Iterator[tuple[str, str]]:
    """Return role and text of each line; columns move together where the width asks for it."""
    heads = [title.split() for title in titles(findings)]
    body = rows(findings)
    cells = list(zip(*(row.cells for row in body), strict=True)) or [()] * len(heads)
    widths = [max(map(len, (*head, *column))) for head, column in zip(heads, cells, strict=True)]
    first = max([len("learner"), *(len(row.name) for row in body)])
    gap = 2 if 2 + first + sum(widths) + 2 * len(widths) <= width else 1

    def line(name: str, values: tuple[str, ...]) -> str:
        parts = [f"{value:>{size}}" for value, size in zip(values, widths, strict=True)]
        return (" " * gap).join([f"{name:<{first + 2}}", *parts]).rstrip()

    # titles of several words stand in several lines, their last words side by side
    lifted = list(zip_longest(*(head[::-1] for head in heads), fillvalue=""))[::-1]
    for index, words in enumerate(lifted):
        yield "", line("  learner" if index == len(lifted) - 1 else "", words)
    yield "", "-" * (first + 2 + sum(widths) + gap * len(widths))
    for row in body:
        yield row.role, line(f"{LEGEND.get(row.role, ' ')} {row.name}", row.cells)
