"""Parts of dates as numbers, which learners of the catalogue receive in place of the days."""

from __future__ import annotations

from typing import Final

import numpy as np

from bestofk.array_types import Floats
from bestofk.data.table_columns import CALENDAR, DATE
from bestofk.words import listing

_PARTS: Final = {
    DATE: ("year", "month", "day_of_week", "hour", "elapsed_time"),
    CALENDAR: ("month", "day_of_week", "hour"),
}
_PERIODS: Final = {"month": 12, "day_of_week": 7, "hour": 24}
_WAVES: Final = {"sin": np.sin, "cos": np.cos}
# Equal parts stay equal: a hundredth of a second, and sines of angles that differ by rounding.
_DIGITS_OF_HOURS: Final = 6
_DIGITS_OF_WAVES: Final = 12


def date_part(days: Floats, name: str) -> Floats:
    """Return one part of dates.

    Parameters
    ----------
    days : ndarray of shape (n_samples,), float64
        Days since 1970-01-01, times of day as fractions; nan where missing.
    name : str
        "year"; "month" from 1; "day_of_week" from 1, a Monday; "hour" with its fraction;
        "elapsed_time" in whole days since 1970-01-01. Month, day of week and hour also as
        "month_sin", "month_cos" and so on: the point of a circle that they are.

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
        return np.asarray(np.round(_WAVES[wave](angles), _DIGITS_OF_WAVES), dtype=np.float64)
    whole = np.floor(days)
    if name == "elapsed_time":
        return whole
    if name == "hour":
        return np.round(24 * (days - whole), _DIGITS_OF_HOURS)
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
        Whether years and elapsed time count, which never come back.
    as_pairs : bool, default=False
        Whether what comes back, such as the month, is two numbers: a sine and a cosine.

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
    return tuple(name for name in names if len(np.unique(date_part(known, name))) > 1)


def parts_read(days: Floats, role: str) -> str:
    """Say what becomes of a column of dates.

    Examples
    --------
    >>> parts_read(np.array([0.25, 0.75]), "calendar"), parts_read(np.zeros(2), "date")
    ('read as hour', 'all the same, which says nothing')
    """
    names = [name.replace("_", " ") for name in varying_parts(days, role)]
    return f"read as {listing(names)}" if names else "all the same, which says nothing"
