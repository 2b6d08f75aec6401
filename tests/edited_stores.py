"""Stores edited by hand."""

import sqlite3
from contextlib import closing

from bestofk.evaluation.store.checksum import COVERED, SEALED, checksum_of
from bestofk.evaluation.store.schema import _KEYS, lenient_text


def seal(connection):
    """Enter the checksum of every row as it stands."""
    for table in COVERED:
        key = _KEYS.get(table, ("rowid",))
        with lenient_text(connection):
            query = f"SELECT {', '.join(key)}, {SEALED[table]} FROM {table}"
            rows = connection.execute(query).fetchall()
        where = " AND ".join(f"{name} = ?" for name in key)
        connection.executemany(
            f"UPDATE {table} SET checksum = ? WHERE {where}",
            [(checksum_of(table, row[len(key) : -1]), *row[: len(key)]) for row in rows],
        )


def edit(path, *statements):
    """Change rows of a store as if they had been written so."""
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        for statement, *values in statements:
            connection.execute(statement, values)
        seal(connection)
