"""The SQLite database of a store: a file or memory, transactions, damage noticed."""

import os
import sqlite3
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from bestofk.errors import StoreError
from bestofk.evaluation.queue.collector import paused_collector
from bestofk.evaluation.store import file, schema
from bestofk.randomness import derive_seed

_BUSY_SECONDS = 120.0
# Rows that are looked at together: enough to share what is done once, few enough for the cache.
_CHUNK_ROWS = 10_000


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
        with self._lock, paused_collector():
            try:
                return self._connection.execute(query, values).fetchall()
            except sqlite3.DatabaseError as error:
                if "decode" not in str(error):
                    raise file.unusable(str(self.path), error) from error
            with schema.lenient_text(self._connection):
                return self.guarded(lambda: self._connection.execute(query, values).fetchall())

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
                return
            except sqlite3.DatabaseError as error:
                if "decode" not in str(error):
                    raise file.unusable(str(self.path), error) from error
            rest = self.rows(query, values)[n_given:]
            for start in range(0, len(rest), _CHUNK_ROWS):
                yield rest[start : start + _CHUNK_ROWS]

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
            "Compare the same learners with it again, which mends it, or restore a copy."
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
                f"{self.path} or its folder can only be read. Copy it to where you may write."
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
                "or replaced. Put it back and call the same thing again."
            )
        if files != self._files:
            raise StoreError(
                f"log of the store must stay where it is while it is in use; {self.path}-wal was "
                "moved, deleted or replaced. Call the same thing again: what is in the store is "
                "kept."
            )
