"""Interruption of runs: Ctrl-C and SIGTERM, and the end of a time."""

import contextlib
import math
import os
import signal
import sys
import threading
from collections.abc import Callable, Iterator
from typing import Any

from bestofk.words import seconds

# Name of a thread whose run nothing waits for any more.
GIVEN_UP = "run of bestofk that was given up"


class Interrupts:
    """Signals that have asked for the end of a block."""

    def __init__(self) -> None:
        self._ending: BaseException | None = None  # what a handler raised
        self._seconds_left: Callable[[], float] | None = None

    @property
    def is_asked(self) -> bool:
        """Whether the block shall end."""
        return self._ending is not None

    def check(self) -> None:
        """Raise KeyboardInterrupt if a signal asked for the end."""
        if self.is_asked:
            raise KeyboardInterrupt

    @contextlib.contextmanager
    def finishing(self, seconds_left: Callable[[], float]) -> Iterator[None]:
        """Let runs in progress be finished after a first Ctrl-C, which is answered at once.

        Parameters
        ----------
        seconds_left : callable
            Returns about how long they will take; nan where that is unknown.
        """
        before, self._seconds_left = self._seconds_left, seconds_left
        try:
            yield
        finally:
            self._seconds_left = before

    def note(self, number: int, raised: BaseException) -> None:
        """Remember that a signal has asked for the end; raise KeyboardInterrupt if that is now."""
        is_first, self._ending = self._ending is None, raised
        if is_first and number == signal.SIGINT and self._seconds_left is not None:
            _say_that_it_ends(self._seconds_left())
            return
        raise KeyboardInterrupt from None

    def raise_other(self) -> None:
        """Raise what a handler raised in place of KeyboardInterrupt."""
        if self._ending is not None and not isinstance(self._ending, KeyboardInterrupt):
            raise self._ending


def _say_that_it_ends(seconds_left: float) -> None:
    about = f", about {seconds(seconds_left)}" if 0 < seconds_left < math.inf else ""
    text = f"Stopping after the runs in progress{about}; press Ctrl-C again to stop at once.\n"
    try:
        sys.stderr.write(text)
        sys.stderr.flush()
    except RuntimeError:  # the signal came while something else was written
        os.write(2, text.encode())
    except (OSError, ValueError, AttributeError):
        pass  # there is no standard error


@contextlib.contextmanager
def noted_interrupts() -> Iterator[Interrupts]:
    """Note whether a signal asks for the end of the block, which then raises KeyboardInterrupt.

    An exception that falls into a destructor, or into code that catches everything, is lost;
    here it is remembered.  The signals are Ctrl-C and SIGTERM: both raise KeyboardInterrupt in
    the block, unless runs are to be finished before.  What their handlers raised otherwise is
    raised when the block has ended: it is SystemExit (143, as of a process that was terminated)
    where SIGTERM had no handler.  Outside the main thread nothing is changed.
    """
    interrupts = Interrupts()
    handlers: dict[int, Any] = {}
    process = os.getpid()

    def note(number: int, frame: Any) -> None:
        if os.getpid() != process:  # one that a learner forked, and may want to end
            signal.signal(number, handlers[number])
            signal.raise_signal(number)
            return
        if number == signal.SIGINT:
            interrupts.check()  # the second one
        try:
            if handlers[number] == signal.SIG_DFL:
                sys.exit(128 + number)
            handlers[number](number, frame)
        except BaseException as raised:
            interrupts.note(number, raised)

    if threading.current_thread() is not threading.main_thread():
        yield interrupts
        return
    for item in (signal.SIGINT, signal.SIGTERM):
        handler = signal.getsignal(item)
        if callable(handler) or (item == signal.SIGTERM and handler == signal.SIG_DFL):
            handlers[item] = handler
            signal.signal(item, note)
    try:
        yield interrupts
    finally:
        for number, handler in handlers.items():
            signal.signal(number, handler)
        interrupts.raise_other()


@contextlib.contextmanager
def held_interrupts() -> Iterator[None]:
    """Let processes that are started here never see Ctrl-C: this one decides what it means.

    They inherit the mask of signals; here the signal comes when the block ends.
    """
    if not hasattr(signal, "pthread_sigmask"):  # Windows
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def is_computing() -> bool:
    """Return whether a run that was given up goes on in this process, in compiled code."""
    return any(thread.name == GIVEN_UP for thread in threading.enumerate())
