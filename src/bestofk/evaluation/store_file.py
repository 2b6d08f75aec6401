"""Files of a store: checked without being changed, created, upgraded, copied."""

from __future__ import annotations

import functools
import os
import re
import sqlite3
import threading
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

from bestofk.errors import StoreError
from bestofk.evaluation.checksum import COVERED, checksum_of

# "bok1" in the header of every store; the schema version stands next to it.
APPLICATION_ID = 0x626F6B31
SCHEMA_VERSION = 4
# What turns a store of each version into one of the next; nothing in it is lost.
_UPGRADES = {
    1: ("ALTER TABLE run ADD COLUMN way TEXT NOT NULL DEFAULT 'plain'",),
    2: (
        "ALTER TABLE run ADD COLUMN complexity INTEGER",
        "ALTER TABLE run ADD COLUMN complexity_unit TEXT NOT NULL DEFAULT ''",
    ),
    3: (
        "CREATE TABLE decision (comparison INTEGER NOT NULL, purpose TEXT NOT NULL, "
        "place INTEGER NOT NULL, content TEXT NOT NULL, "
        "PRIMARY KEY (comparison, purpose, place)) WITHOUT ROWID",
        *(f"ALTER TABLE {table} ADD COLUMN checksum INTEGER" for table in COVERED),
    ),
}
_FIRST_WITH_CHECKSUMS = 4
_RUN_KEY = "data_set, learner, split, stream, limit_seconds"
RUN_INDEX = f"CREATE UNIQUE INDEX run_key ON run ({_RUN_KEY})"
# What tells the rows of tables apart that have no number of their own.
_KEYS = {
    "plan_split": ("plan", "repeat", "fold"),
    "comparison_learner": ("comparison", "position"),
    "score": ("data_set", "learner", "split", "stream", "measure"),
    "decision": ("comparison", "purpose", "place"),
}
# What `PRAGMA integrity_check` says of single values (the checksum of the row tells it, too), and
# of rows that are not where they are looked up, which can be mended.
_DAMAGED_VALUE = re.compile(r"(NULL|NUMERIC|TEXT|non-\w+) value in ")
_MISPLACED = re.compile(
    r"row \d+ missing from index|wrong # of entries in index|non-unique entry in index|"
    r"row not in PRIMARY KEY order|NULL value in (plan_split|comparison_learner|score|decision)\."
)
_MAGIC = b"SQLite format 3\x00"
# Locks of SQLite do not hold on these; two processes would damage the file.
_NETWORK_FILE_SYSTEMS = {
    "afs", "beegfs", "ceph", "cifs", "fuse.sshfs", "glusterfs", "lustre", "ncpfs", "nfs",
    "nfs4", "smb2", "smb3", "smbfs",
}  # fmt: skip
# Seconds that a process waits while others write.
_PATIENCE = 60
# Bytes of a page: rows of runs are some thousand bytes long, and a page is written twice, with a
# call of the system for each part of it. Files with other pages are read and written as well.
_PAGE_BYTES = 16_384
# Files up to this size are checked page by page when they are opened (about a second).
_QUICK_CHECK_BYTES = 200_000_000

SCHEMA = f"""
PRAGMA application_id = {APPLICATION_ID};
PRAGMA user_version = {SCHEMA_VERSION};
CREATE TABLE data_set (
    number INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, name TEXT NOT NULL, task TEXT NOT NULL,
    n_samples INTEGER NOT NULL, n_features INTEGER NOT NULL, classes TEXT NOT NULL,
    y BLOB NOT NULL, checksum INTEGER);
CREATE TABLE learner (
    number INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, class TEXT NOT NULL,
    version TEXT NOT NULL, parameters TEXT NOT NULL, stream_name TEXT NOT NULL,
    checksum INTEGER);
CREATE TABLE plan (
    number INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, name TEXT NOT NULL, scheme TEXT NOT NULL,
    title TEXT NOT NULL, n_repeats INTEGER NOT NULL, n_folds INTEGER NOT NULL,
    random_state INTEGER NOT NULL, checksum INTEGER);
CREATE TABLE split (
    number INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, n_train INTEGER NOT NULL,
    n_test INTEGER NOT NULL, test_rows BLOB NOT NULL, checksum INTEGER);
CREATE TABLE plan_split (
    plan INTEGER NOT NULL, repeat INTEGER NOT NULL, fold INTEGER NOT NULL,
    split INTEGER NOT NULL, checksum INTEGER,
    PRIMARY KEY (plan, repeat, fold)) WITHOUT ROWID;
CREATE TABLE environment (
    number INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, description TEXT NOT NULL,
    checksum INTEGER);
CREATE TABLE comparison (
    number INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, data_set INTEGER NOT NULL,
    plan INTEGER NOT NULL, random_state INTEGER NOT NULL, checksum INTEGER);
CREATE TABLE comparison_learner (
    comparison INTEGER NOT NULL, position INTEGER NOT NULL, name TEXT NOT NULL,
    learner INTEGER NOT NULL, checksum INTEGER,
    PRIMARY KEY (comparison, position)) WITHOUT ROWID;
CREATE TABLE run (
    data_set INTEGER NOT NULL, learner INTEGER NOT NULL, split INTEGER NOT NULL,
    stream INTEGER NOT NULL, limit_seconds REAL NOT NULL, status TEXT NOT NULL,
    predictions BLOB, train_seconds REAL, predict_seconds REAL, size_bytes INTEGER,
    message TEXT NOT NULL, environment INTEGER NOT NULL, way TEXT NOT NULL DEFAULT 'plain',
    complexity INTEGER, complexity_unit TEXT NOT NULL DEFAULT '',
    checksum INTEGER);
{RUN_INDEX};
CREATE TABLE score (
    data_set INTEGER NOT NULL, learner INTEGER NOT NULL, split INTEGER NOT NULL,
    stream INTEGER NOT NULL, measure TEXT NOT NULL, value REAL, checksum INTEGER,
    PRIMARY KEY (data_set, learner, split, stream, measure)) WITHOUT ROWID;
CREATE TABLE decision (
    comparison INTEGER NOT NULL, purpose TEXT NOT NULL, place INTEGER NOT NULL,
    content TEXT NOT NULL, checksum INTEGER,
    PRIMARY KEY (comparison, purpose, place)) WITHOUT ROWID;
"""


def prepare_file(path: Path) -> bool:
    """Check a store file, or create it complete where there is none.

    Returns
    -------
    bool
        Whether every row is where it is looked up; `put_in_place` mends that.

    Raises
    ------
    StoreError
        If the path is a directory or on a network file system, if the file is no store, is
        damaged or of another version; nothing is changed then.
    """
    if path.is_dir():
        raise StoreError(f"store must be a file; got the directory {path}. Name a file in it.")
    if not path.parent.is_dir():
        raise StoreError(
            f"folder of the store must exist; got {path.parent}. Create it or name another."
        )
    if path.is_symlink() and not path.exists():
        raise StoreError(
            f"store must be a file or a new name; got {path}, a link to {path.readlink()}, which "
            "does not exist. Name that file, or delete the link."
        )
    kind = _file_system(path.parent)
    if kind in _NETWORK_FILE_SYSTEMS or str(path).startswith("\\\\"):
        raise StoreError(
            f"store must be on a local disk; got {path} on a network file system ({kind}). "
            "Keep it on a local disk and copy it when it is not in use."
        )
    if path.exists() and path.stat().st_size > 0:
        version = _version_of_file(path)
        is_in_place = _check_pages(path, version)
        if version < SCHEMA_VERSION and is_writable(path):
            _upgrade(path)
        return is_in_place
    _create(path)
    return True


def check_exists(path: Path) -> None:
    """Raise unless there is a file."""
    if not path.exists():
        raise StoreError(f"store must be an existing file; got {path}. Check the name.")
    if path.is_dir():
        raise StoreError(f"store must be a file; got the directory {path}. Name a file in it.")


def _version_of_file(path: Path) -> int:
    """Return the schema version of a store of this version or before, or raise."""
    try:
        with path.open("rb") as file:
            header = file.read(100)
    except OSError as error:
        raise StoreError(f"store must be readable; got {path}: {error.strerror}.") from error
    if header[:16] != _MAGIC:
        raise StoreError(
            f"store must be a file that bestofk wrote; {path} is no store. Name another file."
        )
    application = int.from_bytes(header[68:72], "big")
    version = int.from_bytes(header[60:64], "big")
    if application != APPLICATION_ID:
        raise StoreError(
            f"store must be a file that bestofk wrote; {path} is a database of another program. "
            "Name another file."
        )
    if version != SCHEMA_VERSION and version not in _UPGRADES:
        raise StoreError(
            f"store must have schema version {SCHEMA_VERSION} or before; {path} has {version}. "
            "Use the version of bestofk that wrote it, or name another file."
        )
    return version


def place_of(path: Path) -> tuple[int, int] | None:
    """Return what tells a file from another one of its name; None where there is none."""
    try:
        result = path.stat()
    except OSError:
        return None
    return result.st_dev, result.st_ino


def log_of(path: Path) -> Path:
    """Return the write-ahead log that SQLite keeps next to a file in use."""
    return Path(f"{path.resolve()}-wal")


def is_writable(path: Path) -> bool:
    """Return whether a store may be written: the file, and its folder because of the log."""
    return os.access(path, os.W_OK) and os.access(path.resolve().parent, os.W_OK)


def read_only_copy(path: Path) -> sqlite3.Connection:
    """Return a passing copy of a store that must not be written, brought up to this version.

    SQLite holds it in memory as far as its cache goes, and the rest in a file without a name.
    """
    copy = sqlite3.connect("", check_same_thread=False, isolation_level=None)
    try:
        with closing(_opened_to_read(path)) as source:
            source.backup(copy)
        _bring_up(copy)
    except BaseException:
        copy.close()
        raise
    return copy


def _opened_to_read(path: Path) -> sqlite3.Connection:
    """Open a file that is left as it is; without a log it can be read without leaving a trace."""
    uri = f"{path.resolve().as_uri()}?mode=ro"
    if not log_of(path).exists():
        uri += "&immutable=1"
    return sqlite3.connect(uri, uri=True, timeout=_PATIENCE)


@contextmanager
def lenient_text(connection: sqlite3.Connection) -> Iterator[None]:
    """Read text that is damaged as text that equals no other, and not as an error."""
    connection.text_factory = lambda text: text.decode("utf-8", "surrogateescape")
    try:
        yield
    finally:
        connection.text_factory = str


def version_of(connection: sqlite3.Connection) -> int:
    """Return the schema version of an open store."""
    return int(connection.execute("PRAGMA user_version").fetchone()[0])


def keep_log(connection: sqlite3.Connection) -> None:
    """Switch to a write-ahead log; SQLite does not wait for the others here, so we do."""
    give_up = time.monotonic() + _PATIENCE
    while True:
        try:
            connection.execute("PRAGMA journal_mode = WAL")
            return
        except sqlite3.OperationalError as error:
            is_busy = error.sqlite_errorcode & 0xFF == sqlite3.SQLITE_BUSY
            if not is_busy or time.monotonic() > give_up:
                raise
        time.sleep(0.01)


def unusable(path: Path | str, error: sqlite3.DatabaseError) -> StoreError:
    """Return the error for a file that SQLite could not read or write."""
    if not isinstance(error, sqlite3.OperationalError):
        return damaged(path, error)
    return StoreError(
        f"store must be a file that can be written; {path} could not ({error}). "
        "What was written is safe; mend that and call the same thing again."
    )


def damaged(path: Path | str, error: Exception) -> StoreError:
    """Return the error for a file whose content SQLite cannot read."""
    return StoreError(
        f"store must be undamaged; {path} is damaged ({error}). "
        "It was left as it is; restore a copy or name another file."
    )


def _check_pages(path: Path, version: int) -> bool:
    """Raise if SQLite cannot read the file; return whether rows are where they are looked up."""
    before = path.stat()
    answers, is_layout = ["ok"], False
    reason: Exception
    try:
        with closing(_opened_to_read(path)) as connection:
            if before.st_size <= _QUICK_CHECK_BYTES:
                answers = [text for (text,) in connection.execute("PRAGMA integrity_check")]
            is_layout = version < SCHEMA_VERSION or _layout(connection) == _layout_of_new_stores()
            connection.execute("SELECT count(*) FROM comparison").fetchone()
    except (sqlite3.DatabaseError, UnicodeError) as error:  # a message may quote what is no text
        answers, reason = ["unreadable"], error
    else:
        reason = ValueError(answers[0] if is_layout else "its tables are other ones")
    is_misplaced = [bool(_MISPLACED.match(text)) for text in answers]
    known = [text == "ok" or _DAMAGED_VALUE.match(text) for text in answers]
    if is_layout and all(map(max, is_misplaced, map(bool, known))):
        return not any(is_misplaced)
    after = path.stat()
    if (after.st_mtime_ns, after.st_size) == (before.st_mtime_ns, before.st_size):
        raise damaged(path, reason) from reason
    return _check_pages(path, version)  # another process wrote meanwhile


def _layout(connection: sqlite3.Connection) -> set[tuple[Any, ...]]:
    """Return every column of every table with what makes it the key, or not."""
    return set(
        connection.execute(
            "SELECT m.name, c.name, c.type, c.[notnull], c.dflt_value, c.pk "
            "FROM sqlite_master m, pragma_table_info(m.name) c WHERE m.type = 'table'"
        )
    )


@functools.cache
def _layout_of_new_stores() -> set[tuple[Any, ...]]:
    with closing(sqlite3.connect(":memory:")) as connection:
        connection.executescript(SCHEMA)
        return _layout(connection)


def put_in_place(connection: sqlite3.Connection) -> None:
    """Enter rows anew where they are looked up; of two of one key the first stays.

    Entries that are distinguished by an identity are left to callers that can compute it.
    """
    connection.execute("DROP INDEX IF EXISTS run_key")
    connection.execute(
        f"DELETE FROM run WHERE rowid NOT IN (SELECT min(rowid) FROM run GROUP BY {_RUN_KEY})"
    )
    connection.execute(RUN_INDEX)
    for table in _KEYS:
        connection.execute(f"CREATE TEMP TABLE moving AS SELECT * FROM {table}")
        connection.execute(f"DELETE FROM {table}")
        connection.execute(f"INSERT OR IGNORE INTO {table} SELECT * FROM moving")
        connection.execute("DROP TABLE moving")


def _create(path: Path) -> None:
    """Write an empty store next to the target path and link it, so it is complete or absent."""
    log = Path(f"{path}-wal")
    if log.exists() and not path.exists():
        raise StoreError(
            f"store must not stand beside the log of another; {log} is left from one that was "
            "moved or deleted. Put that store back, or delete the log and what is in it."
        )
    draft = path.with_name(f".{path.name}.{os.getpid()}.{threading.get_ident()}.new")
    try:
        if path.exists():
            _fill(path)
            return
        draft.unlink(missing_ok=True)
        _fill(draft)
        try:
            os.link(draft, path)
        except FileExistsError:
            pass  # another process was first
        except OSError:  # a file system without links
            os.replace(draft, path)
    except (OSError, sqlite3.OperationalError) as error:
        raise StoreError(
            f"store must be a place that can be written to; got {path}: {error}. Name another."
        ) from error
    finally:
        for leftover in (draft, Path(f"{draft}-wal"), Path(f"{draft}-shm")):
            leftover.unlink(missing_ok=True)


def _fill(path: Path) -> None:
    """Turn an existing empty file into a store; of several processes only one does it."""
    connection = sqlite3.connect(path, timeout=_PATIENCE, isolation_level=None)
    try:
        connection.execute(f"PRAGMA page_size = {_PAGE_BYTES}")
        connection.execute("BEGIN EXCLUSIVE")
        if not connection.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]:
            for statement in SCHEMA.split(";"):
                connection.execute(statement)
        connection.execute("COMMIT")
        keep_log(connection)
    finally:
        connection.close()


def _upgrade(path: Path) -> None:
    """Bring a store of an older version up to this one; several processes may try at once."""
    try:
        options: dict[str, Any] = {"timeout": _PATIENCE, "isolation_level": None}
        with closing(sqlite3.connect(path.absolute(), **options)) as connection:
            _bring_up(connection)
    except sqlite3.DatabaseError as error:
        raise unusable(path, error) from error


def _bring_up(connection: sqlite3.Connection) -> None:
    if version_of(connection) == SCHEMA_VERSION:
        return
    connection.execute("BEGIN EXCLUSIVE")
    for number in range(version_of(connection), SCHEMA_VERSION):
        for statement in _UPGRADES[number]:
            connection.execute(statement)
        if number == _FIRST_WITH_CHECKSUMS - 1:
            seal(connection)
    connection.execute(f"PRAGMA user_version = {SCHEMA_VERSION}")
    connection.execute("COMMIT")


def seal(connection: sqlite3.Connection) -> None:
    """Enter the checksum of every row as it stands."""
    for table in COVERED:
        key = _KEYS.get(table, ("rowid",))
        rows = [(checksum_of(table, values), *of) for of, values, _ in _rows(connection, table)]
        where = " AND ".join(f"{name} = ?" for name in key)
        connection.executemany(f"UPDATE {table} SET checksum = ? WHERE {where}", rows)


def damaged_rows(connection: sqlite3.Connection) -> Iterator[tuple[str, tuple[Any, ...]]]:
    """Give table and values of every row that does not have its checksum."""
    for table in COVERED:
        for _, values, checksum in _rows(connection, table):
            if checksum_of(table, values) != checksum:
                yield table, values


def contradictions(connection: sqlite3.Connection) -> list[str]:
    """Return what SQLite finds wrong with the pages and indices of a store."""
    answers = [text for (text,) in connection.execute("PRAGMA integrity_check")]
    return [text for text in answers if text != "ok" and not _DAMAGED_VALUE.match(text)]


def _rows(
    connection: sqlite3.Connection, table: str
) -> Iterator[tuple[tuple[Any, ...], tuple[Any, ...], int | None]]:
    """Give key, covered values and checksum of every row of a table."""
    key = _KEYS.get(table, ("rowid",))
    columns = ", ".join((*key, *COVERED[table], "checksum"))
    with lenient_text(connection):
        for row in connection.execute(f"SELECT {columns} FROM {table}"):
            yield row[: len(key)], row[len(key) : -1], row[-1]


def _file_system(folder: Path) -> str:
    """Return the type of the file system of a folder where the system tells, else ''."""
    try:
        lines = Path("/proc/mounts").read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        return ""
    index, best, kind = folder.resolve(), Path("/"), ""
    for line in lines:
        fields = line.split()
        mount = Path(fields[1].replace("\\040", " "))
        if index.is_relative_to(mount) and len(mount.parts) >= len(best.parts):
            best, kind = mount, fields[2]
    return kind
