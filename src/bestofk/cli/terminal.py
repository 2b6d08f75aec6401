"""Output of the command line: results to standard output, messages to standard error."""

from __future__ import annotations

import contextlib
import functools
import json
import os
import sys
import warnings
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bestofk.checks import wrong_place
from bestofk.errors import BestofkWarning, InvalidArgumentError
from bestofk.words import joined_lines, printable

if TYPE_CHECKING:
    from rich.console import Console

_ENDLESS = 10_000  # width of tables if output is not a terminal


def result_console() -> Console:
    """Return the console of results; without colour if it is no terminal or NO_COLOR is set."""
    return _console_class()(file=sys.stdout, highlight=False)


def progress(quiet: bool) -> Any:
    """Return the progress display for standard error; False if quiet."""
    if quiet:
        return False
    from bestofk.report.progress.shown import TerminalProgress

    return TerminalProgress(message_console())


def message_console() -> Console:
    """Return the console of progress and notes."""
    return _console_class()(file=sys.stderr, highlight=False)


@functools.cache
def _console_class() -> type[Console]:
    from rich.console import Console
    from rich.segment import Segment

    class PrintableConsole(Console):
        """Console that escapes control characters in its input; its own colours stay."""

        def render(self, *arguments: Any, **options: Any) -> Iterator[Segment]:
            for segment in super().render(*arguments, **options):
                text = segment.text if segment.control else printable(segment.text, "\n\t")
                yield segment._replace(text=text)

    return PrintableConsole


@contextlib.contextmanager
def prints_to_messages() -> Iterator[None]:
    """Send what learners print, here and in processes started meanwhile, to standard error.

    Warnings of this package are written there as sentences, without the line of code.
    """
    sys.stdout.flush()
    kept, usual = os.dup(1), warnings.formatwarning

    def sentence(message: Warning | str, category: type[Warning], *where: Any, **more: Any) -> str:
        if issubclass(category, BestofkWarning):
            return f"{printable(str(message))}\n"
        return usual(message, category, *where, **more)

    os.dup2(2, 1)
    warnings.formatwarning = sentence
    try:
        with contextlib.redirect_stdout(sys.stderr):
            yield
    finally:
        warnings.formatwarning = usual
        os.dup2(kept, 1)
        os.close(kept)


def write_result(text: str) -> None:
    """Write a result to standard output, ending with one line break."""
    text = printable(text, "\n\t")
    sys.stdout.write(text if text.endswith("\n") else f"{text}\n")


def write_lines(*lines: str) -> None:
    """Write sentences to standard output, each as one line."""
    write_result(joined_lines(lines))


def write_message(text: str) -> None:
    """Write a line to standard error, where progress is shown."""
    message_console().print(printable(text), markup=False, soft_wrap=True)


def write_json(value: Any) -> None:
    """Write one JSON object or list to standard output."""
    write_result(json.dumps(value, indent=2, ensure_ascii=False))


def write_table(titles: Sequence[str], rows: Iterable[Sequence[object]]) -> None:
    """Write a plain table to standard output; cells are never cut if it is no terminal."""
    from rich.table import Table

    console = result_console()
    table = Table(box=None, pad_edge=False, header_style="bold")
    for title in titles:
        table.add_column(title, overflow="fold")
    for row in rows:
        table.add_row(*(_cell(value) for value in row))
    if not console.is_terminal:
        console.width = _ENDLESS
    console.print(table)


def _cell(value: object) -> Any:
    from rich.text import Text

    return Text(f"{value:,}" if isinstance(value, int) else printable(str(value)))


def check_new_file(
    path: Path | None,
    option: str,
    *,
    force: bool | None,
    apart_from: Iterable[str | os.PathLike[str] | None] = (),
) -> None:
    """Raise if a file to write exists and may not be replaced, or its folder is missing.

    Files that the same command reads or writes, `apart_from`, are never replaced. `force` is None
    for a command that never replaces files.
    """
    if path is None:
        return
    if any(other is not None and _is_same_file(path, Path(other)) for other in apart_from):
        raise InvalidArgumentError(
            f"{option} must be a file of its own; got {path}, which this command reads or writes "
            "itself. Name another."
        )
    if problem := wrong_place(path, option, option):
        raise InvalidArgumentError(problem)
    if path.exists() and not force:
        way_out = "Name another." if force is None else "Add --force to replace it."
        raise InvalidArgumentError(
            f"{option} must be a new file; got {path}, which exists. {way_out}"
        )


def _is_same_file(path: Path, other: Path) -> bool:
    try:
        return path.samefile(other)
    except OSError:  # one of them does not exist
        return path.resolve() == other.resolve()


def write_new_file(path: Path, write: Any) -> None:
    """Let `write` fill a temporary file next to the target, then move it there as a whole."""
    draft = path.with_name(f".{path.name}.{os.getpid()}.new")
    try:
        write(draft)
        os.replace(draft, path)
    finally:
        draft.unlink(missing_ok=True)
