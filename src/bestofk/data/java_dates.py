"""Dates written by the patterns of Java's SimpleDateFormat, as in ARFF files."""

from __future__ import annotations

import datetime
import re
from collections.abc import Callable, Iterator, Mapping

_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_PARTS = re.compile(
    r"'((?:[^']|'')*)'|(?P<letters>(?P<letter>[A-Za-z])(?P=letter)*)|(.)", re.DOTALL
)
_FIRST_YEAR_OF_TWO_DIGITS = 1946  # as Java has it in 2026; there it is always 80 years ago
_NUMBERS = {
    "y": "year", "M": "month", "d": "day", "H": "hour", "k": "hour", "h": "half_hour",
    "K": "half_hour", "m": "minute", "s": "second", "S": "millisecond",
}  # fmt: skip
_WORDS = {
    "M": "(?P<month>jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?"
    "|sep(?:tember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)",
    "E": "(?:(?:mon|tues?|wed(?:nes)?|thu(?:rs)?|fri|sat(?:ur)?|sun)(?:day)?)",
    "a": "(?P<half>am|pm)",
    **dict.fromkeys("zZX", r"(?P<zone>(?:gmt|utc)?[+-]\d\d:?\d\d|gmt|utc|z)"),
}  # fmt: skip


def java_date_reader(form: str) -> Callable[[str], datetime.datetime] | None:
    """Return a reader of dates of a pattern; None if the pattern is not supported.

    Supported are year, month, day, hour, minute, second, millisecond, weekday, half of the day and
    offset (letters yMdHkhKmsSEazZX).  As in Java, text after the date is ignored, a year of
    two digits lies between 80 years ago and 20 years ahead, and omitted parts are those of
    1970-01-01 00:00.  The calendar is always Gregorian.  The reader raises ValueError for a text
    that is not such a date.

    Examples
    --------
    >>> java_date_reader("dd/MMM/yyyy h:mm a")("31/jan/2020 12:05 PM")
    datetime.datetime(2020, 1, 31, 12, 5)
    """
    try:
        pattern = re.compile("".join(_pattern_parts(form)), re.IGNORECASE)
    except (KeyError, re.error):  # an unknown letter, or the same part twice
        return None

    def read(text: str) -> datetime.datetime:
        match = pattern.match(text)
        if match is None:
            raise ValueError(text)
        return _moment(match.groupdict(), has_short_year="y" in form and "yyy" not in form)

    return read


def _pattern_parts(form: str) -> Iterator[str]:
    parts = list(_PARTS.finditer(form))
    for part, following in zip(parts, [*parts[1:], None], strict=True):
        letter, letters = part["letter"], part["letters"]
        if letter is None:
            literal = part[1] if part[1] is not None else part[4]
            yield re.escape(literal.replace("''", "'") or "'")
        elif letter in _WORDS and (letter != "M" or len(letters) > 2):
            yield _WORDS[letter]
        else:  # as many digits as letters where the next number follows at once
            is_joined = following is not None and following["letter"] in _NUMBERS
            start, digits = ("", rf"\d{{{len(letters)}}}") if is_joined else (r"[ \t]*", r"\d+")
            yield rf"{start}(?P<{_NUMBERS[letter]}>{digits})"


def _moment(parts: Mapping[str, str | None], *, has_short_year: bool) -> datetime.datetime:
    """Return the moment given by the parts of a date, in UTC if they include an offset."""
    year, month = parts.get("year") or "1970", parts.get("month") or "1"
    years = int(year)
    if has_short_year and len(year) == 2:
        years += 1900 if 1900 + years >= _FIRST_YEAR_OF_TWO_DIGITS else 2000
    hour, minute, second, millisecond = (
        int(parts.get(part) or 0) for part in ("hour", "minute", "second", "millisecond")
    )
    if (half_hour := parts.get("half_hour")) is not None:
        if int(half_hour) > 12:
            raise ValueError(half_hour)
        hour = int(half_hour) % 12 + 12 * ((parts.get("half") or "am").casefold() == "pm")
    moment = datetime.datetime(
        years,
        int(month) if month.isdecimal() else _MONTHS.index(month[:3].casefold()) + 1,
        int(parts.get("day") or 1),
        hour,
        minute,
        second,
        millisecond * 1000,
    )
    offset = re.search(r"([+-])(\d\d):?(\d\d)", parts.get("zone") or "+0000")
    if offset:
        minutes = 60 * int(offset[2]) + int(offset[3])
        moment -= datetime.timedelta(minutes=-minutes if offset[1] == "-" else minutes)
    return moment
