"""Which role does a column play, and why.

The rules for columns of text (CSV and TSV files), in the order in which they
are tried; "distinct" counts the different values that are present:

==========================================================  ===================
a column whose values ...                                   gets the role
==========================================================  ===================
are all missing                                             numeric, empty
are both words of yes/no, true/false, y/n, t/f, ja/nein,    boolean
oui/non, in any case
are whole numbers, some with leading zeros (007)            as texts below
are whole numbers in a column named code, zip, zipcode,     as texts below
postcode or plz
are whole numbers, all distinct or above 20 and nearly      drop (identifier)
all distinct (90 %), in a column named id, nr, no, number,
num, key, index, idx, uuid, guid or row
are whole numbers, more than 20, nearly all distinct, and   drop (identifier)
nearly fill the range from least to largest (90 %)
are other numbers, with decimal point or decimal comma,     numeric
thousands separated, or with one sign (%, $, €, £, ¥)
are dates of one unambiguous order of day, month and year   date
are numbers, more than 20 distinct, but for at most three   numeric, the others
different texts or for 10 %                                 missing
are texts: more than 20, all distinct                       drop (identifier)
are texts: more than 20, over half of them distinct         drop (free text)
are other texts                                             nominal
==========================================================  ===================

A comma before three digits is a decimal comma where every value has one, and
separates thousands where some have none.
Notes are added where whole numbers take at most 20 values (they stay numeric);
warnings where commas before three digits leave a doubt, where a nominal column
has more than 50 levels, or where more than half of its levels have one or two
rows (more than 20 rows), and where 90 % of the values of a text column are
numbers.
Every rule gives way to ``roles={"column": role}``.

What learners receive: numeric as float64 (whole numbers without gaps int64);
nominal and boolean as pandas category, levels sorted; ordinal the same,
ordered; date as days since 1970-01-01 (float64); drop not at all.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass

from bestofk.data import text_values

ROLES = ("numeric", "nominal", "ordinal", "boolean", "date", "drop")

FEW_VALUES = 20  # up to here whole numbers might be codes, and all-distinct proves nothing
FEW_MARKS = 3  # so many different texts among numbers are marks of missing values
MANY_LEVELS = 50  # more levels than this are called many
NEARLY_ALL = 0.9  # share of distinct values of an identifier in a file with repeated rows

_IDENTIFIER_NAMES = frozenset(
    ("id", "nr", "no", "number", "num", "key", "index", "idx", "uuid", "guid", "row")
)
_CODE_NAMES = frozenset(("code", "zip", "plz", "postcode", "zipcode"))
_WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+")


@dataclass(frozen=True)
class RoleChoice:
    """A role with its reason; the reason is a warning where something is to be distrusted.

    Parameters
    ----------
    role : str
        One of `ROLES`.
    reason : str
        Words that follow the name of the column and a colon.
    is_warning : bool
        Whether the reason belongs to the warnings.
    """

    role: str
    reason: str
    is_warning: bool = False


def choose_role(name: str, counts: Counter[str]) -> RoleChoice:
    """Choose the role of a column of text.

    Parameters
    ----------
    name : str
        Name of the column; names such as ``id`` or ``zip`` weigh in.
    counts : Counter of str
        The different values that are present, and how often each occurs.

    Returns
    -------
    RoleChoice
        The role by the table above, with its reason.

    Examples
    --------
    >>> choose_role("smoker", Counter({"yes": 3, "no": 4})).role
    'boolean'
    >>> choose_role("plz", Counter({"80331": 3, "10115": 4})).role
    'nominal'
    """
    if not counts:
        return RoleChoice("numeric", "no value at all", is_warning=True)
    if text_values.are_booleans(counts):
        words = sorted({text.casefold() for text in counts})
        return RoleChoice("boolean", f"the words {' and '.join(words)}; boolean")
    if text_values.are_whole(counts):
        return _choose_for_whole_numbers(name, counts)
    form = text_values.number_form(counts)
    if form is None:
        return (
            _choose_for_dates(counts)
            or _choose_for_marked_numbers(counts)
            or _choose_for_texts(counts)
        )
    if text_values.has_decimal_comma(counts) and text_values.look_like_thousands(counts):
        read = "separators of thousands" if form.thousands else "decimal commas"
        reason = (
            f"numbers with three digits after each comma, read as {read}; if that is wrong, "
            "write them without commas"
        )
        return RoleChoice("numeric", reason, is_warning=True)
    return RoleChoice("numeric", f"{form}; numeric")


def _choose_for_whole_numbers(name: str, counts: Counter[str]) -> RoleChoice:
    words = {word.casefold() for word in _WORD.findall(name)}
    if text_values.is_zero_padded(counts):
        return _choose_for_texts(counts, "whole numbers with leading zeros, taken as codes")
    if words & _CODE_NAMES:
        return _choose_for_texts(counts, "whole numbers in a column named as codes")
    n_present, n_distinct = counts.total(), len(counts)
    nearly_all = n_present > FEW_VALUES and n_distinct >= NEARLY_ALL * n_present
    if words & _IDENTIFIER_NAMES and n_distinct > 1 and (n_distinct == n_present or nearly_all):
        return _identifier("whole numbers that differ, in a column named as an identifier")
    numbers = [int(text) for text in counts]
    if nearly_all and n_distinct >= NEARLY_ALL * (max(numbers) - min(numbers) + 1):
        return _identifier("whole numbers that run through")
    if n_distinct <= FEW_VALUES:
        return RoleChoice(
            "numeric",
            f'whole numbers with at most {FEW_VALUES} different values; numeric ("nominal" if '
            "they are codes)",
        )
    return RoleChoice("numeric", "whole numbers; numeric")


def _identifier(reason: str) -> RoleChoice:
    return RoleChoice("drop", f"{reason}; dropped as an identifier", is_warning=True)


def _choose_for_dates(counts: Counter[str]) -> RoleChoice | None:
    orders = list(text_values.date_orders(counts))
    if not orders:
        return None
    if len(orders) > 1:
        choice = _choose_for_texts(counts)
        reason = (
            f'could be dates, {" or ".join(orders)}; {_outcome(choice.role)} ("date" reads '
            f"them as {orders[0]})"
        )
        return RoleChoice(choice.role, reason, is_warning=True)
    return RoleChoice("date", f"dates, {orders[0]}; fed as days since 1970-01-01")


def _choose_for_marked_numbers(counts: Counter[str]) -> RoleChoice | None:
    """Recognize numbers among which a few texts stand for missing values."""
    odd = [text for text in counts if text_values.number_form([text]) is None]
    numbers = counts.keys() - set(odd)
    is_rare = sum(counts[text] for text in odd) <= (1 - NEARLY_ALL) * counts.total()
    if len(numbers) <= FEW_VALUES or not (is_rare or len(odd) <= FEW_MARKS):
        return None
    if not odd or text_values.number_form(numbers) is None:
        return None
    reason = f'numbers but for texts such as {odd[0]!r}; numeric ("nominal" keeps the texts)'
    return RoleChoice("numeric", reason, is_warning=True)


def _choose_for_texts(counts: Counter[str], what: str = "texts") -> RoleChoice:
    n_present, n_distinct = counts.total(), len(counts)
    if n_present > FEW_VALUES and n_distinct == n_present:
        return _identifier(f"{what}, every one different")
    if n_present > FEW_VALUES and n_distinct > n_present / 2:
        return RoleChoice(
            "drop", f"{what}, more than half of them different; dropped as free text", True
        )
    n_numbers = sum(
        count for text, count in counts.items() if text_values.read_number(text) is not None
    )
    if what == "texts" and n_numbers >= NEARLY_ALL * n_present:
        odd = next(text for text in counts if text_values.read_number(text) is None)
        reason = (
            f'numbers but for texts such as {odd!r}; nominal ("numeric" takes texts as missing)'
        )
        return RoleChoice("nominal", reason, is_warning=True)
    rare = sum(count <= 2 for count in counts.values())
    if n_distinct > MANY_LEVELS or (n_present > FEW_VALUES and rare > n_distinct / 2):
        reason = (
            f"{what}, {n_distinct} levels, {rare} of them in one or two rows; nominal, though "
            "nearly an identifier"
        )
        return RoleChoice("nominal", reason, is_warning=True)
    return RoleChoice("nominal", f"{what}; nominal")


def _outcome(role: str) -> str:
    return "dropped" if role == "drop" else f"taken as {role}"
