"""Parts of the texts of curves: paragraphs, and a table of scores."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Sequence
from typing import Final

from bestofk.report.lines import aligned

_WIDTH: Final = 80


def filled(text: str) -> str:
    """Return a text in lines of at most 80 characters."""
    return textwrap.fill(text, _WIDTH, break_on_hyphens=False)


def paragraphs(head: str, table: str, sentences: Iterable[str], notes: Iterable[str]) -> str:
    """Return a head, a table, sentences and notes, with an empty line between."""
    listed = "\n".join(filled(f"- {note}") for note in notes)
    texts = [filled(sentence) for sentence in sentences if sentence]
    return "\n\n".join([filled(head), table, *texts, *([listed] if listed else [])])


def score_table(
    corner: str,
    heads: Sequence[str],
    names: Sequence[str],
    rows: Sequence[Sequence[str]],
    marked: int | None = None,
) -> str:
    """Return a table with a rule below its heads; one row may be marked with a star."""
    marks = ["*" if index == marked else " " for index in range(len(names))]
    table = [
        [f"{mark} {name}", *cells] for mark, name, cells in zip(marks, names, rows, strict=True)
    ]
    return "\n".join(aligned([f"  {corner}", *heads], table))
