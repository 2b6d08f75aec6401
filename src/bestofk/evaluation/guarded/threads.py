"""Limit of numerical libraries to one thread while runs are done."""

import functools
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from typing import Any


@contextmanager
def one_thread() -> Iterator[Callable[[], None]]:
    """Hold the libraries that are loaded to one thread while the block lasts.

    They come with modules of other packages, so they are looked for again only where such were
    imported since: to look takes as long as some runs.

    Yields
    ------
    callable
        Holds those that have been loaded since; for whoever has let learners import.
    """
    n_known = n_seen = 0

    def hold() -> None:
        nonlocal n_known, n_seen
        if len(sys.modules) == n_seen:
            return
        n_seen = len(sys.modules)
        n_modules = _n_modules()
        if n_modules != n_known:
            n_known = n_modules
            held.enter_context(_controller(n_known).limit(limits=1))

    with ExitStack() as held:
        hold()
        yield hold


def hold_to_one_thread() -> None:
    """Hold the libraries that are loaded to one thread for as long as this process lives."""
    _controller(_n_modules()).limit(limits=1)


def _n_modules() -> int:
    return sum(not name.startswith("bestofk.") for name in tuple(sys.modules))


@functools.lru_cache(maxsize=1)
def _controller(n_modules: int) -> Any:
    from threadpoolctl import ThreadpoolController

    return ThreadpoolController()
