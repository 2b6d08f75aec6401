"""Temporary folders that are removed even where their process is killed."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

PREFIX = "bestofk-"


@contextmanager
def temporary_folder(parent: str | os.PathLike[str] | None = None) -> Iterator[Path]:
    """Make a folder that is removed at the end of the block.

    Parameters
    ----------
    parent : path, optional
        Folder to make it in; by default that of the system for temporary files.

    Yields
    ------
    Path
        The folder. Where this process is killed, the process in which joblib tracks what is
        to be removed does it.
    """
    from joblib.externals.loky.backend import resource_tracker

    with tempfile.TemporaryDirectory(prefix=PREFIX, dir=parent, ignore_cleanup_errors=True) as name:
        resource_tracker.register(name, "folder")
        try:
            yield Path(name)
        finally:
            resource_tracker.unregister(name, "folder")
