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

NUMERIC: Final = "numeric"
NOMINAL: Final = "nominal"
EMPTY: Final = "empty"

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


def column_numbers(column: Any) -> NDArray[np.float64]:
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
    array: Any = getattr(column, "array", None)  # of pandas
    if hasattr(array, "categories"):
        # By code: as a list, whole numbers next to a missing one would turn into floats.
        labels = [*map(str, array.categories), None]  # the last is that of -1
        texts = [labels[code] for code in array.codes.tolist()]
    else:
        cells = column.tolist() if isinstance(column, np.ndarray) else column.to_list()
        texts = [cell if type(cell) is str else _text(cell) for cell in cells]
    return np.array(texts, dtype=np.object_)


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
    return None if _is_missing(cell) else str(cell)


def _number(cell: Any) -> float:
    if _is_missing(cell):
        return np.nan
    if isinstance(cell, datetime):
        since_midnight = cell.hour * 3600 + cell.minute * 60 + cell.second + cell.microsecond / 1e6
        return cell.toordinal() - _DAY_ZERO + since_midnight / 86_400
    if isinstance(cell, date):
        return float(cell.toordinal() - _DAY_ZERO)
    return float(cell)
