"""Command-line application: its commands and their exit codes 0, 1 and 2.

0: a verdict, warnings included.  1: a verdict with failed or unfinished runs, or none.
2: input that cannot be used; one sentence on standard error says why.  130 and 143: ended by
Ctrl-C or SIGTERM, with a verdict on what was finished before.
"""

import gc
import os
import sys
import time
from collections.abc import Sequence
from typing import Any, Final

import click

from bestofk import __version__
from bestofk.cli.command_help import CommandGroup
from bestofk.cli.mistakes import mistake
from bestofk.cli.signals import INTERRUPTED, HeardSignals, end_process, heard_signals
from bestofk.data.temporary_folder import without_working_folder
from bestofk.errors import BestofkError, ContradictionError
from bestofk.evaluation.guarded.interrupt import is_computing
from bestofk.evaluation.options import counted_time
from bestofk.registry import Registry
from bestofk.words import printable

BAD_INPUT = 2
NO_VERDICT = 1
# Importing makes many objects and no garbage: with the usual thresholds, looking for some
# takes about a tenth of the start.
_COLLECTION = (50_000, 20, 50)

# Each command is imported when it is used.
_COMMANDS: Final[Any] = Registry(
    "command",
    {
        "compare": "bestofk.cli.compare_command.compare_learners",
        "predict": "bestofk.cli.predict_command.predict_rows",
        "recommend": "bestofk.cli.recommend_command.recommend_learners",
        "curve": "bestofk.cli.curve_commands.app",
        "inspect": "bestofk.cli.data_commands.inspect_data",
        "tree": "bestofk.cli.tree_command.show_tree",
        "compare-scores": "bestofk.cli.compare_scores_command.compare_score_table",
        "audit": "bestofk.cli.audit_command.audit_table",
        "calibrate": "bestofk.cli.calibrate_command.app",
        "study": "bestofk.cli.study_commands.app",
        "store": "bestofk.cli.store_commands.app",
        "learners": "bestofk.cli.list_commands.list_learners",
        "measures": "bestofk.cli.list_commands.list_measures",
        "datasets": "bestofk.cli.list_commands.list_data_sets",
        "procedures": "bestofk.cli.list_commands.list_procedures",
    },
)
_HELP = "Which of K learners should I use on this data, how sure is that, what did it cost?"
_SETTINGS = {"help_option_names": ["-h", "--help"], "max_content_width": 100, "show_default": True}
app = click.version_option(__version__, message="%(version)s", help="Show the version and exit.")(
    CommandGroup("bestofk", _COMMANDS, help=_HELP, context_settings=_SETTINGS)
)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line.

    Parameters
    ----------
    arguments : sequence of str, optional
        Words after `bestofk`; by default those that the process was started with.

    Returns
    -------
    int
        The exit code: 0, 1, 2, 130 or 143.

    Examples
    --------
    >>> main(["--version"])
    1.0.0
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
        sys.stderr.writelines(f"{line}\n" for line in others)  # one line per mistake
        return NO_VERDICT if isinstance(error, ContradictionError) else BAD_INPUT


def _run(arguments: list[str]) -> int:
    try:
        with app.make_context("bestofk", list(arguments), obj=arguments) as context:
            app.invoke(context)
    except click.exceptions.Exit as ending:
        return ending.exit_code
    except click.ClickException as error:
        if error.format_message().startswith("Usage: "):  # asked for by a group without a command
            sys.stderr.write(f"{error.format_message()}\n")
        else:
            _say(mistake(error, app, arguments))
        return BAD_INPUT
    return 0


def _sentences(error: BaseException) -> list[str]:
    """Return what was wrong: one line, or a line for each mistake."""
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
