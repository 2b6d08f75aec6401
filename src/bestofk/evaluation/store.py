"""Store of runs: one SQLite file, or memory, with the same interface.

Runs are keyed by content (data, learner, split, random stream) and written by
insert-or-ignore, so nothing is written twice and any number of processes on one machine
may write at once.  A background thread writes what was added within a quarter of a second.
"""

from __future__ import annotations

import functools
import itertools
import json
import os
import sqlite3
import struct
import threading
import zlib
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from bestofk.data import DataSet
from bestofk.errors import StoreError
from bestofk.evaluation import store_file
from bestofk.evaluation.checksum import COVERED, row_checksum, run_checksum
from bestofk.evaluation.environment import describe_environment
from bestofk.evaluation.identity import BATCHED_MARK, LearnerIdentity
from bestofk.evaluation.record import BATCHED, ERROR, OK, PLAIN, TIMEOUT, RunRecord, decode, encode
from bestofk.randomness import derive_seed
from bestofk.resampling import Plan

# What is decided at the end of an adaptive comparison: the runs that each learner needed.
ENDING = "ending"
_FLUSH_SECONDS = 0.25
_BUSY_SECONDS = 120.0
# Rows of a split that take less are kept as they are (a block of zlib holds below 65,536).
_WORTH_BYTES = 4096
_RUN_COLUMNS = ", ".join(f"run.{name}" for name in COVERED["run"])
_ENTRIES = ("data_set", "learner", "plan", "comparison", "comparison_learner")
_SPLIT_COLUMNS = ", ".join(f"split.{name}" for name in COVERED["split"])
_SAME_RUN = "data_set = ? AND learner = ? AND split = ? AND stream = ?"
# How a run was fitted, as it has been written in the column `way` since there is one.
_WRITTEN_MODES = {PLAIN: "plain", BATCHED: "joint"}
_FIT_MODES = {text: mode for mode, text in _WRITTEN_MODES.items()}
# In place of the description of a machine that is damaged.
_UNKNOWN = {"machine": "unknown", "processor": "unknown", "python": "unknown", "cores": 0}
RunKey = tuple[int, int, int, int]  # numbers of data set, learner and split; random stream
# Whether a run r is one of comparison c: streams are derived from names, as the runner does.
_OWN_STREAM = "entry.stream = derive_seed(c.random_state, d.id, l.stream_name, s.repeat, s.fold)"


class StoredRun(NamedTuple):
    """Row of the store: a record and the values stored with it."""

    record: RunRecord
    has_predictions: bool
    environment: int


class Store:
    """Finished runs, durable within a second.

    Parameters
    ----------
    path : str, Path or None
        A file, made if it does not exist; None keeps everything in memory.

    Raises
    ------
    StoreError
        If the file is no store, damaged, of another version or on a network file system.

    Examples
    --------
    >>> with Store(None) as store:
    ...     store.n_runs()
    0
    """

    def __init__(self, path: str | os.PathLike[str] | None = None) -> None:
        self.path = None if path is None else Path(path)
        self._is_in_place = True
        if self.path is not None:
            self._is_in_place = store_file.prepare_file(self.path)
        self._lock = threading.RLock()
        self._pending: list[tuple[Any, ...]] = []
        self._pending_scores: list[tuple[Any, ...]] = []
        self._closing = threading.Event()
        self._failure: Exception | None = None
        self.is_read_only = self.path is not None and not store_file.is_writable(self.path)
        # entries of the file that were damaged and could be written again
        self.mended: list[str] = []
        self.n_written = 0  # runs of this process that are safe by now, but for uncounted ones
        self._n_uncounted = 0
        self._environment: int | None = None
        self._connection = self._connect()
        self._places = self._places_now()
        self._writer = threading.Thread(target=self._write_now_and_then, daemon=True)
        self._writer.start()

    def _connect(self) -> sqlite3.Connection:
        target = ":memory:" if self.path is None else str(self.path.absolute())
        try:
            if self.path is not None and self.is_read_only:
                connection = store_file.read_only_copy(self.path)
                connection.create_function("derive_seed", 5, derive_seed, deterministic=True)
                return connection
            connection = sqlite3.connect(
                target, timeout=_BUSY_SECONDS, check_same_thread=False, isolation_level=None
            )
            if self.path is None:
                connection.executescript(store_file.SCHEMA)
            else:
                store_file.keep_log(connection)
                connection.execute("PRAGMA synchronous = FULL")
                store_file.version_of(connection)  # SQLite makes the log when it first reads
        except sqlite3.DatabaseError as error:
            raise store_file.unusable(target, error) from error
        connection.create_function("derive_seed", 5, derive_seed, deterministic=True)
        return connection

    def __enter__(self) -> Store:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Write what is left and close the file."""
        if self._closing.is_set():
            return
        self._closing.set()
        self._writer.join()
        try:
            self.flush()
        finally:
            self._connection.close()

    # -- what runs refer to ------------------------------------------------------------

    def at_once(self) -> AbstractContextManager[Any]:
        """Write all that is entered inside together: one wait for the disk instead of many."""
        return self._transaction()

    def mend(self) -> None:
        """Put rows in place that are not where they are looked up, and delete what lacks a score.

        Damaged runs are another matter: `runs` deletes them.
        """
        self.flush()
        self.mended.clear()
        columns = ", ".join(COVERED["score"])
        rows = self._all(f"SELECT {columns}, checksum FROM score", ())
        sound = [row for row in rows if row_checksum(row[:-1]) == row[-1]]
        if not self._is_in_place:
            with self._transaction() as connection:
                store_file.put_in_place(connection)
            self.mended.append("an index")
            self._is_in_place = True
        if len(sound) < len(rows):
            self._keep_scores(sound)
            self.mended.append("kept scores")

    def _keep_scores(self, sound: list[tuple[Any, ...]]) -> None:
        """Delete all scores but the sound ones, and the runs that lack one now.

        A score whose key is damaged may be that of any run: those of a learner on a data set must
        have the same measures.
        """
        names: dict[tuple[int, int], dict[tuple[int, int], set[str]]] = {}
        for data, learner, split, stream, measure, *_ in sound:
            of_runs = names.setdefault((data, learner), {})
            of_runs.setdefault((split, stream), set()).add(measure)
        lacking = [
            (*whose, *key)
            for whose, of_runs in names.items()
            for key, measures in of_runs.items()
            if measures != set().union(*of_runs.values())
        ]
        with self._transaction() as connection:
            connection.execute("DELETE FROM score")
            connection.executemany("INSERT INTO score VALUES (?, ?, ?, ?, ?, ?, ?)", sound)
            for table in ("score", "run"):
                connection.executemany(f"DELETE FROM {table} WHERE {_SAME_RUN}", lacking)

    def register_data(self, data: DataSet) -> int:
        """Return the number of a data set, entering it if it is new."""
        y = zlib.compress(np.ascontiguousarray(data.y).tobytes(), 1)
        classes = json.dumps([str(label) for label in data.classes])
        row = (data.id, data.name, data.task, data.n_samples, data.n_features, classes, y)
        return self._number("data_set", row)

    def register_learner(self, identity: LearnerIdentity) -> int:
        """Return the number of a learner, entering it if it is new.

        Where an earlier version entered it under another id, it gets this one.
        """
        row = (
            identity.id, identity.class_name, identity.version, identity.parameters,
            identity.stream_name,
        )  # fmt: skip
        if identity.earlier_id:
            settings = ", ".join(f"{name} = ?" for name in (*COVERED["learner"], "checksum"))
            with self._transaction() as connection:
                connection.execute(
                    f"UPDATE OR IGNORE learner NOT INDEXED SET {settings} WHERE id = ?",
                    (*row, row_checksum(row), identity.earlier_id),
                )
        return self._number("learner", row)

    def register_plan(self, plan: Plan) -> tuple[int, list[int]]:
        """Return the numbers of a plan and of its splits in order, entering what is new."""
        row = (
            plan.id, plan.name, plan.scheme, plan.title, plan.n_repeats, plan.n_folds,
            plan.random_state,
        )  # fmt: skip
        with self._transaction() as connection:
            number = self._number("plan", row)
            known = self._known_splits(number, plan.name)
            if len(known) == len(plan):
                return number, known
            if self._enter_splits(connection, number, plan) == len(plan):  # all of them are new
                query = "SELECT split FROM plan_split WHERE plan = ? ORDER BY repeat, fold"
                return number, [split for (split,) in connection.execute(query, (number,))]
            known = self._known_splits(number, plan.name)
            if len(known) != len(plan):  # some of them were damaged
                self._enter_splits(connection, number, plan)
                known = self._known_splits(number, plan.name)
            if len(known) != len(plan):
                raise self._damaged(f"the plan {plan.name}")
        return number, known

    def _known_splits(self, plan: int, name: str) -> list[int]:
        """Return the numbers of the splits of a plan in order.

        Where something of them is damaged, there are none: that and all runs on damaged splits are
        deleted.
        """
        query = f"""
            SELECT plan_split.repeat, plan_split.fold, plan_split.split, plan_split.checksum,
                   {_SPLIT_COLUMNS}, split.checksum
            FROM plan_split LEFT JOIN split ON split.number = plan_split.split
            WHERE plan_split.plan = ? ORDER BY plan_split.repeat, plan_split.fold"""
        known, damaged = [], []
        is_whole = True
        for repeat, fold, split, of_place, *content, of_content in self._all(query, (plan,)):
            known.append(split)
            if row_checksum(content) != of_content:
                damaged.append((split,))
            is_whole &= row_checksum((plan, repeat, fold, content[0])) == of_place
        if is_whole and not damaged:
            return known
        with self._transaction() as connection:
            connection.execute("REINDEX split")
            connection.execute("DELETE FROM plan_split WHERE plan = ?", (plan,))
            connection.executemany("DELETE FROM split WHERE number = ?", damaged)
            for table in ("plan_split", "run", "score"):  # the numbers may be given again
                connection.executemany(f"DELETE FROM {table} WHERE split = ?", damaged)
        self.mended.append(f"splits of {name}")
        return []

    @staticmethod
    def _enter_splits(connection: sqlite3.Connection, number: int, plan: Plan) -> int:
        """Enter the splits of a plan; return how many of them are new."""
        small = _row_type(plan.n_samples)
        ids, (n_train, n_test) = plan.split_ids, plan.sizes
        rows = [_compressed(row.astype(small).tobytes()) for row in plan.test_rows]
        splits = zip(ids, n_train.tolist(), n_test.tolist(), rows, strict=True)
        added = connection.executemany(
            "INSERT OR IGNORE INTO split (id, n_train, n_test, test_rows, checksum) "
            "VALUES (?, ?, ?, ?, ?)",
            [(*row, row_checksum(row)) for row in splits],
        )
        indices = [
            (number, *divmod(index, plan.n_folds), identifier)
            for index, identifier in enumerate(ids)
        ]
        connection.executemany(
            "INSERT OR IGNORE INTO plan_split SELECT ?, ?, ?, number, ? FROM split WHERE id = ?",
            [(*row[:3], row_checksum(row), row[3]) for row in indices],
        )
        return added.rowcount

    def register_comparison(
        self, data: int, plan: int, random_state: int, learners: Iterable[tuple[str, int]]
    ) -> int:
        """Return the number of a comparison, entering it and its learners if it is new."""
        names = list(learners)
        text = json.dumps([data, plan, random_state, names])
        row = (text, data, plan, random_state)
        with self._transaction() as connection:
            number = self._number("comparison", row)
            rows = [(number, index, name, learner) for index, (name, learner) in enumerate(names)]
            connection.executemany(
                "INSERT INTO comparison_learner VALUES (?, ?, ?, ?, ?) "
                "ON CONFLICT DO UPDATE SET name = excluded.name, learner = excluded.learner, "
                "checksum = excluded.checksum WHERE (name, learner, checksum) IS NOT "
                "(excluded.name, excluded.learner, excluded.checksum)",
                [(*row, row_checksum(row)) for row in rows],
            )
        return number

    def _number(self, table: str, row: tuple[Any, ...]) -> int:
        """Return the number of an entry, which is known by its first value, its identity."""
        columns, marks = ", ".join(COVERED[table]), ", ".join("?" * len(row))
        # the index gives the number, the row itself everything else
        query = f"""SELECT number, {columns}, checksum FROM {table}
            WHERE number = (SELECT number FROM {table} {{}} WHERE id = ?)"""
        settings = ", ".join(f"{name} = ?" for name in (*COVERED[table], "checksum"))
        sealed = (*row, row_checksum(row))
        with self._transaction() as connection:
            result = self._all(query.format(""), row[:1])
            if result and tuple(result[0][1:]) == sealed:
                return int(result[0][0])
            if not result or (
                row_checksum(result[0][1:-1]) == result[0][-1] and result[0][1] != row[0]
            ):
                result = self._all(query.format("NOT INDEXED"), row[:1])
                if result:
                    connection.execute(f"REINDEX {table}")
                    self.mended.append(f"index of the table {table}")
            if not result:
                connection.execute(
                    f"INSERT INTO {table} ({columns}, checksum) VALUES ({marks}, ?)", sealed
                )
                result = self._all(query.format(""), row[:1])
            number, *values, checksum = result[0]
            if row_checksum(values) != checksum:
                # the runs that refer to an entry of known content need not be lost
                connection.execute(f"REINDEX {table}")
                connection.execute(
                    f"UPDATE {table} SET {settings} WHERE number = ?", (*sealed, number)
                )
                self.mended.append(f"entry of a {table.replace('_', ' ')}")
        return int(number)

    def environment_number(self) -> int:
        """Return the number of what runs of this process are measured on."""
        if self._environment is None:
            text = json.dumps(describe_environment(), sort_keys=True)
            self._environment = self._number("environment", (text, text))
        return self._environment

    # -- runs --------------------------------------------------------------------------

    def add(
        self,
        key: RunKey,
        record: RunRecord,
        *,
        keep: str,
        n_classes: int,
        limit_seconds: float = 0.0,
        scores: Mapping[str, float] | None = None,
        is_counted: bool = True,
    ) -> None:
        """Take over a finished run; it is written within a quarter of a second.

        Parameters
        ----------
        key : tuple of int
            Numbers of data set, learner and split; random stream.
        record : RunRecord
            What the run left behind.
        keep : {"probabilities", "labels", "scores"}
            How much of the predictions is kept.
        n_classes : int
            0 for regression.
        limit_seconds : float, default=0
            The time limit that a run with status ``"timeout"`` ran into; 0 otherwise.
        scores : mapping of str to float, optional
            Values of measures to store with the run.
        is_counted : bool, default=True
            Whether it is one of those that were asked for, which `n_written` counts.
        """
        kept = []
        if scores is not None:
            values = [
                (name, None if score != score else float(score)) for name, score in scores.items()
            ]
            kept = [(*key, *value) for value in values]
        (blob,) = encode([record.predictions], keep=keep, n_classes=n_classes)
        row = _run_row(key, limit_seconds, record, blob, self.environment_number())
        self._add_rows([row], kept, n_uncounted=0 if is_counted else 1)

    def add_all(
        self,
        whose: tuple[int, int],
        splits: Sequence[int],
        streams: Sequence[int],
        records: Sequence[RunRecord],
        *,
        keep: str,
        n_classes: int,
    ) -> None:
        """Take over finished runs of one learner that ran into no limit; as `add`, all at once.

        `whose` are the numbers of data set and learner; the others have one entry per run.
        """
        environment = self.environment_number()
        blobs = encode([record.predictions for record in records], keep=keep, n_classes=n_classes)
        rows = [
            _run_row((*whose, split, stream), 0.0, record, blob, environment)
            for split, stream, record, blob in zip(splits, streams, records, blobs, strict=True)
        ]
        self._add_rows(rows, [])

    def _add_rows(
        self, rows: list[tuple[Any, ...]], scores: list[tuple[Any, ...]], *, n_uncounted: int = 0
    ) -> None:
        with self._lock:
            if self._failure is not None:
                raise self._failure
            self.check_writable()
            self._pending += rows
            self._pending_scores += scores
            self._n_uncounted += n_uncounted

    def flush(self) -> int:
        """Write everything added so far; return the number of runs written."""
        with self._lock:
            if self._failure is not None:
                raise self._failure
            if not self._pending:
                return 0
            self._check_places()
            runs, scores = self._pending, self._pending_scores
            columns, marks = ", ".join(COVERED["run"]), ", ".join("?" * len(COVERED["run"]))
            with self._transaction() as connection:
                connection.executemany(
                    f"INSERT OR IGNORE INTO run ({columns}, checksum) VALUES ({marks}, ?)",
                    [(*row, run_checksum(row)) for row in runs],
                )
                connection.executemany(
                    "INSERT OR IGNORE INTO score VALUES (?, ?, ?, ?, ?, ?, ?)",
                    [(*row, row_checksum(row)) for row in scores],
                )
            self._pending, self._pending_scores = [], []
            self.n_written += len(runs) - self._n_uncounted
            self._n_uncounted = 0
            return len(runs)

    def _write_now_and_then(self) -> None:
        while not self._closing.wait(_FLUSH_SECONDS):
            try:
                self.flush()
            except Exception as error:  # told to the caller with the next run
                self._failure = error
                return

    def check_writable(self) -> None:
        """Raise if runs cannot be kept, because the file or its folder must not be written.

        Raises
        ------
        StoreError
        """
        if self.is_read_only:
            raise StoreError(
                "store must be a file that can be written where runs are missing in it; "
                f"{self.path} or its folder can only be read. Copy it to where you may write."
            )

    def _places_now(self) -> list[tuple[int, int] | None]:
        """Return what tells the file and its log from others of their names."""
        if self.path is None or self.is_read_only:
            return []
        files = (self.path, store_file.log_of(self.path))
        return [store_file.place_of(file) for file in files]

    def _check_places(self) -> None:
        """Raise if the file or its log is no longer there: what is written would be lost."""
        indices = self._places_now()
        if indices[:1] != self._places[:1]:
            raise StoreError(
                f"store must stay where it is while it is in use; {self.path} was moved, deleted "
                "or replaced. Put it back and call the same thing again."
            )
        if indices != self._places:
            raise StoreError(
                f"log of the store must stay where it is while it is in use; {self.path}-wal was "
                "moved, deleted or replaced. Call the same thing again: what is in the store is "
                "kept."
            )

    def runs(
        self,
        data: int,
        learner: int,
        *,
        n_classes: int,
        limit_seconds: float = 0.0,
        split: int | None = None,
    ) -> dict[tuple[int, int], StoredRun]:
        """Return the stored runs of one learner on one data set by (split, stream).

        A timeout counts only where the run was given at least `limit_seconds`; `split` is
        the number of the one wanted, all by default.  Runs that are damaged are deleted.
        """
        self.flush()
        wanted = "" if split is None else f"AND entry.split = {split}"
        # the index says which rows there are, the rows themselves everything else
        query = f"""
            SELECT run.rowid, entry.split, entry.stream, {_RUN_COLUMNS}, run.checksum, n_test
            FROM run AS entry JOIN run ON run.rowid = entry.rowid
            JOIN split ON split.number = entry.split
            WHERE entry.data_set = ? AND entry.learner = ?
                  AND (entry.limit_seconds = 0 OR entry.limit_seconds >= ?) {wanted}
            ORDER BY entry.limit_seconds DESC"""
        results: dict[tuple[int, int], StoredRun] = {}
        damaged: list[tuple[int, int, int]] = []
        nan = float("nan")
        has_scores = self._has_scores(data, learner)
        for number, entry, of_stream, *row, checksum, n_test in self._all(
            query, (data, learner, limit_seconds)
        ):
            (_, _, _, stream, _, status, blob, train, predict, size, message, mode, complexity,
             unit, machine) = row  # fmt: skip
            is_whole = (
                run_checksum(row) == checksum
                and row[:4] == [data, learner, entry, of_stream]
                and _has_answer(row, has_scores)
            )
            try:
                predictions = decode(blob, n_test=n_test, n_classes=n_classes) if is_whole else None
            except ValueError:
                is_whole = False
            if not is_whole:
                damaged.append((number, entry, of_stream))
                continue
            record = RunRecord(
                status, predictions, nan if train is None else train,
                nan if predict is None else predict, size, message, _FIT_MODES[mode], complexity,
                unit,
            )  # fmt: skip
            results[entry, stream] = StoredRun(record, blob is not None, machine)
        if damaged:
            self._set_aside(data, learner, damaged)
        return results

    def _set_aside(self, data: int, learner: int, damaged: list[tuple[int, int, int]]) -> None:
        """Delete damaged runs, so that they are done again."""
        with self._transaction() as connection:
            # a damaged key and the index contradict each other
            connection.execute("DROP INDEX run_key")
            connection.executemany(
                "DELETE FROM run WHERE rowid = ?", [(number,) for number, _, _ in damaged]
            )
            store_file.put_in_place(connection)
            connection.executemany(
                f"DELETE FROM score WHERE {_SAME_RUN}",
                [(data, learner, split, stream) for _, split, stream in damaged],
            )

    def _has_scores(self, data: int, learner: int) -> Callable[[tuple[int, int]], bool]:
        """Return what says whether a run has values that were kept in place of predictions."""
        scored = {(split, stream) for split, stream, *_ in self._score_rows(data, learner)}
        return lambda key: not scored or key in scored

    def _score_rows(self, data: int, learner: int) -> list[tuple[int, int, str, float, bool]]:
        query = """SELECT split, stream, measure, value, checksum FROM score
            WHERE data_set = ? AND learner = ?"""
        return [
            (*row, row_checksum((data, learner, *row)) == checksum)
            for *row, checksum in self._all(query, (data, learner))
        ]

    def finished(
        self, data: int, learner: int, *, limit_seconds: float = 0.0
    ) -> set[tuple[int, int]]:
        """Return (split, stream) of the stored runs of one learner on one data set.

        They are not read: `runs` may find some of them damaged.
        """
        self.flush()
        query = """SELECT split, stream FROM run
            WHERE data_set = ? AND learner = ? AND (limit_seconds = 0 OR limit_seconds >= ?)"""
        return set(self._all(query, (data, learner, limit_seconds)))

    def finished_by_other_code(
        self, data: int, stream_name: str, *, is_batched: bool, current: Collection[int]
    ) -> set[tuple[int, int]]:
        """Return (split, stream) of stored runs of a learner that other code has made.

        They are those of learners that draw from the same random streams, plain or batched,
        but for the numbers that are `current`.
        """
        query = """SELECT run.learner, split, stream FROM run
            JOIN learner ON learner.number = run.learner
            WHERE data_set = ? AND stream_name = ? AND (instr(id, ?) > 0) = ?"""
        rows = self._all(query, (data, stream_name, BATCHED_MARK, is_batched))
        return {(split, stream) for learner, split, stream in rows if learner not in current}

    def scores(self, data: int, learner: int) -> dict[tuple[int, int, str], float]:
        """Return the values kept with runs by (split, stream, measure), but for damaged ones."""
        self.flush()
        nan = float("nan")
        return {
            (split, stream, measure): nan if value is None else value
            for split, stream, measure, value, is_sound in self._score_rows(data, learner)
            if is_sound
        }

    # -- decisions that seconds or scores led to ---------------------------------------

    def keep_decisions(
        self, comparison: int, purpose: str, contents: Sequence[Any], *, start: int = 0
    ) -> None:
        """Keep decisions of a comparison, safely before they are acted on.

        Parameters
        ----------
        comparison : int
            Its number.
        purpose : str
            What is decided; decisions of other purposes are kept apart.
        contents : sequence
            What JSON can hold, in the order decided.
        start : int, default=0
            How many were decided before; later ones that the store has are dropped.
        """
        texts = [json.dumps(content) for content in contents]
        rows = [(comparison, purpose, start + i, text) for i, text in enumerate(texts)]
        with self._transaction() as connection:
            connection.execute(
                "DELETE FROM decision WHERE comparison = ? AND purpose = ? AND place >= ?",
                (comparison, purpose, start),
            )
            connection.executemany(
                "INSERT INTO decision VALUES (?, ?, ?, ?, ?)",
                [(*row, row_checksum(row)) for row in rows],
            )

    def decisions(self, comparison: int, purpose: str) -> list[Any]:
        """Return what `keep_decisions` kept, up to the first that is damaged."""
        query = """SELECT comparison, purpose, place, content, checksum FROM decision
            WHERE comparison = ? AND purpose = ? ORDER BY place"""
        results: list[Any] = []
        for *row, checksum in self._all(query, (comparison, purpose)):
            if row_checksum(row) != checksum or row[2] != len(results):
                break
            results.append(json.loads(row[3]))
        return results

    # -- overview ----------------------------------------------------------------------

    def n_runs(self) -> int:
        """Return the number of runs in the store."""
        self.flush()
        return int(self._all("SELECT count(*) FROM run", ())[0][0])

    def size_bytes(self) -> int:
        """Return the size of the file once its log is merged, or of the memory held."""
        self.flush()
        query = "SELECT page_count, page_size FROM pragma_page_count, pragma_page_size"
        pages, size = self._all(query, ())[0]
        return int(pages * size)

    def environments(self) -> dict[int, dict[str, Any]]:
        """Return what the runs were measured on, by number."""
        rows = self._all("SELECT number, id, description, checksum FROM environment", ())
        return {
            number: json.loads(text) if row_checksum((identity, text)) == checksum else _UNKNOWN
            for number, identity, text, checksum in rows
        }

    def check(self) -> list[str]:
        """Read everything and name what is damaged; nothing is changed.

        Returns
        -------
        list of str
            One entry per damaged run or other row; empty if every row has its checksum and its
            indices fit.

        Examples
        --------
        >>> with Store() as store:
        ...     store.check()
        []
        """
        self.flush()
        with self._lock:
            learners = dict(self._all("SELECT learner, name FROM comparison_learner", ()))
            indices = {
                split: (repeat, fold)
                for split, repeat, fold in self._all(
                    "SELECT split, repeat, fold FROM plan_split", ()
                )
            }

            def name(table: str, values: Sequence[Any]) -> str:
                if table != "run":
                    return f"an entry of the table {table}"
                learner = learners.get(values[1], "a learner of no comparison")
                repeat, fold = indices.get(values[2], ("unknown", "unknown"))
                return f"a run of {learner}, repeat {repeat}, fold {fold}"

            def found() -> list[str]:
                rows = [name(*row) for row in store_file.damaged_rows(self._connection)]
                return rows + store_file.contradictions(self._connection)

            names: list[str] = self._guarded(found)
            return names

    def overview(self) -> list[dict[str, Any]]:
        """Return one row per comparison and learner: planned, finished and failed runs, state.

        The state is "finished", "unfinished", or "ended early after N runs" where an analysis
        in between decided that a learner needs no more.

        Raises
        ------
        StoreError
            If what is kept of data sets, plans, learners or comparisons is damaged.
        """
        self.flush()
        self._check_entries(*_ENTRIES)
        query = f"""
            SELECT number, data, cv, random_state, learner, class, planned, count(status),
                   sum(status = :error), sum(status = :timeout)
            FROM (
                SELECT c.number, d.name AS data, p.name AS cv, c.random_state, k.position,
                       k.name AS learner, l.class, p.n_repeats * p.n_folds AS planned,
                       min(entry.status) AS status
                FROM comparison c JOIN data_set d ON d.number = c.data_set
                JOIN plan p ON p.number = c.plan
                JOIN comparison_learner k ON k.comparison = c.number
                JOIN learner l ON l.number = k.learner
                JOIN plan_split s ON s.plan = c.plan
                LEFT JOIN run entry ON entry.data_set = c.data_set AND entry.learner = k.learner
                                   AND entry.split = s.split AND {_OWN_STREAM}
                GROUP BY c.number, k.position, s.repeat, s.fold)
            GROUP BY number, position ORDER BY number, position"""
        names = ("comparison", "data", "cv", "random_state", "learner", "class", "planned",
                 "finished", "errors", "timeouts")  # fmt: skip
        rows = self._all(query, {"error": ERROR, "timeout": TIMEOUT})
        results = [dict(zip(names, row, strict=True)) for row in rows]
        for number, learners in itertools.groupby(results, key=lambda row: row["comparison"]):
            endings = self.decisions(number, ENDING)
            for index, row in enumerate(learners):
                n_asked = endings[index] if index < len(endings) else None
                row["state"] = _state(row["finished"], row["planned"], n_asked)
        return results

    def _check_entries(self, *tables: str) -> None:
        """Raise StoreError if an entry of some tables is not what was written."""
        for table in tables:
            for *values, checksum in self._all(
                f"SELECT {', '.join(COVERED[table])}, checksum FROM {table}", ()
            ):
                if row_checksum(values) != checksum:
                    raise self._damaged(f"an entry of its table {table}")

    def stored_runs(self) -> list[dict[str, Any]]:
        """Return every run of every comparison with what is needed to score it again.

        Runs of other random states on the same splits are not among them.  A run that was
        ended by time limits and finished another time is there once for each.

        Raises
        ------
        StoreError
            If one of them is damaged, or what is needed to score it.
        """
        self.flush()
        with self._lock:
            for text in self._guarded(lambda: store_file.contradictions(self._connection)):
                raise self._damaged(f"an index ({text})")
        self._check_entries(*_ENTRIES, "plan_split", "score")
        query = f"""
            SELECT d.id, d.name, d.task, d.classes, d.y, d.n_samples, d.n_features, p.id, p.name,
                   c.random_state, k.name, l.id, s.repeat, s.fold, entry.split, entry.stream,
                   s.plan, s.checksum, {_SPLIT_COLUMNS}, split.checksum, {_RUN_COLUMNS},
                   run.checksum
            FROM comparison c JOIN data_set d ON d.number = c.data_set
            JOIN plan p ON p.number = c.plan
            JOIN comparison_learner k ON k.comparison = c.number
            JOIN learner l ON l.number = k.learner
            JOIN plan_split s ON s.plan = c.plan JOIN split ON split.number = s.split
            JOIN run entry ON entry.data_set = c.data_set AND entry.learner = k.learner
                          AND entry.split = s.split AND {_OWN_STREAM}
            JOIN run ON run.rowid = entry.rowid
            ORDER BY c.number, k.position, s.repeat, s.fold, run.limit_seconds"""
        names = ("data_id", "dataset", "task", "classes", "y", "n_samples", "n_features",
                 "plan_id", "plan", "random_state", "learner", "learner_id", "repeat", "fold",
                 "split_number", "stream")  # fmt: skip
        has_scores = functools.cache(self._has_scores)
        truths = functools.cache(_truth)
        test_rows = functools.cache(_test_rows)
        runs = []
        for row in self._all(query, ()):
            results = dict(zip(names, row, strict=False))
            plan, of_place, *split, of_split = row[16:23]
            *run, of_run = row[23:]
            data, learner, *key = run[:4]
            position = (plan, results["repeat"], results["fold"], split[0])
            try:
                if not (
                    row_checksum(position) == of_place
                    and row_checksum(split) == of_split
                    and run_checksum(run) == of_run
                    and key == [results["split_number"], results["stream"]]
                    and _has_answer(run, has_scores(data, learner))
                ):
                    raise ValueError("a checksum is another one")
                results["classes"], results["y"] = truths(results["classes"], results["y"])
                results |= zip(COVERED["split"][1:], split[1:], strict=True)
                results["test_rows"] = test_rows(split[3], results["n_samples"])
                results |= zip(COVERED["run"][4:], run[4:], strict=True)
                results["fit_mode"] = _FIT_MODES[results.pop("way")]
                results["predictions"] = decode(
                    run[6], n_test=len(results["test_rows"]), n_classes=len(results["classes"])
                )
            except (ValueError, KeyError, zlib.error) as error:
                raise self._damaged(
                    "the run of {learner} on {dataset}, repeat {repeat}, fold {fold},".format(
                        **results
                    )
                ) from error
            runs.append(results | {"data_number": data, "learner_number": learner})
        return runs

    # -- plumbing ----------------------------------------------------------------------

    def _all(self, query: str, values: Any) -> list[tuple[Any, ...]]:
        def rows() -> list[tuple[Any, ...]]:
            return self._connection.execute(query, values).fetchall()

        def rows_with_damaged_text() -> list[tuple[Any, ...]]:
            with store_file.lenient_text(self._connection):
                return rows()

        with self._lock:
            try:
                results: list[tuple[Any, ...]] = rows()
            except sqlite3.DatabaseError as error:
                if "decode" not in str(error):
                    raise store_file.unusable(str(self.path), error) from error
                results = self._guarded(rows_with_damaged_text)
            return results

    def _damaged(self, what: str) -> StoreError:
        return StoreError(
            f"store must be undamaged; {what} in {self.path} is damaged. "
            "Compare the same learners with it again, which mends it, or restore a copy."
        )

    def _guarded(self, action: Callable[[], Any]) -> Any:
        try:
            return action()
        except sqlite3.DatabaseError as error:
            raise store_file.unusable(str(self.path), error) from error

    def _transaction(self) -> _Transaction:
        return _Transaction(self)


def _run_row(
    key: RunKey, limit_seconds: float, record: RunRecord, blob: bytes | None, environment: int
) -> tuple[Any, ...]:
    """Return the values of a run in the order of `COVERED`."""
    status, _, train, predict, size, message, mode, complexity, unit = record
    return (*key, limit_seconds, status, blob, train, predict, size, message,
            _WRITTEN_MODES[mode], complexity, unit, environment)  # fmt: skip


def _has_answer(run: Sequence[Any], has_scores: Callable[[tuple[int, int]], bool]) -> bool:
    """Return whether a run that went well has predictions or what was kept in place of them."""
    _, _, split, stream, _, status, blob, *_ = run
    return status != OK or blob is not None or has_scores((split, stream))


def _truth(classes: str, y: bytes) -> tuple[NDArray[Any], NDArray[Any]]:
    """Return the classes of a data set and its positions in them, or its values."""
    known = np.array(json.loads(classes))
    return known, np.frombuffer(zlib.decompress(y), dtype=np.int64 if len(known) else np.float64)


def _test_rows(packed: bytes, n_samples: int) -> NDArray[np.int64]:
    return np.frombuffer(zlib.decompress(packed), dtype=_row_type(n_samples)).astype(np.int64)


def _row_type(n_samples: int) -> type[np.unsignedinteger]:
    return np.uint16 if n_samples <= 2**16 else np.uint32


def _state(n_finished: int, n_planned: int, n_asked: int | None) -> str:
    """Say how far a learner of a comparison is; `n_asked` is None while it is undecided."""
    if n_finished >= n_planned:
        return "finished"
    if n_asked is not None and n_finished >= n_asked:
        return f"ended early after {n_asked} runs"
    return "unfinished"


def _compressed(body: bytes) -> bytes:
    """Compress what is worth it; the rest only looks so, as ``zlib.compress(body, 0)`` would.

    That sets up a compressor, which takes longer than all else that is done for a split.
    """
    if len(body) > _WORTH_BYTES:
        return zlib.compress(body, 1)
    size = struct.pack("<HH", len(body), len(body) ^ 0xFFFF)
    return b"\x78\x01\x01" + size + body + struct.pack(">I", zlib.adler32(body))


class _Transaction:
    """Everything or nothing; inner transactions join the outer one."""

    def __init__(self, store: Store) -> None:
        self.store = store
        self.is_outer = False

    def __enter__(self) -> sqlite3.Connection:
        self.store._lock.acquire()
        connection = self.store._connection
        try:
            self.is_outer = not connection.in_transaction
            if self.is_outer:
                self.store._guarded(lambda: connection.execute("BEGIN IMMEDIATE"))
        except BaseException:
            self._give_up(connection)
            self.store._lock.release()
            raise
        return connection

    def __exit__(self, kind: object, error: object, trace: object) -> None:
        connection = self.store._connection
        try:
            if kind is None and self.is_outer:
                self.store._guarded(lambda: connection.execute("COMMIT"))
        finally:
            self._give_up(connection)  # unless it is written by now
            self.store._lock.release()
        if isinstance(error, sqlite3.DatabaseError):
            raise store_file.unusable(str(self.store.path), error) from error

    def _give_up(self, connection: sqlite3.Connection) -> None:
        """Take back what is not written: left open, it would swallow all that follows."""
        if self.is_outer and connection.in_transaction:
            connection.execute("ROLLBACK")
