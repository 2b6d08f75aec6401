"""Interface of engines, which do blocks of runs outside this process."""

from abc import ABC, abstractmethod
from collections.abc import Callable
from enum import Enum
from typing import Any, NamedTuple

from bestofk.errors import RunError


class EngineLostError(RunError):
    """Loss of the engine: its scheduler ended, or its pool of workers is broken."""


class _Lost(Enum):
    LOST = "lost"


LOST = _Lost.LOST  # in place of the result of a block whose worker ended before it did


class Done(NamedTuple):
    """Finished block of an engine.

    Parameters
    ----------
    block : object
        As it was submitted.
    result : object
        What the function returned, or `LOST`.
    """

    block: Any
    result: Any


class Engine(ABC):
    """A place where blocks of runs are done; the process that submits them writes the store.

    Attributes
    ----------
    block_seconds : float
        How long a block should take: what it costs to hand one out stays small.
    """

    block_seconds: float = 0.3

    @property
    @abstractmethod
    def n_slots(self) -> int:
        """Number of blocks that are worth submitting at once."""

    @property
    def has_workers(self) -> bool:
        """Whether there are workers; True if that is unknown."""
        return True

    @abstractmethod
    def put(self, blob: bytes) -> Any:
        """Make bytes available to all workers, now and later, and return a handle for them.

        Every worker gets them at most once, and workers that start later get them, too.
        """

    @abstractmethod
    def submit(self, function: Callable[[Any, Any], Any], ref: Any, block: Any) -> None:
        """Hand a block to a worker, which calls ``function(blob, block)``.

        Parameters
        ----------
        function : callable
            Of a module that workers can import.
        ref : object
            What `put` returned; the function gets what `bestofk.evaluation.queue.worker` can read.
        block : object
            Small, and can be pickled.

        Raises
        ------
        EngineLostError
            If there is no engine any more.
        """

    @abstractmethod
    def wait(self, seconds: float) -> list[Done]:
        """Return finished blocks; at least one, unless that takes longer than `seconds`.

        Raises
        ------
        EngineLostError
            If there is no engine any more.
        Exception
            Whatever the function raised.
        """

    def hold_back(self) -> None:
        """Cancel blocks that no worker has started, as lost; unknown in this base class."""
        return

    @abstractmethod
    def drop(self) -> None:
        """Drop all submitted blocks; others can be submitted afterwards."""

    @abstractmethod
    def close(self) -> None:
        """Drop all submitted blocks, and end what was started for this engine."""
