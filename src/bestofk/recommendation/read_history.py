"""Choice of the reader that makes a history from user input."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from bestofk.errors import InvalidArgumentError
from bestofk.evaluation.store import Store
from bestofk.recommendation.aslib_scenario import read_aslib_scenario
from bestofk.recommendation.history import History
from bestofk.recommendation.history_of_stores import read_stores
from bestofk.recommendation.score_time_table import read_long_table
from bestofk.recommendation.table_figures import direction_of, plain_name
from bestofk.recommendation.wide_score_tables import read_wide_tables

Source = str | os.PathLike[str] | Store

_STORE_START = b"SQLite format 3\x00"
_TABLE_ENDINGS = (".csv", ".tsv", ".txt")
_TIME_WORDS = {"second", "seconds", "time", "times", "runtime", "runtimes", "sec", "secs"}
_WIDE_KEYS = ("scores", "errors", "seconds")
_KINDS = (
    "Hand over the folder of an ASlib scenario, store files, a CSV file with one row per data "
    "set and learner, or {'scores': file, 'seconds': file}"
)


def read_history(source: Source | Sequence[Source] | Mapping[str, Any], **options: Any) -> History:
    """Read a history from whatever holds one.

    Parameters
    ----------
    source : str, Path, Store, or sequence or mapping of them
        One of

        - the folder of an ASlib scenario, with ``description.txt``,
        - store files or open stores, one or several,
        - a CSV file, gzipped or not, with one row per data set and learner,
        - a mapping with ``scores`` or ``errors`` and, where there are times, ``seconds``: CSV
          files with one row per data set and one column per learner; or two files whose names
          say which they are, such as ``errors.csv`` and ``seconds.csv``.
    **options
        Of a store: `measure`; see `bestofk.recommendation.history_of_stores.read_stores`.  Of a CSV
        file with one row per data set and learner: `data_set`, `learner`, `score`, `error`,
        `seconds`, `fold`, `n_folds`; see `bestofk.recommendation.score_time_table.read_long_table`.
        None stands for an option that is not given.

    Returns
    -------
    History

    Raises
    ------
    InvalidArgumentError
        If the source is none of these, an option is not one of its kind, or it cannot be read.
    StoreError
        If a store file is missing, damaged or no store.

    Examples
    --------
    >>> from bestofk import Store, compare
    >>> with Store() as store:
    ...     _ = compare(["nearest-mean", "majority"], "iris", cv="5x2", store=store)
    ...     read_history(store)
    History(1 data sets x 2 learners, accuracy)
    """
    given = {name: value for name, value in options.items() if value is not None}
    if isinstance(source, Mapping):
        return _read_wide(source, given)
    sources = _listed(source)
    if sources and all(map(_is_store, sources)):
        _check_options("stores", given, ("measure",))
        return read_stores(*sources, **given)
    if len(sources) == 2 and all(map(_is_table, sources)):
        return _read_wide(_scores_and_seconds(*sources), given)
    if len(sources) != 1:
        names = ", ".join(map(_shown, sources)) or "nothing"
        raise InvalidArgumentError(
            f"source of a history must be of one kind; got {names}. {_KINDS}."
        )
    return _read_one(Path(str(sources[0])), given)


def _listed(source: Any) -> list[Source]:
    sources = list(source) if isinstance(source, (list, tuple)) else [source]
    for item in sources:
        if not isinstance(item, (str, os.PathLike, Store)):
            raise InvalidArgumentError(
                f"source of a history must be a path or an open store; got {type(item).__name__}. "
                f"{_KINDS}."
            )
    return sources


def _read_one(path: Path, options: Mapping[str, Any]) -> History:
    if path.is_dir():
        _check_options("an ASlib scenario", options, ())
        return read_aslib_scenario(path)
    if not _is_table(path):
        raise InvalidArgumentError(
            f"source of a history must be a folder, a store or a table; got {path}, "
            f"{'of another kind' if path.exists() else 'which is not there'}. {_KINDS}."
        )
    _check_options(
        "a table", options, ("data_set", "learner", "score", "error", "seconds", "fold", "n_folds")
    )
    return read_long_table(path, **options)


def _read_wide(tables: Mapping[str, Any], options: Mapping[str, Any]) -> History:
    _check_options("wide tables", options, ())
    unknown = [str(key) for key in tables if key not in _WIDE_KEYS]
    if unknown:
        raise InvalidArgumentError(
            f"mapping of wide tables must have the keys {', '.join(_WIDE_KEYS)}; got "
            f"{', '.join(unknown)}. Give scores or errors, and seconds."
        )
    return read_wide_tables(**tables)


def _scores_and_seconds(first: Source, second: Source) -> dict[str, Source]:
    """Return which of two wide tables holds what, by their names."""
    timed = [_holds_times(item) for item in (first, second)]
    if timed[0] != timed[1]:
        rated, seconds = (second, first) if timed[0] else (first, second)
        direction = direction_of(Path(str(rated)).name)
        if direction is not None:
            return {direction: rated, "seconds": seconds}
    raise InvalidArgumentError(
        f"wide tables must be named like scores or errors, and like seconds; got {first} and "
        f"{second}. Say which is which by {{'scores': ..., 'seconds': ...}}, or 'errors'."
    )


def _holds_times(source: Source) -> bool:
    return bool(set(plain_name(Path(str(source)).name).split("_")) & _TIME_WORDS)


def _is_store(source: Source) -> bool:
    """Tell whether a source is a store: open, with its first bytes, or not named like a table."""
    if isinstance(source, Store):
        return True
    path = Path(source)
    if path.is_dir() or not path.is_file():
        return False
    try:
        with path.open("rb") as file:
            start = file.read(len(_STORE_START))
    except OSError:
        return False
    return start == _STORE_START or not _is_table(source)


def _is_table(source: Source) -> bool:
    name = "" if isinstance(source, Store) else Path(source).name.casefold()
    return name.removesuffix(".gz").endswith(_TABLE_ENDINGS)


def _shown(source: Source) -> str:
    return "an open store" if isinstance(source, Store) else str(source)


def _check_options(kind: str, given: Mapping[str, Any], known: Sequence[str]) -> None:
    unknown = [name for name in given if name not in known]
    if unknown:
        raise InvalidArgumentError(
            f"options of {kind} must be {', '.join(known) or 'none'}; got {', '.join(unknown)}. "
            "Leave out what belongs to another kind of source."
        )
