"""Forms of the numbers of a text file: decimal mark, separator of thousands, sign.

A form fits a column where it reads every text.  ``3,5`` fits the decimal comma alone,
``1,234,567`` and ``1,234.5`` the decimal point alone.  ``55,425`` fits both, and so does
``1.234``: a column in which every mark stands before a full group of three digits and
behind one to three others has two readings.  The first of these settles it:

1. ``decimal`` or ``thousands``, if given.
2. Other columns of the file with a single reading, if all of them agree.
3. Evidence that points one way.  For a decimal point: a file separated by commas; the sign
   of a currency that goes with it ($, £, ¥, CHF).  For a decimal comma: a file separated by
   semicolons.  For a decimal mark of either kind: a percent sign, or that the mark is a point.  For
   a separator of thousands: a number with the mark that ends in 0 (1,500) next to one without the
   mark (900); neither decimals of fixed length nor decimals without trailing zeros look so (a point
   in a file separated by commas is a decimal point nevertheless).

Otherwise the column is refused.
"""

from __future__ import annotations

import functools
import itertools
import math
import re
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass

from bestofk.data.text_values import FEW_VALUES
from bestofk.errors import InvalidArgumentError

DECIMAL_MARKS = (".", ",")
THOUSANDS_MARKS = (",", ".", "'", " ")
FEW_TEXTS = 3  # at most so many different texts among many numbers mark missing values
NEARLY_ALL = 0.9

_UNIT = "[%$€£¥]|CHF|EUR|USD|GBP"
_UNITS_OF_POINT = frozenset(("$", "£", "¥", "CHF", "USD", "GBP"))
_AMOUNT = re.compile(
    rf"([+\-\u2212]?)\s?({_UNIT})?\s?([+\-\u2212]?)"
    rf"([\d.,][\d.,'\u2019\s]*?(?:[eE][+-]?\d+)?)\s?({_UNIT})?"
)
_NUMBER_CHARACTERS = frozenset("0123456789+-.eE")  # of these, float() reads only numbers
_LONGEST_SHOWN = 40
_SAMPLES = 2
_FEWEST_DIGITS_TO_OVERFLOW = 300
_NAMES = {".": "point", ",": "comma", "'": "apostrophe", " ": "blank"}
_SEPARATED_BY = {",": (".", "commas"), ";": (",", "semicolons")}


@dataclass(frozen=True)
class NumberForm:
    """Number format of a column.

    Parameters
    ----------
    decimal : str
        Mark before the fraction: point or comma.
    thousands : str
        Separator of groups of three digits: empty, point, comma, apostrophe or blank.
    unit : str
        Sign next to some or all numbers: empty, % or a currency.
    """

    decimal: str = "."
    thousands: str = ""
    unit: str = ""

    def read(self, text: str) -> float | None:
        """Return a text as a number, or None."""
        if not self.thousands:
            point = text.replace(self.decimal, ".")
            if (self.decimal == "." or "." not in text) and are_numbers([point]):
                return float(point)
        amount = _amount(text)
        if amount is None or amount[2] not in ("", self.unit):
            return None
        sign, digits, _ = amount
        if not _digits_pattern(self.decimal, self.thousands).fullmatch(digits):
            return None
        value = float(sign + digits.replace(self.thousands, "").replace(self.decimal, "."))
        return value if math.isfinite(value) else None

    def samples(self, texts: Iterable[str]) -> str:
        """Return how two texts that are not plain numbers are read; empty if there are none."""
        read = ((text, self.read(text)) for text in dict.fromkeys(texts))
        changed = (
            f"{text!r} is {value:.15g}"
            for text, value in read
            if value is not None and not (are_numbers([text]) and float(text) == value)
        )
        return ", ".join(itertools.islice(changed, _SAMPLES))

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


@dataclass(frozen=True)
class WrittenNumbers:
    """Number format of a column, and the reason if two formats fit.

    Parameters
    ----------
    form : NumberForm
        The format of the numbers.
    why : str
        Words that follow "because"; empty if a single format fits.
    is_certain : bool
        Whether options or other columns decided, or a single format fits.
    """

    form: NumberForm
    why: str = ""
    is_certain: bool = True


class FileForms:
    """Number formats of the columns of a file.

    Parameters
    ----------
    counts : mapping of str to (mapping of str to int)
        Counts of the different values of each text column.
    separator : str, default=""
        Separator of the columns of the file; empty if unknown.
    decimal : {".", ","} or None, default=None
        Decimal mark that was asked for.
    thousands : {",", ".", "'", " "} or None, default=None
        Separator of thousands that was asked for.

    Raises
    ------
    InvalidArgumentError
        If an option is not one of its marks, or both are the same.
    """

    def __init__(
        self,
        counts: Mapping[str, Mapping[str, int]],
        *,
        separator: str = "",
        decimal: str | None = None,
        thousands: str | None = None,
    ) -> None:
        check_marks(decimal, thousands)
        self._asked = decimal or {",": ".", ".": ","}.get(thousands or "")
        self._separator = separator
        whole = {column: possible_forms(texts) for column, texts in counts.items()}
        are_plain = {column for column, forms in whole.items() if forms == (NumberForm(),)}
        self._numbers = {
            column: texts if column in are_plain else numbers_among(texts)
            for column, texts in counts.items()
        }
        self._fitting = {
            column: whole[column] if column in are_plain else possible_forms(texts)
            for column, texts in self._numbers.items()
        }
        self._proven = {
            column: forms[0].decimal
            for column, forms in self._fitting.items()
            if len(forms) == 1
            and is_nearly_numbers(counts[column], self._numbers[column])
            and any("," in text or "." in text for text in self._numbers[column])
        }

    def numbers_of(self, column: str) -> Collection[str]:
        """Return the texts of a column that are numbers."""
        return self._numbers[column]

    def of(self, column: str) -> WrittenNumbers | None:
        """Return the number format of a column; None if no format fits all numbers.

        Raises
        ------
        InvalidArgumentError
            If two formats fit and nothing decides between them.
        """
        forms = self._fitting[column]
        if not forms:
            return None
        if len(forms) == 1:
            return self._single(column, forms[0])
        decimal, why, is_certain = self._settled(column, forms)
        form = next(form for form in forms if form.decimal == decimal)
        is_usual = form == NumberForm(unit=form.unit)  # a decimal point needs no reason
        return WrittenNumbers(form) if is_usual else WrittenNumbers(form, why, is_certain)

    def _settled(self, column: str, forms: tuple[NumberForm, ...]) -> tuple[str, str, bool]:
        """Return the decimal mark of an ambiguous column, the reason, and if it is certain."""
        if self._asked:
            return self._asked, "that was asked for", True
        proven = set(self._proven.values())
        if len(proven) == 1:
            return proven.pop(), f"column {next(iter(self._proven))!r} uses it", True
        texts = self._numbers[column]
        votes = _votes(texts, forms[0].unit, self._separator)
        if len(votes) != 1:
            raise _two_readings(column, texts, forms)
        decimal, why = votes.popitem()
        return decimal, f"{why}; --decimal or --thousands overrides this", False

    def _single(self, column: str, form: NumberForm) -> WrittenNumbers:
        if self._asked and self._proven.get(column, self._asked) != self._asked:
            return WrittenNumbers(
                form, f"a decimal {_NAMES[self._asked]} does not fit", is_certain=False
            )
        return WrittenNumbers(form)


def possible_forms(texts: Collection[str]) -> tuple[NumberForm, ...]:
    """Return the formats that fit all texts: none, one, or two that read them differently.

    Examples
    --------
    >>> [form.decimal for form in possible_forms(["55,425", "900"])]
    ['.', ',']
    >>> [str(form) for form in possible_forms(["$1,234,567"])]
    ["numbers with thousands separated by ',' and the sign '$'"]
    """
    known = list(texts)
    if not known:
        return ()
    has_mark = any("," in text or "." in text for text in known)
    for decimal, other in ((".", ","), (",", ".")):  # only digits and a decimal mark
        is_plain = decimal == "." or not any("." in text for text in known)
        pointed = known if decimal == "." else [text.replace(decimal, ".") for text in known]
        if is_plain and are_numbers(pointed):
            grouped = _digits_pattern(other, decimal)
            if has_mark and all(grouped.fullmatch(text.lstrip("+-")) for text in known):
                forms = NumberForm(decimal), NumberForm(other, decimal)
                return forms if decimal == "." else forms[::-1]
            return (NumberForm(decimal),)
    amounts = [_amount(text) for text in known]
    if any(amount is None for amount in amounts):
        return ()
    bodies = [amount[1] for amount in amounts if amount]
    units = {amount[2] for amount in amounts if amount and amount[2]}
    if len(units) > 1:
        return ()
    unit = "".join(units)
    fitting = [
        NumberForm(decimal, thousands, unit)
        for decimal in DECIMAL_MARKS
        if (thousands := _fitting_thousands(bodies, decimal)) is not None
    ]
    if not fitting or any(_may_overflow(text) and fitting[0].read(text) is None for text in known):
        return ()
    return tuple(fitting) if has_mark else (fitting[0],)


def is_number(text: str) -> bool:
    """Tell whether a text is a number in any format."""
    return are_numbers([text]) or bool(possible_forms([text]))


def are_numbers(texts: Iterable[str]) -> bool:
    """Tell whether all texts are plain numbers, with a decimal point or without."""
    known = list(texts)
    if not _NUMBER_CHARACTERS.issuperset("".join(known)):
        return False
    try:
        return all(map(math.isfinite, map(float, known)))
    except ValueError:
        return False


def numbers_among(texts: Collection[str]) -> Collection[str]:
    """Return the texts that are numbers in some format, in the order given.

    Parentheses mean a negative number, as in accounting, if some numbers have none.
    """
    numbers = texts if possible_forms(texts) else dict.fromkeys(filter(is_number, texts))
    return () if numbers and all(text.startswith("(") for text in numbers) else numbers


def is_nearly_numbers(counts: Mapping[str, int], numbers: Collection[str]) -> bool:
    """Tell whether a column holds numbers, except for a few texts that mean missing values.

    There must be more than 20 different numbers, or some with a fraction or a separator, which
    codes do not have; the texts must be in at most 10 % of the rows, or, among more than 20
    numbers, be at most three different ones in at most half of the rows.
    """
    n_texts = len(counts) - len(numbers)
    if not numbers or not n_texts:
        return bool(numbers)
    are_many = len(numbers) > FEW_VALUES
    if not are_many and all(map(str.isdecimal, numbers)):
        return False
    n_present = sum(counts.values())
    n_numbers = sum(counts[text] for text in numbers)
    are_few = are_many and n_texts <= FEW_TEXTS and n_numbers >= n_present / 2
    return are_few or n_numbers >= NEARLY_ALL * n_present


def numbers_as_texts(texts: Collection[str]) -> str:
    """Return the first text in quotes if there are many and all are numbers; else ""."""
    if len(texts) <= FEW_VALUES or not all(map(is_number, texts)):
        return ""
    return shown(next(iter(texts)))


def shown(text: str) -> str:
    """Return a text in quotes, shortened if it is long."""
    return repr(text if len(text) <= _LONGEST_SHOWN else text[:_LONGEST_SHOWN] + "...")


def check_marks(decimal: str | None, thousands: str | None) -> None:
    """Raise if a mark asked for is unknown, or both are the same."""
    for name, mark, known in (
        ("decimal", decimal, DECIMAL_MARKS),
        ("thousands", thousands, THOUSANDS_MARKS),
    ):
        if mark is not None and mark not in known:
            marks = ", ".join(map(repr, known))
            raise InvalidArgumentError(f"{name} must be one of {marks}; got {mark!r}.")
    if decimal is not None and decimal == thousands:
        raise InvalidArgumentError(
            f"decimal and thousands must be different marks; got {decimal!r} for both. Leave one "
            "out."
        )


def _amount(text: str) -> tuple[str, str, str] | None:
    """Return sign, digits with their separators, and unit of a text; None if it is not a number."""
    is_in_parentheses = text.startswith("(") and text.endswith(")")
    match = _AMOUNT.fullmatch(text[1:-1] if is_in_parentheses else text)
    if not match or (match[1] and match[3]) or (match[2] and match[5]):
        return None
    if is_in_parentheses and (match[1] or match[3]):
        return None
    is_negative = is_in_parentheses or (match[1] or match[3]) in ("-", "\u2212")
    sign = "-" if is_negative else ""
    digits = re.sub(r"\s", " ", match[4]).replace("\u2019", "'")
    return sign, digits, match[2] or match[5] or ""


@functools.cache
def _digits_pattern(decimal: str, thousands: str) -> re.Pattern[str]:
    group = re.escape(thousands)
    whole = rf"(?:[1-9]\d{{0,2}}(?:{group}\d{{3}})+|\d+)" if thousands else r"\d+"
    mark = re.escape(decimal)
    return re.compile(rf"(?:{whole}(?:{mark}\d*)?|{mark}\d+)(?:[eE][+-]?\d+)?")


def _fitting_thousands(bodies: list[str], decimal: str) -> str | None:
    """Return the separator of thousands that fits all digits, given the decimal mark."""
    for thousands in ("", *(mark for mark in THOUSANDS_MARKS if mark != decimal)):
        if all(map(_digits_pattern(decimal, thousands).fullmatch, bodies)):
            return thousands
    return None


def _may_overflow(text: str) -> bool:
    return len(text) > _FEWEST_DIGITS_TO_OVERFLOW or "e" in text or "E" in text


def _votes(texts: Collection[str], unit: str, separator: str) -> dict[str, str]:
    """Return the decimal marks that the evidence supports, each with the reason."""
    mark = "," if any("," in text for text in texts) else "."
    other = "." if mark == "," else ","
    votes: dict[str, str] = {}
    if separator in _SEPARATED_BY:
        decimal, name = _SEPARATED_BY[separator]
        votes[decimal] = f"the file is separated by {name}"
    if mark == ".":
        votes.setdefault(".", "nothing suggests that points separate thousands")
    if unit == "%":
        votes.setdefault(mark, "percentages are rarely above 1000")
    if unit in _UNITS_OF_POINT:
        votes.setdefault(".", f"{unit} goes with a decimal point")
    bare = [text for text in texts if mark not in text and text.strip("0")]
    padded = [text for text in texts if mark in text and re.search(r"0\D*$", text)]
    if bare and padded and not (mark == "." and separator == ","):  # usual for CSV
        votes.setdefault(other, f"{min(padded)!r} stands next to {min(bare)!r}")
    return votes


def _two_readings(
    column: str, texts: Collection[str], forms: tuple[NumberForm, ...]
) -> InvalidArgumentError:
    mark = "," if any("," in text for text in texts) else "."
    text = min((text for text in texts if mark in text), key=lambda text: (len(text), text))
    readings = {form.decimal: form.read(text) for form in forms}
    as_decimal, as_thousands = readings.pop(mark), readings.popitem()[1]
    name = _NAMES[mark]
    return InvalidArgumentError(
        f"numbers of column {column!r} must have one reading; got {text!r}, which is "
        f"{as_decimal:.15g} if the {name} is a decimal {name}, and {as_thousands:.15g} if it "
        f"separates thousands. Choose one for the whole file: --decimal {mark!r} or --thousands "
        f"{mark!r} (in Python load_data with decimal={mark!r} or thousands={mark!r})."
    )
