"""Memory and open files of this process: peak of a run, and its limits."""

import os
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress

from bestofk.evaluation.guarded.process_tree import memory_of

if sys.platform == "linux":
    from resource import RLIM_INFINITY, RLIMIT_DATA, RLIMIT_NOFILE, getrlimit, setrlimit

_measuring = threading.Lock()  # held while a peak is measured: a process has one peak at a time
# Of the descriptors that are free, one run may take so many.
_SHARE = 0.9
_limits: list[int] = []  # of this process in bytes, innermost last


@contextmanager
def measured_peak() -> Iterator[Callable[[], int | None]]:
    """Measure the memory that a block takes at its peak, on Linux.

    The peak of the process is set back to what it holds now, for whoever else reads it.

    Yields
    ------
    callable
        Returns the bytes so far above what the process held before, those of mapped files that
        were read included. None on other systems, and where a block around this one, or in
        another thread, is being measured.
    """
    if not _measuring.acquire(blocking=False):
        yield lambda: None
        return
    try:
        before = _reset_peak()
        yield lambda: _grown_since(before)
    finally:
        _measuring.release()


def _grown_since(before: int | None) -> int | None:
    with suppress(OSError):  # no file can be opened
        return None if before is None else max(0, _status_bytes(b"VmHWM") - before)
    return None


@contextmanager
def limited_memory(n_bytes: int | None) -> Iterator[Callable[[], int]]:
    """Make allocations fail that exceed the current memory of this process by more than a limit.

    Memory counts once it is asked for; mapped files do not. Nothing is limited on other systems
    than Linux, nor where `n_bytes` is None.

    Parameters
    ----------
    n_bytes : int or None
        The limit.

    Yields
    ------
    callable
        Returns the bytes of the limit that are used up now; 0 where there is no limit.
    """
    if n_bytes is None:
        yield lambda: 0
        return
    _limits.append(n_bytes)
    try:
        with _limited_data(n_bytes) as used:
            yield used
    finally:
        _limits.pop()


def memory_limit() -> int | None:
    """Return the limit of this process in bytes; None where there is none."""
    return _limits[-1] if _limits else None


_LEAST_SHOWN = 10_000_000  # a request for more than there is was refused, and nothing taken


def above_limit(n_bytes: int, peak_bytes: int | None) -> str:
    """Return the message of a run that needs more memory than its limit.

    Parameters
    ----------
    n_bytes : int
        The limit.
    peak_bytes : int or None
        The peak; None where that was not measured.

    Examples
    --------
    >>> above_limit(1_000_000_000, 1_042_000_000)
    'needed more memory than the limit of 1 GB (peak 1.04 GB in use)'
    """
    is_worth_saying = peak_bytes is not None and peak_bytes >= _LEAST_SHOWN
    peak = f" (peak {_shown(peak_bytes or 0)} in use)" if is_worth_saying else ""
    return f"needed more memory than the limit of {_shown(n_bytes)}{peak}"


def _shown(n_bytes: int) -> str:
    return f"{n_bytes / 1e9:.3g} GB" if n_bytes >= 999.5e6 else f"{n_bytes / 1e6:.0f} MB"


def _reset_peak() -> int | None:
    """Set the peak of this process back, and return what it holds; None where that fails."""
    with suppress(OSError):  # another system, or no file can be opened
        with open("/proc/self/clear_refs", "wb", buffering=0) as file:
            file.write(b"5")
        return int(_read("/proc/self/statm").split()[1]) * os.sysconf("SC_PAGE_SIZE")
    return None


def _status_bytes(name: bytes) -> int:
    """Return a figure of the memory of this process, such as ``VmHWM``."""
    text = _read("/proc/self/status")
    start = text.index(name + b":") + len(name) + 1
    return 1024 * int(text[start : text.index(b"kB", start)])


def _read(path: str) -> bytes:
    number = os.open(path, os.O_RDONLY)  # a file object takes longer than what it reads
    try:
        return os.read(number, 8192)
    finally:
        os.close(number)


@contextmanager
def _limited_data(n_bytes: int) -> Iterator[Callable[[], int]]:
    if sys.platform != "linux":
        held = memory_of(os.getpid())
        yield lambda: memory_of(os.getpid()) - held
        return
    soft, hard = getrlimit(RLIMIT_DATA)
    highest = sys.maxsize if soft == RLIM_INFINITY else soft
    before = _status_bytes(b"VmData")
    setrlimit(RLIMIT_DATA, (min(before + n_bytes, highest), hard))
    try:
        yield lambda: _status_bytes(b"VmData") - before
    finally:
        setrlimit(RLIMIT_DATA, (soft, hard))


@contextmanager
def spared_descriptors() -> Iterator[None]:
    """Keep some descriptors from a learner; those that it leaves open count against no other.

    The limit of open files is put back, and is higher than before where half of it is in use, as
    far as the system allows. Only Linux lets a process have more.
    """
    if sys.platform != "linux":
        yield
        return
    soft, hard = getrlimit(RLIMIT_NOFILE)
    n_open = _n_open()
    setrlimit(RLIMIT_NOFILE, (min(soft, n_open + int(_SHARE * (hard - n_open))), hard))
    try:
        yield
    finally:
        _, hard = getrlimit(RLIMIT_NOFILE)
        setrlimit(RLIMIT_NOFILE, (hard, hard))
        setrlimit(RLIMIT_NOFILE, (min(hard, max(soft, 2 * _n_open())), hard))


def are_descriptors_taken() -> bool:
    """Return whether earlier runs have left hardly any descriptor to this process."""
    if sys.platform != "linux":
        return False
    return _n_open() >= int(_SHARE * getrlimit(RLIMIT_NOFILE)[1])


def _n_open() -> int:
    """Return the lowest number that is free, which is about how many descriptors are in use."""
    try:
        free = os.open(os.devnull, os.O_RDONLY)
    except OSError:
        return sys.maxsize // 2
    os.close(free)
    return free
