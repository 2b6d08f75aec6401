"""Limits of a single run: seconds, and memory above what its process held before.

Runs within limits are isolated: their process does runs of no other learner and no other call.
Others are not where that would cost more than they do (in the process that calls), and where
processes are not ours to fork (workers of Dask and of executors); records say which.
"""

import math
from collections.abc import Callable
from typing import Any, NamedTuple

from bestofk.checks import is_number, is_whole
from bestofk.errors import InvalidArgumentError


class Limits(NamedTuple):
    """Limits of the resources of a run.

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


NO_LIMITS = Limits()


def check_limits(limits: Limits) -> None:
    """Raise InvalidArgumentError if a limit is not a positive number, of bytes a whole one."""
    check_positive("timeout", limits.seconds, "number of seconds")
    check_positive("memory", limits.n_bytes, "whole number of bytes", kind=is_whole)


def check_positive(
    name: str, value: Any, what: str, *, kind: Callable[[Any], bool] = is_number
) -> None:
    """Raise InvalidArgumentError unless a limit is None or positive, finite and of its kind."""
    if value is not None and not (kind(value) and 0 < value < math.inf):
        raise InvalidArgumentError(
            f"{name} must be a positive {what}; got {value!r}. Leave it out for no limit."
        )
