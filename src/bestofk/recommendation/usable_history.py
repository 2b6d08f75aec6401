"""Part of a history that applies to given learners, without the new data set itself."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from bestofk.array_types import Bools
from bestofk.data import DataSet
from bestofk.data.data_set import CLASSIFICATION
from bestofk.learners import Learner
from bestofk.recommendation.history import History, join_histories
from bestofk.recommendation.history_of_stores import SHORT_IDENTITY
from bestofk.recommendation.read_history import read_history
from bestofk.recommendation.shipped_history import shipped_history

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
        notes.append(f"Not in the history, and tried last: {', '.join(unknown)}.")
    others = [name for name in history.learners if name not in names]
    if others and given is not None:
        notes.append(f"In the history, but not among the learners: {', '.join(others)}.")
    return history.over(names), tuple(notes)


def read_sources(given: Any, store: Any = None, **options: Any) -> History:
    """Read a history from sources of `read_history`, among them "shipped" for the usual one.

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
    """Return whether a source is the file in which runs will be kept, and is not there yet."""
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
