"""Limits of a single run: seconds, and memory above what its process held before.

Runs within limits are isolated: their process does runs of no other learner and no other call.
Others are not where that would cost more than they do (in the process that calls), and where
processes are not ours to fork (workers of Dask and of executors); records say which.
"""

from __future__ import annotations

import math
from numbers import Integral, Real
from typing import Any, NamedTuple

from bestofk.errors import InvalidArgumentError


class Limits(NamedTuple):
    """Bounds of what a run may take.

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
    _check_positive("timeout", limits.seconds, Real, "number of seconds")
    _check_positive("memory", limits.n_bytes, Integral, "whole number of bytes")


def _check_positive(name: str, value: Any, kind: type, what: str) -> None:
    is_number = isinstance(value, kind) and not isinstance(value, bool)
    if value is not None and not (is_number and 0 < value < math.inf):
        raise InvalidArgumentError(
            f"{name} must be a positive {what}; got {value!r}. Leave it out for no limit."
        )
