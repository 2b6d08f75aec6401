"""Columns of any table as numbers or levels."""

from __future__ import annotations

import numbers
from collections.abc import Iterable, Sequence
from datetime import date, datetime
from decimal import Decimal
from typing import Any, Final

import narwhals as nw
import numpy as np
from numpy.typing import NDArray

from bestofk.array_types import Floats
from bestofk.data.levels import sorted_levels

NUMERIC: Final = "numeric"
NOMINAL: Final = "nominal"
EMPTY: Final = "empty"

_LARGEST_EXACT = 2.0**53  # of whole numbers as floats
_MICROSECONDS_OF_DAY = 86_400e6
_DAY_ZERO = date(1970, 1, 1).toordinal()
_MISSING_TYPES = frozenset({"NoneType", "NAType", "NaTType"})  # the last two are of pandas
_NUMBERS = (numbers.Real, np.bool_, Decimal)
_TEXTS = (str, bytes)
_TEXT_TYPES = ("str", "string")  # of pandas
_NUMERIC_TYPES = (nw.Boolean, nw.Date, nw.Datetime, nw.Duration)
_NUMERIC_KINDS = "fiubmM"  # of numpy: floats, integers, booleans, durations, dates


def table_columns(table: Any) -> Sequence[Any]:
    """Return the columns of a table, cheaply.

    Parameters
    ----------
    table : ndarray of shape (n_samples, n_features), or DataFrame
        Of a frame of pandas its own columns are taken: narwhals would cost more than the
        rest of the preparation.

    Returns
    -------
    sequence of ndarray, pandas Series or narwhals Series
        The columns in order.
    """
    if isinstance(table, np.ndarray):
        return list(table.T)
    if hasattr(table, "iloc"):
        return [column for _, column in table.items()]
    frame = nw.from_native(table, eager_only=True)
    return [frame[name] for name in frame.columns]


def column_role(column: Any) -> str:
    """Say whether a column holds numbers, levels, or nothing that could be a level.

    Parameters
    ----------
    column : ndarray of shape (n_samples,), pandas Series or narwhals Series
        One column. Numbers, booleans, dates and durations are numeric; texts and
        categories are nominal. Where the type does not tell (object), the values do.

    Returns
    -------
    {"numeric", "nominal", "empty"}
        A column of texts or categories without any value is empty. A column without any
        value is numeric if its type does not tell.

    Raises
    ------
    TypeError
        If a value is neither text, number nor date.
    """
    if isinstance(column.dtype, np.dtype):
        if column.dtype.kind in _NUMERIC_KINDS:
            return NUMERIC
        return _role_of_cells(column.tolist())
    is_pandas = hasattr(column, "isna")
    if is_pandas and (hasattr(column.dtype, "categories") or str(column.dtype) in _TEXT_TYPES):
        return EMPTY if column.isna().all() else NOMINAL  # quicker than to wrap it
    wrapped = _wrapped(column)
    if wrapped.dtype.is_numeric() or isinstance(wrapped.dtype, _NUMERIC_TYPES):
        return NUMERIC
    if isinstance(wrapped.dtype, nw.String | nw.Categorical | nw.Enum):
        return EMPTY if wrapped.is_null().all() else NOMINAL
    values = np.asarray(wrapped.to_numpy())
    return NUMERIC if values.dtype.kind in _NUMERIC_KINDS else _role_of_cells(values.tolist())


def column_numbers(column: Any) -> Floats:
    """Return the values of a numeric column as floats, missing values as nan.

    Parameters
    ----------
    column : ndarray of shape (n_samples,), pandas Series or narwhals Series
        One column. Booleans are 0 and 1, dates are days since 1970-01-01 by the clock of
        their own time zone, durations are days.

    Returns
    -------
    ndarray of shape (n_samples,), float64
        The numbers.

    Raises
    ------
    ValueError
        If a text cannot be read as a number.
    """
    if not isinstance(column.dtype, np.dtype):
        column = _wrapped(column)
        if column.dtype.is_numeric() or column.dtype == nw.Boolean:
            return np.asarray(column.cast(nw.Float64).to_numpy(), dtype=np.float64)
        if isinstance(column.dtype, nw.Datetime) and column.dtype.time_zone is not None:
            column = column.dt.replace_time_zone(None)
        column = column.to_numpy()
    values = np.asarray(column)
    if values.dtype.kind in "mM":
        microseconds = values.astype(f"{values.dtype.kind}8[us]").astype(np.float64)
        return np.where(np.isnat(values), np.nan, microseconds / _MICROSECONDS_OF_DAY)
    if values.dtype.kind == "O":
        return np.array([_number(cell) for cell in values], dtype=np.float64)
    return values.astype(np.float64)


def column_texts(column: Any) -> NDArray[np.object_]:
    """Return the values of a nominal column as texts, missing values as None.

    Parameters
    ----------
    column : ndarray of shape (n_samples,), pandas Series or narwhals Series
        One column. Values that are no text count by their text.

    Returns
    -------
    ndarray of shape (n_samples,), object
        The texts.
    """
    array = _array(column)
    if hasattr(array, "categories"):
        # By code: as a list, whole numbers next to a missing one would turn into floats.
        labels = [*map(str, array.categories), None]  # the last is that of -1
        texts = [labels[code] for code in array.codes.tolist()]
    else:
        texts = [cell if type(cell) is str else _text(cell) for cell in _cells(column)]
    return np.array(texts, dtype=np.object_)


def hash_column(digest: Any, column: Any) -> None:
    """Add what a column holds to a digest: numbers as floats, levels as texts.

    Equal values count as equal whatever their type is: 1, 1.0 and True, or a text and a
    category; missing values are all alike. Only an order of categories counts by itself.

    Parameters
    ----------
    digest : hashlib object
        What is updated.
    column : ndarray of shape (n_samples,), pandas Series or narwhals Series
        One column.
    """
    try:
        role = column_role(column)
    except TypeError:  # a learner of its own may know what to do with such values
        digest.update("\x1f".join(map(repr, np.asarray(column).tolist())).encode())
        return
    digest.update(f"\x1e{role}".encode())
    if role == NUMERIC:
        values = column_numbers(column) + 0.0  # no minus zero
        values[np.isnan(values)] = np.nan
        digest.update(values.tobytes())
        if (np.abs(values) > _LARGEST_EXACT).any():
            whole = [cell for cell in _cells(column) if isinstance(cell, numbers.Integral)]
            digest.update(repr([int(cell) - int(float(cell)) for cell in whole]).encode())
        return
    texts = column_texts(column).tolist()
    digest.update(repr((ordered_levels(column) is None, column_levels(column))).encode())
    digest.update("\x1f".join(map(repr, texts)).encode())


def ordered_levels(column: Any) -> tuple[str, ...] | None:
    """Return the levels of a column of ordered categories, lowest first; None for others."""
    has_order = isinstance(column.dtype, nw.Enum) or getattr(_array(column), "ordered", False)
    return declared_levels(column) if has_order else None


def declared_levels(column: Any) -> tuple[str, ...] | None:
    """Return the levels that the type of a column declares, in its order; None for other types."""
    if isinstance(column.dtype, nw.Enum):
        return tuple(column.dtype.categories)
    categories = getattr(_array(column), "categories", None)
    return None if categories is None else tuple(map(str, categories))


def column_levels(column: Any) -> tuple[str, ...]:
    """Return the levels of a nominal column: in their order, else those that occur, sorted."""
    texts = {text for text in column_texts(column).tolist() if text is not None}
    return ordered_levels(column) or tuple(sorted_levels(texts))


def with_levels(table: Any, names: Sequence[str]) -> Any:
    """Return a table whose texts are categories: what learners of the catalogue receive.

    Their levels are those of `column_levels` in the whole table, so that it does not matter what
    held the texts.

    Parameters
    ----------
    table : ndarray of shape (n_samples, n_features), or DataFrame
        Columns of any type.
    names : sequence of str
        Names of the columns.

    Returns
    -------
    ndarray or DataFrame
        A frame of pandas; the table itself where it is numbers and such categories already, or a
        value is neither text, number nor date.
    """
    import pandas as pd

    columns = table_columns(table)
    try:
        roles = [column_role(column) for column in columns]
    except TypeError:
        return table
    pairs = list(zip(columns, roles, strict=True))
    levels = [() if role == NUMERIC else column_levels(column) for column, role in pairs]
    if all(
        role == NUMERIC or (_array(column) is not None and declared_levels(column) == known)
        for (column, role), known in zip(pairs, levels, strict=True)
    ):
        return table
    return pd.DataFrame(
        {
            name: column_numbers(column)
            if role == NUMERIC
            else pd.Categorical(
                column_texts(column), list(known), ordered=ordered_levels(column) is not None
            )
            for name, (column, role), known in zip(names, pairs, levels, strict=True)
        }
    )


def _array(column: Any) -> Any:
    """Return what holds the values of a series of pandas; None of others."""
    return getattr(column, "array", None)


def _cells(column: Any) -> list[Any]:
    return list(column.tolist() if isinstance(column, np.ndarray) else column.to_list())


def _wrapped(column: Any) -> Any:
    return nw.from_native(column, series_only=True)


def _role_of_cells(cells: Sequence[Any]) -> str:
    kinds = {kind for kind in set(map(type, cells)) if kind.__name__ not in _MISSING_TYPES}
    if len(kinds) > 1 and all(_is_missing(cell) for cell in cells if isinstance(cell, float)):
        kinds = {kind for kind in kinds if not issubclass(kind, float)}
    if all(issubclass(kind, _NUMBERS) for kind in kinds) or _are_dates(kinds):
        return NUMERIC
    for kind in kinds:
        if not issubclass(kind, (*_NUMBERS, *_TEXTS)):
            raise TypeError(
                "TablePreparer argument must be a table of strings, numbers or dates; got a value "
                f"of type {kind.__name__}. Turn that column into one of them, or drop it."
            )
    return NOMINAL


def _are_dates(kinds: Iterable[type]) -> bool:
    return all(issubclass(kind, date) for kind in kinds)


def _is_missing(cell: Any) -> bool:
    if isinstance(cell, float | np.floating):
        return bool(np.isnan(cell))
    return type(cell).__name__ in _MISSING_TYPES


def _text(cell: Any) -> str | None:
    return None if _is_missing(cell) else as_text(cell)


def as_text(cell: Any) -> str:
    """Return the text of a value; bytes are read as UTF-8."""
    return cell.decode(errors="backslashreplace") if isinstance(cell, bytes) else str(cell)


def _number(cell: Any) -> float:
    if _is_missing(cell):
        return np.nan
    if isinstance(cell, datetime):
        since_midnight = cell.hour * 3600 + cell.minute * 60 + cell.second + cell.microsecond / 1e6
        return cell.toordinal() - _DAY_ZERO + since_midnight / 86_400
    if isinstance(cell, date):
        return float(cell.toordinal() - _DAY_ZERO)
    return float(cell)
