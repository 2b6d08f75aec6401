"""What does Ctrl-C mean while runs are done: end after what is finished, and lose nothing."""

from __future__ import annotations

import contextlib
import signal
import threading
from collections.abc import Callable, Iterator
from typing import Any


@contextlib.contextmanager
def noted_interrupts() -> Iterator[Callable[[], None]]:
    """Give a function that raises the KeyboardInterrupt of a Ctrl-C which somebody swallowed.

    An interrupt that falls into a destructor, or into code that catches everything, is lost;
    here it is remembered.  Outside the main thread nothing is changed.
    """
    noted = False
    before = signal.getsignal(signal.SIGINT)

    def note(number: int, frame: Any) -> None:
        nonlocal noted
        noted = True
        assert callable(before)
        before(number, frame)

    def check() -> None:
        if noted:
            raise KeyboardInterrupt

    if threading.current_thread() is not threading.main_thread() or not callable(before):
        yield check
        return
    signal.signal(signal.SIGINT, note)
    try:
        yield check
    finally:
        signal.signal(signal.SIGINT, before)


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
