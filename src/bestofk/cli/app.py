"""Command-line application: its commands and their exit codes 0, 1 and 2.

0: a verdict, warnings included.  1: a verdict with failed or unfinished runs, or none.
2: input that cannot be used; one sentence on standard error says why.  143: as 1, but ended by
SIGTERM.
"""

from __future__ import annotations

import functools
import gc
import os
import signal
import sys
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Annotated, Any

import typer

from bestofk.cli import (
    calibrate_command,
    compare_command,
    compare_scores_command,
    curve_commands,
    list_commands,
    recommend_command,
    store_commands,
    study_commands,
)
from bestofk.cli.stray_words import stray_word
from bestofk.data.temporary_folder import without_working_folder
from bestofk.errors import BestofkError, ContradictionError
from bestofk.words import printable

BAD_INPUT = 2
NO_VERDICT = 1
TERMINATED = 128 + signal.SIGTERM
# Importing makes many objects and no garbage: with the usual thresholds, looking for some
# takes about a tenth of the start.
_COLLECTION = (50_000, 20, 50)
_ONE_SIGNAL_SECONDS = 1.0

app = typer.Typer(
    name="bestofk",
    help="Which of K learners should I use on this data, how sure is that, what did it cost?",
    add_completion=False,
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
    context_settings={"help_option_names": ["-h", "--help"]},
)
app.command("compare")(compare_command.compare_learners)
app.command("recommend")(recommend_command.recommend_learners)
app.add_typer(curve_commands.app, name="curve")
app.command("compare-scores")(compare_scores_command.compare_score_table)
app.add_typer(calibrate_command.app, name="calibrate")
app.add_typer(study_commands.app, name="study")
app.add_typer(store_commands.app, name="store")
app.command("learners")(list_commands.list_learners)
app.command("measures")(list_commands.list_measures)
app.command("datasets")(list_commands.list_data_sets)
app.command("procedures")(list_commands.list_procedures)


@app.callback()
def start(
    version: Annotated[
        bool, typer.Option("--version", help="Print the version and end.", is_eager=True)
    ] = False,
) -> None:
    """Handle `--version`; the commands do the work."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line.

    Parameters
    ----------
    arguments : sequence of str, optional
        What stands after `bestofk`; by default what the process was started with.

    Returns
    -------
    int
        The exit code: 0, 1, 2 or 143.

    Examples
    --------
    >>> main(["--version"])
    1.0.0.dev0
    0
    """
    arguments = list(sys.argv[1:] if arguments is None else arguments)
    gc.set_threshold(*_COLLECTION)
    with _terminations() as terminations, without_working_folder():
        code = _ended(arguments, terminations)
        return TERMINATED if terminations else code


@contextmanager
def _terminations() -> Iterator[list[float]]:
    """Treat SIGTERM as Ctrl-C and note when it came; a later one ends the process at once.

    Programs such as `timeout` send it to a process and to its group, so twice in a moment.
    """
    noted: list[float] = []
    process = os.getpid()

    def end(number: int, frame: Any) -> None:
        if os.getpid() != process:  # one that a learner forked, and may want to end
            signal.signal(number, signal.SIG_DFL)
            signal.raise_signal(number)
        if noted and time.monotonic() - noted[0] > _ONE_SIGNAL_SECONDS:
            os._exit(TERMINATED)
        noted.append(time.monotonic())
        if len(noted) == 1:
            raise KeyboardInterrupt

    is_main = threading.current_thread() is threading.main_thread()
    if not is_main or signal.getsignal(signal.SIGTERM) != signal.SIG_DFL:
        yield noted
        return
    signal.signal(signal.SIGTERM, end)
    try:
        yield noted
    finally:
        signal.signal(signal.SIGTERM, signal.SIG_DFL)


def _ended(arguments: list[str], terminations: list[float]) -> int:
    """Run the command line, and return the exit code for whatever ended it."""
    try:
        return _run(arguments)
    except KeyboardInterrupt:
        _say("interrupted. Completed runs are saved if a store was named.")
        sys.stderr.flush()
        # a second Ctrl-C ends at once, without waiting for worker processes
        os._exit(TERMINATED if terminations else NO_VERDICT)
    except BrokenPipeError:
        # whoever read the output has seen enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return NO_VERDICT
    except (BestofkError, OSError, UnicodeError, MemoryError) as error:
        first, *others = _sentences(error)
        _say(first)
        sys.stderr.writelines(f"{line}\n" for line in others)  # of several mistakes
        return NO_VERDICT if isinstance(error, ContradictionError) else BAD_INPUT


@functools.cache
def _command() -> Any:
    """Return the command of all commands; making it takes longer than most calls of it."""
    return typer.main.get_command(app)


def _run(arguments: list[str]) -> int:
    if arguments[:1] == ["--version"]:
        from bestofk import __version__

        sys.stdout.write(f"{__version__}\n")
        return 0
    command = _command()
    try:
        with command.make_context("bestofk", list(arguments), obj=arguments) as context:
            command.invoke(context)
    except typer.Exit as ending:
        return int(ending.exit_code)
    except Exception as error:
        # wrong usage; typer raises classes of its own or of click, by its version
        if not hasattr(error, "format_message"):
            raise
        return _wrong_usage(error, arguments)
    return 0


def _wrong_usage(error: Any, arguments: list[str]) -> int:
    if not arguments:
        sys.stderr.write(f"{error.format_message()}\n")
    else:
        said, command = error.format_message().rstrip("."), "bestofk"
        if error.ctx:
            command = error.ctx.command_path
            is_extra = "unexpected extra argument" in said
            said = (is_extra and stray_word(error.ctx.command, arguments).rstrip(".")) or said
        _say(f"{said}{'' if said.endswith('?') else '.'} Try '{command} --help'.")
    return BAD_INPUT


def _sentences(error: BaseException) -> list[str]:
    """Return one line that says what was wrong, or a line for each mistake after it."""
    if isinstance(error, BestofkError):
        return str(error).split("\n")
    if isinstance(error, MemoryError):
        text = "memory ran out. Use fewer rows, a smaller plan or --keep scores."
    elif isinstance(error, OSError) and error.filename is not None:
        text = f"{error.filename} cannot be used: {error.strerror}."
    else:
        text = f"{type(error).__name__}: {error}"
    return [" ".join(text.split())]


def _say(sentence: str) -> None:
    sys.stderr.write(f"bestofk: {printable(sentence)}\n")
