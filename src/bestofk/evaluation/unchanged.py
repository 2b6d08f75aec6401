"""Code and surroundings, which a process that loads several payloads must find as they were."""

from __future__ import annotations

import functools
import os
import sys
import sysconfig
import time
from contextlib import suppress
from typing import NamedTuple

_INSTALLED = ("site-packages", "dist-packages")
_COARSE_NS = 20_000_000  # by which the time of a file may be early


class Surroundings(NamedTuple):
    """Paths, folder and environment, which decide what code a process finds and how it runs.

    Parameters
    ----------
    paths : tuple of str
        Where modules are looked for.
    folder : str or None
        The working folder; None where it was deleted.
    environment : dict
        Variables of the environment, without the one that pytest changes with every test.
    messages : tuple of int
        What standard error is, where learners print to.
    """

    paths: tuple[str, ...]
    folder: str | None
    environment: dict[str, str]
    messages: tuple[int, int]

    @classmethod
    def here(cls) -> Surroundings:
        """Return those of this process."""
        folder = working_folder()
        environment = dict(os.environ)
        environment.pop("PYTEST_CURRENT_TEST", None)
        paths, messages = tuple(path or folder or "" for path in sys.path), (0, 0)
        with suppress(OSError):  # it may be closed
            state = os.fstat(2)
            messages = state.st_dev, state.st_ino
        return cls(paths, folder, environment, messages)


def working_folder() -> str | None:
    """Return the working folder; None where it was deleted, as that of an idle worker may be."""
    try:
        return os.getcwd()
    except FileNotFoundError:
        return None


class ImportedFiles:
    """Files of modules from outside installed packages that this process has imported.

    Parameters
    ----------
    start_ns : int
        When this process was started, in nanoseconds since 1970.

    Examples
    --------
    >>> import time
    >>> files = ImportedFiles(time.time_ns())
    >>> files.note()
    >>> files.have_changed()
    False
    """

    def __init__(self, start_ns: int) -> None:
        self._since_ns = start_ns
        self._states: dict[str, tuple[int, ...] | None] = {}

    def note(self) -> None:
        """Remember the files of the modules that were imported since this was last called.

        One that was written since then is remembered as unknown: it may have been imported
        before it was written.
        """
        now_ns = time.time_ns()
        for module in list(sys.modules.values()):
            file = getattr(module, "__dict__", {}).get("__file__")  # without loading lazy ones
            if isinstance(file, str) and file not in self._states and not _is_installed(file):
                state = _state(file)
                is_new = state is None or max(state[:2]) > self._since_ns - _COARSE_NS
                self._states[file] = None if is_new else state
        self._since_ns = now_ns

    def have_changed(self) -> bool:
        """Return whether a file is another one than was imported, or may be."""
        return any(state is None or _state(file) != state for file, state in self._states.items())


def _is_installed(file: str) -> bool:
    return file.startswith(_standard_library()) or any(name in file for name in _INSTALLED)


@functools.cache
def _standard_library() -> tuple[str, ...]:
    return tuple(sysconfig.get_path(name) for name in ("stdlib", "platstdlib"))


def _state(file: str) -> tuple[int, ...] | None:
    """Return what changes with the content of a file; None where it is not there."""
    try:
        status = os.stat(file)
    except OSError:
        return None
    return status.st_mtime_ns, status.st_ctime_ns, status.st_size, status.st_ino
