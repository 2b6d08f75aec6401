"""A guarded process with all that its learners start: their memory, and their end."""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path

import psutil

# Processes that joblib and Python start to delete what others leave behind; they end by
# themselves once that is done.
_CLEANERS = "resource_tracker"


def processes_of(leader: int) -> list[int]:
    """Return the numbers of a process and of those started by it, directly or not.

    Parameters
    ----------
    leader : int
        Number of a process that leads a session. One that has left the session does not count.
        On Windows, where there are no sessions, any process; those whose parent has ended do
        not count.

    Returns
    -------
    list of int
        Itself included, unless it has ended.
    """
    if hasattr(os, "getsid"):
        return [number for number in psutil.pids() if _session(number) == leader]
    with suppress(psutil.Error):
        parent = psutil.Process(leader)
        return [leader, *(child.pid for child in parent.children(recursive=True))]
    return []


def end_processes(leader: int, *, spared: int | None = None) -> None:
    """End a process and those started by it, other than those that only clean up.

    Parameters
    ----------
    leader : int
        As for `processes_of`.
    spared : int, optional
        A process that goes on.
    """
    for number in processes_of(leader):
        with suppress(psutil.Error, ProcessLookupError):
            if number != spared and not _is_cleaner(number):
                psutil.Process(number).kill()


def helpers_of(leader: int) -> list[int]:
    """Return the processes started by a process, other than those that only clean up."""
    return [item for item in processes_of(leader) if item != leader and not _is_cleaner(item)]


def memory_of(leader: int) -> int:
    """Return the bytes of memory that a process and those started by it hold together.

    Shared pages do not count, mapped files among them, on systems that tell their number.
    """
    return sum(map(_private_bytes, processes_of(leader)))


def exact_memory_of(leader: int) -> int:
    """Return what `memory_of` does, where memory that forked processes share counts once.

    It takes milliseconds. On other systems than Linux it is the same as `memory_of`.
    """
    return sum(map(_exact_bytes, processes_of(leader)))


def _session(number: int) -> int | None:
    try:
        return os.getsid(number)
    except OSError:  # it has ended, or is none of ours
        return None


def _is_cleaner(number: int) -> bool:
    try:
        return _CLEANERS in " ".join(psutil.Process(number).cmdline())
    except psutil.Error:
        return False


def _private_bytes(number: int) -> int:
    try:
        memory = psutil.Process(number).memory_info()
    except psutil.Error:  # it has ended
        return 0
    return int(memory.rss - getattr(memory, "shared", 0))


def _exact_bytes(number: int) -> int:
    try:
        lines = Path(f"/proc/{number}/smaps_rollup").read_text().splitlines()
    except OSError:
        return _private_bytes(number)
    sizes = [line.split()[1] for line in lines if line.startswith("Pss_Anon:")]
    return 1024 * int(sizes[0]) if sizes else _private_bytes(number)
