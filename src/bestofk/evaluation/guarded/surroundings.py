"""Paths, folder and environment, which decide what code a process finds and how it runs."""

from __future__ import annotations

import importlib
import os
import sys
from typing import NamedTuple

_THREAD_VARIABLES = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")


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
        environment["PYTHONPATH"] = os.pathsep.join(paths)
        return cls(paths, folder, environment)

    def take_over(self) -> None:
        """Make them those of this process."""
        os.environ.clear()
        os.environ.update(self.environment)
        sys.path[:] = self.paths
        importlib.invalidate_caches()
        if self.folder is not None:
            os.chdir(self.folder)


def working_folder() -> str | None:
    """Return the working folder; None where it was deleted, as that of an idle worker may be."""
    try:
        return os.getcwd()
    except FileNotFoundError:
        return None
