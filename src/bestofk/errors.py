"""Errors and warnings of the package.

Every error says what must hold, what was got instead, and the way out:
``{what} must be {rule}; got {value}. {way out}``.
"""

from __future__ import annotations

from collections.abc import Sequence


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
