"""Columns of a source by name, before roles are chosen."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from bestofk.array_types import Floats


@dataclass(frozen=True)
class Table:
    """The columns of a source, before roles are chosen.

    Parameters
    ----------
    name : str
        What the source is called.
    columns : mapping of str to TextColumn, NumberColumn or pandas Series
        Of columns as they are written the role is guessed. A Series has a type that is
        trusted.
    target : str or None
        The column that the source itself declares as target.
    notes : tuple of str
        What was guessed while reading.
    separator : str
        What separates the columns of a text file; empty for other sources.
    warnings : tuple of str
        What was left out while reading.
    repeated : mapping of str to tuple of str
        Titles that several columns have in a text file, and how these are called.
    weights : ndarray of shape (n_samples,), float, or None
        Weights that the source gives to its rows, in no column.
    """

    name: str
    columns: Mapping[str, Any]
    target: str | None = None
    notes: tuple[str, ...] = ()
    separator: str = ""
    warnings: tuple[str, ...] = ()
    repeated: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    weights: Floats | None = None

    @classmethod
    def from_frame(
        cls, name: str, frame: Any, *, target: str | None = None, note: str = ""
    ) -> Table:
        """Make a table of a pandas frame whose types are trusted."""
        columns = {str(column): frame[column] for column in frame.columns}
        return cls(name, columns, target, (note,) if note else ())


def first_repeated(keys: Iterable[Hashable]) -> tuple[int, int] | None:
    """Return the first two rows of the key that is the first to come again; None without one.

    Examples
    --------
    >>> first_repeated(["a", "b", "c", "b"]), first_repeated("abc")
    ((1, 3), None)
    """
    rows: dict[Hashable, int] = {}
    for row, key in enumerate(keys):
        if rows.setdefault(key, row) != row:
            return rows[key], row
    return None
