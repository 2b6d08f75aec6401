"""Limits of a single run: seconds, and memory above what its process held before."""

from __future__ import annotations

from typing import NamedTuple


class Limits(NamedTuple):
    """What a run may take at most.

    Parameters
    ----------
    seconds : float or None
        Wall-clock seconds; None for no limit.
    n_bytes : int or None
        Memory of its process and of those that it starts, above what the process held before.
        Mapped files do not count. None for no limit.
    """

    seconds: float | None = None
    n_bytes: int | None = None
