"""Base of the displays of evidence, and checks of what they are given."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable
from typing import Protocol, Self

import numpy as np
from numpy.typing import ArrayLike

from bestofk.array_types import Floats
from bestofk.errors import InvalidArgumentError
from bestofk.report.findings import Findings
from bestofk.trees.display import Display

__all__ = ["Display", "FindingsDisplay", "finite_list", "name_list"]


class HasFindings(Protocol):
    """A comparison, as far as displays need it."""

    @property
    def findings(self) -> Findings:
        """The plain numbers and sentences of its report."""


class FindingsDisplay(Display):
    """Base of displays that are made from the findings of a comparison."""

    @classmethod
    @abstractmethod
    def from_findings(cls, findings: Findings) -> Self:
        """Take what is drawn from findings."""

    @classmethod
    def from_comparison(cls, comparison: HasFindings) -> Self:
        """Take what is drawn from the findings of a comparison.

        Parameters
        ----------
        comparison : Comparison
            Result of `bestofk.compare`.

        Returns
        -------
        Display
        """
        return cls.from_findings(comparison.findings)


def finite_list(values: ArrayLike, what: str) -> Floats:
    """Return numbers as a list of floats, or raise.

    Parameters
    ----------
    values : array-like of float
        In one dimension.
    what : str
        Their name in the error message.

    Returns
    -------
    ndarray of float

    Raises
    ------
    InvalidArgumentError
        If there is none, or one of them is nan or infinite.
    """
    array = np.asarray(values, dtype=float)
    if array.ndim != 1 or not len(array) or not np.isfinite(array).all():
        raise InvalidArgumentError(
            f"{what} must be a list of finite numbers; got {array.tolist()!r}. "
            "Leave out what is missing."
        )
    return array


def name_list(names: Iterable[str], count: int, what: str, *, at_least: int = 1) -> list[str]:
    """Return names of learners, or raise if there is not one for each.

    Parameters
    ----------
    names : iterable of str
        Different from each other.
    count : int
        How many there must be.
    what : str
        What there are that many of, for the error message.
    at_least : int, default=1
        The fewest that can be compared.

    Returns
    -------
    list of str

    Raises
    ------
    InvalidArgumentError
        If their number is another or too small, or a name stands twice.
    """
    listed = [str(name) for name in names]
    if len(listed) != count or len(set(listed)) < count:
        raise InvalidArgumentError(
            f"names must be {count} different ones, one for each of the {what}; got "
            f"{', '.join(listed) or 'none'}. Name every learner once."
        )
    if count < at_least:
        raise InvalidArgumentError(
            f"names must be at least {at_least} learners; got {count}. There is nothing to compare."
        )
    return listed
