"""Levels of a column: in the order of its role, or sorted."""

from __future__ import annotations

import csv
from collections import Counter
from collections.abc import Collection

from bestofk.data import text_values
from bestofk.data.notes import listed
from bestofk.data.number_forms import are_numbers
from bestofk.data.roles import listed_texts
from bestofk.data.written_columns import TextColumn
from bestofk.errors import InvalidArgumentError

_ORDINAL = "ordinal:"
_FORM = "ordinal:LOWEST,...,HIGHEST"


def order_in_role(role: str) -> tuple[str, ...] | None:
    """Return the levels listed in a role, lowest first; None for a role without an order.

    Examples
    --------
    >>> order_in_role("ordinal:small, medium, large")
    ('small', 'medium', 'large')
    >>> order_in_role('ordinal:"0,5","1,5"')
    ('0,5', '1,5')
    """
    if not role.startswith(_ORDINAL):
        return None
    (levels,) = csv.reader([role.removeprefix(_ORDINAL) or '""'], skipinitialspace=True)
    return tuple(level.strip() for level in levels)


def sorted_levels(levels: Collection[str]) -> list[str]:
    """Return levels sorted as numbers if all are numbers, else as texts."""
    if are_numbers(levels):
        return sorted(levels, key=lambda text: (float(text), text))
    return sorted(levels)


def ordinal_levels(name: str, column: TextColumn, role: str) -> list[str]:
    """Return the levels of an ordinal column, lowest first.

    Parameters
    ----------
    name : str
        Name of the column, for messages.
    column : TextColumn
        The column as it is written.
    role : str
        ``ordinal`` (the order of numbers) or ``ordinal:low,middle,high``.

    Returns
    -------
    list of str
        All levels of the column and of the role.

    Raises
    ------
    InvalidArgumentError
        If texts have no order, or the order lacks a level, repeats one, or contains an empty one or
        a mark of missing values.
    """
    order = order_in_role(role)
    if order is None:
        if are_numbers(column.texts):
            return sorted_levels(column.texts)
        raise InvalidArgumentError(
            f"role of column {name!r} must give the order of its levels, lowest first; got "
            f"'ordinal' for the texts {listed(sorted(column.texts))}. Write --role "
            f"{name}={_FORM} (in Python roles={{{name!r}: '{_FORM}'}})."
        )
    if problem := _problem(column, order):
        raise InvalidArgumentError(
            f"role of column {name!r} must list every level once, lowest first; got {role!r}, "
            f'{problem}. Correct the order, or use the role "nominal".'
        )
    return list(order)


def _problem(column: TextColumn, order: Collection[str]) -> str:
    """Return the problem with an order of levels; empty if there is none."""
    if twice := [level for level, count in Counter(order).items() if count > 1]:
        return f"which names {listed(twice)} twice"
    lacking = Counter({t: n for t, n in column.counts.items() if t not in order})
    if lacking:
        return f"which lacks {listed_texts(lacking)}"
    absent = (level for level in order if level not in column.texts)
    marks = [level for level in absent if text_values.is_missing(level)]
    return f"where {listed(marks)} stands for a missing value" if marks else ""
