"""Sorting of columns that do not fit into memory: sorted runs, then one merge."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from bestofk.trees.arrays import Floats
from bestofk.trees.on_disk.disk_table import DiskTable, file_chunks

# Bytes that sorting a row takes: value, row, place, and as much again for the sort itself.
_BYTES_SORTED: Final = 48


class _Writer:
    """Writer of sorted values and their rows, which counts the distinct values."""

    def __init__(self, values: Any, order: Any, gap: float) -> None:
        self._values, self._order, self._gap = values, order, gap
        self._before = np.empty(0)
        self.n_levels = 0
        self.is_fine = False

    def write(self, values: Floats, rows: NDArray[np.int32]) -> None:
        self._values.write(values.data)
        self._order.write(rows.data)
        if values.size:
            steps = np.diff(np.concatenate([self._before, values]))
            is_new = steps > 0
            self.n_levels += int(np.count_nonzero(is_new)) + (self._before.size == 0)
            near = steps[is_new] <= self._gap * 1.001
            self.is_fine |= self._gap > 0 and bool(near.any())
            self._before = values[-1:].copy()


def sort_column(table: DiskTable, a: int, *, gap: float, memory_bytes: int) -> None:
    """Sort a column by value, equal values by row, and set its number of levels and fineness.

    Parameters
    ----------
    table : DiskTable
        The table; `n_levels` and `is_fine` of the column are set.
    a : int
        The column.
    gap : float
        Neighbors nearer than this make a column fine.
    memory_bytes : int
        What the sort may take.
    """
    size = min(max(memory_bytes // _BYTES_SORTED, 1024), table.n_rows)
    starts = range(0, table.n_rows, size)
    chunks = file_chunks(table.row_file(a), np.float64, size=size)
    with table.value_file(a).open("wb") as values, table.order_file(a).open("wb") as order:
        writer = _Writer(values, order, gap)
        if len(starts) == 1:
            _sort_run(next(chunks), 0, writer)
        else:
            run_values, run_rows = table.folder / "run.values", table.folder / "run.rows"
            with run_values.open("wb") as file, run_rows.open("wb") as file_2:
                runs = _Writer(file, file_2, 0.0)
                for start, chunk in zip(starts, chunks, strict=True):
                    _sort_run(chunk, start, runs)
            bounds = [*starts, table.n_rows]
            _merge_runs(run_values, run_rows, bounds, memory_bytes, writer)
            run_values.unlink()
            run_rows.unlink()
    table.n_levels[a] = max(int(table.n_levels[a]), writer.n_levels)
    table.is_fine[a] = writer.is_fine


def _sort_run(values: Floats, start: int, writer: _Writer) -> None:
    order = np.argsort(values, kind="stable")
    writer.write(values[order], (order + start).astype(np.int32))


def _merge_runs(
    values: Path, rows: Path, bounds: list[int], memory_bytes: int, writer: _Writer
) -> None:
    """Merge sorted runs that lie end to end; of equal values those of earlier runs come first.

    In each round everything is written that no unread value can precede: all below the lowest
    of the last values read, and what equals it up to the first run that may continue with it.
    """
    n_runs = len(bounds) - 1
    size = max(memory_bytes // _BYTES_SORTED // n_runs, 64)
    spans = list(pairwise(bounds))
    more_values = [file_chunks(values, np.float64, start=b, stop=e, size=size) for b, e in spans]
    more_rows = [file_chunks(rows, np.int32, start=b, stop=e, size=size) for b, e in spans]
    unread = [end - begin for begin, end in spans]
    read: list[tuple[np.ndarray, np.ndarray]] = [(np.empty(0), np.empty(0, np.int32))] * n_runs
    while True:
        for r in range(n_runs):
            if not read[r][0].size and unread[r]:
                read[r] = (next(more_values[r]), next(more_rows[r]))
                unread[r] -= read[r][0].size
        open_runs = [r for r in range(n_runs) if unread[r]]
        if open_runs:
            holding = min(open_runs, key=lambda r: read[r][0][-1])
            limit = read[holding][0][-1]
            sides = ["right" if r <= holding else "left" for r in range(n_runs)]
            ends = [
                int(np.searchsorted(read[r][0], limit, side=side))  # type: ignore[call-overload]
                for r, side in enumerate(sides)
            ]
        else:
            ends = [part.size for part, _ in read]
        merged = np.concatenate([part[:end] for (part, _), end in zip(read, ends, strict=True)])
        numbers = np.concatenate([part[:end] for (_, part), end in zip(read, ends, strict=True)])
        order = np.argsort(merged, kind="stable")
        writer.write(merged[order], numbers[order])
        read = [(part[end:], own[end:]) for (part, own), end in zip(read, ends, strict=True)]
        if not open_runs:
            return
