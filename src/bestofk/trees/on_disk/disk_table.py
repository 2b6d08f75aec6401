"""Training tables on disk: one file per column and order, read in chunks."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final, Protocol

import numpy as np
from numpy.typing import NDArray

from bestofk.trees.arrays import Bools, Floats
from bestofk.trees.attributes import NOMINAL, Attribute

CHUNK_ROWS: Final = 1 << 16  # rows read at once: half a megabyte of a column


class ProgressCallback(Protocol):
    """Callback that receives the progress of the work."""

    def __call__(self, stage: str, done: float, total: float) -> None:
        """Take in the stage, and how much of how much is done."""


def no_progress(stage: str, done: float, total: float) -> None:
    """Show no progress."""


@dataclass(frozen=True, eq=False)
class DiskTable:
    """A training table without missing values, one file for each column and order.

    Attributes
    ----------
    folder : Path
        Where the files are.
    n_rows : int
        Rows.
    attributes : tuple of Attribute
        What the columns are.
    n_levels : ndarray of shape (n_attributes,), int64
        Distinct values, or levels.
    is_fine : ndarray of shape (n_attributes,), bool
        Whether a column has neighbors nearer than the least gap.
    """

    folder: Path
    n_rows: int
    attributes: tuple[Attribute, ...]
    n_levels: NDArray[np.int64]
    is_fine: Bools

    @property
    def is_nominal(self) -> Bools:
        """True for each column of levels without an order, shape (n_attributes,)."""
        return np.array([attribute.kind == NOMINAL for attribute in self.attributes])

    def row_file(self, a: int) -> Path:
        """Return the file of the values of a column, row by row: float64, or codes as such."""
        return self.folder / f"{a}.rows"

    def value_file(self, a: int) -> Path:
        """Return the file of the sorted values of a column that is not nominal: float64."""
        return self.folder / f"{a}.sorted"

    def order_file(self, a: int) -> Path:
        """Return the file of the rows of the sorted values: int32, equal values by row."""
        return self.folder / f"{a}.order"

    def row_chunks(self, columns: Sequence[int]) -> Iterator[tuple[int, Floats]]:
        """Read some columns row by row.

        Parameters
        ----------
        columns : sequence of int
            Which ones.

        Yields
        ------
        start : int
            First row of the chunk.
        values : ndarray of shape (n_columns, rows of the chunk), float64
            Overwritten by the next chunk.
        """
        buffer = np.empty((len(columns), CHUNK_ROWS))
        files = [self.row_file(a).open("rb") for a in columns]
        try:
            for start in range(0, self.n_rows, CHUNK_ROWS):
                size = min(CHUNK_ROWS, self.n_rows - start)
                for line, file in zip(buffer, files, strict=True):
                    file.readinto(line[:size].data)
                yield start, buffer[:, :size]
        finally:
            for file in files:
                file.close()

    def sorted_chunks(self, a: int) -> Iterator[tuple[Floats, NDArray[np.int32]]]:
        """Read the values of a column and their rows, from the lowest value to the highest."""
        values, rows = (
            file_chunks(self.value_file(a), np.float64),
            file_chunks(self.order_file(a), np.int32),
        )
        return zip(values, rows, strict=True)

    def kept(self, is_kept: Bools, folder: Path) -> DiskTable:
        """Write a new table of some rows.

        Parameters
        ----------
        is_kept : ndarray of shape (n_rows,), bool
            The rows; they keep their order.
        folder : Path
            An empty folder.

        Returns
        -------
        DiskTable
        """
        number = np.cumsum(is_kept, dtype=np.int32)
        number -= 1
        table = replace(self, folder=folder, n_rows=int(number[-1]) + 1)
        for a, attribute in enumerate(self.attributes):
            with table.row_file(a).open("wb") as file:
                for start, chunk in self.row_chunks([a]):
                    part = chunk[0]
                    file.write(part[is_kept[start : start + part.size]].data)
            if attribute.kind == NOMINAL:
                continue
            with table.value_file(a).open("wb") as file, table.order_file(a).open("wb") as order:
                for values, rows in self.sorted_chunks(a):
                    is_meant = is_kept[rows]
                    file.write(values[is_meant].data)
                    order.write(number[rows[is_meant]].data)
        return table

    def remove(self) -> None:
        """Remove the files."""
        for file in self.folder.iterdir():
            file.unlink()
        self.folder.rmdir()


def file_chunks(
    path: Path, dtype: Any, *, start: int = 0, stop: int | None = None, size: int | None = None
) -> Iterator[np.ndarray]:
    """Read a file of numbers in chunks.

    Parameters
    ----------
    path : Path
        The file.
    dtype : numpy type
        Of its numbers.
    start, stop : int
        First number, and the end; None for that of the file.
    size : int or None
        Numbers of a chunk; None for the usual.

    Yields
    ------
    ndarray of shape (up to size,)
        Overwritten by the next chunk.
    """
    buffer = np.empty(CHUNK_ROWS if size is None else size, dtype)
    left = path.stat().st_size // buffer.itemsize - start if stop is None else stop - start
    with path.open("rb") as file:
        file.seek(start * buffer.itemsize)
        while left > 0:
            part = buffer[: min(len(buffer), left)]
            file.readinto(part.data)
            left -= part.size
            yield part
