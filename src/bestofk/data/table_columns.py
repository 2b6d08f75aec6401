"""Columns of any table as numbers or levels."""

from __future__ import annotations

import numbers
from collections.abc import Iterable, Mapping, Sequence
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from typing import Any, Final

import narwhals as nw
import numpy as np
import pandas as pd
from numpy.typing import NDArray

from bestofk.array_types import Floats, Ints
from bestofk.data.dates import day_of
from bestofk.errors import InvalidArgumentError

NUMERIC: Final = "numeric"
NOMINAL: Final = "nominal"
EMPTY: Final = "empty"
BOOLEAN: Final = "boolean"
DATE: Final = "date"
CALENDAR: Final = "calendar"
ORDINAL: Final = "ordinal"
TEXT: Final = "text"
DATES: Final = (DATE, CALENDAR)
MARKED: Final = (*DATES, TEXT)  # roles from which built-in learners make several columns


class FreeText(str):
    """A text that is read word by word, not as a level; columns of this type have the role text."""

    __slots__ = ()


class CalendarDay(float):
    """Days since 1970-01-01 in a column with the role calendar."""

    __slots__ = ()


_LARGEST_EXACT = 2.0**53  # bound of whole numbers as floats
_MICROSECONDS_OF_DAY = 86_400e6
_MISSING_TYPES = frozenset({"NoneType", "NAType", "NaTType"})  # the last two are from pandas
_FLOATS = frozenset({float, np.float64})
_NUMBERS = (numbers.Real, np.bool_, Decimal)
_TEXT_TYPES = ("str", "string")  # from pandas
_ROLE_OF_KIND = dict.fromkeys("fium", NUMERIC) | {"b": BOOLEAN, "M": DATE}  # from numpy
# All cells of a column of objects must be of one of these kinds (pandas names).
_ROLE_OF_CELLS: Sequence[tuple[tuple[type, ...], str, str]] = (
    ((bool, np.bool_), "", BOOLEAN),
    ((CalendarDay,), "", CALENDAR),
    (_NUMBERS, "", NUMERIC),
    ((timedelta,), "", NUMERIC),
    ((time,), "", DATE),
    ((date,), "Period", DATE),
    ((), "Interval", NOMINAL),
    ((FreeText,), "", TEXT),
    ((str, bytes, *_NUMBERS), "", NOMINAL),
)


class UnreadableColumnError(InvalidArgumentError, TypeError):
    """A column holds values other than numbers, texts and dates; a TypeError for scikit-learn."""

    def __init__(self, what: str, kinds: str = "") -> None:
        rule = "must be made of strings, numbers, dates or durations"
        way_out = "Convert the values, for example by astype(str), or leave the column out."
        # Unpickling passes the whole message.
        super().__init__(f"{what} {rule}; got {kinds}. {way_out}" if kinds else what)


def table_columns(table: Any) -> Sequence[Any]:
    """Return the columns of a table without copying them.

    Parameters
    ----------
    table : ndarray of shape (n_samples, n_features), DataFrame, or list of columns
        For a pandas frame, pandas columns are returned: narwhals would take longer than the rest of
        the preparation.

    Returns
    -------
    sequence of ndarray, pandas Series or narwhals Series
        The columns in order.
    """
    if isinstance(table, np.ndarray):
        return list(table.T)
    if isinstance(table, list):
        return table
    if hasattr(table, "iloc"):
        return [column for _, column in table.items()]
    frame = nw.from_native(table, eager_only=True)
    return [frame[name] for name in frame.columns]


def column_role(column: Any) -> str:
    """Return whether a column holds numbers, levels, free texts or nothing.

    Parameters
    ----------
    column : ndarray of shape (n_samples,), pandas Series or narwhals Series
        One column. Numbers, booleans, dates, times of day and durations are numeric; texts,
        categories and intervals are nominal. For object types, the values decide.

    Returns
    -------
    {"numeric", "nominal", "text", "empty"}
        A column of texts or categories without any value is empty. An object column without any
        value is numeric. Only `FreeText` is text.

    Raises
    ------
    UnreadableColumnError
        If a value is of another kind, or kinds are mixed that do not make a column.
    """
    role = prepared_role(column)
    return NUMERIC if role in DATES else role


def prepared_role(column: Any) -> str:
    """Return the role of a column like `column_role`, but with dates and calendars."""
    role = described_role(column)
    if role in (NUMERIC, BOOLEAN, *MARKED):
        return NUMERIC if role == BOOLEAN else role
    if isinstance(column.dtype, np.dtype):
        return NOMINAL
    missing = column.isna() if hasattr(column, "isna") else _wrapped(column).is_null()
    return EMPTY if missing.all() else NOMINAL


def described_role(column: Any, what: str = "TablePreparer argument") -> str:
    """Return the role of a column as shown to people, by its type or its values.

    Parameters
    ----------
    column : ndarray of shape (n_samples,), pandas Series or narwhals Series
        One column.
    what : str
        Name of the column in messages.

    Returns
    -------
    {"numeric", "boolean", "date", "calendar", "nominal", "ordinal", "text"}
        Times of day are dates; durations are numeric.

    Raises
    ------
    UnreadableColumnError
        As for `column_role`.
    """
    if isinstance(column.dtype, np.dtype):
        kind = column.dtype.kind
        return _ROLE_OF_KIND.get(kind) or _role_of_cells(_cells(column), what)
    is_pandas = hasattr(column, "isna")
    if is_pandas and hasattr(column.dtype, "categories"):  # faster than wrapping it
        return ORDINAL if column.dtype.ordered else NOMINAL
    if is_pandas and str(column.dtype) in _TEXT_TYPES:
        return NOMINAL
    wrapped = _wrapped(column)
    dtype = wrapped.dtype
    if isinstance(dtype, nw.Date | nw.Datetime | nw.Time):
        return DATE
    if dtype.is_numeric() or dtype.is_temporal():
        return NUMERIC
    if isinstance(dtype, nw.String | nw.Categorical | nw.Binary):
        return NOMINAL
    if isinstance(dtype, nw.Boolean | nw.Enum):
        return BOOLEAN if dtype == nw.Boolean else ORDINAL
    if dtype.is_nested():
        raise UnreadableColumnError(what, str(dtype))
    values = np.asarray(wrapped.to_numpy())
    return _ROLE_OF_KIND.get(values.dtype.kind) or _role_of_cells(values.tolist(), what)


def column_numbers(column: Any) -> Floats:
    """Return the values of a numeric column as floats, with nan for missing values.

    Parameters
    ----------
    column : ndarray of shape (n_samples,), pandas Series or narwhals Series
        One column. Booleans are 0 and 1; dates are days since 1970-01-01 in their own time zone;
        periods are their first day; durations and times of day are days. Whole numbers beyond the
        range of floats are infinite.

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
        is_period = type(column.dtype).__name__ == "PeriodDtype"
        column = _wrapped(column.dt.to_timestamp() if is_period else column)
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
        cells = (cell if type(cell) is CalendarDay else cell_number(cell) for cell in values)
        return np.fromiter(cells, np.float64, len(values))
    return values.astype(np.float64)


def column_texts(column: Any) -> NDArray[np.object_]:
    """Return the values of a nominal column as texts, with None for missing values.

    Parameters
    ----------
    column : ndarray of shape (n_samples,), pandas Series or narwhals Series
        One column. Other values are converted to text.

    Returns
    -------
    ndarray of shape (n_samples,), object
        The texts.
    """
    array = _array(column)
    if hasattr(array, "categories"):
        # By code, because whole numbers in a list with a missing value would become floats.
        labels = np.array([*map(str, array.categories), None], dtype=np.object_)
        codes: Ints = array.codes
        return labels[codes]  # the last entry is for code -1
    texts = [cell if type(cell) is str else _text(cell) for cell in _cells(column)]
    return np.array(texts, dtype=np.object_)


def hash_column(digest: Any, column: Any, role: str = "") -> None:
    """Add the content of a column to a digest: numbers as floats, levels as texts.

    Values are equal regardless of type: 1, 1.0 and True, or a text and a category. All missing
    values are equal. An order of categories is added as well.

    Parameters
    ----------
    digest : hashlib object
        The digest to update.
    column : ndarray of shape (n_samples,), pandas Series or narwhals Series
        One column.
    role : {"", "text", "date", "calendar"}, default=""
        Role in which it is read, whatever its type; empty for the role of its type, where dates are
        numbers.
    """
    role = role or column_role(column)
    digest.update(f"\x1e{role}".encode())
    if role in (NUMERIC, *DATES):
        values = column_numbers(column) + 0.0  # turns -0.0 into 0.0
        values[np.isnan(values)] = np.nan
        digest.update(values.tobytes())
        if (np.abs(values) > _LARGEST_EXACT).any():
            whole = [cell for cell in _cells(column) if isinstance(cell, numbers.Integral)]
            digest.update(repr([int(cell) - int(float(cell)) for cell in whole]).encode())
        return
    texts = column_texts(column).tolist()
    if role == TEXT:
        digest.update(repr([text or "" for text in texts]).encode())
        return
    digest.update(repr((ordered_levels(column) is None, column_levels(column))).encode())
    written = {text: repr(text) for text in set(texts)}
    digest.update("\x1f".join(map(written.__getitem__, texts)).encode())


def ordered_levels(column: Any) -> tuple[str, ...] | None:
    """Return the levels of a column of ordered categories, lowest first; None for others."""
    has_order = isinstance(column.dtype, nw.Enum) or getattr(_array(column), "ordered", False)
    return declared_levels(column) if has_order else None


def declared_levels(column: Any) -> tuple[str, ...] | None:
    """Return the levels that the type of a column declares, in order; None for other types."""
    if isinstance(column.dtype, nw.Enum):
        return tuple(column.dtype.categories)
    categories = getattr(_array(column), "categories", None)
    return None if categories is None else tuple(map(str, np.asarray(categories, dtype=object)))


def column_levels(column: Any) -> tuple[str, ...]:
    """Return the levels of a nominal column: ordered ones in order, else the values, sorted."""
    from bestofk.data.levels import sorted_levels

    texts = {text for text in column_texts(column).tolist() if text is not None}
    return ordered_levels(column) or tuple(sorted_levels(texts))


def with_levels(table: Any, names: Sequence[str], roles: Mapping[str, str]) -> Any:
    """Return a table with texts as categories, as built-in learners receive it.

    Texts that are read word by word become `FreeText`, dates a type of dates. The levels of other
    texts are those of `column_levels` in the whole table, so that the type of the source does not
    matter.

    Parameters
    ----------
    table : ndarray of shape (n_samples, n_features), or DataFrame
        Columns of any type.
    names : sequence of str
        Names of the columns.
    roles : mapping of str to {"text", "date", "calendar"}
        Columns that are read as words or as parts of dates.

    Returns
    -------
    ndarray or DataFrame
        A pandas frame, or the table itself if nothing needs to be converted.
    """
    columns = dict(zip(names, table_columns(table), strict=True))
    if all(_is_as_received(column, roles.get(name, "")) for name, column in columns.items()):
        return table
    return pd.DataFrame(
        {name: _received(column, roles.get(name, "")) for name, column in columns.items()}
    )


def free_texts(cells: Iterable[str | None]) -> Any:
    """Return a pandas Series of `FreeText`; missing texts become empty ones."""
    return pd.Series([FreeText(cell or "") for cell in cells], dtype=object)


def date_column(days: Any, role: str) -> Any:
    """Return a column of days since 1970-01-01 that `prepared_role` recognizes as dates.

    Parameters
    ----------
    days : ndarray or pandas Series of shape (n_samples,), float64
        nan where missing.
    role : {"date", "calendar"}
        Role of the column.

    Returns
    -------
    pandas Series
    """
    if role == CALENDAR:
        return pd.Series(list(map(CalendarDay, days.tolist())), dtype=object)
    moments = np.round(np.nan_to_num(days) * _MICROSECONDS_OF_DAY).astype("M8[us]")
    return pd.Series(np.where(np.isnan(days), np.datetime64("NaT"), moments))


def _is_as_received(column: Any, role: str) -> bool:
    """Tell whether built-in learners receive a column unchanged."""
    own = prepared_role(column)
    if role or own in (NUMERIC, *MARKED):
        return own == (role or NUMERIC)
    return _array(column) is not None and declared_levels(column) == column_levels(column)


def _received(column: Any, role: str) -> Any:
    if role == TEXT:
        return free_texts(column_texts(column).tolist())
    if column_role(column) == NUMERIC:
        numbers = column_numbers(column)
        return date_column(numbers, role) if role else numbers
    levels, is_ordered = column_levels(column), ordered_levels(column) is not None
    return pd.Categorical(column_texts(column), list(levels), ordered=is_ordered)


def _array(column: Any) -> Any:
    """Return the underlying array of a pandas series; None for other columns."""
    return getattr(column, "array", None)


def _cells(column: Any) -> list[Any]:
    return list(column.tolist() if isinstance(column, np.ndarray) else column.to_list())


def _wrapped(column: Any) -> Any:
    return nw.from_native(column, series_only=True)


def _role_of_cells(cells: Sequence[Any], what: str) -> str:
    kinds = {kind for kind in set(map(type, cells)) if kind.__name__ not in _MISSING_TYPES}
    if len(kinds) > 1 and all(_is_missing(cell) for cell in cells if type(cell) in _FLOATS):
        kinds -= _FLOATS
    if not kinds:
        return NUMERIC
    for known, name, role in _ROLE_OF_CELLS:
        if all(issubclass(kind, known) or kind.__name__ == name for kind in kinds):
            return role
    raise UnreadableColumnError(what, " and ".join(sorted(kind.__name__ for kind in kinds)))


def _is_missing(cell: Any) -> bool:
    if isinstance(cell, Decimal):
        return cell.is_nan()
    if isinstance(cell, float | np.floating):
        return bool(np.isnan(cell))
    return type(cell).__name__ in _MISSING_TYPES


def _text(cell: Any) -> str | None:
    return None if _is_missing(cell) else as_text(cell)


def as_text(cell: Any) -> str:
    """Return the text of a value; bytes are read as UTF-8."""
    return cell.decode(errors="backslashreplace") if isinstance(cell, bytes) else str(cell)


def cell_number(cell: Any) -> float:
    """Return one cell of a numeric column as a number, like `column_numbers`."""
    if _is_missing(cell):
        return np.nan
    if type(cell).__name__ == "Period":
        cell = cell.to_timestamp()
    if isinstance(cell, timedelta):
        return cell / timedelta(days=1)
    if isinstance(cell, date):
        return day_of(cell)
    if isinstance(cell, time):
        return day_of(datetime.combine(date(1970, 1, 1), cell.replace(tzinfo=None)))
    try:
        return float(cell)
    except OverflowError:
        return np.inf
