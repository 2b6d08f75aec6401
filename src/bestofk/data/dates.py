"""Recognition of dates and times of day in texts.

A form follows `datetime.strptime`: %d is the day, %m the month, %Y and %y the year with four and
two digits, %b the name of the month, %H:%M the time, %V the week (its Monday); %q, an addition, is
the quarter (its first day).  A time may follow a day.  A column holds dates if one form fits all
its texts; if two fit and read them differently, it has two readings.
"""

from __future__ import annotations

import datetime
import functools
import re
import warnings
from collections.abc import Iterable, Mapping

import pandas as pd

DATE_FORMS = (
    "%Y-%m-%d", "%d.%m.%Y", "%d/%m/%Y", "%m/%d/%Y", "%d-%m-%Y", "%m-%d-%Y", "%Y/%m/%d", "%Y.%m.%d",
    "%d.%m.%y", "%d/%m/%y", "%m/%d/%y", "%d-%b-%y", "%d-%b-%Y", "%d %b %Y", "%d. %b %Y", "%d.%b.%Y",
    "%d%b%Y", "%b %d, %Y", "%b %d %Y", "%Y-%m", "%b %Y", "%b-%Y", "%Y%m%d", "%H:%M", "%H:%M:%S",
    "%I:%M%p", "%I:%M:%S%p", "%d de %b de %Y", "%b de %Y", "%Y-W%V", "%YW%V", "%Y-Q%q", "%YQ%q",
    "%Y Q%q", "Q%q %Y", "Q%q/%Y", "Q%q-%Y", "%Y W%V", "%Y %b",
)  # fmt: skip
# In English, German, French, Spanish and Portuguese, in full and abbreviated.
_MONTHS = (
    "jan january januar jänner janvier janv enero ene janeiro|feb february februar février févr "
    "fév febrero fevereiro fev|mar march märz mär mrz mars marzo março|apr april avril avr abril "
    "abr|may mai mayo maio|jun june juni juin junio junho|jul july juli juillet juil julio "
    "julho|aug august août agosto ago|sep sept september septembre septiembre setiembre setembro "
    "set|oct october oktober okt octobre octubre outubro out|nov november novembre noviembre "
    "novembro|dec december dezember dez décembre déc diciembre dic dezembro"
)
_MONTH_OF = {name: n for n, text in enumerate(_MONTHS.split("|"), 1) for name in text.split()}
_MONTH_OF |= {name.translate(str.maketrans("äéûç", "aeuc")): n for name, n in _MONTH_OF.items()}
_MONTH_NAME = rf"(?P<m>(?i:{'|'.join(sorted(_MONTH_OF, key=len, reverse=True))}))\.?"
_DIRECTIVES = {
    "%d": r"(?P<d>\d\d?)",
    "%m": r"(?P<m>\d\d?)",
    "%b": _MONTH_NAME,
    "%B": _MONTH_NAME,
    "%Y": r"(?P<y>\d{4})",
    "%y": r"(?P<y>\d\d)",
    "%H": r"(?P<hour>\d\d?)",
    "%M": r"(?P<minute>\d\d)",
    "%S": r"(?P<second>\d\d)",
    "%I": r"(?P<hour>\d\d?)",
    "%p": r" ?(?P<half>[AaPp])\.?[Mm]\.?",
    "%V": r"(?P<week>\d\d?)",
    "%q": r"(?P<quarter>[1-4])",
}
_TIME_OF_DAY = (
    r"([T ](?P<hour>\d\d?):?(?P<minute>\d\d)(:?(?P<second>\d\d))?( ?(?P<half>[AaPp])[Mm])?)?"
)
_ISO = re.compile(r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d.*")
_FIRST_YEAR_OF_TWO_DIGITS = 1969  # as POSIX reads them: 69 is 1969, 68 is 2068
COMPACT_DATES = "%Y%m%d"
_COMPACT_YEARS = range(1900, 2101)
_EPOCH = datetime.datetime(1970, 1, 1, tzinfo=datetime.UTC)


def day_of(moment: datetime.date) -> float:
    """Return a date or moment as days since 1970-01-01 (UTC)."""
    if not isinstance(moment, datetime.datetime):
        return float(moment.toordinal() - _EPOCH.toordinal())
    if moment.tzinfo is None:
        moment = moment.replace(tzinfo=datetime.UTC)
    return (moment - _EPOCH) / datetime.timedelta(days=1)


def date_forms(texts: Iterable[str]) -> dict[str, Mapping[str, float]]:
    """Return the days of the texts, for each form that fits all of them.

    Days are counted from 1970-01-01, times of day are fractions (UTC if the text has an offset).
    More than one key means several readings.

    Examples
    --------
    >>> list(date_forms(["31/12/2020"])), list(date_forms(["1/2/2020", "3/4/2020"]))
    (['%d/%m/%Y'], ['%d/%m/%Y', '%m/%d/%Y'])
    >>> date_forms(["1970-01-02 12:00"])
    {'%Y-%m-%d': {'1970-01-02 12:00': 1.5}}
    """
    known = list(texts)
    results: dict[str, Mapping[str, float]] = {}
    for form in DATE_FORMS if known else ():
        days = _read_all(known, form)
        if days and days not in results.values():
            results[form] = days
    return results


def have_one_date_each(texts: Iterable[str]) -> bool | None:
    """Tell whether every text fits exactly one form; None if a text fits none.

    Examples
    --------
    >>> have_one_date_each(["2024-01-31", "5.1.2024"]), have_one_date_each(["2024-01-31", "a"])
    (True, None)
    """
    is_certain = True
    for text in texts:
        n_readings = len(date_forms([text]))
        if not n_readings:
            return None
        is_certain &= n_readings == 1
    return is_certain


def read_date(text: str, form: str = "") -> float | None:
    """Return a text as days since 1970-01-01, by a form or the first that fits; None if unreadable.

    A text that fits none is read as pandas reads it, with the day first.
    """
    if form:
        return _read(text, form)
    for days in date_forms([text]).values():
        return days[text]
    return _read_by_pandas(text, format="mixed", dayfirst=True)


def are_compact_dates(smallest: int, largest: int) -> bool:
    """Tell whether whole numbers from one to another may all be dates such as 20190131."""
    return _COMPACT_YEARS.start * 10_000 <= smallest and largest < _COMPACT_YEARS.stop * 10_000


def _read_all(texts: list[str], form: str) -> dict[str, float] | None:
    values: dict[str, float] = {}
    for text in texts:
        value = _read(text, form)
        if value is None:
            return None
        values[text] = value
    return values


def _read(text: str, form: str) -> float | None:
    if form == DATE_FORMS[0] and _ISO.fullmatch(text):
        try:
            return day_of(datetime.datetime.fromisoformat(text))
        except ValueError:
            return None
    pattern = _pattern(form)
    if pattern is None:
        return _read_by_pandas(text, format=form)
    match = pattern.fullmatch(text)
    return _days(match.groupdict()) if match else None


@functools.cache
def _pattern(form: str) -> re.Pattern[str] | None:
    """Return the pattern of a form; None for directives that are left to pandas."""
    parts = re.split(r"(%.)", form)
    if any(part.startswith("%") and part not in _DIRECTIVES for part in parts):
        return None
    if len(set(parts[1::2])) < len(parts[1::2]):
        return None
    text = "".join(_DIRECTIVES.get(part, re.escape(part)) for part in parts)
    if COMPACT_DATES in form:  # no separators, so each part has all its digits
        text = text.replace(r"\d\d?", r"\d\d")
    has_day = {"%d", "%Y", "%y"} & set(parts) and "%d" in parts
    return re.compile(text + _TIME_OF_DAY if has_day and "%H" not in parts else text)


def _days(parts: Mapping[str, str | None]) -> float | None:
    month, year = parts.get("m") or "1", parts.get("y") or "1970"
    number = int(month) if month.isdecimal() else _MONTH_OF[month.casefold()]
    number = 3 * int(parts.get("quarter") or 0) - 2 if parts.get("quarter") else number
    years = int(year)
    if len(year) == 2:
        years += 1900 if 1900 + years >= _FIRST_YEAR_OF_TWO_DIGITS else 2000
    try:
        if week := parts.get("week"):
            return day_of(datetime.date.fromisocalendar(years, int(week), 1))
        moment = datetime.datetime(years, number, int(parts.get("d") or 1), *_clock(parts))
    except ValueError:
        return None
    return day_of(moment)


def _clock(parts: Mapping[str, str | None]) -> tuple[int, int, int]:
    """Return hour, minute and second of a text; an impossible hour (24 or more) if it is wrong."""
    hour, minute, second = (int(parts.get(part) or 0) for part in ("hour", "minute", "second"))
    if half := parts.get("half"):
        hour = hour % 12 + 12 * (half in "pP") if 1 <= hour <= 12 else 24
    return hour, minute, second


def _read_by_pandas(text: str, **options: object) -> float | None:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            moment = pd.to_datetime(text, **options)
    except (ValueError, OverflowError, TypeError):
        return None
    return None if pd.isna(moment) else day_of(moment.to_pydatetime())
