"""Context of a call: the open store, the observer of progress, the hint after an interruption."""

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from bestofk.errors import InvalidArgumentError
from bestofk.evaluation import Observer, Store


@contextmanager
def opened_store(store: Any) -> Iterator[Store]:
    """Yield an open store; one that was already open stays open."""
    if isinstance(store, Store):
        yield store
        return
    if not (store is None or isinstance(store, str | os.PathLike)):
        raise InvalidArgumentError(
            f"store must be a file, a Store or None; got {store!r}. None keeps runs in memory."
        )
    with Store(store) as opened:
        yield opened


def resume_line(store: Any) -> str:
    """Return a sentence on how to resume an interrupted call."""
    path = store.path if isinstance(store, Store) else store
    if path is None:
        return "The runs were kept in memory and are lost; with a store a call can be resumed."
    return f"To go on where it stopped, make the same call with the same store ({path})."


def observer_of(progress: object) -> Observer | None:
    """Return the observer that receives progress events, or raise; None for no progress."""
    if isinstance(progress, Observer):
        return progress
    if progress not in ("auto", True, False):
        raise InvalidArgumentError(
            f"progress must be 'auto', True, False or an Observer; got {progress!r}. "
            "'auto' shows it on a terminal and in a notebook."
        )
    if progress is False:
        return None
    if _is_in_notebook():
        from bestofk.report.progress.shown import NotebookProgress

        return NotebookProgress()
    if progress is True or sys.stderr.isatty():
        from rich.console import Console

        from bestofk.report.progress.shown import TerminalProgress

        return TerminalProgress(Console(stderr=True, soft_wrap=True))
    return None


def _is_in_notebook() -> bool:
    """Return whether this process is the kernel of a notebook, which displays HTML."""
    shell = getattr(sys.modules.get("IPython"), "get_ipython", lambda: None)()
    return getattr(shell, "kernel", None) is not None
