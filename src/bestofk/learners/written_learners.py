"""Learners as written in one text: names with commas between, settings in brackets.

``c45(pruning=none),5nn(n_neighbors=9)`` names two learners, ``tuned(svm(C=10),rule=best)`` a tuned
one.  Values are Python's literals; none, true and false in any case; bare words, which are texts;
and lists and tuples of values.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from bestofk.checks import check_known
from bestofk.errors import InvalidArgumentError
from bestofk.registry import FROM_ABOVE

_WITH_SETTINGS = re.compile(r"\s*([^()]*[^()\s])\s*\((.*)\)\s*", re.DOTALL)
_BARE_WORD = re.compile(r"[A-Za-z_][\w.+\-]*|[1-9]\d*x[1-9]\d*")  # a plan is one, too
_CONSTANTS = {"none": None, "true": True, "false": False}
_CLOSING = {"(": ")", "[": "]", "{": "}"}
_BEFORE_QUOTE = tuple("=,([{:")  # elsewhere it is an apostrophe
_WAY_OUT = "Write NAME(parameter=value,...), as 5nn(n_neighbors=9)."
_TUNED = re.compile(r"\s*tuned\s*\((.*)\)\s*", re.DOTALL | re.IGNORECASE)
_OPTIONS = ("space", "inner", "rule", "measure")
_FORM = "Write tuned(NAME,option=value), as tuned(knn,inner=3)."


@dataclass(frozen=True)
class WrittenLearner:
    """A learner as written: its name, and settings that replace those of the catalogue.

    Parameters
    ----------
    base : str
        What stands before the brackets.
    settings : mapping of str to value
        Parameters by name; none where there are no brackets.
    """

    base: str
    settings: Mapping[str, Any] = field(default_factory=dict)

    @classmethod
    def read(cls, text: str) -> WrittenLearner:
        """Return the learner of a text.

        Parameters
        ----------
        text : str
            ``NAME``, or ``NAME(parameter=value,...)``.

        Raises
        ------
        InvalidArgumentError
            If settings in brackets are not ``parameter=value``, a value is none of the forms
            of this module, a parameter is given twice, or a bracket is not closed.

        Examples
        --------
        >>> WrittenLearner.read("svm( C=0.5, kernel = poly )")
        WrittenLearner(base='svm', settings={'C': 0.5, 'kernel': 'poly'})
        """
        match = _WITH_SETTINGS.fullmatch(text)
        if not match:
            if text.count("(") != text.count(")"):
                raise InvalidArgumentError(
                    f"brackets of a learner must be closed; got {text.strip()!r}. {_WAY_OUT}"
                )
            return cls(text.strip())
        settings: dict[str, Any] = {}
        for part in filter(None, split_at_commas(match[2])):
            name, equals, value = (piece.strip() for piece in part.partition("="))
            if not (equals and name.isidentifier() and value) or name in settings:
                raise InvalidArgumentError(
                    f"settings of learner {match[1]!r} must be parameter=value, each once; got "
                    f"{part!r}. {_WAY_OUT}"
                )
            settings[name] = _value(value, part)
        return cls(match[1], settings)

    def __str__(self) -> str:
        """Return the text without blanks, values in one form: the name shown in tables."""
        pairs = ",".join(f"{name}={_text(value)}" for name, value in self.settings.items())
        return f"{self.base}({pairs})" if pairs else self.base


def split_at_commas(text: str) -> list[str]:
    """Return the parts of a text between commas that stand in no brackets and no quotes.

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
    """Return how a value is written, so that reading gives it back."""
    if isinstance(value, list | tuple):
        items = ",".join(map(_text, value))
        return f"[{items}]" if isinstance(value, list) else f"({items}{',' * (len(value) == 1)})"
    is_bare = isinstance(value, str) and _BARE_WORD.fullmatch(value)
    return value if is_bare and value.casefold() not in _CONSTANTS else repr(value)


class TunedText(NamedTuple):
    """The learner that is tuned, and how.

    Parameters
    ----------
    learner : WrittenLearner
        What stands first in the brackets.
    options : WrittenLearner
        What follows: parameters of `bestofk.tuning.Tuned`.
    """

    learner: WrittenLearner
    options: WrittenLearner

    @classmethod
    def read(cls, text: str) -> TunedText | None:
        """Return the parts of a text; None where it names no tuned learner.

        Raises
        ------
        InvalidArgumentError
            If the brackets are empty, or hold what is no learner or no option.

        Examples
        --------
        >>> str(TunedText.read("tuned( svm(C=10), rule = best )"))
        'tuned(svm(C=10),rule=best)'
        """
        match = _TUNED.fullmatch(text)
        if not match:
            return None
        first, *rest = split_at_commas(match[1])
        if not first or _TUNED.fullmatch(first) or not all("=" in part for part in rest):
            raise InvalidArgumentError(
                f"tuned(...) must hold a learner, and options after it; got {text.strip()!r}. "
                f"{_FORM}"
            )
        options = WrittenLearner.read(f"tuned({','.join(rest)})")
        for name in options.settings:
            check_known(name, "options of tuned(...)", _OPTIONS, rule="known ones")
        return cls(WrittenLearner.read(first), options)

    def __str__(self) -> str:
        """Return the text without blanks."""
        options = str(self.options).removeprefix("tuned").strip("()")
        return f"tuned({self.learner}{',' * bool(options)}{options})"


def base_name(text: str) -> str:
    """Return the name of the catalogue that a written learner begins with.

    Examples
    --------
    >>> base_name("svm(C=10)"), base_name("tuned(svm)")
    ('svm', 'svm')
    """
    written = as_written(text)
    return written.learner.base if isinstance(written, TunedText) else written.base


def as_written(text: str) -> TunedText | WrittenLearner:
    """Return the parts of a text; as a text again, without blanks, they are a name in tables."""
    return TunedText.read(text) or WrittenLearner.read(text)


def as_tuned(estimator: Any, options: dict[str, Any]) -> Any:
    """Return a learner that tunes an estimator."""
    return FROM_ABOVE["tuned"](estimator, **options)
