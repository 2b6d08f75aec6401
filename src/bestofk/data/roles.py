"""Roles of columns, with the reason for each.

The rules for columns of text (CSV and TSV files), in the order in which they
are tried; "distinct" counts the different values that are present:

==========================================================  ===================
a column whose values ...                                   gets the role
==========================================================  ===================
are all missing                                             drop
are both words of yes/no, true/false, y/n, t/f, ja/nein,    boolean
oui/non, in any case
are whole numbers, some with leading zeros (007)            as texts below
are whole numbers in a column named code, zip, zipcode,     as texts below
postcode or plz
are whole numbers that differ, in a column whose name ends  drop (identifier)
in id, nr, no, number, key, index, idx, uuid, guid or row
are whole numbers that count from 0 or 1 in the first row   drop (identifier)
on, in a column whose name says nothing of time or size
are whole numbers such as 20190131, all of them dates       date
are whole numbers so large that as floats some would be     as texts below
equal
are other numbers in one form                               numeric
are numbers but for a few texts, by the rule of             numeric, the others
`is_nearly_numbers`, none with leading zeros                missing
are dates or times in one form                              date
are texts: more than 20, over half of them distinct, of     text
three words or 30 characters on average
are texts: more than 20, over half of them distinct (codes  drop (identifier, or
and long numbers: all of them)                              a mixture)
are other texts                                             nominal
==========================================================  ===================

An identifier that is the only input is kept.  Formats of numbers and dates, and the columns refused
because two formats fit, are described in `bestofk.data.number_forms` and `bestofk.data.dates`.
A note is added if whole numbers take at most 20 values (they stay numeric).  A warning is added if
the number format was inferred from evidence in the file, if texts among numbers are read as
missing, if a nominal column has more than 50 levels, or more than 20 levels with one or two rows
that are over half of all, if numbers are mixed with texts or written in several formats, and if
values of a column named as an identifier repeat, so that their rows may belong together.
``roles={"column": role}`` overrides every rule.

Learners receive numeric as float64 (int64 if whole and complete); true/false as bool, or as 0 and 1
if values are missing; nominal and other boolean as pandas category with sorted levels; ordinal as
an ordered category, in the order of ``ordinal:low,middle,high``, of numbers or of the source; date,
calendar and number as days since 1970-01-01 (float64, times as fractions of a day); text as texts,
missing ones empty; drop not at all.  Built-in learners use the parts of a date (calendar: all but
year and elapsed time; number: the days alone) and the words of a text.
"""

from __future__ import annotations

import datetime
import re
import shlex
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal  # int() refuses more than 4,300 digits

import numpy as np
import pandas as pd

from bestofk.array_types import Ints
from bestofk.data import text_values
from bestofk.data.dates import COMPACT_DATES, are_compact_dates, date_forms, have_one_date_each
from bestofk.data.number_forms import (
    NEARLY_ALL,
    FileForms,
    WrittenNumbers,
    is_nearly_numbers,
    shown,
)
from bestofk.data.text_values import FEW_VALUES
from bestofk.errors import InvalidArgumentError

NUMBER = "number"  # dates as plain numbers of days
READ_AS_DATES = ("date", "calendar", NUMBER)
ROLES = ("numeric", "nominal", "ordinal", "boolean", *READ_AS_DATES, "text", "drop")

MANY_LEVELS = 50  # levels; more than this are reported

# Free text has at least so many words, or characters, on average.
WORDS_OF_PROSE = 3
_CHARACTERS_OF_PROSE = 30
_SHOWN_TEXTS = 3
READ_BY_WORDS = "free text, read word by word (--role COL=drop leaves it out)"
_IDENTIFIER_NAMES = frozenset(
    ("id", "nr", "no", "number", "key", "index", "idx", "uuid", "guid", "row", "rows", "rownames")
)
# Words in a column name that show that 1, 2, 3 ... measures something.
_QUANTITY_WORDS = frozenset(
    word
    for words in (
        "year years quarter month months week weeks day days hour hours minute minutes second",
        "seconds date time times t period step steps epoch iteration trial generation age ages",
        "dose dosage x y z n count counts amount total sum size length width height depth distance",
        "weight mass volume area level temperature temp pressure speed velocity voltage current",
        "frequency concentration price cost income salary sales value values score rank grade",
        "rating duration angle power energy load rate ratio percent share stage round jahr alter",
        "zeit tag monat woche stunde dosis anzahl menge preis wert",
    )
    for word in words.split()
)
# Names whose last word names the owner of a row: always, or if the values repeat little
# (a number of something else repeats much).
_OWNER_NAMES = frozenset(("id", "uuid", "guid", "patient", "subject", "person", "participant")) | {
    "proband", "user", "customer", "client", "kunde",
}  # fmt: skip
_NUMBER_NAMES = frozenset(("nr", "no", "number", "num", "key"))
_PLACE_NAMES = frozenset(("country", "site", "hospital", "clinic", "school"))
_MOST_REPEATS = 5
_MOST_ROWS_OF_A_CODE = 100
_CODE_NAMES = frozenset(("code", "zip", "plz", "postcode", "zipcode"))
_NUMBERED = re.compile(r"(.*\w)[ _./:#-](\d{1,3})")
_WHOLE = re.compile(r"[+-]?\d+")
_SHORTEST_INEXACT = 16  # digits; longer whole numbers may not be exact as floats
_COUNTING_WORDS = ("number", "num", "n", "count", "no", "anzahl")
_WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+")


@dataclass(frozen=True)
class RoleChoice:
    """A role with its reason, which is a warning if the column may be misread.

    Parameters
    ----------
    role : str
        One of `ROLES`.
    reason : str
        Words that follow the name of the column and a colon.
    is_warning : bool
        Whether the reason belongs to the warnings.
    otherwise : str
        The role of a dropped column if it must be kept as the only input; empty for none.
    """

    role: str
    reason: str
    is_warning: bool = False
    otherwise: str = ""


def choose_role(name: str, counts: Counter[str], forms: FileForms | None = None) -> RoleChoice:
    """Choose the role of a column of text.

    Parameters
    ----------
    name : str
        Name of the column; names such as ``id`` or ``zip`` affect the role.
    counts : Counter of str
        Counts of the different values that are present.
    forms : FileForms or None, default=None
        Number formats of the file; None for a column without a file.

    Returns
    -------
    RoleChoice
        The role by the table above, with its reason.

    Raises
    ------
    InvalidArgumentError
        If the numbers of the column have two readings.

    Examples
    --------
    >>> choose_role("smoker", Counter({"yes": 3, "no": 4})).role
    'boolean'
    >>> choose_role("plz", Counter({"80331": 3, "10115": 4})).role
    'nominal'
    """
    if not counts:
        return RoleChoice("drop", "no value at all; dropped")
    if text_values.are_booleans(counts):
        words = sorted({text.casefold() for text in counts})
        return RoleChoice("boolean", f"the words {' and '.join(words)}; boolean")
    if text_values.are_whole(counts):
        return _choose_for_whole_numbers(name, counts)
    if are_too_long(counts):
        return _choose_for_texts(counts, "whole numbers too long to be exact as floats")
    forms = forms or FileForms({name: counts})
    numbers = forms.numbers_of(name)
    if text_values.is_zero_padded(numbers):
        return _choose_for_texts(counts, "texts, some of them numbers with leading zeros")
    if is_nearly_numbers(counts, numbers) and (written := forms.of(name)):
        return _choose_for_numbers(counts, numbers, written)
    return _choose_for_dates(name, counts) or _choose_for_texts(counts, numbers=numbers)


def group_hint(name: str, n_distinct: int, n_present: int, *, is_input: bool = True) -> str:
    """Return the hint that rows may belong together by a column; empty if there is none.

    Examples
    --------
    >>> group_hint("patient_id", 40, 200).partition(";")[0]
    "Column 'patient_id' is named as an identifier and has 40 different values in 200 rows"
    """
    words = _words(name)
    last = _last_word(name)
    repeat_little = n_distinct > FEW_VALUES and n_present <= _MOST_REPEATS * n_distinct
    is_code = n_distinct <= FEW_VALUES and n_present > _MOST_ROWS_OF_A_CODE * n_distinct
    if is_code and words.isdisjoint(_OWNER_NAMES - {"id"}):
        return ""  # like the identifiers of a few stores
    is_owner = (
        last in _OWNER_NAMES
        or (last in _PLACE_NAMES and FEW_VALUES < n_distinct <= n_present / 2)
        or (last in _NUMBER_NAMES and (repeat_little or not _OWNER_NAMES.isdisjoint(words)))
    )
    if not is_owner or not 1 < n_distinct < n_present:
        return ""
    leave_out = f", else leave it out (--drop {shlex.quote(name)})" if is_input else ""
    what = "a place" if last in _PLACE_NAMES else "an identifier"
    return (
        f"Column {name!r} is named as {what} and has {n_distinct} different values in {n_present} "
        f"rows; if rows with the same value belong together, use it as groups (--groups "
        f"{shlex.quote(name)}){leave_out}."
    )


def numbered_hint(name: str, texts: Sequence[str]) -> str:
    """Return the hint that rows with names such as 309_1 may belong together; empty if none.

    Examples
    --------
    >>> texts = [f"{owner}_{number}" for owner in range(300, 330) for number in (1, 2, 3)]
    >>> numbered_hint("run", texts).partition(";")[0]
    "Column 'run' has names such as '300_1', 30 before the number in 90 rows"
    """
    parts = [match for text in texts if (match := _NUMBERED.fullmatch(text))]
    owners = Counter(match[1] for match in parts)
    counted_on = len(parts) == len(texts) and FEW_VALUES < len(owners) <= len(texts) / 2
    if not counted_on or max(int(part[2]) for part in parts) > 2 * max(owners.values()):
        return ""
    return (
        f"Column {name!r} has names such as {texts[0]!r}, {len(owners)} before the number in "
        f"{len(texts)} rows; if rows with the same name belong together, put the part before the "
        "number in a column and use it as groups (--groups)."
    )


def plain_role(role: str) -> str:
    """Return a role without an order of levels or a form of dates.

    Examples
    --------
    >>> plain_role("ordinal:small,medium,large"), plain_role("date:%d/%m/%Y")
    ('ordinal', 'date')
    """
    kind, colon, _ = role.partition(":")
    return kind if colon and kind in ("ordinal", *READ_AS_DATES) else role


def reading_role(role: str) -> str:
    """Return the role by which a column is read: date for all roles that are made from dates.

    Examples
    --------
    >>> reading_role("calendar:%d/%m/%Y"), reading_role("number"), reading_role("text")
    ('date:%d/%m/%Y', 'date', 'text')
    """
    kind = plain_role(role)
    return "date" + role.removeprefix(kind) if kind in READ_AS_DATES else role


def may_own_rows(name: str) -> bool:
    """Tell whether the name of a column suggests that rows with equal values belong together."""
    return _last_word(name) in _OWNER_NAMES | _NUMBER_NAMES | _PLACE_NAMES


def _last_word(name: str) -> str:
    words = _WORD.findall(name)
    return words[-1].casefold() if words else ""


def _counts_something(name: str) -> bool:
    """Tell whether a name begins with a count, like "number of rooms"."""
    words = [word.casefold() for word in _WORD.findall(name)]
    return len(words) > 1 and words[0] in _COUNTING_WORDS


def _choose_for_numbers(
    counts: Counter[str], numbers: Collection[str], written: WrittenNumbers
) -> RoleChoice:
    reason = str(written.form)
    if written.why:
        samples = written.form.samples(numbers)
        reason += f"{f' ({samples})' if samples else ''}, because {written.why}"
    odd = Counter({text: count for text, count in counts.items() if text not in numbers})
    if odd:
        reason += f' but for {listed_texts(odd)}, taken as missing ("nominal" keeps the texts)'
    return RoleChoice("numeric", f"{reason}; numeric", bool(odd) or not written.is_certain)


def listed_texts(counts: Counter[str]) -> str:
    """Return the most frequent texts, each with its count."""
    texts = [f"{shown(text)} {count}x" for text, count in counts.most_common(_SHOWN_TEXTS)]
    more = len(counts) - _SHOWN_TEXTS
    return ", ".join(texts) + (f" and {more} more" if more > 0 else "")


def are_named_as_codes(name: str) -> bool:
    """Tell whether a column of this name holds codes if its values are whole numbers."""
    return not _CODE_NAMES.isdisjoint(_words(name))


def _words(name: str) -> set[str]:
    return {word.casefold() for word in _WORD.findall(name)}


def _choose_for_whole_numbers(name: str, counts: Counter[str]) -> RoleChoice:
    if text_values.is_zero_padded(counts):
        return _choose_for_texts(counts, "whole numbers with leading zeros, taken as codes")
    if are_named_as_codes(name):
        return _choose_for_texts(counts, "whole numbers in a column named as codes")
    numbers = np.array([int(text) for text in counts], dtype=np.int64)
    if are_too_long(counts):
        return _choose_for_texts(counts, "whole numbers too long to be exact as floats")
    return choose_for_integers(name, numbers, counts.total())


def choose_for_integers(name: str, numbers: Ints, n_present: int) -> RoleChoice:
    """Choose the role of whole numbers that are not codes.

    Parameters
    ----------
    name : str
        Name of the column.
    numbers : ndarray of shape (n,), int64
        The numbers in the order of the rows: all, or the different ones as they first appear.
    n_present : int
        Rows with a value.

    Returns
    -------
    RoleChoice
        Numeric, date, or drop for an identifier.
    """
    smallest, largest = int(numbers.min()), int(numbers.max())
    n_distinct = len(pd.unique(numbers))
    if are_compact_dates(smallest, largest) and date_forms(map(str, pd.unique(numbers).tolist())):
        return RoleChoice("date", f"dates, {COMPACT_DATES}")
    if n_distinct == n_present > 1:
        is_quantity = bool(_QUANTITY_WORDS & _words(name)) or _counts_something(name)
        if _last_word(name) in _IDENTIFIER_NAMES and not _counts_something(name):
            return _identifier("whole numbers that differ, in a column named as an identifier")
        counts_on = smallest in (0, 1) and bool((np.diff(numbers) == 1).all())
        if counts_on and not is_quantity:
            return _identifier("whole numbers that count the rows")
    if n_distinct <= FEW_VALUES:
        return RoleChoice(
            "numeric",
            f'whole numbers with at most {FEW_VALUES} different values; numeric ("nominal" if '
            "they are codes)",
        )
    return RoleChoice("numeric", "whole numbers; numeric")


def with_an_input(choices: Mapping[str, RoleChoice]) -> dict[str, RoleChoice]:
    """Return the choices; if no input is left, columns dropped by a guess are kept."""
    if any(choice.role != "drop" for choice in choices.values()):
        return dict(choices)
    return {
        name: RoleChoice(
            choice.otherwise,
            f"{choice.reason.partition(';')[0]}; kept as {choice.otherwise}, because there is no "
            "other input",
            is_warning=True,
        )
        if choice.otherwise
        else choice
        for name, choice in choices.items()
    }


def are_too_long(counts: Collection[str]) -> bool:
    """Tell whether different whole numbers would be equal as floats."""
    if max(map(len, counts)) < _SHORTEST_INEXACT or not all(map(_WHOLE.fullmatch, counts)):
        return False
    return len({float(text) for text in counts}) < len(set(map(Decimal, counts)))


def _identifier(reason: str, role: str = "numeric") -> RoleChoice:
    reason = f"{reason}; dropped as an identifier (--role COL={role} keeps it)"
    return RoleChoice("drop", reason, otherwise=role)


def _choose_for_dates(name: str, counts: Counter[str]) -> RoleChoice | None:
    forms = date_forms(counts)
    if not forms:
        return _choose_for_mixed_dates(counts)
    if len(forms) > 1:
        text = next(text for text in counts if len({days[text] for days in forms.values()}) > 1)
        readings = " or ".join(f"{_day(days[text])} ({form})" for form, days in forms.items())
        first = next(iter(forms))
        raise InvalidArgumentError(
            f"dates of column {name!r} must have one reading; got {shown(text)}, which is "
            f"{readings}. Say which: --date-format {shlex.quote(f'{name}={first}')} (in Python "
            f"date_format={{{name!r}: {first!r}}}), or --drop {shlex.quote(name)}."
        )
    form = next(iter(forms))
    reason = f"dates, {form}"
    ends = Counter({text: count for text, count in counts.items() if "9999" in text})
    if ends:
        reason += f', among them {listed_texts(ends)}, which often stands for "no end"'
    return RoleChoice("date", reason, bool(ends))


def _day(days: float) -> str:
    moment = datetime.datetime(1970, 1, 1) + datetime.timedelta(days=days)
    return f"{moment:%d %B %Y}".lstrip("0")


def _choose_for_mixed_dates(counts: Counter[str]) -> RoleChoice | None:
    have_one_each = have_one_date_each(counts)
    if have_one_each is None:
        return None
    reason = f"dates in several formats ({shown(min(counts))} and {shown(max(counts))})"
    if have_one_each:
        return RoleChoice("date", reason, is_warning=True)
    reason += ', some of two readings; dropped ("date" reads the day first)'
    return RoleChoice("drop", reason, is_warning=True, otherwise="date")


def _choose_for_texts(
    counts: Counter[str], what: str = "texts", numbers: Collection[str] = ()
) -> RoleChoice:
    n_present, n_distinct = counts.total(), len(counts)
    n_numbers = sum(counts[text] for text in numbers)
    is_mixed = what == "texts" and n_numbers > (1 - NEARLY_ALL) * n_present
    most_kept = n_present / 2 if what.startswith("texts") else n_present - 1
    if what == "texts" and is_free_text(counts, n_present):
        return RoleChoice("text", READ_BY_WORDS)
    if n_present > FEW_VALUES and n_distinct > most_kept:
        if is_mixed:
            reason = f"{_mixture(counts, numbers)}; dropped (--role COL=nominal keeps it)"
            return RoleChoice("drop", reason, is_warning=True, otherwise="nominal")
        if n_distinct == n_present:
            return replace(_identifier(f"{what}, every one different", "nominal"), otherwise="")
        return _identifier(f"{what}, more than half of them different", "nominal")
    if is_mixed:
        reason = f"{_mixture(counts, numbers)}; nominal, each number a level"
        return RoleChoice("nominal", reason, is_warning=True)
    rare = sum(count <= 2 for count in counts.values())
    if n_distinct > MANY_LEVELS or (n_distinct > FEW_VALUES and rare > n_distinct / 2):
        reason = (
            f"{n_distinct} different {what}, {rare} of them in one or two rows each; nominal, "
            "which becomes many columns"
        )
        return RoleChoice("nominal", reason, is_warning=True)
    return RoleChoice("nominal", f"{what}; nominal")


def _mixture(counts: Counter[str], numbers: Collection[str]) -> str:
    """Return words on the texts among numbers, or on the formats of the numbers."""
    odd = Counter({text: count for text, count in counts.items() if text not in numbers})
    if odd:
        return f'numbers mixed with texts ({listed_texts(odd)}; "numeric" takes these as missing)'
    return f"numbers in several formats ({shown(min(counts))} and {shown(max(counts))})"


def is_free_text(texts: Collection[str], n_present: int) -> bool:
    """Tell whether texts are prose: more than 20, most of them different, of three words or more.

    Parameters
    ----------
    texts : collection of str
        The different ones; 30 characters on average count as three words.
    n_present : int
        Rows with a text.

    Examples
    --------
    >>> is_free_text([f"number {n} is up" for n in range(30)], 30), is_free_text(["a b c"], 30)
    (True, False)
    """
    n_distinct = len(texts)
    if n_present <= FEW_VALUES or 2 * n_distinct <= n_present:
        return False
    n_words = sum(len(text.split()) for text in texts)
    return n_words >= WORDS_OF_PROSE * n_distinct or (
        n_words > n_distinct and sum(map(len, texts)) >= _CHARACTERS_OF_PROSE * n_distinct
    )
