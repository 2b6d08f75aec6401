"""Stopping history of an adaptive comparison, over repeats or over growing training rows."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar


@dataclass(frozen=True)
class Elimination:
    """A learner that was not repeated to the end.

    Parameters
    ----------
    learner : str
        Its name.
    n_repeats : int
        Repeats after which it was eliminated; its evidence rests on those.
    reason : str
        Why, in words.
    is_beaten : bool, default=False
        Whether it is out of the race, so that it cannot be best.
    """

    learner: str
    n_repeats: int
    reason: str
    is_beaten: bool = False


@dataclass(frozen=True)
class StoppingHistory:
    """Stopping history of an adaptive comparison.

    Parameters
    ----------
    n_repeats, max_repeats : int
        Repeats of the learners that stayed to the end, and the most allowed.
    n_folds : int
        Folds of each repeat.
    looks : tuple of int
        Repeats after which an interim analysis was made.
    eliminations : tuple of Elimination
        Learners that were eliminated before, in that order.
    ending : str
        Why it ended, in words.
    is_settled : bool
        Whether the rule was satisfied, rather than repeats or time used up.
    level : float
        Chance of eliminating a learner that the long run would pick in place of the leader, all
        analyses and learners taken together.
    notes : tuple of str
        What the rules said of single learners.
    """

    n_repeats: int
    max_repeats: int
    n_folds: int
    looks: tuple[int, ...]
    eliminations: tuple[Elimination, ...]
    ending: str
    is_settled: bool
    level: float
    notes: tuple[str, ...] = ()

    def splits_asked_for(self, names: Sequence[str], n_splits: int) -> list[int]:
        """Return on how many splits, the first ones, each learner was to be run.

        Parameters
        ----------
        names : sequence of str
            Learners.
        n_splits : int
            Splits of the learners that stayed to the end, or were to when it was interrupted.

        Returns
        -------
        list of int
        """
        limits = {
            elimination.learner: elimination.n_repeats * self.n_folds
            for elimination in self.eliminations
        }
        return [min(limits.get(name, n_splits), n_splits) for name in names]


@dataclass(frozen=True)
class RowElimination:
    """A learner of a large table that was not trained on all rows.

    Parameters
    ----------
    learner : str
        Its name.
    n_rows : int
        Training rows that it got to.
    value : float
        Its value of the deciding measure with those; nan where it has none.
    reason : str
        Why, in words; empty where it was for its seconds.
    is_beaten : bool
        Whether it could no longer win.
    seconds : float
        What the next size would have taken, where it was for that; infinite after a limit.
    """

    learner: str
    n_rows: int
    value: float
    reason: str
    is_beaten: bool = False
    seconds: float = math.nan

    @property
    def explanation(self) -> str:
        """The reason why it was not trained on more rows, to follow a comma."""
        if not self.is_open:
            return f"as it {self.reason}"
        if math.isinf(self.seconds):
            return "because a run reached its limit of time or memory"
        return f"because more rows were forecast to take {self.seconds:,.0f} s"

    @property
    def is_open(self) -> bool:
        """Whether it may still be best: its seconds alone are against it."""
        return not math.isnan(self.seconds)


@dataclass(frozen=True)
class RowsHistory:
    """Eliminations of learners on a large table while training rows grew.

    Parameters
    ----------
    sizes : tuple of int
        Training rows of each step that was finished.
    n_rows, n_all : int
        Training rows that the verdict rests on, and all of them.
    eliminations : tuple of RowElimination
        Learners that were not trained on all rows, in that order.
    ending : str
        Why it ended before; empty where all rows were used.
    n_left : int
        Runs with more rows that were not done, where it ended before; at most so many are needed.
    """

    sizes: tuple[int, ...]
    n_rows: int
    n_all: int
    eliminations: tuple[RowElimination, ...]
    ending: str = ""
    n_left: int = 0

    level: ClassVar[float] = 0.0  # of a race over repeats, which there is none of

    def splits_asked_for(self, names: Sequence[str], n_splits: int) -> list[int]:
        """Return on how many splits each learner was to be run; see `StoppingHistory`."""
        out = {elimination.learner for elimination in self.eliminations}
        return [0 if name in out else n_splits for name in names]

    def reasons(self) -> dict[str, str]:
        """Return why learners take no part in the verdict."""
        return {
            item.learner: f"trained on {item.n_rows:,} rows at most, {item.explanation}"
            for item in self.eliminations
        }
