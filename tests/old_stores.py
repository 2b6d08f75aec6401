"""Stores as earlier versions wrote them, and stores edited by hand."""

from __future__ import annotations

import sqlite3
from contextlib import closing

from bestofk.evaluation.store.checksum import COVERED
from bestofk.evaluation.store.schema import RUN_INDEX, SCHEMA_VERSION, seal

# Columns that each version has added.
ADDED = {
    2: [("run", "way")],
    3: [("run", "complexity"), ("run", "complexity_unit")],
    4: [(table, "checksum") for table in COVERED],
    5: [("run", "limit_bytes"), ("run", "peak_bytes"), ("run", "is_crowded")],
    6: [],
    7: [],
}
OLD_RUN_INDEX = (
    "CREATE UNIQUE INDEX run_key ON run (data_set, learner, split, stream, limit_seconds)"
)


def make_older(path, version):
    """Turn a store of this version into one that an earlier version wrote."""
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        connection.execute("DROP INDEX run_key")  # SQLite drops no column of an index
        for newer in range(SCHEMA_VERSION, version, -1):
            for table, column in ADDED[newer]:
                connection.execute(f"ALTER TABLE {table} DROP COLUMN {column}")
            if newer == 4:
                connection.execute("DROP TABLE decision")
        connection.execute(OLD_RUN_INDEX if version < 5 else RUN_INDEX)
        connection.execute(f"PRAGMA user_version = {version}")


def edit(path, *statements):
    """Change rows of a store as if they had been written so."""
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        for statement, *values in statements:
            connection.execute(statement, values)
        seal(connection)
