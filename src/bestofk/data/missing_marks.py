"""Texts that mean a missing value, depending on the content of their column.

An empty field is a missing value.  In a column of numbers, of dates, or of yes and no, so are the
usual marks, such as NA, none and -.  In other columns these may be categories; there only ?, NaN
and the error values of spreadsheets are missing.  In a target of numbers with a few texts, the
texts are missing.
"""

from __future__ import annotations

import shlex
from collections import Counter
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from bestofk.data import text_values
from bestofk.data.columns import as_texts, is_category
from bestofk.data.dates import date_forms
from bestofk.data.file_options import FileOptions
from bestofk.data.number_forms import is_nearly_numbers, numbers_among
from bestofk.data.roles import READ_AS_DATES, listed_texts
from bestofk.data.table import Table
from bestofk.data.written_columns import NumberColumn, TextColumn
from bestofk.errors import InvalidArgumentError
from bestofk.words import times

_READ_ROLES = ("numeric", *READ_AS_DATES)  # columns whose texts are read


@dataclass(frozen=True)
class MissingMarks:
    """Missing values of a table, after every text was decided.

    Parameters
    ----------
    table : Table
        The table in which marks are missing values.
    taken, kept : dict of str to Counter of str
        By column: counts of the texts read as missing values, and of the doubtful texts kept as
        categories.
    """

    table: Table
    taken: Mapping[str, Counter[str]]
    kept: Mapping[str, Counter[str]]

    @classmethod
    def of(
        cls,
        table: Table,
        parts: Mapping[str, str],
        roles: Mapping[str, str],
        options: FileOptions,
    ) -> MissingMarks:
        """Decide which texts of a table are missing values.

        Parameters
        ----------
        table : Table
            The table as read.
        parts, roles : mapping of str to str
            Parts of the columns that are not inputs, and the roles asked for.
        options : FileOptions
            Texts that are missing as asked for.
        """
        columns = dict(table.columns)
        taken: dict[str, Counter[str]] = {}
        kept: dict[str, Counter[str]] = {}
        for name, values in table.columns.items():
            part = parts.get(name, "input")
            if isinstance(values, NumberColumn) and values.n_missing:
                taken[name] = Counter({values.mark: values.n_missing})
            if part == "drop" or isinstance(values, NumberColumn):
                continue
            if not isinstance(values, TextColumn):
                if given := options.marks_of(name):
                    columns[name], taken[name] = _typed(values, given)
                continue
            words, is_text = _words(values, name, options, is_target=part == "target")
            if name in roles and roles[name] not in _READ_ROLES:
                words = set()
            is_text = is_text and roles.get(name) not in _READ_ROLES and part != "weights"
            is_mark = options.is_missing(name, is_text=is_text)
            marks = {text for text in values.texts if is_mark(text)} | words
            columns[name] = values.without(marks)
            counts = {text: count for text, count in values.counts.items() if text in marks}
            taken[name] = Counter(counts | ({"": values.n_missing} if values.n_missing else {}))
            if is_text and not options.marks.keys() & {name, None}:
                rest = ((text, n) for text, n in values.counts.items() if not is_mark(text))
                kept[name] = Counter({text: n for text, n in rest if text_values.is_missing(text)})
        return cls(replace(table, columns=columns), taken, kept)

    def missing_words(self, name: str) -> str:
        """Return words on what was read as missing in a column; empty if nothing was."""
        counts = self.taken.get(name, Counter())
        return listed_texts(counts).replace("''", "an empty field") if counts else ""

    def ask(self, target: str) -> None:
        """Raise if a text of the target may be either a class or a missing value."""
        kept = self.kept.get(target, Counter())
        asked = Counter({text: n for text, n in kept.items() if text_values.is_asked_about(text)})
        if asked:
            certain = [text for text in self.taken[target] if text]
            marks = [*asked, *certain]
            raise InvalidArgumentError(
                f"target {target!r} must have one reading of {listed_texts(asked)}; got texts that "
                f"may be classes or missing values. {_option(target, marks)} makes "
                f"them missing, {_option(target, certain)} keeps them as classes (in Python "
                f"missing={{{target!r}: {marks}}} or {{{target!r}: {certain}}})."
            )

    def notes(self) -> list[str]:
        """Return a sentence on texts read as missing, and one for each doubtful column."""
        total: Counter[str] = sum(self.taken.values(), Counter())
        sentences = [f"Taken as missing: {_listed(total)}."] if total else []
        for name, counts in self.kept.items():
            if counts:
                marks = (*counts, *(text for text in self.taken[name] if text))
                sentences.append(
                    f"Counted as categories of {name!r}: {listed_texts(counts)}; "
                    f"{_option(name, marks)} makes them missing."
                )
        return sentences


def _typed(values: Any, marks: Collection[str]) -> tuple[Any, Counter[str]]:
    """Return a typed column without the marks asked for, and their counts."""
    texts = as_texts(values)
    counts = Counter({text: n for text, n in texts.counts.items() if text in marks})
    if not counts:
        return values, counts
    kept = values.mask(np.array([text in counts for text in texts.to_list()]))
    return kept.cat.remove_categories(list(counts)) if is_category(values) else kept, counts


def _words(
    values: TextColumn, name: str, options: FileOptions, *, is_target: bool
) -> tuple[set[str], bool]:
    """Return words such as "unknown" among numbers or dates, and whether the column holds texts."""
    is_mark = options.is_missing(name)
    known = Counter({text: n for text, n in values.counts.items() if not is_mark(text)})
    words = text_values.missing_words_among(known)
    rest = Counter({text: n for text, n in known.items() if text not in words})
    numbers = numbers_among(rest)
    if is_target and is_nearly_numbers(rest, numbers):
        return words | (rest.keys() - set(numbers)), False
    if len(numbers) == len(rest) or date_forms(rest):
        return words if rest else set(), bool(words) and not rest
    is_pair = text_values.are_booleans(known) and not is_target
    return set(), not (is_pair or is_nearly_numbers(known, numbers_among(known)))


def _option(column: str, marks: Iterable[str]) -> str:
    """Return the command line option that makes texts of a column missing values."""
    return f"--missing {shlex.quote(column + '=' + ','.join(marks))}"


def _listed(counts: Counter[str]) -> str:
    texts = (f"{text!r} {times(count, 'time')}" for text, count in counts.most_common())
    return ", ".join(texts).replace("'' ", "an empty field ")
