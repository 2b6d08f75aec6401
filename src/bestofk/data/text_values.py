"""How are numbers, dates, booleans and missing values written as text recognized.

Functions take the different texts of a column and answer for all of them at
once: a rule that does not fit every text does not fit the column.
"""

from __future__ import annotations

import datetime
import functools
import math
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass

MISSING_MARKS = frozenset({"", "?", "na", "n/a", "#n/a", "nan", "null", "none", "-", "."})
BOOLEAN_PAIRS = tuple(
    frozenset(pair.split("/"))
    for pair in ("yes/no", "true/false", "y/n", "t/f", "ja/nein", "oui/non")
)

_POINT_NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?")
_COMMA_NUMBER = re.compile(r"[+-]?(\d+,?\d*|,\d+)([eE][+-]?\d+)?")
_NUMBER_CHARACTERS = frozenset("0123456789+-.eE")  # of them float() reads numbers and no else
_WHOLE_NUMBER = re.compile(r"[+-]?\d{1,18}")
_ZERO_PADDED = re.compile(r"0\d+")
_THOUSANDS = re.compile(r"[+-]?[1-9]\d{0,2},\d{3}")
_AMOUNT = re.compile(
    r"([+\-\u2212]?)\s?([$€£¥]?)\s?([+\-\u2212]?)(\d[\d.,'\u2019\s]*?)\s?([%$€£¥]?)"
)
# Decimal mark and separator of thousands, in the order in which they are tried.
_MARKS = ((".", ""), (",", ""), (".", ","), (",", "."), (".", "'"), (".", " "), (",", " "))

_ISO_DATE = re.compile(r"\d{4}-\d\d-\d\d([T ]\d\d:\d\d.*)?")
_DATE_ORDERS = (
    ("day.month.year", re.compile(r"(?P<d>\d\d?)\.(?P<m>\d\d?)\.(?P<y>\d{4})")),
    ("day/month/year", re.compile(r"(?P<d>\d\d?)/(?P<m>\d\d?)/(?P<y>\d{4})")),
    ("month/day/year", re.compile(r"(?P<m>\d\d?)/(?P<d>\d\d?)/(?P<y>\d{4})")),
    ("day-month-year", re.compile(r"(?P<d>\d\d?)-(?P<m>\d\d?)-(?P<y>\d{4})")),
    ("month-day-year", re.compile(r"(?P<m>\d\d?)-(?P<d>\d\d?)-(?P<y>\d{4})")),
    ("year/month/day", re.compile(r"(?P<y>\d{4})/(?P<m>\d\d?)/(?P<d>\d\d?)")),
)
_EPOCH = datetime.datetime(1970, 1, 1, tzinfo=datetime.UTC)


def is_missing(text: str) -> bool:
    """Tell whether a text stands for a missing value."""
    return text.casefold() in MISSING_MARKS


def read_number(text: str, *, decimal_comma: bool = False) -> float | None:
    """Return the number that a text is, or None."""
    pattern = _COMMA_NUMBER if decimal_comma else _POINT_NUMBER
    value = float(text.replace(",", ".")) if pattern.fullmatch(text) else math.inf
    return value if math.isfinite(value) else None


def has_decimal_comma(texts: Iterable[str]) -> bool:
    """Tell whether all texts are numbers, some of them with a comma for the fraction."""
    known = list(texts)
    return any("," in text for text in known) and all(map(_COMMA_NUMBER.fullmatch, known))


def are_numbers(texts: Iterable[str]) -> bool:
    """Tell whether all texts are numbers with a decimal point or none."""
    known = list(texts)
    if not _NUMBER_CHARACTERS.issuperset("".join(known)):
        return False
    try:
        return all(map(math.isfinite, map(float, known)))
    except ValueError:
        return False


@dataclass(frozen=True)
class NumberForm:
    """How the numbers of a column are written.

    Parameters
    ----------
    decimal : str
        Mark before the fraction: point or comma.
    thousands : str
        What separates groups of three digits: empty, point, comma, apostrophe or blank.
    unit : str
        Sign beside every number or some: empty, % or a sign of a currency.
    """

    decimal: str = "."
    thousands: str = ""
    unit: str = ""

    def read(self, text: str) -> float | None:
        """Return the number that a text is, or None."""
        plain = read_number(text, decimal_comma=self.decimal == ",")
        if plain is not None:
            return plain
        amount = _amount(text)
        if amount is None or amount[2] not in ("", self.unit):
            return None
        sign, digits, _ = amount
        if not _digits_pattern(self.decimal, self.thousands).fullmatch(digits):
            return None
        return float(sign + digits.replace(self.thousands, "").replace(self.decimal, "."))

    def __str__(self) -> str:
        parts = []
        if self.thousands:
            name = {" ": "blanks", "'": "apostrophes"}.get(self.thousands, f"{self.thousands!r}")
            parts.append(f"thousands separated by {name}")
        if self.decimal == ",":
            parts.append("decimal comma")
        if self.unit:
            parts.append(f"the sign {self.unit!r}")
        return f"numbers with {' and '.join(parts)}" if parts else "numbers"


def number_form(texts: Iterable[str]) -> NumberForm | None:
    """Return how all texts are written as numbers, or None where they are not.

    A comma before three digits is a decimal comma where every text has one (a factor of
    1000 changes no learner much), and separates thousands where some have none.
    """
    known = list(texts)
    if are_numbers(known):
        return NumberForm()
    if has_decimal_comma(known):
        is_mixed = any("," not in text for text in known)
        groups = is_mixed and look_like_thousands(known)
        return NumberForm(thousands=",") if groups else NumberForm(decimal=",")
    amounts = []
    for text in known:
        amount = _amount(text)
        if amount is None:
            return None
        amounts.append(amount)
    units = {unit for _, _, unit in amounts if unit}
    if len(units) > 1 or not amounts:
        return None
    for decimal, thousands in _MARKS:
        pattern = _digits_pattern(decimal, thousands)
        if all(pattern.fullmatch(digits) for _, digits, _ in amounts):
            return NumberForm(decimal, thousands, "".join(units))
    return None


def _amount(text: str) -> tuple[str, str, str] | None:
    """Return sign, digits with their separators, and unit of a text; None if it is no number."""
    match = _AMOUNT.fullmatch(text)
    if not match or (match[1] and match[3]) or (match[2] and match[5]):
        return None
    sign = "-" if (match[1] or match[3]) in ("-", "\u2212") else ""
    digits = re.sub(r"\s", " ", match[4]).replace("\u2019", "'")
    return sign, digits, match[2] or match[5]


@functools.cache
def _digits_pattern(decimal: str, thousands: str) -> re.Pattern[str]:
    whole = rf"(\d{{1,3}}({re.escape(thousands)}\d{{3}})+|\d+)" if thousands else r"\d+"
    return re.compile(rf"{whole}({re.escape(decimal)}\d*)?")


def are_whole(texts: Iterable[str]) -> bool:
    """Tell whether all texts are whole numbers that 64 bits hold."""
    return all(map(_WHOLE_NUMBER.fullmatch, texts))


def is_zero_padded(texts: Iterable[str]) -> bool:
    """Tell whether a whole number is written with leading zeros, as codes are."""
    return any(map(_ZERO_PADDED.fullmatch, texts))


def look_like_thousands(texts: Iterable[str]) -> bool:
    """Tell whether every comma is followed by exactly three digits."""
    return all(map(_THOUSANDS.fullmatch, (text for text in texts if "," in text)))


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
    found: dict[str, Mapping[str, float]] = {}
    for name, read in readers.items():
        days = _read_all(known, read)
        if days:
            found[name] = days
    return found


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
    return (moment - _EPOCH) / datetime.timedelta(days=1)


def _ordered_days(text: str, pattern: re.Pattern[str]) -> float | None:
    match = pattern.fullmatch(text)
    if not match:
        return None
    year, month, day = (int(match[part]) for part in "ymd")
    try:
        return float(datetime.date(year, month, day).toordinal() - _EPOCH.toordinal())
    except ValueError:
        return None
