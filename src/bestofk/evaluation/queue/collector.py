"""Pause of the garbage collector while thousands of records are made."""

import gc
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def paused_collector() -> Iterator[None]:
    """Hold the garbage collector back while a block of code makes much and drops nothing.

    It looks whenever some hundred objects were made, each time at more of them, and every so
    often at all that was ever imported, which takes as long as a hundred runs.  Nothing is lost:
    what is made meanwhile is looked at afterwards.

    Examples
    --------
    >>> with paused_collector():
    ...     gc.isenabled()
    False
    """
    is_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if is_on:
            gc.enable()
