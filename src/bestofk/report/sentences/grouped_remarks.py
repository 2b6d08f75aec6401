"""Remarks about single data sets, like ones as one sentence."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from bestofk.inference import Caution
from bestofk.verdict.complete_scores import first_names

# A number that stands alone, not one in a name such as 5nn or n_neighbors=9.
_NUMBER = re.compile(r"(?<![\w=.])\d[\d.,]*(?!\w)")
_QUOTED = re.compile(r"'[^']*'")
_PLURAL = re.compile(r"s\b")
_EXAMPLE = "; repeat "  # before the first of several failures, which says more


def grouped_remarks(about: Mapping[str, Sequence[str]]) -> list[str]:
    """Return one sentence for all remarks that differ only in numbers or quoted names.

    Parameters
    ----------
    about : mapping of str to sequence of str
        Remarks by data set; every data set is named, also one without remarks.

    Returns
    -------
    list of str
        What is about most data sets first. Of several different remarks the one with the largest
        number, and on which data set; cautions keep their code.

    Examples
    --------
    >>> grouped_remarks({"a": ["2 rows are odd."], "b": ["7 rows are odd."], "c": []})
    ['On 2 data sets, most on b: 7 rows are odd.']
    """
    kinds: dict[str, dict[str, str]] = {}
    for data_set, texts in about.items():
        for text in dict.fromkeys(texts):
            kinds.setdefault(_kind(text), {}).setdefault(data_set, text)
    widest_first = sorted(kinds.values(), key=lambda kind: -len(kind))
    return [_sentence(kind, len(about)) for kind in widest_first]


def all_remarks(about: Mapping[str, Sequence[str]]) -> list[str]:
    """Return every different remark, with the data sets that it is about.

    Examples
    --------
    >>> all_remarks({"a": ["Odd."], "b": ["Odd.", "Few."]})
    ['a, b: Odd.', 'b: Few.']
    """
    by_text: dict[str, list[str]] = {}
    for data_set, texts in about.items():
        for text in dict.fromkeys(texts):
            by_text.setdefault(text, []).append(data_set)
    return [f"{', '.join(data_sets)}: {text}" for text, data_sets in by_text.items()]


def _kind(text: str) -> str:
    """Return what is alike in remarks of one kind: no numbers, quoted names, plurals, examples."""
    start = text.partition(_EXAMPLE)[0]
    return _PLURAL.sub("", _NUMBER.sub("#", _QUOTED.sub("''", start)))


def _sentence(kind: Mapping[str, str], n_data_sets: int) -> str:
    """Return the sentence about remarks of one kind, by their data sets."""
    names = list(kind)
    worst = max(names, key=lambda name: _first_number(kind[name]))
    text = kind[worst]
    if len(set(kind.values())) == 1:
        whole = text if len(names) == n_data_sets else f"{first_names(names)}: {text}"
    else:
        is_most = _first_number(text) > min(map(_first_number, kind.values()))
        which = f"most on {worst}" if is_most else f"such as {worst}"
        whole = f"On {len(names)} data sets, {which}: {text}"
    return Caution(text.code, whole) if isinstance(text, Caution) else whole


def _first_number(text: str) -> float:
    match = _NUMBER.search(text)
    return float(match[0].strip(".,").replace(",", "")) if match else 0.0
