"""Times of rows, and lengths of time by the calendar."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from bestofk.array_types import Floats, Ints
from bestofk.data.table_columns import DATE, NUMERIC, column_numbers, described_role
from bestofk.errors import InvalidArgumentError
from bestofk.words import times

_MONTHS = {"M": 1, "Q": 3, "Y": 12}
_DAYS = {"min": 1 / 1440, "h": 1 / 24, "d": 1, "w": 7}
_MONDAY = 3  # days before 1970-01-01, a Thursday
_NAMES = {"min": "minute", "h": "hour", "d": "day", "w": "week", "M": "month", "Q": "quarter",
          "Y": "year"}  # fmt: skip
_SAME = 1e-9  # share of a unit; smaller differences are rounding errors


@dataclass(frozen=True)
class Span:
    """A length of time by the calendar, such as 3 months.

    Parameters
    ----------
    count : int
        Number of units.
    unit : {"min", "h", "d", "w", "M", "Q", "Y"}
        Minute, hour, day, week, month, quarter or year.

    Examples
    --------
    >>> str(Span.read("3M", "window")), Span(1, "M").before(31.0)  # 1970-02-01
    ('3 months', 0.0)
    """

    count: int
    unit: str

    def __str__(self) -> str:
        return times(self.count, _NAMES[self.unit])

    @classmethod
    def read(cls, text: str, what: str) -> Span:
        """Return the span written as a text such as 7d, 1M or 2Y, or raise."""
        match = re.fullmatch(r"([1-9]\d{0,8}) ?([a-zA-Z]+)", text.strip())
        units = {"y": "Y", "q": "Q", "D": "d", "W": "w", "H": "h"}
        unit = units.get(match[2], match[2]) if match else ""
        if not match or unit not in _NAMES:
            raise InvalidArgumentError(
                f"{what} must be a length of time or a number; got {text!r}. Write 90min, "
                "12h, 7d, 2w, 1M (a month), 1Q, 2Y, or a number without a unit."
            )
        return cls(int(match[1]), unit)

    def before(self, moment: float) -> float:
        """Return the moment one span before another moment, both in days since 1970-01-01."""
        if self.unit in _DAYS:
            return moment - self.count * _DAYS[self.unit]
        months = pd.DateOffset(months=self.count * _MONTHS[self.unit])
        day = np.floor(moment)
        start = pd.Timestamp(1970, 1, 1)
        then: pd.Timestamp = start + pd.Timedelta(days=day) - months
        return float((then - start) / pd.Timedelta(days=1) + moment - day)

    def numbers(self, days: Floats) -> Ints:
        """Return the number of the calendar span of each moment; weeks start on Monday."""
        if self.unit in _MONTHS:
            months = np.floor(days).astype("datetime64[D]").astype("datetime64[M]")
            units = months.astype(np.int64) // _MONTHS[self.unit]
        else:
            shift = _MONDAY if self.unit == "w" else 0
            units = np.floor((days + shift) / _DAYS[self.unit] + _SAME).astype(np.int64)
        return np.asarray(units // self.count)


@dataclass(frozen=True, eq=False)
class TimeColumn:
    """Time of each row.

    Parameters
    ----------
    name : str
        What the column is called.
    values : ndarray of shape (n_samples,), float64
        Days since 1970-01-01, or numbers that grow with time.
    is_date : bool
        Whether the values are days.
    """

    name: str
    values: Floats
    is_date: bool

    @classmethod
    def of(cls, name: str, column: Any, role: str = "") -> TimeColumn:
        """Return the times in a column.

        Parameters
        ----------
        name : str
            Name of the column.
        column : ndarray, pandas Series or narwhals Series of shape (n_samples,)
            Dates, or numbers.
        role : str, optional
            Role of the column if its type does not show it.

        Raises
        ------
        InvalidArgumentError
            If the column holds anything else, or a time is missing.
        """
        role = role or described_role(column, f"time ({name!r})")
        if role not in (DATE, NUMERIC):
            raise InvalidArgumentError(
                f"time must be a column of dates, times or numbers; got {name!r}, which is {role}. "
                "Name another column, or say how its dates are written (--date-format; in a frame "
                "pandas.to_datetime)."
            )
        values = column_numbers(column)
        n_missing = int(np.isnan(values).sum())
        if n_missing:
            raise InvalidArgumentError(
                f"time must be known in every row; got {times(n_missing, 'row')} without in "
                f"{name!r}. Leave these rows out of the file."
            )
        return cls(name, values, role == DATE)

    def taken(self, rows: Ints) -> TimeColumn:
        """Return the times of some rows."""
        return TimeColumn(self.name, self.values[rows], self.is_date)

    def text(self, value: float) -> str:
        """Return a time as text: a date, with the time of day if the times have one."""
        if not self.is_date:
            return f"{value:.10g}"
        moment = (pd.Timestamp(1970, 1, 1) + pd.Timedelta(days=value)).round("s")
        has_times = bool((np.mod(self.values, 1) > 0).any())
        return str(moment.strftime("%Y-%m-%d %H:%M" if has_times else "%Y-%m-%d"))
