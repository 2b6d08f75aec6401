"""Errors and warnings of the package.

Every error names the rule, the value that broke it, and a way out:
``{what} must be {rule}; got {value}. {way out}``.
"""

from typing import Any

from bestofk.words import joined_lines


class _Printable:
    """Message whose arguments are a line each, without control characters of names in it."""

    args: tuple[Any, ...]

    def __str__(self) -> str:
        return joined_lines(map(str, self.args))


class BestofkError(_Printable, Exception):
    """Base of all errors that this package raises on purpose."""


class InvalidArgumentError(BestofkError, ValueError):
    """An argument, option or file breaks a rule that the message states."""


class DesignError(BestofkError, ValueError):
    """A procedure cannot be applied to scores that were made this way."""


class StoreError(BestofkError, RuntimeError):
    """A store file is missing, damaged, of another version, or no store at all."""


class ContradictionError(StoreError):
    """Stores hold different contents for the same run.

    Parameters
    ----------
    *lines : str
        How many, and the way out; then each of the runs, with the stores that have it.
    """


class RunError(BestofkError, RuntimeError):
    """A learner broke its contract during a run; the message becomes the record."""


class BestofkWarning(_Printable, UserWarning):
    """Base of all warnings that this package issues."""
