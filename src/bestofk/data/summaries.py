"""Summaries of the columns of a source, to check how it was read."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from bestofk.data.roles import may_own_rows
from bestofk.data.written_columns import NumberColumn, TextColumn

_SAMPLES = 3
_MOST_CLASSES = 20
_FIRST_ROWS = 1_000


@dataclass(frozen=True)
class ColumnSummary:
    """Summary of a column of a source.

    Parameters
    ----------
    name : str
        Name of the column.
    role : str
        Its role of `bestofk.data.roles`, or target, groups, weights or drop.
    n_missing : int
        Rows without a value.
    n_distinct : int
        Different values; for numbers, those of the first 1,000 rows.
    samples : tuple of str
        The first different values, at most three, as written.
    reason : str
        Reason for the role; empty if nothing was guessed.
    """

    name: str
    role: str
    n_missing: int
    n_distinct: int
    samples: tuple[str, ...]
    reason: str

    @classmethod
    def of(cls, name: str, values: Any, role: str, reason: str) -> ColumnSummary:
        """Summarize a text column or a pandas Series."""
        if isinstance(values, TextColumn):
            return cls(
                name, role, values.n_missing, values.n_distinct, tuple(values.texts[:_SAMPLES]),
                reason,
            )  # fmt: skip
        rows = values.values if isinstance(values, NumberColumn) else values
        first = pd.Series(rows[:_FIRST_ROWS]).dropna().drop_duplicates()
        samples = tuple(map(str, first.head(_SAMPLES).tolist()))
        n_missing = int(np.count_nonzero(pd.isna(rows)))
        return cls(name, role, n_missing, len(first), samples, reason)


def target_candidates(columns: tuple[ColumnSummary, ...]) -> list[str]:
    """Return the inputs that may be the intended target, those with few classes first.

    Examples
    --------
    >>> age = ColumnSummary("age", "numeric", 0, 70, ("31", "40"), "")
    >>> alive = ColumnSummary("alive", "boolean", 0, 2, ("yes", "no"), "")
    >>> target_candidates((age, alive))
    ['alive', 'age']
    """
    inputs = [
        item
        for item in columns
        if not item.n_missing
        and item.role not in ("target", "drop")
        and not may_own_rows(item.name)
    ]
    classes = [item for item in inputs if 1 < item.n_distinct <= _MOST_CLASSES]
    others = [item for item in inputs if item.n_distinct > _MOST_CLASSES and item.role == "numeric"]
    return [item.name for item in (*sorted(classes, key=lambda item: item.n_distinct), *others)]
