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

_WHOLE_NUMBER = re.compile(r"[+-]?\d{1,18}")
_ZERO_PADDED = re.compile(r"0\d+")
_ISO_DATE = re.compile(r"\d{4}-\d\d-\d\d([T ]\d\d:\d\d.*)?")
_DATE_ORDERS = (
    ("day.month.year", re.compile(r"(?P<d>\d\d?)\.(?P<m>\d\d?)\.(?P<y>\d{4})")),
    ("day/month/year", re.compile(r"(?P<d>\d\d?)/(?P<m>\d\d?)/(?P<y>\d{4})")),
    ("month/day/year", re.compile(r"(?P<m>\d\d?)/(?P<d>\d\d?)/(?P<y>\d{4})")),
    ("day-month-year", re.compile(r"(?P<d>\d\d?)-(?P<m>\d\d?)-(?P<y>\d{4})")),
    ("month-day-year", re.compile(r"(?P<m>\d\d?)-(?P<d>\d\d?)-(?P<y>\d{4})")),
    ("year/month/day", re.compile(r"(?P<y>\d{4})/(?P<m>\d\d?)/(?P<d>\d\d?)")),
)
EPOCH = datetime.datetime(1970, 1, 1, tzinfo=datetime.UTC)


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
    return words in BOOLEAN_PAIRS


def date_orders(texts: Iterable[str]) -> dict[str, Mapping[str, float]]:
    """Return, for each order of day, month and year that fits all texts, the days.

    Days are counted from 1970-01-01, times of day as fractions (UTC where the text
    tells its offset). More than one key: the order is ambiguous.
    """
    known = list(texts)
    readers: dict[str, Callable[[str], float | None]] = {"year-month-day": _iso_days}
    for name, pattern in _DATE_ORDERS:
        readers[name] = functools.partial(_ordered_days, pattern=pattern)
    results: dict[str, Mapping[str, float]] = {}
    for name, read in readers.items():
        days = _read_all(known, read)
        if days:
            results[name] = days
    return results


def read_date(text: str) -> float | None:
    """Return the days since 1970-01-01 by the first order that fits, day first, or None."""
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
    if moment.tzinfo is None:
        moment = moment.replace(tzinfo=datetime.UTC)
    return (moment - EPOCH) / datetime.timedelta(days=1)


def _ordered_days(text: str, pattern: re.Pattern[str]) -> float | None:
    match = pattern.fullmatch(text)
    if not match:
        return None
    year, month, day = (int(match[part]) for part in "ymd")
    try:
        return float(datetime.date(year, month, day).toordinal() - EPOCH.toordinal())
    except ValueError:
        return None
