"""Processes that a learner forks: one that comes back from `fit` as well is ended."""

import functools
import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from multiprocessing.connection import wait

from bestofk.errors import RunError

# A forked process that lives longer is taken for a helper of the learner.
_WAIT_SECONDS = 1.0


class _Watched(threading.local):
    """The blocks this thread is in, innermost last: pipe to the processes forked in each."""

    def __init__(self) -> None:
        self.pipes: list[tuple[int, int] | None] = []


_watched = _Watched()


@contextmanager
def returning_once() -> Iterator[None]:
    """End every forked process that leaves the block: it would do the work of this one again.

    Raises
    ------
    RunError
        In this process, if that happened.
    """
    _watch_forks()
    process = os.getpid()
    _watched.pipes.append(None)
    try:
        yield
    except SystemExit as ending:
        if os.getpid() != process:  # as it should end
            os._exit(ending.code if isinstance(ending.code, int) else bool(ending.code))
        raise
    finally:
        pipe = _watched.pipes.pop()
        if os.getpid() != process:
            with suppress(OSError):  # the parent no longer listens
                os.write(pipe[1] if pipe else -1, b"x")
            os._exit(0)
        is_second = pipe is not None and _has_returned(*pipe)
    if is_second:
        raise RunError(
            "fit and predict must return once; got a second return, from a forked process, which "
            "was ended. End forked processes with os._exit."
        )


@functools.cache
def _watch_forks() -> None:
    if hasattr(os, "register_at_fork"):  # not on Windows
        os.register_at_fork(before=_open_pipe)


def _open_pipe() -> None:
    pipes = _watched.pipes
    if pipes and pipes[-1] is None:
        with suppress(OSError):  # the learner has as many open as it may
            pipes[-1] = os.pipe()


def _has_returned(reader: int, writer: int) -> bool:
    """Wait until the forked processes have ended, and return whether one of them came back."""
    os.close(writer)
    try:
        is_heard = wait([reader], _WAIT_SECONDS)
        return bool(is_heard) and bool(os.read(reader, 1))
    finally:
        os.close(reader)
