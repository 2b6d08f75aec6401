"""Interface of recommenders: from a history to the next learner."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence

from bestofk.array_types import Positions
from bestofk.recommendation.history import History
from bestofk.recommendation.loss_time import Window


class Advisor(ABC):
    """Advisor on the next learner to test, for one new data set."""

    @abstractmethod
    def next(self) -> int:
        """Return the position of the learner to test next; each comes once."""

    @abstractmethod
    def tell(self, learner: int, score: float, seconds: float) -> None:
        """Say what the test of a learner gave.

        Parameters
        ----------
        learner : int
            Its position.
        score : float
            What it reached; nan for a test that failed.
        seconds : float
            What the test took, on this machine.
        """


class Recommender(ABC):
    """Recommender, the same for every new data set.

    Attributes
    ----------
    name : str
        As users type it.
    title : str
        As tables and legends print it.
    needs_seconds : bool
        Whether it works on a history with times only.
    needs_window : bool
        Whether the seconds that count change its order.
    """

    name: str
    title: str
    needs_seconds: bool
    needs_window: bool = False

    def weight_of_time(self, history: History, window: Window) -> float | None:
        """Return P of A3R, the weight of time, on a history; None for a method that has none."""
        return None

    @abstractmethod
    def start(self, history: History, default_score: float, window: Window) -> Advisor:
        """Begin on a new data set.

        Parameters
        ----------
        history : History
            Earlier data sets; the new one is not among them.
        default_score : float
            What the new data set gives before any test.
        window : Window
            The seconds that count.

        Returns
        -------
        Advisor
            To be asked until it is exhausted, or time is over.
        """


class FixedOrder(Advisor):
    """Advice that no result changes.

    Parameters
    ----------
    order : sequence of int
        The learners, first to last.
    """

    def __init__(self, order: Sequence[int] | Positions) -> None:
        self._order = [int(learner) for learner in order]
        self._tested: set[int] = set()

    def next(self) -> int:
        """Return the first that was not tested yet."""
        return next(learner for learner in self._order if learner not in self._tested)

    def tell(self, learner: int, score: float, seconds: float) -> None:
        """Note that the learner was tested."""
        self._tested.add(learner)
