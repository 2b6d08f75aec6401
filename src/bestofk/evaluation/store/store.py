"""Store of runs in one SQLite file or in memory, with the same interface.

Runs are keyed by content (data, learner, split, random stream) and written by
insert-or-ignore, so nothing is written twice, and any number of processes on one machine
may write at once.  A background thread writes added runs within a quarter of a second.
"""

from __future__ import annotations

import functools
import itertools
import json
import os
import zlib
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from bestofk.array_types import Ints
from bestofk.data.text_file import inflated
from bestofk.errors import StoreError
from bestofk.evaluation.status import ERROR, MEMORY, TIMEOUT, is_ok
from bestofk.evaluation.store import schema
from bestofk.evaluation.store.checksum import (
    SEALED,
    insertion,
    row_checksum,
    sealed,
)
from bestofk.evaluation.store.entries import unpacked_rows
from bestofk.evaluation.store.runs import (
    RunPositions,
    Runs,
    StoredRuns,
    as_keys,
)
from bestofk.evaluation.store.store_copy import contradictions
from bestofk.measures import Measure, get_measure, resolve_pos_label
from bestofk.randomness import derive_seeds
from bestofk.words import printable

# Purpose of the decision at the end of an adaptive comparison: the runs each learner needed.
ENDING = "ending"
# Names of failures in an overview; of several for one run the first counts, as in `read_runs`.
_COUNTED = {ERROR: "errors", MEMORY: "memory", TIMEOUT: "timeouts"}
# Number of runs of a learner on a data set that are used to estimate its time.
_TIMED_RUNS = 10
# Up to this size all scores are read to find damage, which takes a second at most.
_READ_BYTES = 20_000_000
_ENTRIES = ("data_set", "learner", "plan", "comparison", "comparison_learner")
_OF_COMPARISONS = """FROM comparison c JOIN data_set d ON d.number = c.data_set
    JOIN plan p ON p.number = c.plan JOIN comparison_learner k ON k.comparison = c.number
    JOIN learner l ON l.number = k.learner ORDER BY c.number, k.position"""


class StoredData(NamedTuple):
    """A data set as stored: target and description, without the features."""

    number: int
    id: str
    name: str
    task: str
    classes: np.ndarray
    y: np.ndarray
    n_samples: int
    n_features: int

    @property
    def positive(self) -> int | None:
        """Position of the default positive class of two, whatever class a comparison used."""
        n_classes = len(self.classes)
        if n_classes != 2:
            return None
        return resolve_pos_label(self.classes, np.bincount(self.y, minlength=n_classes))

    def measure(self, name: str) -> Measure:
        """Return the measure with a name for these classes, or raise."""
        label = None if self.positive is None else self.classes[self.positive]
        return get_measure(name, task=self.task, classes=self.classes, pos_label=label)


class StoredLearner(NamedTuple):
    """A learner of a comparison, with its data set and plan."""

    data: StoredData
    plan_number: int
    plan_id: str
    plan: str
    random_state: int
    name: str
    number: int
    id: str
    stream_name: str


class StoredSplits(NamedTuple):
    """The splits of a plan in order, column by column."""

    repeat: Ints
    fold: Ints
    number: Ints
    n_train: Ints
    n_test: Ints
    test_rows: list[Ints]


class Store(Runs):
    """File that keeps finished runs, written within a second.

    Parameters
    ----------
    path : str, Path or None
        The file, created if it does not exist; None keeps everything in memory.

    Raises
    ------
    StoreError
        If the file is not a store, is damaged, has another version or is on a network file
        system.

    Examples
    --------
    >>> with Store(None) as store:
    ...     store.n_runs()
    0
    """

    def __repr__(self) -> str:
        return printable(f"<Store {'in memory' if self.path is None else self.path}>")

    def mend(self) -> None:
        """Repair the index of rows, and of small stores delete runs that lack a score.

        Damaged runs are deleted by `runs`, scores of large stores by `scores`.
        """
        self.mended.clear()
        self._has_sound_scores = False
        if self.size_bytes() <= _READ_BYTES:
            self.mend_scores()
        if not self._is_in_order:
            with self.transaction() as connection:
                schema.put_in_place(connection)
            self.mended.append("an index")
            self._is_in_order = True

    def keep_decisions(
        self, comparison: int, purpose: str, contents: Sequence[Any], *, start: int = 0
    ) -> None:
        """Store decisions of a comparison, before they take effect.

        Parameters
        ----------
        comparison : int
            Its number.
        purpose : str
            Type of decision; decisions of other purposes are kept apart.
        contents : sequence
            Values that JSON can hold, in the order decided.
        start : int, default=0
            Number of earlier decisions; later ones in the store are dropped.
        """
        texts = [json.dumps(content) for content in contents]
        rows = [(comparison, purpose, start + i, text) for i, text in enumerate(texts)]
        with self.transaction() as connection:
            connection.execute(
                "DELETE FROM decision WHERE comparison = ? AND purpose = ? AND place >= ?",
                (comparison, purpose, start),
            )
            connection.executemany(insertion("decision"), sealed(rows))

    def decisions(self, comparison: int, purpose: str) -> list[Any]:
        """Return the decisions of `keep_decisions`, up to the first that is damaged."""
        query = f"""SELECT {SEALED["decision"]} FROM decision
            WHERE comparison = ? AND purpose = ? ORDER BY place"""
        results: list[Any] = []
        for *row, checksum in self.rows(query, (comparison, purpose)):
            if row_checksum(row) != checksum or row[2] != len(results):
                break
            results.append(json.loads(row[3]))
        return results

    def n_runs(self) -> int:
        """Return the number of runs in the store."""
        self.flush()
        return int(self.rows("SELECT count(*) FROM run", ())[0][0])

    def size_bytes(self) -> int:
        """Return the size in bytes: of the file once its log is merged, or of the memory held."""
        self.flush()
        query = "SELECT page_count, page_size FROM pragma_page_count, pragma_page_size"
        pages, size = self.rows(query, ())[0]
        return int(pages * size)

    def check(self, *others: str | os.PathLike[str]) -> list[str]:
        """Read everything and name what is damaged; nothing is changed.

        Parameters
        ----------
        *others : str or Path
            Other stores, of which only runs are compared.

        Returns
        -------
        list of str
            One entry per damaged run or other row, and per run whose status or predictions are
            not the same in all stores that have it. Empty if every row has its checksum and its
            indices fit.

        Raises
        ------
        StoreError
            If another store cannot be read, or this one has no file to compare with others.

        Examples
        --------
        >>> with Store() as store:
        ...     store.check()
        []
        """
        self.flush()

        def read() -> list[str]:
            name = schema.row_names(self._connection)
            rows = [name(*row) for row in schema.damaged_rows(self._connection)]
            return rows + schema.contradictions(self._connection)

        names: list[str] = self.guarded(read)
        if others and self.path is None:
            raise StoreError(
                "store must be a file to be compared with others; got one in memory. Name a file."
            )
        paths = [Path(path) for path in (self.path, *others) if path is not None]
        return names + (contradictions(paths) if others else [])

    def overview(self) -> list[dict[str, Any]]:
        """Return one row per comparison and learner: planned, finished and failed runs, state.

        ``seconds`` is the mean of some finished runs, None where there is none.
        The state is "finished", "unfinished", or "ended early after N runs" where an analysis
        in between decided that a learner needs no more.

        Raises
        ------
        StoreError
            If what is kept of data sets, plans, learners or comparisons is damaged.
        """
        self.flush()
        self.check_entries(*_ENTRIES)
        query = f"""
            SELECT c.number, d.name, p.name, c.random_state, k.name, l.class,
                   p.n_repeats * p.n_folds, d.n_samples, d.number, d.id, p.number, l.number,
                   l.stream_name
            {_OF_COMPARISONS}"""
        names = ("comparison", "data", "cv", "random_state", "learner", "class", "planned",
                 "n_samples", "finished", *_COUNTED.values(), "seconds")  # fmt: skip
        indices_of = functools.cache(self._indices_of)
        results: list[dict[str, Any]] = []
        for *row, data, data_id, plan, learner, stream_name in self.rows(query):
            counts = self._count(data, learner, indices_of(plan), (row[3], data_id, stream_name))
            seconds = self._mean_seconds(data, learner)
            results.append(dict(zip(names, (*row, *counts, seconds), strict=True)))
        for number, learners in itertools.groupby(results, key=lambda row: row["comparison"]):
            endings = self.decisions(number, ENDING)
            for index, result in enumerate(learners):
                n_asked = endings[index] if index < len(endings) else None
                result["state"] = _state(result["finished"], result["planned"], n_asked)
        return results

    def _mean_seconds(self, data: int, learner: int) -> float | None:
        """Return the mean seconds of some finished runs; reading them passes by their blobs."""
        query = f"""SELECT avg(seconds) FROM (
            SELECT train_seconds + ifnull(predict_seconds, 0) AS seconds FROM run
            WHERE data_set = ? AND learner = ? AND {is_ok.sql} LIMIT {_TIMED_RUNS})"""
        return self.rows(query, (data, learner))[0][0]  # type: ignore[no-any-return]

    def _indices_of(self, plan: int) -> Ints:
        """Return repeat, fold and split of every split of a plan, shape (3, n_splits)."""
        query = "SELECT repeat, fold, split FROM plan_split WHERE plan = ?"
        return self.integers(query, (plan,), 3)

    def _count(
        self, data: int, learner: int, indices: Ints, names: tuple[int, str, str]
    ) -> list[int]:
        """Return how many runs of a plan there are, and how many failed in each way."""
        repeats, folds, splits = indices
        shape = (1 + int(repeats.max(initial=0)), 1 + int(folds.max(initial=0)))
        wanted = as_keys(splits, derive_seeds(*names, shape=shape)[repeats, folds])
        # no two places of a plan have the same key
        are_among = functools.partial(np.isin, wanted, assume_unique=True)
        query = "SELECT split << 32 | stream{} FROM run WHERE data_set = ? AND learner = ? {}"
        whose = (data, learner)
        n_there = int(are_among(self.integers(query.format("", ""), whose, 1)).sum())
        which = " ".join(f"WHEN '{status}' THEN {i}" for i, status in enumerate(_COUNTED))
        failed = query.format(f", CASE status {which} END", f"AND NOT {is_ok.sql}")
        ended = self.integers(failed, whose, 2)
        counts = dict.fromkeys(_COUNTED, 0)
        if ended.shape[1]:
            finished = self.integers(query.format("", f"AND {is_ok.sql}"), whose, 1)
            is_left = ~are_among(finished)
            for i, status in enumerate(_COUNTED):
                is_such = is_left & are_among(ended[0, ended[1] == i])
                counts[status] = int(is_such.sum())
                is_left &= ~is_such
        return [n_there, *counts.values()]

    def stored_learners(self) -> list[StoredLearner]:
        """Return the learners of all comparisons, each once for a data set, plan and random state.

        Raises
        ------
        StoreError
            If an index or an entry is damaged.
        """
        self.flush()
        with self._lock:
            for text in self.guarded(lambda: schema.contradictions(self._connection)):
                raise self.damaged(f"an index ({text})")
        self.check_entries(*_ENTRIES, "plan_split", "score")
        query = f"""
            SELECT d.number, d.id, d.name, d.task, d.classes, d.y, d.n_samples, d.n_features,
                   p.number, p.id, p.name, c.random_state, k.name, l.number, l.id, l.stream_name
            {_OF_COMPARISONS}"""
        truths = functools.cache(_truth)
        learners: dict[tuple[Any, ...], StoredLearner] = {}
        for data, identity, name, task, classes, y, *rest in self.rows(query):
            try:
                known = StoredData(data, identity, name, task, *truths(classes, y), *rest[:2])
            except (ValueError, zlib.error) as error:
                raise self.damaged(f"the data set {name}") from error
            learner = StoredLearner(known, *rest[2:])
            learners.setdefault((data, *rest[2:]), learner)
        return list(learners.values())

    def has_stored_runs(self, learner: StoredLearner) -> bool:
        """Return whether there is a run of a learner of a comparison."""
        names = (learner.random_state, learner.data.id, learner.stream_name)
        return self.has_runs(learner.data.number, learner.number, learner.plan_number, names)

    def stored_splits(self, plan: int, n_samples: int) -> StoredSplits:
        """Return the splits of a plan, by its number.

        Raises
        ------
        StoreError
            If one of them is damaged.
        """
        parts = [np.empty((5, 0), dtype=np.int64)]
        test_rows: list[Ints] = []
        for (repeats, folds, numbers, split), *are_whole in self.checked_splits(plan):
            for index in np.flatnonzero(~np.logical_and(*are_whole)):
                raise self.damaged(f"the split of repeat {repeats[index]}, fold {folds[index]},")
            parts.append(np.array((repeats, folds, numbers, *split[1:3])))
            test_rows += unpacked_rows(split[3], n_samples, split[2])
        repeat, fold, number, n_train, n_test = np.concatenate(parts, axis=1)
        return StoredSplits(repeat, fold, number, n_train, n_test, test_rows)

    def runs_of(
        self, learner: StoredLearner, splits: StoredSplits
    ) -> Iterator[tuple[Ints, StoredRuns]]:
        """Give the runs of a learner of a comparison, some thousand at a time.

        Runs of other random states on the same splits are not among them.  A run that was ended
        by time limits and finished another time is there once for each.

        Yields
        ------
        ndarray
            Positions of the runs in the splits.
        StoredRuns
            The runs.

        Raises
        ------
        StoreError
            If one of them is damaged.
        """
        names = (learner.random_state, learner.data.id, learner.stream_name)
        shape = (1 + int(splits.repeat.max()), 1 + int(splits.fold.max()))
        seeds = derive_seeds(*names, shape=shape)[splits.repeat, splits.fold]
        positions = RunPositions(splits.number, seeds)
        whose, sizes = (learner.data.number, learner.number), (splits.number, splits.n_test)
        n_classes = len(learner.data.classes)
        for some in self.read_runs(*whose, n_classes=n_classes, splits=sizes):
            index_of = positions.find(some.splits, some.streams)
            for position in some.damaged:
                if (index := index_of[position]) >= 0:
                    raise self.damaged(
                        f"the run of {learner.name} on {learner.data.name}, "
                        f"repeat {splits.repeat[index]}, fold {splits.fold[index]},"
                    )
            asked = np.flatnonzero(index_of >= 0)
            if len(asked):
                yield index_of[asked], some.take(asked)


def _truth(classes: str, y: bytes) -> tuple[np.ndarray, np.ndarray]:
    """Return the classes of a data set and its positions in them, or its values."""
    known = np.array(json.loads(classes))
    return known, np.frombuffer(inflated(y), dtype=np.int64 if len(known) else np.float64)


def _state(n_finished: int, n_planned: int, n_asked: int | None) -> str:
    """Say how far a learner of a comparison is; `n_asked` is None while it is undecided."""
    if n_finished >= n_planned:
        return "finished"
    if n_asked is not None and n_finished >= n_asked:
        return f"ended early after {n_asked} runs"
    return "unfinished"
