"""Runs of one learner as columns; a record is made where one is asked for."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from copy import copy
from itertools import pairwise
from typing import Any, NamedTuple, overload

import numpy as np
from numpy.typing import NDArray

from bestofk.array_types import Bools, Floats, Ints
from bestofk.evaluation.record import (
    BATCHED,
    KEEP_PROBABILITIES,
    KEEP_SCORES,
    PLAIN,
    Predictions,
    RunRecord,
    kept,
)
from bestofk.evaluation.status import MISSING, OK, has_failed, is_done, is_missing

_ALONE = -1  # block of a run that stands in none
# Columns of a table under the names that records have for them.
RUN_FACTS = (
    "train_seconds", "predict_seconds", "train_cpu_seconds", "predict_cpu_seconds", "peak_bytes",
    "is_crowded", "is_isolated",
)  # fmt: skip
_COLUMNS = ("status", "is_batched", *RUN_FACTS, "_block", "_index")


class PredictionColumns(NamedTuple):
    """Predictions of some runs laid end to end.

    Parameters
    ----------
    starts : ndarray of shape (n_runs + 1,), int64
        Run `i` holds the rows ``starts[i]`` to ``starts[i + 1]``.
    labels : ndarray of shape (n_rows,)
        As in `Predictions`.
    probabilities : ndarray of shape (n_rows, n_classes) or None
        As in `Predictions`.
    decision : ndarray of shape (n_rows,) or (n_rows, n_classes), or None
        As in `Predictions`.
    """

    starts: Ints
    labels: Ints | Floats
    probabilities: Floats | None = None
    decision: Floats | None = None

    @classmethod
    def of(cls, predictions: Predictions) -> PredictionColumns:
        """Return the predictions of one run as columns."""
        return cls(np.array([0, len(predictions.labels)]), *predictions)

    def of_run(self, index: int) -> Predictions:
        """Return the predictions of one run, which share memory with the columns."""
        return Predictions(*self._of_rows(slice(*self.starts[index : index + 2].tolist())))

    def _of_rows(self, rows: Any) -> list[Any]:
        return [None if part is None else part[rows] for part in self[1:]]

    def take(self, runs: NDArray[np.integer[Any]]) -> PredictionColumns:
        """Return the predictions of some runs, in the order asked for."""
        first, n_runs = int(runs[0]) if len(runs) else 0, len(runs)
        if np.array_equal(runs, np.arange(first, first + n_runs)):  # nothing is copied
            edges = self.starts[first : first + n_runs + 1]
            return PredictionColumns(edges - edges[0], *self._of_rows(slice(edges[0], edges[-1])))
        lengths = np.diff(self.starts)[runs]
        starts = np.concatenate([[0], np.cumsum(lengths)])
        rows = np.repeat(self.starts[runs] - starts[:-1], lengths) + np.arange(starts[-1])
        return PredictionColumns(starts, *self._of_rows(rows))


class RunTable(Sequence[RunRecord | None]):
    """Runs by their index in a plan, or in a part of one; None where there is none.

    Parameters
    ----------
    n_runs : int
        Places, all of them empty.

    Attributes
    ----------
    status : ndarray of shape (n_runs,), str
        How each run ended; "missing" where there is none.
    train_seconds, predict_seconds : ndarray of shape (n_runs,), float64
        Seconds of the clock on the wall; nan where unknown.
    train_cpu_seconds, predict_cpu_seconds : ndarray of shape (n_runs,), float64
        Seconds of the processor; nan where unknown.
    is_batched : ndarray of shape (n_runs,), bool
        Whether the run was done in a batch.
    peak_bytes : ndarray of shape (n_runs,), float64
        Memory at the peak of each run; nan where unknown.
    is_crowded : ndarray of shape (n_runs,), bool
        Whether other runs went on meanwhile.
    is_isolated : ndarray of shape (n_runs,), bool
        Whether the process of the run has done runs of no other learner and no other call.

    Examples
    --------
    >>> table = RunTable.of([RunRecord("ok", None, 0.5, 0.1), None])
    >>> table.status.tolist(), table[0].train_seconds, table[1]
    (['ok', 'missing'], 0.5, None)
    """

    def __init__(self, n_runs: int) -> None:
        self.status = np.full(n_runs, MISSING, dtype="U8")
        self.train_seconds, self.predict_seconds = np.full((2, n_runs), np.nan)
        self.train_cpu_seconds, self.predict_cpu_seconds = np.full((2, n_runs), np.nan)
        self.peak_bytes = np.full(n_runs, np.nan)
        self.is_batched, self.is_crowded, self.is_isolated = np.zeros((3, n_runs), dtype=bool)
        # runs of which a column says too little, or that came alone; the others are in blocks
        self._records: dict[int, RunRecord] = {}
        self._blocks: list[PredictionColumns] = []
        self._block = np.full(n_runs, _ALONE, dtype=np.int32)
        self._index = np.zeros(n_runs, dtype=np.int32)

    @classmethod
    def of(cls, records: Sequence[RunRecord | None]) -> RunTable:
        """Return some records as a table; one that is a table stays as it is."""
        if isinstance(records, RunTable):
            return records
        table = cls(len(records))
        for index, record in enumerate(records):
            if record is not None:
                table.put(index, record)
        return table

    @classmethod
    def packed(cls, records: Sequence[RunRecord]) -> RunTable:
        """Return plain runs as columns, which take less to send and to store than records."""
        table = cls(len(records))
        shapes = [None if _says_more(record) else _row_shapes(record) for record in records]
        shape = next(filter(None, shapes), None)
        together = [index for index, item in enumerate(shapes) if item and item == shape]
        for index in set(range(len(records))).difference(together):
            table.put(index, records[index])
        if together:
            some = [records[index] for index in together]
            facts: dict[str, Any] = {
                name: [_fact(record, name) for record in some] for name in RUN_FACTS
            }
            table.put_block(
                np.array(together),
                _end_to_end([record.predictions for record in some if record.predictions]),
                **facts,
            )
        return table

    def __len__(self) -> int:
        return len(self.status)

    @overload
    def __getitem__(self, index: int) -> RunRecord | None: ...
    @overload
    def __getitem__(self, index: slice) -> RunTable: ...
    def __getitem__(self, index: int | slice) -> RunRecord | RunTable | None:
        if isinstance(index, slice):
            return self.take(np.arange(len(self))[index])
        index = range(len(self))[index]
        if index in self._records:
            return self._records[index]
        if is_missing(self.status[index]):
            return None
        block = int(self._block[index])
        facts = {name: getattr(self, name)[index].item() for name in RUN_FACTS}
        peak = facts.pop("peak_bytes")
        return RunRecord(
            OK,
            None if block == _ALONE else self._blocks[block].of_run(int(self._index[index])),
            fit_mode=BATCHED if self.is_batched[index] else PLAIN,
            peak_bytes=None if peak != peak else int(peak),
            **facts,
        )

    def __iter__(self) -> Iterator[RunRecord | None]:
        return (self[index] for index in range(len(self)))

    @property
    def is_done(self) -> Bools:
        """Whether there is a run that was not lost, shape (n_runs,)."""
        return is_done(self.status)

    @property
    def has_failed(self) -> Bools:
        """Whether there is a run and its learner failed, shape (n_runs,)."""
        return has_failed(self.status)

    @property
    def has_predictions(self) -> Bools:
        """Whether a run has predictions, shape (n_runs,)."""
        has: Bools = self._block != _ALONE
        has[[index for index, run in self._records.items() if run.predictions is not None]] = True
        return has

    def noted(self) -> Iterator[tuple[int, RunRecord]]:
        """Give index and record of the runs that may have a message, a size or a complexity."""
        return ((index, self._records[index]) for index in sorted(self._records))

    def put(self, index: int, record: RunRecord) -> None:
        """Enter a run."""
        self.status[index] = record.status
        for name in RUN_FACTS:
            getattr(self, name)[index] = _fact(record, name)
        self.is_batched[index] = record.fit_mode == BATCHED
        self._records[index] = record

    def put_block(
        self,
        indices: NDArray[np.int64],
        predictions: PredictionColumns | None,
        *,
        messages: Mapping[int, str] | None = None,
        choices: Mapping[int, str] | None = None,
        **facts: Any,
    ) -> None:
        """Enter runs that went well, all with predictions or all without.

        Parameters
        ----------
        indices : ndarray of shape (n_block,), int64
            Where they stand in the table; nothing may be there yet.
        predictions : PredictionColumns or None
            What they predicted, in the same order; None if that was not kept.
        messages : mapping of int to str, optional
            What runs warned of, by their position in the block.
        choices : mapping of int to str, optional
            What learners chose in runs, likewise.
        **facts : object or ndarray of shape (n_block,)
            Attributes of the table, as `train_seconds` and `is_batched`, for all runs or for each.
        """
        for name, values in {"status": OK, **facts}.items():
            getattr(self, name)[indices] = values
        if predictions is not None:
            self._block[indices] = len(self._blocks)
            self._index[indices] = np.arange(len(indices))
            self._blocks.append(predictions)
        messages, choices = messages or {}, choices or {}
        for position in {**messages, **choices}:
            record = self[int(indices[position])]
            assert record is not None
            record = record._replace(
                message=messages.get(position, ""), choice=choices.get(position, "")
            )
            self._put_alone(int(indices[position]), record)

    def _put_alone(self, index: int, record: RunRecord) -> None:
        self._block[index] = _ALONE
        self.put(index, record)

    def mark(self, *, is_crowded: bool = False, is_isolated: bool = False) -> None:
        """Note of all runs that others went on meanwhile, or that none shared their process."""
        self.is_crowded |= is_crowded & self.is_done
        self.is_isolated |= is_isolated & self.is_done
        for index, record in self._records.items():
            self._records[index] = record._replace(
                is_crowded=bool(self.is_crowded[index]), is_isolated=bool(self.is_isolated[index])
            )

    def put_table(self, indices: Ints, table: RunTable) -> None:
        """Enter all runs of a table; its empty indices must not be among those that are filled."""
        for name in _COLUMNS:
            getattr(self, name)[indices] = getattr(table, name)
        is_alone = table._block == _ALONE
        self._block[indices] += np.where(is_alone, 0, len(self._blocks)).astype(np.int32)
        self._blocks = self._blocks + table._blocks
        for index, record in table._records.items():
            self._records[int(indices[index])] = record

    def take(self, indices: Ints) -> RunTable:
        """Return the runs of some indices, in the order asked for; predictions are not copied."""
        table = RunTable(0)
        for name in _COLUMNS:
            setattr(table, name, getattr(self, name)[indices])
        table._blocks = self._blocks
        asked = np.flatnonzero(np.isin(indices, list(self._records))) if self._records else ()
        table._records = {int(i): self._records[int(indices[i])] for i in asked}
        return table

    def first(self, n_runs: int) -> RunTable:
        """Return a table of the same length that lacks all runs but the first so many."""
        table = RunTable(len(self))
        table.put_table(np.arange(n_runs), self[:n_runs])
        return table

    def kept(self, keep: str) -> RunTable:
        """Return what is left of the runs once they went through a store."""
        if keep == KEEP_PROBABILITIES:
            return self
        table = copy(self)
        table._records = {index: kept(record, keep) for index, record in self._records.items()}
        if keep == KEEP_SCORES:
            table._block, table._blocks = np.full(len(self), _ALONE, dtype=np.int32), []
        else:
            table._blocks = [
                columns
                if columns.labels.dtype.kind == "f"
                else PredictionColumns(columns.starts, columns.labels)
                for columns in self._blocks
            ]
        return table

    def pieces(self, n_runs: int) -> list[Ints]:
        """Return the indices of all runs with predictions, divided where a block ends.

        Pieces hold at least so many runs, but for the last; there is none without runs.
        """
        indices = np.flatnonzero(self.has_predictions)
        ends = np.append(np.flatnonzero(np.diff(self._block[indices])) + 1, len(indices))
        asked = np.searchsorted(ends, np.arange(n_runs, len(indices), n_runs))
        pieces = np.split(indices, np.unique(ends[asked]))
        return [some for some in pieces if len(some)]

    def parts(self) -> Iterator[PredictionColumns]:
        """Give the predictions of all runs that have some, in order, as few pieces."""
        indices = np.flatnonzero(self.has_predictions)
        blocks = self._block[indices]
        is_first = np.diff(blocks, prepend=_ALONE - 1) != 0
        is_first |= blocks == _ALONE
        edges = [*np.flatnonzero(is_first).tolist(), len(indices)]
        for start, stop in pairwise(edges):
            block = int(blocks[start])
            if block == _ALONE:
                predictions = self._records[int(indices[start])].predictions
                assert predictions is not None
                yield PredictionColumns.of(predictions)
            else:
                yield self._blocks[block].take(self._index[indices[start:stop]])


def _says_more(record: RunRecord) -> bool:
    """Return whether columns cannot hold a record of a plain run."""
    held = {name: getattr(record, name) for name in RUN_FACTS if name != "is_crowded"}
    return record != RunRecord(OK, record.predictions, **held)


def _fact(record: RunRecord, name: str) -> Any:
    """Return what a column holds of a record; nan where the record has None."""
    value = getattr(record, name)
    return np.nan if value is None else value


def _row_shapes(record: RunRecord) -> tuple[Any, ...] | None:
    """Return kind and shape of a row of all that a run predicted; None where it has nothing."""
    if record.predictions is None:
        return None
    return tuple(
        None if part is None else (part.dtype, part.shape[1:]) for part in record.predictions
    )


def _end_to_end(predictions: Sequence[Predictions]) -> PredictionColumns:
    """Return predictions of one kind laid end to end."""
    starts = np.cumsum([0, *(len(item.labels) for item in predictions)])
    parts: list[Any] = [
        None if column[0] is None else np.concatenate(column)
        for column in zip(*predictions, strict=True)
    ]
    return PredictionColumns(starts, *parts)
