"""Temporary folders of one process; those of killed processes are removed by the next.

The owner of a folder holds a lock on a file in it, which the system lifts when the owner ends in
whatever way: a folder whose lock can be had has no owner.
"""

from __future__ import annotations

import functools
import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

PREFIX = "bestofk-"
_LOCK = ".owner"
_HAS_LOCKS = os.name == "posix"


@contextmanager
def temporary_folder(parent: str | os.PathLike[str] | None = None) -> Iterator[Path]:
    """Make a folder that is removed at the end of the block.

    Parameters
    ----------
    parent : path, optional
        Folder to make it in; by default that of the system for temporary files. Folders of
        processes that were killed are removed from it, once per process.

    Yields
    ------
    Path
        The folder.
    """
    parent = Path(parent or tempfile.gettempdir())
    _remove_left_over(parent)
    with tempfile.TemporaryDirectory(prefix=PREFIX, dir=parent, ignore_cleanup_errors=True) as name:
        folder = Path(name)
        with _owned(folder):
            yield folder


@functools.cache
def _remove_left_over(parent: Path) -> None:
    """Remove folders of this user whose owners have ended."""
    if not _HAS_LOCKS:
        return
    with suppress(OSError), os.scandir(parent) as entries:
        for entry in entries:
            with suppress(OSError):
                if entry.name.startswith(PREFIX) and _is_own(entry):
                    _remove_unless_locked(Path(entry))


def _is_own(entry: os.DirEntry[str]) -> bool:
    is_folder = entry.is_dir(follow_symlinks=False)
    return is_folder and entry.stat(follow_symlinks=False).st_uid == os.getuid()


@contextmanager
def _owned(folder: Path) -> Iterator[None]:
    """Hold the lock of a folder, which is there only once it is held."""
    new = folder / f"{_LOCK}.new"
    with new.open("wb") as file:
        with suppress(OSError):  # a file system without locks: it is left to its user
            if _HAS_LOCKS:
                _lock(file.fileno())
                new.rename(folder / _LOCK)
        yield


def _remove_unless_locked(folder: Path) -> None:
    with (folder / _LOCK).open("rb") as file:
        _lock(file.fileno())
        shutil.rmtree(folder)


def _lock(handle: int) -> None:
    """Take a lock; raise OSError where another process has it."""
    import fcntl

    fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
