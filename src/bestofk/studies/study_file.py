"""Reader of study files: TOML whose every key is checked."""

import json
import math
import os
import tomllib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

from bestofk.checks import is_number, is_whole, nearest_name, wrong_source
from bestofk.comparison.options import OPTIONS, ComparisonSettings
from bestofk.data.file_options import FILE_OPTIONS
from bestofk.errors import InvalidArgumentError
from bestofk.evaluation.guarded.limits import Limits
from bestofk.evaluation.options import bytes_of, seconds_of
from bestofk.learners.written_learners import WrittenLearner
from bestofk.options import chosen
from bestofk.studies.problems import Problems
from bestofk.studies.study_settings import (
    FILE,
    OPENML_SUITE,
    OPENML_TASK,
    DataItem,
    LearnerItem,
    StudySettings,
)

_MOST_BYTES = 10_000_000  # a larger file is no study
_EXAMPLE = 'Write data = ["iris", "wine"] and learners = ["cart", "logistic"].'


class _Rule(NamedTuple):
    """Rule of the value of a key: in words, as a check, and an example that follows it."""

    text: str
    holds: Callable[[Any], bool]
    example: str


def _is_text(value: Any) -> bool:
    return isinstance(value, str) and bool(value.strip())


def _is_number(value: Any) -> bool:
    return is_number(value) and math.isfinite(value)


def _are_texts(value: Any) -> bool:
    return isinstance(value, list) and bool(value) and all(map(_is_text, value))


def _is_preference(value: Any) -> bool:
    is_table = isinstance(value, dict) and bool(value) and all(map(_is_number, value.values()))
    return _is_text(value) or _are_texts(value) or is_table


def _is_table_of_texts(value: Any) -> bool:
    return isinstance(value, dict) and all(map(_is_text, value.values()))


def _are_marks(value: Any) -> bool:
    by_column = value.values() if isinstance(value, dict) else [value]
    return all(isinstance(item, str) or item == [] or _are_texts(item) for item in by_column)


def _is_text_or_whole(value: Any) -> bool:
    return _is_text(value) or is_whole(value)


def _is_text_or_texts(value: Any) -> bool:
    return _is_text(value) or _are_texts(value)


# What an option of `compare` may be, in the words of its declaration.
_KINDS: dict[str, Callable[[Any], bool]] = {
    "a text": _is_text,
    "a number": _is_number,
    "a whole number": is_whole,
    "true or false": lambda value: isinstance(value, bool),
    "a text or a whole number": _is_text_or_whole,
    "a stopping rule or a list of them": _is_text_or_texts,
    "a measure or a list of measures": _is_text_or_texts,
    "a number of seconds": _is_number,
    "an amount of memory": _is_text_or_whole,
    "a text, a list of learners or a table of costs": _is_preference,
    "a length of time": lambda value: _is_text(value) or _is_number(value),
    "a file": _is_text,
    "any text": lambda value: isinstance(value, str) and value != "",
    "a table of texts by column": _is_table_of_texts,
    "a text, a list of texts or a table of them": _are_marks,
}


def _rule(kind: str, key: str, example: Any) -> _Rule:
    return _Rule(kind, _KINDS[kind], f"{key} = {json.dumps(example)}")


# Options that say how this study is done, and not what is compared.
_OF_STUDY = ("engine", "n_jobs", "budget", "store")
_DECLARED = {key: _rule(item.rule, key, item.example) for key, item in OPTIONS.items() if item.rule}
# Arguments of `compare`, which checks their values.
_OPTIONS = {key: rule for key, rule in _DECLARED.items() if key not in _OF_STUDY}
_OTHERS = {
    **{key: _DECLARED[key] for key in _OF_STUDY},
    "retries": _Rule("a whole number from 0", lambda v: is_whole(v) and v >= 0, "retries = 1"),
    "results": _Rule("a list of files", lambda v: v == [] or _are_texts(v), 'results = ["a.csv"]'),
}
_TOP = ("data", "learners", *_OPTIONS, *_OTHERS)
# Arguments of `load_data` for an entry of the data sets.
_READING = {
    "name": _rule("a text", "name", "iris"),
    "target": _rule("a text", "target", "class"),
    "task": _rule("a text", "task", "classification"),
    "roles": _Rule(
        "a table of roles by column", _is_table_of_texts, 'roles = {age = "numeric"}'
    ),
    "drop": _Rule("a list of columns", _are_texts, 'drop = ["id"]'),
    "groups": _rule("a text", "groups", "patient"),
    "weights": _rule("a text", "weights", "weight"),
    "time": _rule("a text", "time", "date"),
    "new_groups": _rule("true or false", "new_groups", True),
    **{key: _rule(item.rule, key, item.example) for key, item in FILE_OPTIONS.items()},
    "drop_missing_target": _rule("true or false", "drop_missing_target", True),
    "pos_label": _Rule(
        "a class", lambda value: isinstance(value, str | bool | int | float), 'pos_label = "yes"'
    ),
}  # fmt: skip
_SOURCES = {
    FILE: _Rule("a file, a pattern or a name", _is_text, 'file = "sets/*.arff"'),
    OPENML_TASK: _Rule("a number of OpenML", lambda v: is_whole(v) and v > 0, "openml_task = 31"),
    OPENML_SUITE: _Rule("a number of OpenML", lambda v: is_whole(v) and v > 0, "openml_suite = 99"),
}
_LEARNER = {
    "name": _rule("a text", "name", "rf-500"),
    "learner": _rule("a text", "learner", "random-forest"),
    "parameters": _Rule(
        "a table", lambda v: isinstance(v, dict), "parameters = {n_estimators = 500}"
    ),
    "timeout": _OPTIONS["timeout"],
    "memory": _OPTIONS["memory"],
}


def read_study_file(path: str | os.PathLike[str]) -> StudySettings:
    r"""Read a study file; every key is checked, nothing is trained and no data are read.

    Parameters
    ----------
    path : str or Path
        A TOML file. Its relative paths start from its folder.

    Returns
    -------
    StudySettings
        What it says. The store is the file with the ending ``.db`` unless it names another.

    Raises
    ------
    InvalidArgumentError
        If the file cannot be read, is no TOML, or keys or values break their rules: all of them
        are named.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> path = pathlib.Path(tempfile.mkdtemp(), "trees.toml")
    >>> _ = path.write_text('data = ["iris", "wine"]\nlearners = ["cart", "c45"]')
    >>> settings = read_study_file(path)
    >>> [item.learner for item in settings.learners], settings.store.name
    (['cart', 'c45'], 'trees.db')
    """
    path = Path(path)
    if path.exists() and (problem := wrong_source(path, "a study")):
        raise InvalidArgumentError(problem)
    try:
        if path.stat().st_size > _MOST_BYTES:
            raise InvalidArgumentError(
                f"a study file must be a short text; got {path} of {path.stat().st_size:,} bytes. "
                'Name data sets by a pattern, as data = ["sets/*.arff"].'
            )
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "it is not UTF-8 text"
        raise InvalidArgumentError(
            f"a study must be a TOML file; got {path}: {reason}. "
            "Make one with: bestofk study init NAME.toml."
        ) from error
    try:
        table = tomllib.loads(text)
        _check_sizes(table)
    except (ValueError, RecursionError) as error:
        is_mistake = isinstance(error, tomllib.TOMLDecodeError)
        mistake = str(error) if is_mistake else "too many brackets, or a number of too many digits"
        raise InvalidArgumentError(
            f"{path.name} must be TOML; got a mistake: {mistake}. {_EXAMPLE}"
        ) from error
    return settings_of(table, folder=path.parent, title=path.name)


def _check_sizes(value: Any) -> None:
    """Raise ValueError where a file holds a number that TOML cannot have."""
    if isinstance(value, int) and abs(value) >= 2**63:
        raise ValueError("a whole number of more than 64 bits")
    if isinstance(value, dict | list):
        for part in value.values() if isinstance(value, dict) else value:
            _check_sizes(part)


def settings_of(
    table: Mapping[str, Any], *, folder: str | os.PathLike[str] = ".", title: str = "study.toml"
) -> StudySettings:
    """Return the settings of a study from the keys and values of its file.

    Parameters
    ----------
    table : mapping
        As read from TOML.
    folder : str or Path, default="."
        What relative paths start from.
    title : str, default="study.toml"
        What messages call it, and, with another ending, the default store.

    Raises
    ------
    InvalidArgumentError
        As for `read_study_file`.

    Examples
    --------
    >>> settings_of({"data": ["iris", "wine"], "cv": "5x2"}).options
    {'cv': '5x2'}
    """
    problems, folder = Problems(title), Path(folder)
    _check_keys(table, _TOP, "", problems)
    rules = _OPTIONS | _OTHERS
    values = {key: value for key, value in table.items()
              if key in rules and _holds(key, value, rules[key], problems)}  # fmt: skip
    data = _items("data", table.get("data", []), _data_item, problems)
    learners = _items("learners", table.get("learners", []), _learner_item, problems)
    if table.get("data", []) == []:
        problems.note(f"data: it must name data sets; got none. {_EXAMPLE}")
    options = {key: values[key] for key in _OPTIONS if key in values}
    budget = None
    with problems.noted("settings"):
        ComparisonSettings(**chosen(ComparisonSettings, options))  # raises where it would later
    with problems.noted("budget"):
        budget = seconds_of(values["budget"], "budget") if "budget" in values else None
    problems.refuse()
    return StudySettings(
        data=tuple(data),
        learners=tuple(learners),
        options=options,
        engine=values.get("engine", "processes"),
        n_jobs=values.get("n_jobs", -1),
        budget=budget,
        retries=values.get("retries", 0),
        results=tuple(folder / name for name in values.get("results", ())),
        store=folder / values.get("store", f"{Path(title).stem}.db"),
        folder=folder,
        title=title,
    )


def _check_keys(
    table: Mapping[str, Any], known: Sequence[str], where: str, problems: Problems
) -> None:
    for key in table:
        if key not in known:
            what = f"key of {where}" if where else "key of a study"
            problems.note(
                f"{where + ', ' if where else ''}{key}: a {what} must be a known one; got "
                f"{key!r}. {nearest_name(key, known)}"
            )


def _holds(where: str, value: Any, rule: _Rule, problems: Problems) -> bool:
    """Return whether a value follows the rule of its key, and note it if not."""
    if rule.holds(value):
        return True
    shown = repr(value)
    shown = shown if len(shown) <= 60 else f"{shown[:57]}..."
    problems.note(f"{where}: it must be {rule.text}; got {shown}. Write {rule.example}.")
    return False


def _items(
    key: str, value: Any, read: Callable[[Any, str, Problems], Any], problems: Problems
) -> list[Any]:
    """Return the entries of a list of texts and tables, those without mistakes."""
    if not isinstance(value, list):
        problems.note(f"{key}: it must be a list; got {type(value).__name__}. {_EXAMPLE}")
        return []
    items = [read(item, f"{key}, item {i}", problems) for i, item in enumerate(value, start=1)]
    return [item for item in items if item is not None]


def _checked_table(
    item: Any, rules: Mapping[str, _Rule], where: str, problems: Problems
) -> dict[str, Any] | None:
    """Return an entry that is a table; None where something in it breaks its rule."""
    if not isinstance(item, dict):
        problems.note(
            f"{where}: it must be a text or a table; got {type(item).__name__}. {_EXAMPLE}"
        )
        return None
    n_before = len(problems.texts)
    _check_keys(item, list(rules), where, problems)
    for key, value in item.items():
        if key in rules:
            _holds(f"{where}, {key}", value, rules[key], problems)
    return item if len(problems.texts) == n_before else None


def _data_item(item: Any, where: str, problems: Problems) -> DataItem | None:
    if _is_text(item):
        return DataItem(item)
    table = _checked_table(item, _SOURCES | _READING, where, problems)
    if table is None:
        return None
    kinds = [kind for kind in _SOURCES if kind in table]
    if len(kinds) != 1:
        problems.note(
            f"{where}: it must have one of {', '.join(_SOURCES)}; got "
            f'{" and ".join(kinds) or "none"}. Write {{file = "x.csv", target = "y"}}.'
        )
        return None
    return DataItem(table[kinds[0]], kinds[0], {k: v for k, v in table.items() if k in _READING})


def _learner_item(item: Any, where: str, problems: Problems) -> LearnerItem | None:
    table = {"learner": item} if _is_text(item) else None
    table = table or _checked_table(item, _LEARNER, where, problems)
    if table is None:
        return None
    if "learner" not in table:
        problems.note(
            f"{where}: it must name a learner; got none. "
            'Write {name = "rf-500", learner = "random-forest"}.'
        )
        return None
    with problems.noted(where):
        written = WrittenLearner.read(table["learner"])
        both = {**written.settings, **table.get("parameters", {})}
        text = str(replace(written, settings=both))
        n_bytes = bytes_of(table["memory"], "memory") if "memory" in table else None
        limits = Limits(table.get("timeout"), n_bytes)
        return LearnerItem(text, table.get("name", ""), limits)
    return None
