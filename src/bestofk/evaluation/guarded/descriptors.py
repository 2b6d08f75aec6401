"""Open files of this process: what a learner leaves open is not missing to the others."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager

_SHARE = 0.9  # of the descriptors that are free may be taken by one run


@contextmanager
def spared_descriptors() -> Iterator[None]:
    """Keep some descriptors from a learner; those that it leaves open count against no other.

    The limit of open files is put back, and is higher than before where half of it is in use, as
    far as the system allows. Only Linux lets a process have more.
    """
    if sys.platform != "linux":
        yield
        return
    from resource import RLIMIT_NOFILE, getrlimit, setrlimit

    soft, hard = getrlimit(RLIMIT_NOFILE)
    n_open = _n_open()
    setrlimit(RLIMIT_NOFILE, (min(soft, n_open + int(_SHARE * (hard - n_open))), hard))
    try:
        yield
    finally:
        _, hard = getrlimit(RLIMIT_NOFILE)
        setrlimit(RLIMIT_NOFILE, (hard, hard))
        setrlimit(RLIMIT_NOFILE, (min(hard, max(soft, 2 * _n_open())), hard))


def are_descriptors_taken() -> bool:
    """Return whether earlier runs have left hardly any descriptor to this process."""
    if sys.platform != "linux":
        return False
    from resource import RLIMIT_NOFILE, getrlimit

    return _n_open() >= int(_SHARE * getrlimit(RLIMIT_NOFILE)[1])


def _n_open() -> int:
    """Return the lowest number that is free, which is about how many descriptors are in use."""
    try:
        free = os.open(os.devnull, os.O_RDONLY)
    except OSError:
        return sys.maxsize // 2
    os.close(free)
    return free
