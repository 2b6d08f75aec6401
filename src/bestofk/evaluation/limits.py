"""Limits of a single run: seconds, and memory above what its process held before."""

from __future__ import annotations

import math
from dataclasses import dataclass
from numbers import Integral, Real
from typing import Any

from bestofk.errors import InvalidArgumentError


@dataclass(frozen=True)
class Limits:
    """Bounds of what a run may take.

    Parameters
    ----------
    seconds : float or None
        Wall-clock seconds; None for no limit.
    n_bytes : int or None
        Memory of its process and of those that it starts, above what the process held before.
        Mapped files do not count. None for no limit.

    Raises
    ------
    InvalidArgumentError
        If one is not a positive number; `n_bytes` must be whole.

    Examples
    --------
    >>> Limits(seconds=2.5)
    Limits(seconds=2.5, n_bytes=None)
    """

    seconds: float | None = None
    n_bytes: int | None = None

    def __post_init__(self) -> None:
        _check_positive("timeout", self.seconds, Real, "a positive number of seconds")
        _check_positive("memory", self.n_bytes, Integral, "a positive whole number of bytes")


def _check_positive(name: str, value: Any, kind: type, rule: str) -> None:
    is_number = isinstance(value, kind) and not isinstance(value, bool)
    if value is not None and not (is_number and 0 < value < math.inf):
        raise InvalidArgumentError(
            f"{name} must be {rule}; got {value!r}. Leave it out for no limit."
        )
