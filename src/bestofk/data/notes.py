"""Sentences about data; many of one pattern are condensed to one with a count."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

MOST_ALIKE = 5  # sentences that differ only in names and numbers

_SHOWN_NAMES = 12

_NAMES_AND_NUMBERS = re.compile(r"""('(?:[^'\\]|\\.)*+'|"(?:[^"\\]|\\.)*+"|[\d.]*\d)(, )?""")


def condensed(sentences: Iterable[str]) -> tuple[str, ...]:
    """Return the sentences; of more than five of one pattern, only the first with a count.

    Examples
    --------
    >>> condensed(f"Column {i} has no name." for i in range(1, 10_001))
    ('Column 1 has no name; 9,999 notes like this one.',)
    >>> condensed(["Column 1 has no name.", "Two rows are equal."])
    ('Column 1 has no name.', 'Two rows are equal.')
    """
    alike: dict[str, list[str]] = {}
    for sentence in sentences:
        alike.setdefault(re.sub(r"#+", "#", _NAMES_AND_NUMBERS.sub("#", sentence)), []).append(
            sentence
        )
    texts: list[str] = []
    for group in alike.values():
        if len(group) <= MOST_ALIKE:
            texts += group
        else:
            texts.append(f"{group[0].rstrip('.')}; {len(group) - 1:,} notes like this one.")
    return tuple(texts)


def listed(names: Sequence[str]) -> str:
    """Return names in quotes, separated by commas; at most twelve, then the count of others.

    Examples
    --------
    >>> listed(["age", "weight"])
    "'age', 'weight'"
    """
    more = len(names) - _SHOWN_NAMES
    shown = ", ".join(map(repr, names[:_SHOWN_NAMES]))
    return f"{shown} and {more} more" if more > 0 else shown


def named(names: Sequence[str], most: int) -> str:
    """Return the first names, then the count of others.

    Examples
    --------
    >>> named(["cart", "lda", "1nn"], 2)
    'cart, lda and 1 more'
    """
    more = f" and {len(names) - most} more" if len(names) > most else ""
    return ", ".join(names[:most]) + more
