"""Arrays in files, mapped into memory, and sorted in runs that fit there."""

import mmap
import sys
from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any, Final, Literal

import numpy as np

from bestofk.array_types import Floats, Ints
from bestofk.trees.sorting import Workspace

CHUNK_ROWS: Final = 1 << 16  # rows read at once: half a megabyte of a column
# Bytes for sorting a row: value, row, place, and the same again for the sort itself.
_BYTES_SORTED: Final = 48


# Called with the stage of the work, the amount done and the total.
ProgressCallback = Callable[[str, float, float], None]


def no_progress(stage: str, done: float, total: float) -> None:
    """Show no progress."""


class MappedArrays(Workspace):
    """Workspace whose arrays are files of a folder.

    Parameters
    ----------
    folder : Path
        An empty folder; the caller removes it with its files.
    memory_bytes : int
        Memory for sorting.
    report_progress : ProgressCallback
        Called with the column being sorted.
    """

    def __init__(
        self, folder: Path, memory_bytes: int, report_progress: ProgressCallback = no_progress
    ) -> None:
        self.folder = folder
        self._memory_bytes = memory_bytes
        self._report_progress = report_progress
        self._maps: list[mmap.mmap] = []
        self._sorted: list[tuple[Floats, Ints]] = []  # overwritten for each column

    def empty(
        self, shape: tuple[int, ...], dtype: Any, order: Literal["C", "F"] = "C"
    ) -> np.ndarray:
        """Return an array of zeros in a new file."""
        size = int(np.prod(shape)) * np.dtype(dtype).itemsize
        if not size:
            return np.empty(shape, dtype)
        with (self.folder / f"{len(self._maps)}.array").open("w+b") as file:
            file.truncate(size)
            self._maps.append(mmap.mmap(file.fileno(), size))
        return np.ndarray(shape, dtype, buffer=self._maps[-1], order=order)

    def release(self) -> None:
        """Release the pages in memory; the files keep their content."""
        if sys.platform == "linux":
            for mapped in self._maps:
                mapped.madvise(mmap.MADV_DONTNEED)

    def blocks(self, n_lines: int) -> Sequence[slice]:
        """Return each line alone."""
        return [slice(line, line + 1) for line in range(n_lines)]

    def sort(self, raw: Sequence[np.ndarray], a: int) -> tuple[Floats, Ints]:
        """Sort a column in runs that fit into memory, and merge these; ties follow the rows."""
        self._report_progress("sorting", a, len(raw))
        column, n = raw[a], len(raw[a])
        size = min(max(self._memory_bytes // _BYTES_SORTED, 1024), n)
        starts = [*range(0, n, size)]
        while len(self._sorted) < 2:
            self._sorted.append((self.empty((n,), np.float64), self.empty((n,), np.int64)))
        runs, merged = self._sorted
        values, rows = runs
        for start in starts:
            part = column[start : start + size]
            order = np.argsort(part, kind="stable")
            values[start : start + size], rows[start : start + size] = part[order], order + start
            self.release()
        if len(starts) == 1:
            return runs
        for _ in _merge_runs(runs, [*starts, n], size, merged):
            self.release()
        return merged


def _merge_runs(
    runs: tuple[Floats, Ints], bounds: Sequence[int], n_at_once: int, merged: tuple[Floats, Ints]
) -> Iterator[None]:
    """Merge consecutive sorted runs; for equal values, earlier runs come first.

    Each round writes all values that no unread value can precede: all below the lowest of the last
    values read, and those equal to it up to the first run that may continue with it. Yields after
    each round.
    """
    values, rows = runs
    spans = list(pairwise(bounds))
    size = max(n_at_once // len(spans), 64)
    begins, written = [begin for begin, _ in spans], 0
    while written < len(values):
        ends = [min(begin + size, end) for begin, (_, end) in zip(begins, spans, strict=True)]
        is_open = [stop < end for stop, (_, end) in zip(ends, spans, strict=True)]
        if any(is_open):
            holding = min(np.flatnonzero(is_open).tolist(), key=lambda r: values[ends[r] - 1])
            limit = values[ends[holding] - 1]
            for r, (begin, end) in enumerate(zip(begins, ends, strict=True)):
                side: Literal["left", "right"] = "right" if r <= holding else "left"
                ends[r] = begin + int(np.searchsorted(values[begin:end], limit, side=side))
        parts = [slice(begin, end) for begin, end in zip(begins, ends, strict=True)]
        taken = np.concatenate([values[part] for part in parts])
        order = np.argsort(taken, kind="stable")
        here = slice(written, written + len(taken))
        merged[0][here] = taken[order]
        merged[1][here] = np.concatenate([rows[part] for part in parts])[order]
        begins, written = ends, here.stop
        yield
