"""Blocks of scores, as the examples of baycomp have them.

A block begins with the name of a learner; then each line names a data set and gives its scores in
the order of the splits, with blanks between.
"""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from bestofk.data.text_file import read_text
from bestofk.errors import InvalidArgumentError
from bestofk.score_tables.score_formats.score_format import (
    Columns,
    ScoreFormat,
    ScoreTable,
    SourceTable,
)

_NAME: Final = re.compile(r"\S+")
_ENDINGS: Final = (".txt", ".dat")


def _opens(path: Path) -> bool:
    """Tell whether the first line is one word and the second a word and mostly numbers."""
    if path.suffix.lower() not in _ENDINGS or not path.is_file():
        return False
    with path.open(encoding="utf-8", errors="replace") as file:
        first, second = file.readline(200).strip(), file.readline(200).strip()
    name, *scores = second.split() or [""]
    n_numbers = sum(map(_is_number, scores))
    return bool(
        _NAME.fullmatch(first)
        and len(scores) > 1
        and not _is_number(name)
        and 2 * n_numbers > len(scores)
    )


def _read(source: SourceTable, measure: str | None) -> ScoreTable:
    assert source.path is not None  # files of this form are opened here
    scores: Columns = {name: [] for name in ("dataset", "learner", "repeat", "value")}
    lines: list[int] = []
    seen: dict[tuple[str, str], list[str]] = {}
    repeated = []
    for line, learner, data_set, values in _lines(source.path):
        before = seen.setdefault((learner, data_set), values)
        if values != before:
            raise InvalidArgumentError(
                f"line {line} of {source.path} must be a data set that was not there before; got "
                f"{data_set} again, with other scores. Give the two different names."
            )
        if values is not before:
            repeated.append(data_set)
            continue
        scores["dataset"] += [data_set] * len(values)
        scores["learner"] += [learner] * len(values)
        scores["repeat"] += range(len(values))
        scores["value"] += values
        lines += [line] * len(values)
    notes = [
        f"Data set {name!r} is there twice with the same scores; it counts once."
        for name in dict.fromkeys(repeated)
    ]
    return source.scores(scores, notes, rows=lines, is_in_plan_order=True)


def _lines(path: Path) -> Iterator[tuple[int, str, str, list[str]]]:
    """Return number, learner, data set and scores of each line below the name of a learner."""
    text, _ = read_text(path)
    learner, n_scores = "", 0
    for number, line in enumerate(text.splitlines(), start=1):
        words = line.split()
        if len(words) == 1:
            learner = words[0]
        elif words:
            values = words[1:]
            n_scores = n_scores or len(values)
            wrong = [word for word in values if not _is_number(word)]
            if wrong or len(values) != n_scores:
                raise InvalidArgumentError(
                    f"line {number} of {path} must be a data set and {n_scores} scores; got "
                    f"{repr(wrong[0]) if wrong else f'{len(values)} scores'} for {words[0]}. "
                    "Complete the line."
                )
            yield number, learner, words[0], values


def _is_number(text: str) -> bool:
    return re.fullmatch(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?", text) is not None


FORMAT = ScoreFormat(lambda source: False, _read, opens=_opens)
