"""Columns of a source by name, before roles are chosen."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Table:
    """The columns of a source, before roles are chosen.

    Parameters
    ----------
    name : str
        What the source is called.
    columns : mapping of str to list or pandas Series
        A list holds texts, None where missing; its role is guessed. A Series has a
        type that is trusted.
    target : str or None
        The column that the source itself declares as target.
    notes : tuple of str
        What was guessed while reading.
    separator : str
        What separates the columns of a text file; empty for other sources.
    """

    name: str
    columns: Mapping[str, Any]
    target: str | None = None
    notes: tuple[str, ...] = ()
    separator: str = ""

    @classmethod
    def from_frame(
        cls, name: str, frame: Any, *, target: str | None = None, note: str = ""
    ) -> Table:
        """Make a table of a pandas frame whose types are trusted."""
        columns = {str(column): frame[column] for column in frame.columns}
        return cls(name, columns, target, (note,) if note else ())
