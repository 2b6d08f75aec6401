"""Command-line application: its commands and their exit codes 0, 1 and 2.

0: a verdict, warnings included.  1: a verdict with failed or unfinished runs, or none.
2: input that cannot be used; one sentence on standard error says why.  130 and 143: ended by
Ctrl-C or SIGTERM, with a verdict on what was finished before.
"""

import copy
import functools
import gc
import os
import sys
import time
from collections.abc import Sequence
from typing import Annotated, Any

import typer

from bestofk.cli import (
    calibrate_command,
    compare_command,
    compare_scores_command,
    curve_commands,
    data_commands,
    list_commands,
    predict_command,
    recommend_command,
    store_commands,
    study_commands,
    tree_command,
)
from bestofk.cli.command_help import CommandGroup
from bestofk.cli.mistakes import mistake
from bestofk.cli.signals import INTERRUPTED, HeardSignals, end_process, heard_signals
from bestofk.data.temporary_folder import without_working_folder
from bestofk.errors import BestofkError, ContradictionError
from bestofk.evaluation.guarded.interrupt import is_computing
from bestofk.evaluation.options import counted_time
from bestofk.words import printable

BAD_INPUT = 2
NO_VERDICT = 1
# Importing makes many objects and no garbage: with the usual thresholds, looking for some
# takes about a tenth of the start.
_COLLECTION = (50_000, 20, 50)

app = CommandGroup(
    name="bestofk",
    help="Which of K learners should I use on this data, how sure is that, what did it cost?",
    add_completion=False,
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
)
app.command("compare")(compare_command.compare_learners)
app.command("predict")(predict_command.predict_rows)
app.command("recommend")(recommend_command.recommend_learners)
app.add_typer(curve_commands.app, name="curve")
app.command("inspect")(data_commands.inspect_data)
app.command("tree")(tree_command.show_tree)
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
        The exit code: 0, 1, 2, 130 or 143.

    Examples
    --------
    >>> main(["--version"])
    1.0.0.dev0
    0
    """
    began = _process_began() if arguments is None else time.monotonic()
    arguments = list(sys.argv[1:] if arguments is None else arguments)
    gc.set_threshold(*_COLLECTION)
    with heard_signals() as heard, without_working_folder(), counted_time(began):
        code = _ended(arguments, heard)
        code = heard.code or code
        if is_computing():
            end_process(code)
        return code


def _process_began() -> float:
    """Return when this process began, by `time.monotonic`: a budget counts from there."""
    import psutil

    age = time.time() - float(psutil.Process().create_time())
    return time.monotonic() - max(0.0, age)


def _ended(arguments: list[str], heard: HeardSignals) -> int:
    """Run the command line, and return the exit code for whatever ended it."""
    try:
        return _run(arguments)
    except KeyboardInterrupt:
        _say(INTERRUPTED)
        end_process(heard.code or NO_VERDICT)
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
def _command(name: str = "") -> Any:
    """Return the command of all commands, or with the named one alone: it takes long to make."""
    part = copy.copy(app)
    part.registered_commands = [item for item in app.registered_commands if item.name == name]
    part.registered_groups = []
    return typer.main.get_command(part if part.registered_commands else app)


def _run(arguments: list[str]) -> int:
    if arguments[:1] == ["--version"]:
        from bestofk import __version__

        sys.stdout.write(f"{__version__}\n")
        return 0
    command = _command(*arguments[:1])
    try:
        with command.make_context("bestofk", list(arguments), obj=arguments) as context:
            command.invoke(context)
    except typer.Exit as ending:
        return int(ending.exit_code)
    except Exception as error:
        # wrong usage; typer raises classes of its own or of click, by its version
        if not hasattr(error, "format_message"):
            raise
        if error.format_message().startswith("Usage: "):  # asked for by a group without a command
            sys.stderr.write(f"{error.format_message()}\n")
        else:
            _say(mistake(error, _command(), arguments))
        return BAD_INPUT
    return 0


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
