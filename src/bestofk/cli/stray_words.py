"""Words of a command line that belong to the option before them, and what to type instead."""

from __future__ import annotations

import difflib
import shlex
from collections.abc import Iterator, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any

from bestofk.errors import InvalidArgumentError

_NEAR = 0.7  # likeness of a misspelled data set


def stray_word(command: Any, arguments: Sequence[str]) -> str:
    """Return the sentence about the first word that is no data and follows an option.

    Parameters
    ----------
    command : click command
        Whose options they are.
    arguments : sequence of str
        Of the whole line.

    Returns
    -------
    str
        Empty where there is none.
    """
    for option, value, words in _followed(command.params, arguments):
        strays = [word for word in words if not _may_be_data(word)]
        if strays:
            return _sentence(option, [*value, *strays], strays)
    return ""


def refuse_stray_word(context: Any) -> None:
    """Refuse a word among the data of a command that belongs to the option before it."""
    if said := stray_word(context.command, context.obj or []):
        raise InvalidArgumentError(said)


def _followed(
    params: Sequence[Any], arguments: Sequence[str]
) -> Iterator[tuple[Any, list[str], list[str]]]:
    """Yield each option with its value and the words up to the next option."""
    options = {flag: param for param in params for flag in param.opts if flag.startswith("-")}
    starts = [i for i, text in enumerate(arguments) if text.partition("=")[0] in options]
    for start, end in pairwise([*starts, len(arguments)]):
        name, equals, text = arguments[start].partition("=")
        option, words = options[name], list(arguments[start + 1 : end])
        if not equals and not option.is_flag:
            text, words = words[0] if words else "", words[1:]
        yield option, [text] if text else [], words


def _may_be_data(word: str) -> bool:
    """Return whether a word is a file or a data set, or misspells one."""
    from bestofk.data import data_set_names
    from bestofk.data.load import is_known_name

    if set(word) & set("/\\.*?") or Path(word).exists() or is_known_name(word):
        return True
    names = [name for name, _ in data_set_names()]
    return bool(difflib.get_close_matches(word, names, n=1, cutoff=_NEAR))


def _sentence(option: Any, typed: Sequence[str], strays: Sequence[str]) -> str:
    name, got = max(option.opts, key=len), " ".join(typed)
    if option.is_flag:
        hint = "; learners are named by --learners" if _is_learner(strays[0]) else ""
        return f"{name} must come without a value; got {got!r} after it. Leave that out{hint}."
    if option.multiple and option.metavar is None:
        return (
            f"{name} must be one word with commas; got {got!r}. "
            f"Write {name} {shlex.quote(','.join(word.strip(',') for word in typed))}."
        )
    if option.multiple:
        lines = " ".join(f"{name} {shlex.quote(word)}" for word in typed)
        return f"{name} must be given once for each value; got {got!r}. Write {lines}."
    way_out = f"A name with blanks goes in quotes. Its help: {option.help}"
    return f"{name} must be one value; got {got!r}. {way_out}"


def _is_learner(word: str) -> bool:
    from bestofk.learners import learner_catalogue

    return word in learner_catalogue(optional=True)
