"""Dates, booleans, whole numbers and missing values, recognized as they are written.

Functions take the different texts of a column and answer for all of them at
once: a rule that does not fit every text does not fit the column.  Numbers in other
forms are in `bestofk.data.number_forms`.
"""

from __future__ import annotations

import datetime
import functools
import re
from collections.abc import Callable, Collection, Iterable, Mapping

# Marks that stand for a missing value in any column.
MISSING_MARKS = frozenset(
    mark
    for marks in (
        ("", "?", ".", "..", "...", "-", "--", "---", "\u2013", "\u2014"),
        ("na", "n/a", "n.a", "n.a.", "n. a.", "<na>", "nan", "null", "(null)", "none", r"\n"),
        ("k.a", "k.a.", "k. a.", "k/a", "n.v.", "n. v."),
        ("#n/a", "#nv", "#value!", "#wert!", "#div/0!", "#ref!", "#name?", "#num!", "#null!"),
    )
    for mark in marks
)
_LONGEST_MARK = max(map(len, MISSING_MARKS))
# Words that stand for one among numbers or dates; in other columns they may be a category.
MISSING_WORDS = frozenset(
    word
    for words in (
        ("unknown", "missing", "not available", "not known", "no data", "tbd", "*", "**"),
        ("unbekannt", "fehlt", "fehlend", "keine angabe", "keine daten"),
        ("inconnu", "non disponible", "nd", "n.d.", "n/d", "nc", "n.c.", "nr", "n.r.", "s/o"),
        ("0000-00-00",),
    )
    for word in words
)
BOOLEAN_PAIRS = tuple(
    frozenset(pair.split("/"))
    for pair in ("yes/no", "true/false", "y/n", "t/f", "ja/nein", "oui/non")
)
TRUTH = {"true": True, "false": False}
# Marks of boxes that are ticked or left empty.
BLANK = "blank"
_TICKS = frozenset(("x", "\u2713", "\u2714", "\u2611", "\u2612"))

_WHOLE_NUMBER = re.compile(r"[+-]?\d{1,18}")
_ZERO_PADDED = re.compile(r"0\d+")
_ISO_DATE = re.compile(r"\d{4}-\d\d-\d\d([T ]\d\d:\d\d.*)?")
_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_MONTH_NAME = (
    r"(?P<m>(?i:jan(uary)?|feb(ruary)?|mar(ch)?|apr(il)?|may|june?|july?|aug(ust)?|sept?(ember)?"
    r"|oct(ober)?|nov(ember)?|dec(ember)?))\.?"
)
_FORMS_OF_DATES = {
    "day.month.year": r"(?P<d>\d\d?)\.(?P<m>\d\d?)\.(?P<y>\d{4})",
    "day/month/year": r"(?P<d>\d\d?)/(?P<m>\d\d?)/(?P<y>\d{4})",
    "month/day/year": r"(?P<m>\d\d?)/(?P<d>\d\d?)/(?P<y>\d{4})",
    "day-month-year": r"(?P<d>\d\d?)-(?P<m>\d\d?)-(?P<y>\d{4})",
    "month-day-year": r"(?P<m>\d\d?)-(?P<d>\d\d?)-(?P<y>\d{4})",
    "year/month/day": r"(?P<y>\d{4})/(?P<m>\d\d?)/(?P<d>\d\d?)",
    "day, name of month, year": rf"(?P<d>\d\d?)[ .\-]{{0,2}}{_MONTH_NAME}[ \-]?(?P<y>\d\d(\d\d)?)",
    "name of month, day, year": rf"{_MONTH_NAME} (?P<d>\d\d?),? (?P<y>\d{{4}})",
}
_TIME_OF_DAY = (
    r"([T ](?P<hour>\d\d?):(?P<minute>\d\d)(:(?P<second>\d\d))?( ?(?P<half>[AaPp])[Mm])?)?"
)
# Orders of day, month and year, as roles of columns of dates.
DATE_ORDERS = ("year-month-day", *_FORMS_OF_DATES)
_FIRST_YEAR_OF_TWO_DIGITS = 1969  # as POSIX reads them: 69 is 1969, 68 is 2068
_EPOCH = datetime.datetime(1970, 1, 1, tzinfo=datetime.UTC)


def day_of(moment: datetime.date) -> float:
    """Return a date or moment as days since 1970-01-01 (UTC)."""
    if not isinstance(moment, datetime.datetime):
        return float(moment.toordinal() - _EPOCH.toordinal())
    if moment.tzinfo is None:
        moment = moment.replace(tzinfo=datetime.UTC)
    return (moment - _EPOCH) / datetime.timedelta(days=1)


def missing_words_among(texts: Collection[str]) -> set[str]:
    """Return those of the texts that are words for a missing value, in any case.

    Examples
    --------
    >>> missing_words_among(["1.5", "Unknown"])
    {'Unknown'}
    """
    if MISSING_WORDS.isdisjoint("\n".join(texts).casefold().split("\n")):  # most often, and fast
        return set()
    return {text for text in texts if text.casefold() in MISSING_WORDS}


def is_missing(text: str) -> bool:
    """Tell whether a text stands for a missing value."""
    return len(text) <= _LONGEST_MARK and text.casefold() in MISSING_MARKS


def are_whole(texts: Iterable[str]) -> bool:
    """Tell whether all texts are whole numbers that 64 bits hold."""
    return all(map(_WHOLE_NUMBER.fullmatch, texts))


def is_zero_padded(texts: Iterable[str]) -> bool:
    """Tell whether a whole number is written with leading zeros, as codes are."""
    return any(map(_ZERO_PADDED.fullmatch, texts))


def are_booleans(texts: Iterable[str]) -> bool:
    """Tell whether the texts are both words of a known pair, whatever their case."""
    words: set[str] = set()
    for text in texts:
        words.add(text.casefold())
        if len(words) > 2:
            return False
    return words in BOOLEAN_PAIRS or (BLANK in words and len(words & _TICKS) == 1)


def are_ticks(texts: Iterable[str]) -> bool:
    """Tell whether the texts are one tick, in either case, and the empty text.

    Examples
    --------
    >>> are_ticks(["x", "", "X"]), are_ticks(["x", "y", ""]), are_ticks(["x"])
    (True, False, False)
    """
    words = {text.casefold() for text in texts}
    return len(words) == 2 and "" in words and not _TICKS.isdisjoint(words)


def date_orders(texts: Iterable[str]) -> dict[str, Mapping[str, float]]:
    """Return, for each order of day, month and year that fits all texts, the days.

    Days are counted from 1970-01-01, times of day as fractions (UTC where the text
    tells its offset). More than one key: the order is ambiguous.
    """
    known = list(texts)
    results: dict[str, Mapping[str, float]] = {}
    for name, read in _READERS.items():
        days = _read_all(known, read)
        if days:
            results[name] = days
    return results


def have_one_date_each(texts: Iterable[str]) -> bool | None:
    """Tell whether every text fits one order alone; None where one fits none.

    Examples
    --------
    >>> have_one_date_each(["2024-01-31", "5.1.2024"]), have_one_date_each(["2024-01-31", "a"])
    (True, None)
    """
    is_certain = True
    for text in texts:
        days = {days[text] for days in date_orders([text]).values()}
        if not days:
            return None
        is_certain &= len(days) == 1
    return is_certain


def read_date(text: str, order: str = "") -> float | None:
    """Return the days since 1970-01-01 by an order, or the first that fits, day first, or None."""
    if order:
        return _READERS[order](text)
    for days in date_orders([text]).values():
        return days[text]
    return None


def _read_all(texts: list[str], read: Callable[[str], float | None]) -> dict[str, float] | None:
    values: dict[str, float] = {}
    for text in texts:
        value = read(text)
        if value is None:
            return None
        values[text] = value
    return values


def _iso_days(text: str) -> float | None:
    if not _ISO_DATE.fullmatch(text):
        return None
    try:
        moment = datetime.datetime.fromisoformat(text)
    except ValueError:
        return None
    return day_of(moment)


def _ordered_days(text: str, pattern: re.Pattern[str]) -> float | None:
    match = pattern.fullmatch(text)
    if not match:
        return None
    month, year = match["m"], int(match["y"])
    number = int(month) if month.isdecimal() else _MONTHS.index(month[:3].casefold()) + 1
    if len(match["y"]) == 2:
        year += 1900 if 1900 + year >= _FIRST_YEAR_OF_TWO_DIGITS else 2000
    try:
        moment = datetime.datetime(year, number, int(match["d"]), *_clock(match))
    except ValueError:
        return None
    return day_of(moment)


def _clock(match: re.Match[str]) -> tuple[int, int, int]:
    """Return hour, minute and second of a text; 24 and more, which no day has, where wrong."""
    hour, minute, second = (int(match[part] or 0) for part in ("hour", "minute", "second"))
    if match["half"]:
        hour = hour % 12 + 12 * (match["half"] in "pP") if 1 <= hour <= 12 else 24
    return hour, minute, second


_READERS: Mapping[str, Callable[[str], float | None]] = {"year-month-day": _iso_days} | {
    name: functools.partial(_ordered_days, pattern=re.compile(form + _TIME_OF_DAY))
    for name, form in _FORMS_OF_DATES.items()
}
