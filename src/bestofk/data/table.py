"""Table of the columns of a source, before roles are chosen."""

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
        Name of the source.
    columns : mapping of str to TextColumn, NumberColumn or pandas Series
        Roles of text and number columns are guessed; the type of a Series is trusted.
    target : str or None
        The column that the source declares as target.
    notes : tuple of str
        What was guessed while reading.
    separator : str
        Separator of the columns of a text file; empty for other sources.
    warnings : tuple of str
        What was left out while reading.
    repeated : mapping of str to tuple of str
        Titles shared by several columns of a text file, with the names given to these.
    weights : ndarray of shape (n_samples,), float, or None
        Weights of the rows that are not in a column.
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
        """Make a table from a pandas frame, whose types are trusted."""
        columns = {str(column): frame[column] for column in frame.columns}
        return cls(name, columns, target, (note,) if note else ())


def first_repeated(keys: Iterable[Hashable]) -> tuple[int, int] | None:
    """Return the first two positions of the first repeated key; None if none repeats.

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
