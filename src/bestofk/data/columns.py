"""Conversion of columns to the form that learners receive, after their roles are chosen."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any

import numpy as np
import pandas as pd
from pandas.api import types

from bestofk.data import text_values
from bestofk.data.dates import date_forms, read_date
from bestofk.data.levels import ordinal_levels, sorted_levels
from bestofk.data.number_forms import (
    FileForms,
    NumberForm,
    numbers_as_texts,
    shown,
)
from bestofk.data.roles import (
    READ_BY_WORDS,
    RoleChoice,
    choose_for_integers,
    choose_role,
    is_free_text,
    plain_role,
)
from bestofk.data.table_columns import TEXT, as_text, column_numbers, described_role, free_texts
from bestofk.data.written_columns import NumberColumn, TextColumn
from bestofk.errors import InvalidArgumentError

_LARGEST_WHOLE = np.iinfo(np.int64).max
DECLARED_EMPTY = "no value at all; dropped"


def choose_column_role(name: str, values: Any, forms: FileForms | None = None) -> RoleChoice:
    """Choose a role: by the rules for text columns, or by the type of a pandas Series."""
    if isinstance(values, NumberColumn) and values.is_whole:
        return choose_for_integers(name, values.values, len(values))
    if isinstance(values, TextColumn | NumberColumn):
        return choose_role(name, values.counts, forms)
    if len(values) and values.isna().all():
        return RoleChoice("drop", DECLARED_EMPTY, is_warning=True)
    role = described_role(values, f"column {name!r}")
    if role == "nominal" and not is_category(values):
        texts = [value for value in values.unique().tolist() if isinstance(value, str)]
        if is_free_text(texts, int(values.notna().sum())):
            return RoleChoice(TEXT, READ_BY_WORDS)
        if text := numbers_as_texts(texts):
            reason = f"numbers stored as texts, such as {text}; nominal, as its type says"
            return RoleChoice(role, f'{reason} ("numeric" reads them)', is_warning=True)
    return RoleChoice(role, "")


def build_column(
    name: str, values: Any, role: str, forms: FileForms | None = None
) -> tuple[Any, str]:
    """Return a column as learners receive it, and a sentence if values were lost.

    Parameters
    ----------
    name : str
        Name of the column, for messages.
    values : TextColumn, NumberColumn or pandas Series
        The column as text, or with a declared type.
    role : {"numeric", "nominal", "ordinal", "boolean", "date", "text"}
        Role of the column; also "date:%d/%m/%Y" with the format, and "ordinal:low,middle,high" with
        the order of the levels.
    forms : FileForms or None, default=None
        Number formats of the file; None for a column without a file.

    Returns
    -------
    column : pandas Series
        The values; `bestofk.data.roles` lists the types.
    sentence : str
        How many values could not be read and became missing; empty if none.

    Raises
    ------
    InvalidArgumentError
        If no value can be read in this role, a boolean has more than two values, or the order
        of levels is missing or wrong.
    """
    if isinstance(values, NumberColumn):
        if plain_role(role) not in ("date", TEXT):
            return pd.Series(values.values, copy=False), ""
        values = TextColumn.of(list(map(str, values.values.tolist())))
    if not isinstance(values, TextColumn):
        if role == described_role(values, f"column {name!r}"):
            return _build_typed(values, role), ""
        if role == "ordinal" and is_category(values):
            return values.cat.as_ordered(), ""
        values = as_texts(values)
        forms = None
    if role == TEXT:
        cells = values.spread([*values.texts], "", np.object_)
        return free_texts(cells), ""
    if role == "numeric":
        return _build_numbers(name, values, forms)
    if plain_role(role) == "date":
        return _build_dates(name, values, role)
    if role == "boolean":
        _check_two_values(name, values.texts)
        words = {text.casefold() for text in values.texts}
        if words <= text_values.TRUTH.keys():
            truth = [text_values.TRUTH[text.casefold()] for text in values.texts]
            return _build_truth(pd.Series(values.spread(truth, None, np.object_))), ""
        if len(words) < len(values.texts) and text_values.are_booleans(values.texts):
            values = values.replaced(text.casefold() for text in values.texts)
    if plain_role(role) == "ordinal":
        return _build_levels(values, ordinal_levels(name, values, role), ordered=True), ""
    return _build_levels(values, sorted_levels(values.texts), ordered=False), ""


def as_texts(values: Any) -> TextColumn:
    """Return a pandas Series as text, 3.0 as "3"."""
    if values.dtype == np.object_:  # 1 == True, but their texts differ
        missing = pd.isna(values)
        cells = zip(values.tolist(), missing, strict=True)
        return TextColumn.of([None if gone else _as_text(cell) for cell, gone in cells])
    codes, distinct = pd.factorize(values)
    return TextColumn([], codes).replaced(map(_as_text, distinct.tolist()))


def is_category(values: Any) -> bool:
    """Tell whether a pandas Series is of category type."""
    return isinstance(values.dtype, pd.CategoricalDtype)


def _as_text(value: Any) -> str:
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    return as_text(value)


def _build_typed(values: Any, role: str) -> Any:
    if role == "date":
        return days_since_1970(values)
    if role == "numeric":
        whole = types.is_integer_dtype(values.dtype) and not values.isna().any()
        fits = whole and (not len(values) or int(values.max()) <= _LARGEST_WHOLE)
        return values.astype("int64") if fits else pd.Series(column_numbers(values))
    if role == "boolean":
        return _build_truth(values)
    if is_category(values):
        return values
    texts = as_texts(values)
    return _build_levels(texts, sorted_levels(texts.texts), ordered=False)


def _build_truth(values: Any) -> Any:
    """Return truth values as bool, or as 0 and 1 where some are missing."""
    if not values.isna().any():
        return values.astype("bool")
    return pd.Series(values.to_numpy(dtype=np.float64, na_value=np.nan))


def days_since_1970(values: Any) -> Any:
    """Return dates of any year as days, times of day as fractions (UTC)."""
    if not types.is_datetime64_any_dtype(values.dtype):
        return pd.Series(column_numbers(values))
    if values.dt.tz is not None:
        values = values.dt.tz_convert("UTC").dt.tz_localize(None)
    moments = values.to_numpy()
    return pd.Series((moments - np.zeros(1, moments.dtype)) / np.timedelta64(1, "D"))


def _build_numbers(name: str, column: TextColumn, forms: FileForms | None) -> tuple[Any, str]:
    if text_values.are_whole(column.texts) and not column.n_missing:
        return pd.Series(column.spread(list(map(int, column.texts)), 0, np.int64)), ""
    forms = forms or FileForms({name: column.counts})
    written = forms.of(name)
    form = written.form if written else NumberForm()
    return _replace_all(name, column, {text: form.read(text) for text in column.texts}, "numbers")


def _build_dates(name: str, column: TextColumn, role: str) -> tuple[Any, str]:
    form = role.removeprefix("date").removeprefix(":")
    forms = {} if form else date_forms(column.texts)
    if forms:
        return _replace_all(name, column, dict(next(iter(forms.values()))), "dates")
    read = {text: read_date(text, form) for text in column.texts}
    return _replace_all(name, column, read, f"dates written as {form}" if form else "dates")


def _replace_all(
    name: str, column: TextColumn, known: dict[str, float | None], what: str
) -> tuple[Any, str]:
    """Return the column with each text replaced by its value; texts without one become missing."""
    unread = sorted(text for text, value in known.items() if value is None)
    if known and len(unread) == len(known):
        raise InvalidArgumentError(
            f"column {name!r} must hold {what} for this role; got {shown(unread[0])}. "
            'Use the role "nominal".'
        )
    values = [np.nan if known[text] is None else known[text] for text in column.texts]
    lost = sum(column.counts[text] for text in unread)
    sentence = (
        f"Column {name!r}: {lost} of {len(column)} values cannot be read as {what}, such as "
        f"{shown(unread[0])}; taken as missing."
        if lost
        else ""
    )
    return pd.Series(column.spread(values, np.nan, np.float64)), sentence


def _check_two_values(name: str, texts: Collection[str]) -> None:
    if len({text.casefold() for text in texts}) > 2:
        raise InvalidArgumentError(
            f"column {name!r} must hold two different values to be boolean; got "
            f'{len(texts)}. Use the role "nominal".'
        )


def _build_levels(column: TextColumn, levels: Sequence[str], *, ordered: bool) -> Any:
    positions = {text: position for position, text in enumerate(levels)}
    codes = column.spread([positions[text] for text in column.texts], -1, np.int64)
    return pd.Series(pd.Categorical.from_codes(codes, categories=levels, ordered=ordered))
