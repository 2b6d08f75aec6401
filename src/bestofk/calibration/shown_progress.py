"""Progress of a calibration on standard error."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, Protocol

from bestofk.errors import InvalidArgumentError


class Tell(Protocol):
    """Receiver of progress."""

    def __call__(self, done: int, total: int, text: str = "", /) -> None:
        """Take the number done, the number of all, and the figures so far."""


@contextmanager
def shown_progress(
    progress: bool | str | Callable[[int, int], None], title: str, total: int
) -> Iterator[Tell]:
    """Yield what receives progress: a bar, the callable that was given, or nothing.

    Parameters
    ----------
    progress : {"auto", True, False} or callable
        "auto" shows a bar where standard error is a terminal; a callable gets the number done and
        of all.
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
            "'auto' shows it on a terminal."
        )
    if progress is False or (progress == "auto" and not sys.stderr.isatty()):
        yield lambda done, total, text="": None
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
