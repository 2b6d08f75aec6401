"""Parquet and Feather files."""

from __future__ import annotations

import io
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pandas as pd

from bestofk.checks import optional_package
from bestofk.data.table import Table
from bestofk.data.text_file import MOST_UNPACKED, read_bytes, too_large
from bestofk.errors import InvalidArgumentError

# A file may unpack to this many times its size, or to `MOST_UNPACKED` if that is more.
_MOST_TIMES = 50


def read_parquet(path: Path, name: str) -> Table:
    """Read a Parquet file with pandas; its types are trusted.

    Raises
    ------
    InvalidArgumentError
        If pyarrow is missing, or the file is missing, damaged or without rows.
    """
    return _read(path, name, "Parquet", _frame_of_parquet)


def read_feather(path: Path, name: str) -> Table:
    """Read a Feather (Arrow) file; its types are trusted.

    Raises
    ------
    InvalidArgumentError
        As `read_parquet`.
    """
    return _read(path, name, "Feather", _frame_of_feather)


def _read(path: Path, name: str, what: str, frame_of: Callable[[Path, bytes], Any]) -> Table:
    content = read_bytes(path)
    missing = f"pyarrow must be installed to read {what}; got none"
    optional_package("pyarrow", missing, extra="parquet")  # pandas needs it
    try:
        frame = frame_of(path, content)
    except (MemoryError, InvalidArgumentError):
        raise
    except Exception as error:  # damaged metadata raise errors of any kind
        raise InvalidArgumentError(
            f"{path} must be a {what} file; got other content. Save the table as {what} or CSV."
        ) from error
    if not len(frame):
        raise InvalidArgumentError(f"{path} must have at least one row; got none.")
    note = f"Read {path.name} as {what}; its types are kept."
    return Table.from_frame(name, frame.reset_index(drop=True), note=note)


def _check_size(path: Path, content: bytes, n_bytes: int) -> None:
    if n_bytes > max(MOST_UNPACKED, _MOST_TIMES * len(content)):
        raise too_large(path, "Write it as CSV")


def _frame_of_parquet(path: Path, content: bytes) -> Any:
    _check_size(path, content, _unpacked_size(content))
    return pd.read_parquet(io.BytesIO(content), engine="pyarrow")


def _frame_of_feather(path: Path, content: bytes) -> Any:
    """Return the rows, unpacked part by part."""
    import pyarrow as pa

    parts: list[Any] = []
    with pa.ipc.open_file(content) as file:
        for number in range(file.num_record_batches):
            parts.append(file.get_batch(number))
            _check_size(path, content, sum(part.nbytes for part in parts))
        return pa.Table.from_batches(parts, file.schema).to_pandas()


def _unpacked_size(content: bytes) -> int:
    """Return the unpacked size of a file in bytes, without keeping the content in memory."""
    import pyarrow as pa
    import pyarrow.compute as pc
    import pyarrow.parquet as pq

    file = pq.ParquetFile(io.BytesIO(content))
    metadata, fields = file.metadata, list(file.schema_arrow)
    n_bytes: int = metadata.num_rows * sum(map(_width, fields))
    groups = map(metadata.row_group, range(metadata.num_row_groups))
    n_bytes = max(n_bytes, sum(group.total_byte_size for group in groups))
    kinds = pa.types
    are_texts = (kinds.is_string, kinds.is_large_string, kinds.is_binary, kinds.is_large_binary)
    texts = [field.name for field in fields if any(kind(field.type) for kind in are_texts)]
    if not texts or n_bytes > MOST_UNPACKED:
        return n_bytes
    # a text stored once may occur in every row
    file = pq.ParquetFile(io.BytesIO(content), read_dictionary=texts)
    for batch in file.iter_batches(columns=texts):
        batch.validate(full=True)  # bytes that are not text would raise errors elsewhere
        for column in filter(lambda column: pa.types.is_dictionary(column.type), batch.columns):
            lengths = pc.binary_length(column.dictionary).take(column.indices)
            n_bytes += pc.sum(lengths).as_py() or 0
    return n_bytes


def _width(field: Any) -> int:
    """Return the bytes per value of a column; types without a fixed width count as a pointer."""
    try:
        width: int = field.type.bit_width // 8
        return max(1, width)
    except ValueError:
        return 8
