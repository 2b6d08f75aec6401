"""Database of a store, and the entries in it that runs refer to: data sets, learners, plans."""

from __future__ import annotations

import functools
import itertools
import json
import os
import sqlite3
import struct
import threading
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from bestofk.array_types import Bools, Ints
from bestofk.data.text_file import inflated
from bestofk.errors import StoreError
from bestofk.evaluation.identity.packages import describe_environment
from bestofk.evaluation.queue.collector import paused_collector
from bestofk.evaluation.store import file, schema
from bestofk.evaluation.store.checksum import (
    COVERED,
    SEALED,
    are_sound,
    checksums_of,
    insertion,
    row_checksum,
    sealed,
)
from bestofk.randomness import derive_seed

if TYPE_CHECKING:  # a store is read without what trains
    from bestofk.data.data_set import DataSet
    from bestofk.evaluation.identity.identity import LearnerIdentity
    from bestofk.resampling import Plan

_BUSY_SECONDS = 120.0
# Rows that are looked at together: enough to share what is done once, few enough for the cache.
_CHUNK_ROWS = 2_048


class Database:
    """A database that threads of one process share, one at a time.

    Parameters
    ----------
    path : str, Path or None
        A file, made if it does not exist; None keeps everything in memory.

    Attributes
    ----------
    mended : list of str
        Entries of the file that were damaged and could be written again.
    """

    def __init__(self, path: str | os.PathLike[str] | None = None) -> None:
        self.path = None if path is None else Path(path)
        self._is_in_order = True if self.path is None else file.prepare_file(self.path)
        self._lock = threading.RLock()
        self.is_read_only = self.path is not None and not file.is_writable(self.path)
        self.mended: list[str] = []
        self._connection = self._connect()
        self._connection.create_function("derive_seed", 5, derive_seed, deterministic=True)
        self._files = self._files_now()

    def _connect(self) -> sqlite3.Connection:
        target = ":memory:" if self.path is None else str(self.path.absolute())
        try:
            if self.path is not None and self.is_read_only:
                return file.read_only_copy(self.path)
            connection = sqlite3.connect(
                target, timeout=_BUSY_SECONDS, check_same_thread=False, isolation_level=None
            )
            connection.execute(schema.UNTRUSTED)
            if self.path is None:
                connection.executescript(schema.SCHEMA)
            else:
                file.keep_log(connection)
                connection.execute("PRAGMA synchronous = FULL")
                schema.version_of(connection)  # SQLite makes the log when it first reads
        except sqlite3.DatabaseError as error:
            raise file.unusable(target, error) from error
        return connection

    @contextmanager
    def transaction(self) -> Iterator[sqlite3.Connection]:
        """Write everything in the block or nothing; inner transactions join the outer one."""
        with self._lock:
            connection = self._connection
            is_outer = not connection.in_transaction
            try:
                if is_outer:
                    connection.execute("BEGIN IMMEDIATE")
                yield connection
                if is_outer:
                    connection.execute("COMMIT")
            except sqlite3.DatabaseError as error:
                raise file.unusable(str(self.path), error) from error
            finally:  # what is not written is taken back: left open, it would swallow the rest
                if is_outer and connection.in_transaction:
                    connection.execute("ROLLBACK")

    def rows(self, query: str, values: Any = ()) -> list[tuple[Any, ...]]:
        """Return the rows of a query; text that is damaged equals no other."""
        return list(itertools.chain.from_iterable(self.chunks(query, values)))

    def chunks(self, query: str, values: Any = ()) -> Iterator[list[tuple[Any, ...]]]:
        """Give the rows of a query some thousand at a time, read as `rows` reads them.

        Nothing else of this process uses the database until all were given.
        """
        with self._lock, paused_collector():
            n_given = 0
            try:
                cursor = self._connection.execute(query, values)
                while some := cursor.fetchmany(_CHUNK_ROWS):
                    n_given += len(some)
                    yield some
                    del some
                return
            except sqlite3.DatabaseError as error:
                if "decode" not in str(error):
                    raise file.unusable(str(self.path), error) from error
            with schema.lenient_text(self._connection):
                rest = self.guarded(lambda: self._connection.execute(query, values).fetchall())
            rest = rest[n_given:]
            for start in range(0, len(rest), _CHUNK_ROWS):
                yield rest[start : start + _CHUNK_ROWS]

    def integers(self, query: str, values: Any, n_columns: int) -> Ints:
        """Return what a query gives but for rows that are damaged, shape (n_columns, n_rows)."""
        parts = [np.empty((n_columns, 0), dtype=np.int64)]
        for rows in self.chunks(query, values):
            try:
                flat = np.fromiter(itertools.chain.from_iterable(rows), dtype=np.int64)
            except (TypeError, ValueError, OverflowError):
                sound = [row for row in rows if all(isinstance(item, int) for item in row)]
                flat = np.array(sound, dtype=np.int64).ravel()
            parts.append(flat.reshape(-1, n_columns).T)
        return np.concatenate(parts, axis=1)

    def guarded(self, action: Callable[[], list[Any]]) -> list[Any]:
        """Return what an action reads, or raise StoreError."""
        with self._lock:
            try:
                return action()
            except sqlite3.DatabaseError as error:
                raise file.unusable(str(self.path), error) from error

    def damaged(self, what: str) -> StoreError:
        """Return the error for a part of the database that cannot be used."""
        return StoreError(
            f"store must be undamaged; {what} in {self.path} is damaged. "
            "Compare the same learners with it again, which repairs it, or restore a copy."
        )

    def check_writable(self) -> None:
        """Raise if runs cannot be kept, because the file or its folder must not be written.

        Raises
        ------
        StoreError
        """
        if self.is_read_only:
            raise StoreError(
                "store must be a file that can be written where runs are missing in it; "
                f"{self.path} or its folder can only be read. Copy it to a folder you can write to."
            )

    def _files_now(self) -> list[tuple[int, int] | None]:
        """Return what distinguishes the file and its log from others of their names."""
        if self.path is None or self.is_read_only:
            return []
        return [file.identity_of(part) for part in (self.path, file.log_of(self.path))]

    def _check_files(self) -> None:
        """Raise if the file or its log is no longer there: what is written would be lost."""
        files = self._files_now()
        if files[:1] != self._files[:1]:
            raise StoreError(
                f"store must stay where it is while it is in use; {self.path} was moved, deleted "
                "or replaced. Put it back and repeat the call."
            )
        if files != self._files:
            raise StoreError(
                f"log of the store must stay where it is while it is in use; {self.path}-wal was "
                "moved, deleted or replaced. Repeat the call: what is in the store is "
                "kept."
            )


# Rows of a split that take less are kept as they are (a block of zlib holds below 65,536).
_WORTH_BYTES = 4096
_BITS_TOGETHER = 1 << 20  # of several splits, unpacked together
SPLIT_COLUMNS = ", ".join(f"split.{name}" for name in COVERED["split"])
# In place of the description of a machine that is damaged.
_UNKNOWN = {"machine": "unknown", "processor": "unknown", "python": "unknown", "cores": 0}


class Entries(Database):
    """Database with the entries that runs refer to by number."""

    def __init__(self, path: str | os.PathLike[str] | None = None) -> None:
        super().__init__(path)
        self._environments: dict[str, int] = {}

    def register_data(self, data: DataSet) -> int:
        """Return the number of a data set, entering it if it is new."""
        y = zlib.compress(np.ascontiguousarray(data.y).tobytes(), 1)
        classes = json.dumps([str(label) for label in data.classes])
        row = (data.id, data.name, data.task, data.n_samples, data.n_features, classes, y)
        return self._number("data_set", row)

    def register_learner(self, identity: LearnerIdentity) -> int:
        """Return the number of a learner, entering it if it is new."""
        row = (
            identity.id, identity.class_name, identity.version, identity.parameters,
            identity.stream_name,
        )  # fmt: skip
        return self._number("learner", row)

    def register_plan(self, plan: Plan) -> tuple[int, list[int]]:
        """Return the numbers of a plan and of its splits in order, entering what is new."""
        row = (
            plan.id, plan.name, plan.scheme, plan.title, plan.n_repeats, plan.n_folds,
            plan.random_state,
        )  # fmt: skip
        with self.transaction() as connection:
            number = self._number("plan", row)
            for _ in range(2):  # some of them may be damaged
                known = self._known_splits(number, plan.name)
                if len(known) == len(plan):
                    return number, known
                if self._enter_splits(connection, number, plan) == len(plan):  # all are new
                    query = "SELECT split FROM plan_split WHERE plan = ? ORDER BY repeat, fold"
                    return number, [split for (split,) in connection.execute(query, (number,))]
            known = self._known_splits(number, plan.name)
            if len(known) != len(plan):
                raise self.damaged(f"the plan {plan.name}")
        return number, known

    def checked_splits(self, plan: int) -> Iterator[tuple[tuple[Any, ...], Bools, Bools]]:
        """Give repeats, folds, numbers and contents of splits, some thousand at a time.

        With them comes which places in the plan, and which contents, have their checksums.
        """
        query = f"""
            SELECT plan_split.repeat, plan_split.fold, plan_split.split, plan_split.checksum,
                   {SPLIT_COLUMNS}, split.checksum
            FROM plan_split LEFT JOIN split ON split.number = plan_split.split
            WHERE plan_split.plan = ? ORDER BY plan_split.repeat, plan_split.fold"""
        for rows in self.chunks(query, (plan,)):
            repeats, folds, splits, of_places, *contents, wanted = zip(*rows, strict=True)
            places = ((plan,) * len(rows), repeats, folds, contents[0])
            are_in_place = are_sound("plan_split", places, of_places)
            yield (
                (repeats, folds, splits, contents),
                are_in_place,
                are_sound("split", contents, wanted),
            )

    def _known_splits(self, plan: int, name: str) -> list[int]:
        """Return the numbers of the splits of a plan in order.

        Where something of them is damaged, there are none: that and all runs on damaged splits are
        deleted.
        """
        known: list[int] = []
        damaged: list[tuple[int]] = []
        is_whole = True
        for (_, _, splits, _), are_in_place, are_whole in self.checked_splits(plan):
            is_whole &= bool(are_in_place.all())
            damaged += [(split,) for split in itertools.compress(splits, ~are_whole)]
            known += splits
        if is_whole and not damaged:
            return known
        with self.transaction() as connection:
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
        ids, (n_train, n_test) = plan.split_ids, plan.sizes
        packed = [packed_rows(rows, plan.n_samples) for rows in plan.test_rows]
        splits = (ids, n_train.tolist(), n_test.tolist(), packed)
        added = connection.executemany(
            insertion("split", "INSERT OR IGNORE"),
            zip(*splits, checksums_of("split", splits), strict=True),
        )
        repeats, folds = np.divmod(np.arange(len(ids)), plan.n_folds)
        places = ([number] * len(ids), repeats.tolist(), folds.tolist(), ids)
        connection.executemany(
            "INSERT OR IGNORE INTO plan_split SELECT ?, ?, ?, number, ? FROM split WHERE id = ?",
            zip(*places[:3], checksums_of("plan_split", places), ids, strict=True),
        )
        return added.rowcount

    def register_comparison(
        self, data: int, plan: int, random_state: int, learners: Iterable[tuple[str, int]]
    ) -> int:
        """Return the number of a comparison, entering it and its learners if it is new."""
        names = list(learners)
        text = json.dumps([data, plan, random_state, names])
        row = (text, data, plan, random_state)
        with self.transaction() as connection:
            number = self._number("comparison", row)
            rows = [(number, index, name, learner) for index, (name, learner) in enumerate(names)]
            connection.executemany(
                "INSERT INTO comparison_learner VALUES (?, ?, ?, ?, ?) "
                "ON CONFLICT DO UPDATE SET name = excluded.name, learner = excluded.learner, "
                "checksum = excluded.checksum WHERE (name, learner, checksum) IS NOT "
                "(excluded.name, excluded.learner, excluded.checksum)",
                sealed(rows),
            )
        return number

    def _number(self, table: str, row: tuple[Any, ...]) -> int:
        """Return the number of an entry, which is known by its first value, its identity."""
        # the index gives the number, the row itself everything else
        query = f"""SELECT number, {SEALED[table]} FROM {table}
            WHERE number = (SELECT number FROM {table} {{}} WHERE id = ?)"""
        settings = ", ".join(f"{name} = ?" for name in (*COVERED[table], "checksum"))
        ((*whole,),) = sealed([row])
        with self.transaction() as connection:
            result = self.rows(query.format(""), row[:1])
            if result and list(result[0][1:]) == whole:
                return int(result[0][0])
            if not result or (
                row_checksum(result[0][1:-1]) == result[0][-1] and result[0][1] != row[0]
            ):
                result = self.rows(query.format("NOT INDEXED"), row[:1])
                if result:
                    connection.execute(f"REINDEX {table}")
                    self.mended.append(f"index of the table {table}")
            if not result:
                connection.execute(insertion(table), whole)
                result = self.rows(query.format(""), row[:1])
            number, *values, checksum = result[0]
            if row_checksum(values) != checksum:
                # the runs that refer to an entry of known content need not be lost
                connection.execute(f"REINDEX {table}")
                connection.execute(
                    f"UPDATE {table} SET {settings} WHERE number = ?", (*whole, number)
                )
                self.mended.append(f"entry of a {table.replace('_', ' ')}")
        return int(number)

    def environment_number(self, environment: Mapping[str, Any] | None = None) -> int:
        """Return the number of what runs are measured on; None is this process."""
        text = _this_process() if environment is None else json.dumps(environment, sort_keys=True)
        if text not in self._environments:
            self._environments[text] = self._number("environment", (text, text))
        return self._environments[text]

    def environments(self) -> dict[int, dict[str, Any]]:
        """Return what the runs were measured on, by number."""
        rows = self.rows("SELECT number, id, description, checksum FROM environment", ())
        return {
            number: json.loads(text) if row_checksum((identity, text)) == checksum else _UNKNOWN
            for number, identity, text, checksum in rows
        }

    def check_entries(self, *tables: str) -> None:
        """Raise StoreError if an entry of some tables is not what was written."""
        for table in tables:
            for rows in self.chunks(f"SELECT {SEALED[table]} FROM {table}"):
                *values, checksums = zip(*rows, strict=True)
                if not are_sound(table, values, checksums).all():
                    raise self.damaged(f"an entry of its table {table}")


@functools.cache
def _this_process() -> str:
    return json.dumps(describe_environment(), sort_keys=True)


def packed_rows(rows: Ints, n_samples: int) -> bytes:
    """Pack ascending rows of a split: one bit for each row of the data, or numbers if shorter."""
    small = _row_type(n_samples)
    if -(-n_samples // 8) < len(rows) * np.dtype(small).itemsize:
        is_in = np.zeros(n_samples, dtype=bool)
        is_in[rows] = True
        if np.count_nonzero(is_in) == len(rows):  # else a row stands twice
            return _compressed(np.packbits(is_in).tobytes())
    return _compressed(rows.astype(small).tobytes())


def unpacked_rows(packed: Sequence[bytes], n_samples: int, sizes: Sequence[int]) -> list[Ints]:
    """Return the rows of splits that entries hold; their lengths say how they were packed.

    Splits with the same rows share an array.
    """
    small = np.dtype(_row_type(n_samples))
    splits = list(dict.fromkeys(zip(packed, sizes, strict=True)))
    n_together = max(1, _BITS_TOGETHER // n_samples)
    rows_of: dict[tuple[bytes, int], Ints] = {}
    for some in (splits[i : i + n_together] for i in range(0, len(splits), n_together)):
        marked, bits = [], []
        for split in some:
            body = inflated(split[0], max(n_samples, split[1]) * small.itemsize)
            if len(body) == split[1] * small.itemsize:
                rows_of[split] = np.frombuffer(body, dtype=small).astype(np.int64)
            else:
                marked.append(split)
                bits.append(body)
        table = np.frombuffer(b"".join(bits), dtype=np.uint8).reshape(-1, -(-n_samples // 8))
        is_in = np.unpackbits(table, axis=1, count=n_samples).view(bool)
        rows = np.flatnonzero(is_in) % n_samples
        ends = [0, *np.cumsum(np.count_nonzero(is_in, axis=1)).tolist()]
        parts = (rows[first:end] for first, end in itertools.pairwise(ends))
        rows_of |= zip(marked, parts, strict=True)
    return [rows_of[split] for split in zip(packed, sizes, strict=True)]


def _row_type(n_samples: int) -> type[np.unsignedinteger]:
    return np.uint16 if n_samples <= 2**16 else np.uint32


def _compressed(body: bytes) -> bytes:
    """Compress what is worth it; the rest only looks so, as ``zlib.compress(body, 0)`` would.

    That sets up a compressor, which takes longer than all else that is done for a split.
    """
    if len(body) > _WORTH_BYTES:
        return zlib.compress(body, 1)
    size = struct.pack("<HH", len(body), len(body) ^ 0xFFFF)
    return b"\x78\x01\x01" + size + body + struct.pack(">I", zlib.adler32(body))
