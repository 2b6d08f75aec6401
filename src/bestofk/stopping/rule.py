"""Interface of stopping rules for the repeats of one learner."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import ArrayLike

from bestofk.array_types import Bools, Floats
from bestofk.errors import InvalidArgumentError

PROBABILITIES, VALUES = "probabilities", "values"

_MISSING = "{what} of repeat {repeat} are missing, so the rule cannot hold from there on."

_SHAPE_OF_VALUES = (
    "values of a rule state must be one number per repeat; got shape {shape}. "
    "Average the folds of each repeat."
)
_SHAPE_OF_MEANS = (
    "means of a rule state must be of shape (n_repeats, n_rows, n_classes) with n_repeats = "
    "{n_repeats}, as many as there are values, and at least one row and class; got shape {shape}. "
    "Give the class probabilities of all rows in every repeat."
)


@dataclass(frozen=True)
class StoppingRule(ABC):
    """A rule that says after how many repeats one learner is steady.

    It looks at this learner alone, so its answer does not depend on which others are compared.

    Attributes
    ----------
    name : str
        As users write it.
    needs : {"probabilities", "values"}
        What it rests on: class probabilities of all rows, or the score of each repeat.
    """

    name: ClassVar[str]
    needs: ClassVar[str]

    @property
    @abstractmethod
    def title(self) -> str:
        """The rule in words, with its threshold."""

    @abstractmethod
    def start(self) -> RuleState:
        """Return the state of a learner before its first repeat."""


class RuleState(ABC):
    """State of a stopping rule for one learner; made by `StoppingRule.start`.

    What it says depends on the repeats and their order, to the last bit, and not on how many of
    them are handed over at once.

    Attributes
    ----------
    steady_at : int or None
        Number of repeats after which the rule first held; None so far. Later repeats never
        change it.
    note : str
        What a user should know; "" if nothing.
    n_repeats : int
        How many repeats it has seen.
    """

    def __init__(self, threshold: float) -> None:
        self._threshold = threshold  # that the statistic has to reach
        self.steady_at: int | None = None
        self.note = ""
        self.n_repeats = 0
        self._statistics: list[Floats] = []
        self._gap = ""  # a sentence, from the first repeat on that is missing

    @property
    def path(self) -> Floats:
        """The statistic after each repeat, shape (n_repeats,); nan where it is undefined."""
        return np.concatenate([np.empty(0), *self._statistics])

    def add(self, values: ArrayLike, means: ArrayLike | None = None) -> None:
        """Look at the next repeats of the learner, in their order.

        Parameters
        ----------
        values : array-like of shape (n_repeats,), float
            Mean score of each repeat; nan where it is missing.
        means : array-like of shape (n_repeats, n_rows, n_classes), float, or None
            In each repeat, the class probabilities that every row was given (their mean where
            it was tested more than once); nan where they are missing. None if the learner gives
            none.

        Raises
        ------
        InvalidArgumentError
            If the shapes do not fit.
        """
        scores = np.asarray(values, dtype=float)
        if scores.ndim != 1:
            raise InvalidArgumentError(_SHAPE_OF_VALUES.format(shape=scores.shape))
        tables = None if means is None else np.asarray(means, dtype=float)
        if tables is not None and (
            tables.ndim != 3 or len(tables) != len(scores) or 0 in tables.shape[1:]
        ):
            raise InvalidArgumentError(
                _SHAPE_OF_MEANS.format(n_repeats=len(scores), shape=tables.shape)
            )
        if len(scores) == 0:
            return
        statistics, holds = self._follow(scores, tables)
        self._say(self._gap)
        if self.steady_at is None and holds.any():
            self.steady_at = self.n_repeats + int(holds.argmax()) + 1
        self._statistics.append(statistics)
        self.n_repeats += len(scores)

    @abstractmethod
    def _follow(self, values: Floats, means: Floats | None) -> tuple[Floats, Bools]:
        """Return the statistic after each of the repeats, and whether the rule holds there."""

    def _before_gap(self, is_whole: Bools, what: str) -> int:
        """Return how many of the next repeats come before the first gap ever."""
        if self._gap:
            return 0
        if is_whole.all():
            return len(is_whole)
        first = int(is_whole.argmin())
        self._gap = _MISSING.format(what=what, repeat=self.n_repeats + first + 1)
        return first

    def _say(self, sentence: str) -> None:
        """Add a sentence to the note, once."""
        if sentence not in self.note:
            self.note = f"{self.note} {sentence}".strip()
