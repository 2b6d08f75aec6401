"""Base of the results of calibrations, and their progress on standard error."""

from __future__ import annotations

import sys
import time
from abc import abstractmethod
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, ClassVar, Final, Protocol

from bestofk.errors import InvalidArgumentError
from bestofk.report.formats.text import aligned
from bestofk.report.parts import Sections, Table
from bestofk.report.reported import Reported
from bestofk.words import joined_lines, printable


class PrintedCalibration(Reported):
    """Result of a calibration, whose text is made of whole lines, as for a log."""

    title: ClassVar[str]  # of a page

    @abstractmethod
    def headline(self) -> str:
        """Return the answer in one or two sentences."""

    @abstractmethod
    def _tables(self) -> Sequence[Table]:
        """Return the tables that are printed."""

    @abstractmethod
    def _remarks(self) -> Sequence[str]:
        """Return what to know about the figures, one fact each."""

    def sections(self) -> Sections:
        """Return the report: headline, tables and remarks."""
        return Sections(self.title, (self.headline(),), self._tables(), self._remarks())

    def text(self) -> str:
        """Return the report as plain text; no line is broken."""
        remarks = joined_lines(f"  - {text}" for text in self._remarks())
        return "\n\n".join([printable(self.headline()), *map(in_lines, self._tables()), remarks])

    def __repr__(self) -> str:
        return printable(f"<{type(self).__name__}: {self.headline()}>")


def in_lines(table: Table) -> str:
    """Return a table as text, without a rule below its titles."""
    cells = [[row.name, *row.cells] for row in table.rows]
    head, _, *rows = aligned(table.heads, cells, left=table.left)
    return "\n".join([head, *rows])


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
