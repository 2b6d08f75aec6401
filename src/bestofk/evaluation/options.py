"""Options of whole calls: numbers of processes, times such as "10m", memory such as "4GB"."""

import math
import re
import time
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

from bestofk.checks import is_whole
from bestofk.errors import InvalidArgumentError

_BYTES = {
    "": 1, "b": 1, "kb": 10**3, "mb": 10**6, "gb": 10**9, "tb": 10**12,
    "kib": 2**10, "mib": 2**20, "gib": 2**30, "tib": 2**40,
}  # fmt: skip
_UNITS = {"ms": 1e-3, "s": 1.0, "m": 60.0, "h": 3600.0, "d": 86400.0}
# Start of the call whose budget counts, by `time.monotonic`.
_call_began: ContextVar[float | None] = ContextVar("call_began", default=None)


@contextmanager
def counted_time(start: float | None = None) -> Iterator[None]:
    """Count budgets within the block from its start, or from the start of an enclosing block.

    Parameters
    ----------
    start : float, optional
        Start by `time.monotonic`; None for now.
    """
    if _call_began.get() is not None:
        yield
        return
    token = _call_began.set(time.monotonic() if start is None else start)
    try:
        yield
    finally:
        _call_began.reset(token)


def deadline_of(budget: float | None) -> float:
    """Return the end of a budget of seconds, by `time.monotonic`; infinity without a budget."""
    if budget is None:
        return math.inf
    began = _call_began.get()
    return budget + (time.monotonic() if began is None else began)


def n_workers(n_jobs: int | None) -> int:
    """Return the number of processes for `n_jobs`: None is 1, -1 all cores.

    Cores are those that this process may use, within the limits of its affinity (set by SLURM,
    for example) and its container.

    Raises
    ------
    InvalidArgumentError
        If it is 0 or not a whole number.

    Examples
    --------
    >>> n_workers(None), n_workers(3)
    (1, 3)
    """
    if n_jobs is None:
        return 1
    if not is_whole(n_jobs) or n_jobs == 0:
        raise InvalidArgumentError(
            f"n_jobs must be a whole number other than 0; got {n_jobs!r}. Use -1 for all cores."
        )
    if n_jobs > 0:
        return int(n_jobs)
    from joblib import cpu_count

    return max(1, int(cpu_count()) + 1 + int(n_jobs))


def seconds_of(duration: float | str, name: str) -> float:
    """Return the seconds of a length of time, or raise.

    Parameters
    ----------
    duration : float or str
        Seconds, or a text: a number followed by ms, s, m, h or d.
    name : str
        What the length of time is called, for the message.

    Returns
    -------
    float

    Raises
    ------
    InvalidArgumentError
        If it is no positive time, or a text without a unit.

    Examples
    --------
    >>> seconds_of("10m", "budget"), seconds_of(90, "budget")
    (600.0, 90.0)
    """
    text = str(duration).strip().lower()
    unit = next((unit for unit in _UNITS if text.endswith(unit)), "")
    try:
        seconds = float(text.removesuffix(unit)) * _UNITS.get(unit, 1.0)
    except ValueError:
        seconds = math.nan
    if isinstance(duration, str) and not unit and 0 < seconds < math.inf:
        raise InvalidArgumentError(
            f"{name} must have a unit; got {duration!r}. Write {text}s, {text}m or 2h."
        )
    if isinstance(duration, bool) or not 0 < seconds < math.inf:
        raise InvalidArgumentError(
            f"{name} must be a length of time above 0; got {duration!r}. Write 90s, 10m or 2h."
        )
    return seconds


def bytes_of(amount: int | str, name: str) -> int:
    """Return the bytes of an amount of memory, or raise.

    Parameters
    ----------
    amount : int or str
        Bytes, or a number followed by KB, MB, GB or TB (decimal), KiB, MiB, GiB or TiB (binary).
    name : str
        What the amount is called, for the message.

    Returns
    -------
    int

    Raises
    ------
    InvalidArgumentError
        If it is no positive amount.

    Examples
    --------
    >>> bytes_of("4GB", "memory"), bytes_of("1.5 GiB", "memory"), bytes_of(5000, "memory")
    (4000000000, 1610612736, 5000)
    """
    parts = re.fullmatch(r"([0-9.eE+]+?)\s*([a-zA-Z]*)", str(amount).strip())
    try:
        n_bytes = float(parts[1]) * _BYTES[parts[2].lower()] if parts else math.nan
    except (ValueError, KeyError):
        n_bytes = math.nan
    if isinstance(amount, bool) or not 1 <= n_bytes < math.inf:
        raise InvalidArgumentError(
            f"{name} must be an amount of memory above 0; got {amount!r}. Write 500MB, 4GB or 2GiB."
        )
    return int(n_bytes)
