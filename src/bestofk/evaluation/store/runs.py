"""Runs of a store: written by a thread, read with their checksums."""

from __future__ import annotations

import operator
import os
import struct
import threading
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from itertools import chain, compress
from typing import Any, NamedTuple, Self

import numpy as np

from bestofk.array_types import Bools, Floats, Ints
from bestofk.evaluation.guarded.limits import NO_LIMITS, Limits
from bestofk.evaluation.record import BATCHED, PLAIN, Predictions, RunRecord
from bestofk.evaluation.run_table import RunTable
from bestofk.evaluation.status import (
    OK,
    has_failed,
    is_lost,
    is_missing,
    is_ok,
    is_out_of_memory,
    is_out_of_time,
)
from bestofk.evaluation.store import schema
from bestofk.evaluation.store.blobs import decode, encode
from bestofk.evaluation.store.checksum import (
    COVERED,
    SEALED,
    checksums_of,
    insertion,
    row_checksum,
    row_checksums,
    run_checksum,
    sealed,
    usual_checksums,
)
from bestofk.evaluation.store.entries import Entries

_FLUSH_SECONDS = 0.25
SAME_RUN = "data_set = ? AND learner = ? AND split = ? AND stream = ?"
# A run that ran into no limit, or was given at least what `_least` returns.
_GIVEN_ENOUGH = """(entry.limit_seconds = 0 OR entry.limit_seconds >= ?)
    AND (entry.limit_bytes = 0 OR entry.limit_bytes >= ?)"""
# How a run was fitted, as it has been written in the column `way` since there is one.
_WRITTEN_MODES = {PLAIN: "plain", BATCHED: "joint"}
FIT_MODES = {text: mode for mode, text in _WRITTEN_MODES.items()}
# Between the message of a run and what its learner chose, in one column.
_CHOICE_MARK = "\x1e"
ANY_LIMITS = Limits(0.0, 0)  # however little a run was given
_SECONDS = ("train_seconds", "predict_seconds", "train_cpu_seconds", "predict_cpu_seconds")
_FLAGS = ("is_crowded", "is_isolated")
_COUNTED = ("size_bytes", "complexity", "complexity_unit", "peak_bytes")
_READ_COLUMNS = ", ".join(f"run.{name}" for name in ("predictions", "peak_bytes", *_SECONDS))
# One number for what runs share, where a run is as most are: its environment, whether it was
# batched, crowded, isolated, and in the lowest 32 bits its checksum; else -1.
_KIND = f"""CASE WHEN (run.data_set, run.learner, run.split, run.stream, run.limit_seconds,
    run.limit_bytes, run.status, run.size_bytes, run.message, run.complexity, run.complexity_unit)
    IS (entry.data_set, entry.learner, entry.split, entry.stream, 0, 0, '{OK}', NULL, '', NULL, '')
    THEN ((((run.environment * 2 + (run.way = '{_WRITTEN_MODES[BATCHED]}')) * 2 + run.is_crowded)
    * 2 + run.is_isolated) << 32) + run.checksum ELSE -1 END"""
# Runs with values that were kept in place of predictions.
_SCORED = "SELECT DISTINCT split, stream FROM score WHERE data_set = ? AND learner = ?"
RunKey = tuple[int, int, int, int]  # numbers of data set, learner and split; random stream


class StoredRuns(NamedTuple):
    """Some runs of the store, by their keys.

    Parameters
    ----------
    splits, streams : ndarray of shape (n_runs,), int64
        Number of the split and random stream of each run; -1 where the index is damaged.
    limits : ndarray of shape (n_runs,), float64
        Seconds of the time limit that a run ran into; 0 for the others.
    environments : ndarray of shape (n_runs,), int64
        Numbers of what each was measured on; -1 where one is damaged.
    table : RunTable
        The runs in the same order; nothing where one is damaged.
    damaged : list of int
        Positions of those that are damaged.
    numbers : list of int
        Numbers of the rows.
    """

    splits: Ints
    streams: Ints
    limits: Floats
    environments: Ints
    table: RunTable
    damaged: list[int]
    numbers: list[int]

    def damaged_rows(self) -> list[tuple[int, int, int]]:
        """Return number, split and stream of those that are damaged."""
        return [(self.numbers[i], int(self.splits[i]), int(self.streams[i])) for i in self.damaged]

    def take(self, positions: Ints) -> StoredRuns:
        """Return some of them, none of which is damaged, in the order asked for."""
        keys = (self.splits[positions], self.streams[positions], self.limits[positions])
        table = self.table.take(positions)
        return StoredRuns(*keys, self.environments[positions], table, [], [])


class Runs(Entries):
    """Database with finished runs; a background thread writes what was added."""

    def __init__(self, path: str | os.PathLike[str] | None = None) -> None:
        super().__init__(path)
        # tables and columns, block by block: rows would be thousands of objects
        self._pending: list[tuple[str, Sequence[Sequence[Any]]]] = []
        self._closing = threading.Event()
        self._failure: Exception | None = None
        self.n_written = 0  # runs of this process that are safe by now, but for uncounted ones
        self._n_uncounted = 0
        self._has_sound_scores = False  # whether all were looked at
        self._writer = threading.Thread(target=self._write_now_and_then, daemon=True)
        self._writer.start()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Write what is left and close the file."""
        if self._closing.is_set():
            return
        self._closing.set()
        self._writer.join()
        try:
            self.flush()
        finally:
            self._connection.close()

    def add(
        self,
        whose: tuple[int, int],
        splits: Sequence[int],
        streams: Sequence[int],
        records: Sequence[RunRecord | None],
        *,
        keep: str,
        n_classes: int,
        limits: Limits = NO_LIMITS,
        scores: Mapping[str, Floats] | None = None,
        is_counted: bool = True,
        environment: Mapping[str, Any] | None = None,
    ) -> None:
        """Take over finished runs of a learner; they are written within a quarter of a second.

        Parameters
        ----------
        whose : tuple of int
            Numbers of data set and learner.
        splits, streams : sequence of int
            Number of the split and random stream of each run.
        records : sequence of RunRecord
            What each run left behind.
        keep : {"probabilities", "labels", "scores"}
            How much of the predictions is kept.
        n_classes : int
            0 for regression.
        limits : Limits, optional
            What those with status ``"timeout"`` or ``"memory"`` ran into; none by default.
        scores : mapping of str to ndarray of shape (n_runs,), optional
            Values of measures to store with the runs.
        is_counted : bool, default=True
            Whether they are of those that were asked for, which `n_written` counts.
        environment : mapping, optional
            What they were measured on; None is this process.

        Raises
        ------
        ValueError
            If a run was lost: it is done again.
        """
        table, n_runs = RunTable.of(records), len(records)
        if is_lost(table.status).any():
            raise ValueError(
                "runs of a store must have ended; got a lost one. Leave it out, to be done again."
            )
        sizes: list[int | None] = [None] * n_runs
        complexities: list[int | None] = [None] * n_runs
        messages, units = [""] * n_runs, [""] * n_runs
        for index, record in table.noted():
            sizes[index] = record.size_bytes
            messages[index] = record.message + (record.choice and _CHOICE_MARK + record.choice)
            complexities[index], units[index] = record.complexity, record.complexity_unit
        is_batched, peaks = table.is_batched.tolist(), table.peak_bytes.tolist()
        seconds = np.where(is_out_of_time(table.status), limits.seconds or 0.0, 0.0)
        n_bytes = np.where(is_out_of_memory(table.status), limits.n_bytes or 0, 0)
        of_name: dict[str, Sequence[Any]] = {
            "data_set": [whose[0]] * n_runs,
            "learner": [whose[1]] * n_runs,
            "split": splits,
            "stream": streams,
            "limit_seconds": seconds.tolist(),
            "limit_bytes": n_bytes.tolist(),
            "status": table.status.tolist(),
            "predictions": _blobs(table, keep=keep, n_classes=n_classes),
            "size_bytes": sizes,
            "message": messages,
            "way": [_WRITTEN_MODES[BATCHED if item else PLAIN] for item in is_batched],
            "complexity": complexities,
            "complexity_unit": units,
            "environment": [self.environment_number(environment)] * n_runs,
            **{name: getattr(table, name).tolist() for name in _SECONDS},
            **{name: getattr(table, name).astype(int).tolist() for name in _FLAGS},
            "peak_bytes": [None if peak != peak else int(peak) for peak in peaks],
        }
        blocks = [("run", [of_name[name] for name in COVERED["run"]])]
        for name, values in (scores or {}).items():
            column = [None if value != value else value for value in values.tolist()]
            blocks.append(("score", [*blocks[0][1][:4], [name] * n_runs, column]))
        pending = [
            (table, tuple(map(tuple, (*each, checksums_of(table, each))))) for table, each in blocks
        ]  # of tuples, at which the collector looks once
        with self._lock:
            if self._failure is not None:
                raise self._failure
            self.check_writable()
            self._pending += pending
            self._n_uncounted += 0 if is_counted else n_runs

    def flush(self) -> int:
        """Write everything added so far; return the number of runs written."""
        with self._lock:
            if self._failure is not None:
                raise self._failure
            if not self._pending:
                return 0
            self._check_files()
            n_runs = sum(len(columns[0]) for table, columns in self._pending if table == "run")
            with self.transaction() as connection:
                for table in ("run", "score"):  # one statement for many blocks of a single run
                    blocks = (zip(*each, strict=True) for of, each in self._pending if of == table)
                    rows = chain.from_iterable(blocks)
                    connection.executemany(insertion(table, "INSERT OR IGNORE"), rows)
            self._pending = []
            self.n_written += n_runs - self._n_uncounted
            self._n_uncounted = 0
            return n_runs

    def _write_now_and_then(self) -> None:
        while not self._closing.wait(_FLUSH_SECONDS):
            try:
                self.flush()
            except Exception as error:  # told to the caller with the next run
                self._failure = error
                return

    def runs(self, data: int, learner: int, **asked: Any) -> dict[tuple[int, int], RunRecord]:
        """Return the stored runs of one learner on one data set by (split, stream).

        Parameters are those of `read_runs`. Runs that are damaged are deleted.
        """
        results: dict[tuple[int, int], RunRecord] = {}
        damaged: list[tuple[int, int, int]] = []
        for some in self.read_runs(data, learner, **asked):
            damaged += some.damaged_rows()
            keys = zip(some.splits.tolist(), some.streams.tolist(), strict=True)
            for key, record in zip(keys, some.table, strict=True):
                if record is not None:
                    results.setdefault(key, record)
        self.set_aside(data, learner, damaged)
        return results

    def read_runs(
        self,
        data: int,
        learner: int,
        *,
        n_classes: int,
        limits: Limits = ANY_LIMITS,
        splits: tuple[Ints, Ints] | None = None,
    ) -> Iterator[StoredRuns]:
        """Give the stored runs of one learner on one data set, some thousand at a time.

        A run that ran into a limit counts only where it was given at least that of `limits`, any
        by default; `splits` are numbers of those wanted and of test rows of each, all by default.
        They are in the order of split, stream and limits. Those that are damaged are named, and
        left as they are.
        """
        self.flush()
        if splits is None:
            splits = tuple(self.integers("SELECT number, n_test FROM split", (), 2))
        order = np.argsort(splits[0])
        known, n_test = (column[order] for column in splits)
        if not len(known):
            return
        # the index says which rows there are, the rows themselves everything else
        query = f"""
            SELECT run.rowid, entry.split, entry.stream, {_KIND}, {_READ_COLUMNS}
            FROM run AS entry CROSS JOIN run ON run.rowid = entry.rowid
            WHERE entry.data_set = ? AND entry.learner = ? AND {_GIVEN_ENOUGH}
                AND entry.split BETWEEN ? AND ?
            ORDER BY entry.split, entry.stream, entry.limit_seconds, entry.limit_bytes"""
        scored = self.integers(_SCORED, (data, learner), 2)
        positions = RunPositions(*scored) if scored.size else None
        ends = (int(known[0]), int(known[-1]))
        for rows in self.chunks(query, (data, learner, *_least(limits), *ends)):
            columns = list(zip(*rows, strict=True))
            del rows
            entries = whole_numbers(columns[1])
            places = np.searchsorted(known, entries)
            is_known = known[places] == entries
            if not is_known.all():
                columns = [tuple(compress(column, is_known)) for column in columns]
                entries, places = entries[is_known], places[is_known]
            if not len(entries):
                continue
            whose, sizes = (data, learner), n_test[places]
            some = self._stored_runs(columns, whose, entries, sizes, n_classes, positions)
            del columns
            yield some

    def _stored_runs(
        self,
        columns: Sequence[tuple[Any, ...]],
        whose: tuple[int, int],
        splits: Ints,
        n_test: Ints,
        n_classes: int,
        scored: RunPositions | None,
    ) -> StoredRuns:
        """Return runs: those that are as most are column by column, the others row by row."""
        numbers, _, streams, _, blobs, *_ = columns
        n_runs, known = len(numbers), (splits, whole_numbers(streams))
        limits, environments = np.zeros(n_runs), np.full(n_runs, -1)
        runs = StoredRuns(*known, limits, environments, RunTable(n_runs), [], list(numbers))
        has_blob = np.array([blob is not None for blob in blobs])
        is_kept = has_blob | (scored is None or scored.find(*known) >= 0)
        is_usual, facts = np.zeros(n_runs, dtype=bool), dict[str, Any]()
        # a value of another kind than those of runs: each row is looked at
        with suppress(TypeError, ValueError, ArithmeticError), np.errstate(invalid="raise"):
            is_usual, facts = _usual_runs(runs, columns[3:], whose)
        usual = np.flatnonzero(is_usual & has_blob)
        some = [blobs[index] for index in usual.tolist()]
        groups, damaged = decode(some, n_test[usual], n_classes=n_classes)
        parts: list[tuple[Ints, Any]] = [(usual[positions], part) for positions, part in groups]
        for indices, part in [*parts, (np.flatnonzero(is_usual & is_kept & ~has_blob), None)]:
            of_part = {name: of_runs[indices] for name, of_runs in facts.items()}
            runs.table.put_block(indices, part, **of_part)
        left = np.flatnonzero(is_missing(runs.table.status))
        index_of = {numbers[index]: index for index in left.tolist()}
        wanted = ", ".join(map(str, index_of))
        query = f"SELECT rowid, {SEALED['run']} FROM run WHERE rowid IN ({wanted})"
        for number, *values, checksum in self.rows(query) if index_of else []:
            index, run = index_of[number], dict(zip(COVERED["run"], values, strict=True))
            key = [*whose, int(runs.splits[index]), int(runs.streams[index])]
            is_whole = run_checksum(values) == checksum and values[:4] == key
            if not is_whole or (is_ok(run["status"]) and not is_kept[index]):
                continue
            some = [run["predictions"]] if has_blob[index] else []
            groups, damaged = decode(some, n_test[[index]], n_classes=n_classes)
            if not damaged:
                runs.table.put(index, _record(run, groups[0][1].of_run(0) if groups else None))
                limits[index], environments[index] = run["limit_seconds"], run["environment"]
        runs.damaged.extend(np.flatnonzero(is_missing(runs.table.status)).tolist())
        return runs

    def set_aside(self, data: int, learner: int, damaged: list[tuple[int, int, int]]) -> None:
        """Delete damaged runs (number, split and stream), so that they are done again."""
        if not damaged:
            return
        with self.transaction() as connection:
            # a damaged key and the index contradict each other
            connection.execute("DROP INDEX run_key")
            connection.executemany(
                "DELETE FROM run WHERE rowid = ?", [(number,) for number, _, _ in damaged]
            )
            schema.put_in_place(connection)
            connection.executemany(
                f"DELETE FROM score WHERE {SAME_RUN}",
                [(data, learner, split, stream) for _, split, stream in damaged],
            )

    def forget_failed(self, data: int, learner: int, runs: Iterable[tuple[int, int]]) -> None:
        """Delete what is stored of failures of some runs, so that they are done again.

        Parameters
        ----------
        data, learner : int
            Their numbers.
        runs : iterable of tuple of int
            Split and stream of each run; those that went well stay.
        """
        self.flush()
        with self.transaction() as connection:
            connection.executemany(
                f"DELETE FROM run WHERE {SAME_RUN} AND {has_failed.sql}",
                [(data, learner, split, stream) for split, stream in runs],
            )

    def has_runs(self, data: int, learner: int, plan: int, names: tuple[int, str, str]) -> bool:
        """Return whether there is a run of a learner on a data set that a plan asks for.

        Its stream is derived from `names` and the position in the plan.
        """
        self.flush()
        query = """SELECT EXISTS (
            SELECT 1 FROM plan_split s CROSS JOIN run ON run.data_set = ? AND run.learner = ?
                AND run.split = s.split AND +run.stream = derive_seed(?, ?, ?, s.repeat, s.fold)
            WHERE s.plan = ?)"""
        return bool(self.rows(query, (data, learner, *names, plan))[0][0])

    def finished_by_other_code(
        self, data: int, stream_name: str, *, is_batched: bool, current: Collection[int]
    ) -> set[tuple[int, int]]:
        """Return (split, stream) of stored runs of a learner that other code has made.

        They are those of learners that draw from the same random streams, plain or batched,
        but for the numbers that are `current`.
        """
        from bestofk.evaluation.identity.identity import BATCHED_MARK

        query = """SELECT run.learner, split, stream FROM run
            JOIN learner ON learner.number = run.learner
            WHERE data_set = ? AND stream_name = ? AND (instr(id, ?) > 0) = ?"""
        rows = self.rows(query, (data, stream_name, BATCHED_MARK, is_batched))
        return {(split, stream) for learner, split, stream in rows if learner not in current}

    def scores(self, data: int, learner: int) -> dict[str, KeptScores]:
        """Return the values kept with runs by measure, but for damaged ones.

        Where something of them is damaged, it is deleted, and the runs that then lack a score.
        """
        self.flush()
        kept, is_whole = self._read_scores(data, learner)
        if not is_whole and self.mend_scores():
            kept, _ = self._read_scores(data, learner)
        return kept

    def _read_scores(self, data: int, learner: int) -> tuple[dict[str, KeptScores], bool]:
        """Return the values kept with runs, and whether all are sound and all runs have the same.

        A score whose key is damaged may be that of any learner.
        """
        columns = ", ".join((*COVERED["score"][2:], "checksum"))
        query = f"SELECT {columns} FROM score WHERE data_set = ? AND learner = ?"
        parts: list[Any] = []
        index_of: dict[str, int] = {}
        is_whole = True
        for rows in self.chunks(query, (data, learner)):
            splits, streams, measures, values = sound_scores(rows, (data, learner))
            is_whole &= len(values) == len(rows)
            indices = [index_of.setdefault(name, len(index_of)) for name in measures]
            keys = (whole_numbers(splits), whole_numbers(streams))
            parts.append((np.array(indices), *keys, np.array(values, dtype=np.float64)))
        kept: dict[str, KeptScores] = {}
        if parts:
            of_row, *all_rows = map(np.concatenate, zip(*parts, strict=True))
            for name, index in index_of.items():
                kept[name] = KeptScores._make(column[of_row == index] for column in all_rows)
        return kept, is_whole and len({len(item.values) for item in kept.values()}) < 2

    def mend_scores(self) -> bool:
        """Delete damaged scores and the runs that then lack one; return whether there were any."""
        if self._has_sound_scores:
            return False
        self._has_sound_scores = True
        query = f"SELECT {SEALED['score']} FROM score"
        n_sound = sum(len(sound_scores(rows)[0]) for rows in self.chunks(query))
        if (n_sound,) in self.rows("SELECT count(*) FROM score"):
            return False
        parts = map(sound_scores, self.chunks(query))
        sound = [row for columns in parts for row in zip(*columns, strict=True)]
        lacking = runs_without_score(sound)
        with self.transaction() as connection:
            connection.execute("DELETE FROM score")
            connection.executemany(insertion("score"), sealed(sound))
            for table in ("score", "run"):
                connection.executemany(f"DELETE FROM {table} WHERE {SAME_RUN}", lacking)
        self.mended.append("kept scores")
        return True


class RunPositions:
    """Positions of runs in a list, by their splits and streams.

    Parameters
    ----------
    splits, streams : sequence of int
        Of each run, none of which is listed twice.
    """

    def __init__(self, splits: Sequence[int] | Ints, streams: Sequence[int] | Ints) -> None:
        keys = as_keys(np.asarray(splits), np.asarray(streams))
        self._order = np.argsort(keys)
        self._keys = keys[self._order]

    def find(self, splits: Sequence[int] | Ints, streams: Sequence[int] | Ints) -> Ints:
        """Return the positions of some runs; -1 for those that are not listed."""
        keys = as_keys(np.asarray(splits), np.asarray(streams))
        last = np.searchsorted(self._keys, keys, side="right") - 1
        return np.where(self._keys[last] == keys, self._order[last], -1)


def as_keys(splits: Ints, streams: Ints) -> Ints:
    """Return a number for each run: streams take 32 bits, and numbers of splits less."""
    return (splits << 32) + streams


class KeptScores(NamedTuple):
    """Values of a measure that were kept with runs, by the splits and streams of those."""

    splits: Ints
    streams: Ints
    values: Floats


def kept_values(scores: Mapping[str, KeptScores], name: str, splits: Ints, streams: Ints) -> Floats:
    """Return the values of a measure that were kept with runs, whatever its settings were.

    Parameters
    ----------
    scores : mapping of str to KeptScores
        What `Runs.scores` returned.
    name : str
        Name of the measure.
    splits, streams : ndarray of shape (n_runs,), int64
        Of the runs.

    Returns
    -------
    ndarray of shape (n_runs,), float64
        nan where there is none.
    """
    values = np.full(len(splits), np.nan)
    for key, kept in scores.items():
        if key.split("#")[0] == name:
            positions = RunPositions(kept.splits, kept.streams).find(splits, streams)
            values = np.where(positions < 0, values, kept.values[positions])
    return values


def sound_scores(
    rows: Sequence[tuple[Any, ...]], first: tuple[Any, ...] = ()
) -> Sequence[tuple[Any, ...]]:
    """Return the columns of scores, of the rows that have their checksum at their end.

    `first` are the values of the first columns where all rows share them and lack them.
    """
    *columns, wanted = zip(*rows, strict=True)
    sums = row_checksums(zip(*columns, strict=True), len(columns), first)
    if sums == list(wanted):
        return columns
    is_sound = list(map(operator.eq, sums, wanted))
    return [tuple(compress(column, is_sound)) for column in columns]


def _least(limits: Limits) -> tuple[float, float]:
    """Return seconds and bytes that a run must have been given; without a limit more than any."""
    seconds, n_bytes = (float("inf") if limit is None else limit for limit in limits)
    return seconds, n_bytes


def runs_without_score(sound: Iterable[tuple[Any, ...]]) -> list[RunKey]:
    """Return the runs that lack a score, by the rows of those that are left.

    A score whose key is damaged may be that of any run: those of a learner on a data set must
    have the same measures.
    """
    names: dict[tuple[int, int], dict[tuple[int, int], set[str]]] = {}
    for data, learner, split, stream, measure, *_ in sound:
        of_runs = names.setdefault((data, learner), {})
        of_runs.setdefault((split, stream), set()).add(measure)
    return [
        (*whose, *key)
        for whose, of_runs in names.items()
        for key, measures in of_runs.items()
        if measures != set().union(*of_runs.values())
    ]


def _blobs(table: RunTable, *, keep: str, n_classes: int) -> list[bytes | None]:
    """Return what is stored of the predictions of each run."""
    blobs: list[bytes | None] = [None] * len(table)
    indices = np.flatnonzero(table.has_predictions).tolist()
    start = 0
    for part in table.parts():
        packed = encode(part, keep=keep, n_classes=n_classes)
        for index, blob in zip(indices[start : start + len(packed)], packed, strict=True):
            blobs[index] = blob
        start += len(packed)
    return blobs


def whole_numbers(values: Sequence[Any]) -> Ints:
    """Return whole numbers as an array; -1 in place of what is none, or not of 32 bits."""
    try:
        numbers = np.frombuffer(struct.pack(f"={len(values)}q", *values), dtype=np.int64)
    except struct.error:
        values = [x if type(x) is int and x >> 32 == 0 else -1 for x in values]
        numbers = np.array(values, dtype=np.int64)
    return np.where(numbers >> 32, -1, numbers)


def _record(run: Mapping[str, Any], predictions: Predictions | None) -> RunRecord:
    """Return a run by the columns of its row."""
    facts: dict[str, Any] = {name: run[name] for name in _COUNTED}
    facts |= {name: bool(run[name]) for name in _FLAGS}
    facts |= {name: np.nan if run[name] is None else run[name] for name in _SECONDS}
    facts["message"], _, facts["choice"] = run["message"].partition(_CHOICE_MARK)
    facts["fit_mode"] = FIT_MODES[run["way"]]
    return RunRecord(run["status"], predictions, **facts)


def _usual_runs(
    runs: StoredRuns, columns: Sequence[tuple[Any, ...]], whose: tuple[int, int]
) -> tuple[Bools, dict[str, Any]]:
    """Return which runs are whole and as most are, and columns of a `RunTable` for those.

    Raises
    ------
    TypeError, ValueError, ArithmeticError
        If a value is of another kind than those of runs.
    """
    described, blobs, *measured = columns
    kinds = np.fromiter(described, dtype=np.int64, count=len(blobs))
    numbers: list[Floats] = [
        np.fromiter(column, dtype=np.float64, count=len(blobs)) for column in measured
    ]
    ways, is_crowded, is_isolated = kinds >> 34, kinds >> 33 & 1, kinds >> 32 & 1
    shared: dict[int, int] = {}
    for way in set(ways.tolist()):
        mode = _WRITTEN_MODES[BATCHED if way % 2 else PLAIN]
        shared[way] = row_checksum((*whose, OK, None, "", mode, None, "", way // 2))
    whole = (runs.splits, runs.streams, 0, numbers[0], is_crowded, is_isolated)
    sums = usual_checksums(map(shared.__getitem__, ways.tolist()), whole, (0, *numbers[1:]), blobs)
    is_usual = (kinds >= 0) & (sums == kinds & 0xFFFFFFFF)
    runs.environments[is_usual] = ways[is_usual] // 2
    facts: dict[str, Any] = dict(zip(("peak_bytes", *_SECONDS), numbers, strict=True))
    facts |= {"is_crowded": is_crowded, "is_isolated": is_isolated, "is_batched": ways % 2}
    return is_usual, facts
