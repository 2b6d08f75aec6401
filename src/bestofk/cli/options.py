"""Options of the command line, each declared once, and the decorator that gives them to a command.

A command is a function with the decorator `takes`. Options that the function names are handed to
it as they were typed. All others are converted and collected in `Given`.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Any, Final

import typer

from bestofk.cli.arguments import (
    given_budget,
    given_columns,
    given_costs,
    given_learners,
    given_roles,
    greater_is_better,
    preference,
    words,
    words_or_none,
)
from bestofk.cli.stray_words import refuse_stray_word
from bestofk.cli.terminal import prints_to_messages, write_result

REQUIRED: Final = inspect.Parameter.empty
MANY: Final = list[str] | None
_LISTS: Final = (list[str], MANY)
Command = Callable[..., None]
_CONTEXT: Final = inspect.Parameter(
    "context", inspect.Parameter.KEYWORD_ONLY, annotation=typer.Context
)


@dataclass(frozen=True)
class Given:
    """Options that a command does not name, by the names of the library's arguments.

    Attributes
    ----------
    reading : dict
        How data are read.
    arguments : dict
        Other arguments of the library.
    output : dict
        What is written where.
    """

    reading: dict[str, Any] = field(default_factory=dict)
    arguments: dict[str, Any] = field(default_factory=dict)
    output: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Option:
    """Option of the shell, or a positional argument of it.

    Attributes
    ----------
    default : object
        Value where it is left out; `REQUIRED` where it must be given.
    help : str
        What the help says.
    type : type
        Of the value.
    metavar : str or None
        Name of the value in the help, where it is not the type.
    flags : tuple of str
        Spellings, where there are others than the name with dashes.
    argument : str
        Name of the argument of the library; empty where it is that of the option.
    convert : callable or None
        Makes the argument of the library from the value.
    mapping : {"arguments", "reading", "output"}
        What it is collected in, unless the command names it.
    is_positional : bool
        Whether it has no dashes.
    answer : callable or None
        Makes the text that a flag asks for: it is printed, and the command ends.
    """

    default: Any
    help: str
    type: Any = str | None
    metavar: str | None = None
    flags: tuple[str, ...] = ()
    argument: str = ""
    convert: Callable[[Any], Any] | None = None
    mapping: str = "arguments"
    is_positional: bool = False
    answer: Callable[[], str] | None = None

    def parameter(self, name: str) -> inspect.Parameter:
        """Return the parameter that typer reads."""
        shown: dict[str, Any] = {"help": self.help, "metavar": self.metavar}
        if self.answer is not None:
            shown |= {"is_eager": True, "callback": self._print_answer}
        info = typer.Argument(**shown) if self.is_positional else typer.Option(*self.flags, **shown)
        kind, keyword = self.type, inspect.Parameter.KEYWORD_ONLY
        return inspect.Parameter(
            name, keyword, default=self.default, annotation=Annotated[kind, info]
        )

    def _print_answer(self, is_asked: bool) -> None:
        if is_asked and self.answer is not None:
            write_result(self.answer())
            raise typer.Exit


def _reading(default: Any, text: str, **others: Any) -> Option:
    return Option(default, text, mapping="reading", **others)


OPTIONS: Final = {
    "data": Option(
        REQUIRED, "A file, or a name of 'bestofk datasets'.", str, "DATA", is_positional=True
    ),
    "target": _reading(None, "Column to predict."),
    "task": _reading("auto", "auto, classification or regression."),
    "learners": Option(
        None, "Names of 'bestofk learners', FILE.py:NAME, \"svm(C=0.5)\", with commas.", MANY,
        convert=given_learners,
    ),
    "cv": Option("10x3", "10x3, 10x10, 30xholdout, 100xbootstrap:full ...; not adaptive."),
    "budget": Option(
        None, "Time limit; no run starts after it: 90s, 10m, 2h.", convert=given_budget
    ),
    "stratify": Option(True, "Spread classes evenly over folds.", bool),
    "groups": _reading(None, "Column whose equal values are never split."),
    "weights": _reading(None, "Column of weights for fitting."),
    "drop": _reading(None, "Columns to leave out.", type=MANY, convert=words),
    "role": _reading(
        None, "numeric, nominal, ordinal:LOW,MIDDLE,HIGH, boolean, date or drop.", type=MANY,
        metavar="COL=ROLE", argument="roles", convert=given_roles,
    ),
    "decimal": _reading(None, "Decimal mark of a text file: point or comma (. or ,)."),
    "thousands": _reading(None, "What separates thousands in a text file: , . ' or a blank."),
    "drop_missing_target": _reading(
        False, "Leave out rows without a target.", type=bool, flags=("--drop-missing-target",)
    ),
    "map": _reading(
        None, "What a column is: learner=COLUMN; also dataset, repeat, fold, value.", type=MANY,
        metavar="ROLE=COLUMN", argument="columns", convert=given_columns,
    ),
    "measure": _reading(None, "The measure that decides; names that of a wide table."),
    "direction": _reading(
        None, "lower or higher: which scores are better.", argument="greater_is_better",
        convert=greater_is_better,
    ),
    "tune": Option(
        False, "Tune learners inside their training sets.", bool, flags=("--tune",)
    ),
    "scoring": Option(
        None, "Measures, as auroc,error,f1; the first decides; list: measures.", MANY,
        convert=words_or_none,
    ),
    "pos_label": Option(None, "The positive class."),
    "cost_matrix": Option(
        None, 'Costs, one row per true class: "0,1;5,0".', convert=given_costs
    ),
    "prefer": Option(
        None, "given, fit-time, predict-time, size, parameters, or all learners.",
        convert=preference,
    ),
    "test": Option("corrected-t", "corrected-t, 5x2cv-t, paired-t ..."),
    "correction": Option("holm", "holm or bonferroni."),
    "alpha": Option(0.05, "Level of a family of tests.", float),
    "rope": Option(None, "Differences up to this do not matter; 0: all do.", float | None),
    "center": Option("mean", "mean or median of the repeats decides; tests are about means."),
    "store": Option(None, "File that keeps every run.", Path | None),
    "timeout": Option(None, "Seconds that a run may take.", float | None),
    "seed": Option(0, "What plan and random streams come from.", int, argument="random_state"),
    "memory": Option(None, "Memory that a run may take, above the start: 500MB, 4GB."),
    "engine": Option(
        "processes", "Where runs are done: serial, processes or dask://HOST:PORT.", str
    ),
    "n_jobs": Option(
        None, "Processes; left out: all cores, one if serial. No number depends on it.", int | None
    ),
    "shard": Option(None, "Part of all runs that is done here, as 3/10."),
    "retry_failed": Option(
        False, "Do runs again that failed before.", bool, flags=("--retry-failed",)
    ),
    "batched": Option(
        "auto", "Train learners on all parts at once: auto, always, never.", str
    ),
    "picture": Option(
        None, "Picture to write: .png, .pdf or .svg.", Path | None, mapping="output"
    ),
    "report": Option(None, "HTML page to write.", Path | None, mapping="output"),
    "force": Option(
        False, "Replace existing output.", bool, flags=("--force",), mapping="output"
    ),
    "json": Option(False, "Print one JSON object.", bool, flags=("--json",), mapping="output"),
    "quiet": Option(
        False, "Print the three lines of the answer alone.", bool, flags=("--quiet", "-q"),
        mapping="output",
    ),
    "verbose": Option(
        False, "Print all measures and all details.", bool, flags=("--verbose", "-v"),
        mapping="output",
    ),
}  # fmt: skip


def takes(names: str, **own: Option) -> Callable[[Command], Command]:
    """Give a command its options.

    Parameters
    ----------
    names : str
        Options in the order of the help, with blanks between: of `OPTIONS`, and its own.
    **own : Option
        Options of this command alone, which replace shared ones of the same name.
    """
    options = {name: (own.get(name) or OPTIONS[name]) for name in names.split()}

    def decorate(command: Command) -> Command:
        named = inspect.signature(command).parameters

        def call(context: typer.Context, **values: Any) -> None:
            lists = [n for n, o in options.items() if o.is_positional and o.type in _LISTS]
            if any(len(values[name] or []) > 1 for name in lists):
                refuse_stray_word(context)
            given = Given()
            with prints_to_messages():  # a learner's file may print
                for name, option in options.items():
                    if name not in named:
                        value = values.pop(name)
                        converted = option.convert(value) if option.convert else value
                        getattr(given, option.mapping)[option.argument or name] = converted
            handed = {"context": context, "given": given, **values}
            command(**{name: handed[name] for name in named})

        parameters = [option.parameter(name) for name, option in options.items()]
        call.__name__, call.__doc__ = command.__name__, command.__doc__
        call.__signature__ = inspect.Signature([_CONTEXT, *parameters])  # type: ignore[attr-defined]
        return call

    return decorate
