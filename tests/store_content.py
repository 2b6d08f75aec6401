"""Content of a store without the numbers of its file, and stores written from such content."""

import json
import sqlite3
from contextlib import closing

from bestofk.evaluation.store import file
from bestofk.evaluation.store.checksum import COVERED
from tests.edited_stores import seal

ENTRIES = ("data_set", "learner", "plan", "split", "environment")
# Tables whose rows refer to entries, in an order in which they can be written.
REFERRING = ("plan_split", "comparison_learner", "run", "score", "decision")
# Of a run, what differs from call to call.
COSTS = [
    "train_seconds",
    "predict_seconds",
    "peak_bytes",
    "is_crowded",
    "environment",
    "train_cpu_seconds",
    "predict_cpu_seconds",
    "is_isolated",
]


def columns_of(table):
    """Return the columns of a table but for its number and its checksum."""
    return [name if name.isidentifier() else "split" for name in COVERED[table]]


def _rows(connection, table, columns):
    return connection.execute(f"SELECT {', '.join(columns)} FROM {table}").fetchall()


def content_of(path):
    """Return the rows of each table, with what stands for an entry in place of its number.

    Numbers are replaced one by one; a comparison stands for its data, plan, random state, and
    learners by name.
    """
    with closing(sqlite3.connect(path)) as connection:
        known = {
            table: dict(_rows(connection, table, ("number", "id"))) | {0: None} for table in ENTRIES
        }
        learners = {}
        for comparison, _, name, learner in sorted(
            _rows(connection, "comparison_learner", columns_of("comparison_learner"))
        ):
            learners.setdefault(comparison, []).append((name, known["learner"][learner]))
        known["comparison"] = {}
        rows = _rows(connection, "comparison", ("number", *columns_of("comparison")))
        for number, text, data, plan, random_state in rows:
            written = json.loads(text)
            names = tuple(learners[number])
            assert written[:3] == [data, plan, random_state]
            assert names == tuple((name, known["learner"][of]) for name, of in written[3])
            known["comparison"][number] = (
                known["data_set"][data], known["plan"][plan], random_state, names
            )  # fmt: skip
        content = {table: _rows(connection, table, columns_of(table)) for table in ENTRIES}
        content["comparison"] = list(known["comparison"].values())
        for table in REFERRING:
            names = columns_of(table)
            content[table] = [
                tuple(known[name][value] if name in known else value
                      for name, value in zip(names, row, strict=True))
                for row in _rows(connection, table, names)
            ]  # fmt: skip
    return {table: sorted(rows, key=repr) for table, rows in content.items()}


def without_costs(path):
    """Return the content of a store without what a run cost and where it was done."""
    content = content_of(path)
    kept = [index for index, name in enumerate(columns_of("run")) if name not in COSTS]
    runs = [tuple(row[index] for index in kept) for row in content["run"]]
    return content | {"run": sorted(runs, key=repr), "environment": []}


def write_store(path, content):
    """Write a store that has some content, numbered in the order given."""
    file.fill(path)
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        connection.execute("BEGIN")

        def insert(table, names, row):
            marks = ", ".join("?" * len(row))
            query = f"INSERT INTO {table} ({', '.join(names)}) VALUES ({marks})"
            return connection.execute(query, row).lastrowid

        known = {
            table: {row[0]: insert(table, columns_of(table), row) for row in content[table]}
            for table in ENTRIES
        }
        known["comparison"] = {}
        for data, plan, random_state, names in content["comparison"]:
            numbers = [(name, known["learner"][learner]) for name, learner in names]
            row = (known["data_set"][data], known["plan"][plan], random_state)
            text = json.dumps([*row, numbers])
            number = insert("comparison", columns_of("comparison"), (text, *row))
            known["comparison"][data, plan, random_state, names] = number
            for position, whose in enumerate(numbers):
                insert(
                    "comparison_learner",
                    columns_of("comparison_learner"),
                    (number, position, *whose),
                )
        for table in REFERRING:
            if table == "comparison_learner":
                continue
            for row in content[table]:
                names = columns_of(table)
                values = zip(names, row, strict=True)
                numbered = [
                    known[name][value] if name in known else value for name, value in values
                ]
                insert(table, names, numbered)
        seal(connection)
        connection.execute("COMMIT")
