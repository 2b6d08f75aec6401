"""Interruption of runs in this process: Ctrl-C, SIGTERM or a time limit."""

from __future__ import annotations

import contextlib
import os
import signal
import sys
import threading
from collections.abc import Callable, Iterator
from typing import Any


@contextlib.contextmanager
def noted_interrupts() -> Iterator[Callable[[], None]]:
    """Give a function that raises KeyboardInterrupt if a signal asked for the end of the block.

    An exception that falls into a destructor, or into code that catches everything, is lost;
    here it is remembered.  The signals are Ctrl-C and SIGTERM: both raise KeyboardInterrupt in
    the block.  What their handlers raised otherwise is raised when the block has ended: it is
    SystemExit (143, as of a process that was terminated) where SIGTERM had no handler.  Outside
    the main thread nothing is changed.
    """
    ending: BaseException | None = None
    handlers: dict[int, Any] = {}
    process = os.getpid()

    def note(number: int, frame: Any) -> None:
        nonlocal ending
        if os.getpid() != process:  # one that a learner forked, and may want to end
            signal.signal(number, handlers[number])
            signal.raise_signal(number)
            return
        try:
            if handlers[number] == signal.SIG_DFL:
                sys.exit(128 + number)
            handlers[number](number, frame)
        except BaseException as raised:
            ending = raised
            raise KeyboardInterrupt from None

    def check() -> None:
        if ending is not None:
            raise KeyboardInterrupt

    if threading.current_thread() is not threading.main_thread():
        yield check
        return
    for item in (signal.SIGINT, signal.SIGTERM):
        handler = signal.getsignal(item)
        if callable(handler) or (item == signal.SIGTERM and handler == signal.SIG_DFL):
            handlers[item] = handler
            signal.signal(item, note)
    try:
        yield check
    finally:
        for number, handler in handlers.items():
            signal.signal(number, handler)
        if ending is not None and not isinstance(ending, KeyboardInterrupt):
            raise ending


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


class _AlarmError(KeyboardInterrupt):
    """Time is over; passes through what catches the errors of learners, as Ctrl-C does."""


@contextlib.contextmanager
def ended_after(seconds: float) -> Iterator[None]:
    """Raise TimeoutError where the block takes longer, as soon as Python gets a word in.

    Compiled code is not interrupted before it returns.  Nothing is limited outside the main
    thread, on Windows, and where a timer of other code is running.
    """
    in_main = threading.current_thread() is threading.main_thread()
    if not (in_main and hasattr(signal, "setitimer")) or any(signal.getitimer(signal.ITIMER_REAL)):
        yield
        return
    is_armed, has_rung = True, False

    def ring(number: int, frame: Any) -> None:
        nonlocal has_rung
        if is_armed:
            has_rung = True
            raise _AlarmError

    before = signal.signal(signal.SIGALRM, ring)
    try:
        try:
            # again every second: an exception that falls into a destructor is lost
            signal.setitimer(signal.ITIMER_REAL, max(seconds, 1e-6), 1.0)
            yield
        finally:
            is_armed = False
            signal.setitimer(signal.ITIMER_REAL, 0)
            signal.signal(signal.SIGALRM, before)
    except _AlarmError:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
    if has_rung:  # also where a learner took it for a wish to end its training here
        raise TimeoutError
