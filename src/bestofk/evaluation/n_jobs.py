"""Interpretation of `n_jobs`, shared by everything that accepts it."""

from __future__ import annotations

import os
from numbers import Integral

from bestofk.errors import InvalidArgumentError


def n_workers(n_jobs: int | None) -> int:
    """Return the number of processes that `n_jobs` asks for: None is 1, -1 all cores.

    Raises
    ------
    InvalidArgumentError
        If it is 0 or no whole number.

    Examples
    --------
    >>> n_workers(None), n_workers(3)
    (1, 3)
    """
    if n_jobs is None:
        return 1
    if isinstance(n_jobs, bool) or not isinstance(n_jobs, Integral) or n_jobs == 0:
        raise InvalidArgumentError(
            f"n_jobs must be a whole number other than 0; got {n_jobs!r}. Use -1 for all cores."
        )
    return int(n_jobs) if n_jobs > 0 else max(1, (os.cpu_count() or 1) + 1 + int(n_jobs))
