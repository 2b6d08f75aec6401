"""Base of the results of calibrations: headline, tables and remarks."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from typing import ClassVar

from bestofk.report.formats.text import aligned
from bestofk.report.parts import Row, Sections, Table
from bestofk.report.reported import Reported
from bestofk.words import joined_lines, printable


class PrintedCalibration(Reported):
    """Result of a calibration, whose text is made of whole lines, as for a log."""

    title: ClassVar[str]  # of a page

    @abstractmethod
    def headline(self) -> str:
        """Return the answer in one or two sentences."""

    @abstractmethod
    def _tables(self) -> Sequence[Table]:
        """Return the tables that are printed."""

    @abstractmethod
    def _remarks(self) -> Sequence[str]:
        """Return what to know about the figures, one fact each."""

    def sections(self) -> Sections:
        """Return the report: headline, tables and remarks."""
        return Sections(self.title, (self.headline(),), self._tables(), self._remarks())

    def text(self) -> str:
        """Return the report as plain text; no line is broken."""
        remarks = joined_lines(f"  - {text}" for text in self._remarks())
        return "\n\n".join([printable(self.headline()), *map(in_lines, self._tables()), remarks])

    def __repr__(self) -> str:
        return printable(f"<{type(self).__name__}: {self.headline()}>")


def table_of(titles: Sequence[str], rows: Sequence[Sequence[str]], left: Sequence[int]) -> Table:
    """Return a table of printed cells; numbered columns stand left, all others right."""
    return Table(titles, [Row(name, "", tuple(cells)) for name, *cells in rows], left=left)


def in_lines(table: Table) -> str:
    """Return a table as text, without a rule below its titles."""
    cells = [[row.name, *row.cells] for row in table.rows]
    head, _, *rows = aligned(table.heads, cells, left=table.left)
    return "\n".join([head, *rows])
