"""Parquet files."""

from __future__ import annotations

from pathlib import Path

from bestofk.checks import optional_package
from bestofk.data.table import Table
from bestofk.data.text_file import read_bytes
from bestofk.errors import InvalidArgumentError


def read_parquet(path: Path, name: str) -> Table:
    """Read a Parquet file through pandas; its types are trusted.

    Raises
    ------
    InvalidArgumentError
        If pyarrow is missing, or the file is missing, damaged or without rows.
    """
    what = "pyarrow must be installed to read Parquet; got none"
    optional_package("pyarrow", what, extra="parquet")  # pandas needs it
    import io

    import pandas as pd

    content = io.BytesIO(read_bytes(path))
    try:
        frame = pd.read_parquet(content, engine="pyarrow")
    except MemoryError:
        raise
    except Exception as error:  # damaged metadata raise errors of any kind
        raise InvalidArgumentError(
            f"{path} must be a Parquet file; got other content. Save the table as Parquet or CSV."
        ) from error
    if not len(frame):
        raise InvalidArgumentError(f"{path} must have at least one row; got none.")
    note = f"Read {path.name} as Parquet; its types are kept."
    return Table.from_frame(name, frame.reset_index(drop=True), note=note)
