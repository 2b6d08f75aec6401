"""Interim analyses, which decide during a comparison which learners are repeated further."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from bestofk.evaluation.evaluation import Evaluation


class InterimAnalysis(ABC):
    """Interim analyses after certain numbers of repeats (looks), which eliminate learners.

    Runs are done up to a look before it is asked, whatever the number of processes, and
    runs that a store has are handed over like new ones: so its answers depend on scores alone.
    """

    @property
    @abstractmethod
    def looks(self) -> Sequence[int]:
        """Numbers of repeats after which it is asked, increasing."""

    @abstractmethod
    def analyse(self, part: Evaluation) -> Sequence[bool]:
        """Take the runs since the last look, and return which learners go on.

        Parameters
        ----------
        part : Evaluation
            The repeats since the last look, of all learners; no records of those that have
            stopped.

        Returns
        -------
        sequence of bool
            One per learner; work ends where none goes on.
        """
