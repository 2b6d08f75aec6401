"""Temporary folders that are removed even if their process, or its whole group, is killed."""

from __future__ import annotations

import os
import platform
import shutil
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO

PREFIX = "bestofk-"
_OWNER = "owner"  # a file that the owner of the folder locks; it names the machine
_SAFE_PATH, _PATH = "PYTHONSAFEPATH", "PYTHONPATH"


@contextmanager
def temporary_folder(parent: str | os.PathLike[str] | None = None) -> Iterator[Path]:
    """Make a private folder that is removed at the end of the block.

    Parameters
    ----------
    parent : path, optional
        Folder to make it in; by default the system's folder for temporary files.

    Yields
    ------
    Path
        The folder. If this process is killed, joblib's resource tracker removes the folder; if that
        is killed as well, the next call does.
    """
    from joblib.externals.loky.backend import resource_tracker

    remove_left_folders(parent)
    with tempfile.TemporaryDirectory(prefix=PREFIX, dir=parent, ignore_cleanup_errors=True) as name:
        with without_working_folder():
            resource_tracker.register(name, "folder")
        try:
            with open(os.path.join(name, _OWNER), "w") as owner:
                if _lock(owner):
                    owner.write(platform.node())
                    owner.flush()
                yield Path(name)
        finally:
            resource_tracker.unregister(name, "folder")


def remove_left_folders(parent: str | os.PathLike[str] | None = None) -> None:
    """Remove the folders of killed processes of this user on this machine.

    Parameters
    ----------
    parent : path, optional
        As for `temporary_folder`.
    """
    if sys.platform == "win32":  # without user ids and file locks
        return
    with suppress(OSError), os.scandir(parent or tempfile.gettempdir()) as entries:
        for entry in entries:
            if entry.name.startswith(PREFIX) and entry.is_dir(follow_symlinks=False):
                status = entry.stat(follow_symlinks=False)
                if status.st_uid == os.getuid() and not status.st_mode & 0o077:
                    _remove_if_left(entry.path)


def _remove_if_left(folder: str) -> None:
    flags = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK
    with suppress(OSError), open(os.open(os.path.join(folder, _OWNER), flags)) as owner:
        if owner.read() == platform.node() and _lock(owner):
            shutil.rmtree(folder, ignore_errors=True)


def _lock(file: IO[str]) -> bool:
    """Lock a file unless another process has it locked; the lock ends with the process."""
    with suppress(ImportError, OSError):  # Windows has no such locks
        import fcntl

        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        return True
    return False


@contextmanager
def without_working_folder() -> Iterator[None]:
    """Keep Python processes started in the block from importing from the working folder."""
    before = {name: os.environ.get(name) for name in (_SAFE_PATH, _PATH)}
    os.environ[_SAFE_PATH] = "1"
    os.environ[_PATH] = absolute_paths(before[_PATH] or "")
    try:
        yield
    finally:
        for name, value in before.items():
            del os.environ[name]
            if value is not None:
                os.environ[name] = value


def absolute_paths(variable: str) -> str:
    """Return PYTHONPATH without entries for the working folder or relative ones.

    Examples
    --------
    >>> absolute_paths(":.:/home/ann/lib")
    '/home/ann/lib'
    """
    return os.pathsep.join(filter(os.path.isabs, variable.split(os.pathsep)))
