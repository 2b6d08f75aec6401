"""Files of a store: checked without being changed, created, copied."""

import os
import sqlite3
import threading
import time
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import TypeVar

from bestofk.checks import wrong_place, wrong_source
from bestofk.errors import StoreError
from bestofk.evaluation.store import schema

Result = TypeVar("Result")
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
    check_place(path)
    is_filled = path.exists() and path.stat().st_size > 0
    if is_filled:
        _check_version(path)
    try:
        # a journal: an empty file is being filled, or whoever filled it was killed
        if Path(f"{path.resolve()}-journal").exists() or not (is_filled or create(path, fill)):
            fill(path)
    except (OSError, sqlite3.OperationalError) as error:
        raise not_created(path, error) from error
    except sqlite3.DatabaseError as error:
        raise damaged(path, error) from error
    return _check_pages(path) if is_filled else True


def check_place(path: Path) -> None:
    """Raise StoreError if no store can be at a path."""
    if problem := wrong_place(path, "store", "the store"):
        raise StoreError(problem)
    if kind := _network_file_system(path):
        raise StoreError(
            f"store must be on a local disk; got {path} on a network file system ({kind}). "
            "Keep it on a local disk and copy it when it is not in use."
        )


def check_source(path: Path) -> None:
    """Raise unless there is a store that can be read; nothing is changed.

    Raises
    ------
    StoreError
        If there is none, it is damaged so that SQLite cannot read it, or it is in use on a network
        file system.
    """
    check_exists(path)
    _check_version(path)
    _check_pages(path)
    if log_of(path).exists() and (kind := _network_file_system(path)):
        raise StoreError(
            f"store on a network file system ({kind}) must not be in use when it is read; "
            f"{log_of(path)} says that {path} is. End what uses it first."
        )


def check_exists(path: Path) -> None:
    """Raise unless there is a file."""
    if problem := wrong_source(path, "store"):
        raise StoreError(problem)


def _check_version(path: Path) -> None:
    """Raise unless a file is a store of this schema version."""
    try:
        with path.open("rb") as file:
            header = file.read(100)
    except OSError as error:
        raise StoreError(f"store must be readable; got {path}: {error.strerror}.") from error
    if header[:16] != _MAGIC:
        raise StoreError(
            f"store must be a file that bestofk wrote; {path} is not a store. Name another file."
        )
    application = int.from_bytes(header[68:72], "big")
    version = int.from_bytes(header[60:64], "big")
    if application != schema.APPLICATION_ID:
        raise StoreError(
            f"store must be a file that bestofk wrote; {path} is a database of another program. "
            "Name another file."
        )
    if version != schema.SCHEMA_VERSION:
        raise StoreError(
            f"store must have schema version {schema.SCHEMA_VERSION}; {path} has {version}. "
            "Use the version of bestofk that wrote it, or name another file."
        )


def identity_of(path: Path) -> tuple[int, int] | None:
    """Return what distinguishes a file from another of its name; None where there is none."""
    try:
        result = path.stat()
    except OSError:
        return None
    return result.st_dev, result.st_ino


def _state_of(path: Path) -> tuple[int, int]:
    """Return what changes when a file is written."""
    result = path.stat()
    return result.st_mtime_ns, result.st_size


def log_of(path: Path) -> Path:
    """Return the write-ahead log that SQLite keeps next to a file in use."""
    return Path(f"{path.resolve()}-wal")


def is_writable(path: Path) -> bool:
    """Return whether a store may be written: the file, and its folder because of the log."""
    return os.access(path, os.W_OK) and os.access(path.resolve().parent, os.W_OK)


def read_only_copy(path: Path) -> sqlite3.Connection:
    """Return a passing copy of a store that must not be written.

    SQLite holds it in memory as far as its cache goes, and the rest in a file without a name.
    """
    copy = sqlite3.connect("", check_same_thread=False, isolation_level=None)
    with closing(_opened_to_read(path, has_log=log_of(path).exists())) as source:
        source.backup(copy)
    return copy


def read_undisturbed(path: Path, read: Callable[[sqlite3.Connection], Result]) -> Result:
    """Return what is read from a store as it is at one time.

    Others may go on writing to it: where they disturb the reading, it begins anew.

    Raises
    ------
    StoreError
        If the file cannot be opened. What `read` raises, if nothing disturbed it.
    """
    while True:
        # without a log nothing keeps others from changing what is read
        state, has_log = _state_of(path), log_of(path).exists()
        try:
            with closing(_snapshot(path, has_log=has_log)) as connection:
                result = read(connection)
        except StoreError:
            if has_log or _state_of(path) == state:
                raise
        else:
            if has_log or _state_of(path) == state:
                return result


def _snapshot(path: Path, *, has_log: bool) -> sqlite3.Connection:
    """Open a store to read it as it is now."""
    try:
        source = _opened_to_read(path, has_log=has_log)
        source.isolation_level = None
        source.execute("BEGIN")
        schema.version_of(source)  # from now on it stays as it is
        return source
    except sqlite3.DatabaseError as error:
        raise damaged(path, error) from error


def _opened_to_read(path: Path, *, has_log: bool) -> sqlite3.Connection:
    """Open a file that is left as it is; without a log it can be read without leaving a trace."""
    uri = f"{path.resolve().as_uri()}?mode=ro"
    if not has_log:
        uri += "&immutable=1"
    connection = sqlite3.connect(uri, uri=True, timeout=_PATIENCE)
    connection.execute(schema.UNTRUSTED)
    return connection


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
        "What was written is safe; fix that and repeat the call."
    )


def damaged(path: Path | str, error: Exception) -> StoreError:
    """Return the error for a file whose content SQLite cannot read."""
    reason = " ".join(str(error).split())  # it may quote the lines that define a table
    return StoreError(
        f"store must be undamaged; {path} is damaged ({reason}). "
        "It was left as it is; restore a copy or name another file."
    )


def _check_pages(path: Path) -> bool:
    """Raise if SQLite cannot read the file; return whether rows are where they are looked up."""
    before = _state_of(path)
    answers, is_layout = ["ok"], False
    reason: Exception
    try:
        with closing(_opened_to_read(path, has_log=log_of(path).exists())) as connection:
            is_layout = schema.layout(connection) == schema.layout_of_new_stores()
            # tables, views, triggers and indices of others run what they hold when they are read
            if is_layout and path.stat().st_size <= _QUICK_CHECK_BYTES:
                answers = [text for (text,) in connection.execute("PRAGMA integrity_check")]
            if is_layout:
                connection.execute("SELECT count(*) FROM comparison").fetchone()
    except (sqlite3.DatabaseError, UnicodeError) as error:  # a message may quote what is no text
        answers, reason = ["unreadable"], error
    else:
        reason = ValueError(answers[0] if is_layout else "it holds other tables, views or triggers")
    is_misplaced = [bool(schema.MISPLACED.match(text)) for text in answers]
    known = [text == "ok" or schema.DAMAGED_VALUE.match(text) for text in answers]
    if is_layout and all(map(max, is_misplaced, map(bool, known))):
        return not any(is_misplaced)
    if _state_of(path) == before:
        raise damaged(path, reason) from reason
    return _check_pages(path)  # another process wrote meanwhile


def create(path: Path, write: Callable[[Path], None]) -> bool:
    """Write a store next to the target path and link it, so it is complete or absent.

    Returns
    -------
    bool
        False, and nothing is changed, if there is a file by then.
    """
    log = Path(f"{path}-wal")
    if log.exists() and not path.exists():
        raise StoreError(
            f"store must not stand next to the log of another; {log} is left from one that was "
            "moved or deleted. Put that store back, or delete the log and what is in it."
        )
    draft = path.with_name(f".{path.name}.{os.getpid()}.{threading.get_ident()}.new")
    try:
        if path.exists():
            return False
        draft.unlink(missing_ok=True)
        write(draft)
        try:
            os.link(draft, path)
        except FileExistsError:
            return False
        except OSError:  # a file system without links
            os.replace(draft, path)
        return True
    finally:
        for leftover in (draft, Path(f"{draft}-wal"), Path(f"{draft}-shm")):
            leftover.unlink(missing_ok=True)


def not_created(path: Path, error: Exception) -> StoreError:
    """Return the error for a place where no store can be made."""
    return StoreError(
        f"store must be a place that can be written to; got {path}: {error}. Name another."
    )


def fill(path: Path) -> None:
    """Turn an existing empty file into a store; of several processes only one does it.

    The others wait. What one that was killed left of it is taken back first.
    """
    connection = sqlite3.connect(path, timeout=_PATIENCE, isolation_level=None)
    try:
        connection.execute(f"PRAGMA page_size = {_PAGE_BYTES}")
        connection.execute("BEGIN EXCLUSIVE")
        if not connection.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]:
            for statement in schema.SCHEMA.split(";"):
                connection.execute(statement)
        connection.execute("COMMIT")
        keep_log(connection)
    finally:
        connection.close()


def _network_file_system(path: Path) -> str:
    """Return the type of the network file system that a path is on; '' where it is on none."""
    if str(path).startswith("\\\\"):
        return "network share"
    kind = _file_system(path.parent)
    return kind if kind in _NETWORK_FILE_SYSTEMS else ""


def _file_system(folder: Path) -> str:
    """Return the type of the file system of a folder where the system tells, else ''."""
    try:
        lines = Path("/proc/mounts").read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        return ""
    mounts = [line.split() for line in lines]
    kinds = {fields[1].replace("\\040", " "): fields[2] for fields in mounts}
    here = folder.resolve()
    return next((kinds[str(path)] for path in (here, *here.parents) if str(path) in kinds), "")
