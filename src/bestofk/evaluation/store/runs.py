"""Runs of a store: written by a thread, read with their checksums."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from bestofk.evaluation.identity import BATCHED_MARK
from bestofk.evaluation.record import BATCHED, OK, PLAIN, TIMEOUT, RunRecord
from bestofk.evaluation.store import schema
from bestofk.evaluation.store.blobs import decode, encode
from bestofk.evaluation.store.checksum import COVERED, row_checksum, run_checksum
from bestofk.evaluation.store.entries import Entries

_FLUSH_SECONDS = 0.25
RUN_COLUMNS = ", ".join(f"run.{name}" for name in COVERED["run"])
SAME_RUN = "data_set = ? AND learner = ? AND split = ? AND stream = ?"
# How a run was fitted, as it has been written in the column `way` since there is one.
_WRITTEN_MODES = {PLAIN: "plain", BATCHED: "joint"}
FIT_MODES = {text: mode for mode, text in _WRITTEN_MODES.items()}
RunKey = tuple[int, int, int, int]  # numbers of data set, learner and split; random stream


class StoredRun(NamedTuple):
    """Row of the store: a record and the values stored with it."""

    record: RunRecord
    has_predictions: bool
    environment: int


class Runs(Entries):
    """Database with finished runs; a background thread writes what was added."""

    def __init__(self, path: str | os.PathLike[str] | None = None) -> None:
        super().__init__(path)
        self._pending: list[tuple[Any, ...]] = []
        self._pending_scores: list[tuple[Any, ...]] = []
        self._closing = threading.Event()
        self._failure: Exception | None = None
        self.n_written = 0  # runs of this process that are safe by now, but for uncounted ones
        self._n_uncounted = 0
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
        records: Sequence[RunRecord],
        *,
        keep: str,
        n_classes: int,
        limit_seconds: float = 0.0,
        scores: Mapping[str, Sequence[float] | NDArray[np.float64]] | None = None,
        is_counted: bool = True,
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
        limit_seconds : float, default=0
            The time limit, which those with status ``"timeout"`` ran into.
        scores : mapping of str to sequence of float, optional
            Values of measures to store with the runs.
        is_counted : bool, default=True
            Whether they are of those that were asked for, which `n_written` counts.
        """
        environment = self.environment_number()
        keys = [(*whose, split, stream) for split, stream in zip(splits, streams, strict=True)]
        blobs = encode([record.predictions for record in records], keep=keep, n_classes=n_classes)
        rows = [
            _run_row(key, limit_seconds, record, blob, environment)
            for key, record, blob in zip(keys, records, blobs, strict=True)
        ]
        score_rows = [
            (*key, name, None if value != value else float(value))
            for name, values in (scores or {}).items()
            for key, value in zip(keys, values, strict=True)
        ]
        with self._lock:
            if self._failure is not None:
                raise self._failure
            self.check_writable()
            self._pending += rows
            self._pending_scores += score_rows
            self._n_uncounted += 0 if is_counted else len(rows)

    def flush(self) -> int:
        """Write everything added so far; return the number of runs written."""
        with self._lock:
            if self._failure is not None:
                raise self._failure
            if not self._pending:
                return 0
            self._check_files()
            runs, scores = self._pending, self._pending_scores
            columns, marks = ", ".join(COVERED["run"]), ", ".join("?" * len(COVERED["run"]))
            with self.transaction() as connection:
                connection.executemany(
                    f"INSERT OR IGNORE INTO run ({columns}, checksum) VALUES ({marks}, ?)",
                    [(*row, run_checksum(row)) for row in runs],
                )
                connection.executemany(
                    "INSERT OR IGNORE INTO score VALUES (?, ?, ?, ?, ?, ?, ?)",
                    [(*row, row_checksum(row)) for row in scores],
                )
            self._pending, self._pending_scores = [], []
            self.n_written += len(runs) - self._n_uncounted
            self._n_uncounted = 0
            return len(runs)

    def _write_now_and_then(self) -> None:
        while not self._closing.wait(_FLUSH_SECONDS):
            try:
                self.flush()
            except Exception as error:  # told to the caller with the next run
                self._failure = error
                return

    def runs(
        self,
        data: int,
        learner: int,
        *,
        n_classes: int,
        limit_seconds: float = 0.0,
        split: int | None = None,
    ) -> dict[tuple[int, int], StoredRun]:
        """Return the stored runs of one learner on one data set by (split, stream).

        A timeout counts only where the run was given at least `limit_seconds`; `split` is
        the number of the one wanted, all by default.  Runs that are damaged are deleted.
        """
        self.flush()
        wanted = "" if split is None else f"AND entry.split = {split}"
        # the index says which rows there are, the rows themselves everything else
        query = f"""
            SELECT run.rowid, entry.split, entry.stream, {RUN_COLUMNS}, run.checksum, n_test
            FROM run AS entry JOIN run ON run.rowid = entry.rowid
            JOIN split ON split.number = entry.split
            WHERE entry.data_set = ? AND entry.learner = ?
                  AND (entry.limit_seconds = 0 OR entry.limit_seconds >= ?) {wanted}
            ORDER BY entry.limit_seconds DESC"""
        results: dict[tuple[int, int], StoredRun] = {}
        damaged: list[tuple[int, int, int]] = []
        nan = float("nan")
        has_scores = self.has_scores(data, learner)
        for number, entry, of_stream, *row, checksum, n_test in self.rows(
            query, (data, learner, limit_seconds)
        ):
            (_, _, _, stream, _, status, blob, train, predict, size, message, mode, complexity,
             unit, machine) = row  # fmt: skip
            is_whole = (
                run_checksum(row) == checksum
                and row[:4] == [data, learner, entry, of_stream]
                and has_answer(row, has_scores)
            )
            try:
                predictions = decode(blob, n_test=n_test, n_classes=n_classes) if is_whole else None
            except ValueError:
                is_whole = False
            if not is_whole:
                damaged.append((number, entry, of_stream))
                continue
            record = RunRecord(
                status, predictions, nan if train is None else train,
                nan if predict is None else predict, size, message, FIT_MODES[mode], complexity,
                unit,
            )  # fmt: skip
            results[entry, stream] = StoredRun(record, blob is not None, machine)
        if damaged:
            self._set_aside(data, learner, damaged)
        return results

    def _set_aside(self, data: int, learner: int, damaged: list[tuple[int, int, int]]) -> None:
        """Delete damaged runs, so that they are done again."""
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

    def has_scores(self, data: int, learner: int) -> Callable[[tuple[int, int]], bool]:
        """Return what says whether a run has values that were kept in place of predictions."""
        scored = {(split, stream) for split, stream, *_ in self._score_rows(data, learner)}
        return lambda key: not scored or key in scored

    def _score_rows(self, data: int, learner: int) -> list[tuple[int, int, str, float, bool]]:
        query = """SELECT split, stream, measure, value, checksum FROM score
            WHERE data_set = ? AND learner = ?"""
        return [
            (*row, row_checksum((data, learner, *row)) == checksum)
            for *row, checksum in self.rows(query, (data, learner))
        ]

    def finished(
        self, data: int, learner: int, *, limit_seconds: float = 0.0
    ) -> set[tuple[int, int]]:
        """Return (split, stream) of the stored runs of one learner on one data set.

        They are not read: `runs` may find some of them damaged.
        """
        self.flush()
        query = """SELECT split, stream FROM run
            WHERE data_set = ? AND learner = ? AND (limit_seconds = 0 OR limit_seconds >= ?)"""
        return set(self.rows(query, (data, learner, limit_seconds)))

    def finished_by_other_code(
        self, data: int, stream_name: str, *, is_batched: bool, current: Collection[int]
    ) -> set[tuple[int, int]]:
        """Return (split, stream) of stored runs of a learner that other code has made.

        They are those of learners that draw from the same random streams, plain or batched,
        but for the numbers that are `current`.
        """
        query = """SELECT run.learner, split, stream FROM run
            JOIN learner ON learner.number = run.learner
            WHERE data_set = ? AND stream_name = ? AND (instr(id, ?) > 0) = ?"""
        rows = self.rows(query, (data, stream_name, BATCHED_MARK, is_batched))
        return {(split, stream) for learner, split, stream in rows if learner not in current}

    def scores(self, data: int, learner: int) -> dict[tuple[int, int, str], float]:
        """Return the values kept with runs by (split, stream, measure), but for damaged ones."""
        self.flush()
        nan = float("nan")
        return {
            (split, stream, measure): nan if value is None else value
            for split, stream, measure, value, is_sound in self._score_rows(data, learner)
            if is_sound
        }


def _run_row(
    key: RunKey, limit_seconds: float, record: RunRecord, blob: bytes | None, environment: int
) -> tuple[Any, ...]:
    """Return the values of a run in the order of `COVERED`."""
    status, _, train, predict, size, message, mode, complexity, unit = record
    limit = limit_seconds if status == TIMEOUT else 0.0
    return (*key, limit, status, blob, train, predict, size, message,
            _WRITTEN_MODES[mode], complexity, unit, environment)  # fmt: skip


def has_answer(run: Sequence[Any], has_scores: Callable[[tuple[int, int]], bool]) -> bool:
    """Return whether a run that went well has predictions or what was kept in place of them."""
    _, _, split, stream, _, status, blob, *_ = run
    return status != OK or blob is not None or has_scores((split, stream))
