"""Copy of one store to another: rows under the numbers that the other has for their entries.

Of rows of one key, the one that is first in a fixed order stays.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing
from functools import partial
from itertools import compress
from pathlib import Path
from typing import Any

from bestofk.errors import ContradictionError
from bestofk.evaluation.queue.collector import paused_collector
from bestofk.evaluation.status import OK
from bestofk.evaluation.store import file, schema
from bestofk.evaluation.store.blobs import LABELS_ONLY, is_same_content
from bestofk.evaluation.store.checksum import (
    COVERED,
    SEALED,
    are_sound,
    checksums_of,
    insertion,
    row_checksum,
)
from bestofk.evaluation.store.runs import RunKey, runs_without_score
from bestofk.words import times

# Entries that are known by an identity of their own.
_ENTRIES = ("data_set", "learner", "plan", "split", "environment")
_CHUNK_ROWS = 10_000
_ID_OF = "(SELECT id FROM {table} WHERE number = {{row}}.{table})"
# Runs that went well were under no limit: their scores have none, and refer to their key by 0.
RUN_KEY = ("data_set", "learner", "split", "stream", "limit_seconds", "limit_bytes")
# Status and content of a row; scores are compared as numbers.
_CONTENTS = {
    "run": "{row}.status, {row}.predictions",
    "score": f"'{OK}', ifnull({{row}}.value, '')",
}
_IDS_OF_RUN = """SELECT (SELECT id FROM data_set WHERE number = ?1),
    (SELECT id FROM learner WHERE number = ?2), (SELECT id FROM split WHERE number = ?3),
    ?4, ?5, ?6"""
_HAS_RUN = """SELECT 1 FROM run WHERE stream = ?4 AND limit_seconds = ?5 AND limit_bytes = ?6
    AND data_set = (SELECT number FROM data_set WHERE id = ?1)
    AND learner = (SELECT number FROM learner WHERE id = ?2)
    AND split = (SELECT number FROM split WHERE id = ?3)"""
# In place of the number of a machine that is not known.
_UNKNOWN = 0


class Contents:
    """Comparison of the contents of runs of one key, while stores are copied.

    Contents are what scores are computed from: status, predictions, and scores that were kept in
    place of them. Seconds and messages differ without being contradictions.

    Parameters
    ----------
    output : Connection
        Where stores are copied to.
    keep : Path or None
        The store whose content holds, which is copied before others.

    Attributes
    ----------
    kept : set of tuple
        Keys of the runs of the store whose content holds.
    differing, settled : set of tuple
        Keys of runs whose contents differ, and of those of them that `kept` has.
    """

    def __init__(self, output: sqlite3.Connection, keep: Path | None = None) -> None:
        self._output, self.keep = output, keep
        self.is_keep = False  # what is copied now
        self.kept: set[tuple[Any, ...]] = set()
        self.differing: set[tuple[Any, ...]] = set()
        self.settled: set[tuple[Any, ...]] = set()
        output.create_function("holds", len(RUN_KEY) + 4, self._holds)

    def _holds(self, *values: Any) -> bool | None:
        """Return whether a new row holds against the old one; None where they do not differ."""
        *key, new_status, new, old_status, old = values
        if new_status == old_status and is_same_content(new, old):
            return None
        run = tuple(key)
        self.differing.add(run)
        if self.is_keep or run in self.kept:
            self.settled.add(run)
        return self.is_keep

    def check(self, sources: Sequence[Path]) -> None:
        """Raise if contents differ of which none holds.

        Raises
        ------
        ContradictionError
            With each of the runs, and those of some stores that have it.
        """
        if lines := self.lines(sources):
            raise ContradictionError(
                f"stores must have the same content of each run; got {times(len(lines), 'run')} "
                "with different status or predictions. Nothing was written; name the store whose "
                "content holds with --keep STORE (keep= in Python).",
                *lines,
            )

    def notes(self) -> list[str]:
        """Return how many contents were taken from the store that holds, if any were."""
        n = times(len(self.settled), "run")
        text = f"Other stores have {n} with another content, of which that of {self.keep} is kept."
        return [text] if self.settled else []

    def lines(self, sources: Sequence[Path]) -> list[str]:
        """Return each run whose contents differ and none holds, with the stores that have it."""
        runs = sorted(self.differing - self.settled)
        if not runs:
            return []
        ids = [self._output.execute(_IDS_OF_RUN, run).fetchone() for run in runs]
        holders = [file.read_undisturbed(path, partial(_among, runs=ids)) for path in sources]
        name = schema.row_names(self._output)
        lines = []
        for run, whose in zip(runs, ids, strict=True):
            paths = [path for path, has in zip(sources, holders, strict=True) if whose in has]
            lines.append(f"{name('run', run)}: {', '.join(map(str, paths))}")
        return sorted(lines)


def _among(source: sqlite3.Connection, runs: Sequence[tuple[Any, ...]]) -> set[tuple[Any, ...]]:
    """Return those of some runs, by what they refer to, that a store has."""
    return {run for run in runs if source.execute(_HAS_RUN, run).fetchone()}


def copied(path: Path, output: sqlite3.Connection, contents: Contents) -> StoreCopy:
    """Copy one store to another, whose transaction is open, and return what came of it."""

    def copy(source: sqlite3.Connection) -> StoreCopy:
        output.execute("ROLLBACK TO source")  # what was copied before it was disturbed
        result = StoreCopy(source, path, output, contents)
        result.copy()
        return result

    contents.is_keep = path == contents.keep
    output.execute("SAVEPOINT source")
    with paused_collector():
        result = file.read_undisturbed(path, copy)
    output.execute("RELEASE source")
    return result


def contradictions(sources: Sequence[Path]) -> list[str]:
    """Return each run whose contents differ between stores, with the stores that have it.

    Raises
    ------
    StoreError
        If one of them cannot be read.
    """
    with closing(sqlite3.connect("", isolation_level=None)) as output:
        output.executescript(schema.SCHEMA)
        output.execute("BEGIN")
        contents = Contents(output)
        for path in sources:
            file.check_source(path)
            copied(path, output, contents)
        return contents.lines(sources)


class StoreCopy:
    """Copy of one store to another, whose transaction is open.

    Attributes
    ----------
    numbers : dict of dict
        By table and number in the source, the number in the output.
    damaged : list of str
        The rows that are damaged.
    n_runs, n_left_out : int
        Runs of the source, and those that were not copied.
    """

    def __init__(
        self, source: sqlite3.Connection, path: Path, output: sqlite3.Connection, contents: Contents
    ) -> None:
        self._source, self._path, self._output = source, path, output
        self._contents = contents
        self._lacking: set[RunKey] = set()
        self.numbers: dict[str, dict[int, int]] = {}
        self.damaged: list[str] = []
        self.n_runs = self.n_left_out = 0

    def copy(self) -> None:
        """Copy all rows that are whole and refer to such."""
        try:
            self._name = schema.row_names(self._source)
        except sqlite3.DatabaseError as error:
            raise file.damaged(self._path, error) from error
        for table in _ENTRIES:
            self._copy_entries(table)
        self._copy_plan_splits()
        self._copy_comparisons()
        self._copy_decisions()
        self._copy_scores()
        self._copy_runs()

    def _copy_entries(self, table: str) -> None:
        numbers: dict[int, str] = {}
        for number, *columns in self._sound(table, "number"):
            numbers.update(zip(number, columns[0], strict=True))
            self._insert(table, columns)
        known = dict(self._output.execute(f"SELECT id, number FROM {table}"))
        self.numbers[table] = {number: known[identity] for number, identity in numbers.items()}

    def _copy_plan_splits(self) -> None:
        """Copy the positions of splits in plans, of which a row names the split by its identity."""
        of_split = _ID_OF.format(table="split")
        statement = f"""
            INSERT INTO plan_split VALUES (?, ?, ?, ?, ?)
            ON CONFLICT DO UPDATE SET split = excluded.split, checksum = excluded.checksum
            WHERE {of_split.format(row="excluded")} < {of_split.format(row="plan_split")}"""
        numbers = dict(self._output.execute("SELECT id, number FROM split"))
        copied = set(self.numbers["split"].values())
        for columns in self._sound("plan_split"):
            rows = zip(*self._renumbered("plan_split", columns), strict=True)
            self._output.executemany(
                statement,
                [
                    (*row[:3], numbers[row[3]], row_checksum(row))
                    for row in rows
                    if numbers.get(row[3]) in copied
                ],
            )

    def _copy_comparisons(self) -> None:
        """Copy comparisons, whose identities are texts with numbers of a store in them."""
        numbers = self.numbers["comparison"] = {}
        for columns in self._sound("comparison", "number"):
            for number, text, *_ in zip(*columns, strict=True):
                try:
                    data, plan, random_state, names = json.loads(text)
                    data, plan = self.numbers["data_set"][data], self.numbers["plan"][plan]
                    names = [(name, self.numbers["learner"][learner]) for name, learner in names]
                except (ValueError, TypeError, KeyError):
                    continue  # of what it refers to, something is damaged
                row = (json.dumps([data, plan, random_state, names]), data, plan, random_state)
                self._insert("comparison", [[value] for value in row])
                query = "SELECT number FROM comparison WHERE id = ?"
                ((numbers[number],),) = self._output.execute(query, row[:1])
                learners = [(numbers[number], i, *whose) for i, whose in enumerate(names)]
                self._insert("comparison_learner", list(zip(*learners, strict=True)))
        for _ in self._sound("comparison_learner"):  # to name those that are damaged
            pass

    def _copy_decisions(self) -> None:
        """Copy the decisions of each purpose of a comparison, if they are further."""
        rows: list[tuple[Any, ...]] = []
        for columns in self._sound("decision"):
            rows += zip(*self._renumbered("decision", columns), strict=True)
        query = f"SELECT {', '.join(COVERED['decision'])} FROM decision"
        before = _in_order(self._output.execute(query).fetchall())
        for whose, texts in _in_order(rows).items():
            if _progress(texts) > _progress(before.get(whose, [])):
                self._output.execute(
                    "DELETE FROM decision WHERE comparison = ? AND purpose = ?", whose
                )
                kept = [(*whose, index, text) for index, text in enumerate(texts)]
                self._insert("decision", list(zip(*kept, strict=True)))

    def _copy_scores(self) -> None:
        n_damaged = len(self.damaged)
        for columns in self._sound("score"):
            self._insert("score", self._renumbered("score", columns))
        if len(self.damaged) > n_damaged:
            n_damaged = len(self.damaged)
            sound = (row for columns in self._sound("score") for row in zip(*columns, strict=True))
            self._lacking = set(runs_without_score(sound))
            del self.damaged[n_damaged:]  # read twice, named once

    def _copy_runs(self) -> None:
        n_damaged, n_sound, n_copied = len(self.damaged), 0, 0
        for columns in self._sound("run"):
            n_sound += len(columns[0])
            if self._lacking:
                rows = [row for row in zip(*columns, strict=True) if row[:4] not in self._lacking]
                columns = list(zip(*rows, strict=True)) or [()] * len(columns)
            renumbered = self._renumbered("run", columns)
            n_copied += len(renumbered[0])
            self._insert("run", renumbered)
            if self._contents.is_keep:
                keys = (renumbered[COVERED["run"].index(name)] for name in RUN_KEY)
                self._contents.kept.update(zip(*keys, strict=True))
        self.n_runs = n_sound + len(self.damaged) - n_damaged
        self.n_left_out = self.n_runs - n_copied

    def _sound(self, table: str, *before: str) -> Iterator[Sequence[Sequence[Any]]]:
        """Give the rows of a table that are whole, some thousand at a time, column by column.

        Columns are those `before` and those that the checksum covers.
        """
        columns = ", ".join((*before, SEALED[table]))
        for rows in self._chunks(f"SELECT {columns} FROM {table} NOT INDEXED"):
            *values, checksums = zip(*rows, strict=True)
            is_sound = are_sound(table, values[len(before) :], checksums)
            if not is_sound.all():
                self.damaged += [
                    f"{self._path}: {self._name(table, row[len(before) : -1])}"
                    for row, is_whole in zip(rows, is_sound, strict=True)
                    if not is_whole
                ]
                values = [tuple(compress(column, is_sound)) for column in values]
            yield values

    def _chunks(self, query: str) -> Iterator[list[tuple[Any, ...]]]:
        """Give the rows of a query of the source; text that is damaged equals no other."""
        with schema.lenient_text(self._source):
            try:
                cursor = self._source.execute(query)
                while rows := cursor.fetchmany(_CHUNK_ROWS):
                    yield rows
            except sqlite3.DatabaseError as error:
                raise file.damaged(self._path, error) from error

    def _renumbered(self, table: str, columns: Sequence[Sequence[Any]]) -> list[Sequence[Any]]:
        """Return the rows that refer to what is in the output, with its numbers."""
        results = list(columns)
        references = [i for i, name in enumerate(COVERED[table]) if name in self.numbers]
        for index in references:
            name = COVERED[table][index]
            unknown = _UNKNOWN if name == "environment" else None
            numbers = self.numbers[name]
            results[index] = [numbers.get(number, unknown) for number in columns[index]]
        if not any(None in results[index] for index in references):
            return results
        numbers_of_rows = zip(*(results[index] for index in references), strict=True)
        is_known = [None not in numbers for numbers in numbers_of_rows]
        return [list(compress(column, is_known)) for column in results]

    def _insert(self, table: str, columns: Sequence[Sequence[Any]]) -> None:
        """Enter rows with their checksums; of those of one key the first in order stays."""
        rows = zip(*columns, checksums_of(table, columns), strict=True)
        self._output.executemany(_INSERTS[table], rows)


def _in_order(rows: Iterable[tuple[Any, ...]]) -> dict[tuple[int, str], list[str]]:
    """Return decisions by comparison and purpose, up to the first that is missing."""
    decisions: dict[tuple[int, str], list[str]] = {}
    for comparison, purpose, index, text in sorted(rows):
        texts = decisions.setdefault((comparison, purpose), [])
        if index == len(texts):
            texts.append(text)
    return decisions


def _progress(texts: Sequence[str]) -> tuple[int, list[tuple[int, str]]]:
    """Return what is larger for decisions that are further; whole numbers count as such."""
    return len(texts), [(len(text), text) for text in texts]


def _insertion(table: str) -> str:
    """Return the statement that enters a row, or replaces one of its key that is after it."""
    columns = (*COVERED[table], "checksum")
    terms = _order(table)
    new, old = (", ".join(term.format(row=row) for term in terms) for row in ("excluded", table))
    settings = ", ".join(f"{name} = excluded.{name}" for name in columns)
    is_before = f"({new}) < ({old})"
    if table in _CONTENTS:
        key = ", ".join(f"excluded.{name}" if name in columns else "0" for name in RUN_KEY)
        contents = ", ".join(_CONTENTS[table].format(row=row) for row in ("excluded", table))
        is_before = f"coalesce(holds({key}, {contents}), {is_before})"
    return f"{insertion(table)} ON CONFLICT DO UPDATE SET {settings} WHERE {is_before}"


def _order(table: str) -> list[str]:
    """Return what is compared of two rows of one key, first things first; smaller is better.

    In SQLite, numbers are smaller than text, and text is smaller than bytes.
    """
    content = [
        f"ifnull({_ID_OF.format(table=name) if name == 'environment' else f'{{row}}.{name}'}, '')"
        for name in COVERED[table]
    ]
    if table != "run":
        return content
    n_unknown = " + ".join(f"({{row}}.{name} IS NULL)" for name in COVERED[table])
    return [
        f"""CASE WHEN {{row}}.predictions IS NULL THEN 2
        ELSE substr({{row}}.predictions, 1, 1) = x'{LABELS_ONLY.hex()}' END""",
        "{row}.is_crowded",
        n_unknown,
        *content,
    ]


_INSERTS = {table: _insertion(table) for table in COVERED if table != "plan_split"}
