"""Parts of a report, as every text format needs them: rows, tables, and all of it."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class Row:
    """Printed line about a learner or a data set.

    Parameters
    ----------
    name : str
        Of the learner or the data set.
    role : str
        "best", "candidate", "baseline", "left out", or empty; colors and bold letters show it.
    cells : tuple of str
        Printed numbers, as many as there are titles.
    """

    name: str
    role: str
    cells: tuple[str, ...]


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
        What a text says below it.
    left : sequence of int
        Columns that stand left; all others stand right.
    """

    heads: Sequence[str]
    rows: Sequence[Row]
    foot: str = ""
    left: Sequence[int] = (0,)


def table_of(
    heads: Sequence[str], rows: Iterable[Sequence[str]], foot: str = "", left: Sequence[int] = (0,)
) -> Table:
    """Return a table of rows that have no role, each its name and its cells."""
    return Table(heads, [Row(name, "", tuple(cells)) for name, *cells in rows], foot, left)


@dataclass(frozen=True)
class Sections:
    """Whole report, in the order in which it is read.

    Parameters
    ----------
    title : str
        Heading of a document.
    answer : tuple of str
        What to use; what else is plausible, what is worse; what to expect of new data.
    tables : sequence of Table
        The table of learners first.
    details : sequence of str
        One fact each, the most useful ones first.
    caveats : sequence of str
        What could change the decision, each with its code.
    guessed : sequence of str
        How columns and target were read.
    lists : sequence of (str, sequence of str)
        Title and texts of further lists; empty lists are left out.
    cautions : sequence of str
        Those of the caveats that a text shows first, the gravest in front.
    facts : str
        What the answer rests on, in a line; where there is one, a text has no lists unless all
        is asked for.
    reading : sequence of str
        How the data were read, in few lines.
    preface : str
        What the answer takes for granted, in a sentence before it; empty for nothing.
    """

    title: str
    answer: tuple[str, ...]
    tables: Sequence[Table]
    details: Sequence[str] = ()
    caveats: Sequence[str] = ()
    guessed: Sequence[str] = ()
    lists: Sequence[tuple[str, Sequence[str]]] = ()
    cautions: Sequence[str] = ()
    facts: str = ""
    reading: Sequence[str] = ()
    preface: str = ""

    @property
    def answer_lines(self) -> tuple[str, ...]:
        """The answer behind its preface."""
        return (self.preface, *self.answer) if self.preface else self.answer

    def titled_lists(self) -> list[tuple[str, Sequence[str]]]:
        """Return title and texts of every list that is not empty."""
        lists = [
            *self.lists,
            ("Details", self.details),
            ("Caveats", self.caveats),
            ("Guessed", self.guessed),
        ]
        return [(title, texts) for title, texts in lists if texts]
