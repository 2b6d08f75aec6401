"""Recognition of booleans, whole numbers and missing values in texts.

Functions take the different texts of a column and judge them together: a rule that does not fit
every text does not fit the column.  For other formats of numbers see `bestofk.data.number_forms`.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable

FEW_VALUES = 20  # distinct values: whole numbers with fewer may be codes
# Marks that may mean a missing value in any column.
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
# Only these are missing in a column of texts, where "none", "-" or "NA" may be categories.
_CERTAIN_MARKS = frozenset(
    ("", "?", "nan", r"\n", *(mark for mark in MISSING_MARKS if "#" in mark))
)
# Marks that mean a missing class more often than a class.
_ASKED_MARKS = frozenset(
    ("na", "n/a", "n.a", "n.a.", "n. a.", "<na>", "null", "(null)", ".", "k.a.", "k. a.")
)
_LONGEST_MARK = max(map(len, MISSING_MARKS))
# Words that mean a missing value among numbers or dates; elsewhere they may be categories.
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
# Marks of ticked boxes.
BLANK = "blank"
_TICKS = frozenset(("x", "\u2713", "\u2714", "\u2611", "\u2612"))

_WHOLE_NUMBER = re.compile(r"[+-]?\d{1,18}")
_ZERO_PADDED = re.compile(r"0\d+")


def missing_words_among(texts: Collection[str]) -> set[str]:
    """Return the texts that are words for a missing value, in any case.

    Examples
    --------
    >>> missing_words_among(["1.5", "Unknown"])
    {'Unknown'}
    """
    if MISSING_WORDS.isdisjoint("\n".join(texts).casefold().split("\n")):  # the usual, fast case
        return set()
    return {text for text in texts if text.casefold() in MISSING_WORDS}


def is_missing(text: str) -> bool:
    """Tell whether a text means a missing value."""
    return len(text) <= _LONGEST_MARK and text.casefold() in MISSING_MARKS


def is_certainly_missing(text: str) -> bool:
    """Tell whether a text means a missing value even in a column of texts; "Nan" may be a name."""
    return len(text) <= _LONGEST_MARK and text.casefold() in _CERTAIN_MARKS and text != "Nan"


def is_asked_about(text: str) -> bool:
    """Tell whether a text may be either a class or a missing value."""
    return len(text) <= _LONGEST_MARK and text.casefold() in _ASKED_MARKS


def are_whole(texts: Iterable[str]) -> bool:
    """Tell whether all texts are whole numbers of at most 64 bits."""
    return all(map(_WHOLE_NUMBER.fullmatch, texts))


def is_zero_padded(texts: Iterable[str]) -> bool:
    """Tell whether a whole number is written with leading zeros, like codes."""
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
