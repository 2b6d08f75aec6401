"""Merge of stores: the rows of several files in one, under what they stand for.

Numbers of entries are those of one file. Rows are copied by the identities of what they refer to,
so it does not matter in which order and how often that is done. Of rows that stand for the same,
the one that is first in a fixed order is kept.
"""

from __future__ import annotations

import json
import operator
import os
import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from itertools import compress
from pathlib import Path
from typing import Any

from bestofk.data.notes import counted
from bestofk.errors import InvalidArgumentError, StoreError
from bestofk.evaluation.collector import paused_collector
from bestofk.evaluation.identity import BATCHED_MARK
from bestofk.evaluation.record import OK
from bestofk.evaluation.store import file, schema
from bestofk.evaluation.store.blobs import LABELS_ONLY
from bestofk.evaluation.store.checksum import COVERED, checksums_of, row_checksum
from bestofk.evaluation.store.runs import RunKey, runs_without_score
from bestofk.evaluation.store.store import Store

# Entries that are known by an identity of their own.
_ENTRIES = ("data_set", "learner", "plan", "split", "environment")
_CHUNK_ROWS = 10_000
_CACHE_KIB = 64_000  # of the file that is written
_ID_OF = "(SELECT id FROM {table} WHERE number = {{row}}.{table})"
# In place of the number of a machine that is not known.
_UNKNOWN = 0


@dataclass(frozen=True)
class MergeCounts:
    """What a merge of stores came to.

    Parameters
    ----------
    output : Path
        The merged store.
    n_stores : int
        Files that were read, each counted once; the output is one of them if it was there.
    n_runs, n_comparisons : int
        What the merged store holds.
    n_repeated : int
        Runs that were in several stores, beyond the first of each.
    n_left_out : int
        Runs that were not copied because they, or what they refer to, are damaged.
    damaged : tuple of str
        The damaged rows: store, and what they are.
    notes : tuple of str
        What was copied but cannot be used together.
    """

    output: Path
    n_stores: int
    n_runs: int
    n_comparisons: int
    n_repeated: int
    n_left_out: int
    damaged: tuple[str, ...]
    notes: tuple[str, ...]

    def __str__(self) -> str:
        lines = [*self.damaged, *self.notes]
        if self.damaged:
            lines.append(
                f"{counted(len(self.damaged), 'damaged row')}, for which "
                f"{counted(self.n_left_out, 'run')} were left out. "
                "Compare the same learners with the merged store, which fits them again."
            )
        lines.append(
            f"{self.output}: {counted(self.n_runs, 'run')} of "
            f"{counted(self.n_comparisons, 'comparison')}, from {counted(self.n_stores, 'store')}"
        )
        if self.n_repeated:
            lines[-1] += f"; {counted(self.n_repeated, 'run')} in more than one of them"
        return "\n".join(lines)


def merge_stores(
    sources: Sequence[str | os.PathLike[str]], output: str | os.PathLike[str]
) -> MergeCounts:
    """Merge stores into one that has the runs, comparisons and decisions of all.

    The result does not depend on the order of the sources. Merging it again, or a source twice,
    changes nothing.

    Parameters
    ----------
    sources : sequence of (str or Path)
        Stores, of this version or an earlier one. They are read and not changed, and may be in
        use meanwhile.
    output : str or Path
        The merged store. If it exists, it is one of the sources. A new file appears when it is
        complete; an existing one gets all that is new at once, and may be in use meanwhile.

    Returns
    -------
    MergeCounts

    Raises
    ------
    InvalidArgumentError
        If there are no sources.
    StoreError
        If a source is no store, or the output cannot be written or is damaged. The output is as
        it was then.

    Notes
    -----
    Of several runs of one key, one that went well is kept before one that failed; then the one
    with more of its predictions; then one that was timed alone before one that was crowded; then
    the one of which more is known; then the smaller by content. Stored decisions of an adaptive
    comparison are those of the store in which it got further.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> from bestofk import compare, merge_stores
    >>> folder = Path(tempfile.mkdtemp())
    >>> for learner in ("cart", "1nn"):
    ...     _ = compare([learner, "lda"], "iris", cv="2x2", store=folder / f"{learner}.db")
    >>> counts = merge_stores([folder / "cart.db", folder / "1nn.db"], folder / "all.db")
    >>> counts.n_stores, counts.n_comparisons
    (2, 2)
    >>> whole = compare(["cart", "1nn", "lda"], "iris", cv="2x2", store=folder / "all.db")
    >>> whole.findings.n_fitted, whole.findings.n_reused
    (0, 12)
    """
    target = Path(output)
    paths = _distinct(sources)
    file.check_place(target)
    for path in paths:
        file.check_source(path)
    if not target.exists():
        results: list[MergeCounts] = []
        try:
            if file.create(target, lambda draft: results.append(_fill(draft, paths, target))):
                return results[0]
        except (OSError, sqlite3.DatabaseError) as error:
            raise file.not_created(target, error) from error
    with Store(target) as store:
        store.check_writable()
        if damaged := store.check():
            raise StoreError(
                f"output that exists must be undamaged; {target} has {len(damaged):,} damaged "
                "rows. Merge it with the others into a new file, which leaves them out."
            )
        others = [path for path in paths if not path.samefile(target)]
        with store.transaction() as connection:
            return _merged(connection, others, target, n_before=_count(connection, "run"))


def _distinct(sources: Sequence[str | os.PathLike[str]]) -> list[Path]:
    """Return the files that sources are, each once."""
    if isinstance(sources, str | os.PathLike) or not sources:
        raise InvalidArgumentError(
            f"sources of merge_stores must be a list of stores; got {sources!r}. "
            "Name at least one file in a list."
        )
    paths = [Path(source) for source in sources]
    return list({file.identity_of(path) or path: path for path in paths}.values())


def _fill(draft: Path, paths: Sequence[Path], target: Path) -> MergeCounts:
    """Write a merged store to a new file; nothing is on disk for certain before its end."""
    file.fill(draft)
    with closing(sqlite3.connect(draft, isolation_level=None)) as connection:
        connection.execute("PRAGMA journal_mode = MEMORY")
        connection.execute("PRAGMA synchronous = OFF")
        connection.execute("BEGIN")
        counts = _merged(connection, paths, target)
        connection.execute("COMMIT")
        file.keep_log(connection)
    with draft.open("rb+") as written:
        os.fsync(written.fileno())
    return counts


def _merged(
    connection: sqlite3.Connection, paths: Sequence[Path], target: Path, n_before: int | None = None
) -> MergeCounts:
    """Copy stores to an open one, which is one of them if it had runs before."""
    connection.execute(f"PRAGMA cache_size = {-_CACHE_KIB}")
    copies = [_copied(connection, path) for path in paths]
    n_runs = _count(connection, "run")
    n_left_out = sum(copy.n_left_out for copy in copies)
    n_read = (n_before or 0) + sum(copy.n_runs for copy in copies)
    return MergeCounts(
        output=target,
        n_stores=len(paths) + (n_before is not None),
        n_runs=n_runs,
        n_comparisons=_count(connection, "comparison"),
        n_repeated=n_read - n_left_out - n_runs,
        n_left_out=n_left_out,
        damaged=tuple(text for copy in copies for text in copy.damaged),
        notes=tuple(_earlier_ids(connection)),
    )


def _copied(output: sqlite3.Connection, path: Path) -> _Copy:
    """Copy one store, and return what came of it."""

    def copy(source: sqlite3.Connection) -> _Copy:
        output.execute("ROLLBACK TO source")  # what was copied before it was disturbed
        copied = _Copy(source, path, output)
        copied.copy()
        return copied

    output.execute("SAVEPOINT source")
    with paused_collector():
        copied = file.read_undisturbed(path, copy)
    output.execute("RELEASE source")
    return copied


def _count(connection: sqlite3.Connection, table: str) -> int:
    return int(connection.execute(f"SELECT count(*) FROM {table}").fetchone()[0])


def _earlier_ids(connection: sqlite3.Connection) -> list[str]:
    """Return notes on learners under the id of an earlier version and under that of a later one."""
    classes = dict(connection.execute("SELECT id, class FROM learner"))
    plain = {identity.split(BATCHED_MARK)[0] for identity in classes}
    later = {identity.split("-")[0] for identity in plain if "-" in identity}
    return [
        f"{name} is there under the id of an earlier version too, under which its runs are not "
        "used again. Compare with that store once before it is merged into a new file."
        for identity, name in sorted(classes.items())
        if identity in later
    ]


class _Copy:
    """Copy of one store to another.

    Attributes
    ----------
    numbers : dict of dict
        By table and number in the source, the number in the output.
    damaged : list of str
        The rows that are damaged.
    n_runs, n_left_out : int
        Runs of the source, and those that were not copied.
    """

    def __init__(self, source: sqlite3.Connection, path: Path, output: sqlite3.Connection) -> None:
        self._source, self._path, self._output = source, path, output
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
            INSERT INTO plan_split SELECT ?, ?, ?, number, ? FROM split WHERE id = ?
            ON CONFLICT DO UPDATE SET split = excluded.split, checksum = excluded.checksum
            WHERE {of_split.format(row="excluded")} < {of_split.format(row="plan_split")}"""
        for columns in self._sound("plan_split"):
            rows = zip(*self._renumbered("plan_split", columns), strict=True)
            sealed = [(*row[:3], row_checksum(row), row[3]) for row in rows]
            self._output.executemany(statement, sealed)

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
                kept = [(*whose, place, text) for place, text in enumerate(texts)]
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
        n_copied = 0
        for columns in self._sound("run"):
            if self._lacking:
                rows = [row for row in zip(*columns, strict=True) if row[:4] not in self._lacking]
                columns = list(zip(*rows, strict=True)) or [()] * len(columns)
            renumbered = self._renumbered("run", columns)
            n_copied += len(renumbered[0])
            self._insert("run", renumbered)
        query = "SELECT count(*) FROM run NOT INDEXED"
        ((self.n_runs,),) = self._source.execute(query)
        self.n_left_out = self.n_runs - n_copied

    def _sound(self, table: str, *before: str) -> Iterator[Sequence[Sequence[Any]]]:
        """Give the rows of a table that are whole, some thousand at a time, column by column.

        Columns are those `before` and those that the checksum covers.
        """
        columns = ", ".join((*before, *COVERED[table], "checksum"))
        for rows in self._chunks(f"SELECT {columns} FROM {table} NOT INDEXED"):
            *values, checksums = zip(*rows, strict=True)
            sound = checksums_of(table, values[len(before) :])
            is_sound = list(map(operator.eq, sound, checksums))
            if not all(is_sound):
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
    for comparison, purpose, place, text in sorted(rows):
        texts = decisions.setdefault((comparison, purpose), [])
        if place == len(texts):
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
    return f"""INSERT INTO {table} ({", ".join(columns)}) VALUES ({", ".join("?" * len(columns))})
        ON CONFLICT DO UPDATE SET {settings} WHERE ({new}) < ({old})"""


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
        f"{{row}}.status != '{OK}'",
        f"""CASE WHEN {{row}}.predictions IS NULL THEN 2
        ELSE substr({{row}}.predictions, 1, 1) = x'{LABELS_ONLY.hex()}' END""",
        "{row}.is_crowded",
        n_unknown,
        *content,
    ]


_INSERTS = {table: _insertion(table) for table in COVERED if table != "plan_split"}
