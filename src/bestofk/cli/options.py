"""Options of the command line, each declared once, and the decorator that adds them to a command.

A command is a function with the decorator `takes`. Options that the function names are passed to
it as typed. All others are converted and collected in `Given`.
"""

import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final, get_args

import click

from bestofk.cli.arguments import (
    greater_is_better,
    parse_budget,
    parse_columns,
    parse_costs,
    parse_date_forms,
    parse_learners,
    parse_missing_marks,
    parse_roles,
    preference,
    words,
    words_or_none,
)
from bestofk.cli.command_help import GroupedHelpCommand
from bestofk.cli.mistakes import stray_word
from bestofk.cli.terminal import prints_to_messages, write_result
from bestofk.comparison.options import OPTIONS as LIBRARY_OPTIONS
from bestofk.comparison.options import ReadOptions
from bestofk.data.file_options import FILE_OPTIONS
from bestofk.errors import InvalidArgumentError
from bestofk.options import Option as DeclaredOption

REQUIRED: Final = inspect.Parameter.empty
MANY: Final = list[str]
Command = Callable[..., None]
# Groups of the help with every option of every command: the most used ones before the first bar,
# the least used ones after the last. The help of a command shows the ten most used that it has.
_GROUPS: Final = {
    "Data": "target history | groups time map measure direction dataset | drop role task weights "
    "separator header encoding missing decimal thousands date_format skip_rows skip_footer "
    "sheet table query drop_missing_target new_groups n_train n_test",
    "Learners": "learners learner parameter values methods tune method | calibrate p window_start "
    "window_end | average log_target batched",
    "Plan": "cv budget sizes kind fractions | noisy rows schedule null n_rows n_data_sets "
    "n_subsamples test_set n_folds n_repeats | max_repeats stopping stratify seed test_seconds "
    "delta n_blocks window gap",
    "Measure and test": "claim scoring procedure ordering tests | cost_matrix prior test prefer "
    "alternative errors alpha | pos_label rope correction control center protocol all_orderings "
    "option by printed",
    "Where it runs": "store | n_jobs | engine timeout memory keep shard retry_failed",
    "Output": "report picture output verbose to shape rules probabilities | save_model json format "
    "quiet dry_run | force json_schema help_all",
}
_MOST_SHOWN: Final = 10
# Group of every option and its rank of use (0: most used), in the order of the help.
_PLACES: Final = {
    name: (group, use)
    for group, text in _GROUPS.items()
    for use, names in enumerate(text.split("|"))
    for name in names.split()
}


@dataclass(frozen=True)
class Output:
    """Form, length and files of what a command writes.

    Raises
    ------
    InvalidArgumentError
        If both `quiet` and `verbose` are set.
    """

    json: bool = False
    quiet: bool = False
    verbose: bool = False
    format: str = "text"
    report: Path | None = None
    picture: Path | None = None
    force: bool = False

    def __post_init__(self) -> None:
        if self.quiet and self.verbose:
            raise InvalidArgumentError(
                "--quiet must come without --verbose; got both. Leave one of them out."
            )


@dataclass(frozen=True)
class Given:
    """Options that a command function does not name, under the names of the library's arguments.

    Attributes
    ----------
    reading : dict
        How data are read.
    arguments : dict
        Other arguments of the library.
    output : Output
        What is written, and where.
    """

    reading: dict[str, Any]
    arguments: dict[str, Any]
    output: Output


@dataclass(frozen=True)
class Option:
    """Option or positional argument of a command.

    Attributes
    ----------
    default : object
        Value if it is left out; `REQUIRED` if it must be given.
    help : str
        Help text.
    type : type
        Of the value.
    metavar : str or None
        Name of the value in the help, if not that of the type.
    flags : tuple of str
        Spellings, if they differ from the name with dashes.
    argument : str
        Name of the library's argument; empty if equal to that of the option.
    convert : callable or None
        Converts the value to the library's argument.
    mapping : {"arguments", "reading", "output"}
        Where it is collected, unless the command names it.
    is_positional : bool
        Whether it has no dashes.
    answer : callable or None
        Returns the text that a flag prints before the command ends.
    group : str
        Group of the help, if it differs from that of other options of this name.
    """

    default: Any
    help: str
    type: Any = str
    metavar: str | None = None
    flags: tuple[str, ...] = ()
    argument: str = ""
    convert: Callable[[Any], Any] | None = None
    mapping: str = "arguments"
    is_positional: bool = False
    answer: Callable[[click.Context], str] | None = None
    group: str = ""

    @property
    def is_list(self) -> bool:
        """Whether it takes several values."""
        return bool(get_args(self.type))

    def parameter(self, name: str, group: str, *, is_hidden: bool = False) -> click.Parameter:
        """Return the parameter that click reads, in a group of the help."""
        kind = get_args(self.type)[0] if self.is_list else self.type
        is_required = self.default is REQUIRED
        told: dict[str, Any] = {"help": self.help, "metavar": self.metavar, "required": is_required}
        told |= {} if is_required else {"default": self.default}
        if self.is_positional:
            told |= {"type": kind, "nargs": -1 if self.is_list else 1}
            made: click.Parameter = click.Argument([name], **told)
        else:
            flag = f"--{name.replace('_', '-')}"
            if self.type is not bool:
                told |= {"type": kind, "multiple": self.is_list}
            elif self.default:
                flag = f"{flag}/--no-{flag[2:]}"
            elif not self.flags or "/" not in self.flags[0]:
                told |= {"is_flag": True}
            if self.answer is not None:
                told |= {"is_eager": True, "callback": self._print_answer}
            made = click.Option([name, *(self.flags or (flag,))], hidden=is_hidden, **told)
        made.group = group  # type: ignore[attr-defined]
        return made

    def _print_answer(self, context: click.Context, _: click.Parameter, is_asked: bool) -> None:
        if is_asked and self.answer is not None:
            write_result(self.answer(context))
            context.exit()


def _reading(default: Any, text: str, **others: Any) -> Option:
    return Option(default, text, mapping="reading", **others)


_TYPES: Final = {"bool": bool, "int": int, "float": float}
# Type and conversion of options that are written differently on the command line.
_WRITTEN: Final[dict[str, tuple[Any, Callable[[Any], Any] | None]]] = {
    "budget": (str, parse_budget),
    "stopping": (MANY, words_or_none),
    "scoring": (MANY, words_or_none),
    "cost_matrix": (str, parse_costs),
    "target_transform": (bool, lambda is_asked: "log" if is_asked else None),
    "prefer": (str, preference),
    "store": (Path, None),
    "missing": (MANY, parse_missing_marks),
    "date_format": (MANY, parse_date_forms),
}


_READING: Final = {**ReadOptions.__dataclass_fields__, **FILE_OPTIONS}
# Options on the format of a file, for commands that read one.
OF_FILE: Final = " ".join(FILE_OPTIONS)


def _of_library(name: str, declared: DeclaredOption) -> Option:
    """Return an option of the library as an option of the command line."""
    annotation = declared.parameter.annotation  # a type, or its text where evaluation is deferred
    written = getattr(annotation, "__name__", str(annotation))
    kind, convert = _WRITTEN.get(name, (_TYPES.get(written.removesuffix(" | None"), str), None))
    return Option(
        declared.parameter.default,
        declared.shell,
        kind,
        argument=name,
        convert=convert,
        flags=(f"--{name}/--no-{name}",) if written == "bool | None" else (),
        mapping="reading" if name in _READING else "arguments",
    )


_LIBRARY: Final = {
    item.word or name: _of_library(name, item)
    for name, item in (LIBRARY_OPTIONS | FILE_OPTIONS).items()
    if item.shell
}
OPTIONS: Final = {
    **_LIBRARY,
    "engine": replace(_LIBRARY["engine"], default="processes"),
    "data": Option(
        REQUIRED, "A file, or a name from 'bestofk datasets'.", str, "DATA", is_positional=True
    ),
    "learners": Option(
        None, "Names or groups from 'bestofk learners', FILE.py:NAME or \"svm(C=0.5)\", with "
        "commas; default,-cart leaves one out.", MANY,
        convert=parse_learners,
    ),
    "weights": _reading(None, "Column of weights for fitting."),
    "drop": _reading(None, "Columns to leave out.", type=MANY, convert=words),
    "role": _reading(
        None, "numeric, nominal, ordinal:LOW,MIDDLE,HIGH, boolean, date, calendar, number, text or "
        "drop.", type=MANY, metavar="COL=ROLE", argument="roles", convert=parse_roles,
    ),
    "map": _reading(
        None, "Column of each role: learner=COLUMN; also dataset, repeat, fold, value.", type=MANY,
        metavar="ROLE=COLUMN", argument="columns", convert=parse_columns,
    ),
    "measure": _reading(None, "Measure that decides; for a wide table, the measure of its scores."),
    "direction": _reading(
        None, "lower or higher: which scores are better.", argument="greater_is_better",
        convert=greater_is_better,
    ),
    "picture": Option(
        None, "Picture to write: .png, .pdf or .svg.", Path, mapping="output"
    ),
    "report": Option(None, "HTML page to write.", Path, mapping="output"),
    "force": Option(False, "Replace existing output.", bool, mapping="output"),
    "json": Option(False, "Print one JSON object.", bool, mapping="output"),
    "quiet": Option(
        False, "Print only the three lines of the answer.", bool, flags=("--quiet", "-q"),
        mapping="output",
    ),
    "verbose": Option(
        False, "Print all measures and all details.", bool, flags=("--verbose", "-v"),
        mapping="output",
    ),
    "help_all": Option(False, "Show all options and exit.", bool, answer=click.Context.get_help),
}  # fmt: skip


def takes(names: str, **own: Option) -> Callable[[Command], click.Command]:
    """Return a decorator that makes a command of a function.

    Parameters
    ----------
    names : str
        Options separated by blanks: of `OPTIONS` or `own`. `help_all` is added to all.
    **own : Option
        Options of this command only; they replace shared ones of the same name.
    """
    options = {name: (own.get(name) or OPTIONS[name]) for name in f"{names} help_all".split()}

    def decorate(command: Command) -> click.Command:
        named = inspect.signature(command).parameters

        def call(**typed: Any) -> None:
            context = click.get_current_context()
            values = {k: list(v) or None if isinstance(v, tuple) else v for k, v in typed.items()}
            lists = [n for n, o in options.items() if o.is_positional and o.is_list]
            has_several = any(len(values[name] or []) > 1 for name in lists)
            if has_several and (said := stray_word(context.command, context.obj or [])):
                raise InvalidArgumentError(said)
            collected: dict[str, dict[str, Any]] = {"reading": {}, "arguments": {}, "output": {}}
            with prints_to_messages():  # a learner's file may print
                for name, option in options.items():
                    if name not in named:
                        value = values.pop(name)
                        converted = option.convert(value) if option.convert else value
                        if option.answer is None:
                            collected[option.mapping][option.argument or name] = converted
            output = Output(**collected.pop("output"))
            handed = {"context": context, "given": Given(output=output, **collected), **values}
            command(**{name: handed[name] for name in named})

        parameters = _parameters(options)
        return GroupedHelpCommand(None, callback=call, params=parameters, help=command.__doc__)

    return decorate


def _parameters(options: Mapping[str, Option]) -> list[click.Parameter]:
    """Return the parameters of a command in the order of the help, the less used ones hidden."""
    positional = [name for name, option in options.items() if option.is_positional]
    flags = sorted(set(options).difference(positional), key=list(_PLACES).index)
    shown = sorted(flags, key=lambda name: _PLACES[name][1])[:_MOST_SHOWN]
    parameters = [options[name].parameter(name, "") for name in positional]
    for name in flags:
        is_hidden = name not in (*shown, "help_all")
        group = options[name].group or _PLACES[name][0]
        parameters.append(options[name].parameter(name, group, is_hidden=is_hidden))
    return parameters
