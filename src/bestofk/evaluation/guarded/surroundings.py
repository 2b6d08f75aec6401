"""Paths, folder and environment, which decide what code a process finds and how it runs."""

from __future__ import annotations

import importlib
import os
import sys
from collections.abc import Sequence
from subprocess import DEVNULL, Popen
from typing import Any, NamedTuple

from bestofk.data.temporary_folder import absolute_paths

_THREAD_VARIABLES = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")
# Else a thread of pyarrow, which keeps none of its state, would make forks look unsafe.
_NO_THREADS = {"JE_ARROW_MALLOC_CONF": "background_thread:false"}


class Surroundings(NamedTuple):
    """Paths, folder and environment that a process passes on to those that do runs.

    Parameters
    ----------
    paths : tuple of str
        Where modules are looked for.
    folder : str or None
        The working folder; None where it was deleted.
    environment : dict
        Variables of the environment, with one thread for numerical libraries.
    """

    paths: tuple[str, ...]
    folder: str | None
    environment: dict[str, str]

    @classmethod
    def here(cls) -> Surroundings:
        """Return those of this process."""
        folder = working_folder()
        paths = tuple(path or folder or "" for path in sys.path)
        environment = dict(os.environ) | dict.fromkeys(_THREAD_VARIABLES, "1")
        return cls(paths, folder, environment)

    def take_over(self) -> None:
        """Make them those of this process."""
        os.environ.clear()
        os.environ.update(self.environment)
        sys.path[:] = self.paths
        importlib.invalidate_caches()
        if self.folder is not None:
            os.chdir(self.folder)

    def start(self, module: str, arguments: Sequence[str], **options: Any) -> Popen[bytes]:
        """Start a Python that calls `main` of a module.

        It imports from the paths alone, which it has before it imports anything: not from the
        working folder, which may be another one by now.
        """
        environment = self.environment | _NO_THREADS
        environment["PYTHONPATH"] = absolute_paths(environment.get("PYTHONPATH", ""))
        source = f"import sys; sys.path[:] = {self.paths!a}; from {module} import main; main()"
        command = [sys.executable, "-P", "-c", source, *arguments]
        return Popen(command, env=environment, stdin=DEVNULL, **options)


def working_folder() -> str | None:
    """Return the working folder; None where it was deleted, as that of an idle worker may be."""
    try:
        return os.getcwd()
    except FileNotFoundError:
        return None
