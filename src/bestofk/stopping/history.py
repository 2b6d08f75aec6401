"""Stopping history of an adaptive comparison: interim analyses and eliminations."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass


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
        Chance that a learner is eliminated although the long run would name it in place of the
        leader, all analyses and learners taken together.
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
