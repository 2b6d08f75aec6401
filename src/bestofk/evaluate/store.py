"""Where are runs kept: one SQLite file, or memory, through the same door.

Runs are keyed by content (data, learner, split, random stream) and written by
insert-or-ignore, so nothing is written twice and any number of processes on one machine
may write at once.  A background thread writes what was added within a quarter of a second.
"""

from __future__ import annotations

import json
import os
import sqlite3
import struct
import threading
import zlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from bestofk.data import DataSet
from bestofk.design import Plan
from bestofk.errors import StoreError
from bestofk.evaluate import store_file
from bestofk.evaluate.environment import describe_environment
from bestofk.evaluate.identity import LearnerIdentity
from bestofk.evaluate.record import ERROR, TIMEOUT, RunRecord, decode, encode
from bestofk.randomness import derive_seed

_FLUSH_SECONDS = 0.25
_BUSY_SECONDS = 120.0
# Rows of a split that take less are kept as they are (a block of zlib holds below 65,536).
_WORTH_BYTES = 4096
# As `_run_rows` has them; beside them stands the environment.
_RUN_COLUMNS = (
    "data_set", "learner", "split", "stream", "limit_seconds", "status", "predictions",
    "train_seconds", "predict_seconds", "size_bytes", "message", "way", "complexity",
    "complexity_unit",
)  # fmt: skip
RunKey = tuple[int, int, int, int]  # numbers of data set, learner and split; random stream
# Whether a run r is one of comparison c: streams are derived from names, as the runner does.
_OWN_STREAM = "r.stream = derive_seed(c.random_state, d.id, l.stream_name, s.repeat, s.fold)"


@dataclass(frozen=True)
class StoredRun:
    """One row of the store: a record and what was kept beside it."""

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
        if self.path is not None:
            store_file.prepare_file(self.path)
        self._lock = threading.RLock()
        self._pending: list[tuple[Any, ...]] = []
        self._pending_scores: list[tuple[Any, ...]] = []
        self._closing = threading.Event()
        self._failure: Exception | None = None
        self._place = None if self.path is None else store_file.place_of(self.path)
        self.n_written = 0  # runs of this process that are safe by now, but for uncounted ones
        self._n_uncounted = 0
        self._environment: int | None = None
        self._connection = self._connect()
        # what must not be written was not brought up to this version
        self._is_current = store_file.version_of(self._connection) == store_file.SCHEMA_VERSION
        self._writer = threading.Thread(target=self._write_now_and_then, daemon=True)
        self._writer.start()

    def _connect(self) -> sqlite3.Connection:
        target = ":memory:" if self.path is None else str(self.path.absolute())
        try:
            connection = sqlite3.connect(
                target, timeout=_BUSY_SECONDS, check_same_thread=False, isolation_level=None
            )
            if self.path is None:
                connection.executescript(store_file.SCHEMA)
            else:
                store_file.keep_log(connection)
                connection.execute("PRAGMA synchronous = FULL")
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

    def register_data(self, data: DataSet) -> int:
        """Return the number of a data set, entering it if it is new."""
        y = zlib.compress(np.ascontiguousarray(data.y).tobytes(), 1)
        classes = json.dumps([str(label) for label in data.classes])
        row = (data.id, data.name, data.task, data.n_samples, data.n_features, classes, y)
        return self._number("data_set", "id, name, task, n_samples, n_features, classes, y", row)

    def register_learner(self, identity: LearnerIdentity) -> int:
        """Return the number of a learner, entering it if it is new."""
        row = (
            identity.id, identity.class_name, identity.version, identity.parameters,
            identity.stream_name,
        )  # fmt: skip
        return self._number("learner", "id, class, version, parameters, stream_name", row)

    def register_plan(self, plan: Plan) -> tuple[int, list[int]]:
        """Return the numbers of a plan and of its splits in order, entering what is new."""
        row = (
            plan.id, plan.name, plan.scheme, plan.title, plan.n_repeats, plan.n_folds,
            plan.random_state,
        )  # fmt: skip
        columns = "id, name, scheme, title, n_repeats, n_folds, random_state"
        with self._transaction() as connection:
            number = self._number("plan", columns, row)
            query = "SELECT split FROM plan_split WHERE plan = ? ORDER BY repeat, fold"
            known = [split for (split,) in connection.execute(query, (number,))]
            if len(known) != len(plan):
                known = self._enter_splits(connection, number, plan)
        return number, known

    @staticmethod
    def _enter_splits(connection: sqlite3.Connection, number: int, plan: Plan) -> list[int]:
        small = np.uint16 if plan.n_samples <= 2**16 else np.uint32
        ids, (n_train, n_test) = plan.split_ids, plan.sizes
        rows = [_compressed(one.astype(small).tobytes()) for one in plan.test_rows]
        connection.executemany(
            "INSERT OR IGNORE INTO split (id, n_train, n_test, test_rows) VALUES (?, ?, ?, ?)",
            zip(ids, n_train.tolist(), n_test.tolist(), rows, strict=True),
        )
        connection.executemany(
            "INSERT OR IGNORE INTO plan_split SELECT ?, ?, ?, number FROM split WHERE id = ?",
            [(number, *divmod(place, plan.n_folds), one) for place, one in enumerate(ids)],
        )
        query = "SELECT split FROM plan_split WHERE plan = ? ORDER BY repeat, fold"
        return [split for (split,) in connection.execute(query, (number,))]

    def register_comparison(
        self, data: int, plan: int, random_state: int, learners: Iterable[tuple[str, int]]
    ) -> int:
        """Return the number of a comparison, entering it and its learners if it is new."""
        names = list(learners)
        text = json.dumps([data, plan, random_state, names])
        row = (text, data, plan, random_state)
        with self._transaction() as connection:
            number = self._number("comparison", "id, data_set, plan, random_state", row)
            connection.executemany(
                "INSERT OR IGNORE INTO comparison_learner VALUES (?, ?, ?, ?)",
                [(number, place, name, learner) for place, (name, learner) in enumerate(names)],
            )
        return number

    def _number(self, table: str, columns: str, row: tuple[Any, ...]) -> int:
        marks = ", ".join("?" * len(row))
        with self._transaction() as connection:
            connection.execute(f"INSERT OR IGNORE INTO {table} ({columns}) VALUES ({marks})", row)
            query = f"SELECT number FROM {table} WHERE id = ?"
            return int(connection.execute(query, row[:1]).fetchone()[0])

    def environment_number(self) -> int:
        """Return the number of what runs of this process are measured on."""
        if self._environment is None:
            text = json.dumps(describe_environment(), sort_keys=True)
            self._environment = self._number("environment", "id, description", (text, text))
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
            Values of measures to keep beside the run.
        is_counted : bool, default=True
            Whether it is one of those that were asked for, which `n_written` counts.
        """
        kept = [] if scores is None else [(*key, name, value) for name, value in scores.items()]
        rows = _run_rows([key], [record], limit_seconds, keep=keep, n_classes=n_classes)
        self._add_rows(rows, kept, n_uncounted=0 if is_counted else 1)

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
        keys = [(*whose, *key) for key in zip(splits, streams, strict=True)]
        self._add_rows(_run_rows(keys, records, 0.0, keep=keep, n_classes=n_classes), [])

    def _add_rows(
        self, rows: list[tuple[Any, ...]], scores: list[tuple[Any, ...]], *, n_uncounted: int = 0
    ) -> None:
        with self._lock:
            if self._failure is not None:
                raise self._failure
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
            self._check_place()
            environment = self.environment_number()
            runs, scores = self._pending, self._pending_scores
            columns, marks = ", ".join(_RUN_COLUMNS), ", ".join("?" * len(_RUN_COLUMNS))
            with self._transaction() as connection:
                connection.executemany(
                    f"INSERT OR IGNORE INTO run ({columns}, environment) "
                    f"VALUES ({marks}, {environment})",
                    runs,
                )
                connection.executemany(
                    "INSERT OR IGNORE INTO score VALUES (?, ?, ?, ?, ?, ?)", scores
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

    def _check_place(self) -> None:
        """Raise if the file is no longer where it was: what is written would be lost."""
        if self.path is not None and store_file.place_of(self.path) != self._place:
            raise StoreError(
                f"store must stay where it is while it is in use; {self.path} was moved, deleted "
                "or replaced. Put it back and call the same thing again."
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
        the number of the one wanted, all by default.
        """
        self.flush()
        wanted = "" if split is None else f"AND run.split = {split}"
        counted = "complexity, complexity_unit" if self._is_current else "NULL, ''"
        query = f"""
            SELECT run.split, stream, limit_seconds, status, predictions, train_seconds,
                   predict_seconds, size_bytes, message, way, {counted}, environment, n_test
            FROM run JOIN split ON split.number = run.split
            WHERE data_set = ? AND learner = ? AND (limit_seconds = 0 OR limit_seconds >= ?)
                  {wanted}
            ORDER BY limit_seconds DESC"""
        found: dict[tuple[int, int], StoredRun] = {}
        nan = float("nan")
        for row in self._all(query, (data, learner, limit_seconds)):
            split, stream, _, status, blob, train, predict, size, message = row[:9]
            way, complexity, unit, machine, n_test = row[9:]
            predictions = decode(blob, n_test=n_test, n_classes=n_classes)
            record = RunRecord(
                status, predictions, nan if train is None else train,
                nan if predict is None else predict, size, message, way, complexity, unit,
            )  # fmt: skip
            found[split, stream] = StoredRun(record, blob is not None, machine)
        return found

    def finished(
        self, data: int, learner: int, *, limit_seconds: float = 0.0
    ) -> set[tuple[int, int]]:
        """Return (split, stream) of the stored runs of one learner on one data set."""
        self.flush()
        query = """SELECT split, stream FROM run
            WHERE data_set = ? AND learner = ? AND (limit_seconds = 0 OR limit_seconds >= ?)"""
        return set(self._all(query, (data, learner, limit_seconds)))

    def scores(self, data: int, learner: int) -> dict[tuple[int, int, str], float]:
        """Return the values kept beside runs by (split, stream, measure)."""
        self.flush()
        query = "SELECT split, stream, measure, value FROM score WHERE data_set = ? AND learner = ?"
        nan = float("nan")
        return {
            (split, stream, measure): nan if value is None else value
            for split, stream, measure, value in self._all(query, (data, learner))
        }

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
        rows = self._all("SELECT number, description FROM environment", ())
        return {number: json.loads(text) for number, text in rows}

    def overview(self) -> list[dict[str, Any]]:
        """Return one row per comparison and learner: planned, finished and failed runs."""
        self.flush()
        query = f"""
            SELECT number, data, cv, random_state, learner, class, planned, count(status),
                   sum(status = :error), sum(status = :timeout)
            FROM (
                SELECT c.number, d.name AS data, p.name AS cv, c.random_state, k.position,
                       k.name AS learner, l.class, p.n_repeats * p.n_folds AS planned,
                       min(r.status) AS status
                FROM comparison c JOIN data_set d ON d.number = c.data_set
                JOIN plan p ON p.number = c.plan
                JOIN comparison_learner k ON k.comparison = c.number
                JOIN learner l ON l.number = k.learner
                JOIN plan_split s ON s.plan = c.plan
                LEFT JOIN run r ON r.data_set = c.data_set AND r.learner = k.learner
                               AND r.split = s.split AND {_OWN_STREAM}
                GROUP BY c.number, k.position, s.repeat, s.fold)
            GROUP BY number, position ORDER BY number, position"""
        names = ("comparison", "data", "cv", "random_state", "learner", "class", "planned",
                 "finished", "errors", "timeouts")  # fmt: skip
        rows = self._all(query, {"error": ERROR, "timeout": TIMEOUT})
        return [dict(zip(names, row, strict=True)) for row in rows]

    def stored_runs(self) -> list[dict[str, Any]]:
        """Return every run of every comparison with what is needed to score it again.

        Runs of other random states on the same splits are not among them.  A run that was
        ended by time limits and finished another time is there once for each.
        """
        self.flush()
        query = f"""
            SELECT d.id, d.name, d.task, d.classes, d.y, d.n_samples, d.n_features, p.id, p.name,
                   c.random_state, k.name, l.id, s.repeat, s.fold, t.n_train, t.n_test,
                   t.test_rows, r.data_set, r.learner, r.split, r.stream, r.limit_seconds,
                   r.status, r.predictions, r.train_seconds, r.predict_seconds, r.way, r.message
            FROM comparison c JOIN data_set d ON d.number = c.data_set
            JOIN plan p ON p.number = c.plan
            JOIN comparison_learner k ON k.comparison = c.number
            JOIN learner l ON l.number = k.learner
            JOIN plan_split s ON s.plan = c.plan JOIN split t ON t.number = s.split
            JOIN run r ON r.data_set = c.data_set AND r.learner = k.learner AND r.split = s.split
            WHERE {_OWN_STREAM}
            ORDER BY c.number, k.position, s.repeat, s.fold, r.limit_seconds"""
        names = ("data_id", "dataset", "task", "classes", "y", "n_samples", "n_features",
                 "plan_id", "plan", "random_state", "learner", "learner_id", "repeat", "fold",
                 "n_train", "n_test", "test_rows", "data_number", "learner_number",
                 "split_number", "stream", "limit_seconds", "status", "predictions",
                 "train_seconds", "predict_seconds", "way", "message")  # fmt: skip
        return [dict(zip(names, row, strict=True)) for row in self._all(query, ())]

    # -- plumbing ----------------------------------------------------------------------

    def _all(self, query: str, values: Any) -> list[tuple[Any, ...]]:
        with self._lock:
            rows: list[tuple[Any, ...]] = self._guarded(
                lambda: self._connection.execute(query, values).fetchall()
            )
            return rows

    def _guarded(self, action: Callable[[], Any]) -> Any:
        try:
            return action()
        except sqlite3.DatabaseError as error:
            raise store_file.unusable(str(self.path), error) from error

    def _transaction(self) -> _Transaction:
        return _Transaction(self)


def _run_rows(
    keys: Sequence[RunKey],
    records: Sequence[RunRecord],
    limit_seconds: float,
    *,
    keep: str,
    n_classes: int,
) -> list[tuple[Any, ...]]:
    """Return rows of the table of runs, but for their environment."""
    blobs = encode([one.predictions for one in records], keep=keep, n_classes=n_classes)
    runs = zip(keys, records, blobs, strict=True)
    return [(*key, limit_seconds, one.status, blob, *one[2:]) for key, one, blob in runs]


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
