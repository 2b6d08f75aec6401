"""Progress of a calibration on standard error."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, Final, Protocol

from bestofk.errors import InvalidArgumentError
from bestofk.words import printable

_LINE_SECONDS: Final = 10.0


class Tell(Protocol):
    """Receiver of progress."""

    def __call__(self, done: int, total: int, text: str = "", /) -> None:
        """Take the number done, the number of all, and the figures so far."""


@contextmanager
def shown_progress(
    progress: bool | str | Callable[[int, int], None], title: str, total: int
) -> Iterator[Tell]:
    """Yield what receives progress: a bar, lines, the callable that was given, or nothing.

    Parameters
    ----------
    progress : {"auto", True, False} or callable
        "auto" and True show a bar where standard error is a terminal, and a line every ten seconds
        elsewhere; a callable gets the number done and of all.
    title : str
        What is counted.
    total : int
        How many there are.

    Raises
    ------
    InvalidArgumentError
        If `progress` is none of these.
    """
    if callable(progress):
        receive = progress
        yield lambda done, total, text="": receive(done, total)
        return
    if progress not in ("auto", True, False):
        raise InvalidArgumentError(
            f"progress must be 'auto', True, False or a callable; got {progress!r}. "
            "'auto' shows it on standard error."
        )
    if progress is False:
        yield lambda done, total, text="": None
        return
    if not sys.stderr.isatty():
        yield _lines(title)
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TimeRemainingColumn

    columns: Any = ("{task.description}", BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    console = Console(stderr=True)
    with Progress(*columns, "{task.fields[text]}", console=console, transient=True) as bar:
        task = bar.add_task(title, total=total, text="")

        def show(done: int, total: int, text: str = "", /) -> None:
            bar.update(task, completed=done, total=total, text=text)

        yield show


def _lines(title: str) -> Tell:
    """Return what prints a line every ten seconds."""
    next_seconds = time.monotonic() + _LINE_SECONDS

    def show(done: int, total: int, text: str = "", /) -> None:
        nonlocal next_seconds
        if time.monotonic() >= next_seconds:
            next_seconds = time.monotonic() + _LINE_SECONDS
            parts = (f"{title}: {done:,} of {total:,}", text)
            sys.stderr.write(printable(", ".join(filter(None, parts))) + "\n")
            sys.stderr.flush()

    return show
