"""Errors and warnings of the package.

Every error says what must hold, what was got instead, and the way out:
``{what} must be {rule}; got {value}. {way out}``.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable, Sequence

# Characters that make a terminal do something: all controls but the line break and the tab.
_CONTROLS = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")

_MOST_NAMES = 40  # that a message lists


class BestofkError(Exception):
    """Base of all errors that this package raises on purpose."""


class InvalidArgumentError(BestofkError, ValueError):
    """An argument, option or file breaks a rule that the message states."""


class DesignError(BestofkError, ValueError):
    """A procedure cannot be applied to scores that were made this way."""


class StoreError(BestofkError, RuntimeError):
    """A store file is missing, damaged, of another version, or no store at all."""


class ContradictionError(StoreError):
    """Stores have runs of one key with different contents.

    Parameters
    ----------
    sentence : str
        How many, and the way out.
    runs : sequence of str
        Each of the runs, with the stores that have it.
    """

    def __init__(self, sentence: str, runs: Sequence[str]) -> None:
        self.lines = (sentence, *runs)
        super().__init__("\n".join(self.lines))


class RunError(BestofkError, RuntimeError):
    """A learner broke its contract during a run; the message becomes the record."""


class BestofkWarning(UserWarning):
    """Base of all warnings that this package issues."""


def nearest_name(name: str, known: Iterable[str]) -> str:
    """Return the way out for an unknown name: the nearest known one, or all of them.

    Parameters
    ----------
    name : str
        What was asked for.
    known : iterable of str
        What there is.

    Returns
    -------
    str
        A sentence to put at the end of an error message.

    Examples
    --------
    >>> nearest_name("logistik", ["cart", "logistic"])
    "Did you mean 'logistic'? Known: cart, logistic."
    """
    names = list(known)
    more = f" and {len(names) - _MOST_NAMES:,} more" if len(names) > _MOST_NAMES else ""
    close = difflib.get_close_matches(str(name), names, n=1, cutoff=0.5)
    hint = f"Did you mean {close[0]!r}? " if close else ""
    return f"{hint}Known: {', '.join(names[:_MOST_NAMES])}{more}."


def printable(text: str) -> str:
    r"""Return a text whose control characters are spelled, as JSON spells them.

    Names and messages come from files and learners; what a terminal would obey must not reach it.

    Examples
    --------
    >>> printable("a" + chr(27) + "[31mred")
    'a\\u001b[31mred'
    """
    return _CONTROLS.sub(lambda result: f"\\u{ord(result[0]):04x}", text)
