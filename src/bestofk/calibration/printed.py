"""Text and Markdown of a calibration: headline, tables and remarks."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Collection, Sequence
from typing import ClassVar

TableLines = Sequence[Sequence[str]]  # the titles first


class PrintedCalibration(ABC):
    """Result of a calibration, printed as headline, tables and remarks."""

    _left: ClassVar[Collection[int]] = ()  # columns that stand left in a text

    @abstractmethod
    def headline(self) -> str:
        """Return the answer in one or two sentences."""

    @abstractmethod
    def _tables(self) -> Sequence[TableLines]:
        """Return the tables that are printed."""

    @abstractmethod
    def _remarks(self) -> Sequence[str]:
        """Return what to know about the figures, one fact each."""

    def to_markdown(self) -> str:
        """Return headline, tables and remarks in Markdown."""
        remarks = "\n".join(f"* {text}" for text in self._remarks())
        return "\n\n".join([self.headline(), *map(_in_markdown, self._tables()), remarks])

    def __str__(self) -> str:
        remarks = "\n".join(f"  - {text}" for text in self._remarks())
        tables = [in_columns(table, self._left) for table in self._tables()]
        return "\n\n".join([self.headline(), *tables, remarks])

    def __repr__(self) -> str:
        return f"<{type(self).__name__}: {self.headline()}>"


def in_columns(table: TableLines, left: Collection[int]) -> str:
    """Return a table as text; numbered columns stand left, all others right."""
    widths = [max(map(len, column)) for column in zip(*table, strict=True)]
    lines = [
        "  ".join(
            (str.ljust if index in left else str.rjust)(cell, width)
            for index, (cell, width) in enumerate(zip(row, widths, strict=True))
        )
        for row in table
    ]
    return "\n".join(map(str.rstrip, lines))


def _in_markdown(table: TableLines) -> str:
    titles, *rows = table
    lines = [titles, ["---"] * len(titles), *rows]
    return "\n".join(f"| {' | '.join(cells)} |" for cells in lines)
