"""Parts of dates as numbers, which built-in learners receive instead of days."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

import numpy as np

from bestofk.array_types import Floats
from bestofk.data.table_columns import CALENDAR, DATE, DATES, column_numbers
from bestofk.words import listing

_PARTS: Final = {
    DATE: ("year", "month", "day_of_week", "hour", "elapsed_time"),
    CALENDAR: ("month", "day_of_week", "hour"),
}
_PERIODS: Final = {"month": 12, "day_of_week": 7, "hour": 24}
_WAVES: Final = {"sin": np.sin, "cos": np.cos}


def date_part(days: Floats, name: str) -> Floats:
    """Return one part of dates.

    Parameters
    ----------
    days : ndarray of shape (n_samples,), float64
        Days since 1970-01-01, times of day as fractions; nan where missing.
    name : str
        "year"; "month" from 1; "day_of_week" from 1, a Monday; "hour" with its fraction;
        "elapsed_time" in whole days since 1970-01-01. Month, day of week and hour also exist as
        "month_sin", "month_cos" and so on: sine and cosine of their position in the cycle.

    Returns
    -------
    ndarray of shape (n_samples,), float64
        nan where missing.

    Examples
    --------
    >>> days = np.array([-1.0, 19723.25])  # 1969-12-31, and 2024-01-01 06:00
    >>> [date_part(days, name).tolist() for name in ("year", "month", "day_of_week", "hour")]
    [[1969.0, 2024.0], [12.0, 1.0], [3.0, 1.0], [0.0, 6.0]]
    >>> date_part(days, "hour_sin").tolist()
    [0.0, 1.0]
    """
    base, _, wave = name.rpartition("_")
    if wave in _WAVES:
        angles = 2 * np.pi * date_part(days, base) / _PERIODS[base]
        return np.asarray(_WAVES[wave](angles).round(12))  # rounded, so that equal times stay equal
    whole = np.floor(days)
    if name == "elapsed_time":
        return whole
    if name == "hour":
        return np.round(24 * (days - whole), 6)  # to hundredths of a second
    if name == "day_of_week":
        return (whole + 3) % 7 + 1  # 1970-01-01 was a Thursday
    dates = np.nan_to_num(whole).astype(np.int64).astype("M8[D]")
    months = np.where(np.isnan(days), np.nan, dates.astype("M8[M]").astype(np.float64))
    return months // 12 + 1970 if name == "year" else months % 12 + 1


def varying_parts(days: Floats, role: str, *, as_pairs: bool = False) -> tuple[str, ...]:
    """Return the parts of dates that have at least two values, by the names of `date_part`.

    Parameters
    ----------
    days : ndarray of shape (n_samples,), float64
        As for `date_part`.
    role : {"date", "calendar"}
        "date" includes year and elapsed time, which never repeat; "calendar" does not.
    as_pairs : bool, default=False
        Whether cyclic parts, such as the month, are two numbers: a sine and a cosine.

    Examples
    --------
    >>> varying_parts(np.array([0.0, 1.0, 40.0]), "date")
    ('month', 'day_of_week', 'elapsed_time')
    >>> varying_parts(np.array([0.25, 0.75]), "date", as_pairs=True)
    ('hour_sin',)
    """
    known = days[~np.isnan(days)]
    names = [
        name if wave is None else f"{name}_{wave}"
        for name in _PARTS[role]
        for wave in (_WAVES if as_pairs and name in _PERIODS else (None,))
    ]
    return tuple(name for name in names if len(known) and np.ptp(date_part(known, name)) > 0)


def varying_dates(
    columns: Sequence[Any], roles: Sequence[str], *, as_pairs: bool = False
) -> dict[int, tuple[str, ...]]:
    """Return the varying parts of each column of dates, by position; see `varying_parts`."""
    return {
        at: varying_parts(column_numbers(columns[at]), role, as_pairs=as_pairs)
        for at, role in enumerate(roles)
        if role in DATES
    }


def date_numbers(
    columns: Sequence[Any], names: Sequence[Any], dates: Mapping[int, tuple[str, ...]]
) -> dict[str, Floats]:
    """Return the parts of dates by name: column, then part.

    Parameters
    ----------
    columns : sequence of ndarray or Series
        Columns of a table.
    names : sequence of str or int
        Their names.
    dates : mapping of int to tuple of str
        What `varying_dates` returned for training rows.
    """
    days = {at: column_numbers(columns[at]) for at in dates}
    return {f"{names[at]}_{part}": date_part(days[at], part) for at in dates for part in dates[at]}


def parts_read(days: Floats, role: str) -> str:
    """Return words on how a column of dates is read in the role date, calendar or number.

    Examples
    --------
    >>> parts_read(np.array([0.25, 0.75]), "calendar"), parts_read(np.zeros(2), "date")
    ('read as hour', 'all equal, so without information')
    """
    if role not in DATES:
        return "read as days since 1970-01-01"
    names = [name.replace("_", " ") for name in varying_parts(days, role)]
    return f"read as {listing(names)}" if names else "all equal, so without information"
