"""Messages about wrong command lines, with what to type instead."""

import difflib
import shlex
from collections.abc import Iterator, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any

import click

_NEAR = 0.7  # least similarity of a misspelled name


def mistake(error: Any, root: Any, arguments: Sequence[str]) -> str:
    """Return the message about a command line that cannot be parsed.

    Parameters
    ----------
    error : usage error of click
        Click's own error.
    root : command of click
        The group of all commands.
    arguments : sequence of str
        Of the whole line.
    """
    said, context = error.format_message().rstrip("."), error.ctx
    path, command = (context.command_path, context.command) if context else ("bestofk", root)
    way_out = "--help"
    if isinstance(error, click.NoSuchOption):
        said = _unknown_option(error.option_name, path, command, root, arguments)
        way_out = "--help" if hasattr(command, "commands") else "--help-all"
    elif owners := [*_owners(getattr(error, "option_name", ""), root)]:
        path, param = max(owners, key=lambda item: len(set(item[0].split()) & set(arguments)))
        said = _wrong_value(said, param, arguments)
    elif getattr(error, "param", None) is not None:
        said = _wrong_value(said, error.param, arguments)
    elif said.startswith("No such command "):
        said = _unknown_command(said.removeprefix("No such command "), path, command)
    elif "unexpected extra argument" in said:
        said = stray_word(command, arguments) or _too_many(said, path, command)
    return f"{said}{'' if said.endswith(('.', '?')) else '.'} Try '{path} {way_out}'."


def _unknown_option(flag: str, path: str, command: Any, root: Any, arguments: Sequence[str]) -> str:
    # -learners is read as -l
    typed = next((word.partition("=")[0] for word in arguments if word.startswith(flag)), flag)
    owner = next((f", which {owner} has" for owner, _ in _owners(typed, root)), "")
    known = [text for option in command.params for text in _flags(option)]
    near = difflib.get_close_matches(typed, known, n=1, cutoff=0.8 if owner else _NEAR)
    hint = f". Did you mean {near[0]}?" if near else ""
    return f"option must be one that {path} has; got {typed}{owner}{hint}"


def _unknown_command(said: str, path: str, command: Any) -> str:
    """Return the message about an unknown command; click's text has its name and near matches."""
    sentence, word = f"command must be one that {path} has; got {said}", said.strip("'")
    if said.endswith("?"):
        return sentence
    if path == "bestofk" and _may_be_data(word):
        return f"{sentence}. Write bestofk compare {shlex.quote(word)}."
    return f"{sentence}. Known: {', '.join(command.commands)}."


def _wrong_value(said: str, param: Any, arguments: Sequence[str]) -> str:
    """Return the message about a value that is missing, superfluous or not a number."""
    values = [value for _, value, _ in _followed([param], arguments)]
    if not values or not values[-1]:
        rule, got = "followed by a value" if values else "given", "none"
    elif param.is_flag:
        return _sentence(param, values[-1], values[-1])
    else:
        rule, got = "a whole number" if "integer" in said else "a number", repr(values[-1][0])
    return f"{_name(param)} must be {rule}; got {got}. {param.help}"


def _too_many(said: str, path: str, command: Any) -> str:
    names = [_name(param) for param in command.params if not _flags(param)]
    rule = f"{' and '.join(names) or 'options'} alone"
    extra = said.partition(" (")[2].removesuffix(")")
    return f"{path} must be followed by {rule}; got {extra!r} too. Names with blanks go in quotes."


def _name(param: Any) -> str:
    """Return what the help calls an option or a positional argument."""
    flags = _flags(param)
    return max(flags, key=len) if flags else (param.metavar or param.name.upper()).strip(".[]")


def _flags(param: Any) -> list[str]:
    return [text for text in (*param.opts, *param.secondary_opts) if text.startswith("-")]


def _owners(flag: str, command: Any, path: str = "bestofk") -> Iterator[tuple[str, Any]]:
    """Yield the commands with an option, and the option."""
    for name, own in getattr(command, "commands", {}).items():
        yield from _owners(flag, own, f"{path} {name}")
    if not hasattr(command, "commands"):
        yield from ((path, param) for param in command.params if flag in _flags(param))


def stray_word(command: Any, arguments: Sequence[str]) -> str:
    """Return the message about the first word after an option that is not data.

    Parameters
    ----------
    command : click command
        Whose options they are.
    arguments : sequence of str
        Of the whole line.

    Returns
    -------
    str
        Empty where there is none.
    """
    for option, value, words in _followed(command.params, arguments):
        strays = [word for word in words if not _may_be_data(word)]
        if strays:
            return _sentence(option, [*value, *strays], strays)
    return ""


def _followed(
    params: Sequence[Any], arguments: Sequence[str]
) -> Iterator[tuple[Any, list[str], list[str]]]:
    """Yield each option with its value and the words up to the next option."""
    options = {flag: param for param in params for flag in param.opts if flag.startswith("-")}
    starts = [i for i, text in enumerate(arguments) if text.partition("=")[0] in options]
    for start, end in pairwise([*starts, len(arguments)]):
        name, equals, text = arguments[start].partition("=")
        option, words = options[name], list(arguments[start + 1 : end])
        if not equals and not option.is_flag:
            text, words = words[0] if words else "", words[1:]
        yield option, [text] if text else [], words


def _may_be_data(word: str) -> bool:
    """Return whether a word is a file or a data set, or misspells one."""
    from bestofk.data import data_set_names
    from bestofk.data.load import is_known_name

    if set(word) & set("/\\.*?") or Path(word).exists() or is_known_name(word):
        return True
    names = [name for name, _ in data_set_names()]
    return bool(difflib.get_close_matches(word, names, n=1, cutoff=_NEAR))


def _sentence(option: Any, typed: Sequence[str], strays: Sequence[str]) -> str:
    name, got = max(option.opts, key=len), " ".join(typed)
    if option.is_flag:
        hint = "; learners are named by --learners" if _is_learner(strays[0]) else ""
        return f"{name} must come without a value; got {got!r} after it. Leave that out{hint}."
    if option.multiple and option.metavar is None:
        return (
            f"{name} must be one word, with commas; got {got!r}. "
            f"Write {name} {shlex.quote(','.join(word.strip(',') for word in typed))}."
        )
    if option.multiple:
        lines = " ".join(f"{name} {shlex.quote(word)}" for word in typed)
        return f"{name} must be given once for each value; got {got!r}. Write {lines}."
    way_out = f"A name with blanks goes in quotes. Its help: {option.help}"
    return f"{name} must be one value; got {got!r}. {way_out}"


def _is_learner(word: str) -> bool:
    from bestofk.learners import learner_catalogue

    return word in learner_catalogue(optional=True)
