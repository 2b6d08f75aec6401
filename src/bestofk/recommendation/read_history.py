"""Readers of all sources of a history, and the part that applies to given learners.

The history that comes along is the whole catalogue on real data sets.
"""

import os
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from bestofk.array_types import Bools
from bestofk.data import DataSet
from bestofk.data.data_set import CLASSIFICATION
from bestofk.data.file_errors import check_same
from bestofk.errors import InvalidArgumentError
from bestofk.evaluation.store import Store
from bestofk.learners import Learner
from bestofk.recommendation.history import History, join_histories
from bestofk.recommendation.history_of_stores import SHORT_IDENTITY, read_stores
from bestofk.recommendation.history_of_tables import (
    direction_from_name,
    history_of_scores,
    read_aslib_scenario,
    seconds_in,
)
from bestofk.score_tables.score_column_names import plain_name
from bestofk.score_tables.score_formats.data_set_rows import read_data_set_rows
from bestofk.score_tables.score_formats.read_score_table import read_score_table
from bestofk.score_tables.score_formats.score_format import ScoreTable

TABLE = Path(__file__).with_name("shipped_history.csv")


def shipped_history() -> History:
    """Return accuracies and seconds of the classifiers of the catalogue on real data sets.

    One repeat of stratified 10-fold cross-validation, one thread.  A second of its times is that of
    100 fits of scikit-learn's decision tree on 1,000 rows and 20 columns, on any machine; see
    ``replications/shipped_history.py``, which makes the table.

    Returns
    -------
    History
        With the sizes of the data sets.

    Examples
    --------
    >>> history = shipped_history()
    >>> history.n_data_sets >= 40, history.measure
    (True, 'accuracy')
    """
    table = pd.read_csv(TABLE, comment="#", keep_default_na=False, na_values=[""])
    rows = table.drop_duplicates("data_set")
    learners = list(dict.fromkeys(table["learner"]))
    wide = table.pivot(index="data_set", columns="learner").loc[rows["data_set"]]
    first = TABLE.read_text(encoding="utf-8").splitlines()[0].removeprefix("# ")
    return History.from_arrays(
        wide["accuracy"][learners].to_numpy(),
        wide["seconds"][learners].to_numpy(),
        data_sets=rows["data_set"],
        learners=learners,
        default_scores=rows["default_accuracy"],
        shapes=rows[["n_samples", "n_features"]],
        states=wide["state"][learners].to_numpy(dtype=str),
        machines=[first],
    )


Source = str | os.PathLike[str] | Store

_STORE_START = b"SQLite format 3\x00"
_TABLE_ENDINGS = (".csv", ".tsv", ".txt", ".dat", ".arff", ".parquet", ".xml", ".json")
_TIME_WORDS = {"second", "seconds", "time", "times", "runtime", "runtimes", "sec", "secs"}
_WIDE_KEYS = ("scores", "errors", "seconds")
_KINDS = (
    "Hand over the folder of an ASlib scenario, store files, a table of scores, or {'scores': "
    "file, 'seconds': file}"
)


def read_history(source: Source | Sequence[Source] | Mapping[str, Any], **options: Any) -> History:
    """Read a history from stores, tables of scores or an ASlib scenario.

    Parameters
    ----------
    source : str, Path, Store, or sequence or mapping of them
        One of

        - the folder of an ASlib scenario, with ``description.txt``,
        - store files or open stores, one or several,
        - a table of scores in any format of `bestofk.score_tables.score_formats`: long or wide CSV,
          ARFF or Parquet, or what WEKA, AMLB, TabArena, mlr3, scikit-learn or OpenML wrote,
        - a mapping with ``scores`` or ``errors`` and, where there are times, ``seconds``: CSV
          files with one row per data set and one column per learner; or two files whose names
          say which they are, such as ``errors.csv`` and ``seconds.csv``.
    **options
        `measure`: which of several, of stores and tables.  Of a table also `columns`, the
        column of a role such as ``{"learner": "clf", "seconds": "wall"}``; `greater_is_better`,
        where names do not tell; `n_folds`, of which its seconds are means.  None stands for an
        option that is not given.

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
    _check_options("a table", options, ("columns", "measure", "greater_is_better", "n_folds"))
    rest = dict(options)
    table = read_score_table(path, columns=rest.pop("columns", None), measure=rest.get("measure"))
    return history_of_scores(table, **rest)


def _read_wide(tables: Mapping[str, Any], options: Mapping[str, Any]) -> History:
    """Return the history of a table of scores or errors, and one of seconds."""
    _check_options("wide tables", options, ())
    unknown = [str(key) for key in tables if key not in _WIDE_KEYS]
    if unknown:
        raise InvalidArgumentError(
            f"mapping of wide tables must have the keys {', '.join(_WIDE_KEYS)}; got "
            f"{', '.join(unknown)}. Give scores or errors, and seconds."
        )
    rated = [key for key in ("scores", "errors") if tables.get(key) is not None]
    if len(rated) != 1:
        raise InvalidArgumentError(
            f"wide tables must be scores or errors, one of the two; got "
            f"{'both' if rated else 'neither'}. Say which, so that the direction is known."
        )
    path = Path(tables[rated[0]])
    if _rating_of(path) not in (None, rated[0]):
        raise InvalidArgumentError(
            f"{path} must not be named like {_rating_of(path)} to be taken as {rated[0]}; got it "
            f"as {rated[0]}. Hand it over as {_rating_of(path)}, or rename it."
        )
    table = read_data_set_rows(path)
    if tables.get("seconds") is not None:
        table = _with_seconds(table, read_data_set_rows(Path(tables["seconds"])))
    return history_of_scores(
        table, measure=rated[0].removesuffix("s"), greater_is_better=rated[0] == "scores"
    )


def _with_seconds(table: ScoreTable, timed: ScoreTable) -> ScoreTable:
    """Return scores with the seconds that another table has for the same rows and columns."""
    for what, role in (("rows", "dataset"), ("columns", "learner")):
        names, others = table.columns[role], timed.columns[role]
        check_same(what, Path(table.source), names, Path(timed.source), others)
    cells = _cells(timed)
    values = seconds_in(Path(timed.source), timed.columns["value"], cells, column="seconds")
    seconds = dict(zip(cells, values.tolist(), strict=True))
    column = {"seconds": [seconds[cell] for cell in _cells(table)]}
    return replace(table, columns=table.columns | column)


def _cells(table: ScoreTable) -> list[str]:
    columns = table.columns
    pairs = zip(columns["learner"], columns["dataset"], strict=True)
    return [f"{learner} on {data_set}" for learner, data_set in pairs]


def _scores_and_seconds(first: Source, second: Source) -> dict[str, Source]:
    """Return which of two wide tables holds scores and which seconds, by their names."""
    timed = [_holds_times(item) for item in (first, second)]
    if timed[0] != timed[1]:
        rated, seconds = (second, first) if timed[0] else (first, second)
        rating = _rating_of(Path(str(rated)))
        if rating is not None:
            return {rating: rated, "seconds": seconds}
    raise InvalidArgumentError(
        f"wide tables must be named like scores or errors, and like seconds; got {first} and "
        f"{second}. Say which is which by {{'scores': ..., 'seconds': ...}}, or 'errors'."
    )


def _rating_of(path: Path) -> str | None:
    """Return scores or errors where the name of a file says which it holds."""
    is_greater = direction_from_name(path.name.partition(".")[0])
    return None if is_greater is None else "scores" if is_greater else "errors"


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


SHIPPED = "shipped"  # the name, among sources, of the history that comes along


def usable_history(
    data: DataSet, learners: Sequence[Learner], given: Any, store: Any = None
) -> tuple[History, tuple[str, ...]]:
    """Return the history of the learners, one column each, and the notes about it.

    Parameters
    ----------
    data : DataSet
        The new data set; earlier results on it are left out.
    learners : sequence of Learner
        The columns that are wanted; one that the history lacks is empty.
    given : History, or what `read_history` takes, or None
        None for the history that comes along; "shipped" in a list of sources joins it to them.
    store : str, Path, Store or None
        Where runs will be kept; as a source it is empty as long as it is not there.

    Returns
    -------
    history : History
        Without any row where it is of another task or knows none of the learners.
    notes : tuple of str
        What a reader should know about it.
    """
    names = [learner.name for learner in learners]
    history = read_sources(given, store)
    notes = list(history.notes)
    is_same = _is_same(history, data)
    if is_same.any():
        history = history.part(data_sets=np.flatnonzero(~is_same))
        notes.append(f"Earlier results on {data.name} itself were left out of the history.")
    unknown = [name for name in names if name not in history.learners]
    useless = ""
    if history.task != data.task:
        useless = f"is of {history.task} and says nothing about {data.task}: learners"
    elif not history.n_data_sets:
        useless = "is empty: learners"
    elif len(unknown) == len(names):
        useless = "knows none of the learners: they"
    if useless:
        notes.append(f"The history {useless} are tried in the order of the catalogue.")
        return _empty_history(names, data.task), tuple(notes)
    if unknown:
        notes.append(f"Not in the history: {', '.join(unknown)}.")
    others = [name for name in history.learners if name not in names]
    if others and given is not None:
        notes.append(f"In the history, but not among the learners: {', '.join(others)}.")
    return history.over(names), tuple(notes)


def read_sources(given: Any, store: Any = None, **options: Any) -> History:
    """Read a history from sources of `read_history`, or "shipped" for the built-in one.

    Parameters
    ----------
    given : History, str, Path, Store, sequence, mapping or None
        None for the history that comes along.
    store : str, Path, Store or None
        Where runs will be kept; as a source it is empty as long as it is not there.
    **options
        Of `read_history`.

    Returns
    -------
    History
    """
    if given is None:
        return shipped_history()
    if isinstance(given, History):
        return given
    sources = list(given) if isinstance(given, list | tuple) else [given]
    read = [source for source in sources if not (_is_shipped(source) or _is_to_come(source, store))]
    if len(read) == len(sources):
        return read_history(given, **options)
    own = read_history(read, **options) if read else _empty_history((), CLASSIFICATION)
    if not any(map(_is_shipped, sources)):
        return own
    return join_histories(shipped_history(), own) if read else shipped_history()


def _is_shipped(source: Any) -> bool:
    return isinstance(source, str) and source == SHIPPED


def _is_to_come(source: Any, store: Any) -> bool:
    """Return whether a source is the store of this call and does not exist yet."""
    if not (isinstance(source, str | Path) and isinstance(store, str | Path)):
        return False
    return Path(source) == Path(store) and not Path(source).exists()


def _is_same(history: History, data: DataSet) -> Bools:
    """Return which rows are the new data set: by name and size, as far as it is known.

    Where data sets of a store share a name, the start of their identity is a part of it.
    """
    sizes = np.array([data.n_samples, data.n_features])
    fits = (np.isnan(history.shapes) | (history.shapes == sizes)).all(axis=1)
    full_name = f"{data.name} ({data.id[:SHORT_IDENTITY]})"
    names = np.array(history.data_sets, dtype=object)
    return np.asarray((names == full_name) | ((names == data.name) & fits), dtype=bool)


def _empty_history(names: Sequence[str], task: str) -> History:
    nothing = np.empty((0, len(names)))
    return History.from_arrays(nothing, nothing, learners=names, task=task)
