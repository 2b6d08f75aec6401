"""Which column plays which part, and what was guessed on the way."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bestofk.data import text_values
from bestofk.data.arrays import from_arrays, refuse_missing
from bestofk.data.columns import as_texts, build_column, choose_column_role, is_category
from bestofk.data.data_set import REGRESSION, DataSet
from bestofk.data.roles import ROLES, RoleChoice
from bestofk.data.table import Table
from bestofk.errors import InvalidArgumentError, nearest_name

_TARGET_NAMES = ("class", "target", "y", "label", "outcome")
_SHOWN_NAMES = 12


def assemble(
    table: Table,
    *,
    target: str | None,
    task: str,
    roles: Mapping[str, str],
    drop: Sequence[str],
    groups: str | None,
    weights: str | None,
) -> DataSet:
    """Make a data set of a table: choose parts and roles, build the columns, note it all.

    Parameters are those of `bestofk.data.load_data`.
    """
    parts = _choose_parts(table, target, roles, drop, groups, weights)
    choices = {
        column: RoleChoice(roles[column], f"{roles[column]}, as asked for")
        if column in roles
        else choose_column_role(column, values)
        for column, values in table.columns.items()
        if column not in parts
    }
    kept = {column: choice.role for column, choice in choices.items() if choice.role != "drop"}
    features, lost = _build_features(table, kept)
    target_column = next(column for column, part in parts.items() if part == "target")
    data = from_arrays(
        features,
        _labels_or_numbers(table, target_column, roles.get(target_column), task),
        name=table.name,
        task=task,
        groups=_labels_or_numbers(table, groups) if groups else None,
        sample_weight=_labels_or_numbers(table, weights) if weights else None,
    )
    said = [] if target else [f"Target: {target_column!r} ({_why_target(table, target_column)})."]
    return replace(
        data,
        roles={
            column: parts[column] if column in parts else choices[column].role
            for column in table.columns
        },
        notes=(*table.notes, *said, *data.notes, *_sentences(choices, warnings=False)),
        warnings=(
            *_sentences(choices, warnings=True),
            *lost,
            *_alike(data),
            *data.warnings,
        ),
    )


def _choose_parts(
    table: Table,
    target: str | None,
    roles: Mapping[str, str],
    drop: Sequence[str],
    groups: str | None,
    weights: str | None,
) -> dict[str, str]:
    """Return the part of every column that is no input: target, groups, weights, drop."""
    if isinstance(drop, str):
        raise InvalidArgumentError(f"drop must be a list of columns; got the text {drop!r}.")
    asked = [(column, "drop") for column in drop]
    asked += [
        (column, part)
        for column, part in ((groups, "groups"), (weights, "weights"), (target, "target"))
        if column is not None
    ]
    parts: dict[str, str] = {}
    for column, part in asked:
        _check_column(table, part, column)
        if parts.setdefault(column, part) != part:
            raise InvalidArgumentError(
                f"column {column!r} must play one part; got {parts[column]} and {part}."
            )
    _check_roles(table, roles, parts)
    if target is None:
        parts[_default_target(table, {*parts, *(c for c in roles if roles[c] == "drop")})] = (
            "target"
        )
    return parts


def _check_column(table: Table, argument: str, column: str) -> None:
    if column not in table.columns:
        raise InvalidArgumentError(
            f"{argument} must be a column of {table.name}; got {column!r}. "
            f"{nearest_name(column, table.columns)}"
        )


def _check_roles(table: Table, roles: Mapping[str, str], parts: Mapping[str, str]) -> None:
    for column, role in roles.items():
        _check_column(table, "roles", column)
        if role not in ROLES:
            raise InvalidArgumentError(
                f"role of column {column!r} must be one of {', '.join(ROLES)}; got {role!r}."
            )
        if role == "drop" and parts.get(column) == "target":
            raise InvalidArgumentError(
                f"column {column!r} must play one part; got target and drop."
            )


def _default_target(table: Table, taken: Collection[str]) -> str:
    free = [column for column in table.columns if column not in taken]
    if not free:
        raise InvalidArgumentError(
            f"{table.name} must have a column left for the target; got all of them in other parts."
        )
    if table.target in free:
        return str(table.target)
    by_name = {column.casefold(): column for column in reversed(free)}
    return next((by_name[name] for name in _TARGET_NAMES if name in by_name), free[-1])


def _why_target(table: Table, column: str) -> str:
    if column == table.target:
        return "as the source declares"
    return "by its name" if column.casefold() in _TARGET_NAMES else "the last column"


def _build_features(table: Table, roles: Mapping[str, str]) -> tuple[Any, list[str]]:
    import pandas as pd

    columns, lost = {}, []
    for column, role in roles.items():
        columns[column], sentence = build_column(column, table.columns[column], role)
        if sentence:
            lost.append(sentence)
    n_samples = len(next(iter(table.columns.values())))
    return pd.DataFrame(columns, index=pd.RangeIndex(n_samples)), lost


def _labels_or_numbers(
    table: Table, column: str, role: str | None = None, task: str = "auto"
) -> NDArray[Any]:
    """Return a column without gaps as an array: int64 or float64 numbers, or labels as text."""
    values = table.columns[column]
    refuse_missing(_n_missing(values), f"column {column!r}")
    if not isinstance(values, list):
        is_typed_number = not is_category(values) and values.dtype.kind in "biuf"
        if is_typed_number and role in (None, "numeric"):
            return np.array(values.tolist())
        values = as_texts(values)
    is_code = role is None and text_values.is_zero_padded(values)
    if (is_code or role in ("nominal", "ordinal", "boolean")) and task != REGRESSION:
        return np.array(values, dtype=np.str_)
    if text_values.are_whole(values):
        return np.array(values, dtype=np.int64)
    if form := text_values.number_form(set(values)):
        return np.array([form.read(text) for text in values], dtype=np.float64)
    return np.array(values, dtype=np.str_)


def _alike(data: DataSet) -> list[str]:
    """Warn of classes that may be one class, written in different ways."""
    if not data.is_classification:
        return []
    spellings: dict[str, list[str]] = {}
    for label in map(str, data.classes):
        spellings.setdefault(" ".join(label.casefold().split()), []).append(repr(label))
    return [
        f"Classes {', '.join(alike)} differ in case or blanks alone; they count as different "
        "classes."
        for alike in spellings.values()
        if len(alike) > 1
    ]


def _n_missing(values: Any) -> int:
    if isinstance(values, list):
        return values.count(None)
    return int(values.isna().sum())


def _sentences(choices: Mapping[str, RoleChoice], *, warnings: bool) -> list[str]:
    """Return one sentence per reason, naming all columns it holds for."""
    columns: dict[str, list[str]] = {}
    for column, choice in choices.items():
        if choice.reason and choice.is_warning == warnings:
            columns.setdefault(choice.reason, []).append(repr(column))
    return [
        f"Column{'s' if len(names) > 1 else ''} {_listed(names)}: {reason}."
        for reason, names in columns.items()
    ]


def _listed(names: list[str]) -> str:
    more = len(names) - _SHOWN_NAMES
    return ", ".join(names[:_SHOWN_NAMES]) + (f" and {more} more" if more > 0 else "")
