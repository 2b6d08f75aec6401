"""Learners written in one text: names separated by commas, settings in brackets.

``c45(pruning=none),5nn(n_neighbors=9)`` names two learners, ``tuned(svm(C=10),rule=best)`` a tuned
one.  Values are Python literals; none, true and false in any case; words without quotes, which are
texts; and lists and tuples of values.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from bestofk.checks import check_known
from bestofk.errors import InvalidArgumentError
from bestofk.registry import FROM_ABOVE

_WITH_SETTINGS = re.compile(r"\s*([^()]*[^()\s])\s*\((.*)\)\s*", re.DOTALL)
_BARE_WORD = re.compile(r"[A-Za-z_][\w.+\-]*|[1-9]\d*x[1-9]\d*")  # a plan is a call, too
_CONSTANTS = {"none": None, "true": True, "false": False}
_CLOSING = {"(": ")", "[": "]", "{": "}"}
_BEFORE_QUOTE = tuple("=,([{:")  # elsewhere it is an apostrophe
_WAY_OUT = "Write NAME(parameter=value,...), such as 5nn(n_neighbors=9)."
_TUNED = re.compile(r"\s*tuned\s*\((.*)\)\s*", re.DOTALL | re.IGNORECASE)
_OPTIONS = ("space", "inner", "rule", "measure")
_FORM = "Write tuned(NAME,option=value), such as tuned(knn,inner=3)."


@dataclass(frozen=True)
class WrittenLearner:
    """A learner as written: its name, settings that override the catalogue, and its tuning.

    Parameters
    ----------
    base : str
        The text before the brackets.
    settings : mapping of str to value
        Parameters by name; empty without brackets.
    tuning : mapping of str to value, or None
        Parameters of `bestofk.tuning.Tuned`, if the learner is in ``tuned(...)``; else None.
    """

    base: str
    settings: Mapping[str, Any] = field(default_factory=dict)
    tuning: Mapping[str, Any] | None = None

    @classmethod
    def read(cls, text: str) -> WrittenLearner:
        """Return the learner of a text.

        Parameters
        ----------
        text : str
            ``NAME``, ``NAME(parameter=value,...)``, or either in ``tuned(...)``, perhaps with
            options after it.

        Raises
        ------
        InvalidArgumentError
            If settings in brackets are not ``parameter=value``, a value has none of the forms of
            this module, a parameter is given twice, a bracket is not closed, or ``tuned(...)`` is
            empty or holds something other than a learner and options.

        Examples
        --------
        >>> WrittenLearner.read("svm( C=0.5, kernel = poly )")
        WrittenLearner(base='svm', settings={'C': 0.5, 'kernel': 'poly'}, tuning=None)
        >>> str(WrittenLearner.read("tuned( svm(C=10), rule = best )"))
        'tuned(svm(C=10),rule=best)'
        """
        match = _TUNED.fullmatch(text)
        if not match:
            return cls(*_name_and_settings(text))
        first, *rest = split_at_commas(match[1])
        if not first or _TUNED.fullmatch(first) or not all("=" in part for part in rest):
            raise InvalidArgumentError(
                f"tuned(...) must hold a learner, then options; got {text.strip()!r}. {_FORM}"
            )
        _, tuning = _name_and_settings(f"tuned({','.join(rest)})")
        for name in tuning:
            check_known(name, "options of tuned(...)", _OPTIONS, rule="known ones")
        return cls(*_name_and_settings(first), tuning)

    def __str__(self) -> str:
        """Return the text without blanks and with values in one form: the name shown in tables."""
        settings = _pairs(self.settings)
        text = f"{self.base}({','.join(settings)})" if settings else self.base
        if self.tuning is None:
            return text
        return f"tuned({','.join([text, *_pairs(self.tuning)])})"

    def tuned(self, estimator: Any) -> Any:
        """Return the given estimator, tuned if the text says so."""
        return estimator if self.tuning is None else FROM_ABOVE["tuned"](estimator, **self.tuning)


def base_name(text: str) -> str:
    """Return the catalogue name of a written learner.

    Examples
    --------
    >>> base_name("svm(C=10)"), base_name("tuned(svm)")
    ('svm', 'svm')
    """
    return WrittenLearner.read(text).base


def _name_and_settings(text: str) -> tuple[str, dict[str, Any]]:
    match = _WITH_SETTINGS.fullmatch(text)
    if not match:
        if text.count("(") != text.count(")"):
            raise InvalidArgumentError(
                f"brackets of a learner must be closed; got {text.strip()!r}. {_WAY_OUT}"
            )
        return text.strip(), {}
    settings: dict[str, Any] = {}
    for part in filter(None, split_at_commas(match[2])):
        name, equals, value = (piece.strip() for piece in part.partition("="))
        if not (equals and name.isidentifier() and value) or name in settings:
            raise InvalidArgumentError(
                f"settings of learner {match[1]!r} must be parameter=value, each once; got "
                f"{part!r}. {_WAY_OUT}"
            )
        settings[name] = _value(value, part)
    return match[1], settings


def _pairs(settings: Mapping[str, Any]) -> list[str]:
    return [f"{name}={_text(value)}" for name, value in settings.items()]


def split_at_commas(text: str) -> list[str]:
    """Return the parts of a text between commas, ignoring commas in brackets and quotes.

    Examples
    --------
    >>> split_at_commas("c45(pruning=none,min_cases=5), 5nn")
    ['c45(pruning=none,min_cases=5)', '5nn']
    """
    parts, start = [], 0
    for position in _outer_commas(text):
        parts.append(text[start:position].strip())
        start = position + 1
    return [*parts, text[start:].strip()]


def _outer_commas(text: str) -> Iterator[int]:
    open_brackets: list[str] = []
    quote, is_escaped = "", False
    for position, character in enumerate(text):
        if quote:
            is_escaped = not is_escaped and text[position - 1] == "\\"
            quote = "" if character == quote and not is_escaped else quote
        elif character in "'\"" and text[:position].rstrip()[-1:] in _BEFORE_QUOTE:
            quote, is_escaped = character, False
        elif character in _CLOSING:
            open_brackets.append(_CLOSING[character])
        elif open_brackets and character == open_brackets[-1]:
            open_brackets.pop()
        elif character == "," and not open_brackets:
            yield position


def _value(text: str, part: str) -> Any:
    if text.casefold() in _CONSTANTS:
        return _CONSTANTS[text.casefold()]
    try:
        return ast.literal_eval(text)
    except (ValueError, SyntaxError, TypeError, MemoryError, RecursionError):
        pass
    if _BARE_WORD.fullmatch(text):
        return text
    if text[0] + text[-1] in ("[]", "()"):
        items = [_value(item, part) for item in split_at_commas(text[1:-1]) if item]
        return items if text[0] == "[" else tuple(items)
    raise InvalidArgumentError(
        f"values of settings must be numbers, words, texts in quotes, none, true, false or lists "
        f"of them; got {part!r}. {_WAY_OUT}"
    )


def _text(value: Any) -> str:
    """Return a value as text that reads back as the same value."""
    if isinstance(value, list | tuple):
        items = ",".join(map(_text, value))
        return f"[{items}]" if isinstance(value, list) else f"({items}{',' * (len(value) == 1)})"
    is_bare = isinstance(value, str) and _BARE_WORD.fullmatch(value)
    return value if is_bare and value.casefold() not in _CONSTANTS else repr(value)
