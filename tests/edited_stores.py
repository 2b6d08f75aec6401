"""Stores edited by hand."""

from __future__ import annotations

import sqlite3
from contextlib import closing

from bestofk.evaluation.store.schema import seal


def edit(path, *statements):
    """Change rows of a store as if they had been written so."""
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        for statement, *values in statements:
            connection.execute(statement, values)
        seal(connection)
