"""Parts of a report, as every text format needs them: rows, tables, and all of it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

# How each role of a learner is marked before its name.
MARKS = {"best": "*", "candidate": "+", "baseline": "-", "left out": "x"}


@dataclass(frozen=True)
class Row:
    """Printed line about a learner or a data set.

    Parameters
    ----------
    name : str
        Of the learner or the data set.
    role : str
        "best", "candidate", "baseline", "left out", or empty.
    note : str
        The role in words.
    cells : tuple of str
        Printed numbers, as many as there are titles.
    """

    name: str
    role: str
    note: str
    cells: tuple[str, ...]

    @property
    def mark(self) -> str:
        """Mark of the role; empty where there is none."""
        return MARKS.get(self.role, "")


@dataclass(frozen=True)
class Table:
    """Table of a report.

    Parameters
    ----------
    heads : sequence of str
        Titles of the names and of each cell; a text breaks them where a line ends.
    rows : sequence of Row
        All rows.
    foot : str
        What a text says below it, such as what the marks mean.
    n_shown : int or None
        How many rows a text shows; None for all.
    has_notes : bool
        Whether Markdown has a column of notes.
    """

    heads: Sequence[str]
    rows: Sequence[Row]
    foot: str = ""
    n_shown: int | None = None
    has_notes: bool = False


@dataclass(frozen=True)
class Sections:
    """Whole report, in the order in which it is read.

    Parameters
    ----------
    title : str
        Heading of a document.
    opening : sequence of str
        First lines of a text; empty ones are left out.
    headline : str
        First paragraph of a document; empty for none.
    facts : sequence of str
        What a document lists first: data, plan, measure and test, runs.
    tables : sequence of Table
        The table of learners first.
    paragraph : str
        The verdict.
    lists : sequence of (str, sequence of str)
        Title and texts of each list; empty lists are left out.
    """

    title: str
    opening: Sequence[str]
    headline: str
    facts: Sequence[str]
    tables: Sequence[Table]
    paragraph: str
    lists: Sequence[tuple[str, Sequence[str]]]
