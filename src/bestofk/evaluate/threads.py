"""How many threads do numerical libraries take while runs are done: one, as told of each run."""

from __future__ import annotations

import functools
import sys
from contextlib import AbstractContextManager
from typing import Any


def one_thread() -> AbstractContextManager[Any]:
    """Hold the libraries that are loaded to one thread while the block lasts.

    They come with modules, so they are looked for again only where modules were imported
    since: to look takes as long as some runs.
    """
    limit: AbstractContextManager[Any] = _controller(len(sys.modules)).limit(limits=1)
    return limit


@functools.lru_cache(maxsize=1)
def _controller(n_modules: int) -> Any:
    from threadpoolctl import ThreadpoolController

    return ThreadpoolController()
