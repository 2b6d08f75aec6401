"""Tables of a store, their versions, and rows that are damaged or not where they are looked up."""

import functools
import re
import sqlite3
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager
from typing import Any

from bestofk.evaluation.store.checksum import COVERED, SEALED, checksum_of

# "bok1" in the header of every store; the schema version stands next to it.
APPLICATION_ID = 0x626F6B31
SCHEMA_VERSION = 8
# What the file itself defines runs no function of ours.
UNTRUSTED = "PRAGMA trusted_schema = OFF"
_RUN_KEY = "data_set, learner, split, stream, limit_seconds, limit_bytes"
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
DAMAGED_VALUE = re.compile(r"(NULL|NUMERIC|TEXT|non-\w+) value in ")
MISPLACED = re.compile(
    r"row \d+ missing from index|wrong # of entries in index|non-unique entry in index|"
    r"row not in PRIMARY KEY order|NULL value in (plan_split|comparison_learner|score|decision)\."
)

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
    complexity INTEGER, complexity_unit TEXT NOT NULL DEFAULT '', checksum INTEGER,
    limit_bytes INTEGER NOT NULL DEFAULT 0, peak_bytes INTEGER,
    is_crowded INTEGER NOT NULL DEFAULT 0, train_cpu_seconds REAL, predict_cpu_seconds REAL,
    is_isolated INTEGER NOT NULL DEFAULT 0);
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


def layout(connection: sqlite3.Connection) -> set[tuple[Any, ...]]:
    """Return every table, index, view and trigger with the statement that made it."""
    return set(connection.execute("SELECT type, name, tbl_name, sql FROM sqlite_master"))


@functools.cache
def layout_of_new_stores() -> set[tuple[Any, ...]]:
    """Return what a store holds as this version makes it."""
    with closing(sqlite3.connect(":memory:")) as connection:
        connection.executescript(SCHEMA)
        return layout(connection)


def put_in_place(connection: sqlite3.Connection) -> None:
    """Enter rows anew where they are looked up; of two of one key the first stays.

    Entries that are distinguished by an identity are left to callers that can compute it.
    """
    _index_runs(connection)
    for table in _KEYS:
        connection.execute(f"CREATE TEMP TABLE moving AS SELECT * FROM {table}")
        connection.execute(f"DELETE FROM {table}")
        connection.execute(f"INSERT OR IGNORE INTO {table} SELECT * FROM moving")
        connection.execute("DROP TABLE moving")


def _index_runs(connection: sqlite3.Connection) -> None:
    """Make the index of runs anew; of two of one key, as damage leaves them, the first stays."""
    connection.execute("DROP INDEX IF EXISTS run_key")
    connection.execute(
        f"DELETE FROM run WHERE rowid NOT IN (SELECT min(rowid) FROM run GROUP BY {_RUN_KEY})"
    )
    connection.execute(RUN_INDEX)


def damaged_rows(connection: sqlite3.Connection) -> Iterator[tuple[str, tuple[Any, ...]]]:
    """Give table and values of every row that does not have its checksum."""
    with lenient_text(connection):
        for table in COVERED:
            for *values, checksum in connection.execute(f"SELECT {SEALED[table]} FROM {table}"):
                if checksum_of(table, values) != checksum:
                    yield table, tuple(values)


def row_names(connection: sqlite3.Connection) -> Callable[[str, Sequence[Any]], str]:
    """Return what says in words which row of a table has some covered values."""
    with lenient_text(connection):
        learners = dict(connection.execute("SELECT learner, name FROM comparison_learner"))
        splits = connection.execute("SELECT split, repeat, fold FROM plan_split")
        indices = {split: index for split, *index in splits}

    def name(table: str, values: Sequence[Any]) -> str:
        if table != "run":
            return f"an entry of the table {table}"
        learner = learners.get(values[1], "a learner of no comparison")
        repeat, fold = indices.get(values[2], ("unknown", "unknown"))
        return f"a run of {learner}, repeat {repeat}, fold {fold}"

    return name


def contradictions(connection: sqlite3.Connection) -> list[str]:
    """Return what SQLite finds wrong with the pages and indices of a store."""
    answers = [text for (text,) in connection.execute("PRAGMA integrity_check")]
    return [text for text in answers if text != "ok" and not DAMAGED_VALUE.match(text)]
